"""`encode_page`: elements printed in the model's own grammar, the inverse of `decode_page`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..document import Element, ElementType
from ..export.latex import table_to_latex
from ..profiles import Profile, get_profile
from .charts import encode_chart
from .frames import IDENTITY, FrameMap, frame_map
from .markers import escape_tokens

_TBC = re.compile(r"<(tbc)>", re.IGNORECASE)
_FORMULAS = frozenset({ElementType.FORMULA.value, ElementType.INLINE_FORMULA.value})
_NO_CLASS_NAME = re.compile(r"[<>\n]")


def encode_page(
    elements: Iterable[Element],
    *,
    profile: str | Profile = "3.5",
    image_size: tuple[int, int] | None = None,
) -> str:
    r"""Print elements as the model would.

    Boxes are printed with four decimals, or more where four are not exact. The body is what the model printed
    (``raw``) where that is known; else a table as a LaTeX tabular, a chart in the 3.5 form, a formula between
    ``\( \)``, and everything else as its Markdown. An element without a box is printed without its corners:
    give boxes to all elements of a page, or to none.

    What is printed decodes to equal elements, as far as the grammar can say them. It cannot say: white space
    around a text; two equal elements in the same box; an element with neither box nor text; a text that is
    itself a table or a chart of the grammar, or an artefact of the model; more than four header rows of a
    table; spans in a chart's tables, or a chart's title, type and panels over several lines.

    Args:
        elements: In reading order.
        profile: The model generation, which says what the printed fractions are fractions of.
        image_size: (width, height) in pixels of the image; needed by profiles that print on a canvas.

    Returns:
        The reply text, without prompt tokens.

    Raises:
        OptionError: There is no such profile, or ``image_size`` is needed and missing.
    """
    if not isinstance(profile, Profile):
        profile = get_profile(profile)
    printed = list(elements)
    has_boxes = any(element.bbox is not None for element in printed)
    frame = frame_map(profile, image_size) if has_boxes else IDENTITY
    return "\n\n".join(_block(element, frame) for element in printed)


def element_body(element: Element) -> str:
    """The body of an element as the model would print it."""
    if element.raw:
        return escape_tokens(element.raw)
    body = _TBC.sub(r"<\1\\>", escape_tokens(_fresh_body(element), prompts=True))
    before = "<tbc>" if element.continues_before else ""
    after = "<tbc>" if element.continues_after else ""
    return f"{before}{body}{after}"


def _fresh_body(element: Element) -> str:
    if element.chart is not None:
        return encode_chart(element.chart)
    if element.table is not None:
        return table_to_latex(element.table)
    body = element.markdown or element.text
    if element.type in _FORMULAS and body:
        return rf"\({body}\)"
    return body


def _block(element: Element, frame: FrameMap) -> str:
    body = element_body(element)
    name = _NO_CLASS_NAME.sub("", element.type)[:48].rstrip("\\")
    if element.bbox is None:
        return f"{body}<class_{name}>"
    x0, y0, x1, y1 = (_number(value) for value in frame.to_printed(element.bbox))
    return f"<x_{x0}><y_{y0}>{body}<x_{x1}><y_{y1}><class_{name}>"


def _number(value: float) -> str:
    """Four decimals, as the model prints them, or as many as it takes to say the same number."""
    text = f"{value:.4f}"
    if float(text) != value:
        text = repr(value)
        if "e" in text:
            text = f"{value:.24f}"
    text = text.rstrip("0")
    return text + "0" if text.endswith(".") else text
