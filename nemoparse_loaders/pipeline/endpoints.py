"""EndpointPool: room for requests to one or several servers, at the one that has the least to do."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from types import TracebackType

from ..backends.base import Backend, ModelReply, Session
from ..errors import BackendError, ServerBusyError
from ..options import ParseOptions
from .endpoint import Endpoint, make_endpoints
from .health import is_refusal_of_all
from .retry import RetryPolicy
from .sessions import SessionKeeper, most_telling, tell_notice, tell_of_dismissal

logger = logging.getLogger(__name__)


@dataclass(order=True)
class _Waiter:
    priority: int
    arrival: int
    prefer: Endpoint | None = field(compare=False)
    avoid: Endpoint | None = field(compare=False)
    found: asyncio.Future[Endpoint] = field(compare=False)


class EndpointPool:
    """Servers that read the same pages, and room for requests to them. An async context manager in one loop.

    Entering opens the sessions of all servers side by side; one that is up is enough to begin with.

    Args:
        backends: One a server.
        options: ``max_concurrency`` holds over all servers together, and so does ``requests_per_minute``.
        policy: How long and how often a server is tried.

    Attributes:
        endpoints: The servers; none before the pool is entered.
        replies: Whole replies so far.
        most_in_flight: Most requests that were on their way at a time.
    """

    def __init__(self, backends: Sequence[Backend], options: ParseOptions, policy: RetryPolicy) -> None:
        self.endpoints: tuple[Endpoint, ...] = ()
        self.replies = 0
        self.most_in_flight = 0
        self._backends = tuple(backends)
        self._options = options
        self._policy = policy
        self._cap = options.max_concurrency
        self._waiting: list[_Waiter] = []
        self._count = count(1)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> EndpointPool:
        self._loop = asyncio.get_running_loop()
        self.endpoints = make_endpoints(self._backends, self._options, self._policy, self._loop.time)
        self._keeper = SessionKeeper(self.endpoints, self._policy, self._hand_out)
        try:
            await self._keeper.open()
        except BaseException:
            await self._keeper.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        problems = await self._keeper.close()
        self._hand_out()  # turns away who still waits
        if problems and error is None:
            raise problems[0]

    @property
    def clock(self) -> Callable[[], float]:
        """The clock of the loop, which all times here refer to."""
        return self._loop.time

    @property
    def session(self) -> Session:
        """An open session, the same one every time: for profile, model and fingerprint."""
        return self._keeper.session

    @property
    def capacity(self) -> int:
        """Requests that may be in flight over the servers that are up; over all of them while none is."""
        up = [endpoint for endpoint in self.endpoints if endpoint.is_up]
        allowed = sum(endpoint.limit.allowed for endpoint in up or self.endpoints)
        return min(allowed, self._cap or allowed)

    async def room(
        self, priority: int, *, prefer: Endpoint | None = None, avoid: Endpoint | None = None
    ) -> Endpoint:
        """Wait for room for one request; `done` gives it back.

        Args:
            priority: The lowest number comes first, and among equals who came first.
            prefer: Wait for this server while it takes pages.
            avoid: Go elsewhere while another server takes pages, also if it is the preferred one.

        Raises:
            BackendError: No server has worked for longer than pages wait for one; its last error.
        """
        waiter = _Waiter(priority, next(self._count), prefer, avoid, self._loop.create_future())
        heappush(self._waiting, waiter)
        self._hand_out()
        try:
            return await waiter.found
        except asyncio.CancelledError:
            if not waiter.found.cancelled() and waiter.found.exception() is None:
                # It was handed out in the same moment.
                self.done(waiter.found.result(), None, began=self._loop.time())
            raise

    def done(
        self, endpoint: Endpoint, outcome: ModelReply | BackendError | None, *, began: float, page: int = 0
    ) -> bool:
        """Give room back and say what came of it.

        Args:
            endpoint: Where the request went.
            outcome: The reply, the error, or None for a request that tells nothing (it was cancelled).
            began: When it began, by `clock`.
            page: Tells pages apart.

        Returns:
            Whether the error is about the server alone, so that it should not count against the page:
            nothing worked there before, or the server is left out for good.
        """
        health = endpoint.health
        before = health.state
        is_probe = health.is_probe(began)
        self._judge(endpoint, outcome, began, page)
        if endpoint.in_flight == 0:
            endpoint.works.clear()
        if health.state != before:
            self._tell(endpoint)
        tell_notice(endpoint)
        self._hand_out()
        if outcome is None or isinstance(outcome, ModelReply):
            return False
        is_left_out = health.state == "dismissed" and is_refusal_of_all(outcome)
        return is_left_out or (is_probe and health.state == "down")

    def has_other(self, tried: Collection[Endpoint]) -> bool:
        """Whether a server takes pages now that is none of those."""
        return any(endpoint not in tried and endpoint.takes_now for endpoint in self.endpoints)

    def _judge(
        self, endpoint: Endpoint, outcome: ModelReply | BackendError | None, began: float, page: int
    ) -> None:
        """Tell limit and health of a server what came of a request."""
        limit, health = endpoint.limit, endpoint.health
        if isinstance(outcome, ModelReply):
            self.replies += 1
            limit.finished(self._loop.time() - began)
            health.replied(began)
        elif outcome is None:
            limit.failed()
            health.ended(began)
        elif isinstance(outcome, ServerBusyError):
            endpoint.error = outcome
            limit.refused(outcome.retry_after)
            health.busy(outcome, began, page, takes_others=endpoint.in_flight > 0)
        else:
            limit.failed()
            if outcome.retryable:
                endpoint.error = outcome
                health.failed(outcome, began, page)
            elif is_refusal_of_all(outcome) and self._others_remain(endpoint):
                health.dismiss(outcome)
            else:
                health.replied(began)

    def _others_remain(self, endpoint: Endpoint) -> bool:
        return any(
            other is not endpoint and other.session is not None and other.health.state != "dismissed"
            for other in self.endpoints
        )

    def _tell(self, endpoint: Endpoint) -> None:
        """Log a change of state."""
        health = endpoint.health
        if health.state == "dismissed":
            tell_of_dismissal(endpoint)
        elif health.state == "up":
            logger.info("%s works again", endpoint.name)
        elif len(self.endpoints) == 1:
            logger.warning("%s does not work now, and pages wait for it: %s", endpoint.name, health.error)
        else:
            logger.warning("%s is left out until it works again: %s", endpoint.name, health.error)

    def _hand_out(self) -> None:
        """Give room to those who wait, as far as there is any.

        Every change that may make room ends here, time included, so that nobody waits in vain.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        held: list[_Waiter] = []
        while self._waiting:
            waiter = heappop(self._waiting)
            if waiter.found.done():
                continue  # it was cancelled
            endpoint = self._choose(waiter)
            if endpoint is not None:
                self._give(waiter, endpoint)
                continue
            held.append(waiter)
            if not self._has_room():
                break
        for waiter in held:
            # A server that is down is tried by pages that failed nowhere, as long as there are any: a page
            # that no server can read would otherwise be what it is judged by.
            endpoint = self._choose(waiter, may_try=True) if self._has_due() else None
            if endpoint is None:
                heappush(self._waiting, waiter)
            else:
                self._give(waiter, endpoint)
        if self._waiting:
            self._see_to_the_rest()

    def _see_to_the_rest(self) -> None:
        """Those who still wait: look again when time may have made room, or turn them away."""
        if not self._has_room() and all(endpoint.is_hopeless for endpoint in self.endpoints):
            error = most_telling(self.endpoints)
            waiting, self._waiting = self._waiting, []
            for waiter in waiting:
                if not waiter.found.done():
                    # Each gets its own: an exception raised twice drags its first traceback along.
                    waiter.found.set_exception(copy.copy(error))
            return
        # Where there is room already, and not for these, the end of some request brings them back here.
        waits = [wait for wait in (endpoint.room_in for endpoint in self.endpoints) if wait]
        if waits and not self._is_full():
            self._timer = self._loop.call_later(min(waits), self._hand_out)

    @property
    def _in_flight(self) -> int:
        return sum(endpoint.in_flight for endpoint in self.endpoints)

    def _is_full(self) -> bool:
        return self._cap is not None and self._in_flight >= self._cap

    def _has_room(self) -> bool:
        """Whether there is room for anybody."""
        return not self._is_full() and any(e.has_room or e.is_due for e in self.endpoints)

    def _has_due(self) -> bool:
        return any(endpoint.is_due for endpoint in self.endpoints)

    def _choose(self, waiter: _Waiter, *, may_try: bool = False) -> Endpoint | None:
        """The server that a request goes to, or None where it has to wait.

        Args:
            waiter: Who waits.
            may_try: It may go to a server that is down although it has failed before.
        """
        if self._is_full():
            return None
        avoid = waiter.avoid if waiter.avoid is not None and self.has_other((waiter.avoid,)) else None
        prefer = waiter.prefer
        if prefer is not None and (prefer is avoid or not prefer.takes_now):
            prefer = None
        best: Endpoint | None = None
        least = (0.0, 0)
        for endpoint in self.endpoints:
            if (prefer is not None and endpoint is not prefer) or endpoint is avoid:
                continue
            if endpoint.is_due and (waiter.avoid is None or (may_try and avoid is None)):
                return endpoint
            if endpoint.has_room:
                load = (endpoint.in_flight / endpoint.limit.allowed, endpoint.turn)
                if best is None or load < least:
                    best, least = endpoint, load
        return best

    def _give(self, waiter: _Waiter, endpoint: Endpoint) -> None:
        if endpoint.health.state == "down":
            endpoint.health.probe_started()
        endpoint.turn = next(self._count)
        endpoint.limit.started()
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        endpoint.works.set()
        waiter.found.set_result(endpoint)
