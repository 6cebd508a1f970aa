"""How a run tells how far it is."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest

from nemoparse_loaders import ParsedPage, Progress
from nemoparse_loaders.pipeline.metrics import RunMetrics
from nemoparse_loaders.pipeline.progress import RunProgress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """To be called in the test itself: pytest puts its own stream in place once the fixtures are made."""
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def last_line(terminal: _Terminal) -> str:
    return re.split(r"[\r\n]+", terminal.getvalue().strip())[-1]


def test_the_callback_hears_of_every_page() -> None:
    heard: list[Progress] = []
    with (
        RunProgress(shown=False, callback=heard.append) as progress,
        progress.document("a.pdf", 2) as first,
        progress.document("b.pdf", 1) as second,
    ):
        for step, number in ((first, 1), (second, 7), (first, 2)):
            step(ParsedPage(number=number))
    assert [(each.document, each.page.number, each.done, each.total) for each in heard] == [
        ("a.pdf", 1, 1, 2),
        ("b.pdf", 7, 1, 1),
        ("a.pdf", 2, 2, 2),
    ]


@pytest.mark.parametrize("shown", [False, True])
def test_what_the_callback_raises_reaches_the_caller(shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    def fail(progress: Progress) -> None:
        raise LookupError("the caller's own")

    def run() -> None:
        with RunProgress(shown=shown, callback=fail) as progress, progress.document("a.pdf", 2) as step:
            step(ParsedPage(number=1))

    with pytest.raises(LookupError, match="the caller's own"):
        run()
    assert bool(terminal.getvalue()) == shown
    if shown:
        assert terminal.getvalue().endswith("\n"), "the bar is closed"


def test_a_bar_counts_what_went_wrong_and_what_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    metrics = RunMetrics()
    with RunProgress(shown=True) as progress, progress.document("a.pdf", 4, metrics) as step:
        metrics.cached()
        step(ParsedPage(number=1))
        step(ParsedPage(number=2, status="failed"))
        step(ParsedPage(number=3, status="partial"))
        step(ParsedPage(number=4))
    line = last_line(terminal)
    assert line.startswith("a.pdf: 100%")
    assert "4/4" in line
    assert "page/s" in line
    assert "failed=1, partial=1, cached=1" in line


def test_one_bar_for_many_documents_grows_as_they_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with RunProgress(shown=True) as progress:
        with progress.document("a.pdf", 2) as step:
            step(ParsedPage(number=1))
            step(ParsedPage(number=2))
        with progress.document("b.pdf", 3) as step:
            for number in (1, 2, 3):
                step(ParsedPage(number=number))
    assert last_line(terminal).startswith("2 documents: 100%")
    assert "5/5" in last_line(terminal)
    assert terminal.getvalue().count("\n") == 1, "one bar"


def test_cached_pages_of_documents_side_by_side_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    first, second = RunMetrics(), RunMetrics()
    with (
        RunProgress(shown=True) as progress,
        progress.document("a.pdf", 2, first) as one,
        progress.document("b.pdf", 2, second) as two,
    ):
        for metrics, step in ((first, one), (second, two), (first, one)):
            metrics.cached()
            step(ParsedPage(number=1))
        two(ParsedPage(number=2))
    assert "4/4" in last_line(terminal)
    assert "cached=3" in last_line(terminal)


def test_pages_that_never_come_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with RunProgress(shown=True) as progress:
        with progress.document("a.pdf", 9) as step:
            step(ParsedPage(number=1))
        with progress.document("b.pdf", 1) as step:
            step(ParsedPage(number=1))
    assert "2/2" in last_line(terminal)


def test_a_single_document_shows_where_it_broke_off(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with RunProgress(shown=True) as progress, progress.document("a.pdf", 9) as step:
        step(ParsedPage(number=1))
    assert "1/9" in last_line(terminal)


def test_a_file_name_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    name = "\x1b]0;gotcha\x07" + "long " * 40 + "end.pdf"
    with RunProgress(shown=True) as progress, progress.document(name, 1) as step:
        step(ParsedPage(number=1))
    assert "\x1b]" not in terminal.getvalue()
    assert "\x07" not in terminal.getvalue()
    assert "end.pdf: 100%" in last_line(terminal)
    assert len(last_line(terminal)) < 140


@pytest.mark.parametrize("shown", [False, True])
def test_a_pipe_gets_no_bar(shown: bool, capsys: pytest.CaptureFixture[str]) -> None:
    pages: list[ParsedPage] = []
    callback: Callable[[Progress], object] = lambda progress: pages.append(progress.page)  # noqa: E731
    with RunProgress(shown=shown, callback=callback) as progress, progress.document("a.pdf", 1) as step:
        step(ParsedPage(number=1))
    assert capsys.readouterr() == ("", "")
    assert len(pages) == 1
