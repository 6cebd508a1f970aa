"""Words drawn across others may be left out by a model; words that only look a little like that may not."""

from __future__ import annotations

import pytest

from nemoparse_loaders.checks import verified
from nemoparse_loaders.document import BBox
from nemoparse_loaders.rendering.page_image import EvidenceWord

from .pages_with_words import box_of, codes, element, evidence, page, words_at

LINES = [
    f"Clause {n} holds {n * 37 + 5} words that\nthe other side may read at {n + 3} places." for n in range(6)
]
TOPS = [0.1 + 0.06 * n for n in range(6)]
ELEMENTS = [
    element(line.replace("\n", " "), box_of(2, top=top), number=n + 1)
    for n, (line, top) in enumerate(zip(LINES, TOPS, strict=True))
]
WORDS = [word for line, top in zip(LINES, TOPS, strict=True) for word in words_at(line, top=top)]


@pytest.mark.parametrize(
    "mark",
    [
        EvidenceWord("DRAFT", BBox(0.1, 0.12, 0.5, 0.42)),
        EvidenceWord("CONFIDENTIAL", BBox(0.1, 0.15, 0.8, 0.22)),
        EvidenceWord("jane@example.org", BBox(0.15, 0.16, 0.3, 0.26)),
    ],
    ids=["slanted", "level", "small and slanted"],
)
def test_a_watermark_over_text_may_be_left_out(mark: EvidenceWord) -> None:
    found = verified(page(*ELEMENTS), evidence([mark], WORDS))
    assert codes(found) == []
    assert found.confidence is not None
    assert found.confidence > 0.9
    stamped = element("DRAFT", mark.bbox, number=9)
    read = verified(page(*ELEMENTS, stamped), evidence([EvidenceWord("DRAFT", mark.bbox)], WORDS))
    assert codes(read) == []


@pytest.mark.parametrize(
    "word",
    [
        EvidenceWord("again", BBox(0.6, 0.103, 0.64, 0.117)),
        EvidenceWord("1,250", BBox(0.6, 0.1, 0.8, 0.14)),
        EvidenceWord("Deaths", BBox(0.6, 0.1, 0.615, 0.14)),
    ],
    ids=["common", "large beside the text", "upright"],
)
def test_other_words_that_are_left_out_are_found(word: EvidenceWord) -> None:
    found = verified(page(*ELEMENTS), evidence([word], WORDS))
    assert codes(found) == ["low_agreement"]


def test_a_word_of_a_large_title_is_missed_though_small_print_runs_through_it() -> None:
    title = element("Report", BBox(0.1, 0.7, 0.9, 0.8), kind="Title", number=9)
    large = [
        EvidenceWord("Annual", BBox(0.1, 0.7, 0.45, 0.8)),
        EvidenceWord("Report", BBox(0.5, 0.7, 0.85, 0.8)),
    ]
    small = words_at("by hand of many", top=0.74)
    found = verified(page(*ELEMENTS, title), evidence(large, small, WORDS))
    assert "low_agreement" in codes(found)
    assert any("Annual" in issue.message for issue in found.elements[-1].issues)
