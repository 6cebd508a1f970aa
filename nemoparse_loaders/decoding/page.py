"""`decode_page`: a reply to a page of elements. Pure, linear in its length, never an error for it."""

from __future__ import annotations

from ..document import BBox, Element, Issue, PageStatus, ParsedPage, Severity
from ..profiles import Profile, get_profile
from .artefacts import storable
from .blocks import Block, assemble
from .elements import elements_from_body
from .frames import FrameMap, frame_map
from .loops import is_token_stutter, repeated_blocks, repeats_itself
from .markers import scan
from .tool_calls import blocks_from_tool_call, is_tool_call

# "tool_calls" is how the 1.1 chat API says stop.
_WHOLE = frozenset({"stop", "tool_calls"})
_Note = tuple[str, str, Severity]


def decode_page(
    text: str,
    finish_reason: str | None = "stop",
    profile: str | Profile = "3.5",
    page_number: int = 1,
    image_size: tuple[int, int] | None = None,
) -> ParsedPage:
    """Turn a reply into a page.

    Whatever the reply is, nothing of its text is lost and nothing is raised for it: broken blocks keep their
    text and are flagged, a reply without tokens becomes one Text element without a box.

    Args:
        text: The reply, with or without the prompt's own tokens; or the arguments of a 1.1 tool call.
        finish_reason: As the server said; None where it did not: then the text alone shows whether it is
            whole.
        profile: The model generation, which says what the printed fractions are fractions of.
        page_number: From 1; for ids and issues.
        image_size: (width, height) in pixels of the image as sent. Needed where the profile prints on a
            canvas (2.0, 1.2, 1.1) and the reply has boxes.

    Returns:
        A page with status "ok"; "partial" for a reply that is cut, aborted or loops; "failed" for an empty
        one.

    Raises:
        OptionError: There is no such profile, or ``image_size`` is needed and missing.
    """
    if not isinstance(profile, Profile):
        profile = get_profile(profile)
    reply = storable(text)
    scanned = scan(reply)
    if is_tool_call(reply) and not (scanned.has_pairs or scanned.has_classes):
        # Its boxes are fractions of the image whatever the generation.
        blocks, cut = blocks_from_tool_call(reply)
        noise = 0
        frame = FrameMap()
    else:
        blocks, stray = assemble(scanned)
        cut, noise = scanned.cut, max(scanned.noise_run, stray)
        frame = frame_map(profile, image_size) if scanned.has_pairs else FrameMap()
    placed = [(block, _box(block, frame)) for block in blocks]
    kept, dropped = _without_duplicates(placed)
    elements = _elements(kept, page_number)
    loops = _loop_notes(kept, dropped, noise, finish_reason)
    cut = cut or any(issue.code == "truncated" for element in elements for issue in element.issues)
    notes = _notes(finish_reason, cut=cut, loops=loops, dropped=dropped, empty=not elements and not loops)
    return ParsedPage(
        number=page_number,
        status=_status(notes),
        finish_reason=finish_reason,
        issues=tuple(
            Issue(code=code, message=message, severity=severity, page=page_number)
            for code, message, severity in notes
        ),
        elements=tuple(elements),
        raw=reply,
    )


def _box(block: Block, frame: FrameMap) -> BBox | None:
    if block.first is None or block.last is None:
        return None
    return frame.to_page(block.first, block.last)


def _without_duplicates(
    placed: list[tuple[Block, BBox | None]],
) -> tuple[list[tuple[Block, BBox | None]], int]:
    """Without blocks that equal the one before them in text, class and box; and how many there were."""
    kept: list[tuple[Block, BBox | None]] = []
    for block, bbox in placed:
        if kept and _says_the_same(kept[-1], (block, bbox)):
            continue
        kept.append((block, bbox))
    return kept, len(placed) - len(kept)


def _says_the_same(earlier: tuple[Block, BBox | None], later: tuple[Block, BBox | None]) -> bool:
    (a, a_box), (b, b_box) = earlier, later
    if a_box != b_box or a.name != b.name or b.cut:
        return False
    # Without boxes equal lines may stand below each other.
    return a_box is not None and a.body.strip() == b.body.strip()


def _elements(placed: list[tuple[Block, BBox | None]], page_number: int) -> list[Element]:
    elements: list[Element] = []
    for block, bbox in placed:
        elements.extend(
            elements_from_body(
                block.body,
                block.name,
                bbox,
                page_number=page_number,
                first_number=len(elements) + 1,
                problem=block.problem,
                cut=block.cut,
            )
        )
    return elements


def _loop_notes(
    placed: list[tuple[Block, BBox | None]], dropped: int, noise: int, finish_reason: str | None
) -> list[_Note]:
    notes: list[_Note] = []
    if finish_reason == "repetition":
        notes.append(("loop", "The server stopped the reply because it repeated itself.", "warning"))
    again = repeated_blocks([(block.name or "", block.body, bbox) for block, bbox in placed])
    if again:
        notes.append(
            (
                "loop",
                f"{len(again)} blocks repeat one before them at the same place; all are kept.",
                "warning",
            )
        )
    if dropped >= _MANY_DUPLICATES:
        notes.append(("loop", f"The same block came {dropped} times again; one is kept.", "warning"))
    if any(repeats_itself(block.body) for block, _ in placed):
        notes.append(("loop", "A block repeats a short piece of text without end; it is kept.", "warning"))
    if is_token_stutter(max([noise, *(block.noise for block, _ in placed)])):
        notes.append(("loop", "The reply stutters: tokens follow each other without text.", "warning"))
    return notes


# A block or two come twice by accident.
_MANY_DUPLICATES = 8


def _notes(
    finish_reason: str | None, *, cut: bool, loops: list[_Note], dropped: int, empty: bool
) -> list[_Note]:
    notes: list[_Note] = list(loops)
    if finish_reason == "abort":
        notes.append(("abort", "The server aborted the reply; what came before is kept.", "warning"))
    elif finish_reason == "length":
        notes.append(
            ("truncated", "The reply reached the token limit; the end of the page is missing.", "warning")
        )
    elif finish_reason not in (None, "repetition") and finish_reason not in _WHOLE:
        notes.append(("truncated", f"The reply ended with {finish_reason!r} and is not whole.", "warning"))
    elif cut:
        notes.append(("truncated", "The reply is cut open; the end of the page is missing.", "warning"))
    if empty:
        notes.append(("empty", "The reply holds nothing.", "error"))
    if dropped and dropped < _MANY_DUPLICATES:
        notes.append(("duplicate", f"{dropped} exact repetitions of a block were left out.", "info"))
    return notes


def _status(notes: list[_Note]) -> PageStatus:
    codes = {code for code, _, _ in notes}
    if "empty" in codes:
        return "failed"
    return "partial" if codes & {"truncated", "abort", "loop"} else "ok"
