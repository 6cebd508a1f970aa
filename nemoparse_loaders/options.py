"""ParseOptions: the one model of options behind the parser, the reader, the loader and the command line.

The table of options in the docs is made from the field descriptions here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from typing_extensions import TypedDict

from .errors import OptionError
from .profiles import ProfileName, PromptControls

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

BackendName = Literal["auto", "vllm", "nvidia", "cpu"]
OnPageError = Literal["keep", "raise", "skip"]
Passes = Literal["single", "double", "triple"]
Escalation = Literal["larger", "double", "triple"]


_CHUNKS = (
    "chunks are made by LayoutChunker(max_tokens=..., overlap_sentences=...), which readers and loaders take "
    "as chunker="
)
_ELSEWHERE = {
    "mode": "what becomes a piece is split= of readers and loaders, and of split_document",
    "chunk_size": _CHUNKS,
    "chunk_overlap": _CHUNKS,
}
"""What other loaders call what is chosen elsewhere here -> where."""


class OptionValues(TypedDict, total=False):
    """The fields of `ParseOptions` as keywords of `DocumentParser`, for type checkers."""

    base_url: str | Sequence[str] | None
    api_key: SecretStr | str | None
    model: str | None
    profile: ProfileName | None
    pages: str | int | Sequence[int] | None
    password: SecretStr | str | None
    max_concurrency: int | None
    requests_per_minute: int | None
    timeout: float
    max_retries: int
    recover: bool
    text_layer_fallback: bool
    passes: Passes
    verify: bool
    escalate: Escalation | None
    on_page_error: OnPageError
    headers: Mapping[str, str]
    request_options: Mapping[str, JsonValue]
    boxes: bool
    classes: bool
    plain_text: bool
    text_in_pictures: bool | None
    max_tokens: int | None
    max_image_size: tuple[int, int] | None
    dpi: float | None
    max_image_bytes: int | None
    render_workers: int | None
    render_timeout: float
    cache_dir: str | PathLike[str] | None
    cache_max_bytes: int
    show_progress: bool


class ParseOptions(BaseModel):
    """Everything that can be chosen about a parse. Frozen, safe to print and to pickle."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    backend: BackendName = Field(
        "auto",
        description='Which engine reads the pages: "vllm" (your own server), "nvidia" (hosted or NIM), '
        '"cpu" (embedded, extra `cpu`), or "auto": the server named by `base_url` or '
        "NEMOTRON_PARSE_BASE_URL, else the CPU backend with a warning.",
    )
    base_url: str | tuple[str, ...] | None = Field(
        None,
        description="The server, with or without `/v1`, or several that serve the same model: a page then "
        "goes to the one with the least to do, and one that is down is left out until it is back. Default: "
        'NEMOTRON_PARSE_BASE_URL (several: separated by commas); for "nvidia" the hosted endpoint.',
    )
    api_key: SecretStr | None = Field(
        None,
        description="Sent as `Authorization: Bearer`. Default: NEMOTRON_PARSE_API_KEY; with "
        '`backend="nvidia"` NVIDIA_API_KEY.',
    )
    model: str | None = Field(
        None, description="Served model name. Default: the one that the server lists, if it lists one."
    )
    profile: ProfileName | None = Field(
        None, description="Model generation. Default: told by the model's name, else 3.5."
    )
    pages: str | tuple[int, ...] | None = Field(
        None, description='Which pages, from 1: "1-3,7", "5-", or a sequence of numbers. Default: all.'
    )
    password: SecretStr | None = Field(None, description="For encrypted PDFs.")
    max_concurrency: int | None = Field(
        None,
        ge=1,
        description="Most requests in flight over all documents and servers. Default: found out while the "
        "run goes on, from what suits the engine (64 for each vLLM server, 8 for the hosted endpoint, the "
        "number of cores for the CPU backend).",
    )
    requests_per_minute: int | None = Field(
        None,
        ge=1,
        description="Most requests a minute. Default: 40 for the hosted endpoint, which limits them; else no "
        "limit.",
    )
    timeout: float = Field(
        120.0, gt=0, description="Seconds for one request, from its first byte to its last."
    )
    max_retries: int = Field(
        4, ge=0, description="How often a page's request is sent again after a fault that may pass."
    )
    recover: bool = Field(
        True,
        description="Read a page again that loops, is cut or comes back empty: with other sampling, then cut "
        "into bands. Every step is on the page's record.",
    )
    text_layer_fallback: bool = Field(
        False,
        description="Where all else failed, take the PDF's own text layer; the page says so.",
    )
    passes: Passes = Field(
        "single",
        description='"double": each table and chart is read again by itself, drawn larger, and the better '
        'reading is taken. "triple": the regions of the page are asked for alone as well, and what the page '
        "missed is put in. [Passes](passes.md) says what they cost.",
    )
    verify: bool = Field(
        True,
        description="Compare each page with the words that its PDF stores: `confidence`, issues and "
        "`needs_review` come of it. Images and scans have none.",
    )
    escalate: Escalation | None = Field(
        None,
        description='How to read a page again whose checks fail: "double" or "triple" pass, or "larger", '
        "with the largest picture that the model takes, where `max_image_size` or `dpi` made it smaller. "
        "Default: not at all.",
    )
    on_page_error: OnPageError = Field(
        "keep",
        description='A page that fails: "keep" it (status "failed", with the reason), "raise", or "skip" it.',
    )
    headers: Mapping[str, str] = Field(
        default_factory=dict, repr=False, description="Further HTTP headers for every request."
    )
    request_options: Mapping[str, JsonValue] = Field(
        default_factory=dict,
        description="Merged into the body of every model request of a server that takes it (sampling, "
        "min_tokens, ...).",
    )
    boxes: bool = Field(
        True,
        description="Ask where each block stands. Without boxes nothing can be drawn, cropped or checked "
        "against its place. This and the next three change the prompt of your own server: the nvidia and cpu "
        "backends take the defaults only.",
    )
    classes: bool = Field(
        True,
        description="Ask what each block is. Without boxes and classes a page is one text.",
    )
    plain_text: bool = Field(False, description="Ask for plain text in place of Markdown.")
    text_in_pictures: bool | None = Field(
        None,
        description="Ask for the words in figures, or for none. Default: what the generation does by itself, "
        "words in 3.5 and none in 2.0 and 1.2; 1.1 has no choice.",
    )
    max_tokens: int | None = Field(
        None, ge=1, description="Longest reply. Default: the profile's, capped by the server's context."
    )
    max_image_size: tuple[int, int] | None = Field(
        None,
        description="Largest picture sent, (width, height) in pixels. Default: 1664x2048.",
    )
    dpi: float | None = Field(
        None,
        gt=0,
        description="Resolution of the render, capped by `max_image_size`. Default: as large as that allows.",
    )
    max_image_bytes: int | None = Field(
        None,
        ge=10_000,
        description="Largest picture sent, in bytes; above it a page goes as JPEG, with a warning. "
        "Default: no limit.",
    )
    render_workers: int | None = Field(
        None,
        ge=0,
        description="Processes that draw pages; 0 draws in this process, where no deadline can be kept. "
        "Default: one a core, at most 8.",
    )
    render_timeout: float = Field(
        60.0, gt=0, description="Seconds for drawing one page; a page that takes longer fails."
    )
    cache_dir: str | None = Field(
        None,
        min_length=1,
        description="Folder that keeps replies, so that a page with the same content, settings and model is "
        "not asked for again. Default: none.",
    )
    cache_max_bytes: int = Field(
        2 * 1024**3,
        ge=1,
        description="Size that the cache is kept under; what was not used for longest goes first.",
    )
    show_progress: bool = Field(False, description="A progress bar on a terminal or in a notebook.")

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            # A user name and password, or a key in the query, may stand in an address.
            if name == "base_url" and value:
                value = _without_login(value) if isinstance(value, str) else tuple(map(_without_login, value))
            yield name, value

    @field_validator("base_url", mode="before")
    @classmethod
    def _listed_urls(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("base_url")
    @classmethod
    def _check_url(cls, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        if value is None:
            return None
        urls = tuple(_checked_url(url) for url in ((value,) if isinstance(value, str) else value))
        if not urls:
            raise ValueError("must name at least one server")
        return urls[0] if len(urls) == 1 else urls

    @field_validator("cache_dir", mode="before")
    @classmethod
    def _plain_path(cls, value: object) -> object:
        return os.fspath(value) if isinstance(value, os.PathLike) else value

    @field_validator("pages", mode="before")
    @classmethod
    def _listed_pages(cls, value: object) -> object:
        if isinstance(value, (range, list)):
            return tuple(value)
        return (value,) if isinstance(value, int) else value

    @field_validator("max_image_size")
    @classmethod
    def _positive_size(cls, value: tuple[int, int] | None) -> tuple[int, int] | None:
        if value is not None and min(value) < 16:
            raise ValueError("must be at least 16 pixels either way")
        return value

    @model_validator(mode="after")
    def _regions_have_places(self) -> ParseOptions:
        needs = self.passes != "single" or self.escalate in ("double", "triple")
        if needs and not (self.boxes and self.classes):
            raise ValueError("passes and escalate need boxes and classes: without them there are no regions")
        return self

    @property
    def controls(self) -> PromptControls:
        """What a page is asked for."""
        return PromptControls(self.boxes, self.classes, self.plain_text, self.text_in_pictures)

    def refuse_controls(self, backend: str, reason: str) -> None:
        """Refuse what changes the prompt, for an engine that takes none.

        Args:
            backend: Its name.
            reason: Why.

        Raises:
            OptionError: One of them is not at its default.
        """
        default = PromptControls()
        changed = [name for name in default.__slots__ if getattr(self, name) != getattr(default, name)]
        if changed:
            raise OptionError(f"{', '.join(changed)}: the {backend} backend takes none of these; {reason}")

    @classmethod
    def build(cls, **values: Any) -> ParseOptions:
        """Check the values and freeze them.

        Raises:
            OptionError: A value cannot work, or an option does not exist; the message says which.
        """
        try:
            return cls(**values)
        except ValidationError as error:
            raise OptionError("; ".join(_problem(item) for item in error.errors())) from None


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("must be an http(s) URL such as http://localhost:8000/v1")
    return url.rstrip("/")


def _without_login(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def _problem(item: ErrorDetails) -> str:
    name = ".".join(str(part) for part in item["loc"])
    if item["type"] != "extra_forbidden":
        return f"{name}: {item['msg'].removeprefix('Value error, ')}"
    if name in _ELSEWHERE:
        return f"there is no option {name}; {_ELSEWHERE[name]}"
    alike = get_close_matches(name, ParseOptions.model_fields, n=1)
    return f"there is no option {name}" + (f"; did you mean {alike[0]}?" if alike else "")
