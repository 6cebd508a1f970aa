"""Runs that are killed or interrupted: nothing is paid for twice, and nothing is left behind."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from nemoparse_loaders import DocumentParser, ParsedDocument
from nemoparse_loaders.pipeline.cache_folder import CacheFolder
from nemoparse_loaders.testing import Hang, ParseServer
from nemoparse_loaders.testing.requests import RecordedRequest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills process groups, which only POSIX has")

PAGES = 30
KILLS = 20

# Small pictures: drawing them thousands of times is what takes long here.
SMALL = (208, 256)

SCRIPT = f"""
import sys
from nemoparse_loaders import DocumentParser
url, cache, pdf = sys.argv[1:4]
parser = DocumentParser(backend="vllm", base_url=url, cache_dir=cache or None, max_concurrency=4,
                        timeout=300, render_workers=1, max_image_size={SMALL})
print("started", flush=True)
parser.parse(pdf)
"""


def reply_for(request: RecordedRequest) -> str:
    """A text of its own for every picture."""
    assert request.image is not None
    name = hashlib.sha256(request.image).hexdigest()[:12]
    return f"<x_0.1><y_0.1>picture {name}<x_0.9><y_0.2><class_Text>"


@pytest.fixture
def pdf(tmp_path: Path, make_pdf: Callable[..., bytes]) -> Path:
    path = tmp_path / "thirty.pdf"
    path.write_bytes(make_pdf(*(f"This is page {number}" for number in range(1, PAGES + 1))))
    return path


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str, str, Path], subprocess.Popen[str]]]:
    """Starts a run in a process group and a temporary folder of its own."""
    started: list[subprocess.Popen[str]] = []
    (tmp_path / "tmp").mkdir()

    def run(url: str, cache: str, pdf: Path) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, url, cache, str(pdf)],
            env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(child)
        return child

    yield run
    for child in started:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def ended(group: int) -> bool:
    """Whether no process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def without_report(document: ParsedDocument) -> ParsedDocument:
    return document.model_copy(update={"report": None})


def parser_like_the_script(url: str, cache: Path | None = None) -> DocumentParser:
    """What the script reads and this one are the same pages: only where it is drawn is different."""
    return DocumentParser(
        backend="vllm", base_url=url, cache_dir=cache, render_workers=0, max_image_size=SMALL
    )


def test_a_killed_run_goes_on_where_it_was(
    tmp_path: Path, pdf: Path, start: Callable[[str, str, Path], subprocess.Popen[str]]
) -> None:
    chance = random.Random(20)
    with ParseServer(replies=reply_for, latency_s=0.005) as server:
        whole = parser_like_the_script(server.base_url).parse(pdf)
        for round_ in range(KILLS):
            cache = tmp_path / f"cache{round_}"
            server.requests.clear()
            asked = chance.randrange(1, PAGES)
            child = start(server.base_url, str(cache), pdf)
            while len(server.page_requests) < asked and child.poll() is None:
                threading.Event().wait(0.002)
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            # Requests that were on their way when it was killed may still come in at the first server.
            committed = CacheFolder(cache).info().entries if cache.exists() else 0
            with ParseServer(replies=reply_for) as second:
                resumed = parser_like_the_script(second.base_url, cache).parse(pdf)
            assert without_report(resumed) == without_report(whole)
            assert len(second.page_requests) == PAGES - committed
            assert resumed.report is not None
            assert resumed.report.cached == committed


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing_behind(
    tmp_path: Path, pdf: Path, start: Callable[[str, str, Path], subprocess.Popen[str]], sent: signal.Signals
) -> None:
    arrived = threading.Event()

    def hang(request: RecordedRequest) -> Hang | None:
        if request.path != "/v1/chat/completions":
            return None
        arrived.set()
        return Hang()

    with ParseServer(faults=hang) as server:
        child = start(server.base_url, str(tmp_path / "cache"), pdf)
        assert arrived.wait(60)
        # As a terminal does it: to the whole group, the processes that draw pages included.
        os.killpg(child.pid, sent)
        _, errors = child.communicate(timeout=60)
    assert child.returncode != 0
    if sent == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
    for _ in range(1_000):
        if ended(child.pid):
            break
        threading.Event().wait(0.01)
    assert ended(child.pid)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_end_of_the_program_in_the_middle_of_an_iteration_says_nothing(pdf: Path, tmp_path: Path) -> None:
    program = """
import sys
from nemoparse_loaders import DocumentParser
url, cache, pdf = sys.argv[1:]
parser = DocumentParser(backend="vllm", base_url=url, cache_dir=cache, max_concurrency=2, render_workers=1)
pages = parser.iter_pages(pdf)
print(next(pages).number)
documents = parser.parse_many(iter([pdf] * 30))
next(documents)
"""
    with ParseServer(replies=reply_for, latency_s=0.02) as server:
        command = [sys.executable, "-W", "error", "-c", program]
        arguments = [server.base_url.replace("127.0.0.1", "localhost"), str(tmp_path / "cache"), str(pdf)]
        result = subprocess.run(command + arguments, capture_output=True, text=True, timeout=120, check=True)
    assert (result.stdout, result.stderr) == ("1\n", "")
