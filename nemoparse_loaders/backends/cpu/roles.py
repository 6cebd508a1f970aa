"""What each block is: title, heading, list item, caption, footnote, page header, and so on.

The layout model's classes are the first witness; type size, weight, marks and place decide what it does not
know (levels, lists, code, footnotes) and where it is not sure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .blocks import LIST_MARKER, NUMBERED
from .formulas import is_formula
from .geometry import Frame, Rect
from .parts import Block, Line, is_cjk

_CAPTION = re.compile(
    r"^(?:table|figure|fig\.?|chart|exhibit|plate|scheme|listing|algorithm|tab\.?|tabelle|abbildung|abb\.?|tableau"
    r"|图|表|図)\s*(?:[A-Z]?[\d]+|[IVXLC]+\b)",
    re.IGNORECASE,
)
# What stands before and after the numbered sections of a paper is on their level.
_PART = re.compile(
    r"^(?:abstract|summary|contents|introduction|conclusions?|acknowledge?ments?|references|bibliography"
    r"|appendix|appendices|annex|preface|foreword|index|glossary)\b",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^\[\d{1,3}\]\s")
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*[\divxlc]+\s*$")
_FEW_LEADERS = re.compile(r"(?:\.\s?){2,}\s*[\divxlc]+\s*$")
_PAGE_NUMBER = re.compile(
    r"^(?:page\s+)?[-–—\s]*(?:\d{1,5}|[ivxlcdm]{1,7})[-–—\s]*(?:(?:of|/)\s*\d+)?$", re.IGNORECASE
)
_FOOTNOTE_MARK = re.compile(r"^(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})\s?\D")
_SENTENCE_END = (".", ",", ";", "!", "?", "。", "，")

_FURNITURE = frozenset({"Page-header", "Page-footer"})
_MARGIN = 0.085  # share of the page's height at the top and bottom that holds furniture
_TITLE_RATIO = 1.35
_LEVEL_1, _LEVEL_2 = 1.3, 1.12
_HEADING_WORDS = 20
_HEADING_LINES = 3
_SMALL = 0.93
_OCR_HEADING = 1.35
_LONGEST_CAPTION = 3_000


@dataclass(frozen=True, slots=True)
class Page:
    """What roles are judged by.

    Attributes:
        frame: The page.
        number: From 1.
        body: The font size of running text.
        rules: Horizontal rules.
        floats: Boxes of tables and figures, which captions belong to.
        from_ocr: Sizes are estimates then, and weight is not known.
        mono: Which part of the page's letters is of fixed pitch.
        font: The font of most lines; empty where not known.
        contents: The page lists contents: two dots before a page number are leaders there.
    """

    frame: Frame
    number: int
    body: float
    rules: tuple[Rect, ...]
    floats: tuple[Rect, ...]
    from_ocr: bool
    mono: float = 0.0
    font: str = ""
    contents: bool = False

    @property
    def leaders(self) -> re.Pattern[str]:
        """What the lines of a table of contents end with."""
        return _FEW_LEADERS if self.contents else _LEADERS


def body_size(lines: Sequence[Line]) -> float:
    """The font size that most letters of the page have; 10 for a page without letters."""
    weights: dict[float, int] = {}
    for line in lines:
        for word in line.words:
            size = round(word.size * 2) / 2
            weights[size] = weights.get(size, 0) + len(word.text)
    return max(weights, key=lambda size: weights[size]) if weights else 10.0


def lists_contents(lines: Sequence[Line]) -> bool:
    """Whether three lines or more end with leaders and a page number."""
    return sum(bool(_LEADERS.search(line.text)) for line in lines) >= 3


def body_font(lines: Sequence[Line]) -> str:
    """The font of most lines; empty where not known."""
    counts = Counter(line.font for line in lines)
    return counts.most_common(1)[0][0] if counts else ""


def assign_roles(blocks: Sequence[Block], page: Page) -> None:
    """Set type and level of each block that is neither table nor figure."""
    texts = [block for block in blocks if block.type == "Text"]
    for block in texts:
        block.type = _role(block, page)
    _one_title(texts, page)
    _lone_numbers(texts, blocks)
    _same_row_furniture(texts)
    headings = [block for block in texts if block.type == "Section-header"]
    numbered = [(block.size, depth) for block in headings if (depth := _depth(block))]
    for block in headings:
        block.level = heading_level(block, page, numbered)


def _role(block: Block, page: Page) -> str:
    text = block.text
    if furniture := _furniture(block, page, text):
        return furniture
    if sum(bool(page.leaders.search(line.text)) for line in block.lines) * 2 > len(block.lines):
        return "TOC"
    if _is_code(block, page):
        return "Code"
    words = [word for line in block.lines for word in line.words]
    if len(block.lines) <= 4 and is_formula(words, seen=block.region == "equation"):
        return "Formula"
    if _is_caption(block, page, text):
        return "Caption"
    if _ENTRY.match(text) and len(text) > 40 and block.region in {"reference", "text", None}:
        return "Bibliography"
    if _is_footnote(block, page, text):
        return "Footnote"
    if _is_heading(block, page, text):
        return "Section-header"
    if LIST_MARKER.match(text):
        return "List-item"
    return "Text"


def _furniture(block: Block, page: Page, text: str) -> str:
    """Page headers and footers: seen by the model near the edge, or page numbers that stand there alone."""
    top, bottom = block.box.y0 / page.frame.height, block.box.y1 / page.frame.height
    if len(block.lines) > 3 or block.size > 1.25 * page.body or _CAPTION.match(text):
        return ""
    at_top, at_bottom = bottom < 1.6 * _MARGIN, top > 1 - 1.6 * _MARGIN
    titled = page.number == 1 and (block.size >= 1.1 * page.body or block.lines[0].share("bold") > 0.9)
    if block.region == "header" and at_top and not titled:
        return "Page-header"
    if block.region == "footer" and at_bottom:
        return "Page-footer"
    ruled_top = any(
        0 <= rule.y0 - block.box.y1 < 12 and rule.y0 < 2 * _MARGIN * page.frame.height for rule in page.rules
    )
    if len(block.lines) == 1 and block.size < 0.9 * page.body:
        if bottom < 0.6 * _MARGIN:
            return "Page-header"
        if top > 1 - 0.6 * _MARGIN:
            return "Page-footer"
    if bottom < _MARGIN and (_PAGE_NUMBER.match(text) or (ruled_top and len(block.lines) == 1)):
        return "Page-header"
    if top > 1 - _MARGIN and _PAGE_NUMBER.match(text):
        return "Page-footer"
    return ""


def _is_code(block: Block, page: Page) -> bool:
    # Where everything is in a typewriter face it says nothing.
    return mono_share(block.lines) > 0.8 and page.mono < 0.7 and block.region != "title"


def mono_share(lines: Sequence[Line]) -> float:
    """Which part of the letters is of fixed pitch."""
    words = [word for line in lines for word in line.words]
    letters = sum(len(word.text) for word in words)
    return sum(len(word.text) for word in words if word.mono) / max(letters, 1)


def _is_caption(block: Block, page: Page, text: str) -> bool:
    if block.region in {"figure_caption", "table_caption"} and len(text) < _LONGEST_CAPTION:
        return bool(_CAPTION.match(text)) or _near_float(block.box, page)
    if not _CAPTION.match(text) or len(text) > _LONGEST_CAPTION:
        return False
    match = _CAPTION.match(text)
    rest = text[match.end() :] if match else ""
    # "Table 2 holds all readings." opens a sentence; "Table 2. Oil readings" or "Table 2 Oil" a caption.
    return rest[:1] in {".", ":", "–", "—", "|", ""} or _near_float(block.box, page)


def _near_float(box: Rect, page: Page) -> bool:
    reach = 3.5 * page.body
    return any(
        -reach < box.down(other) <= 2 and box.across(other) > 0.3 * min(box.width, other.width)
        for other in page.floats
    )


def _is_footnote(block: Block, page: Page, text: str) -> bool:
    low = block.box.y0 > 0.5 * page.frame.height
    small = block.size < _SMALL * page.body
    first = block.lines[0].words[0]
    raised = (
        first.size < 0.85 * block.lines[0].size and len(first.text) <= 3 and len(block.lines[0].words) > 1
    )
    ruled = any(
        -2 <= block.box.y0 - rule.y1 < 1.8 * page.body and abs(rule.x0 - block.box.x0) < 2 * page.body
        and rule.width < 0.75 * max(block.box.width, 0.3 * page.frame.width)
        for rule in page.rules
    )  # fmt: skip
    if not low or not text:
        return False
    if raised and (small or page.from_ocr):
        return True
    # OCR loses raised marks; a short rule right above at the foot of the page says enough.
    at_foot = block.box.y0 > 0.8 * page.frame.height
    return ruled and ((page.from_ocr and at_foot) or (small and bool(_FOOTNOTE_MARK.match(text))))


def _is_heading(block: Block, page: Page, text: str) -> bool:
    words = text.split()
    short = len(words) <= _HEADING_WORDS and len(block.lines) <= _HEADING_LINES
    furniture = block.region == "footer" or (block.region == "header" and page.number > 1)
    if not short or not any(char.isalpha() for char in text) or furniture:
        return False
    ratio = block.size / page.body
    bold = all(line.share("bold") > 0.9 for line in block.lines)
    ends = text.rstrip().endswith(_SENTENCE_END) and not NUMBERED.match(text)
    if len(text) < 3 and not is_cjk(text[0]):
        return False
    if block.region == "title":
        marked = LIST_MARKER.match(text) and not NUMBERED.match(text) and not bold
        return not marked and (bold or ratio > 0.97 or page.from_ocr) and not (ends and len(words) > 8)
    if ends:
        return False
    if ratio >= (_OCR_HEADING if page.from_ocr else 1.15):
        return True
    numbered = bool(NUMBERED.match(text)) and not text.rstrip().endswith(":")
    capitals = text.isupper() and all(line.font and line.font != page.font for line in block.lines)
    return (bold or capitals) and ratio >= 0.97 and (numbered or len(words) <= 12)


def heading_level(block: Block, page: Page, numbered: Sequence[tuple[float, int]] = ()) -> int:
    """How deep a heading is, from 1: by its number, its name, or its size.

    Args:
        block: The heading.
        page: Its page.
        numbered: Size and depth of the page's headings with numbers: the same size is the same depth.
    """
    depth = _depth(block)
    if depth:
        return depth
    if _PART.match(block.text):
        return 1
    for size, depth in numbered:
        if abs(size - block.size) <= 0.03 * size:
            return depth
    ratio = block.size / page.body
    if page.from_ocr or ratio >= _LEVEL_1:
        return 1
    return 2 if ratio >= _LEVEL_2 else 3


def _depth(block: Block) -> int:
    match = NUMBERED.match(block.text)
    return (match.group(1) or match.group(2)).count(".") + 1 if match else 0


def _one_title(blocks: Sequence[Block], page: Page) -> None:
    """On the first page the largest heading near the top is the title."""
    if page.number != 1:
        return
    headings = [block for block in blocks if block.type == "Section-header"]
    upper = [block for block in headings if block.box.y0 < 0.4 * page.frame.height]
    if not upper:
        return
    best = max(upper, key=lambda block: (block.size, -block.box.y0))
    others = [block.size for block in headings if block is not best]
    largest = best.size >= max(others, default=0.0) * (1.1 if page.from_ocr else 1.02)
    if best.size >= _TITLE_RATIO * page.body and largest and not NUMBERED.match(best.text):
        best.type = "Title"


_REFERENCES = re.compile(
    r"^(?:[\d.]+\s+|[IVX]+\.\s+)?(?:references|bibliography|works cited|literature(?: cited)?"
    r"|literatur|参考文献)\s*$",
    re.IGNORECASE,
)


def _lone_numbers(texts: Sequence[Block], blocks: Sequence[Block]) -> None:
    """A number above or below everything else on the page is the page's number."""
    for block in texts:
        if block.type == "Page-footer" or not _PAGE_NUMBER.match(block.text):
            continue
        others = [other.box for other in blocks if other is not block and other.type not in _FURNITURE]
        air = 1.2 * block.size
        if others and block.box.y0 > max(box.y1 for box in others) + air:
            block.type = "Page-footer"
        elif others and block.box.y1 < min(box.y0 for box in others) - air:
            block.type = "Page-header"


def _same_row_furniture(blocks: Sequence[Block]) -> None:
    """What stands on the height of a page header or footer belongs to it."""
    for kind in ("Page-header", "Page-footer"):
        found = [block for block in blocks if block.type == kind]
        for block in blocks:
            beside = any(block.box.down(other.box) > 0.6 * block.box.height for other in found)
            if beside and len(block.lines) == 1 and block.type in {"Text", "List-item", "Section-header"}:
                block.type = kind


def mark_bibliography(ordered: Sequence[Block]) -> None:
    """Entries that follow a heading which announces them, up to the next heading.

    Args:
        ordered: The blocks of a page in reading order.
    """
    listing = False
    for block in ordered:
        if block.type in {"Section-header", "Title"}:
            listing = bool(_REFERENCES.match(block.text))
        elif listing and block.type in {"Text", "List-item"}:
            block.type = "Bibliography"
