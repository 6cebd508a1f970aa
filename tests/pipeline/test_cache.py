"""Pages on disk: found again, never half, never without end, and nobody else's files touched."""

from __future__ import annotations

import dataclasses
import logging
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nemoparse_loaders import OptionError, ParsedPage
from nemoparse_loaders.document import Issue, PageStatus, PageStep
from nemoparse_loaders.pipeline.cache import PageCache, page_key, worth_keeping
from nemoparse_loaders.pipeline.cache_folder import FOLDER_NAME
from nemoparse_loaders.pipeline.record import PageRecord
from nemoparse_loaders.rendering import PageGeometry, RenderSettings

from .records import entry_of, files_in, key_of, record_of


def test_the_key_is_the_same_in_every_process() -> None:
    code = (
        "from nemoparse_loaders.pipeline.cache import page_key; from nemoparse_loaders.rendering import "
        "RenderSettings; print(page_key('c0ffee', 1, RenderSettings(), 'model', 'vllm'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == key_of(1)


@pytest.mark.parametrize(
    "other",
    [
        ("c0ffef", 1, "model", "vllm"),
        ("c0ffee", 2, "model", "vllm"),
        ("c0ffee", 1, "model 2", "vllm"),
        ("c0ffee", 1, "model", "nvidia"),
    ],
)
def test_another_page_has_another_key(other: tuple[str, int, str, str]) -> None:
    content, number, fingerprint, backend = other
    assert page_key(content, number, RenderSettings(), fingerprint, backend) != key_of(1)


CHANGED_SETTINGS: dict[str, RenderSettings] = {
    "max_image_size": RenderSettings(max_image_size=(1000, 2048)),
    "dpi": RenderSettings(dpi=150),
    "text_layer": RenderSettings(text_layer=True),
    "max_image_bytes": RenderSettings(max_image_bytes=100_000),
}


@pytest.mark.parametrize(
    "name", [field.name for field in dataclasses.fields(RenderSettings) if field.name != "evidence"]
)
def test_another_picture_has_another_key(name: str) -> None:
    assert page_key("c0ffee", 1, CHANGED_SETTINGS[name], "model", "vllm") != key_of(1)


def test_what_a_page_is_checked_against_changes_no_key() -> None:
    assert page_key("c0ffee", 1, RenderSettings(evidence=True), "model", "vllm") == key_of(1)


def test_one_resolution_has_one_key_however_it_is_written() -> None:
    whole, real = (page_key("c0ffee", 1, RenderSettings(dpi=dpi), "model", "vllm") for dpi in (200, 200.0))
    assert whole == real


def judged(
    status: PageStatus, *ends: str | None, steps: tuple[PageStep, ...] = ()
) -> tuple[ParsedPage, PageRecord]:
    parts = tuple(part for end in ends for part in record_of("text", finish_reason=end).parts)
    record = PageRecord(PageGeometry(1, "1", 1.0, 1.0), parts=parts, steps=steps)
    return ParsedPage(number=1, status=status, steps=steps), record


@pytest.mark.parametrize(
    ("status", "ends"),
    [
        ("ok", ["stop"]),
        ("ok", ["tool_calls"]),
        ("ok", [None]),
        ("ok", ["stop", "stop"]),
        ("ok", ["stop", "length"]),
        ("blank", []),
        ("partial", ["stop"]),
        ("partial", ["length"]),
        ("partial", ["repetition", "stop"]),
    ],
)
def test_what_asking_again_would_not_better_is_kept(status: PageStatus, ends: list[str | None]) -> None:
    assert worth_keeping(*judged(status, *ends))


@pytest.mark.parametrize(
    ("status", "ends"),
    [
        ("failed", []),
        ("failed", ["stop"]),
        ("partial", ["abort"]),
        ("partial", ["stop", "abort"]),
        ("partial", [None]),
        ("partial", ["error"]),
        ("ok", ["abort"]),
    ],
)
def test_what_may_come_out_better_is_asked_for_again(status: PageStatus, ends: list[str | None]) -> None:
    assert not worth_keeping(*judged(status, *ends))


def test_a_page_from_the_text_layer_is_asked_for_again() -> None:
    reread = PageStep(action="reread", reason="it looped")
    assert worth_keeping(*judged("ok", "stop", steps=(reread,)))
    fallback = PageStep(action="text_layer", reason="nothing else helped")
    assert not worth_keeping(*judged("ok", "stop", steps=(reread, fallback)))


def test_what_was_kept_is_found_by_another_run(tmp_path: Path) -> None:
    record = dataclasses.replace(
        record_of("<x_0.1><y_0.1>é\ud800<x_0.9><y_0.2><class_Text>"),
        issues=(Issue(code="scale_capped", message="smaller", page=1),),
        steps=(PageStep(action="retry", reason="the server was busy"),),
    )
    blank = PageRecord(PageGeometry(2, "ii", 10.0, 20.0, 90, (0.0, 0.0, 20.0, 10.0), 2.0))
    first = PageCache(tmp_path)
    assert first.get(key_of(1)) is None
    first.put(key_of(1), record)
    first.put(key_of(2), blank)
    second = PageCache(tmp_path)
    assert second.get(key_of(1)) == record
    assert second.get(key_of(2)) == blank
    assert second.get(key_of(3)) is None


def test_the_later_of_two_is_found(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    cache.put(key_of(1), record_of("two"))
    assert cache.get(key_of(1)) == record_of("two")
    assert len(files_in(tmp_path)) == 1


def test_a_damaged_entry_is_no_entry(tmp_path: Path) -> None:
    record = record_of("some text " * 30)
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record)
    path = entry_of(tmp_path, key_of(1))
    whole = path.read_bytes()
    found = 0
    for place in range(len(whole)):
        head, byte, tail = whole[:place], whole[place], whole[place + 1 :]
        flipped = head + bytes([byte ^ 1 << place % 8]) + tail
        for damaged in {flipped, head, head + bytes(len(tail) + 1)} - {whole}:
            path.write_bytes(damaged)
            again = cache.get(key_of(1))
            # Of a few bits before the sum nothing depends.
            assert again in (None, record)
            assert path.exists() == (again is not None)
            found += again is not None
    assert found < 2
    cache.put(key_of(1), record)
    assert cache.get(key_of(1)) == record


def test_the_entry_of_another_page_is_no_entry(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    cache.put(key_of(2), record_of("two"))
    shutil.copy(entry_of(tmp_path, key_of(1)), entry_of(tmp_path, key_of(2)))
    assert cache.get(key_of(2)) is None
    assert cache.get(key_of(1)) == record_of("one")


def test_an_entry_of_another_format_is_no_entry(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    path = entry_of(tmp_path, key_of(1))
    path.write_bytes(path.read_bytes().replace(b"page 1", b"page 0", 1))
    assert cache.get(key_of(1)) is None
    assert not path.exists()


def test_readers_see_one_record_or_the_other(tmp_path: Path) -> None:
    both = [record_of(letter * 20_000) for letter in "ab"]
    cache = PageCache(tmp_path)
    cache.put(key_of(1), both[0])
    done = threading.Event()
    seen: list[PageRecord | None] = []

    def read() -> None:
        while not done.is_set():
            seen.append(cache.get(key_of(1)))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(300):
        cache.put(key_of(1), both[turn % 2])
    done.set()
    reader.join()
    assert seen
    assert all(record in both for record in seen)
    assert not files_in(tmp_path, "*.tmp")


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OptionError, match=r"cache_dir: .*file.* cannot be created"):
            PageCache(folder)
    assert (tmp_path / "file").read_text() == "mine"
    for name in ("a\0b", "a\ud800b"):
        with pytest.raises(OptionError, match=r"cache_dir: .*no name of a folder"):
            PageCache(name)


def test_a_disk_that_refuses_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    # A file in the place of a shelf: what a folder without permission does, also where the tests run as root.
    (tmp_path / FOLDER_NAME / key_of(2)[:2]).write_text("in the way")
    for _ in range(3):
        cache.put(key_of(2), record_of("two"))
    cache.put(key_of(3), record_of("three"))
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert str(tmp_path) in caplog.text
    assert cache.get(key_of(1)) == record_of("one"), "what is there is still of use"
    assert cache.get(key_of(2)) is None
    assert cache.get(key_of(3)) is None, "no more writes"


def test_a_folder_that_takes_nothing_at_all(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / FOLDER_NAME).write_text("in the way")
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    assert cache.get(key_of(1)) is None
    assert cache.folder.info().entries == 0
    cache.folder.clear()
    assert (tmp_path / FOLDER_NAME).read_text() == "in the way"
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are a thing of POSIX")
def test_a_full_disk(tmp_path: Path) -> None:
    code = """
import random, resource, sys
from nemoparse_loaders.pipeline.cache import PageCache
from tests.pipeline.records import key_of, record_of
cache = PageCache(sys.argv[1])
cache.put(key_of(1), record_of("one"))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for number in (2, 3):
    cache.put(key_of(number), record_of(random.Random(number).randbytes(9000).hex()))
assert cache.get(key_of(1)) == record_of("one")
assert cache.get(key_of(2)) is None
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False, cwd=root
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cannot be written to") == 1
    assert len(done.stderr.splitlines()) == 1
    assert not files_in(tmp_path, "*.tmp"), "no half file is left"


def test_a_page_that_is_read_at_the_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))

    def as_on_windows(source: str, target: str) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", as_on_windows)
        cache.put(key_of(1), record_of("one"))
    cache.put(key_of(2), record_of("two"))
    assert cache.get(key_of(1)) == record_of("one")
    assert cache.get(key_of(2)) == record_of("two"), "writing goes on"
    assert not files_in(tmp_path, "*.tmp")
    assert not caplog.records


def test_a_folder_that_is_removed_meanwhile_is_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = PageCache(tmp_path / "cache")
    cache.put(key_of(1), record_of("one"))
    shutil.rmtree(tmp_path / "cache")
    assert cache.get(key_of(1)) is None
    cache.put(key_of(1), record_of("one"))
    assert PageCache(tmp_path / "cache").get(key_of(1)) == record_of("one")
    assert not caplog.records


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_pages_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    before = os.umask(0)
    try:
        PageCache(folder).put(key_of(1), record_of("one"))
    finally:
        os.umask(before)
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
