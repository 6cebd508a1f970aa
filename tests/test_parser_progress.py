"""The caller's own function hears of every page, and may end the run."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from nemoparse_loaders import DocumentParser, NemoparseError, OptionError, Progress, SourceError, SourceInput
from nemoparse_loaders.testing import ParseServer


@pytest.fixture
def server() -> Iterator[ParseServer]:
    with ParseServer() as server:
        yield server


def parser_for(
    server: ParseServer, heard: Callable[[Progress], object], cache_dir: Path | None = None
) -> DocumentParser:
    return DocumentParser(base_url=server.base_url, render_workers=0, progress=heard, cache_dir=cache_dir)


def test_one_document(server: ParseServer, make_pdf: Callable[..., bytes], tmp_path: Path) -> None:
    heard: list[Progress] = []
    parser = parser_for(server, heard.append, cache_dir=tmp_path)
    pdf = make_pdf("one", "", "three")
    document = parser.parse(pdf, file_name="a.pdf")
    assert [(each.document, each.done, each.total) for each in heard] == [("a.pdf", n, 3) for n in (1, 2, 3)]
    assert tuple(each.page for each in heard) == document.pages
    heard.clear()
    assert [*parser.iter_pages(pdf)] == [each.page for each in heard], "pages from the cache are told as well"
    assert len(server.page_requests) == 2


def test_many_documents(server: ParseServer, make_pdf: Callable[..., bytes]) -> None:
    heard: list[Progress] = []
    sources = [
        SourceInput(make_pdf(*map(str, range(count))), file_name=f"{count}.pdf") for count in (1, 2, 3)
    ]
    for _ in parser_for(server, heard.append).parse_many(sources):
        pass
    for count in (1, 2, 3):
        mine = [each for each in heard if each.document == f"{count}.pdf"]
        assert [(each.done, each.total) for each in mine] == [(done + 1, count) for done in range(count)]


@pytest.mark.parametrize("call", ["parse", "iter_pages", "parse_many"])
def test_what_it_raises_ends_the_run(server: ParseServer, make_pdf: Callable[..., bytes], call: str) -> None:
    def stop(progress: Progress) -> None:
        raise LookupError(f"enough after {progress.done}")

    parser = parser_for(server, stop)
    pdf = make_pdf(*map(str, range(4)))
    runs: dict[str, Callable[[], object]] = {
        "parse": lambda: parser.parse(pdf),
        "iter_pages": lambda: [*parser.iter_pages(pdf)],
        "parse_many": lambda: [*parser.parse_many([pdf], on_error="skip")],
    }
    with pytest.raises(LookupError, match="enough after 1"):
        runs[call]()


def test_what_it_raises_is_no_failure_of_a_document(
    server: ParseServer, make_pdf: Callable[..., bytes]
) -> None:
    stopped: list[Progress] = []

    def stop(progress: Progress) -> None:
        if progress.done == progress.total:
            stopped.append(progress)
            raise SourceError(progress.document, "is the last one that I want")

    parser = parser_for(server, stop)
    with pytest.raises(SourceError, match="the last one that I want"):
        list(parser.parse_many([make_pdf(str(number)) for number in range(4)], on_error="skip"))
    assert len(stopped) == 1, "it is not called again"


async def later(progress: Progress) -> None:
    raise AssertionError("nothing waits for it")


class Later:
    async def __call__(self, progress: Progress) -> None:
        await later(progress)


@pytest.mark.parametrize("wrong", [later, Later(), partial(later), Later().__call__])
def test_an_async_function_is_refused_at_once(wrong: Callable[[Progress], object]) -> None:
    with pytest.raises(OptionError, match="progress must be a plain function, not an async one"):
        DocumentParser(backend="cpu", progress=wrong)


def test_what_cannot_be_called_is_refused_at_once() -> None:
    with pytest.raises(OptionError, match="progress must be a function, not True"):
        DocumentParser(backend="cpu", progress=True)  # type: ignore[arg-type]


async def test_an_async_on_error_is_refused_at_once() -> None:
    async def on_error(error: NemoparseError) -> None:
        raise AssertionError("nothing waits for it")

    with pytest.raises(OptionError, match="on_error must be a plain function"):
        list(DocumentParser(backend="cpu").parse_many([], on_error=on_error))  # type: ignore[arg-type]


def remember(progress: Progress) -> None:
    """A function that pickles."""


def test_a_parser_pickles_with_its_function() -> None:
    parser = DocumentParser(backend="cpu", progress=remember)
    assert pickle.loads(pickle.dumps(parser)).progress is remember
    assert copy.deepcopy(parser).progress is remember


def test_a_parser_with_a_function_can_be_copied(server: ParseServer, make_pdf: Callable[..., bytes]) -> None:
    heard: list[Progress] = []
    copy.copy(parser_for(server, heard.append)).parse(make_pdf("one"))
    assert len(heard) == 1
