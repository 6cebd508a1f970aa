"""The folder of a cache: its limit, its owner's commands, and many who use it at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemoparse_loaders.pipeline.cache import PageCache
from nemoparse_loaders.pipeline.cache_folder import FOLDER_NAME, CacheFolder

from .records import BLOCK, entry_of, files_in, key_of, record_of, set_age


def old_cache(folder: Path, numbers: range) -> None:
    """Entries of an earlier run, the first not used for longest."""
    cache = PageCache(folder)
    for number in numbers:
        cache.put(key_of(number), record_of("one"))
        set_age(entry_of(folder, key_of(number)), 10_000 - number)


def held(folder: Path, numbers: range) -> list[int]:
    names = {path.parent.name + path.stem for path in files_in(folder)}
    return [number for number in numbers if key_of(number) in names]


def test_at_opening_what_was_not_used_for_longest_goes(tmp_path: Path) -> None:
    old_cache(tmp_path, range(20))
    PageCache(tmp_path, max_bytes=20 * BLOCK)
    assert held(tmp_path, range(20)) == [*range(20)]
    cache = PageCache(tmp_path, max_bytes=16 * BLOCK)
    assert held(tmp_path, range(20)) == [*range(6, 20)]
    assert cache.folder.info().bytes == 14 * BLOCK


def test_a_page_that_was_used_stays_longer(tmp_path: Path) -> None:
    old_cache(tmp_path, range(20))
    assert PageCache(tmp_path).get(key_of(0)) == record_of("one")
    PageCache(tmp_path, max_bytes=16 * BLOCK)
    assert held(tmp_path, range(20)) == [0, *range(7, 20)]


def test_pages_of_this_run_stay_while_older_ones_can_go(tmp_path: Path) -> None:
    old_cache(tmp_path, range(16))
    cache = PageCache(tmp_path, max_bytes=16 * BLOCK)
    for number in range(100, 116):
        cache.put(key_of(number), record_of("two"))
        assert cache.folder.info().bytes <= 16 * BLOCK
        assert held(tmp_path, range(100, 116)) == [*range(100, number + 1)]
    assert held(tmp_path, range(16)) == []
    cache.put(key_of(116), record_of("two"))
    assert held(tmp_path, range(100, 117)) == [*range(103, 117)], "they alone are too many"


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.lists(st.integers(0, 20_000), min_size=1, max_size=30))
def test_the_limit_holds_after_every_page(
    tmp_path_factory: pytest.TempPathFactory, blocks: int, sizes: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    cache = PageCache(folder, max_bytes=blocks * BLOCK)
    for number, size in enumerate(sizes):
        record = record_of(os.urandom(size).hex())
        cache.put(key_of(number), record)
        assert cache.folder.info().bytes <= blocks * BLOCK
        assert cache.folder.info().entries > 0 or size > BLOCK / 3
        assert cache.get(key_of(number)) in (None, record)


def test_a_page_that_is_larger_than_the_limit_drives_no_other_out(tmp_path: Path) -> None:
    cache = PageCache(tmp_path, max_bytes=4 * BLOCK)
    cache.put(key_of(1), record_of("one"))
    cache.put(key_of(2), record_of(os.urandom(20_000).hex()))
    assert held(tmp_path, range(1, 3)) == [1]


def test_what_other_processes_write_is_counted_before_long(tmp_path: Path) -> None:
    limit = 64 * BLOCK
    one, other = PageCache(tmp_path, max_bytes=limit), PageCache(tmp_path, max_bytes=limit)
    for number in range(300):
        (one, other)[number % 2].put(key_of(number), record_of("x"))
        assert one.folder.info().bytes <= limit * (1 + 2 / 16)


def test_what_killed_processes_left_goes_after_an_hour(tmp_path: Path) -> None:
    PageCache(tmp_path).put(key_of(1), record_of("one"))
    entry = entry_of(tmp_path, key_of(1))
    old, new = (entry.with_name(f"{entry.stem}.{number:016x}.tmp") for number in (1, 2))
    foreign = entry.with_name("notes.tmp")
    for path in (old, new, foreign):
        path.write_bytes(b"half")
    set_age(old, 3700)
    set_age(foreign, 3700)
    PageCache(tmp_path)
    assert (old.exists(), new.exists(), foreign.exists(), entry.exists()) == (False, True, True, True)


def test_info_says_what_is_there(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    empty = cache.folder.info()
    assert (empty.entries, empty.bytes, empty.oldest, empty.newest) == (0, 0, None, None)
    old_cache(tmp_path, range(3))
    info = cache.folder.info()
    assert (info.entries, info.bytes) == (3, 3 * BLOCK)
    assert info.oldest is not None
    assert info.newest is not None
    assert 0 < (info.newest - info.oldest).total_seconds() < 60


def test_clear_leaves_nothing_of_ours(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    for number in range(10):
        cache.put(key_of(number), record_of("one"))
    entry = files_in(tmp_path)[0]
    for stem in (entry.with_suffix(""), tmp_path / FOLDER_NAME / "CACHEDIR"):
        Path(f"{stem}.{1:016x}.tmp").write_bytes(b"half")
    assert cache.folder.clear().entries == 0
    assert [*tmp_path.iterdir()] == []
    cache.put(key_of(1), record_of("one"))
    assert cache.get(key_of(1)) == record_of("one"), "and it can go on"


def test_clear_touches_no_file_of_others(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    ours = tmp_path / FOLDER_NAME
    shelf = entry_of(tmp_path, key_of(1)).parent
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    entry_like = f"{'0' * 62}.page"
    foreign = [
        tmp_path / "report.pdf",
        tmp_path / entry_like,
        ours / "notes.txt",
        shelf / "notes.txt",
        shelf / "0.page",
        elsewhere / entry_like,
    ]
    for path in foreign:
        path.write_text("mine")
    link = ours / ("00" if shelf.name != "00" else "11")
    link.symlink_to(elsewhere, target_is_directory=True)
    cache.folder.clear()
    assert [path.read_text() for path in foreign] == ["mine"] * len(foreign)
    assert not held(tmp_path, range(2))


def test_a_folder_without_our_mark_is_not_cleared(tmp_path: Path) -> None:
    cache = PageCache(tmp_path)
    cache.put(key_of(1), record_of("one"))
    (tmp_path / FOLDER_NAME / "CACHEDIR.TAG").write_text("Signature: of somebody else\n")
    assert cache.folder.clear().entries == 1
    assert len(files_in(tmp_path)) == 1


def together(*jobs: Callable[[], None]) -> None:
    """Run all at once; what one of them raises is raised here."""
    errors: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_write_read_and_evict_side_by_side(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = PageCache(tmp_path, max_bytes=20 * BLOCK)

    def work(start: int) -> None:
        for number in range(start, start + 60):
            cache.put(key_of(number), record_of(str(number)))
            assert cache.get(key_of(number - 5)) in (None, record_of(str(number - 5)))

    together(*(lambda start=start: work(start) for start in (0, 30, 1000, 2000)))
    assert 0 < cache.folder.info().bytes <= 21 * BLOCK
    assert not caplog.records


def test_clearing_while_others_write_fails_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer, clearer = PageCache(tmp_path), PageCache(tmp_path)
    done = threading.Event()

    def write() -> None:
        try:
            for number in range(300):
                writer.put(key_of(number), record_of("one"))
        finally:
            done.set()

    def clear() -> None:
        while not done.is_set():
            clearer.folder.clear()

    together(write, clear)
    writer.put(key_of(0), record_of("last"))
    assert writer.get(key_of(0)) == record_of("last"), "writing was never given up"
    assert not caplog.records


WORKER = """
import sys
from nemoparse_loaders.pipeline.cache import PageCache
from tests.pipeline.records import BLOCK, key_of, record_of
cache = PageCache(sys.argv[1], max_bytes=40 * BLOCK)
sys.stdin.readline()
for number in range(200):
    cache.put(key_of(number), record_of(str(number) * 50))
    assert cache.get(key_of(number // 2)) in (None, record_of(str(number // 2) * 50))
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [
        subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        _, told = worker.communicate(timeout=120)
        assert worker.returncode == 0, told
        assert told == "", "no warning either"
    cache = PageCache(tmp_path, max_bytes=40 * BLOCK)
    assert 0 < cache.folder.info().bytes <= 40 * BLOCK
    assert not files_in(tmp_path, "*.tmp")


# Forks, so that twenty children take no twenty starts of Python.
KILLED = """
import os, random, signal, sys, time
from nemoparse_loaders.pipeline.cache import PageCache
from tests.pipeline.records import key_of, record_of

def text(number):
    return random.Random(number).randbytes(number % 7 * 20_000 + 10).hex()

folder, chance, kept, left = sys.argv[1], random.Random(7), set(), 0
for turn in range(20):
    start = turn * 1000
    inlet, outlet = os.pipe()
    child = os.fork()
    if not child:
        cache = PageCache(folder)
        for number in range(start, start + 1000):
            cache.put(key_of(number), record_of(text(number)))
            os.write(outlet, b"%d\\n" % number)
        os._exit(0)
    os.close(outlet)
    told = os.read(inlet, 20)
    until = time.perf_counter() + chance.random() * 0.02
    while time.perf_counter() < until:
        pass
    os.kill(child, signal.SIGKILL)
    while more := os.read(inlet, 4096):
        told += more
    os.close(inlet)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "it was to be killed in mid-work"
    kept.update(map(int, told.split()))
    cache = PageCache(folder)
    for number in range(start, start + 1000):
        record = cache.get(key_of(number))
        assert record is None or record == record_of(text(number)), number
        assert record is not None or number not in kept, f"{number} is lost"
        left += record is not None
print(len(kept), left)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_killed_process_loses_nothing_that_was_kept_and_leaves_nothing_half(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    told, found = map(int, done.stdout.split())
    assert 20 <= told <= found


def test_a_tilde_is_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    PageCache("~/pages").put(key_of(1), record_of("one"))
    assert held(tmp_path / "pages", range(2)) == [1]
    assert CacheFolder("~/pages").exists()
