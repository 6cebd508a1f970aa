"""What the commands say."""

from __future__ import annotations

import io
import re
import sys

import pytest

from nemoparse_loaders import ParsedPage
from nemoparse_loaders.cli.messages import tell
from nemoparse_loaders.pipeline.progress import RunProgress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_stands_beside_the_bar_and_not_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with RunProgress(shown=True) as progress, progress.document("a.pdf", 2) as step:
        step(ParsedPage(number=1))
        tell("nemoparse: a line")
        step(ParsedPage(number=2))
    lines = re.split(r"[\r\n]+", terminal.getvalue().strip())
    assert "nemoparse: a line" in lines
    assert "2/2" in lines[-1]


def test_nothing_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell("report\x1b]0;gotcha\x07\n.pdf")
    assert capsys.readouterr().err == "report\ufffd]0;gotcha\ufffd\ufffd.pdf\n"
