"""What holds for any page and any evidence."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.checks import verified
from nemoparse_loaders.checks.confidence import CALIBRATION, confidence_of
from nemoparse_loaders.checks.normal_form import folded, tokens_of
from nemoparse_loaders.document import BBox, Element, ParsedPage
from nemoparse_loaders.issue import REVIEW_CODES
from nemoparse_loaders.rendering.page_image import EvidenceWord, PageEvidence

from .pages_with_words import box_of, codes, element, evidence, page, words_at

PIECES = """the of report 12 1,234 7 office of\ufb01ce ann\u00e9e \uff8a\uff9f \u6771 \u4eac
\u05e9\u05dc\u05d5\u05dd exam- ple to day today x"""
WORDS = st.lists(st.sampled_from(PIECES.split()), min_size=1, max_size=30)


@given(st.text(max_size=60))
def test_folding_again_changes_nothing(text: str) -> None:
    once = folded(text)
    assert folded(once) == once
    assert tokens_of(once) == tokens_of(text)


@given(WORDS, WORDS, st.lists(st.sampled_from(["qqqq", "zzzzz", "98765"]), min_size=1, max_size=5))
def test_unsupported_words_never_raise_confidence(
    text: list[str], layer: list[str], made_up: list[str]
) -> None:
    words = evidence(words_at(" ".join(layer)))
    before = verified(page(element(" ".join(text))), words).elements[0].confidence
    after = verified(page(element(" ".join([*text, *made_up]))), words).elements[0].confidence
    assert before is None or (after is not None and after <= before)


@given(WORDS, st.randoms(use_true_random=False))
def test_words_of_one_cut_may_come_in_any_order(text: list[str], rng: random.Random) -> None:
    # Words that are cut differently have to follow each other; all others may stand in any order.
    whole = [word for word in text if not word.endswith("-") and word not in ("ple", "to", "day", "today")]
    layer = words_at(" ".join(whole))
    shuffled = rng.sample(layer, len(layer))
    parsed = page(element(" ".join([*whole, "more"])))
    first, second = verified(parsed, evidence(layer)), verified(parsed, evidence(shuffled))
    assert first.confidence == second.confidence
    assert codes(first) == codes(second)


@given(WORDS, WORDS, WORDS)
def test_hidden_words_change_nothing_but_their_own_issue(
    text: list[str], layer: list[str], hidden: list[str]
) -> None:
    parsed = page(element(" ".join(text)))
    shown = words_at(" ".join(layer))
    concealed = words_at(" ".join(hidden), hidden="no_ink")
    without = verified(parsed, evidence(shown))
    found = verified(parsed, evidence(shown, concealed))
    assert found.confidence == without.confidence
    assert [code for code in codes(found) if code != "hidden_text"] == codes(without)
    assert "hidden_text" in codes(found)


BOXES = st.one_of(st.none(), st.builds(BBox.clamped, *[st.floats(-0.2, 1.2) for _ in range(4)]))
ELEMENTS = st.builds(
    Element,
    id=st.integers(1, 99).map(lambda n: f"p1e{n}"),
    type=st.sampled_from(["Text", "Table", "Formula", "Picture", "Chart", "TOC", "Unheard-of"]),
    bbox=BOXES,
    text=st.text(max_size=40),
)
EVIDENCE_WORDS = st.builds(
    EvidenceWord,
    text=st.text(min_size=1, max_size=10),
    bbox=st.builds(BBox.clamped, *[st.floats(0.0, 1.0) for _ in range(4)]),
    hidden=st.sampled_from(["", "", "", "mode", "tiny", "no_ink", "off_page"]),
)


@given(
    st.lists(ELEMENTS, max_size=8, unique_by=lambda e: e.id),
    st.lists(EVIDENCE_WORDS, max_size=20),
    st.booleans(),
    st.floats(0.0, 1.0),
)
def test_any_page_is_judged_the_same_way_twice(
    elements: list[Element], words: list[EvidenceWord], usable: bool, raster: float
) -> None:
    parsed = ParsedPage(number=1, elements=tuple(elements))
    witness = PageEvidence(tuple(words), usable, raster)
    found = verified(parsed, witness)
    assert verified(found, witness) == found
    assert ParsedPage.model_validate_json(found.model_dump_json()) == found
    assert [(e.id, e.text) for e in found.elements] == [(e.id, e.text) for e in elements]
    issues = [*found.issues, *(issue for each in found.elements for issue in each.issues)]
    assert found.needs_review == any(
        issue.severity == "warning" and issue.code in REVIEW_CODES for issue in issues
    )


def test_confidence_rises_with_agreement() -> None:
    values = [confidence_of(step / 1000) for step in range(1001)]
    assert values == sorted(values)
    assert values[0] == 0.0
    assert values[-1] == max(share for _, share in CALIBRATION)
    assert confidence_of(2.0) == confidence_of(1.0)
    assert confidence_of(-1.0) == 0.0


def test_a_page_of_words_that_all_disagree_is_judged() -> None:
    count = 2_000
    layer = [EvidenceWord(f"stored{n}", BBox(0.1, 0.1, 0.2, 0.2)) for n in range(count)]
    parsed = page(element(" ".join(f"said{-n - 1}" for n in range(count)), box_of(10)))
    found = verified(parsed, evidence(layer))
    assert set(codes(found)) == {"unsupported_text", "low_agreement"}
    assert all(len(issue.message) < 600 for issue in found.elements[0].issues)
