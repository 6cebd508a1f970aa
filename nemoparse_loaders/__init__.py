"""Documents into LlamaIndex and LangChain with NVIDIA Nemotron Parse.

Everything public is here; what is heavy is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .chunking import (
        EMBED_KEYS,
        LLM_KEYS,
        METADATA_KEYS,
        Chunk,
        ChunkSpan,
        ChunkTree,
        Embed,
        LayoutChunker,
        Parents,
        Split,
        Steps,
        Treatment,
        split_document,
    )
    from .chunking.carried import (
        TextSplit,
        layout_hash,
        layout_to_json,
        split_text,
    )
    from .chunking.figure_chunks import (
        figure_chunks,
    )
    from .decoding import (
        decode_page,
        encode_page,
    )
    from .document import (
        BBox,
        Chart,
        Element,
        ElementType,
        Issue,
        PageStep,
        ParsedDocument,
        ParsedPage,
        ParseReport,
        Percentiles,
        StageCost,
        Table,
        TableCell,
        TocEntry,
    )
    from .errors import (
        AuthenticationError,
        BackendError,
        CorruptSourceError,
        DirectorySourceError,
        EmptySourceError,
        EncryptedSourceError,
        MissingDependencyError,
        ModelNotFoundError,
        NemoparseError,
        OptionError,
        PageError,
        PageRenderError,
        PageReplyError,
        ProtocolError,
        ReplyTimeoutError,
        RequestRejectedError,
        ServerBusyError,
        ServerFailedError,
        SourceError,
        SourceNotFoundError,
        UnsupportedSourceError,
    )
    from .figures import (
        FigureImage,
        acrop_elements,
        acrop_figures,
        crop_element,
        crop_elements,
        crop_figures,
        save_figures,
    )
    from .options import (
        ParseOptions,
    )
    from .parser import (
        DocumentParser,
        SourceData,
        SourceInput,
    )
    from .pipeline.progress import (
        Progress,
    )

__version__ = "0.1.0"

_HOME = {
    "chunking": [
        "EMBED_KEYS",
        "LLM_KEYS",
        "METADATA_KEYS",
        "Chunk",
        "ChunkSpan",
        "ChunkTree",
        "Embed",
        "LayoutChunker",
        "Parents",
        "Split",
        "Steps",
        "Treatment",
        "split_document",
    ],
    "chunking.carried": ["TextSplit", "layout_hash", "layout_to_json", "split_text"],
    "chunking.figure_chunks": ["figure_chunks"],
    "decoding": ["decode_page", "encode_page"],
    "document": [
        "BBox",
        "Chart",
        "Element",
        "ElementType",
        "Issue",
        "PageStep",
        "ParseReport",
        "ParsedDocument",
        "ParsedPage",
        "Percentiles",
        "StageCost",
        "Table",
        "TableCell",
        "TocEntry",
    ],
    "errors": [
        "AuthenticationError",
        "BackendError",
        "CorruptSourceError",
        "DirectorySourceError",
        "EmptySourceError",
        "EncryptedSourceError",
        "MissingDependencyError",
        "ModelNotFoundError",
        "NemoparseError",
        "OptionError",
        "PageError",
        "PageRenderError",
        "PageReplyError",
        "ProtocolError",
        "ReplyTimeoutError",
        "RequestRejectedError",
        "ServerBusyError",
        "ServerFailedError",
        "SourceError",
        "SourceNotFoundError",
        "UnsupportedSourceError",
    ],
    "figures": [
        "FigureImage",
        "acrop_elements",
        "acrop_figures",
        "crop_element",
        "crop_elements",
        "crop_figures",
        "save_figures",
    ],
    "options": ["ParseOptions"],
    "parser": ["DocumentParser", "SourceData", "SourceInput"],
    "pipeline.progress": ["Progress"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "EMBED_KEYS",
    "LLM_KEYS",
    "METADATA_KEYS",
    "AuthenticationError",
    "BBox",
    "BackendError",
    "Chart",
    "Chunk",
    "ChunkSpan",
    "ChunkTree",
    "CorruptSourceError",
    "DirectorySourceError",
    "DocumentParser",
    "Element",
    "ElementType",
    "Embed",
    "EmptySourceError",
    "EncryptedSourceError",
    "FigureImage",
    "Issue",
    "LayoutChunker",
    "MissingDependencyError",
    "ModelNotFoundError",
    "NemoparseError",
    "OptionError",
    "PageError",
    "PageRenderError",
    "PageReplyError",
    "PageStep",
    "Parents",
    "ParseOptions",
    "ParseReport",
    "ParsedDocument",
    "ParsedPage",
    "Percentiles",
    "Progress",
    "ProtocolError",
    "ReplyTimeoutError",
    "RequestRejectedError",
    "ServerBusyError",
    "ServerFailedError",
    "SourceData",
    "SourceError",
    "SourceInput",
    "SourceNotFoundError",
    "Split",
    "StageCost",
    "Steps",
    "Table",
    "TableCell",
    "TextSplit",
    "TocEntry",
    "Treatment",
    "UnsupportedSourceError",
    "__version__",
    "acrop_elements",
    "acrop_figures",
    "crop_element",
    "crop_elements",
    "crop_figures",
    "decode_page",
    "encode_page",
    "figure_chunks",
    "layout_hash",
    "layout_to_json",
    "save_figures",
    "split_document",
    "split_text",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
