"""What a server's own figures of its load say when they hold for a while."""

from __future__ import annotations

import math

from ..backends.base import ServerLoad

# Looks that must agree, and the seconds over which they must at least be spread.
FEWEST_LOOKS = 4
LONGEST_SPREAD = 10.0
# More than so many times what is in flight here: other clients use the server, too.
OTHERS = 1.1


def reserve(at_once: int) -> int:
    """Requests beyond those at work that keep a server's queue from running empty."""
    return max(1, math.ceil(at_once / 4))


class LoadWindow:
    """The extremes of the load over a few looks. Pure; constant memory."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin again, as after a change of the number in flight."""
        self._looks = 0
        self._since = 0.0
        self.fewest_waiting = 0
        self.most_waiting = 0
        self.most_running = 0

    def add(self, load: ServerLoad, in_flight: int, now: float, spread: float) -> bool:
        """Add a look, while all requests that are allowed are in flight.

        Returns:
            Whether there are enough looks to judge. Looks at a server that others load, too, tell nothing.
        """
        if load.running + load.waiting > in_flight * OTHERS + 1:
            self.clear()
            return False
        if self._looks == 0:
            self._since = now
            self.fewest_waiting = self.most_waiting = load.waiting
            self.most_running = load.running
        self._looks += 1
        self.fewest_waiting = min(self.fewest_waiting, load.waiting)
        self.most_waiting = max(self.most_waiting, load.waiting)
        self.most_running = max(self.most_running, load.running)
        return self._looks >= FEWEST_LOOKS and now - self._since >= min(spread, LONGEST_SPREAD)
