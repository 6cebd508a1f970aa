"""CacheFolder: small files by key in a folder, under a limit; safe for several processes that share it.

Everything lies in one folder of its own inside of the one that the user named:

    nemoparse-pages/CACHEDIR.TAG                   our mark; backup programs know it and leave caches out
    nemoparse-pages/ab/cdef0123....page            an entry; the two levels hold its key
    nemoparse-pages/ab/cdef0123....9f0a1b2c.tmp    an entry that a process is writing

Only such names in a folder with our mark are ever removed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

FOLDER_NAME = "nemoparse-pages"

_TAG_NAME = "CACHEDIR.TAG"
# https://bford.info/cachedir/
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55\n"
_OURS = b"nemoparse_loaders"
_TAG = _SIGNATURE + b"# Pages kept by " + _OURS + b". To remove them: nemoparse cache clear\n"
_SHELF = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{62}\.page")
_UNFINISHED = re.compile(r"([0-9a-f]{62}|CACHEDIR)\.[0-9a-f]{16}\.tmp")
# No process writes one entry for so long: it was killed.
_ABANDONED_S = 3600.0
# Files take whole blocks on disk, and most entries are small.
_BLOCK = 4096
# A try is lost where another process clears the folder at that moment.
_MOST_TRIES = 20


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What a cache holds.

    Attributes:
        entries: Pages.
        bytes: Their size on disk, in blocks of 4 KiB.
        oldest: When the page was last used that was not used for longest; None where there is none.
        newest: When a page was last used.
    """

    entries: int = 0
    bytes: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    size: int
    used: float


class CacheFolder:
    """Files by key. Every call blocks on the disk; all may be made from several threads and processes.

    Args:
        folder: The folder that the user named, where ``~`` is their home; ours lies inside. Nothing is
            created before `create`.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.expanduser(folder)) / FOLDER_NAME

    def exists(self) -> bool:
        """Whether our folder is there, with our mark."""
        try:
            tag = (self.path / _TAG_NAME).read_bytes()
        except OSError:
            return False
        return tag.startswith(_SIGNATURE) and _OURS in tag

    def create(self) -> None:
        """Make the folder, for this user alone since pages may be confidential.

        Raises:
            OSError: It cannot be made.
        """
        for _ in range(_MOST_TRIES):
            # Python says that a folder exists, and is none, where it was removed a moment later.
            with suppress(FileNotFoundError, FileExistsError):
                self._make()
                return
        self._make()

    def _make(self) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.exists():
            _replace(self.path / _TAG_NAME, _TAG)

    def read(self, key: str) -> bytes | None:
        """What was written under the key, and count it as used now; None where there is nothing.

        Raises:
            OSError: There is something that cannot be read.
        """
        path = self._path_of(key)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        # A folder that cannot be written to can still be read from.
        with suppress(OSError):
            os.utime(path)
        return data

    def write(self, key: str, data: bytes) -> None:
        """Keep the data under the key; a reader sees all of it or what was there before.

        Nothing is flushed to the disk itself (fsync): a killed process loses nothing by that, and an entry
        that a power cut left damaged is found out by its checksum and asked for again, which is cheaper than
        waiting for the disk on every page.

        Raises:
            OSError: It cannot be written.
        """
        path = self._path_of(key)
        for _ in range(_MOST_TRIES):
            with suppress(FileNotFoundError):
                _replace(path, data)
                return
            # It is the first entry of its shelf, or another process has just cleared the folder.
            self.create()
            with suppress(FileNotFoundError, FileExistsError):
                path.parent.mkdir(mode=0o700, exist_ok=True)
        _replace(path, data)

    def remove(self, key: str) -> None:
        """Forget what is under the key, if it can be removed."""
        _unlink(str(self._path_of(key)))

    def info(self) -> CacheInfo:
        """Look through all entries."""
        files = list(self._entries())
        times = [datetime.fromtimestamp(file.used, timezone.utc) for file in files]
        return CacheInfo(
            len(files), sum(file.size for file in files), min(times, default=None), max(times, default=None)
        )

    def shrink(self, most: int, goal: int, spare_since: float) -> int:
        """Where the entries take more than ``most`` bytes, remove those that were not used for longest.

        Args:
            most: Bytes that they may take.
            goal: Bytes to come down to.
            spare_since: Entries used since this time are removed only where they alone take too much.

        Returns:
            Bytes that are left.
        """
        self._sweep(older_than=_ABANDONED_S)
        files = sorted(self._entries(), key=lambda file: file.used)
        size = sum(file.size for file in files)
        if size <= most:
            return size
        # The newest stays: it is what was just written.
        goal = max(goal, files[-1].size)
        recent = sum(file.size for file in files if file.used >= spare_since)
        for file in files:
            if size <= goal or (file.used >= spare_since and recent <= most):
                break
            if _unlink(file.path):
                size -= file.size
        return size

    def clear(self) -> CacheInfo:
        """Remove every entry and, where nothing else lies there, the folder; what is not ours stays.

        Returns:
            What is left, because it could not be removed or was written meanwhile.
        """
        if not self.exists():
            return self.info()
        self._sweep(older_than=0.0)
        for file in list(self._entries()):
            _unlink(file.path)
        for shelf in self._shelves():
            with suppress(OSError):
                os.rmdir(shelf)
        left = self.info()
        if not left.entries and [entry.name for entry in _listed(self.path)] == [_TAG_NAME]:
            with suppress(OSError):
                (self.path / _TAG_NAME).unlink()
                self.path.rmdir()
        return left

    def clock(self) -> float:
        """The time now as the file system tells it, which need not be this machine's."""
        try:
            os.utime(self.path / _TAG_NAME)
            return (self.path / _TAG_NAME).stat().st_mtime
        except OSError:
            return time.time()

    def _sweep(self, older_than: float) -> None:
        """Remove what killed processes left half written."""
        before = self.clock() - older_than
        for folder in (str(self.path), *self._shelves()):
            for entry in _listed(folder):
                if not _UNFINISHED.fullmatch(entry.name):
                    continue
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime <= before:
                        os.unlink(entry.path)

    def _entries(self) -> Iterator[_File]:
        for shelf in self._shelves():
            for entry in _listed(shelf):
                if not _ENTRY.fullmatch(entry.name):
                    continue
                # Another process may have removed it by now.
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    yield _File(entry.path, size_on_disk(facts.st_size), facts.st_mtime)

    def _shelves(self) -> Iterator[str]:
        for entry in _listed(self.path):
            if _SHELF.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                yield entry.path

    def _path_of(self, key: str) -> Path:
        return self.path / key[:2] / f"{key[2:]}.page"


def _replace(path: Path, data: bytes) -> None:
    # Not the process's number: two containers on one folder are often both number 1.
    unfinished = path.with_name(f"{path.stem}.{os.urandom(8).hex()}.tmp")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        try:
            os.replace(unfinished, path)
        except PermissionError:
            # Windows does not replace a file that somebody reads. What is there is the same page.
            if not path.exists():
                raise
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _listed(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _unlink(path: str) -> bool:
    """Whether the file is gone; another process may have been faster."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def size_on_disk(size: int) -> int:
    """Bytes that a file of this size takes, in whole blocks."""
    return -(-size // _BLOCK) * _BLOCK
