"""``nemoparse cache`` as a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from nemoparse_loaders.cli import app
from nemoparse_loaders.pipeline.cache import PageCache, page_key
from nemoparse_loaders.pipeline.cache_folder import CacheFolder
from nemoparse_loaders.pipeline.record import PageRecord
from nemoparse_loaders.rendering import PageGeometry, RenderSettings


@pytest.fixture(autouse=True)
def _no_folder_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEMOPARSE_CACHE_DIR", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cache = PageCache(tmp_path / "cache")
    for number in range(1, 4):
        record = PageRecord(PageGeometry(number, str(number), 10.0, 10.0))
        cache.put(page_key("c0ffee", number, RenderSettings(), "model", "vllm"), record)
    (tmp_path / "cache" / "report.pdf").write_text("mine")
    return tmp_path / "cache"


def test_info(folder: Path) -> None:
    result = CliRunner().invoke(app, ["cache", "info", str(folder)])
    assert result.exit_code == 0, result.output
    held, used = result.output.splitlines()
    assert held == f"3 pages, 12.0 KiB, in {folder / 'nemoparse-pages'}"
    assert used.startswith("last used between 20")


def test_the_folder_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOPARSE_CACHE_DIR", str(folder))
    assert "3 pages" in CliRunner().invoke(app, ["cache", "info"]).output
    result = CliRunner().invoke(app, ["cache", "clear", "--yes"])
    assert result.exit_code == 0
    assert result.output == "3 pages removed, 12.0 KiB\n"
    assert [*folder.iterdir()] == [folder / "report.pdf"]


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_without_a_yes_nothing_is_removed(folder: Path, answer: str) -> None:
    result = CliRunner().invoke(app, ["cache", "clear", str(folder)], input=answer)
    assert result.exit_code == 1
    assert "Remove 3 pages (12.0 KiB)" in result.stderr
    assert CacheFolder(folder).info().entries == 3


def test_with_a_yes_it_is(folder: Path) -> None:
    result = CliRunner().invoke(app, ["cache", "clear", str(folder)], input="y\n")
    assert result.exit_code == 0, result.output
    assert CacheFolder(folder).info().entries == 0


@pytest.mark.parametrize("command", ["info", "clear"])
@pytest.mark.parametrize("name", ["", "missing", "report.pdf"])
def test_a_folder_without_a_cache_is_not_touched(tmp_path: Path, command: str, name: str) -> None:
    (tmp_path / "report.pdf").write_text("mine")
    result = CliRunner().invoke(
        app, ["cache", command, str(tmp_path / name), *["--yes"] * (command == "clear")]
    )
    assert result.exit_code == 1
    assert "no page cache in" in result.stderr
    assert [*tmp_path.rglob("*")] == [tmp_path / "report.pdf"]


@pytest.mark.parametrize("command", ["info", "clear"])
def test_no_folder_at_all_is_wrong_usage(command: str) -> None:
    result = CliRunner().invoke(app, ["cache", command])
    assert result.exit_code == 2
    assert "NEMOPARSE_CACHE_DIR" in result.stderr


def test_what_cannot_be_removed_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_in_a_folder_without_permission(path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        "nemoparse_loaders.pipeline.cache_folder.os.unlink", as_in_a_folder_without_permission
    )
    result = CliRunner().invoke(app, ["cache", "clear", str(folder), "--yes"])
    assert result.exit_code == 1
    assert "3 pages could not be removed" in result.stderr
