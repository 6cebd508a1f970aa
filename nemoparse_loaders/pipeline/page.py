"""The ParsedPage that comes of a record, or of a failure."""

from __future__ import annotations

from collections.abc import Mapping

from ..checks.evidence import verified
from ..decoding import decode_page
from ..document import Issue, ParsedPage, StepAction
from ..errors import BackendError, PageRenderError
from ..rendering.page_image import PageGeometry, PageImage
from .judgement import needs_recovery
from .merge import BandPage, add_usage, merge_bands
from .record import PageRecord, RegionReply, ReplyPart
from .region_merge import RegionReading, merge_regions

_LONGEST_WORD = 500
_HOW: Mapping[StepAction, str] = {
    "reread": "The page was read again with other sampling",
    "bands": "The page was read again in bands",
}
_TEXT_LAYER = (
    "No reply for this page was of use: its text is what the file itself stores, and was not read from the "
    "picture. Tables, formulas and figures are not told apart, and text that is not to be seen may be in it."
)


def page_from_record(record: PageRecord, profile: str) -> ParsedPage:
    """The page of a record: its replies decoded, put together and checked, with the page's own facts.

    A record without a reply is a blank page: its picture is empty and was not sent, since a model may invent
    text for it. Where the text is there and only its font is missing on this machine, the page counts as
    failed.

    Args:
        record: What is known of the page.
        profile: Name of the profile that its replies are decoded with.
    """
    if record.parts:
        page = page_of_replies(record, profile)
        number = record.geometry.number
        readings = [_region_reading(region, number, profile) for region in record.regions]
        page = merge_regions(page, readings, record.evidence)
    else:
        lost = any(issue.code == "fonts_missing" for issue in record.issues)
        page = ParsedPage(number=record.geometry.number, status="failed" if lost else "blank")
    recovery = _issue_of_steps(page, record)
    taken_from_file = recovery is not None and recovery.code == "text_layer"
    own = () if recovery is None else (recovery,)
    replies = [part.reply for part in (*record.parts, record.detection) if part is not None]
    replies += [region.reply for region in record.regions if region.reply is not None]
    page = page.model_copy(
        update={
            **_geometry(record.geometry),
            # What the file says of a page is never a whole reading of it.
            "status": "partial" if taken_from_file and page.status == "ok" else page.status,
            "issues": (*record.issues, *own, *page.issues),
            "usage": add_usage([reply.usage for reply in replies]),
            "attempts": record.attempts,
            "steps": record.steps,
        }
    )
    return verified(page, record.evidence)


def page_of_replies(record: PageRecord, profile: str) -> ParsedPage:
    """What the replies about the page itself say, without its regions, its facts and the checks.

    Args:
        record: With at least one part.
        profile: Name of the profile that its replies are decoded with.
    """
    return merge_bands([_band_page(part, record.geometry.number, profile) for part in record.parts])


def detected_page(record: PageRecord, profile: str) -> ParsedPage | None:
    """The regions that detection found, as a page without text; None where it was not asked."""
    if record.detection is None:
        return None
    return _band_page(record.detection, record.geometry.number, profile).page


def _region_reading(region: RegionReply, number: int, profile: str) -> RegionReading:
    page = ParsedPage(number=number)
    if region.reply is not None:
        page = _band_page(ReplyPart(region.reply, region.image_size), number, profile).page
    return RegionReading(region.region, region.box, page)


def _band_page(part: ReplyPart, number: int, profile: str) -> BandPage:
    reply = part.reply
    page = decode_page(
        reply.text,
        finish_reason=None if reply.finish_reason is None else clean_word(reply.finish_reason),
        profile=profile,
        page_number=number,
        image_size=part.image_size,
    )
    return BandPage(page, part.top, part.bottom)


def _issue_of_steps(page: ParsedPage, record: PageRecord) -> Issue | None:
    """What a page says of how it was recovered; None where it was not."""
    steps = [step for step in record.steps if step.action == "text_layer" or step.action in _HOW]
    if not steps:
        return None
    last = steps[-1]
    if last.action == "text_layer":
        return Issue(code="text_layer", message=_TEXT_LAYER, page=page.number)
    if needs_recovery(page) is not None:
        return None
    message = f"{_HOW[last.action]}: {last.reason}."
    return Issue(code="recovered", message=message, severity="info", page=page.number)


def clean_word(text: str) -> str:
    """A word of the server's, without what databases and JSON writers refuse, and not endless."""
    return "".join(char if char.isprintable() else " " for char in text[:_LONGEST_WORD])


def failed_page(
    number: int, code: str, reason: str, *, geometry: PageGeometry | None = None, attempts: int = 0
) -> ParsedPage:
    """A page without a result, with the reason."""
    issue = Issue(code=code, message=reason, severity="error", page=number)
    facts = _geometry(geometry) if geometry is not None else {"label": str(number)}
    return ParsedPage(
        number=number, status="failed", issues=(issue,), attempts=attempts, needs_review=True, **facts
    )


def reason_for(error: BackendError | PageRenderError, attempts: int) -> str:
    """The reason of a failure in one sentence, without the file's name."""
    if isinstance(error, PageRenderError):
        return error.reason
    tries = f" (after {attempts} attempts)" if attempts > 1 else ""
    return f"{error}{tries}"


def has_words(image: PageImage) -> bool:
    """Whether an engine that goes by the text layer has something to read on an empty picture."""
    return image.text_layer is not None and any(word.visible for word in image.text_layer.words)


def _geometry(geometry: PageGeometry) -> dict[str, object]:
    return {
        "label": geometry.label,
        "width_pt": geometry.width_pt,
        "height_pt": geometry.height_pt,
        "rotation": geometry.rotation,
        "pdf_box": geometry.pdf_box,
        "user_unit": geometry.user_unit,
    }
