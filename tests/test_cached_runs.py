"""Runs with a page cache, seen from the server: what is asked for again, and what is not."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from nemoparse_loaders import DocumentParser, ParsedDocument, ParseOptions
from nemoparse_loaders.testing import ParseServer, Reply

PAGES = 2


class Decision(NamedTuple):
    """What becomes of kept pages where an option has another value in the second run."""

    kept_pages: Literal["found", "not found"]
    values: dict[str, Any]


# Every option is here. One that changes what a page says must not find the pages of before; any other must.
DECISIONS: dict[str, Decision] = {
    "backend": Decision("not found", {"backend": "nvidia"}),
    "base_url": Decision("found", {"base_url": "another server"}),
    "api_key": Decision("found", {"api_key": "another"}),
    "model": Decision("not found", {"model": "another-model"}),
    "profile": Decision("not found", {"profile": "2.0"}),
    "pages": Decision("found", {"pages": "2"}),
    "password": Decision("found", {"password": "not needed"}),
    "max_concurrency": Decision("found", {"max_concurrency": 1}),
    "requests_per_minute": Decision("found", {"requests_per_minute": 100_000}),
    "timeout": Decision("found", {"timeout": 60.0}),
    "max_retries": Decision("found", {"max_retries": 0}),
    "recover": Decision("not found", {"recover": False}),
    "text_layer_fallback": Decision("not found", {"text_layer_fallback": True}),
    "passes": Decision("not found", {"passes": "double"}),
    "verify": Decision("found", {"verify": False}),
    "escalate": Decision("not found", {"escalate": "double"}),
    "on_page_error": Decision("found", {"on_page_error": "raise"}),
    "headers": Decision("found", {"headers": {"X-Other": "1"}}),
    "request_options": Decision("not found", {"request_options": {"temperature": 0.5}}),
    "boxes": Decision("not found", {"boxes": False}),
    "classes": Decision("not found", {"classes": False}),
    "plain_text": Decision("not found", {"plain_text": True}),
    "text_in_pictures": Decision("not found", {"text_in_pictures": False}),
    "max_tokens": Decision("not found", {"max_tokens": 1000}),
    "max_image_size": Decision("not found", {"max_image_size": (800, 1000)}),
    "dpi": Decision("not found", {"dpi": 50}),
    "max_image_bytes": Decision("not found", {"max_image_bytes": 100_000}),
    "render_workers": Decision("found", {"render_workers": 1}),
    "render_timeout": Decision("found", {"render_timeout": 30.0}),
    "cache_dir": Decision("not found", {"cache_dir": "another folder"}),
    "cache_max_bytes": Decision("found", {"cache_max_bytes": 10**7}),
    "show_progress": Decision("found", {"show_progress": True}),
}


def test_it_is_decided_of_every_option_whether_it_changes_the_answer() -> None:
    assert sorted(DECISIONS) == sorted(ParseOptions.model_fields)


@pytest.fixture
def server() -> Iterator[ParseServer]:
    with ParseServer(model=("nemotron-parse", "another-model")) as server:
        yield server


@pytest.fixture
def pdf(make_pdf: Callable[..., bytes]) -> bytes:
    return make_pdf(*(f"page {number}" for number in range(1, PAGES + 1)))


@pytest.fixture
def parse(server: ParseServer, pdf: bytes, tmp_path: Path) -> Callable[..., ParsedDocument]:
    def run(data: bytes = pdf, **values: Any) -> ParsedDocument:
        options: dict[str, Any] = {
            "backend": "vllm",
            "base_url": server.base_url,
            "model": "nemotron-parse",
            "api_key": "secret-key",
            "render_workers": 0,
            "cache_dir": tmp_path / "cache",
        }
        return DocumentParser(**{**options, **values}).parse(data)

    return run


@pytest.mark.parametrize("name", DECISIONS)
def test_an_option_that_changes_the_answer_asks_again_and_no_other_does(
    name: str, server: ParseServer, parse: Callable[..., ParsedDocument], tmp_path: Path
) -> None:
    first = parse()
    assert len(server.page_requests) == PAGES
    values = dict(DECISIONS[name].values)
    if name == "cache_dir":
        values["cache_dir"] = tmp_path / "other"
    with ParseServer(model="nemotron-parse") as other:
        if name == "base_url":
            values["base_url"] = other.base_url
        second = parse(**values)
        asked = len(server.page_requests) - PAGES + len(other.page_requests)
    if DECISIONS[name].kept_pages == "found":
        assert asked == 0
    else:
        # More passes ask for regions as well.
        assert asked == PAGES or (name in ("passes", "escalate") and asked > PAGES)
    assert first.report is not None
    assert second.report is not None
    assert second.report.requests == asked
    if not asked:
        # Whether pages are checked changes what is said of them, and nothing that they say.
        assert name == "verify" or second.pages == first.pages[-len(second.pages) :]
        assert [page.raw for page in second.pages] == [page.raw for page in first.pages[-len(second.pages) :]]
        assert second.report.cached == len(second.pages)


def test_the_same_content_is_found_under_another_name(
    server: ParseServer, parse: Callable[..., ParsedDocument], pdf: bytes, make_pdf: Callable[..., bytes]
) -> None:
    parse()
    parse(bytes(pdf))
    assert len(server.page_requests) == PAGES
    parse(make_pdf("another page"))
    assert len(server.page_requests) == PAGES + 1


FINE = "<x_0.1><y_0.1>fine<x_0.9><y_0.2><class_Text>"


@pytest.mark.parametrize(
    ("reply", "status", "asked_again"),
    [
        (Reply(FINE), "ok", 0),
        (Reply(FINE[:-20], finish_reason="length"), "partial", 0),
        (Reply(FINE[:-20], finish_reason="abort"), "partial", 1),
        (Reply(""), "failed", 1),
    ],
)
def test_what_may_come_out_better_is_asked_for_again(
    reply: Reply, status: str, asked_again: int, make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    with ParseServer(replies=reply) as server:
        parser = DocumentParser(
            base_url=server.base_url, cache_dir=tmp_path, render_workers=0, recover=False, max_retries=0
        )
        pdf = make_pdf("a page")
        first = parser.parse(pdf)
        assert first.pages[0].status == status
        asked = len(server.page_requests)
        second = parser.parse(pdf)
        assert len(server.page_requests) - asked == asked_again
        assert second.pages == first.pages


def test_an_interrupted_run_goes_on_where_it_stopped(
    server: ParseServer, make_pdf: Callable[..., bytes], tmp_path: Path
) -> None:
    pdf = make_pdf(*map(str, range(30)))
    parser = DocumentParser(
        base_url=server.base_url,
        model="nemotron-parse",
        cache_dir=tmp_path,
        render_workers=0,
        max_concurrency=1,
    )
    for page in parser.iter_pages(pdf):
        if page.number == 5:
            break
    asked = len(server.page_requests)
    assert 5 <= asked < 30
    whole = parser.parse(pdf)
    assert whole.report is not None
    # The one request that was under way may have been given up.
    assert 30 <= len(server.page_requests) <= 31
    assert whole.report.cached >= 5
    assert [page.status for page in whole.pages] == ["ok"] * 30


def test_a_blank_page_is_not_drawn_again(
    server: ParseServer, make_pdf: Callable[..., bytes], parse: Callable[..., ParsedDocument]
) -> None:
    pdf = make_pdf("")
    first = parse(pdf)
    assert [page.status for page in first.pages] == ["blank"]
    second = parse(pdf)
    assert second.pages == first.pages
    assert second.report is not None
    assert (second.report.cached, second.report.render_seconds) == (1, 0)
    assert not server.page_requests


def test_nothing_secret_is_kept(parse: Callable[..., ParsedDocument], tmp_path: Path) -> None:
    parse(headers={"X-Token": "secret-header"}, password="secret-password")
    entries = [*(tmp_path / "cache").rglob("*.page")]
    assert len(entries) == PAGES
    for entry in entries:
        head, _, rest = entry.read_bytes().partition(b"\n")
        text = head + zlib.decompress(rest)
        assert b"class_Text" in text
        assert b"secret" not in text
        assert b"127.0.0.1" not in text
