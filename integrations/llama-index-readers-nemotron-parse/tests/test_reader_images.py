"""Figures and charts with their pictures, from the reader through the node parser."""

from __future__ import annotations

import base64
import io
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import pytest
from llama_index.core.schema import BaseNode, ImageDocument, ImageNode, MetadataMode, NodeRelationship
from PIL import Image
from pydantic import ValidationError

from llama_index.node_parser.nemotron_parse import NemotronParseNodeParser
from llama_index.readers.nemotron_parse import NemotronParseDocument, NemotronParseReader
from nemoparse_loaders import METADATA_KEYS
from nemoparse_loaders.testing import ParseServer

PAGE = (
    "<x_0.1><y_0.05># Ships<x_0.9><y_0.1><class_Section-header>"
    "<x_0.1><y_0.1>A ship.<x_0.9><y_0.4><class_Picture>"
    "<x_0.1><y_0.4>Figure 1. The ship.<x_0.9><y_0.45><class_Caption>"
    "<x_0.1><y_0.5>Ships are large.<x_0.9><y_0.55><class_Text>"
    "<x_0.1><y_0.6><x_0.5><y_0.8><class_Picture>"
)
Kind = Literal["path", "base64"]


@pytest.fixture
def server() -> Iterator[ParseServer]:
    with ParseServer(replies=PAGE) as server:
        yield server


def reader_for(server: ParseServer, tmp_path: Path, kind: Kind, **options: object) -> NemotronParseReader:
    folder = str(tmp_path / "figures") if kind == "path" else None
    return NemotronParseReader(base_url=server.base_url, images=kind, image_dir=folder, **options)


class Once(io.RawIOBase):
    """A stream that cannot seek, like one from a network."""

    def __init__(self, content: bytes) -> None:
        self._stream = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        return self._stream.readinto(buffer)


def once(content: bytes) -> BinaryIO:
    return cast("BinaryIO", Once(content))


async def test_a_stream_that_cannot_seek(
    server: ParseServer, make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    content = make_pdf("one", "two")
    reader = reader_for(server, tmp_path, "base64")
    [expected] = reader.load_data(content, file_name="a.pdf")
    [document] = reader.load_data(once(content), file_name="a.pdf")
    [other] = await reader.aload_data(once(content), file_name="a.pdf")

    assert isinstance(expected, NemotronParseDocument)
    assert len(expected.figure_data) == 4
    assert document == other == expected


def picture_of(node: BaseNode) -> Image.Image:
    assert isinstance(node, (ImageNode, ImageDocument))
    if node.image_path is not None:
        return Image.open(node.image_path)
    assert node.image is not None
    return Image.open(io.BytesIO(base64.b64decode(node.image)))


@pytest.mark.parametrize("kind", ["path", "base64"])
def test_the_node_parser_makes_image_nodes(
    server: ParseServer, pdf: Path, tmp_path: Path, kind: Kind
) -> None:
    [document] = reader_for(server, tmp_path, kind).load_data(pdf)
    plain = NemotronParseReader(base_url=server.base_url).load_data(pdf)
    parser = NemotronParseNodeParser()
    nodes = parser.get_nodes_from_documents([pickle.loads(pickle.dumps(document))])
    images = [node for node in nodes if isinstance(node, ImageNode)]

    # Two pages with two pictures each; those without words come last.
    assert [node.get_content() for node in nodes if not isinstance(node, ImageNode)] == [
        node.get_content()
        for node in parser.get_nodes_from_documents(plain)
        if node.metadata["chunk_type"] != "figure"
    ]
    assert ["Figure 1" in node.text for node in images] == [True, True, False, False]
    assert [node.metadata["page_number"] for node in images] == [1, 2, 1, 2]
    assert nodes[-2:] == images[-2:]
    for node in images:
        assert set(node.metadata) == set(METADATA_KEYS)
        assert node.metadata["chunk_type"] == "figure"
        assert node.ref_doc_id == document.id_
        assert node.get_content(MetadataMode.EMBED).startswith("Ships")
        with picture_of(node) as picture:
            assert picture.format == "PNG"
            wide = 0.8 if "Figure 1" in node.text else 0.4
            assert picture.width == pytest.approx(300 / 72 * 150 * wide, abs=2)
    assert NodeRelationship.NEXT not in images[-1].relationships
    if kind == "path":
        paths = [Path(str(node.image_path)) for node in images]
        assert sorted(paths) == sorted((tmp_path / "figures").iterdir())
        assert len(set(paths)) == 4


@pytest.mark.parametrize("split", ["chunk", "element", "page"])
async def test_pieces_are_image_documents(server: ParseServer, pdf: Path, tmp_path: Path, split: str) -> None:
    reader = reader_for(server, tmp_path, "path", split=split)
    documents = reader.load_data(pdf)
    assert await reader.aload_data(pdf) == documents
    images = [document for document in documents if isinstance(document, ImageDocument)]

    assert len(images) == 4
    assert len({document.id_ for document in documents}) == len(documents)
    assert all(document.text for document in documents)
    for image in images:
        with picture_of(image) as picture:
            assert picture.format == "PNG"


def test_pictures_change_the_hash(server: ParseServer, pdf: Path, tmp_path: Path) -> None:
    kinds: tuple[Kind, ...] = ("path", "base64")
    hashes = {reader_for(server, tmp_path, kind).load_data(pdf)[0].hash for kind in kinds}
    hashes.add(NemotronParseReader(base_url=server.base_url).load_data(pdf)[0].hash)
    assert len(hashes) == 3
    again = reader_for(server, tmp_path, "path").load_data(pdf)[0]
    assert again.hash in hashes


def test_nothing_is_cut_out_unasked(server: ParseServer, pdf: Path) -> None:
    [document] = NemotronParseReader(base_url=server.base_url).load_data(pdf)
    assert isinstance(document, NemotronParseDocument)
    assert not document.figure_paths
    assert not document.figure_data


def test_files_need_a_folder() -> None:
    with pytest.raises(ValidationError, match="needs image_dir"):
        NemotronParseReader(images="path")
