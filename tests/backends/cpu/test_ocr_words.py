from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nemoparse_loaders.backends.cpu.models import FoundText
from nemoparse_loaders.backends.cpu.ocr_words import read_picture
from nemoparse_loaders.backends.cpu.picture import Picture

SIZE = (600.0, 800.0)


def blank(width: int = 1200, height: int = 1600) -> Picture:
    return Picture(np.full((height, width, 3), 255, np.uint8), np.full((height, width), 255, np.uint8))


def line(
    text: str, x: float, y: float, *, width: float = 400, height: float = 30, skew: float = 0
) -> FoundText:
    dx, dy = math.cos(math.radians(skew)), math.sin(math.radians(skew))

    def corner(along: float, down: float) -> tuple[float, float]:
        return x + along * dx - down * dy, y + along * dy + down * dx

    corners = (corner(0, 0), corner(width, 0), corner(width, height), corner(0, height))
    parts = text.split()
    step = width / len(parts)
    words = []
    for index, part in enumerate(parts):
        start, end = index * step, (index + 0.8) * step
        words.append((part, (corner(start, 0), corner(end, 0), corner(end, height), corner(start, height))))
    return FoundText(text, corners, tuple(words))


def test_words_have_places_and_steady_sizes(seeing: Any) -> None:
    text = [
        line("words of a line", 100, 100),
        line("of running text", 100, 140, height=33),
        line("Head", 100, 40, height=60),
    ]
    found = read_picture(blank(), SIZE, seeing(found_text=[text]))
    assert [word.text for word in found.words] == [
        "words",
        "of",
        "a",
        "line",
        "of",
        "running",
        "text",
        "Head",
    ]
    assert found.words[0].box.x0 == pytest.approx(50)
    sizes = {word.text: word.size for word in found.words}
    assert sizes["words"] == sizes["running"] < sizes["Head"]
    # Words of two lines never follow each other.
    assert found.words[4].order > found.words[3].order + 1


def test_a_skewed_page_is_straightened(seeing: Any) -> None:
    text = [line("a long line of text", 100, 200 + 60 * row, width=900, skew=1.5) for row in range(5)]
    found = read_picture(blank(), SIZE, seeing(found_text=[text]))
    assert found.frame.skew == pytest.approx(1.5, abs=0.01)
    first = [word.box.y0 for word in found.words[:5]]
    assert max(first) - min(first) < 1
    back = found.frame.to_page(found.words[4].box)
    assert back.y0 > found.frame.to_page(found.words[0].box).y0 + 0.01


def test_a_sideways_page_is_turned_and_read_again(seeing: Any) -> None:
    tall = FoundText("a line that runs down", ((100, 100), (130, 100), (130, 700), (100, 700)), ())
    models = seeing(found_text=[[tall] * 3, [line("upright at last", 100, 100)]])
    found = read_picture(blank(), SIZE, models)
    assert (found.frame.turn, found.frame.width, models.text_calls) == (90, 800, 2)
    assert [word.text for word in found.words] == ["upright", "at", "last"]
    assert found.words[0].box.x0 == pytest.approx(50)


@pytest.mark.parametrize(("tall", "turn"), [(True, 270), (False, 180)])
def test_a_page_on_its_head_is_turned(seeing: Any, tall: bool, turn: int) -> None:
    corners = (
        ((100, 100), (130, 100), (130, 700), (100, 700))
        if tall
        else ((100, 100), (700, 100), (700, 130), (100, 130))
    )
    models = seeing(found_text=[[FoundText("a line of text", corners, ())]], flipped=True)
    assert read_picture(blank(), SIZE, models).frame.turn == turn


def test_lines_across_the_others_are_kept_apart(seeing: Any) -> None:
    stamp = FoundText("arXiv:2206.01062", ((20, 300), (50, 300), (50, 900), (20, 900)), ())
    text = [line("a long line of text", 100, 200 + 60 * row) for row in range(5)]
    found = read_picture(blank(), SIZE, seeing(found_text=[[*text, stamp]]))
    assert [one.text for one in found.stray] == ["arXiv:2206.01062"]
    assert found.stray[0].box.height > 200
    assert len(found.words) == 25


def test_nothing_found_is_nothing_read(seeing: Any) -> None:
    assert read_picture(blank(), SIZE, seeing()).words == []
