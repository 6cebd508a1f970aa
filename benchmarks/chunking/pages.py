r"""Page text with LaTeX tabulars to parsed documents.

The text has no classes, so simple rules, the same for every system, give each paragraph one. Then it is
printed as a reply of the model and decoded, so that tables go through the project's own table decoder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from nemoparse_loaders.decoding import decode_page
from nemoparse_loaders.decoding.markers import escape_tokens
from nemoparse_loaders.document import ParsedDocument, ParsedPage

_TABULAR = re.compile(r"\\(begin|end)\{tabular\}")
_FENCE = re.compile(r"^```.*?(?:^```[ \t]*$|\Z)", re.M | re.S)
_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.S)
_FOOTNOTE = re.compile(r"\\footnotetext\{\s*(.*?)\s*\n\}", re.S)
_CAPTION = re.compile(r"(?:table|fig(?:ure|\.)?|chart|exhibit figure)\s*[A-Z]?[\d.]+\s*[:.|]\s*\S", re.I)
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z](?:\.\d{1,2}){1,3}\.?)\s+[A-Z]")
_NAMED = re.compile(r"(?:article|section|chapter|appendix|schedule|exhibit|annex|part)\s+[\dIVXA-Z]", re.I)
_ITEM = re.compile(r"(?:[-*•]|\(?[a-z\d]{1,3}[.)])\s+\S")
_MARKDOWN_HEADING = re.compile(r"(#{1,6})\s+(.+)")
_STEP = re.compile(r"\(?(\d{1,2})[.)]?\s")
_CONTENTS_LINE = re.compile(r"\.{4,}\s*[\divx]*$")
_LONGEST_HEADING = 12
_ENDS = (".", "!", "?", ":", ";")


def document_of(name: str, pages: Sequence[tuple[int, str]]) -> ParsedDocument:
    """A document of page texts.

    Args:
        name: Also its id.
        pages: (index from 0, text) of each page.
    """
    parsed = tuple(page_of(text, index + 1) for index, text in pages)
    return ParsedDocument(
        doc_id=name, source=name, file_name=Path(name).name, total_pages=len(parsed), pages=parsed
    )


def page_of(text: str, number: int) -> ParsedPage:
    """The page with that text."""
    reply = "\n\n".join(f"{escape_tokens(body)}<class_{kind}>" for kind, body in classified(text))
    return decode_page(reply, page_number=number)


def classified(text: str) -> list[tuple[str, str]]:
    """(class, text) of each block of a page, in order.

    Numbered lines that follow one another are the steps of a list or lines of contents, no headings.
    """
    blocks = list(_blocks(text))
    numbers = [_number_of_step(kind, body) for kind, body in blocks]
    return [
        ("List-item" if kind == "Section-header" and _in_steps(numbers, place) else kind, body)
        for place, (kind, body) in enumerate(blocks)
    ]


def _number_of_step(kind: str, body: str) -> int | None:
    match = _STEP.match(body) if kind in ("Section-header", "List-item") else None
    return int(match.group(1)) if match else None


def _in_steps(numbers: Sequence[int | None], place: int) -> bool:
    own = numbers[place]
    if own is None:
        return False
    before = numbers[place - 1] if place else None
    behind = numbers[place + 1] if place + 1 < len(numbers) else None
    return before == own - 1 or behind == own + 1


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    for is_table, part in _tables_apart(text):
        if is_table:
            yield "Table", part
            continue
        for kind, body in _marked_apart(part):
            if kind:
                yield kind, body
            else:
                yield from ((_class_of(line), line) for line in _paragraphs(body))


def _tables_apart(text: str) -> Iterator[tuple[bool, str]]:
    """Outermost tabulars, and what is between them."""
    depth = begin = end = 0
    for match in _TABULAR.finditer(text):
        if match.group(1) == "begin":
            if depth == 0:
                yield False, text[end : match.start()]
                begin = match.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                end = match.end()
                yield True, text[begin:end]
    # A tabular that is never closed is text.
    yield False, text[begin if depth else end :]


def _marked_apart(text: str) -> Iterator[tuple[str, str]]:
    """Code, displayed formulas and footnotes with their class; the rest with none."""
    marks = [("Code", _FENCE), ("Footnote", _FOOTNOTE), ("Formula", _FORMULA)]
    while text:
        found = [(match.start(), kind, match) for kind, mark in marks if (match := mark.search(text))]
        if not found:
            break
        start, kind, match = min(found, key=lambda item: item[0])
        yield "", text[:start]
        body = match.group(0) if kind == "Code" else match.group(1)
        if body.strip():
            yield kind, body.strip()
        text = text[match.end() :]
    yield "", text


def _paragraphs(text: str) -> Iterator[str]:
    """Blank lines part paragraphs, and so do line ends that cannot be inside of a sentence."""
    held: list[str] = []
    for line in text.split("\n"):
        line = line.strip()
        alone = _class_of(line) != "Text" if line else True
        if held and (not line or alone or held[-1].endswith(_ENDS)):
            yield " ".join(held)
            held = []
        if line and alone:
            yield line
        elif line:
            held.append(line)
    if held:
        yield " ".join(held)


def _class_of(line: str) -> str:
    if _CAPTION.match(line):
        return "Caption"
    if _is_heading(line):
        return "Section-header"
    return "List-item" if _ITEM.match(line) else "Text"


def _is_heading(line: str) -> bool:
    if _MARKDOWN_HEADING.fullmatch(line):
        return True
    words = line.split()
    if not 1 <= len(words) <= _LONGEST_HEADING or line.endswith((",", ";", ":")) or line[0] in "-*•":
        return False
    letters = [character for character in line if character.isalpha()]
    if len(letters) < 3 or "$" in line or "\\" in line or _CONTENTS_LINE.search(line):
        return False
    if _NUMBERED.match(line) or _NAMED.match(line):
        # "2. Term of Lease." is a heading, "2. Press the button." a sentence.
        return not line.endswith(".") or all(word[0].isupper() for word in words[1:] if len(word) > 3)
    return len(letters) > 3 and line.upper() == line and not line.endswith(".")
