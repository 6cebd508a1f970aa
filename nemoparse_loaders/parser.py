"""DocumentParser: documents in, parsed documents out; sync and async twins over one core."""

from __future__ import annotations

import logging
import os.path
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Collection, Generator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from inspect import iscoroutinefunction
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from pydantic import JsonValue, ValidationError
from typing_extensions import TypedDict, Unpack

from .backends.base import Backend
from .document import ElementType, ParsedDocument, ParsedPage
from .errors import BackendError, NemoparseError, OptionError
from .issue import asks_for_review
from .options import OptionValues, ParseOptions

if TYPE_CHECKING:
    from .pipeline.engine import DocumentRun, Engine
    from .pipeline.progress import Progress, RunProgress
    from .sources import Source

SourceData = str | PathLike[str] | bytes | bytearray | memoryview | BinaryIO

OnDocumentError = Literal["raise", "skip"] | Callable[[NemoparseError], None]

logger = logging.getLogger(__name__)

# In tokens. A limit below is hardly meant for a page, and rather for chunks.
_SMALL_REPLY = 1_000


@dataclass(frozen=True)
class SourceInput:
    """A document with what the caller knows about it.

    Attributes:
        data: A path, the bytes, or a binary file object.
        file_name: Name for people and for error messages; default: the path's, or one made from the type.
        doc_id: An id of the caller's own in place of the one made from the place.
        root: Folder that ids are relative to, so that they are the same on every machine.
        metadata: Goes into `ParsedDocument.metadata`.
    """

    data: SourceData
    file_name: str | None = None
    doc_id: str | None = None
    root: str | PathLike[str] | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


class SourceFacts(TypedDict, total=False):
    """What the caller may say about a single document: the fields of `SourceInput`, for type checkers."""

    file_name: str | None
    doc_id: str | None
    root: str | PathLike[str] | None
    metadata: Mapping[str, JsonValue] | None


class DocumentParser:
    """Reads documents with Nemotron Parse.

    A parser is configuration: it opens nothing until it is used, closes what it opened when a call ends, and
    pickles and deep-copies, as far as its ``progress`` function does. Sync methods work in scripts, threads,
    notebooks and inside a running event loop; inside async code prefer the ``a`` twins.

    Args:
        backend: "auto", "vllm", "nvidia", "cpu", or an object with the protocol of `backends.base.Backend`.
        client: An ``openai.OpenAI`` or ``AsyncOpenAI`` (extra ``openai``) whose base URL, key and headers are
            used.
        progress: A plain function, called with a `Progress` for every page, in another thread than the
            caller's of a sync method; what it raises ends the run.
        options: All options at once, in place of the keywords.
        **values: The fields of `ParseOptions`, e.g. ``base_url``, ``pages``, ``password``, ``timeout``.

    Raises:
        OptionError: An option cannot work, or no engine can be found.
    """

    def __init__(
        self,
        *,
        backend: str | Backend = "auto",
        client: Any = None,
        progress: Callable[[Progress], object] | None = None,
        options: ParseOptions | None = None,
        **values: Unpack[OptionValues],
    ) -> None:
        self.backends: tuple[Backend, ...]
        if progress is not None:
            _check_function("progress", progress, "must be a function")
        self.progress = progress
        own = None if isinstance(backend, str) else backend
        if options is not None:
            if values or (own is None and backend != "auto"):
                raise OptionError("give options= or single options, not both")
            self.options = options
        else:
            named = backend if isinstance(backend, str) else "auto"
            self.options = ParseOptions.build(backend=named, **values)
        if own is not None and client is not None:
            raise OptionError("client= goes with the vLLM backend, not with a backend object")
        if own is not None and not isinstance(own, Backend):
            raise OptionError(f"backend= takes a name or a backend object, not {type(own).__name__}")
        if own is None:
            from .backends.resolve import resolve_backends

            self.backends = resolve_backends(self.options, client=client)
        else:
            self.backends = (own,)
        if self.options.max_tokens is not None and self.options.max_tokens < _SMALL_REPLY:
            # Here and not in the options, which are checked anew for every copy.
            logger.warning(
                "max_tokens=%d limits the model's reply, and pages with more text are cut. The size of "
                "chunks is set elsewhere: chunker=LayoutChunker(max_tokens=...), max_tokens of the node "
                "parser or of NemotronParseChunker, --chunk-tokens on the command line",
                self.options.max_tokens,
            )

    @property
    def backend(self) -> Backend:
        """The engine; the first of `backends` where there are several servers."""
        return self.backends[0]

    def __repr__(self) -> str:
        return f"DocumentParser(backend={self.backend.name!r}, options={self.options!r})"

    def parse(self, source: SourceData | SourceInput, **about: Unpack[SourceFacts]) -> ParsedDocument:
        """Read one document.

        Args:
            source: A path, bytes, a binary file object, or a `SourceInput`.
            **about: Fields of `SourceInput`: ``file_name``, ``doc_id``, ``root``, ``metadata``.

        Returns:
            The document with the pages asked for; pages that failed are in it as ``on_page_error`` says.

        Raises:
            SourceError: The input cannot be read; the message names it and says why.
            PageError: A page failed and ``on_page_error="raise"``.
            BackendError: The engine as a whole does not work.
        """
        from .pipeline.bridge import run_sync

        return run_sync(self.aparse(source, **about))

    async def aparse(self, source: SourceData | SourceInput, **about: Unpack[SourceFacts]) -> ParsedDocument:
        """Async twin of `parse`."""
        job = _as_input(source, about)
        with self._progress() as progress:
            async with self._engine() as engine:
                return await self._whole_document(engine, job, progress)

    def iter_pages(
        self, source: SourceData | SourceInput, **about: Unpack[SourceFacts]
    ) -> Generator[ParsedPage, None, None]:
        """Read one document page by page, in order, each page as soon as it is there.

        Raises:
            As `parse`.
        """
        from .pipeline.bridge import iterate_sync

        return iterate_sync(lambda: self.aiter_pages(source, **about))

    async def aiter_pages(
        self, source: SourceData | SourceInput, **about: Unpack[SourceFacts]
    ) -> AsyncGenerator[ParsedPage, None]:
        """Async twin of `iter_pages`."""
        job = _as_input(source, about)
        with self._progress() as progress:
            async with (
                self._engine() as engine,
                engine.open(partial(_load, job)) as run,
                aclosing(self._shown(run, progress, all_at_once=False)) as pages,
            ):
                async for page in pages:
                    if not self._left_out(page):
                        yield page

    def parse_many(
        self, sources: Iterable[SourceData | SourceInput], *, on_error: OnDocumentError = "raise"
    ) -> Generator[ParsedDocument, None, None]:
        """Read many documents with one shared budget of requests.

        Args:
            sources: Taken one by one, only as far ahead as is needed to keep the engine busy. An iterator is
                taken in a thread of its own, so that it may wait without holding up pages on their way.
            on_error: A document that cannot be read: "raise"; "skip" with a warning in the log; or a
                function that is called with the error, in another thread than the caller's, after which the
                next document follows.

        Yields:
            Documents in the order of the sources.

        Raises:
            As `parse`.
        """
        from .pipeline.bridge import iterate_sync
        from .pipeline.many import from_thread

        _check_many(sources)
        may_wait = isinstance(sources, Iterable) and not isinstance(sources, Collection)
        return iterate_sync(
            lambda: self.aparse_many(from_thread(sources) if may_wait else sources, on_error=on_error)
        )

    async def aparse_many(
        self,
        sources: Iterable[SourceData | SourceInput] | AsyncIterable[SourceData | SourceInput],
        *,
        on_error: OnDocumentError = "raise",
    ) -> AsyncGenerator[ParsedDocument, None]:
        """Async twin of `parse_many`; takes an async iterable of sources as well."""
        from .pipeline.many import DocumentFailed, read_ahead

        if on_error not in ("raise", "skip"):
            _check_function("on_error", on_error, 'must be "raise", "skip" or a function')
        _check_many(sources)
        with self._progress() as progress:
            async with self._engine() as engine:

                async def read(source: SourceData | SourceInput) -> ParsedDocument:
                    return await self._whole_document(engine, _as_input(source, {}), progress)

                ahead = read_ahead(
                    sources,
                    read,
                    wanted=engine.wants_document,
                    weigh=_page_count,
                    most_held=lambda: engine.order_window,
                    # No other document would fare better; and what the caller's function says is no
                    # document's failure.
                    ends_all=lambda error: isinstance(error, BackendError) or error is progress.error,
                )
                async with aclosing(ahead) as outcomes:
                    async for outcome in outcomes:
                        if not isinstance(outcome, DocumentFailed):
                            yield outcome
                        elif on_error == "raise":
                            raise outcome.error
                        elif on_error == "skip":
                            logger.warning("Skipped: %s", outcome.error)
                        else:
                            on_error(outcome.error)

    def _engine(self) -> Engine:
        from .pipeline.engine import Engine

        return Engine(self.backends, self.options)

    async def _whole_document(
        self, engine: Engine, job: SourceInput, progress: RunProgress
    ) -> ParsedDocument:
        from .pipeline.report import make_report

        async with engine.open(partial(_load, job)) as run:
            pages = [page async for page in self._shown(run, progress, all_at_once=True)]
            report = make_report(pages, run.seconds, run.metrics)
            loaded = run.source
        _log_reviews(loaded.file_name, pages)
        kept = tuple(page for page in pages if not self._left_out(page))
        return ParsedDocument(
            doc_id=loaded.doc_id,
            source=loaded.uri,
            file_name=loaded.file_name,
            content_hash=loaded.content_hash,
            media_type=loaded.media_type,
            total_pages=run.total_pages,
            parser=self.backend.name,
            model=engine.model,
            profile=engine.profile,
            title=_title(kept) or run.title,
            pages=kept,
            issues=run.issues,
            metadata=dict(job.metadata),
            report=report,
        )

    def _left_out(self, page: ParsedPage) -> bool:
        return page.status == "failed" and self.options.on_page_error == "skip"

    def _progress(self) -> RunProgress:
        from .pipeline.progress import RunProgress

        return RunProgress(shown=self.options.show_progress, callback=self.progress)

    async def _shown(
        self, run: DocumentRun, progress: RunProgress, *, all_at_once: bool
    ) -> AsyncGenerator[ParsedPage, None]:
        """The run's pages, told of as they come."""
        with progress.document(run.source.file_name, len(run.numbers), run.metrics) as step:
            async with aclosing(run.pages(all_at_once=all_at_once)) as pages:
                async for page in pages:
                    step(page)
                    yield page


def review_reasons(page: ParsedPage) -> tuple[str, ...]:
    """What the checks of a page found that asks for a review, of the page first, then element by element."""
    everything = (*page.issues, *(issue for element in page.elements for issue in element.issues))
    return tuple(
        f"{issue.element_id}: {issue.message}" if issue.element_id else issue.message
        for issue in everything
        if asks_for_review(issue)
    )


def _log_reviews(file_name: str, pages: Collection[ParsedPage]) -> None:
    numbers = [page.number for page in pages if page.needs_review]
    if numbers:
        told = "%s: %d of %d pages need review: %s"
        logger.info(told, file_name, len(numbers), len(pages), ", ".join(map(str, numbers)))


def _as_input(source: SourceData | SourceInput, about: Mapping[str, Any]) -> SourceInput:
    if isinstance(source, SourceInput):
        if about:
            raise OptionError("a SourceInput brings its own file_name, doc_id, root and metadata")
        _check_metadata(source.metadata)
        return source
    unknown = set(about) - SourceFacts.__annotations__.keys()
    if unknown:
        raise OptionError(f"unknown: {', '.join(sorted(unknown))}; parser options go to DocumentParser(...)")
    about = {key: value for key, value in about.items() if value is not None}
    _check_metadata(about.get("metadata", {}))
    return SourceInput(source, **about)


def _check_metadata(metadata: Mapping[str, JsonValue]) -> None:
    """Refuse at once what the document could not hold at the end, when all pages are paid for."""
    try:
        ParsedDocument(doc_id="", metadata=dict(metadata)).to_json()
    except (ValueError, TypeError, RecursionError) as error:
        raise OptionError(
            f"metadata must be a mapping of text to JSON values: {_first_line(error)}"
        ) from None


def _check_many(sources: object) -> None:
    one = (str, PathLike, bytes, bytearray, memoryview, SourceInput)
    if isinstance(sources, (str, PathLike)) and os.path.isdir(sources):
        raise OptionError(
            f"sources is a directory; give its files, such as Path({os.fspath(sources)!r}).glob('*.pdf')"
        )
    # A file object would be taken line by line.
    if isinstance(sources, one) or hasattr(sources, "read"):
        raise OptionError("sources is one document; give a list of them, or use parse() for one")
    if not isinstance(sources, (Iterable, AsyncIterable)):
        raise OptionError(f"sources must be a list or another iterable, not {type(sources).__name__}")


def _check_function(name: str, value: object, expected: str) -> None:
    """Refuse what cannot be called, or what would only make a coroutine that nobody waits for."""
    if not callable(value):
        raise OptionError(f"{name} {expected}, not {value!r}")
    if iscoroutinefunction(value) or iscoroutinefunction(type(value).__call__):
        raise OptionError(
            f"{name} must be a plain function, not an async one: nothing waits for what it does. Start a "
            "task in it, or put what it is told into a queue"
        )


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False)[0]
        return f"{'.'.join(map(str, first['loc'][1:]))[:80] or 'it'}: {first['msg']}"
    return str(error)


def _page_count(document: ParsedDocument) -> int:
    return len(document.pages)


def _load(job: SourceInput) -> Source:
    from .sources import load_source

    return load_source(job.data, file_name=job.file_name, doc_id=job.doc_id, root=job.root)


def _title(pages: Iterable[ParsedPage]) -> str:
    for page in pages:
        for element in page.elements:
            if element.type == ElementType.TITLE.value and element.text:
                return element.text
    return ""
