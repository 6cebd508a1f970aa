"""Whether a page's text agrees with the words that its file stores, a witness independent of the model.

What is compared, and what is not:

- Letters and numbers, folded (`normal_form`); no punctuation and no signs. Each word once, in any order.
- Formulas by their letters and digits, with a warning only where a digit or most of them differ. Pictures and
  charts not at all: what they show is in no text, or estimated. Words of the file in their boxes count as
  covered.
- Hidden words support nothing and are missed nowhere.
- Pages that are mostly raster images, and files whose words make no sense, are no witness: no confidence.
  Words that look odd and agree with the page make sense; words in letters that stand for others do not, and
  where only some fonts store such ones their elements alone have no confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..document import Element, Issue, ParsedPage
from ..issue import REVIEW_CODES
from ..rendering.page_image import PageEvidence
from .comparison import FIGURES, Account, Comparison, compare, share_in
from .confidence import confidence_of
from .findings import (
    HIDDEN_TEXT,
    OWN_CODES,
    element_findings,
    hidden_only,
    hidden_text,
    hidden_words,
    missing_text,
    untold_text,
    unverified,
)
from .layer import Layer, turned_round, visible_layer
from .witness import DISAGREES, agrees, is_backwards, page_agreement, untold

# Above this share of the page under raster images its words are at best those that OCR wrote into the file.
_SCAN_SHARE = 0.5
_RASTER_HOLDS = 0.9
_LEAST_RASTER = 0.001


def verified(page: ParsedPage, evidence: PageEvidence | None) -> ParsedPage:
    """The page with confidence, issues and whether somebody should look at it.

    Args:
        page: As decoded or merged. What an earlier verification said of it is replaced.
        evidence: What its file stores; None for images.

    Returns:
        The same page with `confidence` and `issues` of page and elements, and `needs_review`, set anew.
    """
    if evidence is None or page.status in ("blank", "failed") or _is_from_layer(page):
        return _reviewed(_without_checks(page))
    elements = [_clean(element) for element in page.elements]
    issues = [issue for issue in page.issues if issue.code not in OWN_CODES]
    confidence: float | None = None
    is_scan = evidence.raster > _SCAN_SHARE
    hidden = hidden_words(evidence.words)
    found = hidden_text(hidden, is_scan=is_scan, page=page.number)
    if found is not None:
        issues.append(found)
    layer = visible_layer(evidence.words)
    comparison = None if is_scan or layer.cut or evidence.cut else _compared(elements, layer)
    silent = untold(elements, comparison) if comparison is not None and evidence.usable else set()
    if comparison is None or not (evidence.usable or agrees(comparison)):
        issues.append(unverified(evidence, is_scan=is_scan, is_odd=False, page=page.number))
    else:
        concealed = hidden_only(hidden, comparison.layer)
        mostly = _holds_most(silent, comparison.accounts)
        judged = _judged(elements, comparison, concealed, evidence.raster, silent, page.number)
        elements = [
            element if index not in silent or mostly else _with(element, untold_text(element, page.number))
            for index, element in enumerate(judged)
        ]
        if mostly:
            issues.append(unverified(evidence, is_scan=is_scan, is_odd=True, page=page.number))
        else:
            missing, share = missing_text(comparison, page.number)
            if missing is not None:
                issues.append(missing)
            confidence = _of_page(elements, comparison.accounts, share)
    return _reviewed(
        page.model_copy(
            update={"elements": tuple(elements), "issues": tuple(issues), "confidence": confidence}
        )
    )


def supported_by(evidence: PageEvidence) -> Callable[[str], float | None]:
    """How much of a text the file's visible words support, as a function of plain texts.

    Args:
        evidence: What the page's file stores, or what of it counts.

    Returns:
        Gives the share of the characters of a text's words, 0..1; inline formulas may be LaTeX. None where
        nothing can be said: the file is no witness, it stores more than is known, the text has no words, or
        the file has none.
    """
    if not evidence.usable or evidence.cut or evidence.raster > _SCAN_SHARE:
        return lambda _: None
    layer = visible_layer(evidence.words)
    return lambda text: share_in(text, layer)


def _without_checks(page: ParsedPage) -> ParsedPage:
    """A page that is not compared, without what an earlier verification said of it.

    Hidden text stays: of a blank page the renderer tells it.
    """
    issues = tuple(issue for issue in page.issues if issue.code not in OWN_CODES or issue.code == HIDDEN_TEXT)
    elements = tuple(_clean(element) for element in page.elements)
    return page.model_copy(update={"elements": elements, "issues": issues, "confidence": None})


def _reviewed(page: ParsedPage) -> ParsedPage:
    return page.model_copy(update={"needs_review": _asks_for_review(page)})


def _asks_for_review(page: ParsedPage) -> bool:
    everything = (*page.issues, *(issue for element in page.elements for issue in element.issues))
    return page.status in ("partial", "failed") or any(
        issue.severity == "warning" and issue.code in REVIEW_CODES for issue in everything
    )


def _is_from_layer(page: ParsedPage) -> bool:
    """Whether the text is the file's own, which cannot bear itself out."""
    return any(issue.code == "text_layer" for issue in page.issues)


def _clean(element: Element) -> Element:
    if element.confidence is None and not element.issues:
        return element
    issues = tuple(issue for issue in element.issues if issue.code not in OWN_CODES)
    return element.model_copy(update={"confidence": None, "issues": issues})


def _with(element: Element, issue: Issue) -> Element:
    return element.model_copy(update={"issues": (*element.issues, issue)})


def _compared(elements: Sequence[Element], layer: Layer) -> Comparison:
    """The comparison, with the file's words turned round where it stores them so."""
    comparison = compare(elements, layer)
    if page_agreement(comparison) < DISAGREES and is_backwards(comparison):
        return compare(elements, turned_round(layer, all_scripts=True))
    return comparison


def _holds_most(chosen: Collection[int], accounts: Sequence[Account]) -> bool:
    """Whether some elements hold at least half of all that is compared by words."""
    sizes = [sum(map(len, account.words.tokens)) if account.judged else 0 for account in accounts]
    return bool(chosen) and 2 * sum(sizes[index] for index in chosen) >= sum(sizes)


def _judged(
    elements: Sequence[Element],
    comparison: Comparison,
    concealed: frozenset[str],
    raster: float,
    silent: Collection[int],
    page: int,
) -> list[Element]:
    """The elements with their confidence and issues; those of which the file tells nothing as they are."""
    pictured = _under_raster(elements, comparison.accounts, raster)
    judged: list[Element] = []
    for index, (element, account) in enumerate(zip(elements, comparison.accounts, strict=True)):
        update: dict[str, object] = {}
        if index not in silent and element.id not in pictured:
            if account.agreement is not None:
                update["confidence"] = confidence_of(account.agreement)
            if found := element_findings(element, account, comparison, concealed, page):
                update["issues"] = (*element.issues, *found)
        judged.append(element.model_copy(update=update) if update else element)
    return judged


def _under_raster(elements: Sequence[Element], accounts: Sequence[Account], raster: float) -> set[str]:
    """Elements whose text may be read from a raster image.

    The evidence tells how much of the page raster images cover, and not where: they are where the model sees
    a picture, or where no element says so and the file has no word.
    """
    figures = [e.bbox for e in elements if e.type in FIGURES and e.bbox is not None]
    unseen = raster - sum(box.area for box in figures)
    found: set[str] = set()
    for element, account in zip(elements, accounts, strict=True):
        box = element.bbox
        if raster < _LEAST_RASTER or account.near or box is None:
            continue
        if 2 * len(account.support) > len(account.words.tokens):
            continue
        covered = any(box.overlap(figure) > 0.5 * box.area for figure in figures)
        if covered or unseen >= _RASTER_HOLDS * box.area:
            found.add(element.id)
    return found


def _of_page(elements: Sequence[Element], accounts: Sequence[Account], missing: float) -> float | None:
    """The mean of the elements' confidences by their characters, lowered by the share that is missing."""
    total = weighted = 0.0
    for element, account in zip(elements, accounts, strict=True):
        if element.confidence is not None:
            size = sum(map(len, account.words.tokens))
            total += size
            weighted += size * element.confidence
    if not total:
        return None if not missing else 0.0
    return round(weighted / total * (1.0 - missing), 3)
