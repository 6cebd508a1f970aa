"""``nemoparse parse``: files in; Markdown, HTML, JSON or chunks out."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from ..chunking import LayoutChunker
from ..document import ParsedDocument, ParsedPage
from ..errors import NemoparseError
from ..options import Escalation, ParseOptions, Passes
from ..parser import DocumentParser, SourceInput, review_reasons
from .messages import make_utf8, tell

if TYPE_CHECKING:
    from ..parser import SourceData


class Format(str, Enum):
    """What is written."""

    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"
    CHUNKS = "chunks"


_SUFFIX = {
    Format.MARKDOWN: ".md",
    Format.HTML: ".html",
    Format.JSON: ".json",
    Format.CHUNKS: ".chunks.jsonl",
}
# A folder of such a name is hardly what was meant.
_SUFFIX_OF_FILES = (".md", ".html", ".json", ".jsonl")
# Bytes of a file name that every usual file system takes.
_LONGEST_NAME = 255
# Of the reasons why a page needs review; the JSON has them all.
_MOST_REASONS = 2


def parse(
    files: list[str] = typer.Argument(..., metavar="FILE...", help="Documents; - is standard input."),
    output_format: Format = typer.Option(
        Format.MARKDOWN,
        "--format",
        "-f",
        help="chunks are JSON lines: id, text, embed_text, metadata, spans.",
    ),
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="DIR", help="Write one file a document there, not to standard output."
    ),
    backend: str = typer.Option("auto", help="auto, vllm, nvidia or cpu."),
    base_url: list[str] = typer.Option(
        [], help="The server; several: once each. Default: NEMOTRON_PARSE_BASE_URL."
    ),
    model: str | None = typer.Option(None, help="Served model name. Default: the one the server lists."),
    profile: str | None = typer.Option(None, help="Model generation: 3.5, 2.0, 1.2 or 1.1."),
    pages: str | None = typer.Option(None, help='Which pages, from 1: "1-3,7".'),
    password: str | None = typer.Option(
        None, envvar="NEMOPARSE_PASSWORD", help="For encrypted PDFs; better given in the environment."
    ),
    max_concurrency: int | None = typer.Option(None, help="Most requests in flight."),
    timeout: float = typer.Option(120.0, help="Seconds for one request."),
    max_retries: int = typer.Option(4, help="Further attempts for a page after a fault that may pass."),
    requests_per_minute: int | None = typer.Option(None, help="Most requests a minute."),
    recover: bool = typer.Option(True, help="Read a page again that loops, is cut or comes back empty."),
    text_layer_fallback: bool = typer.Option(
        False, help="Where all else failed, take the PDF's own text layer."
    ),
    passes: Passes = typer.Option(
        "single", help="double: tables and charts by themselves as well; triple: also what the page missed."
    ),
    verify: bool = typer.Option(True, help="Compare pages with the words that their PDF stores."),
    escalate: Escalation | None = typer.Option(
        None, help="How to read pages again that are in doubt: larger, or in double or triple pass."
    ),
    boxes: bool = typer.Option(True, help="Ask where each block stands."),
    classes: bool = typer.Option(True, help="Ask what each block is."),
    plain_text: bool = typer.Option(False, "--plain-text", help="Ask for plain text, not for Markdown."),
    text_in_pictures: bool | None = typer.Option(
        None, help="Ask for the words in figures. Default: the model's."
    ),
    max_tokens: int | None = typer.Option(
        None, help="Longest reply, not chunk (that is --chunk-tokens). Default: the model's."
    ),
    render_workers: int | None = typer.Option(None, help="Processes that draw pages; 0: this one."),
    render_timeout: float = typer.Option(60.0, help="Seconds for drawing one page."),
    cache_dir: Path | None = typer.Option(
        None,
        metavar="DIR",
        envvar="NEMOPARSE_CACHE_DIR",
        help="Keep replies there, so that a second run asks for none.",
    ),
    cache_max_bytes: int = typer.Option(2 * 1024**3, help="Size that the cache is kept under."),
    on_page_error: str = typer.Option("keep", help="keep, raise or skip."),
    dpi: float | None = typer.Option(None, help="Resolution of the render."),
    max_image_size: tuple[int, int] | None = typer.Option(
        None, metavar="WIDTH HEIGHT", help="Largest picture sent, in pixels."
    ),
    max_image_bytes: int | None = typer.Option(None, help="Largest picture sent, in bytes."),
    chunk_tokens: int = typer.Option(512, help="Budget of a chunk (with --format chunks)."),
    page_markers: bool = typer.Option(False, help="Put <!-- page N --> before each page of Markdown."),
    progress: bool = typer.Option(True, help="A progress bar, where standard error is a terminal."),
) -> None:
    """Read documents and write them in another form.

    The key of a server is taken from NEMOTRON_PARSE_API_KEY (for --backend nvidia: NVIDIA_API_KEY).
    Pages that need review are named on standard error, with the first reasons.
    Exit status: 0 all is read; 1 a document or a page could not be read; 2 wrong usage.
    """
    options = ParseOptions.build(
        backend=backend,
        base_url=tuple(base_url) or None,
        model=model,
        profile=profile,
        pages=pages,
        password=password,
        max_concurrency=max_concurrency,
        timeout=timeout,
        max_retries=max_retries,
        requests_per_minute=requests_per_minute,
        recover=recover,
        text_layer_fallback=text_layer_fallback,
        passes=passes,
        verify=verify,
        escalate=escalate,
        boxes=boxes,
        classes=classes,
        plain_text=plain_text,
        text_in_pictures=text_in_pictures,
        max_tokens=max_tokens,
        render_workers=render_workers,
        render_timeout=render_timeout,
        cache_dir=cache_dir,
        cache_max_bytes=cache_max_bytes,
        on_page_error=on_page_error,
        dpi=dpi,
        max_image_size=max_image_size,
        max_image_bytes=max_image_bytes,
        show_progress=progress,
    )
    parser = DocumentParser(options=options)
    if out is not None and not out.is_dir() and (out.exists() or out.suffix in _SUFFIX_OF_FILES):
        raise typer.BadParameter(f"{out} is no folder; for a single file write > {out}", param_hint="--out")
    if files.count("-") > 1:
        raise typer.BadParameter("standard input can be read once only", param_hint="FILE")
    if out is None:
        make_utf8(sys.stdout)
    chunker = LayoutChunker(max_tokens=chunk_tokens)
    unread: list[NemoparseError] = []

    def report(error: NemoparseError) -> None:
        unread.append(error)
        tell(f"nemoparse: {error}")

    names = _Names(out)
    if out is not None:
        # Before any page is read: what cannot be written is not worth its requests.
        out.mkdir(parents=True, exist_ok=True)
    bad_pages = False
    for document in parser.parse_many(_inputs(files), on_error=report):
        bad_pages = _tell_what_happened(document, always=progress and sys.stderr.isatty()) or bad_pages
        lines = _render(document, output_format, chunker, page_markers=page_markers)
        if out is None:
            _write(sys.stdout, lines)
        else:
            path = names.path_for(document.file_name, _SUFFIX[output_format])
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                _write(stream, lines)
            tell(f"{document.file_name} -> {path}")
    if unread or bad_pages:
        raise typer.Exit(1)


def _inputs(files: Iterable[str]) -> list[SourceData | SourceInput]:
    # Standard input is read here and now: in another thread it could not be interrupted.
    return [
        SourceInput(sys.stdin.buffer.read(), file_name="standard-input") if file == "-" else file
        for file in files
    ]


def _render(
    document: ParsedDocument, output_format: Format, chunker: LayoutChunker, *, page_markers: bool
) -> Iterable[str]:
    if output_format is Format.MARKDOWN:
        return [document.to_markdown(page_markers=page_markers)]
    if output_format is Format.HTML:
        return [document.to_html()]
    if output_format is Format.JSON:
        return [document.to_json(indent=2)]
    return (chunk.model_dump_json() for chunk in chunker.chunk(document))


def _write(stream: TextIO, lines: Iterable[str]) -> None:
    for line in lines:
        stream.write(line.rstrip("\n") + "\n")
    # Now, while a full disk can still be told in words.
    stream.flush()


def _tell_what_happened(document: ParsedDocument, *, always: bool) -> bool:
    """Name the pages that failed, are partial or need review; sum up the document where there are any.

    Args:
        document: With its report.
        always: Sum it up in any case.

    Returns:
        Whether a page failed or is partial.
    """
    report = document.report
    if report is None:
        return False
    for issue in report.failures:
        tell(f"nemoparse: {document.file_name}, page {issue.page}: {issue.message}")
    told = {issue.page for issue in report.failures}
    for page in document.pages:
        if page.needs_review and page.number not in told:
            tell(f"nemoparse: {document.file_name}, page {page.number} needs review: {_first_reasons(page)}")
    bad_pages = bool(report.failed or report.partial)
    if bad_pages or report.needs_review or always:
        tell(f"nemoparse: {document.file_name}: {report.summary()}")
    return bad_pages


def _first_reasons(page: ParsedPage) -> str:
    reasons = review_reasons(page)
    more = len(reasons) - _MOST_REASONS
    return " ".join(reasons[:_MOST_REASONS]) + (f" ({more} more)" if more > 0 else "")


class _Names:
    """File names in the output folder; two inputs of the same name do not overwrite each other."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._taken: set[str] = set()

    def path_for(self, file_name: str, suffix: str) -> Path:
        folder = self._folder or Path()
        # Only the last part of the name: a name from elsewhere must not lead out of the folder.
        stem = Path(file_name.replace("\\", "/")).name
        stem = stem.rsplit(".", 1)[0] if "." in stem.strip(".") else stem
        stem = _shortened(stem, _LONGEST_NAME - len(suffix) - len("-1000000"))
        name, count = stem, 1
        while name.casefold() in self._taken:
            count += 1
            name = f"{stem}-{count}"
        self._taken.add(name.casefold())
        return folder / f"{name}{suffix}"


def _shortened(stem: str, size: int) -> str:
    """At most ``size`` bytes of a name, whole characters only."""
    return stem.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")
