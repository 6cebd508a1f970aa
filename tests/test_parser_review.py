"""What a DocumentParser says of pages that need review: numbers in the log, reasons on request."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from nemoparse_loaders import DocumentParser, Element, Issue, ParsedPage
from nemoparse_loaders.parser import review_reasons
from nemoparse_loaders.testing import HttpError, ParseServer

PAGE = "<x_0.1><y_0.1># one<x_0.9><y_0.15><class_Title>"


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    found = [record for record in caplog.records if "review" in record.message]
    assert all(record.name.startswith("nemoparse_loaders") for record in found)
    return [(record.levelname, record.message) for record in found]


def test_each_document_names_its_pages_once(
    make_pdf: Callable[..., bytes], caplog: pytest.LogCaptureFixture, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("files")
    for name, pages in {"a": ("one", "two", "one", "three"), "b": ("one",), "c": ("four",)}.items():
        (folder / f"{name}.pdf").write_bytes(make_pdf(*pages))
    with ParseServer(replies=PAGE) as server, caplog.at_level(logging.INFO, logger="nemoparse_loaders"):
        parser = DocumentParser(base_url=server.base_url)
        documents = list(parser.parse_many(sorted(folder.iterdir())))
    assert sorted(told(caplog)) == [
        ("INFO", "a.pdf: 2 of 4 pages need review: 2, 4"),
        ("INFO", "c.pdf: 1 of 1 pages need review: 1"),
    ]
    assert [document.report.needs_review for document in documents if document.report] == [2, 0, 1]


def test_pages_that_are_left_out_are_among_them(
    make_pdf: Callable[..., bytes], caplog: pytest.LogCaptureFixture
) -> None:
    with (
        ParseServer(replies=PAGE, faults=[HttpError(400), None]) as server,
        caplog.at_level(logging.INFO, logger="nemoparse_loaders"),
    ):
        parser = DocumentParser(base_url=server.base_url, max_concurrency=1, on_page_error="skip")
        document = parser.parse(make_pdf("one", "one"), file_name="a.pdf")
    assert [page.number for page in document.pages] == [2]
    assert told(caplog) == [("INFO", "a.pdf: 1 of 2 pages need review: 1")]


def test_reasons_are_those_of_the_checks_the_page_before_its_elements() -> None:
    element = Element(
        id="p1e1",
        type="Text",
        issues=(
            Issue(code="malformed", message="Mended."),
            Issue(code="low_agreement", message="Little agrees.", element_id="p1e1"),
        ),
    )
    page = ParsedPage(
        number=1,
        elements=(element,),
        issues=(
            Issue(code="unsupported_text", message="A note.", severity="info"),
            Issue(code="missing_text", message="Words are missing."),
        ),
    )
    assert review_reasons(page) == ("Words are missing.", "p1e1: Little agrees.")
    assert review_reasons(ParsedPage(number=1)) == ()
