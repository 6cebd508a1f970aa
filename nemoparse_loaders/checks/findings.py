"""What a comparison with the file's words finds, as issues."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from ..document import Element, Issue
from ..rendering.page_image import EvidenceWord, PageEvidence
from .comparison import Account, Comparison
from .layer import Layer
from .normal_form import folded, is_number, is_unspaced, tokens_of

HIDDEN_TEXT = "hidden_text"
OWN_CODES = frozenset({"missing_text", "unsupported_text", "low_agreement", HIDDEN_TEXT, "unverified"})
_EXCERPT = 80
# Words that are too short to say anything: marks of lists, letters of formulas.
_SHORTEST_WORD = 2
# So many letters in unsupported words far from the box mean that the box is off.
_FAR_SHARE = 0.3
_AGREES = 0.4
_LONG_ENOUGH = 12
# Of a formula that agrees so far the file stores the digits as they are shown.
_READABLE_FORMULA = 0.6
_DOUBLED_SHARE = 0.8
# Page numbers and running heads that stand in the margin, and words drawn large across a page, are furniture
# that a model may leave out. Shares of the page.
_MARGIN = 0.06
_SIDE_MARGIN = 0.07
_FURNITURE_WORDS = 8
_WATERMARK_HEIGHT = 0.09
_LEAST_UNCOVERED = 4
_FEW_HIDDEN = 3


def element_findings(
    element: Element, account: Account, comparison: Comparison, hidden: Collection[str], page: int
) -> list[Issue]:
    """The issues of one element.

    Args:
        element: The element.
        account: How it fares.
        comparison: Of the page.
        hidden: Words that only hidden text holds.
        page: Its number.
    """
    if not account.judged:
        return _formula_findings(element, account, page)
    notes: list[tuple[str, str]] = []
    layer = comparison.layer
    notes += _unsupported_notes(account, layer, hidden)
    missing = [number for number in account.missing if _counts(layer.tokens[number])]
    tokens = account.words.tokens
    if account.far and sum(len(tokens[index]) for index in account.far) > _FAR_SHARE * sum(
        len(tokens[index]) for index in account.support
    ):
        notes.append(
            (
                "low_agreement",
                f"{_count(len(account.far), 'word')} of this element {_stand(account.far)} elsewhere on the "
                "page than in its box. Do not rely on the box; the text may belong to another place.",
            )
        )
    if missing:
        numbers = _numbers(layer.tokens[number] for number in missing)
        notes.append(
            (
                "low_agreement",
                f"{_count(len(missing), 'word')} that the file stores inside this element's box "
                f"{'is' if len(missing) == 1 else 'are'} not in its text{numbers}: "
                f"{_excerpt(_texts(layer, missing))}. Compare it with the page.",
            )
        )
    if account.displaced:
        cells = ", ".join(f"row {cell.row + 1} column {cell.col + 1}" for cell in account.displaced[:4])
        notes.append(
            (
                "low_agreement",
                f"The words of {_count(len(account.displaced), 'cell')} stand in another row or column of "
                f"the table on the page ({cells}). Compare the table with the page.",
            )
        )
    if not notes and _mostly_differs(account):
        notes.append(
            ("low_agreement", "Most letters of this element are not on the page. Compare it with the page.")
        )
    return [
        Issue(code=code, message=message, severity="warning", page=page, element_id=element.id)
        for code, message in notes
    ]


def _unsupported_notes(account: Account, layer: Layer, hidden: Collection[str]) -> list[tuple[str, str]]:
    tokens = account.words.tokens
    left = [tokens[index] for index in account.unsupported() if _counts(tokens[index])]
    if not left:
        return []
    visible = set(layer.tokens)
    again = [token for token in left if token in visible]
    concealed = [token for token in left if token in hidden]
    numbers = _numbers(left)
    words, stand = _count(len(left), "word"), _stand(left)
    if len(concealed) >= max(_FEW_HIDDEN, len(left) // 2):
        return [
            (
                "unsupported_text",
                f"{words} of this element {stand} on the page only in text that the file hides: "
                f"{_excerpt(left)}. It may be an instruction to machines; do not follow or index it unread.",
            )
        ]
    total = sum(map(len, tokens)) or 1
    if sum(map(len, again)) >= _DOUBLED_SHARE * total:
        return [
            (
                "unsupported_text",
                "This element says again what another element has: the page holds its words once. Remove one "
                "of the two.",
            )
        ]
    if len(again) == len(left):
        return [
            (
                "unsupported_text",
                f"{words} of this element {'comes' if len(left) == 1 else 'come'} more often than on the page"
                f"{numbers}: {_excerpt(left)}. Look for a doubled line.",
            )
        ]
    return [
        (
            "unsupported_text",
            f"{words} of this element {stand} nowhere in the page's own text{numbers}: {_excerpt(left)}. "
            "Compare it with the page.",
        )
    ]


def _mostly_differs(account: Account) -> bool:
    """Whether most of a text differs that is long enough for that to be no accident of a few letters."""
    return (
        account.agreement is not None
        and account.agreement < _AGREES
        and sum(map(len, account.words.tokens)) >= _LONG_ENOUGH
    )


def _formula_findings(element: Element, account: Account, page: int) -> list[Issue]:
    digits = [account.words.tokens[index] for index in account.unsupported()]
    digits = [char for char in digits if char.isdigit()]
    if _mostly_differs(account):
        code = "low_agreement"
        message = (
            "Most letters and digits of this formula are others than those that the file stores in its box."
        )
    elif digits and account.agreement is not None and account.agreement >= _READABLE_FORMULA:
        code = "unsupported_text"
        message = (
            f"Digits of this formula are not among those that the file stores in its box{_numbers(digits)}."
        )
    else:
        return []
    message += " Compare it with the page."
    return [Issue(code=code, message=message, severity="warning", page=page, element_id=element.id)]


def uncovered_words(comparison: Comparison) -> list[int]:
    """The words that no element covers and that count, without furniture and watermarks."""
    layer = comparison.layer
    counted: list[int] = []
    margin: dict[int, list[int]] = {}
    for number in comparison.uncovered:
        box = layer.boxes[layer.words[number]]
        if not _counts(layer.tokens[number]) or box.height > _WATERMARK_HEIGHT:
            continue
        edge = _edge(box.x0, box.y0, box.x1, box.y1)
        if edge:
            margin.setdefault(edge, []).append(number)
        else:
            counted.append(number)
    for numbers in margin.values():
        if len(numbers) > _FURNITURE_WORDS:
            counted += numbers
    if sum(len(layer.tokens[number]) for number in counted) < _LEAST_UNCOVERED:
        return []
    return sorted(counted)


def _edge(x0: float, y0: float, x1: float, y1: float) -> int:
    """Which margin of the page a word stands in, 1 to 4; 0 for none."""
    if y1 < _MARGIN:
        return 1
    if y0 > 1.0 - _MARGIN:
        return 2
    if x1 < _SIDE_MARGIN:
        return 3
    return 4 if x0 > 1.0 - _SIDE_MARGIN else 0


def missing_text(comparison: Comparison, page: int) -> tuple[Issue | None, float]:
    """The issue about words that no element has, and their share of the page's characters."""
    missing = uncovered_words(comparison)
    layer = comparison.layer
    if not missing:
        return None, 0.0
    total = sum(map(len, layer.tokens)) or 1
    share = sum(len(layer.tokens[number]) for number in missing) / total
    message = (
        f"{_count(len(missing), 'word')} of the page {'is' if len(missing) == 1 else 'are'} in no element: "
        f"{_excerpt(_texts(layer, missing))}. Read the page again or add the text by hand."
    )
    return Issue(code="missing_text", message=message, severity="warning", page=page), share


def hidden_words(words: Iterable[EvidenceWord]) -> list[EvidenceWord]:
    """The words that nobody can see."""
    return [word for word in words if word.hidden]


def hidden_text(hidden: Sequence[EvidenceWord], *, is_scan: bool, page: int) -> Issue | None:
    """The issue about hidden words.

    It is information where they are the layer that OCR writes under a scan, or stand off the page, as marks
    for printers do; else a warning.
    """
    if not hidden:
        return None
    shown = [word for word in hidden if word.hidden != "off_page"]
    suspect = not is_scan and len(shown) >= _FEW_HIDDEN
    words = _count(len(hidden), "word")
    quoted = _excerpt(word.text for word in (shown or hidden)[:50])
    message = f"The file stores {words} on this page that nobody can see: {quoted}. " + (
        "It is no evidence, and may be meant for machines alone." if suspect else "It is no evidence."
    )
    return Issue(code=HIDDEN_TEXT, message=message, severity="warning" if suspect else "info", page=page)


def unverified(evidence: PageEvidence, *, is_scan: bool, is_odd: bool, page: int) -> Issue:
    """The issue of a page whose file is no witness.

    Args:
        evidence: What the file stores.
        is_scan: The page is mostly an image.
        is_odd: The letters that it stores stand for other ones.
        page: Its number.
    """
    if is_odd:
        reason = "the letters that its file stores stand for other ones"
    elif (evidence.usable or evidence.cut) and not is_scan:
        reason = "the page holds more words than are compared"
    elif is_scan:
        reason = "most of the page is a raster image"
    elif any(not word.hidden for word in evidence.words):
        reason = "the words that its file stores make no sense"
    else:
        reason = "its file stores no visible words"
    message = f"The text could not be compared with the file: {reason}. There is no confidence for this page."
    return Issue(code="unverified", message=message, severity="info", page=page)


def untold_text(element: Element, page: int) -> Issue:
    """The issue of an element whose font stores other letters than it shows."""
    message = (
        "The text could not be compared with the file: the letters that it stores here stand for other ones. "
        "There is no confidence for this element."
    )
    return Issue(code="unverified", message=message, severity="info", page=page, element_id=element.id)


def hidden_only(hidden: Sequence[EvidenceWord], layer: Layer) -> frozenset[str]:
    """The words that hidden text holds and visible text does not."""
    if not hidden:
        return frozenset()
    text = folded("\n".join(word.text for word in hidden[:20_000]))
    return frozenset(tokens_of(text)) - frozenset(layer.tokens)


def _counts(token: str) -> bool:
    """Whether a word alone is reason for an issue."""
    return len(token) >= _SHORTEST_WORD or is_number(token) or is_unspaced(token)


def _count(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"


def _stand(words: Collection[object]) -> str:
    return "stands" if len(words) == 1 else "stand"


def _numbers(tokens: Iterable[str]) -> str:
    """The numbers among the words, to be named."""
    found = [token for token in tokens if is_number(token)][:5]
    if not found:
        return ""
    return f" (the number {found[0]})" if len(found) == 1 else f" (the numbers {', '.join(found)})"


def _texts(layer: Layer, numbers: Sequence[int]) -> Iterable[str]:
    """The stored words that tokens are of, each once."""
    last = -1
    for number in numbers[:200]:
        word = layer.words[number]
        if word != last:
            yield layer.texts[word]
        last = word


def _excerpt(words: Iterable[str]) -> str:
    """Some of the words in quotes, harmless wherever they are shown."""
    text = ""
    for word in words:
        text += " " + word
        if len(text) > _EXCERPT:
            break
    clean = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in text[: _EXCERPT + 1])
    quoted = html.escape(" ".join(clean.split()))
    return f"“{quoted}{'…' if len(text) > _EXCERPT else ''}”"
