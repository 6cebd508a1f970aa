"""PageCache: what pages are made from, kept on disk by content, so that a second run asks for none."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import zlib
from dataclasses import asdict
from pathlib import Path

from ..document import ParsedPage
from ..errors import OptionError
from ..rendering.settings import RenderSettings
from .cache_folder import CacheFolder, size_on_disk
from .record import PageRecord
from .record_json import record_from_json, record_to_json

logger = logging.getLogger(__name__)

# Part of every key and entry. Raise it when pages are drawn or records are written in another way: older
# entries are then not found any more, and go when room is needed.
_FORMAT = 1
_MAGIC = b"nemoparse page %d\n" % _FORMAT
# isal's fastest level: a reply of 50 kB takes a fifth of a millisecond.
_LEVEL = 1
# A cache that is too full comes down to this share of its limit, so that the next look is some time off.
_GOAL = 7 / 8
# Other processes write as well, so the whole folder is looked through every so often.
_LOOK_EVERY = 1 / 16
# How a model ends a reply of its own; "repetition" is vLLM's loop detector, "tool_calls" the 1.1 API's stop.
_ENDS_OF_THE_MODEL = frozenset({"stop", "tool_calls", "length", "repetition"})


def page_key(
    content_hash: str, page_number: int, settings: RenderSettings, fingerprint: str, backend: str
) -> str:
    """What a page is kept under: everything that its record depends on, and nothing else.

    The version of PDFium is no part of it. Another one draws the same page a shade differently, and the model
    reads it as well; with it every upgrade would throw away hours of a GPU. Who wants pages drawn anew clears
    the cache.

    Args:
        content_hash: SHA-256 of the file, hex.
        page_number: 1-based.
        settings: How the page is to be drawn by the options, not with the limits that a server turned out to
            have: those are not known yet when the next run looks a page up.
        fingerprint: All that shapes a record besides the picture: the session's, and whether and how pages
            are recovered.
        backend: The engine's name.

    Returns:
        64 hex digits.
    """
    drawn = asdict(settings)
    # What the page is checked against changes neither its picture nor the reply.
    del drawn["evidence"]
    # 200 and 200.0 are the same resolution.
    drawn["dpi"] = None if settings.dpi is None else float(settings.dpi)
    facts = {
        "format": _FORMAT,
        "content": content_hash,
        "page": page_number,
        "settings": drawn,
        "fingerprint": fingerprint,
        "backend": backend,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def worth_keeping(page: ParsedPage, record: PageRecord) -> bool:
    """Whether asking again would hardly give anything better.

    Pages that were read whole, pages with nothing on them, and pages that the model itself ended early. What
    failed, was aborted, or was taken from the text layer is asked for again in the next run, and so is a page
    one of whose regions, or whose detection, got no whole answer.
    """
    if any(step.action == "text_layer" for step in record.steps):
        return False
    if not record.is_complete:
        return False
    ends = {part.reply.finish_reason for part in record.parts}
    if page.status == "partial":
        return ends <= _ENDS_OF_THE_MODEL
    # A server may leave the reason out. Then the text has shown that the reply is whole.
    return page.status in ("ok", "blank") and ends <= {*_ENDS_OF_THE_MODEL, None}


class PageCache:
    """Records by key in a folder. Calls block on the disk: make them in a thread, in several at once or not.

    Several processes may use one folder. Entries are for this user alone (0600, their folder 0700).

    Args:
        folder: Made where it is missing; the pages lie in a folder of their own inside.
        max_bytes: What they may take on disk; those that were not used for longest go first. Other processes
            that write at the same time may exceed it by a sixteenth each until somebody looks.

    Attributes:
        folder: The files.

    Raises:
        OptionError: There cannot be a folder of that name.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = 2 * 1024**3) -> None:
        self.folder = CacheFolder(folder)
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._shrinking = threading.Lock()
        self._writes = True
        self._readable = True
        _make_folder(self.folder.path.parent)
        try:
            self.folder.create()
        except OSError as error:
            # It can be read all the same, if somebody else has filled it.
            self._stop_writing(error)
        self._opened = self.folder.clock()
        # Bytes written since the folder was last looked through, and how many of them call for the next look.
        self._unseen = 0
        self._most_unseen = 0
        self._shrink()

    def get(self, key: str) -> PageRecord | None:
        """The record, decoding left to be done; None where there is none.

        An entry that is damaged, of another format, or of another page is removed and counts as none.
        """
        try:
            data = self.folder.read(key)
        except OSError as error:
            self._say_unreadable(error)
            return None
        if data is None:
            return None
        try:
            return _unpacked(key, data)
        except ValueError as error:
            logger.debug("Page cache: %s is of no use and removed: %s", key, type(error).__name__)
            self.folder.remove(key)
            return None

    def put(self, key: str, record: PageRecord) -> None:
        """Keep a record. Where the disk does not take it, one warning is logged and nothing more is kept."""
        if not self._writes:
            return
        data = _packed(key, record)
        if size_on_disk(len(data)) > self._max_bytes:
            return
        try:
            self.folder.write(key, data)
        except OSError as error:
            self._stop_writing(error)
            return
        with self._lock:
            self._unseen += size_on_disk(len(data))
            look = self._unseen > self._most_unseen
        if look:
            self._shrink()

    def _shrink(self) -> None:
        # One thread is enough; the others go on.
        if not self._shrinking.acquire(blocking=False):
            return
        try:
            with self._lock:
                self._unseen = 0
            size = self.folder.shrink(self._max_bytes, int(self._max_bytes * _GOAL), self._opened)
            room, often = self._max_bytes - size, int(self._max_bytes * _LOOK_EVERY)
            with self._lock:
                # Where nothing can be removed, looking on every page would not help.
                self._most_unseen = min(room, often) if room >= 0 else often
        finally:
            self._shrinking.release()

    def _stop_writing(self, error: OSError) -> None:
        with self._lock:
            first, self._writes = self._writes, False
        if first:
            logger.warning(
                "The page cache %s cannot be written to (%s): the pages of this run are not kept.",
                self.folder.path,
                _words(error),
            )

    def _say_unreadable(self, error: OSError) -> None:
        with self._lock:
            first, self._readable = self._readable, False
        if first:
            logger.warning(
                "The page cache %s holds a page that cannot be read (%s): such pages are asked for again.",
                self.folder.path,
                _words(error),
            )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"cache_dir: {folder} cannot be created: {_words(error)}") from error
    except ValueError as error:  # a null character, or half a surrogate pair
        raise OptionError(f"cache_dir: {str(folder)!r} is no name of a folder ({error})") from error


def _words(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _packed(key: str, record: PageRecord) -> bytes:
    from isal import isal_zlib

    packed: bytes = isal_zlib.compress(key.encode() + record_to_json(record), _LEVEL)
    return _MAGIC + packed


def _unpacked(key: str, data: bytes) -> PageRecord:
    """Raises ValueError where it is not what `_packed` made of this key."""
    if not data.startswith(_MAGIC):
        raise ValueError("not an entry of this format")
    try:
        # It checks the sum that stands at the end.
        body = zlib.decompress(data[len(_MAGIC) :])
    except zlib.error as error:
        raise ValueError("damaged") from error
    if not body.startswith(key.encode()):
        raise ValueError("the entry of another page")
    return record_from_json(body[len(key) :])
