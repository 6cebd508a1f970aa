"""ServerHealth: whether one server gets pages, is asked by one page now and then, or is left out for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ..errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    ReplyTimeoutError,
    ServerFailedError,
)
from .retry import RetryPolicy

State = Literal["up", "down", "dismissed"]

# A server that is down is asked again after so many seconds, then twice as many, up to the longest.
FIRST_PROBE_S = 1.0
LONGEST_PROBE_S = 30.0
# Different pages that fail one after the other, none succeeding in between: one page that no server can
# read is no reason to leave a server out.
PAGES_THAT_TELL = 3
# Least time between the fault that takes a server down and the first probe, so that they differ.
SHORTEST_PROBE_S = 0.001
# A time-out in which the server answered nothing else tells more, where others can take over.
TIMEOUTS_THAT_TELL = 2


def probe_wait(failed: int) -> float:
    """Seconds from a failed attempt to reach a server to the next one.

    Args:
        failed: Attempts that failed so far, from 0.
    """
    return min(LONGEST_PROBE_S, FIRST_PROBE_S * 2.0 ** min(failed, 16))


class ServerHealth:
    """What the requests to one server tell about it. Pure: the clock is injected, nothing waits.

    A request is told apart by when it began: one that is older than the fault that took the server down is
    no probe.

    Args:
        alone: There is no other server. Then only what shows that nobody is there takes it down: pages have
            no other place to go, and each has attempts of its own.
        policy: How long pages wait for a server that is gone, and how often one may say that it has no room.
        clock: Seconds that never go back.
    """

    def __init__(self, *, alone: bool, policy: RetryPolicy, clock: Callable[[], float]) -> None:
        self.state: State = "up"
        self.error: BackendError | None = None
        self._alone = alone
        self._policy = policy
        self._has_worked = False
        self._most_refusals = policy.max_retries
        self._clock = clock
        self._failed_pages: set[int] = set()
        self._silent_pages: set[int] = set()
        self._refused_pages: set[int] = set()
        self._replied_at = float("-inf")
        self._refusals = 0
        self._refused_since = 0.0
        self._down_at = 0.0
        self._waited_from = 0.0
        self._probe_at = 0.0
        self._probes = 0
        self._probing = False
        self._patience_is_over = False

    @property
    def _patience(self) -> float:
        return self._policy.patience_after_work if self._has_worked else self._policy.patience

    @property
    def is_probed(self) -> bool:
        """Whether a request is on its way that will tell."""
        return self.state == "down" and self._probing

    @property
    def is_given_up(self) -> bool:
        """Whether pages should no longer wait for it."""
        return self._patience_is_over and not self.is_probed

    def probe_in(self) -> float | None:
        """Seconds until one request may try a server that is down; None where none is wanted."""
        if self.state != "down" or self._probing:
            return None
        return max(0.0, self._probe_at - self._clock())

    def probe_started(self) -> None:
        """A request is on its way to a server that is down."""
        self._probing = True

    def is_probe(self, began: float) -> bool:
        """Whether a request that began then, and has not been reported yet, is the probe."""
        return self.is_probed and began > self._down_at

    def opened(self) -> None:
        """The server said what it serves: from now on it is one that worked."""
        self._has_worked = True

    def replied(self, began: float) -> None:
        """The server answered as servers that work do: with a reply, or with what is wrong about the page.

        Args:
            began: When the request did.
        """
        now = self._clock()
        self._has_worked = True
        self._replied_at = now
        self._refusals = 0
        self._failed_pages.clear()
        self._silent_pages.clear()
        self._refused_pages.clear()
        if self.state != "down":
            return
        if self.is_probe(began):
            self.state = "up"
            self.error = None
            self._probing = self._patience_is_over = False
            self._probes = 0
            return
        # An older request: a server that takes no more connections still ends what it has begun, so this
        # is a reason to ask, no more.
        self._waited_from = now
        self._probe_at = max(now, self._down_at + SHORTEST_PROBE_S)
        self._patience_is_over = False

    def busy(self, error: BackendError, began: float, page: int, *, takes_others: bool) -> None:
        """The server has no room.

        Args:
            error: As it says so.
            began: When the request did.
            page: Tells pages apart.
            takes_others: Requests of ours are still on their way there: those may be what fills it.
        """
        if self.is_probe(began):
            self._probe_failed(error)
        if self.state != "up":
            return
        now = self._clock()
        self._replied_at = now
        self._refused_pages.add(page)
        if takes_others:
            return
        if self._refusals == 0:
            self._refused_since = now
        self._refusals += 1
        is_telling = self._refusals > self._most_refusals and len(self._refused_pages) >= PAGES_THAT_TELL
        if is_telling and now - self._refused_since >= self._patience:
            self._go_down(error)
            self._waited_from = self._refused_since
            self._next_probe()

    def failed(self, error: BackendError, began: float, page: int) -> None:
        """A request failed.

        Args:
            error: How; what is wrong about the page is reported as `replied`.
            began: When the request did.
            page: Tells pages apart.
        """
        if self.state == "dismissed":
            return
        if self.is_probe(began):
            self._probe_failed(error)
        elif self.state == "up" and self._tells(error, began, page):
            self._go_down(error)
            self._next_probe()

    def dismiss(self, error: BackendError) -> None:
        """Leave the server out for good."""
        self.error = error
        self.state = "dismissed"
        self._probing = False

    def ended(self, began: float) -> None:
        """A request ended without telling anything, as one that is cancelled does."""
        if self.is_probe(began):
            self._probing = False

    def _go_down(self, error: BackendError) -> None:
        self.error = error
        self.state = "down"
        self._down_at = self._waited_from = self._clock()
        self._refusals = self._probes = 0

    def _probe_failed(self, error: BackendError) -> None:
        self.error = error
        self._probing = False
        self._probes += 1
        self._next_probe()

    def _next_probe(self) -> None:
        now = self._clock()
        left = self._waited_from + self._patience - now
        wait = probe_wait(self._probes)
        if left <= 0:
            self._patience_is_over = True
        else:
            # The last probe comes when the patience ends.
            wait = max(SHORTEST_PROBE_S, min(wait, left))
        self._probe_at = now + wait

    def _tells(self, error: BackendError, began: float, page: int) -> bool:
        """Whether the fault shows, with those before it, that the server does not work."""
        if isinstance(error, ReplyTimeoutError):
            if self._replied_at > began:
                return False  # it works; the page is slow
            self._failed_pages.add(page)
            self._silent_pages.add(page)
            enough = PAGES_THAT_TELL if self._alone else TIMEOUTS_THAT_TELL
            return len(self._silent_pages) >= enough or len(self._failed_pages) >= PAGES_THAT_TELL
        if not isinstance(error, ServerFailedError):
            return False
        if isinstance(error.__cause__, ConnectionRefusedError):
            return True
        if self._alone and error.status is not None:
            return False
        self._failed_pages.add(page)
        return len(self._failed_pages) >= PAGES_THAT_TELL


def is_refusal_of_all(error: BackendError) -> bool:
    """Whether a server that answers so will answer every page so."""
    return isinstance(error, AuthenticationError | ModelNotFoundError)
