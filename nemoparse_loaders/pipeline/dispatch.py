"""One picture to a reply: attempts, waits, the run's budget of retries, another server where there is one."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from ..backends.base import ModelReply, RereadingSession, Session, can_detect
from ..document import PageStep, StepAction, Usage
from ..errors import BackendError, ServerBusyError, ServerFailedError
from ..rendering.page_image import PageImage
from .endpoint import Endpoint
from .endpoints import EndpointPool
from .retry import RetryBudget, RetryPolicy

# Busy answers that a page may get, however well other pages fare.
MOST_BUSY_ANSWERS = 200
# Reasons that a page's record keeps apart; an error may hold a request's number, so that no two are alike.
MOST_STEPS = 8

_NO_ROOM = "the server had no room"
_OTHER_FAULTS = "other faults"


class RequestMetrics(Protocol):
    """Where the times of requests go; `RunMetrics` is one."""

    def waited(self, seconds: float) -> None:
        """A page waited so long for room."""

    def replied(self, seconds: float) -> None:
        """A request took so long to its whole reply."""


@dataclass(frozen=True, slots=True)
class PageReply:
    """What a page was answered with.

    Attributes:
        reply: The last reply.
        attempts: Requests made.
        steps: What was done beyond asking once.
        endpoint: The server that the reply is from.
    """

    reply: ModelReply
    attempts: int
    steps: tuple[PageStep, ...]
    endpoint: Endpoint

    @property
    def usage(self) -> Usage:
        """Tokens of the last reply."""
        return self.reply.usage


@dataclass(frozen=True, slots=True)
class PageFailure:
    """Why a page has no reply.

    Attributes:
        error: The last error.
        attempts: Requests made.
        steps: What was done beyond asking once.
    """

    error: BackendError
    attempts: int
    steps: tuple[PageStep, ...]

    @property
    def usage(self) -> Usage:
        """Tokens: no reply, none that is known."""
        return Usage()


class Dispatcher:
    """Sends pages until there is a reply or nothing more to be done.

    Args:
        endpoints: Where they go.
        policy: How often and after how long a page is sent again.
    """

    def __init__(self, endpoints: EndpointPool, policy: RetryPolicy) -> None:
        self._endpoints = endpoints
        self._policy = policy
        self._budget = RetryBudget(policy)

    async def read(
        self,
        image: PageImage,
        *,
        priority: int,
        metrics: RequestMetrics,
        reread: int = 0,
        detect: bool = False,
        at: Endpoint | None = None,
        avoid: Endpoint | None = None,
    ) -> PageReply | PageFailure:
        """Send a page.

        A busy answer costs no attempt as long as pages get through. An aborted reply is asked for again like
        a fault, since the server was stopped in mid-answer; if no other comes, it is what there is.

        Args:
            image: The page's picture.
            priority: The lowest number is sent first; tells pages apart as well.
            metrics: Told of every wait and every reply.
            reread: Above 0, ask with other sampling where the engine can, a different one for each number.
            detect: Ask for the regions of the page alone; an error where the engine cannot.
            at: Stay on that server while it takes pages: it has the picture already.
            avoid: Begin at another server while one takes pages.
        """
        page = _Page(self._endpoints, self._policy, self._budget, priority, metrics, reread, detect)
        return await page.read(image, at, avoid)


class _Page:
    """One page on its way: what was tried, and what it has left."""

    def __init__(
        self,
        endpoints: EndpointPool,
        policy: RetryPolicy,
        budget: RetryBudget,
        priority: int,
        metrics: RequestMetrics,
        reread: int,
        detect: bool,
    ) -> None:
        self._endpoints = endpoints
        self._policy = policy
        self._reread = reread
        self._detect = detect
        self._budget = budget
        self._priority = priority
        self._metrics = metrics
        self._requests = 0
        self._spent = 0
        self._busy_answers = 0
        self._busy_in_a_row = 0
        self._replies_seen = endpoints.replies
        self._steps: Counter[tuple[StepAction, str]] = Counter()
        # Since it last waited.
        self._tried: set[Endpoint] = set()
        self._aborted: tuple[ModelReply, Endpoint] | None = None

    async def read(
        self, image: PageImage, at: Endpoint | None, avoid: Endpoint | None
    ) -> PageReply | PageFailure:
        while True:
            came = self._endpoints.clock()
            try:
                endpoint = await self._endpoints.room(self._priority, prefer=at, avoid=avoid)
            except BackendError as error:
                return self._end(error)
            finally:
                self._metrics.waited(self._endpoints.clock() - came)
            outcome, is_excused = await self._ask(endpoint, image)
            if isinstance(outcome, ModelReply):
                return PageReply(outcome, self._requests, self._made_steps(), endpoint)
            wait = self._next_wait(outcome, endpoint, is_excused)
            if isinstance(wait, BackendError):
                return self._end(wait)
            avoid = endpoint
            if wait > 0:
                await asyncio.sleep(wait)

    async def _ask(self, endpoint: Endpoint, image: PageImage) -> tuple[ModelReply | BackendError, bool]:
        """One request: its reply or its error, and whether that is the server's alone."""
        self._requests += 1
        self._budget.sent()
        began = self._endpoints.clock()
        outcome: ModelReply | BackendError | None = None
        is_excused = False
        try:
            session = endpoint.session
            if session is None:
                raise RuntimeError("the server was closed while a page was on its way to it")
            reply = await self._asked(session, image)
            if reply.finish_reason == "abort":
                self._aborted = reply, endpoint
                outcome = _AbortedError("the server was stopped in mid-answer")
            else:
                outcome = reply
                self._metrics.replied(self._endpoints.clock() - began)
        except BackendError as error:
            outcome = error
        finally:
            is_excused = self._endpoints.done(endpoint, outcome, began=began, page=self._priority)
        return outcome, is_excused

    async def _asked(self, session: Session, image: PageImage) -> ModelReply:
        if self._detect:
            if not can_detect(session):
                raise BackendError("the server cannot be asked for regions alone")
            return await session.detect(image)
        if self._reread > 0 and isinstance(session, RereadingSession):
            return await session.reread(image, self._reread)
        return await session.read(image)

    def _next_wait(self, error: BackendError, endpoint: Endpoint, is_excused: bool) -> float | BackendError:
        """Seconds until the page goes again, or the error that it ends with."""
        self._tried.add(endpoint)
        if is_excused:
            self._note(error)
            return 0.0
        if not error.retryable:
            return error
        if isinstance(error, ServerBusyError):
            return self._after_busy(error, endpoint)
        return self._after_fault(error)

    def _after_fault(self, error: BackendError) -> float | BackendError:
        self._spent += 1
        wait = self._policy.wait(self._spent, error)
        goes_elsewhere = self._goes_elsewhere()
        if self._spent > self._policy.max_retries or (wait is None and not goes_elsewhere):
            return error
        if not self._budget.take(self._endpoints.most_in_flight):
            return ServerFailedError(
                f"{error}; not sent again: too many requests of this run failed (retry budget spent)",
                status=error.status,
            )
        self._note(error)
        return 0.0 if goes_elsewhere or wait is None else wait

    def _after_busy(self, error: ServerBusyError, endpoint: Endpoint) -> float | BackendError:
        replies = self._endpoints.replies
        is_going_on = replies > self._replies_seen
        self._replies_seen = replies
        self._busy_answers += 1
        self._busy_in_a_row = 1 if is_going_on else self._busy_in_a_row + 1
        # What else is on its way there is taken, and fills it; this page's turn comes after.
        if not (is_going_on or endpoint.in_flight > 0) or self._busy_answers > MOST_BUSY_ANSWERS:
            self._spent += 1
        if self._spent > self._policy.max_retries:
            return error
        self._note(error)
        # Where the server asks for a longer wait, nobody gets room there before.
        return 0.0 if self._goes_elsewhere() else self._policy.backoff(self._busy_in_a_row)

    def _goes_elsewhere(self) -> bool:
        """Whether another server can take the page at once; if none can, all are worth a try again."""
        if self._endpoints.has_other(self._tried):
            return True
        self._tried.clear()
        return False

    def _end(self, error: BackendError) -> PageReply | PageFailure:
        if self._aborted is not None:
            reply, endpoint = self._aborted
            return PageReply(reply, self._requests, self._made_steps(), endpoint)
        return PageFailure(error, self._requests, self._made_steps())

    def _note(self, error: BackendError) -> None:
        key: tuple[StepAction, str] = ("retry", str(error))
        if isinstance(error, ServerBusyError):
            key = ("busy", _NO_ROOM)
        elif key not in self._steps and len(self._steps) >= MOST_STEPS:
            key = ("retry", _OTHER_FAULTS)
        self._steps[key] += 1

    def _made_steps(self) -> tuple[PageStep, ...]:
        return tuple(
            PageStep(action=action, reason=reason if times == 1 else f"{reason} ({times} times)")
            for (action, reason), times in self._steps.items()
        )


class _AbortedError(BackendError):
    retryable = True
