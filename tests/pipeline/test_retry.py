"""The retry policy: what is tried again, and how long it waits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    ModelNotFoundError,
    ProtocolError,
    ReplyTimeoutError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)
from nemoparse_loaders.pipeline.retry import (
    FEWEST_RETRIES,
    LONGEST_WAIT_S,
    RETRY_SHARE,
    RetryBudget,
    RetryPolicy,
)


@pytest.mark.parametrize(
    "error", [AuthenticationError, ModelNotFoundError, RequestRejectedError, ProtocolError]
)
def test_final_errors_are_not_tried_again(error: type[BackendError]) -> None:
    assert RetryPolicy(5).wait(1, error("no")) is None


@given(
    error=st.sampled_from([ServerBusyError, ServerFailedError, ReplyTimeoutError]),
    retries=st.integers(0, 8),
    attempt=st.integers(1, 12),
)
def test_passing_faults_are_tried_so_often_and_no_more(
    error: type[BackendError], retries: int, attempt: int
) -> None:
    wait = RetryPolicy(retries).wait(attempt, error("later"))
    assert (wait is None) == (attempt > retries)
    if wait is not None:
        assert 0 < wait <= RetryPolicy(retries).cap_s


@given(st.floats(0, LONGEST_WAIT_S))
def test_the_servers_own_wait_comes_first(seconds: float) -> None:
    assert RetryPolicy(1).wait(1, ServerBusyError("later", retry_after=seconds)) == seconds


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    assert RetryPolicy(3).wait(1, ServerBusyError("later", retry_after=3600)) is None


def test_waits_grow() -> None:
    policy = RetryPolicy(10, base_s=1.0, cap_s=1000.0)
    waits = [policy.wait(attempt, ServerFailedError("again")) or 0 for attempt in range(1, 9)]
    assert all(later >= earlier for earlier, later in zip(waits, waits[2:], strict=False))


@given(st.integers(0, 60))
def test_patience_is_what_the_waits_of_a_page_can_add_up_to(retries: int) -> None:
    policy = RetryPolicy(retries)
    waits = [policy.wait(attempt, ServerFailedError("again")) for attempt in range(1, retries + 1)]
    total = sum(wait for wait in waits if wait is not None)
    assert total <= policy.patience <= 2 * total


@given(requests=st.integers(0, 3000), in_flight=st.integers(1, 100), retries=st.integers(0, 8))
def test_a_run_may_repeat_a_share_of_its_requests(requests: int, in_flight: int, retries: int) -> None:
    budget = RetryBudget(RetryPolicy(retries))
    for _ in range(requests):
        budget.sent()
    taken = 0
    while budget.take(in_flight):
        taken += 1
    assert taken >= in_flight * retries  # one fault that hits all that is in flight, as often as it may
    assert taken >= FEWEST_RETRIES
    assert taken <= RETRY_SHARE * requests + max(FEWEST_RETRIES, in_flight * retries) + 1
    for _ in range(int(1 / RETRY_SHARE) + 1):
        budget.sent()
    assert budget.take(in_flight)
