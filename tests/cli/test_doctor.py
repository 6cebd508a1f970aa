"""``nemoparse doctor`` as a command."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from nemoparse_loaders import OptionError
from nemoparse_loaders.cli import app
from nemoparse_loaders.testing import ParseServer


@pytest.fixture
def server() -> Iterator[ParseServer]:
    with ParseServer(api_key="the-key-of-the-test", latency_s=0.05) as server:
        yield server


def test_healthy(server: ParseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_API_KEY", "the-key-of-the-test")
    result = CliRunner().invoke(app, ["doctor", "--base-url", server.base_url])
    assert result.exit_code == 0, result.output
    assert "A probe page came back whole: 9 elements." in result.output
    assert "problem" not in result.output


def test_not_healthy(server: ParseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEMOTRON_PARSE_API_KEY", raising=False)
    result = CliRunner().invoke(app, ["doctor", "--base-url", server.base_url])
    assert result.exit_code == 1
    lines = [line for line in result.output.splitlines() if line.startswith("problem")]
    assert len(lines) == 1
    assert "401" in lines[0]


def test_server_from_the_environment(server: ParseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_BASE_URL", f"{server.base_url}/v1")
    monkeypatch.setenv("NEMOTRON_PARSE_API_KEY", "the-key-of-the-test")
    assert CliRunner().invoke(app, ["doctor"]).exit_code == 0


def test_each_of_several_servers_is_asked(server: ParseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOTRON_PARSE_API_KEY", "the-key-of-the-test")
    with ParseServer(api_key="another-key") as locked:
        urls = ["--base-url", server.base_url, "--base-url", locked.base_url]
        result = CliRunner().invoke(app, ["doctor", *urls])
    assert result.exit_code == 1
    assert f"{server.base_url} is up and healthy" in result.output
    assert f"{locked.base_url} answered 401" in result.output


def test_no_server_is_named(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("NEMOTRON_PARSE_BASE_URL", "NEMOTRON_PARSE_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(app, ["doctor"])
    assert isinstance(result.exception, OptionError)
    assert "--base-url" in str(result.exception)
    assert not caplog.records, "the CPU backend is no matter here"
