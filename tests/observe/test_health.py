"""Health by service: what each still does when something ails the dealer."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cutcard.v1 import operate_pb2
from dealer_service.config import Settings
from dealer_service.observe.metrics import Metrics
from dealer_service.rpc import health as healths
from dealer_service.rpc.health import DEALER, FAIRNESS, OPERATE, PLAY, TOURNAMENT, Ailment, Health
from dealer_service.store.api import Append, AppendResult, Store
from dealer_service.store.memory import MemoryStore
from tests.support.service import Service, fresh_id, serving

SERVICES = (DEALER, PLAY, OPERATE, TOURNAMENT, FAIRNESS)
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING

SERVES: dict[Ailment, set[str]] = {
    Ailment.STARTING: set(),
    Ailment.STOPPING: set(),
    Ailment.DRAINING: {OPERATE, FAIRNESS},
    Ailment.RANDOMNESS: {OPERATE, FAIRNESS},
    Ailment.STORE_WRITES: {FAIRNESS},
    Ailment.LEASE: {FAIRNESS},
    Ailment.STORE_READS: set(),
    Ailment.CERTIFYING: set(),
}


@pytest.mark.parametrize("ailment", Ailment)
def test_what_serves_still(ailment: Ailment) -> None:
    health = Health(Metrics())
    health.recover(Ailment.STARTING)
    assert all(health.serves(one) for one in SERVICES)
    assert health.ail(ailment)
    assert not health.ail(ailment)
    serves = {one for one in SERVICES if health.serves(one)}
    # A store that can not be read can not be written either, and says so itself.
    if ailment is Ailment.STORE_READS:
        assert FAIRNESS not in serves
    else:
        assert serves == SERVES[ailment]
    assert health.recover(ailment)
    assert all(health.serves(one) for one in SERVICES)


def stub(service: Service) -> Any:
    return health_pb2_grpc.HealthStub(service.channel)


async def check(service: Service, name: str) -> int:
    answer = await stub(service).Check(health_pb2.HealthCheckRequest(service=name))
    return int(answer.status)


async def test_each_service_is_checked_without_a_token(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        for name in SERVICES:
            assert await check(service, name) == SERVING
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await check(service, "cutcard.v1.NoService")
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
        listed = await stub(service).List(health_pb2.HealthListRequest())
        assert {name: one.status for name, one in listed.statuses.items()} == dict.fromkeys(
            SERVICES, SERVING
        )


async def test_who_watches_is_told_of_a_drain_and_of_the_end(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        play = stub(service).Watch(health_pb2.HealthCheckRequest(service=PLAY))
        fairness = stub(service).Watch(health_pb2.HealthCheckRequest(service=FAIRNESS))
        unknown = stub(service).Watch(health_pb2.HealthCheckRequest(service="x"))
        assert (await play.read()).status == SERVING
        assert (await fairness.read()).status == SERVING
        assert (await unknown.read()).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
        await service.dealer.drain()
        assert (await play.read()).status == NOT_SERVING
        assert await check(service, FAIRNESS) == SERVING
        outlook = service.dealer._outlook
        assert outlook is not None
        outlook.health.ail(Ailment.STOPPING)
        assert (await fairness.read()).status == NOT_SERVING
        assert await fairness.read() is grpc.aio.EOF


async def test_so_many_may_watch_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may, so it must not cost much."""
    monkeypatch.setattr(healths, "MOST_WATCHING", 2)
    async with serving(tmp_path) as service:
        watched = [stub(service).Watch(health_pb2.HealthCheckRequest()) for _ in range(2)]
        for one in watched:
            await one.read()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            async for _ in stub(service).Watch(health_pb2.HealthCheckRequest()):
                pass
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        for one in watched:
            one.cancel()


async def test_who_does_not_read_its_health_holds_nobody_up() -> None:
    """Its own write waits; the others are told, and the dealer goes on."""
    health = Health(Metrics())

    class Caller:
        def __init__(self, *, reads: bool) -> None:
            self.told: asyncio.Queue[int] = asyncio.Queue()
            self.taken = asyncio.Event()
            if reads:
                self.taken.set()

        async def write(self, message: Any) -> None:
            self.told.put_nowait(message.status)
            await self.taken.wait()

    stuck, quick = Caller(reads=False), Caller(reads=True)
    request = health_pb2.HealthCheckRequest()
    watching = [asyncio.ensure_future(health.Watch(request, one)) for one in (stuck, quick)]
    assert [await one.told.get() for one in (stuck, quick)] == [NOT_SERVING] * 2
    health.recover(Ailment.STARTING)
    assert await quick.told.get() == SERVING
    health.ail(Ailment.RANDOMNESS)
    assert await quick.told.get() == NOT_SERVING
    assert stuck.told.empty()
    for one in watching:
        one.cancel()
    await asyncio.gather(*watching, return_exceptions=True)


class SlowStore(MemoryStore):
    """A store whose writes, and then reads, wait until they may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.writes, self.reads = threading.Event(), threading.Event()
        self.writes.set()
        self.reads.set()

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        self.writes.wait()
        return super().append_all(appends)

    def heads(self, **how: Any) -> Any:
        self.reads.wait()
        return super().heads(**how)


async def test_a_store_that_does_not_write_ends_play_and_one_that_is_not_read_ends_fairness(
    tmp_path: Path,
) -> None:
    store = SlowStore()

    def open_it(_settings: Settings) -> Store:
        return store

    async with serving(tmp_path, open_store=open_it) as service:
        watched = {
            name: stub(service).Watch(health_pb2.HealthCheckRequest(service=name))
            for name in (PLAY, FAIRNESS)
        }
        for one in watched.values():
            assert (await one.read()).status == SERVING
        store.writes.clear()
        request = operate_pb2.OpenGameRequest(request_id=fresh_id())
        opening = asyncio.ensure_future(
            service.operate.OpenGame(request, metadata=service.operator)
        )
        assert (await watched[PLAY].read()).status == NOT_SERVING
        assert await check(service, FAIRNESS) == SERVING
        assert await check(service, OPERATE) == NOT_SERVING
        store.reads.clear()
        assert (await watched[FAIRNESS].read()).status == NOT_SERVING
        store.reads.set()
        store.writes.set()
        assert (await watched[FAIRNESS].read()).status == SERVING
        assert (await watched[PLAY].read()).status == SERVING
        assert (await opening).game
        for one in watched.values():
            one.cancel()
