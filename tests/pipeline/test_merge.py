"""Pages read in bands, put together again."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.decoding import decode_page, encode_page
from nemoparse_loaders.document import BBox, Element, Usage
from nemoparse_loaders.pipeline.merge import BandPage, merge_bands
from nemoparse_loaders.pipeline.page import page_from_record
from nemoparse_loaders.pipeline.record import PageRecord, ReplyPart
from nemoparse_loaders.pipeline.record_json import record_from_json, record_to_json
from nemoparse_loaders.rendering.page_image import PageGeometry

from ..decoding.strategies import pages_like

GEOMETRY = PageGeometry(3, "iii", 600.0, 800.0)
SIZE = (1200, 700)
EMPTY = ""
LINE = "<x_0.1><y_0.5>A line of text<x_0.9><y_0.75><class_Text>"


def part(
    text: str, top: float = 0.0, bottom: float = 1.0, reason: str | None = "stop", usage: Usage | None = None
) -> ReplyPart:
    return ReplyPart(ModelReply(text, reason, usage or Usage()), SIZE, top, bottom)


@st.composite
def cut_pages(draw: st.DrawFn) -> list[tuple[float, float, list[Element]]]:
    """Bands of a page, each with the elements on it; their boxes are fractions of the page."""
    cuts = draw(st.lists(st.integers(5, 95), max_size=3, unique=True).map(sorted))
    bands = []
    for top, bottom in pairwise([0.0, *(cut / 100 for cut in cuts), 1.0]):
        elements = []
        for element in draw(pages_like(3).filter(bool)):
            assert element.bbox is not None
            x0, y0, x1, y1 = element.bbox
            height = bottom - top
            bbox = BBox(x0, top + y0 * height, x1, top + y1 * height)
            elements.append(element.model_copy(update={"bbox": bbox}))
        bands.append((top, bottom, elements))
    return bands


def in_band(element: Element, top: float, bottom: float) -> Element:
    assert element.bbox is not None
    x0, y0, x1, y1 = element.bbox
    y0, y1 = ((y - top) / (bottom - top) for y in (y0, y1))
    return element.model_copy(update={"bbox": BBox.clamped(x0, y0, x1, y1)})


@pytest.mark.parametrize("profile", ["3.5", "2.0"])
@given(bands=cut_pages())
@settings(max_examples=25)
def test_a_page_read_in_bands_is_the_page(
    profile: str, bands: list[tuple[float, float, list[Element]]]
) -> None:
    parts = tuple(
        part(
            encode_page(
                [in_band(element, top, bottom) for element in elements], profile=profile, image_size=SIZE
            ),
            top,
            bottom,
        )
        for top, bottom, elements in bands
    )
    wanted = [element for _, _, elements in bands for element in elements]

    page = page_from_record(PageRecord(GEOMETRY, parts=parts), profile)

    assert page.status == "ok"
    assert [element.id for element in page.elements] == [f"p3e{i}" for i in range(1, len(wanted) + 1)]
    for found, element in zip(page.elements, wanted, strict=True):
        assert found.bbox == pytest.approx(element.bbox, abs=1e-6)
    for band, (first, last) in zip(parts, _spans(bands), strict=True):
        alone = decode_page(band.reply.text, profile=profile, image_size=SIZE)
        assert list(map(content, page.elements[first:last])) == list(map(content, alone.elements))
        for found in page.elements[first:last]:
            assert found.bbox is not None
            assert band.top <= found.bbox.y0 <= found.bbox.y1 <= band.bottom


def content(element: Element) -> Element:
    return element.model_copy(update={"id": "", "bbox": None})


def _spans(bands: list[tuple[float, float, list[Element]]]) -> list[tuple[int, int]]:
    ends = [0]
    for _, _, elements in bands:
        ends.append(ends[-1] + len(elements))
    return list(pairwise(ends))


@given(
    texts=st.lists(
        st.sampled_from([EMPTY, LINE, LINE * 12, LINE[:20], "no token", "\ud800"]), min_size=1, max_size=4
    ),
    reasons=st.lists(st.sampled_from(["stop", "length", "abort", None, "odd"]), min_size=4, max_size=4),
)
def test_a_record_makes_the_same_page_again(texts: list[str], reasons: list[str | None]) -> None:
    edges = [index / len(texts) for index in range(len(texts) + 1)]
    parts = [
        part(text, top, bottom, reason)
        for text, reason, (top, bottom) in zip(texts, reasons, pairwise(edges), strict=False)
    ]
    record = PageRecord(GEOMETRY, parts=tuple(parts), attempts=7)

    page = page_from_record(record, "3.5")

    assert page_from_record(record_from_json(record_to_json(record)), "3.5") == page
    assert (page.attempts, page.label, page.height_pt) == (7, "iii", 800.0)
    assert all(
        element.issues == () or element.issues[0].element_id == element.id for element in page.elements
    )
    # No text of any reply is lost; what cannot be stored is no text.
    assert page.raw == "\n".join(text.replace("\ud800", "") for text in texts)


def test_one_reply_for_the_whole_page_is_decoded_as_ever() -> None:
    page = page_from_record(PageRecord(GEOMETRY, parts=(part(LINE),)), "3.5")

    decoded = decode_page(LINE, "stop", page_number=3)
    assert (page.elements, page.issues, page.status) == (decoded.elements, decoded.issues, decoded.status)


def test_tokens_are_summed_and_the_worst_end_is_kept() -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=3)
    parts = (part(LINE, 0.0, 0.4, "stop", usage), part(LINE, 0.4, 1.0, "length", usage))

    page = page_from_record(PageRecord(GEOMETRY, parts=parts), "3.5")

    assert page.usage == Usage(prompt_tokens=20, completion_tokens=6)
    assert (page.finish_reason, page.status) == ("length", "partial")
    (issue,) = page.issues
    assert issue.code == "truncated"
    assert issue.message.startswith("From 40% to 100% of the page's height: ")


@pytest.mark.parametrize(
    ("reasons", "worst"),
    [
        (("stop", "stop"), "stop"),
        (("stop", None), None),
        (("repetition", "stop"), "repetition"),
        (("length", "repetition"), "length"),
        (("abort", "length"), "abort"),
        (("abort", "error"), "error"),
    ],
)
def test_the_worst_end(reasons: tuple[str | None, str | None], worst: str | None) -> None:
    top, bottom = (decode_page(LINE, reason) for reason in reasons)

    assert merge_bands([BandPage(top, 0.0, 0.5), BandPage(bottom, 0.5, 1.0)]).finish_reason == worst


def test_a_band_that_came_back_empty_is_a_gap_and_no_lost_page() -> None:
    page = page_from_record(PageRecord(GEOMETRY, parts=(part(LINE, 0.0, 0.5), part("", 0.5, 1.0))), "3.5")

    assert page.status == "partial"
    assert [(issue.code, issue.severity) for issue in page.issues] == [("empty", "warning")]
    assert "From 50% to 100%" in page.issues[0].message
    assert len(page.elements) == 1


def test_a_page_of_empty_bands_has_failed() -> None:
    page = page_from_record(PageRecord(GEOMETRY, parts=(part("", 0.0, 0.5), part("", 0.5, 1.0))), "3.5")

    assert page.status == "failed"
    assert [(issue.code, issue.severity) for issue in page.issues] == [("empty", "error")]


def test_no_box_reaches_out_of_its_band() -> None:
    top, bottom = 0.03, 0.29
    assert top + 1.0 * (bottom - top) > bottom  # what floating point makes of it
    text = "<x_0.0><y_0.0>word<x_1.0><y_1.0><class_Text>"

    page = page_from_record(PageRecord(GEOMETRY, parts=(part(text, top, bottom),)), "3.5")

    assert page.elements[0].bbox == (0.0, 0.03, 1.0, 0.29)


def test_a_band_alone_keeps_its_place() -> None:
    # The other one had nothing on it and was not sent.
    page = page_from_record(PageRecord(GEOMETRY, parts=(part(LINE, 0.5, 1.0),)), "3.5")

    assert page.status == "ok"
    assert page.elements[0].bbox == pytest.approx((0.1, 0.75, 0.9, 0.875))
