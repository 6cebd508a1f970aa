"""The metadata of a chunk: flat scalars, the same keys with the same types on every chunk, under 1 KB."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from ..document import ElementType, ParsedDocument, ParsedPage
from .blocks import Draft, Span
from .boxes import BoxesOfPages, PageBox, boxes_json, column_boxes, page_boxes
from .chunk import MetadataValue
from .clean import shortened, storable
from .furniture import page_label
from .selection import is_in_doubt

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
  short "3-9". ``page_label``: what is printed on the first one, in 40 characters.
- ``bboxes``: JSON, [[page,x0,y0,x1,y1],...] in 0..1 of the displayed page, origin top left, one box for each
  page and column. ``bbox_precision``: "element", or "estimated" where a box is a share of an element's box.
- ``element_ids``: "p3e7,p3e8"; where room is short "p3e7-p3e12". ``classes``: as printed, each once;
  of many odd ones "…" is left.
- ``table_part`` of ``table_parts``, from 1. ``row_start``, ``row_end``: rows of the whole table that the
  chunk holds, from 0, the end not included; header rows that are repeated do not count.
- ``n_tokens``: of ``embed_text``. ``is_partial``: something is missing on a page of the chunk.
- ``parent_id``: the section or page that the chunk belongs to, where parents are asked for.
- ``confidence``: the lowest of its elements', 0..1; -1 where none is known.
- ``needs_review``: an element of the chunk disagrees with the page's file or with another reading of it, the
  file has text that a page of the chunk lacks, or a page of the chunk is not whole.
"""

LLM_KEYS = frozenset({"section_path", "caption", "page_label", "file_name"})
"""The keys that are of use to a model that answers questions."""

EMBED_KEYS = frozenset({"section_path", "caption"})
"""The keys that may be embedded with a chunk's text; ``embed_text`` holds them already."""

_T = TypeVar("_T")

SCHEMA = "1"
MAX_BYTES = 1023

# Lengths to which title, path and caption are cut, one after the other, until there is room.
_LENGTHS = (240, 160, 100, 60, 30)

# What stays at last of title and page label.
_FEW = 12
# What stays of path and caption, and how many boxes, where no cutting makes enough room.
_MIDDLE = 100
_MOST_BOXES = 4

_LONGEST_PAGE_LABEL = 40
_KNOWN_CLASSES = frozenset(kind.value for kind in ElementType)


def build_metadata(
    document: ParsedDocument,
    draft: Draft,
    *,
    chunk_id: str,
    parent_id: str = "",
    chunk_index: int,
    n_tokens: int,
    labels: Mapping[int, str] = MappingProxyType({}),
    places: BoxesOfPages | None = None,
) -> dict[str, MetadataValue]:
    """The metadata of one chunk, in the order of `METADATA_KEYS`.

    A page that the file itself gives no label has that of ``labels``, what is printed on it, else its number.

    Where it would be over 1 KB, ids and pages are written as ranges, the title is cut and boxes are merged
    page by page; then path and caption are cut, and at last lists of boxes and ids to their ends. Keys never
    go, and what names the source is never cut: where that is too long by itself, so is the whole.
    """
    spans = draft.spans
    numbers = _unique(span.page.number for span in spans)
    first_page = min(spans, key=lambda span: span.page.number).page if spans else None
    elements = [span.element for span in spans if span.element is not None]
    confidences = [element.confidence for element in elements if element.confidence is not None]
    pages = list({id(span.page): span.page for span in spans}.values())
    is_partial = draft.is_placeholder or any(page.status in ("partial", "failed") for page in pages)
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
        "title": shortened(_line(document.title), _LENGTHS[0]),
        "page_number": min(numbers, default=0),
        "page_end": max(numbers, default=0),
        "pages": ",".join(map(str, sorted(numbers))),
        "page_label": shortened(page_label(first_page, labels), _LONGEST_PAGE_LABEL) if first_page else "",
        "total_pages": document.total_pages or len(document.pages),
        "bboxes": "[]",
        "bbox_precision": "estimated" if any(span.estimated and span.bbox for span in spans) else "element",
        "element_ids": ",".join(_ids(spans)),
        "classes": _short_classes(
            ",".join(_unique(span.element.type for span in spans if span.element is not None)),
            _LENGTHS[1],
        ),
        "caption": draft.caption,
        "table_id": draft.rows.table_id,
        "table_part": draft.rows.part,
        "table_parts": draft.rows.parts,
        "row_start": draft.rows.row_start,
        "row_end": draft.rows.row_end,
        "n_tokens": n_tokens,
        "is_partial": is_partial,
        "confidence": min(confidences, default=-1.0),
        "needs_review": is_partial or any(map(is_in_doubt, elements)) or any(map(_lacks_text, pages)),
        "parser": document.parser,
        "schema": SCHEMA,
    }
    metadata = {key: storable(value) if isinstance(value, str) else value for key, value in metadata.items()}
    boxes = column_boxes(spans, places)
    metadata["bboxes"] = boxes_json(boxes)
    smaller = _smaller(metadata.copy(), boxes, sorted(numbers), _ids(spans))
    while json_size(metadata) > MAX_BYTES and (values := next(smaller, None)):
        metadata.update(values)
    return metadata


def json_size(metadata: Mapping[str, MetadataValue]) -> int:
    """Bytes of the metadata as JSON in UTF-8."""
    return len(json.dumps(metadata, ensure_ascii=False).encode("utf-8", "replace"))


def _smaller(
    metadata: Mapping[str, MetadataValue],
    boxes: Sequence[PageBox],
    numbers: Sequence[int],
    ids: Sequence[str],
) -> Iterator[dict[str, MetadataValue]]:
    """Values to put in, one set after the other, until the size is right; the last where it never is."""
    path, caption, title, label = (
        str(metadata[key]) for key in ("section_path", "caption", "title", "page_label")
    )

    def cut(length: int) -> dict[str, MetadataValue]:
        return {
            "section_path": shortened(path, length, keep="end"),
            "caption": shortened(caption, length),
        }

    # Nothing is lost by this.
    yield {"pages": ",".join(_number_ranges(numbers)), "element_ids": ",".join(_id_ranges(ids))}
    # The title is the same on every chunk, the others say where this one stands.
    for length in _LENGTHS:
        yield {"title": shortened(title, length)}
    boxes = page_boxes(boxes)
    yield {"bboxes": boxes_json(boxes)}
    for length in _LENGTHS:
        yield cut(length)
    if len(ids) > 1:
        yield {"element_ids": f"{ids[0]}-{ids[-1]}"}
    if len(numbers) > 1:
        yield {"pages": f"{numbers[0]}-{numbers[-1]}"}
    fewer = boxes
    while len(fewer) > 1:
        fewer = fewer[: len(fewer) // 2]
        yield {"bboxes": boxes_json(fewer)}
    yield {
        "title": shortened(title, _FEW),
        "page_label": shortened(label, _FEW),
        "classes": _short_classes(str(metadata["classes"]), _LENGTHS[-1]),
    }
    # The names of the source are too long by themselves: nothing is gained by cutting much else.
    yield {**cut(_MIDDLE), "bboxes": boxes_json(boxes[:_MOST_BOXES])}


def _short_classes(classes: str, length: int) -> str:
    """As many names that the model prints as there is room for; an ellipsis stands for all others."""
    names = [name for name in classes.split(",") if name in _KNOWN_CLASSES]
    while len(",".join([*names, "…"])) > length:
        names.pop()
    return classes if len(classes) <= length else ",".join([*names, "…"])


def _lacks_text(page: ParsedPage) -> bool:
    """Whether checks miss text on a page, also where an element that came without any is in no chunk."""
    return is_in_doubt(page) or any(
        is_in_doubt(element) for element in page.elements if not (element.text or element.markdown).strip()
    )


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
