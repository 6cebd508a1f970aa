"""The pool of servers: what opens, who gets room and in which order, and that none of it is ever lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.backends.base import ModelReply, ServerLoad
from nemoparse_loaders.errors import (
    AuthenticationError,
    BackendError,
    MissingDependencyError,
    ModelNotFoundError,
    OptionError,
    ReplyTimeoutError,
    RequestRejectedError,
    ServerBusyError,
    ServerFailedError,
)
from nemoparse_loaders.options import ParseOptions
from nemoparse_loaders.pipeline.endpoint import Endpoint
from nemoparse_loaders.pipeline.endpoints import EndpointPool
from nemoparse_loaders.pipeline.retry import RetryPolicy

from .scripted import MeteredServer, ScriptedServer, refused, run_virtual, turns

REPLY = ModelReply("text", "stop")
POLICY = RetryPolicy(4)


def pool_of(
    *servers: ScriptedServer, policy: RetryPolicy = POLICY, max_concurrency: int | None = None
) -> EndpointPool:
    return EndpointPool(servers, ParseOptions.build(max_concurrency=max_concurrency), policy)


def now() -> float:
    return asyncio.get_running_loop().time()


async def use(pool: EndpointPool, priority: int, seconds: float, order: list[int]) -> None:
    endpoint = await pool.room(priority)
    order.append(priority)
    began = now()
    await asyncio.sleep(seconds)
    pool.done(endpoint, REPLY, began=began)


class TestOpening:
    def test_one_server_is_tried_as_often_as_the_policy_says(self) -> None:
        async def work() -> None:
            server = ScriptedServer(opens=lambda attempt: refused() if attempt < 3 else None)
            async with pool_of(server) as pool:
                assert pool.session is server
            assert (server.opened, server.closed) == (3, 1)

        run_virtual(work())

    def test_one_server_that_stays_away(self) -> None:
        async def work() -> None:
            server = ScriptedServer(opens=lambda attempt: refused())
            with pytest.raises(ServerFailedError, match="nobody listens"):
                async with pool_of(server, policy=RetryPolicy(2)):
                    pass
            assert server.opened == 3

        run_virtual(work())

    @pytest.mark.parametrize(
        "error", [AuthenticationError("no key"), OptionError("bad"), MissingDependencyError("no extra")]
    )
    @pytest.mark.parametrize("servers", [1, 2])
    def test_what_cannot_pass_is_raised_at_once(self, error: Exception, servers: int) -> None:
        async def work() -> None:
            backends = [ScriptedServer(name=str(n), opens=lambda attempt: error) for n in range(servers)]
            with pytest.raises(type(error)):
                async with pool_of(*backends):
                    pass
            assert [backend.opened for backend in backends] == [1] * servers

        run_virtual(work())

    def test_the_only_one_is_named_once_while_it_is_waited_for(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def work() -> None:
            late = ScriptedServer(name="late", opens=lambda attempt: None if attempt > 3 else refused())
            async with pool_of(late):
                pass
            assert late.opened == 4

        run_virtual(work())
        (said,) = [record.getMessage() for record in caplog.records]
        assert said.startswith("http://late cannot be used yet")
        assert said.endswith("nobody listens")

    def test_one_of_several_is_enough_and_the_others_come_later(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO, "nemoparse_loaders")

        async def work() -> None:
            up = ScriptedServer(name="up")
            late = ScriptedServer(name="late", opens=lambda attempt: None if attempt > 7 else refused())
            async with pool_of(late, up) as pool:
                assert pool.session is up
                assert pool.capacity == up.max_concurrency
                await asyncio.sleep(200.0)
                assert pool.capacity == up.max_concurrency + late.max_concurrency
                assert pool.session is up  # what was learned from it goes on holding
            assert (up.closed, late.closed) == (1, 1)

        run_virtual(work())
        said = [record.getMessage() for record in caplog.records]
        assert len(said) == 2
        assert "http://late cannot be used yet" in said[0]
        assert "http://late is up now" in said[1]

    def test_none_of_several_opens_and_the_error_that_says_most_is_raised(self) -> None:
        async def work() -> None:
            gone = ScriptedServer(name="gone", opens=lambda attempt: refused())
            locked = ScriptedServer(name="locked", opens=lambda attempt: AuthenticationError("no key"))
            with pytest.raises(AuthenticationError):
                async with pool_of(gone, locked):
                    pass

        run_virtual(work())

    def test_a_server_that_hangs_does_not_keep_the_others_waiting(self) -> None:
        async def work() -> None:
            class Hangs(ScriptedServer):
                def session(self):  # type: ignore[no-untyped-def]
                    return _Never()

            class _Never:
                async def __aenter__(self) -> None:
                    await asyncio.sleep(1e6)

                async def __aexit__(self, *_: object) -> None:
                    raise AssertionError("it was never open")

            began = now()
            async with pool_of(Hangs(name="hangs"), ScriptedServer(name="up")) as pool:
                assert now() - began < 10
                assert pool.endpoints[0].session is None

        run_virtual(work())

    def test_different_generations_are_refused_by_name(self) -> None:
        async def work() -> None:
            new = ScriptedServer(name="new")
            old = ScriptedServer(name="old", profile="1.2")
            with pytest.raises(OptionError, match=r"http://(new|old) .*http://(new|old) "):
                async with pool_of(new, old):
                    pass
            assert new.closed + old.closed == 2

        run_virtual(work())

    def test_a_different_generation_that_comes_later_gets_no_pages(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def work() -> None:
            new = ScriptedServer(name="new")
            old = ScriptedServer(
                name="old", profile="1.2", opens=lambda attempt: refused() if attempt < 8 else None
            )
            async with pool_of(new, old) as pool:
                await asyncio.sleep(400.0)
                assert pool.endpoints[1].session is None
                assert old.opened == 8

        run_virtual(work())
        assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]

    def test_one_of_several_that_refuses_the_key_is_not_tried_again(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def work() -> None:
            locked = ScriptedServer(name="locked", opens=lambda attempt: AuthenticationError("no key"))
            async with pool_of(locked, ScriptedServer(name="up")) as pool:
                await asyncio.sleep(1e4)
                assert locked.opened == 1
                assert await pool.room(0) is pool.endpoints[1]

        run_virtual(work())
        assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
            ("ERROR", "http://locked is left out for the rest of the run: no key")
        ]

    def test_who_still_waits_when_the_pool_is_closed_is_turned_away(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer(), max_concurrency=1) as pool:
                await pool.room(0)
                waiting = asyncio.create_task(pool.room(0))
                await asyncio.sleep(1.0)
            with pytest.raises(BackendError):
                await waiting

        run_virtual(work())

    def test_a_failing_close_is_raised(self) -> None:
        async def work() -> None:
            class Sticks(ScriptedServer):
                def session(self):  # type: ignore[no-untyped-def]
                    outer = self

                    class Opened:
                        async def __aenter__(self) -> ScriptedServer:
                            return outer

                        async def __aexit__(self, *_: object) -> None:
                            raise BackendError("it does not let go")

                    return Opened()

            with pytest.raises(BackendError, match="does not let go"):
                async with pool_of(Sticks()):
                    pass

        run_virtual(work())

    def test_a_session_is_closed_by_the_task_that_opened_it(self) -> None:
        async def work() -> None:
            tasks: list[object] = []

            class Picky(ScriptedServer):
                def session(self):  # type: ignore[no-untyped-def]
                    outer = self

                    class Opened:
                        async def __aenter__(self) -> ScriptedServer:
                            tasks.append(asyncio.current_task())
                            return outer

                        async def __aexit__(self, *_: object) -> None:
                            tasks.append(asyncio.current_task())

                    return Opened()

            pool = pool_of(Picky())
            await asyncio.create_task(pool.__aenter__())
            await asyncio.create_task(pool.__aexit__(None, None, None))
            assert tasks[0] is tasks[1]

        run_virtual(work())

    def test_names_hold_no_secret(self) -> None:
        async def work() -> None:
            server = ScriptedServer()
            server.base_url = "http://user:secret@host:8000/v1?key=secret"
            twin = ScriptedServer()
            twin.base_url = server.base_url
            async with pool_of(server, twin) as pool:
                names = [endpoint.name for endpoint in pool.endpoints]
            assert names == ["http://host:8000/v1 #1", "http://host:8000/v1 #2"]

        run_virtual(work())


class TestRoom:
    @given(st.lists(st.integers(0, 3), max_size=20))
    def test_the_lowest_number_first_then_who_came_first(self, priorities: list[int]) -> None:
        async def work() -> list[tuple[int, int]]:
            order: list[tuple[int, int]] = []

            async def one(priority: int, arrival: int) -> None:
                endpoint = await pool.room(priority)
                order.append((priority, arrival))
                pool.done(endpoint, REPLY, began=now())

            async with pool_of(ScriptedServer(), max_concurrency=1) as pool:
                held = await pool.room(0)
                tasks = [asyncio.create_task(one(p, arrival)) for arrival, p in enumerate(priorities)]
                await asyncio.sleep(1.0)
                assert order == []
                pool.done(held, REPLY, began=now())
                await asyncio.gather(*tasks)
            return order

        order = run_virtual(work())
        assert order == sorted(order)
        assert len(order) == len(priorities)

    def test_the_one_with_least_to_do_for_what_it_takes(self) -> None:
        async def work() -> list[int]:
            small = ScriptedServer(name="small", max_concurrency=2)
            large = ScriptedServer(name="large", max_concurrency=6)
            async with pool_of(small, large) as pool:
                for _ in range(4):
                    await pool.room(0)
                return [endpoint.in_flight for endpoint in pool.endpoints]

        assert run_virtual(work()) == [1, 3]

    def test_servers_that_are_equal_take_turns(self) -> None:
        async def work() -> list[str]:
            names = []
            async with pool_of(ScriptedServer(name="a"), ScriptedServer(name="b")) as pool:
                for _ in range(4):
                    endpoint = await pool.room(0)
                    names.append(endpoint.backend.name)
                    pool.done(endpoint, REPLY, began=now())
            return names

        names = run_virtual(work())
        assert sorted(names[:2]) == sorted(names[2:]) == ["a", "b"]

    def test_max_concurrency_holds_over_all_servers(self) -> None:
        async def work() -> None:
            servers = [ScriptedServer(name=str(n)) for n in range(3)]
            async with pool_of(*servers, max_concurrency=5) as pool:
                assert pool.capacity == 5
                for _ in range(5):
                    await pool.room(0)
                sixth = asyncio.create_task(pool.room(0))
                await asyncio.sleep(1000.0)
                assert not sixth.done()
                pool.done(pool.endpoints[0], REPLY, began=now())
                await sixth

        run_virtual(work())

    def test_a_preferred_server_is_waited_for_and_an_avoided_one_is_not_taken(self) -> None:
        async def work() -> None:
            async with pool_of(
                ScriptedServer(name="a", max_concurrency=1), ScriptedServer(name="b", max_concurrency=1)
            ) as pool:
                first, second = pool.endpoints
                assert await pool.room(0, prefer=second) is second
                preferring = asyncio.create_task(pool.room(1, prefer=second))
                avoiding = asyncio.create_task(pool.room(1, avoid=first))
                await asyncio.sleep(10.0)
                assert not preferring.done()
                assert not avoiding.done()
                assert await pool.room(2) is first  # who waits for another server blocks nobody
                pool.done(second, REPLY, began=now())
                assert await preferring is second
                pool.done(second, REPLY, began=now())
                assert await avoiding is second

        run_virtual(work())

    def test_with_nowhere_else_to_go_the_avoided_server_will_do(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer()) as pool:
                assert await pool.room(0, avoid=pool.endpoints[0]) is pool.endpoints[0]

        run_virtual(work())

    def test_a_pause_holds_for_the_whole_server_and_ends_by_itself(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer()) as pool:
                endpoint = await pool.room(0)
                began = now()
                pool.done(endpoint, ServerBusyError("later", retry_after=30.0), began=began)
                await asyncio.gather(*(pool.room(page) for page in range(1)))
                assert now() - began == pytest.approx(30.0)

        run_virtual(work())

    def test_a_pause_longer_than_pages_wait_is_said_at_once(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer()) as pool:
                endpoint = await pool.room(0)
                pool.done(endpoint, ServerBusyError("tomorrow", retry_after=86_400), began=now())
                with pytest.raises(ServerBusyError, match="tomorrow"):
                    await pool.room(1)

        run_virtual(work())

    def test_pages_wait_together_for_a_server_that_is_gone(self, caplog: pytest.LogCaptureFixture) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer(max_concurrency=64)) as pool:
                endpoint = await pool.room(0)
                pool.done(endpoint, refused(), began=now())
                waiting = [asyncio.create_task(pool.room(page)) for page in range(100)]
                probes = 0
                gone = now()
                while not waiting[-1].done():
                    await asyncio.wait(
                        [task for task in waiting if not task.done()], return_when=asyncio.FIRST_COMPLETED
                    )
                    given = [task for task in waiting if task.done() and task.exception() is None]
                    waiting = [task for task in waiting if task not in given]
                    for task in given:
                        probes += 1
                        pool.done(task.result(), refused(), began=now())
                assert now() - gone == pytest.approx(POLICY.patience)
                errors = [task.exception() for task in waiting]
                assert probes + len(errors) == 100
                assert probes < 8
                assert {str(error) for error in errors} == {"nobody listens"}
                assert len(set(map(id, errors))) == len(errors)  # a shared one would grow with each raise
                with pytest.raises(ServerFailedError):
                    await pool.room(0)  # at once: nothing has changed

        run_virtual(work())
        assert len(caplog.records) == 1

    def test_an_endpoint_that_still_works_on_something_is_not_given_up(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer()) as pool:
                old, began = await pool.room(0), now()
                endpoint = await pool.room(0)
                pool.done(endpoint, refused(), began=now())
                waiting = [asyncio.create_task(pool.room(page)) for page in range(50)]
                while now() - began < 4 * POLICY.patience:
                    await asyncio.sleep(0.5)
                    for task in waiting:
                        if task.done():
                            pool.done(task.result(), refused(), began=now())
                    waiting = [task for task in waiting if not task.done()]
                pool.done(old, REPLY, began=began)
                given, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in given:
                    pool.done(task.result(), REPLY, began=now())
                for coming in asyncio.as_completed([task for task in waiting if task not in given]):
                    pool.done(await coming, REPLY, began=now())

        run_virtual(work())

    def test_a_page_that_failed_is_not_what_a_server_is_tried_with(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer()) as pool:
                endpoint = await pool.room(0)
                pool.done(endpoint, refused(), began=now())
                failed = asyncio.create_task(pool.room(0, avoid=endpoint))
                fresh = asyncio.create_task(pool.room(1))
                await fresh
                assert not failed.done()
                pool.done(endpoint, refused(), began=now())
                await failed  # there is no other

        run_virtual(work())

    def test_a_cancelled_try_leaves_its_place_to_the_next_page(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer()) as pool:
                endpoint = await pool.room(0)
                pool.done(endpoint, refused(), began=now())
                assert await pool.room(0) is endpoint
                waiting = asyncio.create_task(pool.room(1))
                began = now()
                await asyncio.sleep(1.0)
                pool.done(endpoint, None, began=began)
                assert await waiting is endpoint

        run_virtual(work())

    def test_a_server_that_works_on_a_page_of_ours_may_refuse_others(self) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer(max_concurrency=9)) as pool:
                for _ in range(9):
                    endpoint = await pool.room(0)
                for page in range(8):
                    began = now()
                    await asyncio.sleep(POLICY.patience)
                    pool.done(endpoint, ServerBusyError("no room"), began=began, page=page)
                assert endpoint.is_up

        run_virtual(work())

    def test_a_refused_key_takes_one_of_several_out_for_good(self, caplog: pytest.LogCaptureFixture) -> None:
        async def work() -> None:
            async with pool_of(ScriptedServer(name="a"), ScriptedServer(name="b")) as pool:
                first, second = pool.endpoints
                for _ in range(2):
                    await pool.room(0, prefer=first)
                assert pool.done(first, AuthenticationError("no key"), began=now())
                assert pool.done(first, AuthenticationError("no key"), began=now())
                await asyncio.sleep(1e5)
                for _ in range(second.limit.allowed):
                    assert await pool.room(0) is second
                for _ in range(second.in_flight):
                    # The last one tells the page: there is no other server to go to.
                    assert not pool.done(second, ModelNotFoundError("no model"), began=now())

        run_virtual(work())
        assert [record.levelname for record in caplog.records] == ["ERROR"]


class TestMeter:
    @pytest.mark.parametrize(("waiting", "fewest", "most"), [(5, 25, 35), (0, 5, 10)])
    def test_the_queue_is_asked_for_while_there_are_requests_and_often_where_there_is_one(
        self, waiting: int, fewest: int, most: int
    ) -> None:
        async def work() -> None:
            asked: list[float] = []

            def loads() -> ServerLoad:
                asked.append(now())
                return ServerLoad(running=1, waiting=waiting)

            server = MeteredServer()
            server.loads = loads
            async with pool_of(server) as pool:
                before = turns()
                await asyncio.sleep(1000.0)
                assert asked == []
                assert turns() - before < 10  # nobody wakes up in between to look
                endpoint = await pool.room(0)
                await asyncio.sleep(60.0)
                assert fewest <= len(asked) <= most
                pool.done(endpoint, REPLY, began=now() - 60.0)
                before = len(asked)
                await asyncio.sleep(100.0)
                assert len(asked) <= before + 1
            before = len(asked)
            await asyncio.sleep(100.0)
            assert len(asked) == before

        run_virtual(work())

    def test_a_server_that_does_not_tell_is_asked_rarely_and_harms_nothing(self) -> None:
        async def work() -> None:
            asked: list[float] = []

            def loads() -> ServerLoad | None:
                asked.append(now())
                if len(asked) % 2:
                    raise ZeroDivisionError
                return None

            server = MeteredServer()
            server.loads = loads
            async with pool_of(server) as pool:
                await pool.room(0)
                await asyncio.sleep(600.0)
                assert 2 < len(asked) < 40

        run_virtual(work())


@dataclass(frozen=True)
class Job:
    """A request to come: when, how it ends after how long, and when it is cancelled."""

    at: float
    priority: int
    seconds: float
    outcome: ModelReply | BackendError | None
    cancelled_after: float | None
    prefer: int | None
    avoid: int | None


OUTCOMES: Sequence[ModelReply | BackendError | None] = [
    REPLY,
    REPLY,
    None,
    refused(),
    ServerFailedError("cut"),
    ServerFailedError("500", status=500),
    ReplyTimeoutError("late"),
    RequestRejectedError("no"),
    ServerBusyError("no room"),
    ServerBusyError("later", retry_after=1.0),
    ServerBusyError("much later", retry_after=200.0),
    AuthenticationError("no key"),
]
# A coarse grid, so that things often happen in the same moment.
TIMES = st.integers(0, 12).map(lambda step: step * 0.5)
JOBS = st.builds(
    Job,
    at=TIMES,
    priority=st.integers(0, 3),
    seconds=TIMES,
    outcome=st.sampled_from(OUTCOMES),
    cancelled_after=st.none() | TIMES,
    prefer=st.none() | st.integers(0, 2),
    avoid=st.none() | st.integers(0, 2),
)


@given(
    jobs=st.lists(JOBS, max_size=40),
    servers=st.integers(1, 3),
    cap=st.none() | st.integers(1, 4),
    retries=st.integers(0, 4),
)
def test_whatever_happens_no_room_is_lost_and_nobody_waits_for_ever(
    jobs: list[Job], servers: int, cap: int | None, retries: int
) -> None:
    async def work() -> None:
        backends = [ScriptedServer(name=str(n), max_concurrency=2) for n in range(servers)]
        async with pool_of(*backends, policy=RetryPolicy(retries), max_concurrency=cap) as pool:
            on_the_wire = 0

            def server(number: int | None) -> Endpoint | None:
                return None if number is None else pool.endpoints[number % servers]

            async def one(job: Job) -> None:
                nonlocal on_the_wire
                await asyncio.sleep(job.at)
                try:
                    endpoint = await pool.room(
                        job.priority, prefer=server(job.prefer), avoid=server(job.avoid)
                    )
                except BackendError:
                    return
                on_the_wire += 1
                assert cap is None or on_the_wire <= cap
                began = now()
                outcome = None
                try:
                    await asyncio.sleep(job.seconds)
                    outcome = job.outcome
                finally:
                    on_the_wire -= 1
                    pool.done(endpoint, outcome, began=began, page=job.priority)

            async def cancelled(job: Job, task: asyncio.Task[None]) -> None:
                if job.cancelled_after is not None:
                    await asyncio.sleep(job.cancelled_after)
                    task.cancel()

            tasks = [asyncio.create_task(one(job)) for job in jobs]
            cancels = [asyncio.create_task(cancelled(*pair)) for pair in zip(jobs, tasks, strict=True)]
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(*cancels)
            broken = [o for o in outcomes if o is not None and not isinstance(o, asyncio.CancelledError)]
            assert broken == []
            assert [endpoint.in_flight for endpoint in pool.endpoints] == [0] * servers
            # A server that is down can still be brought back: nobody has walked off with its one request.
            await asyncio.sleep(400.0)
            if any(endpoint.health.state != "dismissed" for endpoint in pool.endpoints):
                endpoint = await pool.room(0)
                pool.done(endpoint, REPLY, began=now())
                assert endpoint.is_up

    run_virtual(work())
