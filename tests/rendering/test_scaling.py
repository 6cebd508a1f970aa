from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.errors import OptionError
from nemoparse_loaders.rendering import RenderSettings
from nemoparse_loaders.rendering.scaling import fit_page
from nemoparse_loaders.rendering.settings import MIN_SIDE

lengths = st.floats(1e-3, 1e10)
limits = st.integers(MIN_SIDE, 4096)


@given(lengths, lengths, limits, limits, st.none() | st.floats(1e-6, 100))
def test_never_outside_of_the_box_nor_below_the_least_side(
    width: float, height: float, most_w: int, most_h: int, max_scale: float | None
) -> None:
    size = fit_page(width, height, (most_w, most_h), max_scale)
    assert MIN_SIDE <= size.width <= most_w
    assert MIN_SIDE <= size.height <= most_h


@given(st.floats(100, 3000), st.floats(100, 3000))
def test_keeps_the_shape_and_touches_the_box(width: float, height: float) -> None:
    size = fit_page(width, height, (1664, 2048))
    assert size.width == 1664 or size.height == 2048
    assert abs(size.width - width * size.scale) <= 1.01
    assert abs(size.height - height * size.scale) <= 1.01


@pytest.mark.parametrize(("width", "height"), [(1664, 2048), (832, 1024), (612, 792), (595.276, 841.89)])
def test_a_page_that_fits_exactly_is_not_a_pixel_over(width: float, height: float) -> None:
    size = fit_page(width, height, (1664, 2048))
    assert size.width <= 1664
    assert size.height <= 2048


def test_a_cap_on_the_scale_keeps_whole_pixels() -> None:
    size = fit_page(100, 50, (1664, 2048), 1.0)
    assert (size.width, size.height) == (100, 50)


def test_slivers_are_stretched() -> None:
    size = fit_page(10, 100_000, (1664, 2048))
    assert (size.width, size.height) == (MIN_SIDE, 2048)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_image_size": (15, 2048)},
        {"dpi": 0},
        {"dpi": -1},
        {"dpi": float("inf")},
        {"dpi": float("nan")},
        {"max_image_bytes": 0},
    ],
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        RenderSettings(**wrong)  # type: ignore[arg-type]


def test_settings_are_values() -> None:
    assert RenderSettings() == RenderSettings(max_image_size=(1664, 2048))
    assert len({RenderSettings(), RenderSettings(dpi=100), RenderSettings()}) == 2
