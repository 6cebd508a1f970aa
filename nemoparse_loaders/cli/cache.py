"""``nemoparse cache``: says what the page cache holds, and clears it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .messages import tell

if TYPE_CHECKING:
    from ..pipeline.cache_folder import CacheFolder

_FOLDER = typer.Argument(
    None, envvar="NEMOPARSE_CACHE_DIR", metavar="DIR", help="What was given as --cache-dir."
)

cache = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@cache.command("info", short_help="Say how much it holds.")
def info(folder: Path | None = _FOLDER) -> None:
    """Say how many pages the cache holds, how much room they take, and when they were last used.

    Exit status: 0 there it is; 1 there is no cache in that folder; 2 wrong usage.
    """
    kept = _opened(folder)
    held = kept.info()
    typer.echo(f"{_pages(held.entries)}, {_size(held.bytes)}, in {kept.path}")
    if held.oldest is not None and held.newest is not None:
        typer.echo(f"last used between {_time(held.oldest)} and {_time(held.newest)}")


@cache.command("clear", short_help="Remove its pages.")
def clear(
    folder: Path | None = _FOLDER,
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask."),
) -> None:
    """Remove every page of the cache. Other files in the folder stay.

    Exit status: 0 it is empty; 1 there is no cache in that folder, you said no, or something could not be
    removed; 2 wrong usage.
    """
    kept = _opened(folder)
    before = kept.info()
    if not yes:
        typer.confirm(
            f"Remove {_pages(before.entries)} ({_size(before.bytes)}) from {kept.path}?", abort=True, err=True
        )
    left = kept.clear()
    if left.entries:
        tell(f"nemoparse: {_pages(left.entries)} could not be removed from {kept.path}, or came meanwhile")
        raise typer.Exit(1)
    typer.echo(f"{_pages(before.entries)} removed, {_size(before.bytes)}")


def _opened(folder: Path | None) -> CacheFolder:
    if folder is None:
        raise typer.BadParameter("name the folder, or set NEMOPARSE_CACHE_DIR", param_hint="DIR")
    # The other commands do not need it.
    from ..pipeline.cache_folder import CacheFolder

    found = CacheFolder(folder)
    if not found.exists():
        tell(f"nemoparse: there is no page cache in {folder}")
        raise typer.Exit(1)
    return found


def _pages(count: int) -> str:
    return f"{count:,} page{'' if count == 1 else 's'}"


def _size(count: int) -> str:
    size, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"


def _time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
