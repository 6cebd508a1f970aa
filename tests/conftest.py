"""Fixtures that all tests share."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With NEMOPARSE_NO_SKIPS set, as in CI, a test that skips has failed: everything it needs is there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("NEMOPARSE_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be skipped: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of hard files, recorded replies and wire recordings that is kept beside the project."""
    value = os.environ.get("NEMOPARSE_TEST_DATA")
    if not value:
        pytest.skip("NEMOPARSE_TEST_DATA is not set: the shared test data is not at hand")
    path = Path(value)
    if not path.is_dir():
        pytest.fail(f"NEMOPARSE_TEST_DATA names no folder: {value}")
    return path


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    """A function that draws a PDF: one string a page, lines apart by newlines; "" is an empty page."""
    return _draw_pdf


def _draw_pdf(*pages: str, title: str = "") -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(300, 400), invariant=1)
    canvas.setTitle(title)
    for page in pages:
        for index, line in enumerate(page.splitlines()):
            canvas.drawString(30, 350 - 16 * index, line)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()
