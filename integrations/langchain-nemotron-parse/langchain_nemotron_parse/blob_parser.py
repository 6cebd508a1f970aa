"""NemotronParseBlobParser: a blob in, Documents out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from os import PathLike
from pathlib import PurePath, PurePosixPath
from typing import Any, get_args

from langchain_core.document_loaders import BaseBlobParser
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from pydantic import SecretStr

from nemoparse_loaders import (
    DocumentParser,
    LayoutChunker,
    OptionError,
    ParsedDocument,
    ParseOptions,
    SourceInput,
    Split,
    acrop_figures,
    crop_figures,
    save_figures,
)

from .chunker import NemotronParseChunker
from .documents import Content, checked_content, log_failures, to_documents
from .option_names import OF_LOADERS, names_of, refuse_unknown


class NemotronParseBlobParser(BaseBlobParser):
    """Parses blobs (PDFs and images) with NVIDIA Nemotron Parse.

    Works alone or behind a BlobLoader. Pages that fail never take others along: the log names them. It opens
    nothing until it is used; it pickles and deep-copies.

    Args:
        split: What becomes a Document: the "document" (for `NemotronParseChunker`), or at once each "page",
            "element" or "chunk".
        chunker: Makes the chunks of ``split="chunk"``; for all pieces it says which elements count.
        include_failed: Show failed pages as marked placeholders in place of leaving them out.
        content: What ``page_content`` of a piece is: "markdown", that of a chunk under heading path and
            caption, and within its budget; the chunker's "embed_text", plain words unless it embeds
            Markdown; or "text", Markdown alone, which may be longer than the budget. For "markdown" a
            chunker is taken as if it were made with ``embed="markdown"``.
        image_dir: Folder for pictures of figures and charts, cut out of their pages; their path is
            "image_path" in the metadata, which is then empty for all other pieces.
        image_dpi: Resolution of these pictures.
        backend: "auto", "vllm", "nvidia", "cpu", or a backend object.
        base_url: The server, with or without ``/v1``. Default: NEMOTRON_PARSE_BASE_URL.
        api_key: Default: NEMOTRON_PARSE_API_KEY; with ``backend="nvidia"`` NVIDIA_API_KEY.
        pages: Which pages, from 1: "1-3,7", or numbers.
        password: For encrypted PDFs.
        **options: Every further option of `nemoparse_loaders.DocumentParser`.

    Raises:
        OptionError: An option cannot work, or no engine can be found.
    """

    def __init__(
        self,
        *,
        split: Split = "chunk",
        chunker: LayoutChunker | None = None,
        include_failed: bool = False,
        content: Content = "markdown",
        image_dir: str | PathLike[str] | None = None,
        image_dpi: float = 150,
        backend: Any = "auto",
        base_url: str | None = None,
        api_key: SecretStr | str | None = None,
        pages: Any = None,
        password: SecretStr | str | None = None,
        **options: Any,
    ) -> None:
        refuse_unknown(options, option_names(), OF_LOADERS)
        if split not in get_args(Split):
            raise OptionError(f"split must be one of {', '.join(get_args(Split))}, not {split!r}")
        checked_content(content)
        _check_chunker(chunker)
        if chunker is not None and chunker.parents is not None:
            raise OptionError(
                "chunker: a loader gives no parents, and chunks would name some that are nowhere; take "
                'split="document" and NemotronParseChunker(parents=...).split_with_parents'
            )
        if not image_dpi > 0:
            raise OptionError(f"image_dpi must be above 0, not {image_dpi}")
        self.split = split
        self.content: Content = content
        self.image_dir = image_dir
        self.image_dpi = image_dpi
        self.chunker = chunker
        self.include_failed = include_failed
        self.parser = DocumentParser(
            backend=backend, base_url=base_url, api_key=api_key, pages=pages, password=password, **options
        )

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Parse a blob.

        Args:
            blob: A PDF or an image, as a path or as data. Its metadata goes on top of every Document's; where
                it has neither a path nor a source, its content identifies it; its ``id``, if any, is the
                document's.

        Yields:
            Documents in reading order; none where nothing is on the pages.

        Raises:
            SourceError: It cannot be read; the message names it and says why.
            PageError: A page failed and ``on_page_error="raise"``.
            BackendError: The engine as a whole does not work.
        """
        given = input_of(blob)
        document = self.parser.parse(given)
        yield from self.documents(named_as(document, blob), blob.metadata, self.figures(given, document))

    async def alazy_parse(self, blob: Blob) -> AsyncIterator[Document]:
        """Async twin of `lazy_parse`, in the caller's event loop."""
        given = input_of(blob)
        document = await self.parser.aparse(given)
        figures = await self.afigures(given, document)
        for translated in self.documents(named_as(document, blob), blob.metadata, figures):
            yield translated

    def figures(self, given: SourceInput, document: ParsedDocument) -> dict[str, str] | None:
        """Cut the figures out of their pages: element id -> file; None where there is no ``image_dir``."""
        if self.image_dir is None:
            return None
        figures = crop_figures(given.data, document, **self._drawing())
        return save_figures(figures, self.image_dir, doc_id=document.doc_id)

    async def afigures(self, given: SourceInput, document: ParsedDocument) -> dict[str, str] | None:
        """Async twin of `figures`."""
        if self.image_dir is None:
            return None
        figures = await acrop_figures(given.data, document, **self._drawing())
        return save_figures(figures, self.image_dir, doc_id=document.doc_id)

    def _drawing(self) -> dict[str, Any]:
        options = self.parser.options
        password = None if options.password is None else options.password.get_secret_value()
        return {"dpi": self.image_dpi, "password": password, "render_timeout": options.render_timeout}

    def documents(
        self,
        document: ParsedDocument,
        metadata: Mapping[str, Any],
        figure_paths: Mapping[str, str] | None = None,
    ) -> list[Document]:
        """Translate a parsed document as this parser's options say."""
        log_failures(document)
        return to_documents(
            document,
            split=self.split,
            chunker=self.chunker,
            include_failed=self.include_failed,
            extra=metadata,
            content=self.content,
            figure_paths=figure_paths,
        )


def option_names() -> set[str]:
    """All that `NemotronParseBlobParser` takes."""
    return (
        names_of(NemotronParseBlobParser.__init__)
        | names_of(DocumentParser)
        | ParseOptions.model_fields.keys()
    )


def _check_chunker(chunker: object) -> None:
    if isinstance(chunker, NemotronParseChunker):
        raise OptionError(
            "chunker must be a LayoutChunker, not a NemotronParseChunker: give its .chunker, or "
            "LayoutChunker(...) with the same options"
        )
    if chunker is not None and not isinstance(chunker, LayoutChunker):
        raise OptionError(
            f"chunker must be a LayoutChunker, such as LayoutChunker(max_tokens=256), not {chunker!r}"
        )


def input_of(blob: Blob) -> SourceInput:
    """The blob as an input of the parser.

    Raises:
        OptionError: It holds nothing to read.
    """
    if blob.data is not None:
        return SourceInput(blob.as_bytes(), file_name=blob.source, doc_id=blob.id)
    if blob.path is None:
        raise OptionError("the blob has neither data nor a path")
    return SourceInput(blob.path, doc_id=blob.id)


def named_as(document: ParsedDocument, blob: Blob) -> ParsedDocument:
    """The source of data may be a whole URL or path; people are shown its last part."""
    place = blob.path if blob.path is not None else blob.source
    if blob.data is None or place is None:
        return document
    name = place.name if isinstance(place, PurePath) else PurePosixPath(place).name
    return document.model_copy(update={"file_name": name or document.file_name})
