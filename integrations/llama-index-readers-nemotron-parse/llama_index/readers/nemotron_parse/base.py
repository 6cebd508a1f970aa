"""NemotronParseReader: PDFs and images in, LlamaIndex Documents out."""

from __future__ import annotations

import base64
import logging
import os
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Any, Literal, TypedDict, cast

from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document
from pydantic import (
    ConfigDict,
    Field,
    JsonValue,
    PrivateAttr,
    SecretStr,
    field_serializer,
    field_validator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from nemoparse_loaders import (
    DocumentParser,
    FigureImage,
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

from .document import Content, to_documents
from .files import FileInput, FileSystem, RemoteFile, as_inputs, path_of, readable_again
from .stream import DocumentStream

logger = logging.getLogger(__name__)


class Drawing(TypedDict):
    """How the pictures of figures are drawn."""

    dpi: float
    password: str | None
    render_timeout: float


FileMetadata = Callable[[str], Mapping[str, Any]]

_CHUNKS = "for chunks give chunker=LayoutChunker(max_tokens=..., overlap_sentences=...)"

# What other readers call what has another name here.
_ELSEWHERE = {
    "mode": 'say split="document", "page", "element" or "chunk"',
    "chunk_size": _CHUNKS,
    "chunk_overlap": _CHUNKS,
}

# Marks, in the metadata of a parsed document, which of the inputs it came from.
_INPUT = "input"


def _option(name: str, **attributes: Any) -> Any:
    """A field with the default and the description of that option of `ParseOptions`."""
    option = ParseOptions.model_fields[name]
    if option.default_factory is not None:
        attributes["default_factory"] = option.default_factory
    else:
        attributes["default"] = option.default
    return Field(description=option.description, **attributes)


def _unlisted(name: str) -> Any:
    """An option that does not change the result, or is secret: kept out of repr, JSON and cache keys."""
    return _option(name, exclude=True, repr=False)


class NemotronParseReader(BasePydanticReader):
    """Reads documents with NVIDIA Nemotron Parse.

    Takes every option of `nemoparse_loaders.DocumentParser` as a field. One Document a file by default; it
    carries its layout for `NemotronParseNodeParser`. Pages that fail never take others along: the log names
    them.

    Example:
        >>> reader = NemotronParseReader(base_url="http://localhost:8000/v1")  # doctest: +SKIP
        >>> documents = reader.load_data("report.pdf")  # doctest: +SKIP
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    split: Split = Field(
        default="document",
        description='What becomes a Document: the "document" (for NemotronParseNodeParser), or at once each '
        '"page", "element" or "chunk".',
    )
    include_failed: bool = Field(
        default=False, description="Show failed pages as marked placeholders in place of leaving them out."
    )
    root: str | None = Field(
        default=None,
        description="Folder that the ids of local files are relative to, so that they are the same on every "
        "machine.",
    )
    on_file_error: Literal["raise", "skip"] = Field(
        default="raise",
        description='A file that cannot be read: "raise", or "skip" it with a warning in the log.',
    )
    file_metadata: SkipJsonSchema[FileMetadata] | None = Field(
        default=None,
        exclude=True,
        repr=False,
        description="Called with the path of each file; what it returns is merged into the metadata.",
    )
    chunker: SkipJsonSchema[LayoutChunker] | None = Field(
        default=None, exclude=True, repr=False, description='Makes the chunks of split="chunk".'
    )

    content: Content = Field(
        default="markdown",
        description='What chunks made by the reader hold: "markdown" under heading path and caption; the '
        'chunker\'s "embed_text", plain words under them; both keep to its budget. Or "text", Markdown '
        "alone, which may be longer.",
    )
    images: Literal["path", "base64"] | None = Field(
        default=None,
        description='Pictures of figures and charts, cut out of their pages: as files ("path") in image_dir, '
        'or "base64". In pieces each is an ImageDocument; with split="document" the node parser makes '
        "ImageNodes of them.",
    )
    image_dir: str | None = Field(default=None, description='Folder for the files of images="path".')
    image_dpi: float = Field(default=150.0, gt=0, description="Resolution of the pictures.")

    backend: Any = _option("backend")
    model: str | None = _option("model")
    profile: str | None = _option("profile")
    pages: str | int | Sequence[int] | None = _option("pages")
    on_page_error: Literal["keep", "raise", "skip"] = _option("on_page_error")
    request_options: dict[str, JsonValue] = _option("request_options")
    boxes: bool = _option("boxes")
    classes: bool = _option("classes")
    plain_text: bool = _option("plain_text")
    text_in_pictures: bool | None = _option("text_in_pictures")
    max_tokens: int | None = _option("max_tokens")
    max_image_size: tuple[int, int] | None = _option("max_image_size")
    dpi: float | None = _option("dpi")
    max_image_bytes: int | None = _option("max_image_bytes")
    recover: bool = _option("recover")
    text_layer_fallback: bool = _option("text_layer_fallback")
    passes: Literal["single", "double", "triple"] = _option("passes")
    verify: bool = _option("verify")
    escalate: Literal["larger", "double", "triple"] | None = _option("escalate")

    base_url: str | tuple[str, ...] | None = _unlisted("base_url")
    api_key: SecretStr | None = _unlisted("api_key")
    password: SecretStr | None = _unlisted("password")
    headers: dict[str, str] = _unlisted("headers")
    timeout: float = _unlisted("timeout")
    max_retries: int = _unlisted("max_retries")
    max_concurrency: int | None = _unlisted("max_concurrency")
    requests_per_minute: int | None = _unlisted("requests_per_minute")
    render_workers: int | None = _unlisted("render_workers")
    render_timeout: float = _unlisted("render_timeout")
    cache_dir: str | None = _unlisted("cache_dir")
    cache_max_bytes: int = _unlisted("cache_max_bytes")
    show_progress: bool = _unlisted("show_progress")
    client: Any = Field(
        default=None,
        exclude=True,
        repr=False,
        description="An openai.OpenAI or AsyncOpenAI whose base URL, key and headers are used.",
    )

    _cached: DocumentParser | None = PrivateAttr(default=None)

    @classmethod
    def class_name(cls) -> str:
        """Name in serialised form."""
        return "NemotronParseReader"

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, values: Any) -> Any:
        # LlamaIndex's own models drop what they do not know, and a misspelt option would do nothing.
        for name in values if isinstance(values, Mapping) else ():
            if name not in cls.model_fields and name != "class_name":
                alike = get_close_matches(name, cls.model_fields, n=1)
                hint = _ELSEWHERE.get(name) or (f"did you mean {alike[0]}?" if alike else "")
                raise ValueError(f"there is no option {name}" + (f"; {hint}" if hint else ""))
        return values

    @field_validator("root", "cache_dir", "image_dir", mode="before")
    @classmethod
    def _path_as_text(cls, value: object) -> object:
        return os.fspath(value) if isinstance(value, os.PathLike) else value

    @field_serializer("backend")
    def _backend_name(self, backend: Any) -> str:
        return backend if isinstance(backend, str) else str(backend.name)

    @model_validator(mode="after")
    def _check_options(self) -> NemotronParseReader:
        if self.images == "path" and self.image_dir is None:
            raise ValueError('images="path" needs image_dir, the folder that the files go to')
        if self.chunker is not None and self.chunker.parents is not None:
            raise OptionError(
                "chunker: a reader gives no parents, and chunks would name some that are nowhere; take "
                'split="document" and NemotronParseNodeParser(parents=...)'
            )
        options = self._options()
        self.pages = options.pages
        if self.client is not None:
            # A client belongs to one event loop and does not pickle; a backend with its settings does.
            # The parser is kept: a second one would warn of the same options again.
            self._cached = DocumentParser(client=self.client, options=options)
            self.backend = self._cached.backend
            self.client = None
        return self

    def load_data(
        self,
        file: FileInput | Sequence[FileInput],
        extra_info: Mapping[str, Any] | None = None,
        fs: FileSystem | None = None,
        *,
        file_name: str | None = None,
        doc_id: str | None = None,
    ) -> list[Document]:
        """Read one file or several.

        Args:
            file: A path, bytes, a binary file object, a `SourceInput`, or a list of these.
            extra_info: Metadata for every Document; each gets its own deep copy, and on equal keys it wins.
            fs: An fsspec file system that holds the paths.
            file_name: Name of a single file given as bytes or as a file object; also its identity.
            doc_id: Id of a single file in place of the one made from its place.

        Returns:
            Documents in the order of the files; none for a file with nothing on its pages.

        Raises:
            SourceError: A file cannot be read and ``on_file_error="raise"``; the message names it.
            PageError: A page failed and ``on_page_error="raise"``.
            BackendError: The engine as a whole does not work.
            OptionError: No engine can be found, or the arguments exclude each other.
        """
        return list(self.lazy_load_data(file, extra_info, fs, file_name=file_name, doc_id=doc_id))

    def lazy_load_data(
        self,
        file: FileInput | Sequence[FileInput],
        extra_info: Mapping[str, Any] | None = None,
        fs: FileSystem | None = None,
        *,
        file_name: str | None = None,
        doc_id: str | None = None,
    ) -> Iterator[Document]:
        """As `load_data`, each file's Documents as soon as it is read."""
        inputs = self._inputs(file, fs, file_name=file_name, doc_id=doc_id)
        parser = self._parser()
        for document in parser.parse_many(_numbered(inputs), on_error=self.on_file_error):
            figures = crop_figures(*self._to_crop(document, inputs), **self._drawing()) if self.images else []
            yield from self._documents(document, inputs, extra_info, figures)

    async def aload_data(
        self,
        file: FileInput | Sequence[FileInput],
        extra_info: Mapping[str, Any] | None = None,
        fs: FileSystem | None = None,
        *,
        file_name: str | None = None,
        doc_id: str | None = None,
    ) -> list[Document]:
        """Async twin of `load_data`, in the caller's event loop."""
        return await self.alazy_load_data(file, extra_info, fs, file_name=file_name, doc_id=doc_id)

    def alazy_load_data(
        self,
        file: FileInput | Sequence[FileInput],
        extra_info: Mapping[str, Any] | None = None,
        fs: FileSystem | None = None,
        *,
        file_name: str | None = None,
        doc_id: str | None = None,
    ) -> DocumentStream:
        """Async twin of `lazy_load_data`: iterate over it with ``async for``, or await all of it."""
        inputs = self._inputs(file, fs, file_name=file_name, doc_id=doc_id)
        return DocumentStream(self._stream(inputs, extra_info))

    async def _stream(
        self, inputs: list[SourceInput], extra_info: Mapping[str, Any] | None
    ) -> AsyncGenerator[Document, None]:
        documents = self._parser().aparse_many(_numbered(inputs), on_error=self.on_file_error)
        try:
            async for document in documents:
                figures = []
                if self.images:
                    figures = await acrop_figures(*self._to_crop(document, inputs), **self._drawing())
                for translated in self._documents(document, inputs, extra_info, figures):
                    yield translated
        finally:
            await documents.aclose()

    def _inputs(
        self, file: FileInput | Sequence[FileInput], fs: FileSystem | None, **about: str | None
    ) -> list[SourceInput]:
        inputs = as_inputs(file, fs=fs, root=self.root, **about)
        # The pictures are cut out of the same bytes.
        return [readable_again(given) for given in inputs] if self.images else inputs

    def _options(self) -> ParseOptions:
        values = {name: getattr(self, name) for name in ParseOptions.model_fields}
        if not isinstance(self.backend, str):
            values["backend"] = "auto"
        return ParseOptions.build(**values)

    def _parser(self) -> DocumentParser:
        """The parser for the fields as they are now; made on first use, since it looks for an engine."""
        options = self._options()
        own = None if isinstance(self.backend, str) else self.backend
        cached = self._cached
        if cached is None or cached.options != options or (own is not None and cached.backend is not own):
            cached = DocumentParser(backend="auto" if own is None else own, options=options)
            self._cached = cached
        return cached

    def _documents(
        self,
        document: ParsedDocument,
        inputs: list[SourceInput],
        extra_info: Mapping[str, Any] | None,
        figures: list[FigureImage],
    ) -> list[Document]:
        given = inputs[cast("int", document.metadata[_INPUT])]
        path = path_of(given)
        extra = {**(extra_info or {}), **given.metadata}
        if self.file_metadata is not None and path is not None:
            extra.update(self.file_metadata(path))
        if isinstance(given.data, RemoteFile):
            document = document.model_copy(update={"file_name": PurePosixPath(given.data.path).name})
        _log_failures(document)
        return to_documents(
            document,
            split=self.split,
            chunker=self.chunker,
            include_failed=self.include_failed,
            extra=extra,
            content=self.content,
            **self._pictures(document, figures),
        )

    def _to_crop(self, document: ParsedDocument, inputs: list[SourceInput]) -> tuple[Any, ParsedDocument]:
        return inputs[cast("int", document.metadata[_INPUT])].data, document

    def _drawing(self) -> Drawing:
        password = None if self.password is None else self.password.get_secret_value()
        return {"dpi": self.image_dpi, "password": password, "render_timeout": self.render_timeout}

    def _pictures(self, document: ParsedDocument, figures: list[FigureImage]) -> dict[str, dict[str, str]]:
        if self.images == "path" and self.image_dir is not None:
            return {"figure_paths": save_figures(figures, self.image_dir, doc_id=document.doc_id)}
        encoded = {figure.element_id: base64.b64encode(figure.data).decode() for figure in figures}
        return {"figure_data": encoded}


def _numbered(inputs: list[SourceInput]) -> list[SourceInput]:
    return [replace(given, metadata={_INPUT: number}) for number, given in enumerate(inputs)]


def _log_failures(document: ParsedDocument) -> None:
    """A Document has no place for the report, so what is missing from it is said in the log."""
    if document.report is not None and document.report.failures:
        reasons = "; ".join(f"page {issue.page}: {issue.message}" for issue in document.report.failures)
        logger.warning("%s: %s", document.file_name, reasons)
