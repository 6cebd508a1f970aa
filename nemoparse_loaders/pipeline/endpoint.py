"""Endpoint: one server as the pool sees it: its session, its limit, its health, what is on its way to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..backends.addresses import shown
from ..backends.base import Backend, PacedBackend, ServerBackend, Session
from ..errors import BackendError, OptionError
from ..options import ParseOptions
from .health import ServerHealth
from .limit import RequestLimit
from .retry import LONGEST_WAIT_S, RetryPolicy

# A server may turn out to take more than what suits one GPU: several may stand behind one address.
HEADROOM = 4


def _future() -> asyncio.Future[bool]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False)
class Endpoint:
    """One server.

    Attributes:
        backend: Its configuration.
        name: Its address for people, without secrets.
        limit: How many requests it gets.
        health: Whether it gets any.
        session: Open connections, or None while it could not be opened.
        error: The last error that was about the server and not about a page.
        turn: Grows with each request, so that servers that are equal take turns.
        works: Set while requests are on their way.
        tried: Resolved when the first attempt to open a session has ended.
        decided: Resolved with whether one could be opened within the policy, or with the error that says
            that none ever will.
    """

    backend: Backend
    name: str
    limit: RequestLimit
    health: ServerHealth
    session: Session | None = None
    error: BackendError | None = None
    turn: int = 0
    works: asyncio.Event = field(default_factory=asyncio.Event)
    tried: asyncio.Future[bool] = field(default_factory=_future)
    decided: asyncio.Future[bool] = field(default_factory=_future)

    @property
    def in_flight(self) -> int:
        """Requests on their way to it."""
        return self.limit.in_flight

    @property
    def is_up(self) -> bool:
        """Whether it gets requests as they come."""
        return self.session is not None and self.health.state == "up"

    @property
    def takes_now(self) -> bool:
        """Whether it is up and not paused; it may be full."""
        return self.is_up and self.limit.delay() <= 0

    @property
    def has_room(self) -> bool:
        """Whether a request may start there now."""
        return self.in_flight < self.limit.allowed and self.takes_now

    @property
    def is_due(self) -> bool:
        """Whether it is down and one request may try it now."""
        return self.session is not None and self.health.probe_in() == 0 and self.limit.delay() <= 0

    @property
    def is_hopeless(self) -> bool:
        """Whether no page should wait for it."""
        if self.is_up:
            return self.limit.delay() > LONGEST_WAIT_S
        if self.session is None or self.health.state == "dismissed":
            return self.decided.done()
        # What it still works on may yet show that it is alive.
        return self.health.is_given_up and self.in_flight == 0

    @property
    def room_in(self) -> float | None:
        """Seconds until time alone may make room, or None where it cannot."""
        if self.session is None:
            return None
        probe = self.health.probe_in()
        if probe is not None:
            return max(probe, self.limit.delay())
        return self.limit.delay() if self.is_up and self.in_flight < self.limit.allowed else None


def make_endpoints(
    backends: Sequence[Backend], options: ParseOptions, policy: RetryPolicy, clock: Callable[[], float]
) -> tuple[Endpoint, ...]:
    """An endpoint for each backend; call it inside the event loop that they are for."""
    names = [_name_of(backend) for backend in backends]
    return tuple(
        Endpoint(
            backend=backend,
            name=name if names.count(name) == 1 else f"{name} #{number}",
            limit=_limit_for(backend, options, len(names), clock),
            health=ServerHealth(alone=len(names) == 1, policy=policy, clock=clock),
        )
        for number, (backend, name) in enumerate(zip(backends, names, strict=True), 1)
    )


def _limit_for(
    backend: Backend, options: ParseOptions, servers: int, clock: Callable[[], float]
) -> RequestLimit:
    cap = options.max_concurrency
    suits = max(1, backend.max_concurrency)
    is_server = isinstance(backend, ServerBackend)
    per_minute = options.requests_per_minute
    if per_minute is not None:
        # The caller's number is for all of them together.
        per_minute = max(1, per_minute // servers)
    elif isinstance(backend, PacedBackend):
        per_minute = backend.requests_per_minute
    return RequestLimit(
        suits if cap is None else min(suits, cap),
        ceiling=cap or (suits * HEADROOM if is_server else suits),
        adapts=is_server,
        per_minute=per_minute,
        clock=clock,
    )


def _name_of(backend: Backend) -> str:
    # The nvidia backend has a default address, so that its base_url may be None.
    for url in (getattr(backend, "url", None), getattr(backend, "base_url", None)):
        if isinstance(url, str):
            try:
                return shown(url)
            except OptionError:
                break
    return backend.name
