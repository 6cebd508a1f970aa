"""The protocol of an engine: a page's picture goes in, the model's reply comes out.

A `Backend` is plain configuration: it pickles, deep-copies and belongs to no event loop. What is bound to a
loop (connections, loaded models) lives in the `Session` that it opens.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeGuard, runtime_checkable

from ..document import Usage
from ..profiles import Profile
from ..rendering.page_image import PageImage


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One reply, unjudged.

    Attributes:
        text: The token string, special tokens included.
        finish_reason: As the server said ("stop", "length", "abort", ...); None where it did not.
        usage: Tokens.
        model: The model's name as the server gives it.
    """

    text: str
    finish_reason: str | None = None
    usage: Usage = Usage()
    model: str = ""


def token_count(value: object) -> int | None:
    """A number of tokens as a server tells it; None for what cannot be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


class Session(Protocol):
    """An engine that is up: use it inside the event loop that opened it."""

    @property
    def profile(self) -> Profile:
        """The generation of the model that answers."""
        ...

    @property
    def model(self) -> str:
        """The model's name, or empty."""
        ...

    async def read(self, image: PageImage) -> ModelReply:
        """Read one page: one attempt, no retries.

        Raises:
            BackendError: The engine could not; ``retryable`` says whether to try again.
        """
        ...


@runtime_checkable
class RereadingSession(Protocol):
    """A session of an engine that can be asked again with other sampling."""

    async def reread(self, image: PageImage, attempt: int) -> ModelReply:
        """Read a page again after a reply that looped or was cut.

        Args:
            image: The page.
            attempt: From 1; each takes another seed.

        Raises:
            BackendError: As `Session.read`.
        """
        ...


@runtime_checkable
class DetectingSession(Protocol):
    """A session of an engine that can be asked for the regions of a page alone; see `can_detect`."""

    @property
    def profile(self) -> Profile:
        """As `Session.profile`; its ``detection_task`` is empty where its generation cannot do this."""
        ...

    async def detect(self, image: PageImage) -> ModelReply:
        """Ask for boxes and classes without their text: one attempt, no retries.

        Raises:
            BackendError: As `Session.read`.
            OptionError: The generation has no such task.
        """
        ...


def can_detect(session: object) -> TypeGuard[DetectingSession]:
    """Whether a session can be asked for the regions of a page alone."""
    return isinstance(session, DetectingSession) and bool(session.profile.detection_task)


@runtime_checkable
class CacheableSession(Protocol):
    """A session whose replies may be kept."""

    @property
    def fingerprint(self) -> str:
        """All that shapes a reply besides the picture: model, task, sampling, limits. No address, no key."""
        ...


@dataclass(frozen=True, slots=True)
class ServerLoad:
    """What a server says about its queue.

    Attributes:
        running: Requests that it works on.
        waiting: Requests that wait for their turn.
    """

    running: int
    waiting: int


@runtime_checkable
class MeteredSession(Protocol):
    """A session of a server that tells how busy it is."""

    async def load(self) -> ServerLoad | None:
        """Ask for the load; None where the server does not say."""
        ...


@runtime_checkable
class Backend(Protocol):
    """An engine that can be opened."""

    @property
    def name(self) -> str:
        """Short name that goes into documents as ``parser``."""
        ...

    @property
    def max_concurrency(self) -> int:
        """Requests in flight that suit it when the caller does not say."""
        ...

    @property
    def needs_text_layer(self) -> bool:
        """Whether `PageImage.text_layer` has to be filled."""
        ...

    def session(self) -> AbstractAsyncContextManager[Session]:
        """Open it; on leaving, everything that it holds is closed.

        Raises (on entering):
            BackendError: Nobody answers, the key is refused, or the model is not there.
            MissingDependencyError: An extra is not installed.
        """
        ...


@runtime_checkable
class ServerBackend(Protocol):
    """A backend that is a server: how many requests suit it is found out while it works.

    The number in flight of any other engine stays at ``max_concurrency``.
    """

    @property
    def base_url(self) -> str | None:
        """Its address; None for one that needs no telling."""
        ...


@runtime_checkable
class PacedBackend(Protocol):
    """A backend that knows how many requests a minute its service takes."""

    @property
    def requests_per_minute(self) -> int | None:
        """So many; None for no limit."""
        ...
