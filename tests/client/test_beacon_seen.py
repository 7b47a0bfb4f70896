"""A client of a game whose rules name a beacon: which rounds it believes, and when it links."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from cutcard.v1 import entry_pb2
from dealer_service.beacon.rounds import Network
from dealer_service.client import Dealer
from dealer_service.client.calls import Surroundings
from dealer_service.client.drawn import beacon_rule, find_fault, is_dated
from dealer_service.client.events import LinkNotGiven
from dealer_service.client.refusing import Reason, Refused
from dealer_service.client.seat import Seat
from dealer_service.client.verifier import Verifier, Watched
from dealer_service.rules.entry import BeaconRound
from tests.support import drand
from tests.support.service import PATIENCE, START, Service, serving
from tests.support.simulator import DRAWN, Cheat, Simulator, passive
from tests.support.streams import stream_of

TESTS = Network(drand.PUBLIC_KEY, drand.GENESIS, drand.PERIOD, drand.GROUP_HASH, drand.NAME)


@pytest.fixture
def rounds(tmp_path: Path) -> Path:
    """Give a file of the beacon in which no round ever comes."""
    path = tmp_path / "rounds"
    path.write_text(json.dumps(drand.info()) + "\n")
    return path


def judge(draw: Callable[[int], BeaconRound], *networks: Network) -> Refused | None:
    """Tell a player a game whose dealer draws its rounds like that."""
    simulator = Simulator(seed=7, rules=DRAWN, cheat=Cheat(draw=draw))
    for name in ("ann", "ben"):
        simulator.sit(name)
    simulator.play_hand(choose=passive)
    simulator.close()
    simulator.reveal()
    stream = stream_of(simulator, "ann")
    watched = Watched(stream.transcript.game, stream.signer.verifier, "ann", 0.0)
    verifier = Verifier(watched, stream.sent, networks)
    for now, message in stream.messages():
        answer = verifier.receive(message, now)
        if isinstance(answer, Refused):
            return answer
    assert verifier.finished
    return None


def later(at: int) -> BeaconRound:
    return drand.drawn(at + 3000)


def earlier(at: int) -> BeaconRound:
    return drand.drawn(at - 3000)


def made_up(at: int) -> BeaconRound:
    number = drand.round_after(at)
    return drand.entry_of(number, drand.sign(number, 7))


def unhashed(at: int) -> BeaconRound:
    return replace(drand.drawn(at), randomness="ab" * 32)


@pytest.mark.parametrize("networks", [(), (TESTS,)])
def test_an_honest_dealers_rounds_are_believed(networks: tuple[Network, ...]) -> None:
    assert judge(drand.drawn, *networks) is None


@pytest.mark.parametrize(
    ("draw", "why"),
    [
        (later, "asks for round"),
        (earlier, "asks for round"),
        (made_up, "is not that of the beacon"),
        (unhashed, "not the hash of its signature"),
    ],
)
def test_any_other_round_of_a_known_network_is_refused(
    draw: Callable[[int], BeaconRound], why: str
) -> None:
    refused = judge(draw, TESTS)
    assert refused is not None
    assert refused.reason is Reason.MIX
    assert why in refused.detail


def test_of_an_unknown_network_the_hash_alone_is_judged() -> None:
    assert judge(made_up) is None
    refused = judge(unhashed)
    assert refused is not None
    assert refused.reason is Reason.MIX


def test_quicknet_is_known_and_its_real_rounds_are_believed() -> None:
    known = drand.quicknet()
    rule = beacon_rule(bytes.fromhex(known["chain"]["hash"]))
    assert rule.network is not None
    assert rule.verify is not None
    for case in known["rounds"]:
        assert find_fault(rule, 1000 * case["time"] - 6000, case) == ""
        assert "asks for round" in find_fault(rule, 1000 * case["time"] - 5999, case)


def test_without_the_extra_the_round_is_judged_and_its_signature_is_not() -> None:
    rule = beacon_rule(TESTS.chain, (TESTS,), lambda: None)
    drawn = made_up(START)
    logged = {
        "round": drawn.round,
        "randomness": drawn.randomness,
        "signature": drawn.signature,
    }
    assert find_fault(rule, START, logged) == ""
    assert "asks for round" in find_fault(rule, START + 3000, logged)


@pytest.mark.parametrize(
    ("seconds", "dated"), [(0.0, True), (5.0, True), (-5.0, True), (5.001, False), (-5.001, False)]
)
def test_an_opening_is_of_now_within_five_seconds(seconds: float, *, dated: bool) -> None:
    assert is_dated(1_000_000, 1000.0 + seconds) is dated


async def link(service: Service, folder: Path, wall: float) -> LinkNotGiven | None:
    """Seat two players whose clocks say `wall`, and give what keeps ann's link back, if anything.

    The dealer's clock stands at START.
    """
    chain = entry_pb2.BeaconRule(chain=drand.CHAIN)
    game = await service.open_game(beacon=chain, link_ms=60_000)
    await service.pause(game)
    around = Surroundings(wall=lambda: wall)
    async with AsyncExitStack() as stack:
        seats = []
        for name in ("ann", "ben"):
            token = dict(service.header(name))["authorization"].removeprefix("Bearer ")
            connecting = Dealer.connect(service.address, token, surroundings=around)
            dealer = await stack.enter_async_context(connecting)
            seat = await dealer.sit(game, stack=200, directory=folder / name)
            seats.append(await stack.enter_async_context(seat))
        await service.resume(game)
        dealing = service.table(game).dealing
        kept = asyncio.create_task(first_kept(seats[0]))
        async with asyncio.timeout(PATIENCE):
            while not kept.done() and len(dealing.links) < 2:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0)
        if kept.done():
            assert not dealing.links
            return kept.result()
        kept.cancel()
    return None


async def first_kept(seat: Seat) -> LinkNotGiven | None:
    """Hear events until a link is kept back."""
    async for event in seat:
        if isinstance(event, LinkNotGiven):
            return event
    return None


@pytest.mark.parametrize("seconds", [0, -5, 5])
async def test_a_link_is_given_to_an_opening_of_now(
    tmp_path: Path, rounds: Path, seconds: int
) -> None:
    async with serving(tmp_path / "dealer", beacon=str(rounds)) as service:
        assert await link(service, tmp_path, START / 1000 + seconds) is None


@pytest.mark.parametrize("seconds", [-6, 6])
async def test_no_link_is_given_to_an_opening_of_another_time(
    tmp_path: Path, rounds: Path, seconds: int
) -> None:
    """The round of an opening that is dated back may have been known when it was made."""
    async with serving(tmp_path / "dealer", beacon=str(rounds)) as service:
        kept = await link(service, tmp_path, START / 1000 + seconds)
    assert kept == LinkNotGiven(1, "the opening is not of now, by this clock")
