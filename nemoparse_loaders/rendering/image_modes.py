"""Pixels of any kind (bilevel, palette, 16 bit, CMYK, transparent) to RGB as a person would see them."""

from __future__ import annotations

import math

from PIL import Image, ImageCms, ImageOps

_WIDE_MODES = frozenset(("I", "F", "I;16", "I;16B", "I;16L", "I;16N"))
# Values below are dark enough to be ink on white, and above that light enough to be ink on black.
_INK = 160


def to_resizable(image: Image.Image, *, white_is_zero: bool = False) -> Image.Image:
    """The same picture in a mode whose values can be averaged: L, LA, RGB, RGBA or CMYK.

    Palette numbers and single bits cannot be averaged, and 16 bits are brought to 8 while they are exact.
    CMYK becomes RGB by plain arithmetic, whether or not the file has a profile: colours come out more vivid
    than in print, and what is to be read stays the same.

    Args:
        image: Loaded.
        white_is_zero: For more than 8 bits: small values are light.
    """
    if image.mode in _WIDE_MODES:
        narrow = _to_8_bit(image)
        return ImageOps.invert(narrow) if white_is_zero else narrow
    if image.has_transparency_data:
        return image.convert("LA" if image.mode in ("LA", "La") else "RGBA")
    if image.mode == "LAB":
        return _from_lab(image)
    if image.mode in ("L", "RGB", "CMYK"):
        return image
    return image.convert("L" if image.mode == "1" else "RGB")


def flatten(image: Image.Image) -> Image.Image:
    """RGB without transparency: on white, or on black where the ink itself is white.

    Args:
        image: As `to_resizable` gives it.
    """
    if image.mode not in ("LA", "RGBA"):
        return image if image.mode == "RGB" else image.convert("RGB")
    colours = image.convert("RGBA")
    alpha = colours.getchannel("A")
    on_white = _on(colours, "white")
    darkest = on_white.convert("L").getextrema()[0]
    least, most = alpha.getextrema()
    if _number(darkest) >= _INK and _number(least) < 64 and _number(most) > 191:
        on_black = _on(colours, "black")
        if _number(on_black.convert("L").getextrema()[1]) > 255 - _number(darkest):
            return on_black
    return on_white


def _on(colours: Image.Image, background: str) -> Image.Image:
    paper = Image.new("RGBA", colours.size, background)
    paper.alpha_composite(colours)
    return paper.convert("RGB")


def _to_8_bit(image: Image.Image) -> Image.Image:
    """Spread the range that is really used over 0..255.

    Cameras and scanners put 10 or 12 bits into 16, and Pillow's own conversion only clips.
    """
    values = image if image.mode == "F" else image.convert("I")
    low, high = (_number(value) for value in values.getextrema())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError("its pixels are not finite numbers")
    if high <= low:  # one value everywhere: only its depth can tell how light it is
        top = 255.0 if high <= 255 else 65_535.0
        return Image.new("L", image.size, min(255, max(0, round(high * 255.0 / top))))
    scale = 255.0 / (high - low)
    offset = -low * scale + (0.0 if image.mode == "F" else 0.5)
    return values.point(lambda value: value * scale + offset).convert("L")


def _from_lab(image: Image.Image) -> Image.Image:
    lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    converted = ImageCms.profileToProfile(image, lab, srgb, outputMode="RGB")
    if converted is None:
        raise ValueError("its CIELAB colours cannot be converted")
    return converted


def _number(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise ValueError("its pixels have more than one channel where one is expected")
    return float(value)
