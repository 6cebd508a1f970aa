"""From a body and its class to an `Element`: one rule a class.

Markdown, plain text, tables and charts are all made here, from the body alone, so that the backend that
printed it does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from ..checks import BlockFacts, block_notes, shorten_loops
from ..document import BBox, Chart, Element, ElementType, Issue, Table
from ..export.headings import without_heading_marks
from ..export.plain import markdown_to_text
from .artefacts import clean_body
from .block import Block
from .charts import chart_lines, chart_markdown, parse_chart
from .construct import build_element, build_issue
from .formulas import bare_formula
from .lists import normalised_list, without_bullets
from .tables import find_tables
from .tables.found import FoundTable
from .toc import read_toc

_HEADINGS = frozenset({ElementType.TITLE.value, ElementType.SECTION_HEADER.value})
_FORMULAS = frozenset({ElementType.FORMULA.value, ElementType.INLINE_FORMULA.value})
_CHART = ElementType.CHART.value
_CODE = ElementType.CODE.value
_LIST_ITEM = ElementType.LIST_ITEM.value
_TEXT = ElementType.TEXT.value
_TOC = ElementType.TOC.value
_TABULAR = frozenset({ElementType.TABLE.value, _TOC})
# The classes whose bodies are something else than words.
_NO_WORDS = _TABULAR | _FORMULAS | {_CHART, _CODE}
# Without one of these a body holds no artefact, no table and no chart.
_STRUCTURE = re.compile(r"\||<[|tTc]|\\[beuU]")
_CUT_BEGIN = re.compile(r"\\begin[ ]?(?:\{[A-Za-z]{0,24}\*?)?\s?")
# Below this nothing can be a loop.
_SHORT = 1_000


class Content(NamedTuple):
    """What a body says.

    Attributes:
        raw: The part of the body that it comes from.
        markdown: As Markdown.
        text: As plain text.
        table: The grid, if there is one.
        chart: The chart, if it is one.
        cut: A table or chart in it is cut open.
        damage: What had to be repaired in it, in words.
    """

    raw: str
    markdown: str = ""
    text: str = ""
    table: Table | None = None
    chart: Chart | None = None
    cut: bool = False
    damage: str = ""


def page_elements(
    blocks: Sequence[Block],
    boxes: Sequence[BBox | None],
    *,
    page_number: int,
    repeated: Set[int] = frozenset(),
) -> tuple[list[Element], int]:
    """The elements of a page.

    Args:
        blocks: As printed; where the class of one is missing, its content tells it.
        boxes: The box of each on the page.
        page_number: For ids and issues.
        repeated: Which of the blocks repeat an earlier one.

    Returns:
        One element a block, or one for each table where a body holds several; and in how many blocks a short
        piece of text is repeated without end.
    """
    elements: list[Element] = []
    loops = 0
    for index, (block, bbox) in enumerate(zip(blocks, boxes, strict=True)):
        body, name, _, _, problem, cut, _ = block
        if name not in _NO_WORDS and len(body) < _SHORT and not _STRUCTURE.search(body):
            # Most blocks are such, a little text, perhaps with inline marks: there is nothing to take out of
            # it, and nothing to look for in it.
            kind = name or _TEXT
            element_id = f"p{page_number}e{len(elements) + 1}"
            markdown, text, raw = _words(body, kind)
            issues: tuple[Issue, ...] = ()
            if problem or cut or index in repeated:
                facts = BlockFacts(problem, cut=cut, repeats=index in repeated)
                issues = _issues(facts, page_number, element_id)
            elements.append(build_element(element_id, kind, bbox, markdown, text, raw, issues=issues))
            continue
        made, has_loop = elements_from_block(
            block,
            bbox,
            page_number=page_number,
            first_number=len(elements) + 1,
            repeats=index in repeated,
        )
        elements.extend(made)
        loops += has_loop
    return elements, loops


def _words(body: str, kind: str) -> tuple[str, str, str]:
    """Words, perhaps with inline marks, as Markdown, as plain text, and as printed."""
    if kind == _LIST_ITEM:
        lines = body.strip("\n").rstrip()
        markdown = normalised_list(lines)
        return markdown, without_bullets(markdown_to_text(markdown)), lines
    text = body.strip()
    return text, markdown_to_text(without_heading_marks(text) if kind in _HEADINGS else text), text


def elements_from_block(
    block: Block, bbox: BBox | None, *, page_number: int, first_number: int, repeats: bool = False
) -> tuple[list[Element], bool]:
    """The elements of one block: one, or one for each table where a body holds several.

    Args:
        block: The block as printed; where its class is missing, its content tells it.
        bbox: The box on the page.
        page_number: For ids and issues.
        first_number: Number of the first element, from 1.
        repeats: The block repeats an earlier one.

    Returns:
        The elements, and whether a short piece of text is repeated in them without end.
    """
    # Code may speak of anything.
    clean = clean_body(block.body, only_continuation=block.name == _CODE)
    kind = block.name or _guessed_class(clean.text)
    text, loops, left_out = shorten_loops(_without_cut_begin(clean.text) if block.cut else clean.text)
    contents = read_body(text, kind)
    elements = []
    for offset, content in enumerate(contents):
        element_id = f"p{page_number}e{first_number + offset}"
        last = offset == len(contents) - 1
        facts = BlockFacts(
            block.problem,
            content.damage,
            block.cut and last,
            content.cut,
            clean.unreadable,
            repeats,
            left_out if last else 0,
        )
        elements.append(
            build_element(
                element_id,
                kind,
                bbox,
                content.markdown,
                content.text,
                content.raw if len(contents) > 1 or text == block.body else _stripped(block.body, kind),
                table=content.table,
                chart=content.chart,
                toc=read_toc(content.text, content.table) if kind == _TOC else (),
                continues_before=clean.continues_before and offset == 0,
                continues_after=clean.continues_after and last,
                issues=_issues(facts, page_number, element_id),
            )
        )
    return elements, loops


def _issues(facts: BlockFacts, page_number: int, element_id: str) -> tuple[Issue, ...]:
    return tuple(build_issue(*note, page_number, element_id) for note in block_notes(facts))


def _without_cut_begin(body: str) -> str:
    r"""A body without the ``\begin{tab`` that the reply was cut in: nothing of its table came."""
    start = body.rfind("\\begin")
    return body[:start] if start >= 0 and _CUT_BEGIN.fullmatch(body, start) else body


def read_body(body: str, kind: str) -> list[Content]:
    """What a body of a class says, without artefacts in it."""
    if kind == _CODE:
        lines = body.strip("\n").rstrip()
        return [Content(raw=lines, markdown=lines, text=lines)]
    text = body.strip()
    if not text:
        return [Content("")]
    if kind in _FORMULAS:
        formula = bare_formula(text)
        return [Content(raw=text, markdown=formula, text=formula)]
    if kind == _CHART or text.startswith("<chart"):
        found = parse_chart(text)
        if found is not None:
            return [
                Content(
                    raw=text,
                    markdown=chart_markdown(found),
                    text="\n".join(chart_lines(found)),
                    chart=found.chart,
                )
            ]
    parts = find_tables(text, expected=kind in _TABULAR, marked_only=kind == _TOC)
    found_tables = [part for part in parts if isinstance(part, FoundTable)]
    # A sentence about "\\begin{tabular}" is no table.
    if found_tables and (
        kind in _TABULAR or any(part.table.n_rows and not part.cut for part in found_tables)
    ):
        contents = _with_tables(parts)
        return contents if len(contents) > 1 else [contents[0]._replace(raw=text)]
    if kind in _TABULAR and parts != [text]:
        words = "\n".join(part for part in parts if isinstance(part, str))
        return [
            Content(text, words, markdown_to_text(words), damage="its rows make no grid; its words are kept")
        ]
    markdown, words, raw = _words(body, kind)
    return [Content(raw, markdown, words)]


def _with_tables(parts: list[str | FoundTable]) -> list[Content]:
    """One content a table; words go with the table behind them, the last ones with the last table."""
    contents: list[Content] = []
    group: list[str | FoundTable] = []
    remaining = sum(isinstance(part, FoundTable) for part in parts)
    for part in parts:
        group.append(part)
        if isinstance(part, FoundTable):
            remaining -= 1
            if remaining:
                contents.append(_table_content(group))
                group = []
    contents.append(_table_content(group))
    return contents


def _table_content(group: list[str | FoundTable]) -> Content:
    raw: list[str] = []
    markdown: list[str] = []
    text: list[str] = []
    found: FoundTable | None = None
    for part in _joined_words(group):
        if isinstance(part, FoundTable):
            found = part
            raw.append(part.source)
            markdown.append(part.grid.to_markdown())
            text.append("\n".join(part.grid.to_lines()))
        else:
            words = part.strip()
            raw.append(words)
            markdown.append(words)
            text.append(markdown_to_text(words))
    return Content(
        raw="\n".join(piece for piece in raw if piece),
        markdown="\n\n".join(piece for piece in markdown if piece),
        text="\n".join(piece for piece in text if piece),
        table=found.table if found else None,
        cut=bool(found and found.cut),
        damage=found.damage if found else "",
    )


def _joined_words(group: list[str | FoundTable]) -> list[str | FoundTable]:
    """The parts, with words that follow each other as one."""
    parts: list[str | FoundTable] = []
    for part in group:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] = f"{parts[-1].rstrip()}\n{part.lstrip()}"
        else:
            parts.append(part)
    return parts


def _guessed_class(body: str) -> str:
    start = body.lstrip()[:200]
    if "\\begin{tabular" in start or start.startswith("<table"):
        return ElementType.TABLE.value
    return ElementType.CHART.value if start.startswith("<chart") else ElementType.TEXT.value


def _stripped(body: str, kind: str) -> str:
    """A body without the white space around it; in lists and code the depth of the first line counts."""
    return body.strip("\n").rstrip() if kind in (_CODE, _LIST_ITEM) else body.strip()
