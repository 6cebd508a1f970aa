"""When to send a page again, and how long to wait: one policy for all engines."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ..errors import BackendError

# A server that asks for more than this is not coming back for this page.
LONGEST_WAIT_S = 120.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter; the server's own Retry-After comes first.

    Attributes:
        max_retries: Requests after the first.
        base_s: Upper bound of the first wait.
        cap_s: Upper bound of any wait that the server did not ask for.
    """

    max_retries: int
    base_s: float = 0.5
    cap_s: float = 20.0

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
        # Jitter keeps the requests that one fault hit together from coming back together.
        ceiling = min(self.cap_s, self.base_s * 2.0 ** min(attempt - 1, 32))
        return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - no secret hangs on it
