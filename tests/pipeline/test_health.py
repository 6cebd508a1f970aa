"""What takes a server out, what brings it back, and when pages stop waiting for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.errors import BackendError, ReplyTimeoutError, ServerBusyError, ServerFailedError
from nemoparse_loaders.pipeline.health import LONGEST_PROBE_S, ServerHealth
from nemoparse_loaders.pipeline.retry import RetryPolicy

from .scripted import refused

POLICY = RetryPolicy(4)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def ahead(self, seconds: float) -> float:
        self.now += seconds
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Callable[..., ServerHealth]:
    def make(*, alone: bool = True, policy: RetryPolicy = POLICY) -> ServerHealth:
        return ServerHealth(alone=alone, policy=policy, clock=clock)

    return make


def fail(health: ServerHealth, clock: Clock, error: BackendError, *pages: int) -> None:
    for page in pages:
        began = clock.now
        clock.ahead(0.1)
        health.failed(error, began, page)


@pytest.mark.parametrize("alone", [True, False])
def test_one_refused_connection_is_enough(
    health: Callable[..., ServerHealth], clock: Clock, alone: bool
) -> None:
    server = health(alone=alone)
    fail(server, clock, refused(), 1)
    assert server.state == "down"


@pytest.mark.parametrize(
    ("alone", "error", "pages", "state"),
    [
        (False, ServerFailedError("500", status=500), (1, 2), "up"),
        (False, ServerFailedError("500", status=500), (1, 2, 3), "down"),
        (True, ServerFailedError("500", status=500), range(100), "up"),  # it answers, and there is no other
        (True, ServerFailedError("cut"), (1, 2), "up"),
        (True, ServerFailedError("cut"), (1, 2, 3), "down"),
        (False, ServerFailedError("cut"), (7,) * 20, "up"),  # one page that no server can read
        (True, ReplyTimeoutError("late"), (1, 2), "up"),
        (True, ReplyTimeoutError("late"), (1, 2, 3), "down"),
        (False, ReplyTimeoutError("late"), (1, 1), "up"),
        (False, ReplyTimeoutError("late"), (1, 2), "down"),
    ],
)
def test_faults_of_different_pages_in_a_row(
    health: Callable[..., ServerHealth],
    clock: Clock,
    alone: bool,
    error: BackendError,
    pages: tuple[int, ...],
    state: str,
) -> None:
    server = health(alone=alone)
    fail(server, clock, error, *pages)
    assert server.state == state


def test_a_reply_in_between_starts_the_count_again(health: Callable[..., ServerHealth], clock: Clock) -> None:
    server = health(alone=False)
    for page in range(0, 20, 2):
        fail(server, clock, ServerFailedError("500", status=500), page, page + 1)
        server.replied(clock.now)
    assert server.state == "up"


def test_a_slow_page_is_not_the_servers_fault(health: Callable[..., ServerHealth], clock: Clock) -> None:
    server = health(alone=False)
    began = clock.now
    server.replied(clock.ahead(60.0))
    clock.ahead(60.0)
    for page in range(10):
        server.failed(ReplyTimeoutError("late"), began, page)
    assert server.state == "up"


def test_it_is_tried_by_one_request_at_a_time_ever_more_rarely(
    health: Callable[..., ServerHealth], clock: Clock
) -> None:
    server = health(policy=RetryPolicy(100))
    fail(server, clock, refused(), 1)
    waits = []
    for _ in range(8):
        wait = server.probe_in()
        assert wait is not None
        waits.append(wait)
        clock.ahead(wait)
        assert server.probe_in() == 0
        server.probe_started()
        assert server.probe_in() is None
        server.failed(refused(), clock.now, 1)
    assert waits == pytest.approx([1, 2, 4, 8, 16, LONGEST_PROBE_S, LONGEST_PROBE_S, LONGEST_PROBE_S])
    assert not server.is_given_up


def test_the_first_success_brings_it_back(health: Callable[..., ServerHealth], clock: Clock) -> None:
    server = health()
    fail(server, clock, refused(), 1)
    clock.ahead(1.0)
    server.probe_started()
    server.replied(clock.now)
    assert server.state == "up"
    assert server.error is None
    assert server.probe_in() is None


@pytest.mark.parametrize(("retries", "has_worked", "seconds"), [(4, True, 90), (4, False, 7.5), (0, True, 0)])
def test_a_server_that_worked_is_waited_for_longer(
    clock: Clock, retries: int, has_worked: bool, seconds: float
) -> None:
    server = ServerHealth(alone=True, policy=RetryPolicy(retries, restart_s=90), clock=clock)
    if has_worked:
        server.opened()
    clock.ahead(1)
    down = clock.now
    server.failed(refused(), down, 1)
    while not server.is_given_up:
        wait = server.probe_in()
        assert wait is not None
        clock.ahead(wait)
        server.probe_started()
        server.failed(refused(), clock.now, 1)
    assert clock.now - down == pytest.approx(seconds, abs=1.1)


def test_the_last_probe_comes_when_patience_ends(health: Callable[..., ServerHealth], clock: Clock) -> None:
    server = health()
    began = clock.now
    fail(server, clock, refused(), 1)
    down = clock.now
    while not server.is_given_up:
        clock.ahead(server.probe_in() or 0.0)
        server.probe_started()
        server.failed(refused(), clock.now, 1)
    assert clock.now - down == pytest.approx(POLICY.patience)
    assert clock.now > began
    # It can still come back.
    clock.ahead(server.probe_in() or 0.0)
    server.probe_started()
    assert not server.is_given_up
    server.replied(clock.now)
    assert server.state == "up"


def test_a_probe_that_takes_long_is_waited_for(health: Callable[..., ServerHealth], clock: Clock) -> None:
    server = health()
    fail(server, clock, refused(), 1)
    clock.ahead(1.0)
    server.probe_started()
    began = clock.now
    clock.ahead(60.0)
    assert not server.is_given_up
    server.replied(began)
    assert server.state == "up"


def test_older_requests_neither_fail_a_probe_nor_pass_for_one(
    health: Callable[..., ServerHealth], clock: Clock
) -> None:
    server = health()
    old = clock.now
    fail(server, clock, refused(), 1)
    wait = server.probe_in()
    server.failed(refused(), old, 2)
    assert server.probe_in() == wait
    server.replied(old)
    wait = server.probe_in()
    assert wait is not None
    assert wait < 0.01  # it still works on something: ask it now
    clock.ahead(1.0)
    server.probe_started()
    server.failed(ServerFailedError("cut"), old, 3)
    server.ended(old)
    server.replied(old)
    assert server.is_probed
    server.replied(clock.now)
    assert server.state == "up"


def test_a_sign_of_life_makes_pages_patient_again(health: Callable[..., ServerHealth], clock: Clock) -> None:
    server = health()
    old = clock.now
    fail(server, clock, refused(), 1)
    clock.ahead(POLICY.patience)
    server.probe_started()
    server.failed(refused(), clock.now, 1)
    assert server.is_given_up
    server.replied(old)
    assert not server.is_given_up
    clock.ahead(1.0)
    server.probe_started()
    server.failed(refused(), clock.now, 1)
    assert not server.is_given_up


def test_a_cancelled_probe_leaves_the_place_to_another(
    health: Callable[..., ServerHealth], clock: Clock
) -> None:
    server = health()
    fail(server, clock, refused(), 1)
    clock.ahead(1.0)
    server.probe_started()
    server.ended(clock.now)
    assert server.probe_in() == 0


def test_a_server_that_only_ever_says_busy_is_given_up(
    health: Callable[..., ServerHealth], clock: Clock
) -> None:
    server = health()
    times = 0
    while server.state == "up":
        times += 1
        server.busy(ServerBusyError("no room"), clock.now, times, takes_others=False)
        clock.ahead(1.0)
    assert times > POLICY.max_retries
    assert times >= POLICY.patience
    assert server.is_given_up


def test_a_server_that_works_for_us_may_say_busy_for_ever(
    health: Callable[..., ServerHealth], clock: Clock
) -> None:
    server = health()
    for page in range(1000):
        server.busy(ServerBusyError("no room"), clock.now, page, takes_others=True)
        clock.ahead(1.0)
    for page in range(1000):
        server.busy(ServerBusyError("no room"), clock.now, page, takes_others=False)
        server.replied(clock.ahead(1.0))
    assert server.state == "up"


def test_one_page_that_is_always_refused_takes_no_server_down(
    health: Callable[..., ServerHealth], clock: Clock
) -> None:
    server = health()
    for _ in range(1000):
        server.busy(ServerBusyError("no room"), clock.now, 1, takes_others=False)
        clock.ahead(1.0)
    assert server.state == "up"


ERRORS = st.sampled_from(
    [refused(), ServerFailedError("500", status=500), ServerFailedError("cut"), ReplyTimeoutError("late")]
)


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["start", "reply", "fail", "busy", "cancel"]), ERRORS, st.floats(0, 40)),
        max_size=60,
    ),
    alone=st.booleans(),
)
def test_whatever_happens_a_server_that_works_again_comes_back(
    steps: list[tuple[str, BackendError, float]], alone: bool
) -> None:
    clock = Clock()
    server = ServerHealth(alone=alone, policy=POLICY, clock=clock)
    under_way: list[float] = []

    def start() -> None:
        if server.state == "down":
            if server.probe_in() != 0:
                return
            server.probe_started()
        under_way.append(clock.now)

    for page, (action, error, seconds) in enumerate(steps):
        if action == "start":
            start()
        elif under_way:
            began = under_way.pop(page % len(under_way))
            if action == "reply":
                server.replied(began)
            elif action == "fail":
                server.failed(error, began, page)
            elif action == "busy":
                server.busy(ServerBusyError("no room"), began, page, takes_others=bool(under_way))
            else:
                server.ended(began)
        clock.ahead(seconds)
    for began in under_way:
        server.ended(began)
    if server.state == "down":
        wait = server.probe_in()
        assert wait is not None, "nobody tries it, and nobody will"
        assert wait <= LONGEST_PROBE_S
        clock.ahead(wait)
        start()
        server.replied(clock.now)
    assert server.state == "up"
