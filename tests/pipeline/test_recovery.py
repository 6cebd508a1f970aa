"""The ladder for pages that loop, are cut or come back empty, rung by rung, over scripted replies."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.document import BBox, Issue, PageStep, ParsedPage
from nemoparse_loaders.pipeline.judgement import needs_recovery
from nemoparse_loaders.pipeline.page import failed_page, page_from_record
from nemoparse_loaders.pipeline.record import PageRecord, ReplyPart
from nemoparse_loaders.pipeline.record_json import record_from_json, record_to_json
from nemoparse_loaders.pipeline.recovery import recover
from nemoparse_loaders.rendering.page_image import PageBand, PageGeometry, PageImage, TextLayer, TextWord

GEOMETRY = PageGeometry(2, "2", 600.0, 800.0)
RENDERED = Issue(code="scale_capped", message="The page is drawn smaller.", page=2)
SIZE = (1200, 1600)
HALVES = (0.0, 0.48, 1.0)
QUARTERS = (0.0, 0.26, 0.48, 0.77, 1.0)

Answer = ModelReply | None


def block(text: str, y: float = 0.1, kind: str = "Text") -> str:
    return f"<x_0.1><y_{y}>{text}<x_0.9><y_{y + 0.05:.2f}><class_{kind}>"


def reply(*texts: str, reason: str | None = "stop") -> ModelReply:
    return ModelReply("\n\n".join(block(text, 0.1 + 0.08 * i) for i, text in enumerate(texts)), reason)


WHOLE = reply("All that stands on the page", "and more of it")
EMPTY = ModelReply("", "stop")
LOOP = ModelReply(block("All that stands") + block("on the page again", 0.3) * 30, "length")
CUT = ModelReply(reply("All that stands").text + "<x_0.1><y_0.3>on the pa", "length")
ABORTED = reply("All", reason="abort")


class Scripted:
    """A ladder whose answers are written down; what is missing is a fault."""

    def __init__(
        self,
        *,
        again: Answer = None,
        can_reread: bool = True,
        cuts: dict[int, Sequence[float]] | None = None,
        blank: tuple[float, ...] = (),
        bands: Mapping[Any, Answer] | None = None,
        layer: TextLayer | None = None,
    ) -> None:
        self._again = again
        self._can_reread = can_reread
        self._cuts = cuts or {}
        self._blank = blank
        self._bands = dict(bands or {})
        self._layer = layer
        self.asked: list[str] = []

    def can_reread(self) -> bool:
        return self._can_reread

    async def reread(self, attempt: int) -> ReplyPart | None:
        self.asked.append(f"reread {attempt}")
        return None if self._again is None else ReplyPart(self._again, SIZE)

    async def bands(self, count: int) -> tuple[PageBand, ...]:
        return tuple(
            PageBand(PageImage(b"", "image/png", *SIZE, GEOMETRY, is_blank=top in self._blank), top, bottom)
            for top, bottom in pairwise(self._cuts.get(count, ()))
        )

    async def read_band(self, band: PageBand) -> ReplyPart | None:
        self.asked.append(f"{band.top:g}-{band.bottom:g}")
        await asyncio.sleep(0)
        said = self._bands.get((band.top, band.bottom), self._bands.get(band.top))
        return None if said is None else ReplyPart(said, SIZE, band.top, band.bottom)

    async def text_layer(self) -> TextLayer | None:
        self.asked.append("text layer")
        return self._layer


def recovered(
    first: ModelReply, ladder: Scripted, *, fallback: bool = False, profile: str = "3.5"
) -> tuple[ParsedPage, PageRecord]:
    step = PageStep(action="retry", reason="the connection broke")
    record = PageRecord(GEOMETRY, (RENDERED,), (ReplyPart(first, SIZE),), (step,), 2)
    page = page_from_record(record, profile)
    found, kept = asyncio.run(recover(page, record, ladder, profile=profile, text_layer_fallback=fallback))
    # Whatever happened: the record makes the very same page, also from a cache.
    assert page_from_record(record_from_json(record_to_json(kept)), profile) == found
    assert found.steps[0] == step
    assert RENDERED in found.issues
    requests = [asked for asked in ladder.asked if asked != "text layer"]
    assert found.attempts == 2 + len(requests)
    assert len(requests) <= 7
    return found, kept


def steps(page: ParsedPage) -> list[str]:
    return [step.action for step in page.steps[1:]]


def texts(page: ParsedPage) -> list[str]:
    return [element.text for element in page.elements]


def codes(page: ParsedPage) -> list[str]:
    return [issue.code for issue in page.issues if issue != RENDERED]


# What is a reason


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (LOOP, "repeats itself"),
        (reply("x" * 50, reason="repetition"), "repeats itself"),
        (CUT, "token limit"),
        (ModelReply(CUT.text, "stop"), "not whole"),
        (ABORTED, "stopped"),
        (EMPTY, "holds nothing"),
        (ModelReply("words<x_0.9><y_0.2><class_Text>" * 3, "stop"), "broken"),
    ],
)
def test_what_is_read_again(said: ModelReply, reason: str) -> None:
    page = page_from_record(PageRecord(GEOMETRY, parts=(ReplyPart(said, SIZE),)), "3.5")

    found = needs_recovery(page)

    assert found is not None
    assert reason in found


@pytest.mark.parametrize(
    "said",
    [
        WHOLE,
        ModelReply(block("12", 0.9, "Page-footer"), "stop"),
        ModelReply(block("", 0.1, "Picture"), "stop"),
        ModelReply("The tokens are dropped on the way.", "stop"),
        ModelReply(block("All that stands") + "and a word<x_0.9><y_0.9><class_Text>", None),
    ],
)
def test_what_is_left_as_it_is(said: ModelReply) -> None:
    assert (
        needs_recovery(page_from_record(PageRecord(GEOMETRY, parts=(ReplyPart(said, SIZE),)), "3.5")) is None
    )


def test_a_blank_page_is_left_as_it_is() -> None:
    assert needs_recovery(page_from_record(PageRecord(GEOMETRY), "3.5")) is None


# Other sampling


@pytest.mark.parametrize("first", [LOOP, CUT, ABORTED, EMPTY])
def test_other_sampling_makes_it_whole(first: ModelReply) -> None:
    ladder = Scripted(again=WHOLE, cuts={2: HALVES})

    page, _ = recovered(first, ladder, fallback=True)

    assert ladder.asked == ["reread 1"]
    assert (page.status, steps(page), codes(page)) == ("ok", ["reread"], ["recovered"])
    assert texts(page) == ["All that stands on the page", "and more of it"]
    note = next(issue for issue in page.issues if issue.code == "recovered")
    assert note.severity == "info"
    assert page.steps[-1].reason in note.message


@pytest.mark.parametrize("again", [None, EMPTY, LOOP, reply("All", reason="length")])
def test_nothing_is_replaced_by_something_worse(again: Answer) -> None:
    first = ModelReply(reply("All that stands on the page", "and more").text + "<x_0.1><y_0.6>of", "length")

    page, kept = recovered(first, Scripted(again=again))

    assert kept.parts == (ReplyPart(first, SIZE),)
    assert (page.status, steps(page)) == ("partial", ["reread"])
    assert "recovered" not in codes(page)
    assert "truncated" in codes(page)


def test_the_text_of_a_loop_counts_once() -> None:
    better = ModelReply(CUT.text + " of the page, and two words more", "length")

    _, kept = recovered(LOOP, Scripted(again=better))

    assert kept.parts[0].reply == better


def test_a_whole_reply_that_leaves_most_of_a_cut_one_out_is_not_taken() -> None:
    long = ModelReply(reply(*(f"Line {n} of a page that goes on" for n in range(9))).text + "<x_0.", "length")

    page, kept = recovered(long, Scripted(again=reply("Line 0")))

    assert kept.parts[0].reply == long
    assert page.status == "partial"


def test_an_engine_with_one_way_to_read_is_not_asked_again() -> None:
    page, _ = recovered(LOOP, Scripted(again=WHOLE, can_reread=False))

    assert page.status == "partial"
    assert steps(page) == []


# Bands


def test_bands_make_it_whole() -> None:
    bands = {0.0: reply("The upper half", "of the page"), 0.48: reply("and the lower one")}
    ladder = Scripted(again=LOOP, cuts={2: HALVES, 4: QUARTERS}, bands=bands)

    page, kept = recovered(LOOP, ladder)

    assert ladder.asked == ["reread 1", "0-0.48", "0.48-1"]
    assert (page.status, steps(page), codes(page)) == ("ok", ["reread", "bands"], ["recovered"])
    assert texts(page) == ["The upper half", "of the page", "and the lower one"]
    assert [element.id for element in page.elements] == ["p2e1", "p2e2", "p2e3"]
    assert [(part.top, part.bottom) for part in kept.parts] == [(0.0, 0.48), (0.48, 1.0)]
    assert page.elements[2].bbox == pytest.approx((0.1, 0.48 + 0.1 * 0.52, 0.9, 0.48 + 0.15 * 0.52))


def test_a_band_that_fails_is_cut_once_more() -> None:
    bands: dict[float | tuple[float, float], Answer] = {
        0.0: reply("The upper half"),
        (0.48, 1.0): LOOP,
        (0.48, 0.77): reply("a third"),
        (0.77, 1.0): reply("and the last"),
    }
    # The finer cut is drawn larger, so that its edges are not quite the same.
    ladder = Scripted(cuts={2: (0.0, 0.4812, 1.0), 4: QUARTERS}, bands={**bands, (0.4812, 1.0): LOOP})

    page, _ = recovered(LOOP, ladder)

    assert ladder.asked == ["reread 1", "0-0.4812", "0.4812-1", "0.48-0.77", "0.77-1"]
    assert texts(page) == ["The upper half", "a third", "and the last"]
    assert page.status == "ok"


def test_a_band_that_fails_to_the_end_is_named() -> None:
    bands = {0.0: reply("The upper half"), 0.48: LOOP, 0.77: CUT}

    page, _ = recovered(LOOP, Scripted(cuts={2: HALVES, 4: QUARTERS}, bands=bands))

    assert page.status == "partial"
    assert "recovered" not in codes(page)
    assert all("of the page's height" in issue.message for issue in page.issues if issue != RENDERED)
    assert texts(page)[0] == "The upper half"


def test_a_finer_cut_at_other_places_stands_alone() -> None:
    bands: dict[tuple[float, float], Answer] = {
        (0.0, 0.48): reply("The upper half"),
        (0.48, 1.0): LOOP,
        **{edges: reply(f"From {edges[0]}") for edges in pairwise((0.0, 0.3, 0.55, 0.8, 1.0))},
    }

    page, _ = recovered(LOOP, Scripted(cuts={2: HALVES, 4: (0.0, 0.3, 0.55, 0.8, 1.0)}, bands=bands))

    assert texts(page) == ["From 0.0", "From 0.3", "From 0.55", "From 0.8"]
    assert page.status == "ok"


@pytest.mark.parametrize("quarters", [QUARTERS, (0.0, 0.3, 0.55, 0.8, 1.0)])
def test_a_finer_cut_that_is_read_worse_is_not_taken(quarters: Sequence[float]) -> None:
    cut = ModelReply(reply("The lower half but for").text + "<x_0.1><y_0.6>its", "length")
    bands: dict[tuple[float, float], Answer] = {(0.0, 0.48): reply("The upper half"), (0.48, 1.0): cut}
    bands |= {edges: EMPTY for edges in pairwise(quarters) if edges not in bands}

    page, kept = recovered(EMPTY, Scripted(cuts={2: HALVES, 4: quarters}, bands=bands))

    assert texts(page)[:2] == ["The upper half", "The lower half but for"]
    assert [(part.top, part.bottom) for part in kept.parts] == [(0.0, 0.48), (0.48, 1.0)]


def test_an_empty_band_is_not_asked_for() -> None:
    ladder = Scripted(cuts={2: HALVES}, blank=(0.48,), bands={0.0: reply("All there is")})

    page, _ = recovered(EMPTY, ladder)

    assert ladder.asked == ["reread 1", "0-0.48"]
    assert (page.status, texts(page)) == ("ok", ["All there is"])


def test_a_band_without_a_reply_is_a_gap() -> None:
    page, kept = recovered(EMPTY, Scripted(cuts={2: HALVES}, bands={0.0: reply("The upper half")}))

    assert (page.status, texts(page)) == ("partial", ["The upper half"])
    assert set(codes(page)) == {"truncated", "empty"}
    assert len(kept.parts) == 2


def test_two_whole_readings_outweigh_a_longer_one_that_was_cut() -> None:
    # It counted up to the limit: a loop that no check sees.
    counting = ModelReply(reply(*(f"{n}. item number {n}" for n in range(11))).text + "<x_0.", "length")
    bands = {0.0: reply("1. item"), 0.48: reply("2. item")}

    page, _ = recovered(counting, Scripted(again=reply("1. item"), cuts={2: HALVES}, bands=bands))

    assert (page.status, texts(page)) == ("ok", ["1. item", "2. item"])


def test_a_page_that_cannot_be_cut_stays_as_it_is() -> None:
    page, _ = recovered(CUT, Scripted(again=None, cuts={2: (0.0, 1.0)}))

    assert (page.status, steps(page)) == ("partial", ["reread"])


def test_when_everything_fails_the_first_reply_is_kept() -> None:
    page, kept = recovered(CUT, Scripted(cuts={2: HALVES, 4: QUARTERS}), fallback=True)

    assert kept.parts == (ReplyPart(CUT, SIZE),)
    assert (page.status, steps(page)) == ("partial", ["reread", "bands"])
    assert codes(page) == ["truncated"]


def test_a_failure_of_the_ladder_itself_leaves_no_request_behind() -> None:
    hanging = asyncio.Event()
    ended: list[float] = []

    class Broken(Scripted):
        async def read_band(self, band: PageBand) -> ReplyPart | None:
            if band.top == 0.0:
                raise RuntimeError("a fault of the program")
            try:
                await hanging.wait()
            finally:
                ended.append(band.top)
            return None

    with pytest.raises(RuntimeError, match="fault of the program"):
        recovered(LOOP, Broken(cuts={2: HALVES}))
    assert ended == [0.48]


def test_a_recovery_that_is_cancelled_takes_its_requests_along() -> None:
    ended: list[float] = []
    both_asked = asyncio.Event()

    class Hanging(Scripted):
        async def read_band(self, band: PageBand) -> ReplyPart | None:
            if band.top > 0.0:
                both_asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(band.top)
            return None

    async def cancel() -> None:
        ladder = Hanging(cuts={2: HALVES})
        record = PageRecord(GEOMETRY, parts=(ReplyPart(LOOP, SIZE),))
        page = page_from_record(record, "3.5")
        task = asyncio.ensure_future(recover(page, record, ladder, profile="3.5", text_layer_fallback=False))
        await both_asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert sorted(ended) == [0.0, 0.48]


# The file's own text


def word(text: str, x: float, y: float, *, visible: bool = True, angle: float = 0.0) -> TextWord:
    return TextWord(text, BBox(x, y, x + 0.02 * len(text), y + 0.015), 11.0, visible=visible, angle=angle)


LAYER = TextLayer(
    words=(
        word("The", 0.1, 0.1),
        word("file's", 0.18, 0.1),
        word("own", 0.32, 0.1),
        word("hidden", 0.1, 0.3, visible=False),
        word("text", 0.1, 0.6),
        word("<x_0.1>", 0.2, 0.6),
    )
)


@pytest.mark.parametrize("profile", ["3.5", "2.0"])
def test_the_files_own_text_is_taken_in_the_end(profile: str) -> None:
    page, kept = recovered(LOOP, Scripted(layer=LAYER), fallback=True, profile=profile)

    assert texts(page) == ["The file's own", "text <x_0.1>"]
    assert {element.type for element in page.elements} == {"Text"}
    assert page.elements[0].bbox == pytest.approx((0.1, 0.1, 0.38, 0.115), abs=1e-6)
    assert (page.status, steps(page), codes(page)) == ("partial", ["reread", "text_layer"], ["text_layer"])
    assert page.issues[-1].severity == "warning"
    assert "the file itself" in page.issues[-1].message
    assert (page.finish_reason, len(kept.parts)) == ("stop", 1)


def test_it_is_not_asked_for_unless_allowed() -> None:
    ladder = Scripted(layer=LAYER)

    recovered(LOOP, ladder)

    assert "text layer" not in ladder.asked


def test_it_is_not_asked_for_where_the_page_was_made_whole() -> None:
    ladder = Scripted(again=WHOLE, layer=LAYER)

    recovered(EMPTY, ladder, fallback=True)

    assert ladder.asked == ["reread 1"]


@pytest.mark.parametrize(
    "layer",
    [
        None,
        TextLayer(),
        TextLayer(words=(word("hidden", 0.1, 0.1, visible=False),)),
        TextLayer(words=(word("\ufffd\ufffd\ufffd\ue000", 0.1, 0.1),)),
    ],
)
def test_a_layer_that_says_nothing_changes_nothing(layer: TextLayer | None) -> None:
    page, _ = recovered(EMPTY, Scripted(layer=layer), fallback=True)

    assert (page.status, steps(page)) == ("failed", ["reread"])


def test_a_stamp_does_not_replace_a_page_that_was_nearly_read() -> None:
    long = ModelReply(reply(*(f"Line {n} of a page that goes on" for n in range(9))).text + "<x_0.", "length")

    page, _ = recovered(long, Scripted(layer=TextLayer(words=(word("Received", 0.1, 0.1),))), fallback=True)

    assert len(page.elements) == 9
    assert codes(page) == ["truncated"]


def test_a_page_without_a_reply_has_the_files_text_as_well() -> None:
    failed = failed_page(2, "failed", "the server is gone", geometry=GEOMETRY, attempts=5)
    record = PageRecord(GEOMETRY, attempts=5)
    ladder = Scripted(again=WHOLE, cuts={2: HALVES}, layer=LAYER)

    page, kept = asyncio.run(recover(failed, record, ladder, profile="3.5", text_layer_fallback=True))

    assert ladder.asked == ["text layer"]
    assert (page.status, page.attempts, codes(page)) == ("partial", 5, ["text_layer"])
    assert page_from_record(kept, "3.5") == page

    same = asyncio.run(recover(failed, record, Scripted(), profile="3.5", text_layer_fallback=True))
    assert same == (failed, record)


# Whatever comes

answers = st.sampled_from([None, WHOLE, EMPTY, LOOP, CUT, ABORTED, reply("a"), ModelReply("no token", None)])


@given(
    first=st.sampled_from([EMPTY, LOOP, CUT, ABORTED]),
    again=answers,
    can_reread=st.booleans(),
    halves=st.sampled_from([(), (0.0, 1.0), HALVES, (0.0, 0.4, 1.0)]),
    blank=st.sampled_from([(), (0.0,), (0.48,), (0.0, 0.48)]),
    quarters=st.sampled_from([(), HALVES, QUARTERS]),
    said=st.lists(answers, min_size=6, max_size=6),
    layer=st.sampled_from([None, LAYER]),
    fallback=st.booleans(),
)
@settings(max_examples=150)
def test_whatever_comes_the_page_is_no_worse_and_the_record_tells_it(
    first: ModelReply,
    again: Answer,
    can_reread: bool,
    halves: Sequence[float],
    blank: tuple[float, ...],
    quarters: Sequence[float],
    said: list[Answer],
    layer: TextLayer | None,
    fallback: bool,
) -> None:
    edges = dict.fromkeys([*pairwise(halves), *pairwise(quarters)])
    ladder = Scripted(
        again=again,
        can_reread=can_reread,
        cuts={2: halves, 4: quarters},
        blank=blank,
        bands=dict(zip(edges, said, strict=False)),
        layer=layer,
    )

    page, _ = recovered(first, ladder, fallback=fallback)

    if page.status == "ok":
        assert codes(page) == ["recovered"]
    if first != EMPTY:
        assert page.elements
    assert ("text_layer" in codes(page)) is (steps(page)[-1:] == ["text_layer"])
