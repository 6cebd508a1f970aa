"""One page through an engine: attempts, judgement, and the ParsedPage that comes of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ..backends.base import ModelReply, Session
from ..decoding import decode_page
from ..document import Issue, ParsedPage
from ..errors import BackendError, PageRenderError
from ..rendering.page_image import PageGeometry, PageImage
from .retry import RetryPolicy

_LONGEST_WORD = 500


@dataclass(frozen=True, slots=True)
class PageReply:
    """What a page was answered with.

    Attributes:
        reply: The last reply.
        attempts: Requests made.
    """

    reply: ModelReply
    attempts: int


@dataclass(frozen=True, slots=True)
class PageFailure:
    """Why a page has no reply.

    Attributes:
        error: The last error.
        attempts: Requests made.
    """

    error: BackendError
    attempts: int


async def request_page(session: Session, image: PageImage, policy: RetryPolicy) -> PageReply | PageFailure:
    """Send a page until there is a reply or the policy gives up.

    Returns:
        The reply or the failure. An aborted reply is asked for again like a
        fault, since the server was stopped in mid-answer; if no other comes, it is what there is.
    """
    attempt = 0
    aborted: ModelReply | None = None
    while True:
        attempt += 1
        try:
            reply = await session.read(image)
        except BackendError as error:
            failure = error
        else:
            if reply.finish_reason != "abort":
                return PageReply(reply, attempt)
            aborted = reply
            failure = _AbortedError("the server was stopped in mid-answer")
        wait = policy.wait(attempt, failure)
        if wait is None:
            return PageFailure(failure, attempt) if aborted is None else PageReply(aborted, attempt)
        await asyncio.sleep(wait)


class _AbortedError(BackendError):
    retryable = True


def page_from_reply(reply: ModelReply, attempts: int, image: PageImage, profile: str) -> ParsedPage:
    """Decode a reply and put the page's own facts beside it."""
    page = decode_page(
        reply.text,
        finish_reason=None if reply.finish_reason is None else clean_word(reply.finish_reason),
        profile=profile,
        page_number=image.geometry.number,
        image_size=(image.width, image.height),
    )
    return page.model_copy(
        update={
            **_geometry(image.geometry),
            "issues": (*image.issues, *page.issues),
            "usage": reply.usage,
            "attempts": attempts,
        }
    )


def clean_word(text: str) -> str:
    """A word of the server's, without what databases and JSON writers refuse, and not endless."""
    return "".join(char if char.isprintable() else " " for char in text[:_LONGEST_WORD])


def blank_page(image: PageImage) -> ParsedPage:
    """A page whose picture is empty: it is not sent, since a model may invent text for it.

    Where the text is there and only its font is missing on this machine, the page counts as failed.
    """
    lost = any(issue.code == "fonts_missing" for issue in image.issues)
    return ParsedPage(
        number=image.geometry.number,
        status="failed" if lost else "blank",
        issues=image.issues,
        **_geometry(image.geometry),
    )


def failed_page(
    number: int, code: str, reason: str, *, geometry: PageGeometry | None = None, attempts: int = 0
) -> ParsedPage:
    """A page without a result, with the reason."""
    issue = Issue(code=code, message=reason, severity="error", page=number)
    facts = _geometry(geometry) if geometry is not None else {"label": str(number)}
    return ParsedPage(number=number, status="failed", issues=(issue,), attempts=attempts, **facts)


def reason_for(error: BackendError | PageRenderError, attempts: int) -> str:
    """The reason of a failure in one sentence, without the file's name."""
    if isinstance(error, PageRenderError):
        return error.reason
    tries = f" (after {attempts} attempts)" if attempts > 1 else ""
    return f"{error}{tries}"


def _geometry(geometry: PageGeometry) -> dict[str, object]:
    return {
        "label": geometry.label,
        "width_pt": geometry.width_pt,
        "height_pt": geometry.height_pt,
        "rotation": geometry.rotation,
        "pdf_box": geometry.pdf_box,
        "user_unit": geometry.user_unit,
    }
