"""When to send a page again, and how long to wait: one policy for all engines, one budget a run."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ..errors import BackendError

# A server that asks for more than this is not coming back for this page.
LONGEST_WAIT_S = 120.0
# Beyond so many waits there is no end to be reckoned with.
MOST_WAITS = 1000
# What a run may spend on retries after faults: a share of its requests, on top of what all pages that are
# on their way together may need once.
RETRY_SHARE = 0.2
FEWEST_RETRIES = 20


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter; the server's own Retry-After comes first.

    Attributes:
        max_retries: Requests after the first.
        base_s: Upper bound of the first wait.
        cap_s: Upper bound of any wait that the server did not ask for.
        restart_s: Seconds to wait for a server that worked and is gone: it may be starting again.
    """

    max_retries: int
    base_s: float = 0.5
    cap_s: float = 20.0
    restart_s: float = 0.0

    def wait(self, attempt: int, error: BackendError) -> float | None:
        """Seconds to wait before the next attempt.

        Args:
            attempt: Attempts made so far, from 1.
            error: What the last one ended with.

        Returns:
            Seconds, or None when the error is final.
        """
        if not error.retryable or attempt > self.max_retries:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= LONGEST_WAIT_S else None
        return self.backoff(attempt)

    def backoff(self, attempt: int) -> float:
        """Seconds to wait after an attempt where the server does not say.

        Args:
            attempt: Attempts made so far, from 1.
        """
        # Jitter keeps the requests that one fault hit together from coming back together.
        ceiling = self._ceiling(attempt)
        return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - no secret hangs on it

    @property
    def patience(self) -> float:
        """Seconds that all waits of one page can add up to: so long a server may be gone."""
        return sum(map(self._ceiling, range(1, min(self.max_retries, MOST_WAITS) + 1)))

    @property
    def patience_after_work(self) -> float:
        """Seconds that a server may be gone that has answered before."""
        return max(self.patience, self.restart_s) if self.max_retries else self.patience

    def _ceiling(self, attempt: int) -> float:
        return min(self.cap_s, self.base_s * 2.0 ** min(attempt - 1, 32))


class RetryBudget:
    """How many faults a whole run may answer with another request.

    Each page has its own few attempts; on top of that a run as a whole stops repeating itself where nearly
    everything fails. Busy answers are no faults.

    Args:
        policy: What each page has.
    """

    def __init__(self, policy: RetryPolicy) -> None:
        self._each = policy.max_retries
        self._requests = 0
        self._retries = 0

    def sent(self) -> None:
        """Count a request."""
        self._requests += 1

    def take(self, in_flight: int) -> bool:
        """Count a retry after a fault, if there is still one to be had.

        Args:
            in_flight: Most requests that were on their way at a time: one fault can hit all of them.

        Returns:
            Whether the request may be sent again.
        """
        allowed = max(FEWEST_RETRIES, self._each * in_flight) + RETRY_SHARE * self._requests
        if self._retries >= allowed:
            return False
        self._retries += 1
        return True
