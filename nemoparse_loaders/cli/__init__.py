"""The ``nemoparse`` command."""

from __future__ import annotations

import sys

import typer

from ..errors import NemoparseError, OptionError
from .cache import cache
from .doctor import doctor
from .messages import drop_output, tell
from .parse import parse

_INTERRUPTED = 130  # the status after SIGINT, by custom

app = typer.Typer(
    name="nemoparse",
    help="Read documents with NVIDIA Nemotron Parse.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    # Plain text: in typer's frames little of the 80 columns is left for the words.
    rich_markup_mode=None,
)
app.command()(parse)
app.command(short_help="Ask a server how it is, and say what is wrong.")(doctor)
app.add_typer(cache, name="cache", help="Look at the page cache, or clear it.")


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and leave.", is_eager=True),
) -> None:
    if version:
        from .. import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command; what goes wrong becomes one line on standard error and exit status 1 or 2 (usage)."""
    try:
        app()
    except SystemExit as end:
        # Typer says nothing at Ctrl-C.
        if end.code == _INTERRUPTED:
            hint = "; with --cache-dir the same command goes on where it stopped"
            tell(f"nemoparse: interrupted{hint if 'parse' in sys.argv[1:2] else ''}")
        raise
    except NemoparseError as error:
        tell(f"nemoparse: {error}")
        sys.exit(2 if isinstance(error, OptionError) else 1)
    except OSError as error:
        # What was read cannot be written: no room, no permission, no such folder.
        where = f"{error.filename}: " if error.filename else ""
        tell(f"nemoparse: {where}{error.strerror or error}")
        drop_output()
        sys.exit(1)
