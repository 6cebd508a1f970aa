"""The server as a process of its own: ``python -m nemoparse_loaders.testing``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .test_server import chat_body, content_of, fetch


@contextmanager
def started(
    *arguments: str, stdin: int = subprocess.PIPE
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    command = [sys.executable, "-m", "nemoparse_loaders.testing", *arguments]
    with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def test_serves_until_standard_input_ends(tmp_path: Path) -> None:
    reply = tmp_path / "reply.txt"
    reply.write_text("<x_0.1><y_0.1>Grüße<x_0.9><y_0.2><class_Text>", encoding="utf-8")
    with started("--reply", str(reply), "--slots", "4", "--latency", "uniform:0.0,0.1") as (process, told):
        answer = fetch(f"{told['base_url']}/v1/chat/completions", chat_body())[1]
        assert content_of(answer) == reply.read_text(encoding="utf-8")
        seen = json.loads(fetch(f"{told['base_url']}/_stats")[1])
        assert (seen["pages"], seen["statuses"]) == (1, {"200": 1})
        assert seen["cpu_seconds"] > 0
        assert told["pid"] == process.pid
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stops_at_a_signal(number: signal.Signals) -> None:
    with started() as (process, _):
        process.send_signal(number)
        assert process.wait(30) == 0


def test_stays_without_standard_input_when_told_to() -> None:
    with started("--stay", stdin=subprocess.DEVNULL) as (process, told):
        assert fetch(f"{told['base_url']}/v1/chat/completions", chat_body())[0] == 200
        assert process.poll() is None


def test_says_why_it_stops_where_there_is_no_input() -> None:
    command = [sys.executable, "-m", "nemoparse_loaders.testing"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--stay" in done.stderr
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_key_is_asked_for() -> None:
    with started("--api-key", "the-key-of-the-test") as (_, told):
        assert fetch(f"{told['base_url']}/v1/chat/completions", chat_body())[0] == 401


def test_faults() -> None:
    with started("--fault-rate", "1", "--faults", "500,503", "--seed", "5") as (_, told):
        status = fetch(f"{told['base_url']}/v1/chat/completions", chat_body())[0]
    assert status in (500, 503)


@pytest.mark.parametrize("arguments", [("--latency", "soon"), ("--fault-rate", "1", "--faults", "418")])
def test_wrong_arguments(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "nemoparse_loaders.testing", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert arguments[-1] in done.stderr
