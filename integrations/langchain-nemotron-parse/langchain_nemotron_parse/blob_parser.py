"""NemotronParseBlobParser: a blob in, Documents out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import PurePath, PurePosixPath
from typing import Any

from langchain_core.document_loaders import BaseBlobParser
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from pydantic import SecretStr

from nemoparse_loaders import (
    DocumentParser,
    LayoutChunker,
    OptionError,
    ParsedDocument,
    SourceInput,
    Split,
)

from .documents import log_failures, to_documents

SPLITS = ("document", "page", "element", "chunk")


class NemotronParseBlobParser(BaseBlobParser):
    """Parses blobs (PDFs and images) with NVIDIA Nemotron Parse.

    Works alone or behind a BlobLoader. Pages that fail never take others along: the log names them. It opens
    nothing until it is used; it pickles and deep-copies.

    Args:
        split: What becomes a Document: the "document" (for `NemotronParseChunker`), or at once each "page",
            "element" or "chunk".
        chunker: Makes the chunks of ``split="chunk"``.
        include_failed: Show failed pages as marked placeholders in place of leaving them out.
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
        backend: Any = "auto",
        base_url: str | None = None,
        api_key: SecretStr | str | None = None,
        pages: Any = None,
        password: SecretStr | str | None = None,
        **options: Any,
    ) -> None:
        if split not in SPLITS:
            raise OptionError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
        self.split = split
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
        document = self.parser.parse(input_of(blob))
        yield from self.documents(named_as(document, blob), blob.metadata)

    async def alazy_parse(self, blob: Blob) -> AsyncIterator[Document]:
        """Async twin of `lazy_parse`, in the caller's event loop."""
        document = await self.parser.aparse(input_of(blob))
        for translated in self.documents(named_as(document, blob), blob.metadata):
            yield translated

    def documents(self, document: ParsedDocument, metadata: Mapping[str, Any]) -> list[Document]:
        """Translate a parsed document as this parser's options say."""
        log_failures(document)
        return to_documents(
            document,
            split=self.split,
            chunker=self.chunker,
            include_failed=self.include_failed,
            extra=metadata,
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
