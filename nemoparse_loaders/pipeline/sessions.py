"""SessionKeeper: opens the sessions of all servers side by side, again where it failed, and closes them."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import Callable, Sequence

from ..backends.base import MeteredSession, Session
from ..errors import BackendError, NemoparseError, OptionError
from .endpoint import Endpoint
from .health import is_refusal_of_all, probe_wait
from .retry import RetryPolicy

logger = logging.getLogger(__name__)

# One server that is up is enough to begin with; the others get so long to open beside it.
GRACE_S = 3.0
# How often a server is asked for its queue while it works for us: often while pages wait there, seldom while
# none do. On a GPU server with several API processes each look cost about a percent of a second's pages.
METER_S = 2.0
CALM_METER_S = 12.0
LONGEST_METER_S = 30.0


class SessionKeeper:
    """Keeps a session open to each endpoint, in the event loop that opened them.

    Args:
        endpoints: One a server; their ``session`` is set here.
        policy: How often each is tried before it counts as not there.
        on_change: Called after a session was opened or given up, and after a server told of its queue.
    """

    def __init__(
        self, endpoints: Sequence[Endpoint], policy: RetryPolicy, on_change: Callable[[], None]
    ) -> None:
        self._endpoints = endpoints
        self._policy = policy
        self._on_change = on_change
        self._closing = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._reference: Endpoint | None = None

    @property
    def session(self) -> Session:
        """The first session that was opened: profile, model and fingerprint hold for all."""
        if self._reference is None or self._reference.session is None:
            raise RuntimeError("no session is open: use the pool of servers with 'async with'")
        return self._reference.session

    async def open(self) -> None:
        """Open sessions until there is a server to begin with; the others go on in the background.

        Raises:
            OptionError: The servers do not serve the same generation.
            BackendError: None of them can be opened; of their errors the one that says most.
            MissingDependencyError: An extra is not installed.
        """
        self._tasks = [asyncio.create_task(self._keep(endpoint)) for endpoint in self._endpoints]
        pending = {endpoint.decided for endpoint in self._endpoints}
        while pending and self._reference is None:
            finished, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for decided in finished:
                decided.result()
        if self._reference is None:
            raise copy.copy(most_telling(self._endpoints))
        await asyncio.wait([endpoint.tried for endpoint in self._endpoints], timeout=GRACE_S)
        for endpoint in self._endpoints:
            if endpoint.decided.done():
                endpoint.decided.result()

    async def close(self) -> list[BaseException]:
        """Close all sessions.

        Returns:
            What went wrong in that.
        """
        self._closing.set()
        for endpoint, task in zip(self._endpoints, self._tasks, strict=False):
            if endpoint.session is None:
                task.cancel()
        outcomes = await asyncio.gather(*self._tasks, return_exceptions=True)
        for endpoint in self._endpoints:
            endpoint.session = None
            if endpoint.decided.done() and not endpoint.decided.cancelled():
                endpoint.decided.exception()  # raised already, or too late to matter
        return [
            outcome
            for outcome in outcomes
            if isinstance(outcome, BaseException) and not isinstance(outcome, asyncio.CancelledError)
        ]

    async def _keep(self, endpoint: Endpoint) -> None:
        """Open a session, again and again if need be, and hold it until all is closed.

        One task does both ends, since what a session holds may belong to the task that opened it.
        """
        failed = 0
        while True:
            try:
                async with endpoint.backend.session() as session:
                    self._opened(endpoint, session)
                    await self._hold(endpoint, session)
                return
            except BackendError as error:
                if endpoint.session is not None:
                    raise
                failed += 1
                wait = self._not_opened(endpoint, error, failed)
                if wait is None:
                    return
            except Exception as error:
                if not endpoint.decided.done():
                    _settle(endpoint, error)  # raised by whoever waits for the first session
                elif endpoint.session is None and isinstance(error, NemoparseError):
                    self._dismiss(endpoint, BackendError(str(error)))
                else:
                    raise
                return
            await asyncio.sleep(wait)

    def _opened(self, endpoint: Endpoint, session: Session) -> None:
        known = None if self._reference is None else self._reference.session
        if self._reference is None:
            self._reference = endpoint
        elif known is not None and known.profile.name != session.profile.name:
            raise OptionError(
                f"the servers do not serve the same generation: {self._reference.name} has profile "
                f"{known.profile.name}, {endpoint.name} has {session.profile.name}. Name servers of one "
                "model, or set profile="
            )
        endpoint.session = session
        endpoint.health.opened()
        if endpoint.error is not None:
            logger.info("%s is up now and gets pages", endpoint.name)
            endpoint.error = None
        _settle(endpoint, True)
        self._on_change()

    async def _hold(self, endpoint: Endpoint, session: Session) -> None:
        meter = None
        if isinstance(session, MeteredSession):
            meter = asyncio.create_task(self._meter(endpoint, session))
        try:
            await self._closing.wait()
        finally:
            if meter is not None:
                meter.cancel()
                await asyncio.gather(meter, return_exceptions=True)

    def _not_opened(self, endpoint: Endpoint, error: BackendError, failed: int) -> float | None:
        """Take note of a session that could not be opened; seconds to the next attempt, or None for none."""
        endpoint.error = error
        is_alone = len(self._endpoints) == 1
        is_final = is_refusal_of_all(error)
        if not endpoint.tried.done():
            endpoint.tried.set_result(False)
            if not (is_alone or is_final):
                logger.warning("%s cannot be used yet and is tried again later: %s", endpoint.name, error)
        wait = None if endpoint.decided.done() else self._policy.wait(failed, error)
        if wait is not None:
            if is_alone and failed == 1:
                # Nothing else is heard until the last attempt.
                logger.warning(
                    "%s cannot be used yet and is tried for some seconds more: %s", endpoint.name, error
                )
            return wait
        _settle(endpoint, False)
        if is_alone:
            return None
        if is_final:
            self._dismiss(endpoint, error)
            return None
        self._on_change()
        return probe_wait(failed - 1)

    def _dismiss(self, endpoint: Endpoint, error: BackendError) -> None:
        endpoint.health.dismiss(error)
        tell_of_dismissal(endpoint)
        self._on_change()

    async def _meter(self, endpoint: Endpoint, session: MeteredSession) -> None:
        """Ask a server for its queue while it works for us."""
        wait = METER_S
        while True:
            await endpoint.works.wait()
            await asyncio.sleep(wait)
            if not endpoint.is_up or endpoint.in_flight == 0:
                continue
            try:
                load = await session.load()
            except Exception:  # noqa: BLE001 - to know the queue helps; not to know it must end no run
                load = None
            if load is None:
                wait = min(LONGEST_METER_S, wait * 2)
                continue
            wait = METER_S if load.waiting else min(CALM_METER_S, wait * 2)
            endpoint.limit.observe(load)
            tell_notice(endpoint)
            self._on_change()


def most_telling(endpoints: Sequence[Endpoint]) -> BackendError:
    """Of the errors that keep all servers from working, the one that says most about why."""
    errors = [endpoint.health.error or endpoint.error for endpoint in endpoints]
    found = [error for error in errors if error is not None]
    # A refused key before what may pass.
    found.sort(key=lambda error: (not is_refusal_of_all(error), error.retryable))
    return found[0] if found else BackendError("no server is up")


def tell_of_dismissal(endpoint: Endpoint) -> None:
    """Log that a server gets no more pages."""
    logger.error("%s is left out for the rest of the run: %s", endpoint.name, endpoint.health.error)


def tell_notice(endpoint: Endpoint) -> None:
    """Log what the limit has to say, if anything."""
    notice = endpoint.limit.notice()
    if notice is not None:
        logger.warning("%s: %s", endpoint.name, notice)


def _settle(endpoint: Endpoint, outcome: bool | Exception) -> None:
    """The endpoint's opening has come to an end: it is open, it is not, or it can never be."""
    if not endpoint.decided.done():
        if isinstance(outcome, bool):
            endpoint.decided.set_result(outcome)
        else:
            endpoint.decided.set_exception(outcome)
    if not endpoint.tried.done():
        endpoint.tried.set_result(outcome is True)
