"""Fixtures for the tests of the three packages: small PDFs and a parse server."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from nemoparse_loaders.testing import ParseServer

ROOT = Path(__file__).parent.parent


def _draw_pdf(*pages: str) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(300, 400), invariant=1)
    for page in pages:
        canvas.drawString(30, 350, page)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    """A function that draws a PDF, one string a page."""
    return _draw_pdf


@pytest.fixture(scope="session")
def sample_paper() -> Path:
    """The paper of six pages that the project ships."""
    return ROOT / "examples" / "documents" / "sample-paper.pdf"


@pytest.fixture
def server() -> Iterator[ParseServer]:
    """A server that answers every page with the sample page: headings, a captioned table, a list."""
    with ParseServer() as server:
        yield server


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A PDF of two pages."""
    path = tmp_path / "harbour.pdf"
    path.write_bytes(_draw_pdf("one", "two"))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three PDFs that differ, of one page each."""
    path = tmp_path / "reports"
    path.mkdir()
    for name in ("a", "b", "c"):
        (path / f"{name}.pdf").write_bytes(_draw_pdf(name))
    return path


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is the one that a test names."""
    for name in ("BASE_URL", "API_KEY", "BACKEND"):
        monkeypatch.delenv(f"NEMOTRON_PARSE_{name}", raising=False)
