"""The metadata of a chunk: flat scalars, the same keys with the same types on every chunk, under 1 KB."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from ..document import ParsedDocument
from .blocks import Draft, Span
from .boxes import PageBox, boxes_json, column_boxes, page_boxes
from .chunk import MetadataValue
from .clean import shortened, storable
from .furniture import page_label

METADATA_KEYS: Mapping[str, type[MetadataValue]] = MappingProxyType(
    {
        "source": str,
        "file_name": str,
        "doc_id": str,
        "content_hash": str,
        "chunk_id": str,
        "parent_id": str,
        "chunk_index": int,
        "chunk_type": str,
        "section_path": str,
        "title": str,
        "page_number": int,
        "page_end": int,
        "pages": str,
        "page_label": str,
        "total_pages": int,
        "bboxes": str,
        "bbox_precision": str,
        "element_ids": str,
        "classes": str,
        "caption": str,
        "table_id": str,
        "table_part": int,
        "table_parts": int,
        "row_start": int,
        "row_end": int,
        "n_tokens": int,
        "is_partial": bool,
        "confidence": float,
        "needs_review": bool,
        "parser": str,
        "schema": str,
    }
)
"""Every key with its type.

Where there is nothing to say the value is "", 0 or False; ``confidence`` is then -1.0.

- ``chunk_type``: text, table, figure, chart, formula, list, code or footnote; of what is mixed: text.
- ``section_path``: the headings above, "A > B". ``title``: that of the document.
- ``page_number``, ``page_end``: first and last page, from 1. ``pages``: all of them, "3,4"; where room is
  short "3-9". ``page_label``: what is printed on the first one.
- ``bboxes``: JSON, [[page,x0,y0,x1,y1],...] in 0..1 of the displayed page, origin top left, one box for each
  page and column. ``bbox_precision``: "element", or "estimated" where a box is a share of an element's box.
- ``element_ids``: "p3e7,p3e8"; where room is short "p3e7-p3e12". ``classes``: as printed, each once.
- ``table_part`` of ``table_parts``, from 1. ``row_start``, ``row_end``: rows of the whole table that the
  chunk holds, from 0, the end not included; header rows that are repeated do not count.
- ``n_tokens``: of ``embed_text``. ``is_partial``: something is missing on a page of the chunk.
- ``parent_id``: the section or page that the chunk belongs to, where parents are asked for.
- ``needs_review`` is False until something sets it.
"""

LLM_KEYS = frozenset({"section_path", "caption", "page_label", "file_name"})
"""The keys that are of use to a model that answers questions."""

EMBED_KEYS = frozenset({"section_path", "caption"})
"""The keys that may be embedded with a chunk's text; ``embed_text`` holds them already."""

_T = TypeVar("_T")

SCHEMA = "1"
MAX_BYTES = 1023

# Lengths to which path and caption are cut, one after the other, until there is room.
_LENGTHS = (240, 160, 100, 60, 30)


def build_metadata(
    document: ParsedDocument,
    draft: Draft,
    *,
    chunk_id: str,
    parent_id: str = "",
    chunk_index: int,
    n_tokens: int,
    labels: Mapping[int, str] = MappingProxyType({}),
) -> dict[str, MetadataValue]:
    """The metadata of one chunk, in the order of `METADATA_KEYS`.

    A page that the file itself gives no label has that of ``labels``, what is printed on it, else its number.

    Where it would be over 1 KB, ids and pages are written as ranges and boxes are merged page by page; then
    path and caption are cut, and at last lists of boxes and ids to their ends. Keys never go, and what names
    the source is never cut.
    """
    spans = draft.spans
    numbers = _unique(span.page.number for span in spans)
    first_page = min(spans, key=lambda span: span.page.number).page if spans else None
    metadata: dict[str, MetadataValue] = {
        "source": document.source,
        "file_name": document.file_name,
        "doc_id": document.doc_id,
        "content_hash": document.content_hash,
        "chunk_id": chunk_id,
        "parent_id": parent_id,
        "chunk_index": chunk_index,
        "chunk_type": draft.kind,
        "section_path": " > ".join(heading.text for heading in draft.path),
        "title": _line(document.title),
        "page_number": min(numbers, default=0),
        "page_end": max(numbers, default=0),
        "pages": ",".join(map(str, sorted(numbers))),
        "page_label": page_label(first_page, labels) if first_page else "",
        "total_pages": document.total_pages or len(document.pages),
        "bboxes": "[]",
        "bbox_precision": "estimated" if any(span.estimated and span.bbox for span in spans) else "element",
        "element_ids": ",".join(_ids(spans)),
        "classes": ",".join(_unique(span.element.type for span in spans if span.element is not None)),
        "caption": draft.caption,
        "table_id": draft.rows.table_id,
        "table_part": draft.rows.part,
        "table_parts": draft.rows.parts,
        "row_start": draft.rows.row_start,
        "row_end": draft.rows.row_end,
        "n_tokens": n_tokens,
        "is_partial": draft.is_placeholder
        or any(span.page.status in ("partial", "failed") for span in spans),
        "confidence": -1.0,
        "needs_review": False,
        "parser": document.parser,
        "schema": SCHEMA,
    }
    metadata = {key: storable(value) if isinstance(value, str) else value for key, value in metadata.items()}
    _fit(metadata, column_boxes(spans), sorted(numbers), _ids(spans))
    return metadata


def json_size(metadata: Mapping[str, MetadataValue]) -> int:
    """Bytes of the metadata as JSON in UTF-8."""
    return len(json.dumps(metadata, ensure_ascii=False).encode("utf-8", "replace"))


def _fit(
    metadata: dict[str, MetadataValue], boxes: list[PageBox], numbers: Sequence[int], ids: Sequence[str]
) -> None:
    """Write the boxes, and shorten what may be shortened until the size is right."""
    path, caption, title = (str(metadata[key]) for key in ("section_path", "caption", "title"))
    metadata["bboxes"] = boxes_json(boxes)

    def fits() -> bool:
        return json_size(metadata) <= MAX_BYTES

    if fits():
        return
    # Nothing is lost by this.
    metadata["pages"] = ",".join(_number_ranges(numbers))
    metadata["element_ids"] = ",".join(_id_ranges(ids))
    if fits():
        return
    boxes = page_boxes(boxes)
    metadata["bboxes"] = boxes_json(boxes)
    for length in _LENGTHS:
        if fits():
            return
        metadata["section_path"] = shortened(path, length, keep="end")
        metadata["caption"] = shortened(caption, length)
    if not fits() and len(ids) > 1:
        metadata["element_ids"] = f"{ids[0]}-{ids[-1]}"
    if not fits() and len(numbers) > 1:
        metadata["pages"] = f"{numbers[0]}-{numbers[-1]}"
    while not fits() and len(boxes) > 1:
        boxes = boxes[: len(boxes) // 2]
        metadata["bboxes"] = boxes_json(boxes)
    for length in _LENGTHS:
        if fits():
            return
        metadata["title"] = shortened(title, length)


def _ids(spans: Sequence[Span]) -> list[str]:
    return _unique(span.element.id for span in spans if span.element is not None)


def _unique(values: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(values))


def _number_ranges(numbers: Sequence[int]) -> list[str]:
    """Ordered numbers with runs as "3-9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [",".join(map(str, run)) if len(run) < 3 else f"{run[0]}-{run[-1]}" for run in runs]


def _id_ranges(ids: Sequence[str]) -> list[str]:
    """Element ids with runs on a page as "p3e7-p3e12"."""
    runs: list[list[str]] = []
    for element_id in ids:
        if runs and element_id == _next_id(runs[-1][-1]):
            runs[-1].append(element_id)
        else:
            runs.append([element_id])
    return [",".join(run) if len(run) < 3 else f"{run[0]}-{run[-1]}" for run in runs]


def _next_id(element_id: str) -> str:
    page, mark, number = element_id.rpartition("e")
    return f"{page}{mark}{int(number) + 1}" if number.isdecimal() else ""


def _line(text: str) -> str:
    return " ".join(text.split())
