"""NemotronParseLoader: files in, Documents out, lazily."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, BinaryIO, Literal, cast

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from nemoparse_loaders import OptionError, ParsedDocument, SourceInput

from .blob_parser import NemotronParseBlobParser, input_of, named_as, option_names
from .option_names import OF_LOADERS, names_of, refuse_unknown
from .streams import readable_again

FileInput = str | PathLike[str] | bytes | bytearray | memoryview | BinaryIO | Blob | SourceInput

# Marks, in the metadata of a parsed document, which of the inputs it came from.
_INPUT = "input"


class NemotronParseLoader(BaseLoader):
    """Loads PDFs and images with NVIDIA Nemotron Parse.

    Several files share one budget of requests, and are read ahead while you use the first ones.

    Args:
        file_path: A path, bytes, a binary file object, a `Blob`, a `SourceInput`, or a list of these.
        file_name: Name of a single file given as bytes or as a file object; also its identity.
        doc_id: Id of a single file in place of the one made from its place.
        root: Folder that the ids of paths are relative to, so that they are the same on every machine.
        metadata: Goes on top of every Document's metadata.
        on_file_error: A file that cannot be read: "raise", or "skip" it with a warning in the log.
        **options: Those of `NemotronParseBlobParser`: ``split``, ``base_url``, ``api_key``, ``pages``, ...

    Raises:
        OptionError: An option cannot work, or no engine can be found.

    Example:
        >>> loader = NemotronParseLoader("report.pdf", base_url="http://localhost:8000/v1")  # doctest: +SKIP
        >>> chunks = loader.load()  # doctest: +SKIP
    """

    def __init__(
        self,
        file_path: FileInput | Sequence[FileInput],
        *,
        file_name: str | None = None,
        doc_id: str | None = None,
        root: str | PathLike[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_file_error: Literal["raise", "skip"] = "raise",
        **options: Any,
    ) -> None:
        refuse_unknown(options, names_of(NemotronParseLoader.__init__) | option_names(), OF_LOADERS)
        if on_file_error not in ("raise", "skip"):
            raise OptionError(f'on_file_error must be "raise" or "skip", not {on_file_error!r}')
        several = isinstance(file_path, (list, tuple))
        self.files = list(cast("Sequence[FileInput]", file_path if several else [file_path]))
        about: dict[str, Any] = {"file_name": file_name, "doc_id": doc_id}
        about = {key: value for key, value in about.items() if value is not None}
        if about and (len(self.files) != 1 or isinstance(self.files[0], (Blob, SourceInput))):
            raise OptionError(
                f"{' and '.join(about)}: for one file; give SourceInput(...) for each of several"
            )
        self._about = about
        self._root = root
        self.metadata = dict(metadata or {})
        self.on_file_error = on_file_error
        self.blob_parser = NemotronParseBlobParser(**options)

    def lazy_load(self) -> Iterator[Document]:
        """Documents in the order of the files, each file's as soon as it is read.

        Raises:
            SourceError: A file cannot be read and ``on_file_error="raise"``.
            PageError: A page failed and ``on_page_error="raise"``.
            BackendError: The engine as a whole does not work.
        """
        inputs = [self._input(file) for file in self.files]
        for document in self.blob_parser.parser.parse_many(_numbered(inputs), on_error=self.on_file_error):
            figures = self.blob_parser.figures(inputs[_number_of(document)], document)
            yield from self._documents(document, inputs, figures)

    async def alazy_load(self) -> AsyncIterator[Document]:
        """Async twin of `lazy_load`, in the caller's event loop."""
        inputs = [self._input(file) for file in self.files]
        documents = self.blob_parser.parser.aparse_many(_numbered(inputs), on_error=self.on_file_error)
        try:
            async for document in documents:
                figures = await self.blob_parser.afigures(inputs[_number_of(document)], document)
                for translated in self._documents(document, inputs, figures):
                    yield translated
        finally:
            await documents.aclose()

    def _input(self, file: FileInput) -> SourceInput:
        if isinstance(file, Blob):
            given = input_of(file)
        elif isinstance(file, SourceInput):
            given = file
        else:
            given = SourceInput(file, **self._about)
        if isinstance(given.data, (str, PathLike)) and given.root is None:
            return replace(given, root=self._root)
        # The pictures are cut out of the same bytes.
        return given if self.blob_parser.image_dir is None else readable_again(given)

    def _documents(
        self, document: ParsedDocument, inputs: list[SourceInput], figures: Mapping[str, str] | None
    ) -> list[Document]:
        number = _number_of(document)
        file = self.files[number]
        extra = {**self.metadata, **inputs[number].metadata}
        if isinstance(file, Blob):
            document = named_as(document, file)
            extra.update(file.metadata)
        return self.blob_parser.documents(document, extra, figures)


def _number_of(document: ParsedDocument) -> int:
    return cast("int", document.metadata[_INPUT])


def _numbered(inputs: list[SourceInput]) -> list[SourceInput]:
    return [replace(given, metadata={_INPUT: number}) for number, given in enumerate(inputs)]
