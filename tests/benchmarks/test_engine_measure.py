"""What the engine's benchmark measures with: processor time of children, intervals, the sample."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pypdfium2
import pytest

from benchmarks.engine.client_ours import parser_for
from benchmarks.engine.limit import compare, interval
from benchmarks.engine.measure import Job, Meter, cpu_seconds, descendants
from benchmarks.engine.sample import KINDS, make_cheap_file, make_reply, make_sample
from nemoparse_loaders.backends.base import ServerBackend
from nemoparse_loaders.decoding import decode_page

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc, which Linux has")

# Takes processor time, says so, and stays.
BUSY = """
import sys, time
while time.process_time() < 0.5: pass
print("done", flush=True)
sys.stdin.read()
"""


@linux_only
def test_children_count_living_and_ended() -> None:
    before = cpu_seconds()
    own = time.process_time()
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "done\n"
        assert child.pid in descendants(os.getpid())
        living = cpu_seconds() - before
    ended = cpu_seconds() - before
    for seconds in (living, ended):
        # A tick of the kernel's clock is 10 ms.
        assert seconds - (time.process_time() - own) > 0.4
    assert child.pid not in descendants(os.getpid())


@linux_only
def test_meter_tells_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    meter = Meter()
    for number in range(100):
        meter.page(ok=number > 1)
    meter.report()
    last = capsys.readouterr().out.splitlines()[-1]
    assert '"pages": 100, "failed": 2' in last
    assert [pages for pages, _ in meter.memory] == [50, 100]


def test_interval() -> None:
    mean, low, high = interval([1.0, 1.0, 1.0, 1.0, 1.0])
    assert (mean, low, high) == (1.0, 1.0, 1.0)
    mean, low, high = interval([0.9, 1.1, 0.95, 1.05, 1.0])
    assert low < mean < high
    assert mean == pytest.approx((0.9 * 1.1 * 0.95 * 1.05) ** 0.2)
    assert math.sqrt(low * high) == pytest.approx(mean)


def test_pairs_are_run_with_the_best_limit() -> None:
    asked: list[int | None] = []

    def speed(limit: int | None) -> float:
        asked.append(limit)
        return {32: 10.0, 64: 20.0, 128: 15.0, None: 19.0}[limit]

    seen = compare(speed, [32, 64, 128], pairs=4)
    assert seen.best == 64
    assert asked == [32, 64, 128, None, 64, 64, None, None, 64, 64, None]
    assert seen.mean == pytest.approx(0.95)


def test_reply_is_an_ordinary_page(tmp_path: Path) -> None:
    page = decode_page(make_reply(tmp_path).read_text("utf-8"))
    assert (page.status, len(page.elements)) == ("ok", 34)


def test_cheap_file(tmp_path: Path) -> None:
    with pypdfium2.PdfDocument(make_cheap_file(tmp_path, 7)) as document:
        assert len(document) == 7


@pytest.mark.data
def test_sample_has_as_many_pages_of_each_kind(data_dir: Path, tmp_path: Path) -> None:
    files = make_sample(data_dir / "pages", tmp_path, 3)
    assert [file.stem for file in files] == list(KINDS)
    for file in files:
        with pypdfium2.PdfDocument(file) as document:
            assert len(document) == 3


def test_pictures_made_beforehand_leave_the_limit_to_adapt(tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    picture.write_bytes(b"")
    parser = parser_for(Job("http://127.0.0.1:9", [], in_flight=None, cached_images=[str(picture)]))
    assert isinstance(parser.backend, ServerBackend)
    assert parser.options.max_concurrency is None
