"""Every fault of a server alone and in pairs: nothing is lost or doubled, and the report tells of it."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import struct
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from nemoparse_loaders import DocumentParser, ParsedDocument
from nemoparse_loaders.pipeline import engine, health, limit
from nemoparse_loaders.pipeline.retry import RetryPolicy
from nemoparse_loaders.testing import (
    BrokenJson,
    CutConnection,
    Drip,
    EmptyReply,
    Fault,
    FinishReason,
    Hang,
    HttpError,
    Loop,
    ParseServer,
)
from nemoparse_loaders.testing.requests import RecordedRequest

PAGES = 8
# Requests that time out here get no reply at all, so that a busy machine makes no difference.
TIMEOUT_S = 1.5

FAULTS: dict[str, Fault] = {
    "500": HttpError(500),
    "502 in HTML": HttpError(502, "<html><body>Bad Gateway</body></html>"),
    "503": HttpError(503),
    "429 with seconds": HttpError(429, retry_after=0.05),
    "429 with a date": HttpError(429, retry_after="Thu, 01 Jan 1970 00:00:00 GMT"),
    "hang": Hang(),
    "drip": Drip(),
    "cut connection": CutConnection(),
    "broken JSON": BrokenJson(),
    "abort": FinishReason("abort"),
    "truncated": FinishReason("length"),
    "empty reply": EmptyReply(),
    "loop": Loop(),
}

# The server is fine, and the reply is not.
OF_THE_MODEL = {"truncated", "empty reply", "loop"}

CASES = [(name,) for name in FAULTS] + list(itertools.combinations(FAULTS, 2))


class Impatient(RetryPolicy):
    """Waits shortly between attempts, yet longer for a server that looks dead.

    A fault that passes needs a patience that a busy machine never uses up; one that stays is waited for to
    the end of it.
    """

    patience_s = 60.0

    @property
    def patience(self) -> float:
        return self.patience_s


class Script:
    """Gives every picture the same faults whenever it comes: each of the case's once, then none."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.faults = [FAULTS[name] for name in names]
        self.seen: Counter[bytes] = Counter()
        self.spared: dict[bytes, bool] = {}
        self.lock = threading.Lock()

    def __call__(self, request: RecordedRequest) -> Fault | None:
        if request.path != "/v1/chat/completions" or request.image is None:
            return None
        if not is_whole_page(request.image):
            return None
        key = hashlib.sha256(request.image).digest()
        with self.lock:
            # Every other page is spared, so that the server does not look dead.
            spared = self.spared.setdefault(key, len(self.spared) % 2 == 1)
            place = self.seen[key]
            self.seen[key] += 1
        return self.faults[place] if not spared and place < len(self.faults) else None


def is_whole_page(png: bytes) -> bool:
    """Whether a picture has the shape of the pages here, three to four; a band of one has not."""
    width, height = struct.unpack(">II", png[16:24])
    return bool(abs(height / width - 4 / 3) < 0.01)


def reply_for(request: RecordedRequest) -> str:
    assert request.image is not None
    name = hashlib.sha256(request.image).hexdigest()[:12]
    return f"<x_0.1><y_0.1>picture {name}<x_0.9><y_0.2><class_Text>"


async def parse(pdf: Path, faults: Script | None, **options: object) -> ParsedDocument:
    async with ParseServer(replies=reply_for, faults=faults or (), latency_s=0.005) as server:
        parser = DocumentParser(
            backend="vllm",
            base_url=server.base_url,
            timeout=TIMEOUT_S,
            max_concurrency=4,
            render_workers=0,
            max_image_size=(416, 512),
            **options,  # type: ignore[arg-type]
        )
        return await parser.aparse(pdf)


def pages_and_texts(document: ParsedDocument) -> list[tuple[int, str, list[str]]]:
    return [(page.number, page.status, [e.text for e in page.elements]) for page in document.pages]


@pytest.fixture
def pdf(tmp_path: Path, make_pdf: Callable[..., bytes]) -> Path:
    path = tmp_path / "pages.pdf"
    path.write_bytes(make_pdf(*(f"This is page {number}" for number in range(1, PAGES + 1))))
    return path


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "RetryPolicy", partial(Impatient, base_s=0.02, cap_s=0.1))
    monkeypatch.setattr(health, "FIRST_PROBE_S", 0.02)
    monkeypatch.setattr(limit, "FIRST_OUTAGE_PAUSE", 0.02)
    monkeypatch.setattr(limit, "LONGEST_OUTAGE_PAUSE", 0.1)


async def test_every_fault_alone_and_in_pairs(pdf: Path) -> None:
    expected = pages_and_texts(await parse(pdf, None))
    assert len({texts[0] for _, _, texts in expected}) == PAGES
    at_once = asyncio.Semaphore(8)

    async def run(names: tuple[str, ...]) -> None:
        script = Script(names)
        async with at_once:
            document = await parse(pdf, script)
        case = " and ".join(names)
        if OF_THE_MODEL.issuperset(names) and len(names) > 1:
            # Asked twice for nothing, the page is read in bands, which are other pictures.
            assert [page[:2] for page in pages_and_texts(document)] == [page[:2] for page in expected], case
            assert any(step.action == "bands" for page in document.pages for step in page.steps), case
        else:
            assert pages_and_texts(document) == expected, case
        report = document.report
        assert report is not None
        assert (report.pages, report.ok, report.failed, report.partial) == (PAGES, PAGES, 0, 0), case
        assert sum(page.attempts for page in document.pages) == report.requests, case
        hit = {page.number for page in document.pages if page.attempts > 1}
        stepped = {page.number for page in document.pages if page.steps}
        assert hit == stepped, case
        assert hit, case

    await asyncio.gather(*map(run, CASES))


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_that_stays_costs_its_pages_only(
    pdf: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Impatient, "patience_s", 8.0)
    script = Script((name,) * 50)
    expected = pages_and_texts(await parse(pdf, None))
    document = await parse(pdf, script, max_retries=1)
    assert [page.number for page in document.pages] == list(range(1, PAGES + 1))
    fine = Counter(page.status for page in document.pages)["ok"]
    assert fine == (PAGES if name in OF_THE_MODEL | {"abort"} else PAGES // 2)
    for page, (number, _, texts) in zip(document.pages, expected, strict=True):
        if any(step.action == "bands" for step in page.steps):
            # What the model gets wrong over and over is read in bands, which are other pictures.
            assert OF_THE_MODEL | {"abort"} >= {name}
        elif page.status == "ok":
            assert (page.number, [element.text for element in page.elements]) == (number, texts)
        else:
            assert page.issues
    assert document.report is not None
    assert len(document.report.failures) == PAGES - fine
