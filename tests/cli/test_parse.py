"""``nemoparse parse``: what is written where, what is said, and the exit status."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nemoparse_loaders import METADATA_KEYS, Chunk, ParsedDocument, ParseOptions
from nemoparse_loaders.cli.parse import parse
from nemoparse_loaders.testing import HttpError, ParseServer

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def server() -> Iterator[ParseServer]:
    with ParseServer() as server:
        yield server


@pytest.fixture
def run(server: ParseServer, tmp_path: Path) -> Run:
    def run(
        *arguments: str, standard_input: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "nemoparse_loaders.cli", *arguments],
            input=standard_input,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "NEMOTRON_PARSE_BASE_URL": server.base_url, **environment},
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def report_pdf(tmp_path: Path, make_pdf: Callable[..., bytes]) -> Path:
    path = tmp_path / "report.pdf"
    path.write_bytes(make_pdf("one", "two"))
    return path


def test_every_option_can_be_given() -> None:
    given = inspect.signature(parse).parameters
    # Other users of the machine see a command line: no key belongs there, and headers often hold one. The
    # body of a request is a thing of programs.
    missing = ParseOptions.model_fields.keys() - given.keys() - {"api_key", "headers", "request_options"}
    assert missing == {"show_progress"}, "it is called --progress"
    for name in ParseOptions.model_fields.keys() & given.keys() - {"base_url"}:
        default = given[name].default.default
        assert default == ParseOptions.model_fields[name].default, name


def test_options_reach_the_server(run: Run, report_pdf: Path, server: ParseServer) -> None:
    done = run("parse", "report.pdf", "--pages=1", "--max-image-size", "208", "256", "--max-tokens=7000")
    assert done.returncode == 0, done.stderr
    request = server.page_requests[-1]
    assert request.json["max_tokens"] == 7000
    assert request.image is not None
    assert int.from_bytes(request.image[20:24], "big") <= 256, "the height of a PNG"


def test_markdown_on_standard_output_and_nothing_else(run: Run, report_pdf: Path) -> None:
    done = run("parse", "report.pdf", "--page-markers", "--no-verify")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert text.count("# Harbour report") == 2
    assert "<!-- page 2 -->" in text
    assert done.stderr == b"", "a pipe gets no progress bar"


def test_json_reads_back(run: Run, report_pdf: Path) -> None:
    document = ParsedDocument.from_json(run("parse", "report.pdf", "-f", "json", "--pages", "2").stdout)
    assert [page.number for page in document.pages] == [2]
    assert document.tables[0].grid()[1][0] == "2024"


def test_chunks_are_json_lines(run: Run, report_pdf: Path) -> None:
    lines = run("parse", "report.pdf", "-f", "chunks").stdout.decode().splitlines()
    assert lines
    for line in lines:
        chunk = Chunk.from_json(line)
        assert set(chunk.metadata) == set(METADATA_KEYS)
        assert chunk.spans


def test_html_into_a_folder(run: Run, report_pdf: Path, tmp_path: Path) -> None:
    other = tmp_path / "older"
    other.mkdir()
    (other / "Report.pdf").write_bytes(report_pdf.read_bytes())
    done = run("parse", "report.pdf", "older/Report.pdf", "-f", "html", "--out", "made/here")
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    made = tmp_path / "made" / "here"
    assert sorted(path.name for path in made.iterdir()) == ["Report-2.html", "report.html"]
    assert "<table" in (made / "report.html").read_text("utf-8")


def test_standard_input(run: Run, report_pdf: Path) -> None:
    done = run("parse", "-", standard_input=report_pdf.read_bytes())
    assert done.returncode == 0, done.stderr
    assert b"Harbour report" in done.stdout


def test_one_bad_file_does_not_stop_the_others(run: Run, report_pdf: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    done = run("parse", "empty.pdf", "missing.pdf", "report.pdf", "--no-verify")
    assert done.returncode == 1
    assert b"Harbour report" in done.stdout
    complaints = done.stderr.decode().splitlines()
    assert len(complaints) == 2
    assert "empty.pdf" in complaints[0]
    assert "missing.pdf" in complaints[1]


def test_a_failed_page_is_named(report_pdf: Path, run: Run) -> None:
    with ParseServer(faults=lambda request: HttpError(500) if "chat" in request.path else None) as broken:
        done = run("parse", "report.pdf", "--max-retries", "0", NEMOTRON_PARSE_BASE_URL=broken.base_url)
    assert done.returncode == 1
    assert b"report.pdf, page 1" in done.stderr
    assert b"report.pdf, page 2" in done.stderr
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("nemoparse: report.pdf: 2 pages in ")
    assert last.endswith(" s: 2 failed; 2 requests")


def test_a_page_that_needs_review_is_named_with_its_first_reasons(report_pdf: Path, run: Run) -> None:
    done = run("parse", "report.pdf", "--pages", "2", "--max-tokens", "900")
    assert done.returncode == 0, "it is read"
    limit, page, last = done.stderr.decode().splitlines()
    assert limit.startswith("max_tokens=900 limits the model's reply")
    assert "--chunk-tokens" in limit
    assert page.startswith("nemoparse: report.pdf, page 2 needs review: p2e1: 2 words of this element ")
    assert page.count("Compare it with the page.") == 2
    assert re.search(r" \(\d+ more\)$", page)
    assert last.endswith(" s: 1 ok, 1 to review; 1 request")


def test_a_failed_page_is_not_named_twice(report_pdf: Path, run: Run) -> None:
    with ParseServer(faults=[HttpError(400)]) as broken:
        done = run("parse", "report.pdf", "--max-concurrency", "1", NEMOTRON_PARSE_BASE_URL=broken.base_url)
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines()
    assert [sum(f", page {number}" in line for line in lines) for number in (1, 2)] == [1, 1]
    assert lines[-1].endswith(" s: 1 ok, 1 failed, 1 to review; 2 requests")


def test_errors_are_one_line_and_no_traceback(run: Run, report_pdf: Path) -> None:
    done = run("parse", "report.pdf", "--pages", "9-")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nobody_there(run: Run, report_pdf: Path) -> None:
    done = run("parse", "report.pdf", "--max-retries", "0", NEMOTRON_PARSE_BASE_URL="http://127.0.0.1:9")
    assert done.returncode == 1
    assert b"127.0.0.1:9" in done.stderr
    assert b"Traceback" not in done.stderr


def test_wrong_usage(run: Run) -> None:
    assert run("parse").returncode == 2
    assert run("parse", "x.pdf", "--format", "docx").returncode == 2
    done = run("parse", "x.pdf", "--backend", "magic")
    assert done.returncode == 2
    assert b"backend" in done.stderr
    done = run("parse", "x.pdf", "--pagess", "2")
    assert done.returncode == 2
    assert b"--pages" in done.stderr
    assert b"Traceback" not in done.stderr


def test_version(run: Run) -> None:
    assert run("--version").stdout.decode().strip() == "0.1.0"


@pytest.mark.parametrize("out", ["made.md", "report.pdf"])
def test_out_is_a_folder_and_not_a_file(run: Run, report_pdf: Path, tmp_path: Path, out: str) -> None:
    before = report_pdf.read_bytes()
    done = run("parse", "report.pdf", "--out", out)
    assert done.returncode == 2
    assert f"> {out}".encode() in done.stderr
    assert report_pdf.read_bytes() == before
    assert not (tmp_path / "made.md").exists()
