"""Dealer, clients and audit of one game by a beacon, each by what it knows itself."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from audit_cli.beacon import Network as Audited
from audit_cli.report.finding import Promise, Verdict
from cutcard.v1 import entry_pb2
from dealer_service.beacon.rounds import Network
from dealer_service.client import Dealer, HandOver
from dealer_service.client.acting import Act
from dealer_service.client.calls import Surroundings
from dealer_service.client.seat import Seat
from tests.support import drand
from tests.support.audits import judge, tell
from tests.support.drand import serving_drand
from tests.support.service import PATIENCE, Service, serving

NETWORK = (drand.PUBLIC_KEY, drand.GENESIS, drand.PERIOD, drand.GROUP_HASH, drand.NAME)
HANDS = 2


async def play(seat: Seat) -> None:
    """Fold, or check where that is free, until so many hands are over."""
    async for event in seat:
        decision = seat.decision
        if isinstance(event, HandOver) and event.hand >= HANDS:
            return
        if decision is not None and decision.seat == seat.number:
            await seat.act(Act.CHECK if decision.may_check else Act.FOLD, decision=decision)


async def pass_time(service: Service, game: str) -> None:
    """Let the time of each hand's round come once all links are there, and open no hand more."""
    dealing = service.table(game).dealing
    for hand in range(1, HANDS + 1):
        while dealing.state.hand < hand or len(dealing.links) < 2:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0)
        if hand == HANDS:
            await service.pause(game)
        service.advance(6000 + 1000 * drand.PERIOD)


async def test_a_game_by_a_beacon_is_played_and_every_promise_holds(tmp_path: Path) -> None:
    with serving_drand() as node:
        async with serving(tmp_path / "dealer", beacon=node.url) as service:
            around = Surroundings(
                monotonic=lambda: service.clock.now() / 1000,
                wall=lambda: service.clock.now() / 1000,
                networks=(Network(*NETWORK),),
            )
            chain = entry_pb2.BeaconRule(chain=drand.CHAIN)
            game = await service.open_game(beacon=chain, link_ms=30_000, turn_ms=60_000, pause_ms=0)
            await service.pause(game)
            async with AsyncExitStack() as stack:
                seats = []
                for name in ("ann", "ben"):
                    token = dict(service.header(name))["authorization"].removeprefix("Bearer ")
                    connecting = Dealer.connect(service.address, token, surroundings=around)
                    dealer = await stack.enter_async_context(connecting)
                    seat = await dealer.sit(game, stack=200, directory=tmp_path / name)
                    seats.append(await stack.enter_async_context(seat))
                await service.resume(game)
                async with asyncio.timeout(PATIENCE):
                    await asyncio.gather(pass_time(service, game), *map(play, seats))
                assert [seat.refused for seat in seats] == [None, None]
                record = seats[0].record_path.read_bytes()
            await service.close_game(game)
            data, key = await service.file(game), service.key
    report = judge(data, key=key, mine=record, beacons=(Audited(*NETWORK),))
    (said,) = report.of(Promise.BEACON_MIXED)
    assert said.verdict is Verdict.HOLDS, tell(report)
    assert said.text.startswith(f"{HANDS} rounds")
    assert report.exit_status() == 0, tell(report)
