"""A page on its way: what it survives, what it costs, and when it is given up. On a clock that jumps."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.base import ModelReply
from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    OptionError,
    ProtocolError,
    ReplyTimeoutError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.pipeline.dispatch import (
    MOST_BUSY_ANSWERS,
    MOST_STEPS,
    Dispatcher,
    PageFailure,
    PageReply,
)
from nemoparse_loaders.pipeline.endpoints import EndpointPool
from nemoparse_loaders.pipeline.metrics import RunMetrics
from nemoparse_loaders.pipeline.retry import RetryPolicy
from nemoparse_loaders.rendering.page_image import PageImage

from .scripted import Answer, ScriptedServer, picture, refused, reply_after, run_virtual

Outcomes = list["PageReply | PageFailure"]


def now() -> float:
    return asyncio.get_running_loop().time()


async def read_all(
    servers: Sequence[ScriptedServer], pages: int, *, retries: int = 4, **options: Any
) -> Outcomes:
    """Read pages 0, 1, ... all at once."""
    policy = RetryPolicy(retries)
    async with EndpointPool(servers, ParseOptions.build(**options), policy) as pool:
        dispatcher = Dispatcher(pool, policy)
        metrics = RunMetrics()
        outcomes = await asyncio.gather(
            *(dispatcher.read(picture(page), priority=page, metrics=metrics) for page in range(pages))
        )
        assert [endpoint.in_flight for endpoint in pool.endpoints] == [0] * len(servers)
    return outcomes


def run(servers: Sequence[ScriptedServer], pages: int, **options: Any) -> Outcomes:
    return run_virtual(read_all(servers, pages, **options))


def failures(outcomes: Outcomes) -> list[PageFailure]:
    return [outcome for outcome in outcomes if isinstance(outcome, PageFailure)]


def steps(outcome: PageReply | PageFailure) -> list[tuple[str, str]]:
    return [(step.action, step.reason) for step in outcome.steps]


def scripted(*script: BackendError | str | None) -> Answer:
    """Each page goes through the script by itself, then it is answered; text is a finish_reason."""
    asked: Counter[int] = Counter()

    async def answer(server: ScriptedServer, page: int) -> ModelReply:
        position = asked[page]
        asked[page] += 1
        await asyncio.sleep(0.1)
        step = script[position] if position < len(script) else None
        if isinstance(step, BackendError):
            raise step
        return ModelReply(f"{page}.{position}", step or "stop")

    return answer


def always(error: BackendError, seconds: float = 0.1) -> Answer:
    async def answer(server: ScriptedServer, page: int) -> ModelReply:
        await asyncio.sleep(seconds)
        raise error

    return answer


def one_slot(seconds: float) -> Answer:
    """A NIM as it is started by default, with NIM_SERVER_FAIL_FAST."""
    taken = False

    async def answer(server: ScriptedServer, page: int) -> ModelReply:
        nonlocal taken
        if taken:
            await asyncio.sleep(0.01)
            raise ServerBusyError("503", status=503)
        taken = True
        try:
            await asyncio.sleep(seconds)
        finally:
            taken = False
        return ModelReply("text", "stop")

    return answer


CUT = ServerFailedError("the connection broke")
BROKEN = ServerFailedError("answered 500", status=500)
LATE = ReplyTimeoutError("no whole reply")
BUSY = ServerBusyError("no room", status=503)


class TestFaults:
    @pytest.mark.parametrize("error", [CUT, BROKEN, LATE, refused()])
    def test_a_fault_that_passes_costs_an_attempt(self, error: BackendError) -> None:
        [outcome] = run([ScriptedServer(scripted(error, error))], 1)
        assert isinstance(outcome, PageReply)
        assert outcome.attempts == 3
        assert steps(outcome) == [("retry", f"{error} (2 times)")]

    def test_a_fault_that_stays(self) -> None:
        [outcome] = run([ScriptedServer(always(BROKEN))], 1, retries=2)
        assert isinstance(outcome, PageFailure)
        assert outcome.error is BROKEN
        assert outcome.attempts == 3
        assert steps(outcome) == [("retry", "answered 500 (2 times)")]

    @pytest.mark.parametrize("error", [RequestRejectedError("no"), ProtocolError("what"), BackendError("?")])
    @pytest.mark.parametrize("servers", [1, 2])
    def test_what_cannot_pass_is_not_tried_again(self, error: BackendError, servers: int) -> None:
        backends = [ScriptedServer(always(error), name=str(n)) for n in range(servers)]
        [outcome] = run(backends, 1)
        assert isinstance(outcome, PageFailure)
        assert (outcome.error, outcome.attempts, outcome.steps) == (error, 1, ())

    def test_a_mistake_in_the_options_is_raised(self) -> None:
        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            raise OptionError("no address")

        with pytest.raises(OptionError):
            run([ScriptedServer(answer)], 1)

    def test_an_aborted_reply_is_asked_for_again(self) -> None:
        [outcome] = run([ScriptedServer(scripted("abort"))], 1)
        assert isinstance(outcome, PageReply)
        assert outcome.reply.text == "0.1"
        assert steps(outcome) == [("retry", "the server was stopped in mid-answer")]

    @pytest.mark.parametrize("rest", ["abort", CUT, RequestRejectedError("no")])
    def test_an_aborted_reply_is_what_there_is_if_no_better_comes(self, rest: BackendError | str) -> None:
        [outcome] = run([ScriptedServer(scripted("abort", *[rest] * 20))], 1)
        assert isinstance(outcome, PageReply)
        assert outcome.reply.finish_reason == "abort"
        assert outcome.attempts > 1

    def test_room_is_not_held_while_a_page_waits_to_be_sent_again(self) -> None:
        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            await asyncio.sleep(0.001)
            if page == 0 and server.asked.count(0) < 3:
                raise BROKEN
            return ModelReply("text", "stop")

        server = ScriptedServer(answer)
        assert failures(run([server], 50, max_concurrency=1)) == []
        # All others went while the first waited for its next attempts.
        assert server.asked[-1] == 0

    def test_a_page_that_failed_goes_before_new_ones(self) -> None:
        server = ScriptedServer(scripted(BROKEN))

        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            await asyncio.sleep(10.0)
            if page == 0 and server.asked.count(0) == 1:
                raise BROKEN
            return ModelReply("text", "stop")

        server = ScriptedServer(answer)
        run([server], 10, max_concurrency=1)
        assert server.asked.index(0, 1) == 2  # one had started while it waited

    def test_steps_are_bounded_in_number(self) -> None:
        faults = [ServerFailedError(f"request {n} failed", status=500) for n in range(30)]
        [outcome] = run([ScriptedServer(scripted(*faults))], 1, retries=30)
        assert isinstance(outcome, PageReply)
        assert len(outcome.steps) == MOST_STEPS + 1
        assert steps(outcome)[-1] == ("retry", f"other faults ({30 - MOST_STEPS} times)")

    def test_the_times_are_measured(self) -> None:
        async def work() -> RunMetrics:
            policy = RetryPolicy(4)
            metrics = RunMetrics()
            async with EndpointPool(
                [ScriptedServer()], ParseOptions.build(max_concurrency=1), policy
            ) as pool:
                dispatcher = Dispatcher(pool, policy)
                await asyncio.gather(
                    *(dispatcher.read(picture(n), priority=n, metrics=metrics) for n in range(3))
                )
            return metrics

        metrics = run_virtual(work())
        assert metrics.request_seconds == pytest.approx(3.0)
        assert metrics.queue_seconds == pytest.approx(1.0 + 2.0)


class TestBusy:
    @pytest.mark.parametrize("seconds", [0.05, 1.0, 20.0, 100.0])
    @pytest.mark.parametrize("concurrency", [None, 30])
    def test_one_slot_that_refuses_while_it_works_loses_nothing(
        self, seconds: float, concurrency: int | None
    ) -> None:
        server = ScriptedServer(one_slot(seconds), max_concurrency=concurrency or 8)
        outcomes = run([server], 30, max_concurrency=concurrency)
        assert failures(outcomes) == []
        assert {action for outcome in outcomes for action, _ in steps(outcome)} == {"busy"}

    def test_repeats_are_told_once(self) -> None:
        [outcome] = run([ScriptedServer(scripted(BUSY, BUSY, BUSY))], 1)
        assert isinstance(outcome, PageReply)
        assert steps(outcome) == [("busy", "the server had no room (3 times)")]

    def test_a_server_that_is_for_ever_busy_ends_in_failure(self) -> None:
        [outcome] = run([ScriptedServer(always(BUSY))], 1, retries=3)
        assert isinstance(outcome, PageFailure)
        assert isinstance(outcome.error, ServerBusyError)
        assert outcome.attempts == 4

    def test_also_for_all_pages_of_a_long_run_and_soon(self) -> None:
        async def work() -> tuple[Outcomes, float]:
            began = now()
            return await read_all([server], 2000), now() - began

        server = ScriptedServer(always(BUSY), max_concurrency=64)
        outcomes, seconds = run_virtual(work())
        assert len(failures(outcomes)) == 2000
        assert seconds < 4 * RetryPolicy(4).patience
        assert len(server.asked) < 200

    @staticmethod
    def refusing_the_first(times: int) -> Answer:
        """Page 0 is refused so often, although nothing else is under way; it may come again at once."""

        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            await asyncio.sleep(0.5)
            if page == 0 and server.asked.count(0) <= times:
                raise ServerBusyError("no room", status=503, retry_after=0.0)
            return ModelReply("text", "stop")

        return answer

    def test_refusals_cost_nothing_as_long_as_pages_get_through(self) -> None:
        server = ScriptedServer(self.refusing_the_first(30))
        outcomes = run([server], 500, max_concurrency=1)
        assert failures(outcomes) == []
        assert outcomes[0].attempts == 31

    def test_but_not_for_ever(self) -> None:
        server = ScriptedServer(self.refusing_the_first(10_000))
        outcomes = run([server], 2000, max_concurrency=1)
        assert failures(outcomes) == [outcomes[0]]
        assert MOST_BUSY_ANSWERS < outcomes[0].attempts < MOST_BUSY_ANSWERS + 10

    def test_refusals_cost_nothing_while_another_page_fills_the_server(self) -> None:
        server = ScriptedServer(one_slot(100.0), max_concurrency=2)
        del server.base_url  # its limit does not adapt, so that it is asked on and on
        outcomes = run([server], 2)
        assert failures(outcomes) == []
        assert outcomes[1].attempts > 5

    def test_retry_after_pauses_all_pages(self) -> None:
        starts: list[float] = []

        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            starts.append(now())
            await asyncio.sleep(1.0)
            if len(starts) == 1:
                raise ServerBusyError("later", status=429, retry_after=50.0)
            return ModelReply("text", "stop")

        assert failures(run([ScriptedServer(answer)], 20, max_concurrency=1)) == []
        gaps = [later - earlier for earlier, later in pairwise(starts)]
        assert gaps[0] == pytest.approx(51.0)
        assert max(gaps[1:]) < 10.0

    def test_with_another_server_the_page_goes_there_at_once(self) -> None:
        async def work() -> tuple[Outcomes, float]:
            began = now()
            outcomes = await read_all([first, second], 2)
            return outcomes, now() - began

        first = ScriptedServer(always(ServerBusyError("later", retry_after=60.0), 0.0), name="a")
        second = ScriptedServer(reply_after(1.0), name="b")
        outcomes, seconds = run_virtual(work())
        assert failures(outcomes) == []
        assert seconds < 10.0

    def test_a_wait_of_an_hour_is_not_waited_for(self) -> None:
        [outcome, *_] = run([ScriptedServer(always(ServerBusyError("quota", retry_after=3600.0)))], 5)
        assert isinstance(outcome, PageFailure)
        assert outcome.attempts == 1


class TestRunsThatFail:
    def test_a_dead_server_is_found_out_once_for_all_pages(self) -> None:
        async def work() -> tuple[Outcomes, float]:
            began = now()
            return await read_all([server], 2000), now() - began

        server = ScriptedServer(always(refused(), 0.0), max_concurrency=64)
        outcomes, seconds = run_virtual(work())
        assert len(failures(outcomes)) == 2000
        assert {str(failure.error) for failure in failures(outcomes)} == {"nobody listens"}
        assert seconds == pytest.approx(RetryPolicy(4).patience, abs=1.0)
        assert len(server.asked) < 64 + 20

    def test_faults_of_a_whole_run_are_not_all_answered_with_retries(self) -> None:
        server = ScriptedServer(always(BROKEN), max_concurrency=16)
        outcomes = run([server], 2000)
        assert len(failures(outcomes)) == 2000
        assert len(server.asked) < 2000 * 1.4
        reasons = {str(failure.error) for failure in failures(outcomes)}
        assert any(
            "too many requests of this run failed (retry budget spent)" in reason for reason in reasons
        )

    def test_a_hung_server_does_not_cost_every_page_its_time(self) -> None:
        async def work() -> tuple[Outcomes, float]:
            began = now()
            return await read_all([server], 2000), now() - began

        server = ScriptedServer(always(LATE, 120.0), max_concurrency=64)
        outcomes, seconds = run_virtual(work())
        assert len(failures(outcomes)) == 2000
        assert seconds < 4 * 120.0

    def test_a_fault_of_every_sixth_page_is_survived(self) -> None:
        failed: set[int] = set()

        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            await asyncio.sleep(1.0)
            if page % 6 == 0 and page not in failed:
                failed.add(page)
                raise BROKEN
            return ModelReply("text", "stop")

        assert failures(run([ScriptedServer(answer)], 3000)) == []

    @pytest.mark.parametrize("gone_for", [0.5, 3.0, 6.5])
    def test_death_and_rebirth_lose_nothing(self, gone_for: float) -> None:
        async def work() -> Outcomes:
            dies, is_back = now() + 5.0, now() + 5.0 + gone_for

            async def answer(server: ScriptedServer, page: int) -> ModelReply:
                if dies <= now() < is_back:
                    raise refused()
                ends = now() + 0.7
                if now() < dies <= ends:
                    await asyncio.sleep(dies - now())
                    raise CUT
                await asyncio.sleep(0.7)
                return ModelReply("text", "stop")

            return await read_all([ScriptedServer(answer, max_concurrency=64)], 1500)

        assert failures(run_virtual(work())) == []


class TestSeveralServers:
    @pytest.mark.parametrize("error", [refused(), CUT, BROKEN, LATE])
    def test_one_that_fails_costs_no_page(self, error: BackendError) -> None:
        bad, good = ScriptedServer(always(error), name="bad"), ScriptedServer(name="good")
        outcomes = run([bad, good], 200)
        assert failures(outcomes) == []
        assert len(bad.asked) < 30

    def test_the_next_attempt_goes_to_another_server_at_once(self) -> None:
        async def work() -> tuple[Outcomes, float]:
            began = now()
            return await read_all([bad, good], 1), now() - began

        bad = ScriptedServer(always(BROKEN, 0.0), name="bad")
        good = ScriptedServer(reply_after(0.1), name="good")
        [outcome], seconds = run_virtual(work())
        assert isinstance(outcome, PageReply)
        assert outcome.endpoint.backend is good
        assert seconds == pytest.approx(0.1)

    def test_also_if_that_has_more_to_do(self) -> None:
        async def work() -> None:
            policy = RetryPolicy(4)
            bad, good = ScriptedServer(always(BROKEN), name="bad"), ScriptedServer(name="good")
            async with EndpointPool([bad, good], ParseOptions.build(), policy) as pool:
                for _ in range(3):
                    await pool.room(0, prefer=pool.endpoints[1])
                dispatcher, metrics = Dispatcher(pool, policy), RunMetrics()
                for page in range(2):
                    outcome = await dispatcher.read(picture(page), priority=page, metrics=metrics)
                    assert isinstance(outcome, PageReply)
            assert bad.asked == good.asked == [0, 1]

        run_virtual(work())

    def test_one_that_comes_back_gets_pages_again(self) -> None:
        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            if 2 < now() - 1000.0 < 30:
                raise refused()
            await asyncio.sleep(1.0)
            return ModelReply("text", "stop")

        returns, stays = ScriptedServer(answer, name="returns"), ScriptedServer(name="stays")
        assert failures(run([returns, stays], 2000, max_concurrency=8)) == []
        assert len(returns.asked) > 500

    def test_a_refused_key_takes_one_out_and_pages_go_on(self) -> None:
        locked, good = ScriptedServer(always(AuthenticationError("no")), name="l"), ScriptedServer(name="g")
        outcomes = run([locked, good], 100)
        assert failures(outcomes) == []
        assert len(locked.asked) <= locked.max_concurrency

    def test_a_key_that_all_refuse(self) -> None:
        servers = [ScriptedServer(always(AuthenticationError("no")), name=str(n)) for n in range(3)]
        outcomes = run(servers, 50)
        assert {type(failure.error) for failure in failures(outcomes)} == {AuthenticationError}
        assert len(failures(outcomes)) == 50

    def test_a_page_that_breaks_every_server_takes_none_out(self) -> None:
        async def answer(server: ScriptedServer, page: int) -> ModelReply:
            await asyncio.sleep(0.01 if page == 0 else 30.0)
            if page == 0:
                raise CUT
            return ModelReply("text", "stop")

        outcomes = run([ScriptedServer(answer, name=str(n)) for n in range(2)], 100)
        assert failures(outcomes) == [outcomes[0]]

    def test_a_page_stays_where_its_picture_is(self) -> None:
        async def work() -> None:
            policy = RetryPolicy(4)
            servers = [ScriptedServer(name=str(n)) for n in range(3)]
            async with EndpointPool(servers, ParseOptions.build(), policy) as pool:
                dispatcher, metrics = Dispatcher(pool, policy), RunMetrics()
                for page in range(20):
                    first = await dispatcher.read(picture(page), priority=page, metrics=metrics)
                    assert isinstance(first, PageReply)
                    again = await dispatcher.read(
                        picture(page), priority=page, metrics=metrics, at=first.endpoint
                    )
                    assert isinstance(again, PageReply)
                    assert again.endpoint is first.endpoint

        run_virtual(work())

    def test_a_page_leaves_where_its_picture_is_if_that_fails(self) -> None:
        async def work() -> None:
            policy = RetryPolicy(4)
            servers = [ScriptedServer(always(BROKEN), name="bad"), ScriptedServer(name="good")]
            async with EndpointPool(servers, ParseOptions.build(), policy) as pool:
                outcome = await Dispatcher(pool, policy).read(
                    picture(1), priority=1, metrics=RunMetrics(), at=pool.endpoints[0]
                )
                assert isinstance(outcome, PageReply)
                assert outcome.endpoint is pool.endpoints[1]
                assert outcome.attempts == 2

        run_virtual(work())


class TestReread:
    @staticmethod
    async def ask(server: ScriptedServer, reread: int) -> str:
        policy = RetryPolicy(0)
        async with EndpointPool([server], ParseOptions.build(), policy) as pool:
            outcome = await Dispatcher(pool, policy).read(
                picture(1), priority=1, metrics=RunMetrics(), reread=reread
            )
        assert isinstance(outcome, PageReply)
        return outcome.reply.text

    def test_other_sampling_where_the_engine_can(self) -> None:
        class Rereads(ScriptedServer):
            async def reread(self, image: PageImage, attempt: int) -> ModelReply:
                return ModelReply(f"again {attempt}", "stop")

        assert run_virtual(self.ask(Rereads(), 0)) == "page 1"
        assert run_virtual(self.ask(Rereads(), 2)) == "again 2"

    def test_else_once_more(self) -> None:
        assert run_virtual(self.ask(ScriptedServer(), 2)) == "page 1"


OUTCOMES: list[BackendError | str | None] = [
    None,
    "stop",
    "abort",
    refused(),
    CUT,
    BROKEN,
    LATE,
    BUSY,
    ServerBusyError("later", retry_after=2.0),
    RequestRejectedError("no"),
    AuthenticationError("no key"),
]


@given(
    scripts=st.lists(st.lists(st.sampled_from(OUTCOMES), max_size=6), min_size=1, max_size=3),
    cancels=st.lists(st.none() | st.integers(0, 60).map(lambda step: step * 0.1), max_size=25),
    cap=st.none() | st.integers(1, 3),
)
def test_whatever_happens_every_page_ends_and_gives_its_room_back(
    scripts: list[list[BackendError | str | None]], cancels: list[float | None], cap: int | None
) -> None:
    async def work() -> None:
        policy = RetryPolicy(3)
        servers = [
            ScriptedServer(scripted(*script), name=str(number)) for number, script in enumerate(scripts)
        ]
        async with EndpointPool(servers, ParseOptions.build(max_concurrency=cap), policy) as pool:
            dispatcher, metrics = Dispatcher(pool, policy), RunMetrics()

            async def one(page: int, cancelled_at: float | None) -> PageReply | PageFailure | None:
                reading = asyncio.create_task(dispatcher.read(picture(page), priority=page, metrics=metrics))
                if cancelled_at is not None:
                    await asyncio.sleep(cancelled_at)
                    reading.cancel()
                try:
                    return await reading
                except asyncio.CancelledError:
                    return None

            outcomes = await asyncio.gather(*(one(*job) for job in enumerate(cancels)))
            assert [endpoint.in_flight for endpoint in pool.endpoints] == [0] * len(servers)
        for outcome, cancelled_at in zip(outcomes, cancels, strict=True):
            assert outcome is not None or cancelled_at is not None
        if cap is not None:
            assert max(server.most_in_flight for server in servers) <= cap

    run_virtual(work())


def test_a_request_costs_little(measured: Callable[[Coroutine[Any, Any, object]], float]) -> None:
    pages = 4000
    server = ScriptedServer(reply_after(0.5), max_concurrency=64)
    # Far above what it is (50 us), far below what a scan of all waiting pages would cost (some ms).
    assert measured(read_all([server], pages)) / pages < 0.001


@pytest.fixture
def measured() -> Callable[[Coroutine[Any, Any, object]], float]:
    def measure(work: Coroutine[Any, Any, object]) -> float:
        began = time.process_time()
        run_virtual(work)
        return time.process_time() - began

    return measure
