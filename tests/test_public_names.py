"""The public names: a change here is a change for users and belongs in CHANGELOG.md."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import nemoparse_loaders

PUBLIC = """
AuthenticationError BBox BackendError Chart Chunk ChunkSpan ChunkTree CorruptSourceError
DirectorySourceError DocumentParser EMBED_KEYS Element ElementType Embed EmptySourceError EncryptedSourceError
FigureImage Issue LLM_KEYS LayoutChunker METADATA_KEYS MissingDependencyError ModelNotFoundError
NemoparseError OptionError PageError PageRenderError PageReplyError PageStep ParseOptions ParseReport
ParsedDocument ParsedPage Parents Percentiles Progress ProtocolError ReplyTimeoutError RequestRejectedError
ServerBusyError ServerFailedError SourceData SourceError SourceInput SourceNotFoundError Split StageCost Steps
Table TableCell TextSplit TocEntry Treatment UnsupportedSourceError __version__ acrop_elements acrop_figures
crop_element crop_elements crop_figures decode_page encode_page figure_chunks layout_hash layout_to_json
save_figures
split_document split_text
"""


def test_the_names_are_these() -> None:
    assert sorted(nemoparse_loaders.__all__) == sorted(PUBLIC.split())


def test_each_name_can_be_had() -> None:
    for name in nemoparse_loaders.__all__:
        assert getattr(nemoparse_loaders, name) is not None


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(nemoparse_loaders.__file__).read_text("utf-8"))
    seen = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }
    assert seen | {"__version__"} == set(nemoparse_loaders.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(nemoparse_loaders, "NoSuchThing")


def _modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


HEAVY = {
    "PIL",
    "aiohttp",
    "cv2",
    "docling_core",
    "langchain_core",
    "llama_index",
    "numpy",
    "onnxruntime",
    "openai",
    "pandas",
    "pypdfium2",
    "rapidocr",
    "tokenizers",
    "torch",
    "transformers",
    "typer",
    "vllm",
}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not _modules_after("import nemoparse_loaders") & (HEAVY | {"pydantic"})


def test_the_parser_and_the_chunker_load_nothing_heavy_until_used() -> None:
    statement = (
        "from nemoparse_loaders import DocumentParser, LayoutChunker, decode_page; "
        "DocumentParser(base_url='http://127.0.0.1:9', model='m'); LayoutChunker()"
    )
    assert not _modules_after(statement) & HEAVY
