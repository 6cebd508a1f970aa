from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.cpu.geometry import Frame, Rect, Turn, bounds, rotate
from nemoparse_loaders.document import BBox

units = st.floats(0, 1)
boxes = st.builds(BBox.clamped, units, units, units, units)
rects = st.builds(lambda x, y, w, h: Rect(x, y, x + w, y + h), *(st.floats(0, 500) for _ in range(4)))


@given(boxes, st.sampled_from(get_args(Turn)))
def test_a_box_goes_to_the_frame_and_back(box: BBox, turn: Turn) -> None:
    frame = Frame(600, 800, turn)
    assert frame.to_page(frame.to_frame(box)) == pytest.approx(box, abs=1e-9)


@given(boxes, st.sampled_from(get_args(Turn)), st.floats(-5, 5))
def test_a_skewed_frame_keeps_the_centre(box: BBox, turn: Turn, skew: float) -> None:
    frame = Frame(600, 800, turn, skew)
    rect = frame.to_frame(box)
    straight = Frame(600, 800, turn).to_frame(box)
    assert rect.width == pytest.approx(straight.width, abs=1e-6)
    assert frame.straightened(*straight.middle) == pytest.approx(rect.middle, abs=1e-6)


def test_text_that_reads_down_the_page_stands_upright_in_its_frame() -> None:
    frame = Frame(600, 800, 90)
    first, second = frame.to_frame(BBox(0.8, 0.1, 0.85, 0.2)), frame.to_frame(BBox(0.8, 0.3, 0.85, 0.4))
    below = frame.to_frame(BBox(0.7, 0.1, 0.75, 0.2))
    assert (frame.width, frame.height) == (800, 600)
    assert first.x1 < second.x0
    assert first.y0 == pytest.approx(second.y0)
    assert below.y0 > first.y1


def test_turns_clockwise_on_the_page() -> None:
    assert rotate(1, 0, 90, (0, 0)) == pytest.approx((0, 1))


@given(rects, rects)
def test_shares_are_shares(a: Rect, b: Rect) -> None:
    assert 0 <= a.share_in(b) <= 1 + 1e-9
    assert a.shared(b) == pytest.approx(b.shared(a))
    assert a.share_in(bounds([a, b])) == pytest.approx(1)
    assert (a.across(b) > 0 and a.down(b) > 0) == (a.shared(b) > 0) or a.shared(b) < 1e-9
