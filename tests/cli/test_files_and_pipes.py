"""``nemoparse parse`` where files, pipes and terminals are odd."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nemoparse_loaders.testing import Hang, ParseServer, RecordedRequest

PAGE = "<x_0.1><y_0.1># Öre 文<x_0.9><y_0.15><class_Title>"
COMMAND = [sys.executable, "-m", "nemoparse_loaders.cli", "parse"]


@pytest.fixture(scope="module")
def server() -> Iterator[ParseServer]:
    with ParseServer(replies=PAGE) as server:
        yield server


@pytest.fixture
def environment(server: ParseServer) -> dict[str, str]:
    return {**os.environ, "NEMOTRON_PARSE_BASE_URL": server.base_url}


@pytest.fixture
def report_pdf(tmp_path: Path, make_pdf: Callable[..., bytes]) -> Path:
    path = tmp_path / "report.pdf"
    path.write_bytes(make_pdf("one"))
    return path


def run(
    *arguments: str, folder: Path, environment: dict[str, str], standard_input: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments],
        input=standard_input,
        capture_output=True,
        cwd=folder,
        env=environment,
        timeout=120,
        check=False,
    )


def test_a_pipe_gets_utf8_whatever_the_locale_says(report_pdf: Path, environment: dict[str, str]) -> None:
    environment |= {"PYTHONIOENCODING": "ascii"}
    done = run(report_pdf.name, folder=report_pdf.parent, environment=environment)
    assert done.returncode == 0, done.stderr
    assert "# Öre 文" in done.stdout.decode("utf-8")


def test_a_folder_that_cannot_be_made_is_told_before_any_page_is_sent(
    server: ParseServer, report_pdf: Path, environment: dict[str, str]
) -> None:
    before = len(server.requests)
    done = run("report.pdf", "--out", "report.pdf/below", folder=report_pdf.parent, environment=environment)
    assert done.returncode == 1
    assert b"report.pdf" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(server.requests) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_one_line(report_pdf: Path, environment: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "report.pdf"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=report_pdf.parent,
            env=environment,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1
    assert b"nemoparse: No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_that_leaves_ends_the_command_quietly(report_pdf: Path, environment: dict[str, str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [*COMMAND, "report.pdf", "report.pdf"],
            stdout=write_end,
            stderr=subprocess.PIPE,
            cwd=report_pdf.parent,
            env=environment,
            timeout=120,
            check=False,
        )
    finally:
        os.close(write_end)
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file names")
@pytest.mark.parametrize("name", ["a" * 251 + ".pdf", "文" * 83 + ".pdf", "new\nline\x1b[31m.pdf", "...pdf"])
def test_odd_file_names(report_pdf: Path, environment: dict[str, str], name: str) -> None:
    (report_pdf.parent / name).write_bytes(report_pdf.read_bytes())
    options = ("-f", "chunks", "--out", "out", "--no-verify")
    done = run(f"./{name}", *options, folder=report_pdf.parent, environment=environment)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert b"\x1b" not in done.stderr
    (made,) = (report_pdf.parent / "out").iterdir()
    assert made.name.endswith(".chunks.jsonl")
    assert made.stat().st_size > 0


def test_standard_input_can_be_read_once_only(report_pdf: Path, environment: dict[str, str]) -> None:
    content = report_pdf.read_bytes()
    done = run("-", "-", folder=report_pdf.parent, environment=environment, standard_input=content)
    assert done.returncode == 2
    assert b"once" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGINT for one process")
def test_ctrl_c_while_standard_input_is_awaited(tmp_path: Path, environment: dict[str, str]) -> None:
    program = (
        "import sys, nemoparse_loaders.cli as cli; print('ready', flush=True);"
        "sys.argv = ['nemoparse', 'parse', '-']; cli.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            # It takes a moment until the command reads; Ctrl-C before that ends it as well.
            for _ in range(100):
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(0.3)
                    break
                except subprocess.TimeoutExpired:
                    continue
            assert process.returncode is not None, "Ctrl-C does not end it"
        finally:
            process.kill()
    assert process.returncode in (130, -signal.SIGINT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGINT for one process")
def test_ctrl_c_in_mid_run_says_how_to_go_on(report_pdf: Path) -> None:
    asked = threading.Event()

    def hang(request: RecordedRequest) -> Hang:
        asked.set()
        return Hang()

    with ParseServer(faults=hang) as server:
        command = [*COMMAND, report_pdf.name, "--base-url", server.base_url]
        with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=report_pdf.parent) as process:
            try:
                assert asked.wait(60)
                process.send_signal(signal.SIGINT)
                told = process.communicate(timeout=60)[1].decode()
            finally:
                process.kill()
    assert process.returncode == 130
    assert told.startswith("nemoparse: interrupted; with --cache-dir ")
