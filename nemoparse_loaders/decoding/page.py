"""`decode_page`: a reply to a page of elements. Pure, linear in its length, never an error for it."""

from __future__ import annotations

from ..checks import ReplyFacts, page_issues, page_status, repeated_blocks
from ..document import BBox, ParsedPage
from ..profiles import Profile, get_profile
from .artefacts import storable
from .block import Block
from .blocks import assemble
from .elements import page_elements
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
        blocks, noise = assemble(scanned)
        cut = scanned.cut
        frame = frame_map(profile, image_size) if scanned.has_pairs else IDENTITY
    kept, boxes = _placed(blocks, frame)
    repeated = repeated_blocks([block.name or "" for block in kept], [block.body for block in kept], boxes)
    elements, runs = page_elements(kept, boxes, page_number=page_number, repeated=repeated)
    facts = ReplyFacts(
        finish_reason=finish_reason,
        cut=cut or any(issue.code == "truncated" for element in elements for issue in element.issues),
        empty=not elements,
        dropped=len(blocks) - len(kept),
        repeated=len(repeated),
        noise=noise,
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


def _placed(blocks: list[Block], frame: FrameMap) -> tuple[list[Block], list[BBox | None]]:
    """The blocks without those that equal the one before them in text, class and box; and their boxes."""
    kept: list[Block] = []
    boxes: list[BBox | None] = []
    for block in blocks:
        bbox = frame.to_page(block.printed) if block.printed else None
        # Without boxes equal lines may stand below each other.
        if bbox is not None and boxes and bbox == boxes[-1] and _says_the_same(kept[-1], block):
            continue
        kept.append(block)
        boxes.append(bbox)
    return kept, boxes


def _says_the_same(earlier: Block, later: Block) -> bool:
    return earlier.name == later.name and not later.cut and earlier.body.strip() == later.body.strip()
