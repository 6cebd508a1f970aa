"""What the commands say and how: one safe line each on standard error, UTF-8 on standard output."""

from __future__ import annotations

import io
import os
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TextIO

import typer


def tell(message: str) -> None:
    """Write one line to standard error, without what would steer a terminal.

    Args:
        message: May hold the names of files and what a server said.
    """
    line = "".join(char if char.isprintable() else "\ufffd" for char in message)
    with _beside_the_bar():
        typer.echo(line, err=True)


def _beside_the_bar() -> AbstractContextManager[object]:
    """Where a progress bar is drawn: take it away, and draw it again below the line."""
    if "tqdm" not in sys.modules:
        return nullcontext()
    from tqdm import tqdm

    return tqdm.external_write_mode(file=sys.stderr)


def drop_output() -> None:
    """Forget what standard output still holds: it cannot be written, and Python tries again on leaving."""
    # A stream without a descriptor, as in tests, has nothing to write to.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_utf8(stream: TextIO) -> None:
    """Let a stream write every character: UTF-8 in files and pipes, whatever the locale says.

    A terminal keeps its encoding; what that lacks is shown as a question mark.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty():
        stream.reconfigure(errors="replace")
    else:
        stream.reconfigure(encoding="utf-8")
