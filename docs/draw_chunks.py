"""Draws the pictures of docs/chunks.md: a page's elements, the tree of its sections, and its chunks.

python -m docs.draw_chunks          write the pictures, and what docs/chunks.md prints of a chunk
python -m docs.draw_chunks --check  fail if anything else would be drawn now
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image
from pydantic import BaseModel, ConfigDict

from nemoparse_loaders import Chunk, ChunkTree, DocumentParser, LayoutChunker, ParsedDocument, crop_element

from .chunk_pictures import (
    PAGE_SIZE,
    Box,
    DrawnChunk,
    DrawnElement,
    TreeRow,
    draw_chunks,
    draw_elements,
    draw_tree,
    write_picture,
)

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "examples" / "documents" / "sample-paper.pdf"
PAGE = ROOT / "docs" / "chunks.md"
FOLDER = ROOT / "docs" / "images"
DATA = FOLDER / "chunks.json"
PICTURES = ("chunks-1-elements.png", "chunks-2-tree.png", "chunks-3-chunks.png")

# The page with a table under its caption, headings of three levels, a list over both columns, a footnote far
# from its mark, a formula, and a section that goes on on the next page.
NUMBER = 2
MAX_TOKENS = 256
# The chunk whose fields are printed is the one that holds this element: text with its footnote.
PRINTED = "p2e25"

# How far a box may be off, as a fraction of the page: other builds of the layout model move edges a little.
TOLERANCE = 0.004

# Sizes whose chunks are counted, in tokens, and the long table whose pieces are.
SIZES = (128, 256, 512, 1024)
LONG_TABLE = "p3e16"


class SizeRow(BaseModel):
    """How a document is cut at one size.

    Attributes:
        max_tokens: The size.
        chunks: Of the whole document.
        pieces: Of its long table.
    """

    model_config = ConfigDict(frozen=True)

    max_tokens: int
    chunks: int
    pieces: int


class Drawing(BaseModel):
    """All that is drawn and printed.

    Attributes:
        elements: Of the page, in reading order.
        chunks: Of the page, and the others of the sections that the page has a part of.
        rows: The tree of these sections.
        metadata: Of the printed chunk.
        embed_text: Of the printed chunk.
        sizes: How the whole paper is cut at several sizes.
    """

    model_config = ConfigDict(frozen=True)

    elements: tuple[DrawnElement, ...]
    chunks: tuple[DrawnChunk, ...]
    rows: tuple[TreeRow, ...]
    metadata: dict[str, str | int | float | bool]
    embed_text: str
    sizes: tuple[SizeRow, ...]


def parse_and_chunk() -> tuple[ParsedDocument, ChunkTree]:
    """The sample paper and its chunks, with ids that are the same on every machine."""
    document = DocumentParser(backend="cpu").parse(SOURCE, root=ROOT)
    # The address of the file is another one on every machine, and metadata has to stay under 1 KB with it.
    document = document.model_copy(update={"source": "file:///examples/documents/sample-paper.pdf"})
    return document, LayoutChunker(max_tokens=MAX_TOKENS, parents="section").chunk_tree(document)


def drawing_of(document: ParsedDocument, tree: ChunkTree) -> Drawing:
    """What there is to draw of the page."""
    holders: dict[str, list[int]] = {}
    for chunk in tree.chunks:
        for span in chunk.spans:
            holders.setdefault(span.element_id, []).append(int(chunk.metadata["chunk_index"]))
    rows, shown = _tree_rows(tree)
    printed = next(chunk for chunk in tree.chunks if PRINTED in _element_ids(chunk))
    return Drawing(
        elements=tuple(
            DrawnElement(
                number=number,
                type=element.type,
                box=_rounded(element.bbox),
                chunks=tuple(holders.get(element.id, ())),
            )
            for number, element in enumerate(document.pages[NUMBER - 1].elements, 1)
            if element.bbox is not None
        ),
        chunks=tuple(_drawn_chunk(chunk) for chunk in shown),
        rows=tuple(rows),
        metadata=printed.metadata,
        embed_text=printed.embed_text,
        sizes=tuple(_size_row(document, size) for size in SIZES),
    )


def _size_row(document: ParsedDocument, max_tokens: int) -> SizeRow:
    chunks = LayoutChunker(max_tokens=max_tokens).chunk(document)
    pieces = sum(chunk.metadata["table_id"] == LONG_TABLE for chunk in chunks)
    return SizeRow(max_tokens=max_tokens, chunks=len(chunks), pieces=pieces)


def _tree_rows(tree: ChunkTree) -> tuple[list[TreeRow], list[Chunk]]:
    """The top sections that have a part on the page, all that is in them, and the chunks among it."""
    by_id = {parent.id: parent for parent in tree.parents}

    def ancestry(piece: Chunk) -> list[Chunk]:
        line = [piece]
        while line[0].parent_id:
            line.insert(0, by_id[line[0].parent_id])
        return line

    lines = [ancestry(chunk) for chunk in tree.chunks]
    tops = {line[0].id for line in lines if any(span.page == NUMBER for span in line[-1].spans)}
    rows: list[TreeRow] = []
    shown: list[Chunk] = []
    told: set[str] = set()
    for line in lines:
        if line[0].id not in tops:
            continue
        for depth, section in enumerate(line[:-1]):
            if section.id not in told:
                told.add(section.id)
                heading = str(section.metadata["section_path"]).split(" > ")[-1]
                rows.append(TreeRow(depth=depth, heading=heading))
        rows.append(TreeRow(depth=len(line) - 1, chunk=int(line[-1].metadata["chunk_index"])))
        shown.append(line[-1])
    return rows, shown


def _drawn_chunk(chunk: Chunk) -> DrawnChunk:
    boxes: list[list[float]] = json.loads(str(chunk.metadata["bboxes"]))
    return DrawnChunk(
        index=int(chunk.metadata["chunk_index"]),
        type=str(chunk.metadata["chunk_type"]),
        tokens=int(chunk.metadata["n_tokens"]),
        pages=str(chunk.metadata["pages"]),
        elements=_ranges(
            int(name.removeprefix(f"p{NUMBER}e"))
            for name in _element_ids(chunk)
            if name.startswith(f"p{NUMBER}e")
        ),
        classes=str(chunk.metadata["classes"]).replace(",", ", "),
        boxes=tuple(_rounded(box) for page, *box in boxes if page == NUMBER),
    )


def _element_ids(chunk: Chunk) -> list[str]:
    return list(dict.fromkeys(span.element_id for span in chunk.spans))


def _ranges(numbers: Iterable[int]) -> str:
    """Ordered numbers, three and more in a row as "9 to 17"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(words)


def _rounded(box: Sequence[float]) -> Box:
    x0, y0, x1, y1 = (round(value, 4) for value in box)
    return x0, y0, x1, y1


def agree(now: object, then: object) -> bool:
    """Whether two JSON values are equal but for small moves of boxes."""
    if isinstance(now, float) and isinstance(then, float | int):
        return abs(now - then) <= TOLERANCE
    if isinstance(now, str) and isinstance(then, str) and now.startswith("[[") and then.startswith("[["):
        return agree(json.loads(now), json.loads(then))
    if isinstance(now, list) and isinstance(then, list):
        return len(now) == len(then) and all(map(agree, now, then))
    if isinstance(now, dict) and isinstance(then, dict):
        return now.keys() == then.keys() and all(agree(value, then[key]) for key, value in now.items())
    return now == then


def printed_blocks(drawing: Drawing) -> dict[str, str]:
    """What docs/chunks.md shows of the drawing in words, by name."""
    metadata = json.dumps(drawing.metadata, indent=2, ensure_ascii=False)
    rows = [f"| {row.max_tokens:,} | {row.chunks} | {row.pieces} |" for row in drawing.sizes]
    return {
        "metadata": f"```json\n{metadata}\n```",
        "embed_text": f"```text\n{drawing.embed_text}\n```",
        "sizes": "\n".join(["| `max_tokens` | chunks | pieces of Table 2 |", "|---|---|---|", *rows]),
    }


def with_blocks(page: str, blocks: dict[str, str]) -> str:
    """The text of docs/chunks.md with these blocks between the comments that name them."""
    for name, block in blocks.items():
        begin, end = f"<!-- {name}: made by docs/draw_chunks.py -->\n\n", f"\n\n<!-- end of {name} -->"
        before, found, rest = page.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"docs/chunks.md has no place for {name}")
        page = before + begin + block + end + after
    return page


def problems(now: Drawing) -> list[str]:
    """What in docs/ does not show what is so now."""
    if not DATA.is_file():
        return ["docs/images/chunks.json is missing"]
    text = DATA.read_text("utf-8")
    then = Drawing.model_validate_json(text)
    found = [
        f"docs/images/chunks.json: {name} are others now"
        for name, value in now.model_dump(mode="json").items()
        if not agree(value, then.model_dump(mode="json")[name])
    ]
    page = PAGE.read_text("utf-8")
    if with_blocks(page, printed_blocks(then)) != page:
        found.append("docs/chunks.md prints another chunk than docs/images/chunks.json holds")
    for name in PICTURES:
        if not (FOLDER / name).is_file():
            found.append(f"docs/images/{name} is missing")
            continue
        with Image.open(FOLDER / name) as picture:
            if picture.info.get("drawn-from") != _digest(text):
                found.append(f"docs/images/{name} was drawn from other data than docs/images/chunks.json")
    return found


def write_all(drawing: Drawing) -> None:
    """Write data, pictures and the blocks of docs/chunks.md."""
    text = drawing.model_dump_json(indent=1) + "\n"
    png = crop_element(SOURCE, NUMBER, (0.0, 0.0, 1.0, 1.0), dpi=2 * 72 * PAGE_SIZE[0] / 595)
    with Image.open(io.BytesIO(png)) as opened:
        page = opened.convert("RGB")
    on_page = [chunk for chunk in drawing.chunks if chunk.boxes]
    pictures = (
        draw_elements(page, NUMBER, drawing.elements),
        draw_tree(NUMBER, drawing.rows, drawing.chunks),
        draw_chunks(page, NUMBER, drawing.elements, on_page),
    )
    FOLDER.mkdir(exist_ok=True)
    DATA.write_text(text, "utf-8")
    for name, picture in zip(PICTURES, pictures, strict=True):
        write_picture(picture, FOLDER / name, _digest(text))
    PAGE.write_text(with_blocks(PAGE.read_text("utf-8"), printed_blocks(drawing)), "utf-8")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Write everything, or check it."""
    drawing = drawing_of(*parse_and_chunk())
    if "--check" in sys.argv[1:]:
        found = problems(drawing)
        if found:
            sys.exit("\n".join([*found, "run python -m docs.draw_chunks"]))
        return
    write_all(drawing)


if __name__ == "__main__":
    main()
