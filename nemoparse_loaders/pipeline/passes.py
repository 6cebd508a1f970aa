"""Double and triple pass: what is asked for beyond the page itself, and the record that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ..document import PageStep
from .concurrent import gathered
from .page import detected_page, page_of_replies
from .record import PageRecord, RegionReply, ReplyPart
from .regions import Region, regions_to_read, wants_reading


class RegionRequests(Protocol):
    """What the passes of a page may ask for."""

    @property
    def reads_pictures(self) -> bool:
        """Whether the task asks for text in pictures."""
        ...

    async def read_region(self, region: Region) -> RegionReply:
        """A region by itself, drawn larger; without a reply where none came."""
        ...


async def with_regions(
    record: PageRecord, requests: RegionRequests, profile: str, *, detection: ReplyPart | None = None
) -> PageRecord:
    """Read the tables and charts of a page by themselves, and what detection says that it missed.

    The regions are asked for side by side. Where no reply comes, the page stays as it was there.

    Args:
        record: Of the page as it was read, with at least one reply.
        requests: Asks.
        profile: Name of the profile that replies are decoded with.
        detection: The reply to the task that asks for regions alone, in a triple pass.

    Returns:
        The record with detection and regions, from which `page_from_record` makes the merged page; a step
        says what was read.
    """
    record = replace(record, detection=detection)
    page = page_of_replies(record, profile)
    wanted = regions_to_read(page, detected_page(record, profile))
    asked = [region for region in wanted if wants_reading(region, text_in_pictures=requests.reads_pictures)]
    replies = dict(zip(asked, await gathered(map(requests.read_region, asked)), strict=True))
    regions = tuple(replies.get(region) or RegionReply(region, region.box, None) for region in wanted)
    if not asked:
        return replace(record, regions=regions)
    step = PageStep(action="region", reason=_what_was_read(regions, asked))
    return replace(record, regions=regions, steps=(*record.steps, step))


def _what_was_read(regions: Sequence[RegionReply], asked: Sequence[Region]) -> str:
    read = {item.region for item in regions if item.reply is not None}
    known = Counter(region.type for region in asked if region in read and region.subject)
    missed = Counter(region.type for region in asked if region in read and not region.subject)
    parts = [f"{count} {kind}" for kind, count in known.items()]
    parts += [f"{count} {kind} that the page had not" for kind, count in missed.items()]
    unread = len(asked) - sum(known.values()) - sum(missed.values())
    parts += [f"no reply for {unread}"] if unread else []
    return f"read by themselves: {', '.join(parts)}"
