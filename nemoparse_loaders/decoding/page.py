"""`decode_page`: a reply to a page of elements. Pure, linear in its length, never an error for it."""

from __future__ import annotations

from ..checks import ReplyFacts, page_issues, page_status, repeated_blocks
from ..document import BBox, Element, ParsedPage
from ..profiles import Profile, get_profile
from .artefacts import storable
from .blocks import Block, assemble
from .elements import elements_from_block
from .frames import IDENTITY, FrameMap, frame_map
from .markers import scan
from .tool_calls import blocks_from_tool_call, is_tool_call


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
        frame = IDENTITY
    else:
        blocks, stray = assemble(scanned)
        cut, noise = scanned.cut, max(scanned.noise_run, stray)
        frame = frame_map(profile, image_size) if scanned.has_pairs else IDENTITY
    placed = [(block, _box(block, frame)) for block in blocks]
    kept, dropped = _without_duplicates(placed)
    repeated = repeated_blocks([(block.name or "", block.body, bbox) for block, bbox in kept])
    elements, runs = _elements(kept, set(repeated), page_number)
    facts = ReplyFacts(
        finish_reason=finish_reason,
        cut=cut or any(issue.code == "truncated" for element in elements for issue in element.issues),
        empty=not elements,
        dropped=dropped,
        repeated=len(repeated),
        noise=max([noise, *(block.noise for block in blocks)]),
        runs=runs,
    )
    issues = page_issues(facts, page_number)
    return ParsedPage(
        number=page_number,
        status=page_status(issues),
        finish_reason=finish_reason,
        issues=issues,
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


def _elements(
    placed: list[tuple[Block, BBox | None]], repeated: set[int], page_number: int
) -> tuple[list[Element], int]:
    """The elements, and how many blocks hold a piece of text that is repeated without end."""
    elements: list[Element] = []
    runs = 0
    for index, (block, bbox) in enumerate(placed):
        made, loops = elements_from_block(
            block,
            bbox,
            page_number=page_number,
            first_number=len(elements) + 1,
            repeats=index in repeated,
        )
        elements.extend(made)
        runs += loops
    return elements, runs
