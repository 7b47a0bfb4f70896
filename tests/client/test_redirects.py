"""A game that another node deals: the client goes there, keeps its guarantees, and comes back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest

from cutcard.v1 import operate_pb2
from dealer_service.client import Act, CallRefusedError, Dealer, HandOver, MyTurn, Seat
from dealer_service.client.calls import MOST_HOPS, Patience, Surroundings
from tests.support.fake_dealer import FakeDealer, Fault, token_for
from tests.support.simulator import Simulator

QUICK = Surroundings(patience=Patience(attempt=5, total=20, first_wait=0.01, longest_wait=0.05))


@pytest.fixture
async def pair() -> AsyncIterator[tuple[FakeDealer, FakeDealer]]:
    """Two nodes with the same games."""
    one = FakeDealer()
    two = FakeDealer(beside=one)
    await one.start()
    await two.start()
    yield one, two
    for node in (one, two):
        await node.stop()


@dataclass
class Slept:
    """A client's surroundings whose time passes only while it waits between tries."""

    waits: list[float] = field(default_factory=list)

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings(
            monotonic=lambda: sum(self.waits),
            chance=lambda: 1.0,
            sleep=self._sleep,
            patience=Patience(attempt=5, total=10, first_wait=0.1, longest_wait=1.0),
        )

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)


async def play(seat: Seat, hands: int, on_turn: Callable[[], Awaitable[None]] | None = None) -> int:
    """Check and call until so many hands are over; gives how many acts it took."""
    acts = 0
    async with asyncio.timeout(20):
        async for event in seat:
            if isinstance(event, MyTurn):
                if on_turn is not None:
                    await on_turn()
                acts += 1
                await seat.act(Act.CALL if event.decision.call else Act.CHECK)
            if isinstance(event, HandOver):
                hands -= 1
                if not hands:
                    return acts
    raise AssertionError(seat.refused)


async def deal(fake: FakeDealer, simulator: Simulator) -> None:
    """Open a hand, and end it when its pots are paid."""
    await fake.open_hand(simulator)
    hand = simulator.state.hand

    def paid() -> bool:
        dealt = simulator.deals[hand].mix is not None
        return dealt and bool(simulator.state.open) and simulator.decision is None

    await fake.until(paid)
    await fake.end_hand(simulator)


async def test_in_the_middle_of_a_hand_the_same_hand_goes_on_at_the_other_node(
    pair: tuple[FakeDealer, FakeDealer], tmp_path: Path
) -> None:
    """Links and acts reach the new node, and nothing of what was sent is sent otherwise."""
    one, two = pair
    simulator = one.open_table()
    game = simulator.state.opened.game
    has_moved = False

    async def move() -> None:
        nonlocal has_moved
        if simulator.state.hand == 1 and not has_moved:
            has_moved = True
            one.elsewhere[game] = two.address
            await one.break_streams()

    async with (
        Dealer.connect(one.address, token_for("ann"), surroundings=QUICK) as ann_dealer,
        Dealer.connect(one.address, token_for("ben"), surroundings=QUICK) as ben_dealer,
    ):
        ann = await ann_dealer.sit(game, stack=5_000, directory=tmp_path / "ann")
        ben = await ben_dealer.sit(game, stack=5_000, directory=tmp_path / "ben")
        playing = [asyncio.create_task(play(seat, 2, move)) for seat in (ann, ben)]
        await until(lambda: ann.number > 0 and ben.number > 0)
        for _ in range(2):
            await deal(one, simulator)
        await asyncio.gather(*playing)
        assert ann.refused is None
        assert ben.refused is None
    assert {request.hand for request in two.requests["GiveLink"]} == {2}
    assert {request.hand for request in two.requests["Act"]} == {1, 2}
    acts = [r.request_id for node in pair for r in node.requests["Act"]]
    sent_elsewhere = [r.request_id for r in one.requests["Act"] if r in two.requests["Act"]]
    assert len(acts) - len(set(acts)) == len(sent_elsewhere)


async def test_a_stream_follows_a_call_that_was_sent_elsewhere(
    pair: tuple[FakeDealer, FakeDealer],
) -> None:
    """The node before may hang, and tell its watchers nothing of having lost the game."""
    one, two = pair
    game = one.open_table().state.opened.game
    async with Dealer.connect(one.address, token_for("eve"), surroundings=QUICK) as dealer:
        spectator = await dealer.watch(game)
        await anext(spectator)
        assert one.watching["eve"] == 1
        one.elsewhere[game] = two.address
        await dealer.table(game)
        await until(lambda: two.watching["eve"] == 1)
        await until(lambda: one.watching["eve"] == 0)


async def test_where_the_owner_is_gone_a_configured_address_is_asked_again(
    pair: tuple[FakeDealer, FakeDealer],
) -> None:
    one, two = pair
    game = one.open_table().state.opened.game
    one.elsewhere[game] = two.address
    async with Dealer.connect(one.address, token_for("eve"), surroundings=QUICK) as dealer:
        spectator = await dealer.watch(game)
        await anext(spectator)
        assert two.watching["eve"] == 1
        await two.stop()
        one.elsewhere.clear()
        assert (await dealer.table(game)).game == game
        await until(lambda: one.watching["eve"] == 1)
        await two.start(two.address)


async def test_the_next_address_is_taken_where_the_first_does_not_answer(
    pair: tuple[FakeDealer, FakeDealer],
) -> None:
    one, two = pair
    game = one.open_table().state.opened.game
    addresses = [one.address, two.address]
    async with Dealer.connect(addresses, token_for("eve"), surroundings=QUICK) as dealer:
        await dealer.table(game)
        await one.stop()
        await dealer.table(game)
        assert two.requests["GetTable"]
        opened = await dealer.operator.open_game()
        assert opened.game
        await one.start(one.address)


@pytest.mark.parametrize("owner", ["dealer.example.com:443", "10.1.2.3:50051"])
async def test_a_token_is_not_sent_in_the_clear_to_where_a_dealer_sends_one(
    pair: tuple[FakeDealer, FakeDealer], owner: str
) -> None:
    one, _ = pair
    game = one.open_table().state.opened.game
    one.elsewhere[game] = owner
    async with Dealer.connect(one.address, token_for("eve"), surroundings=QUICK) as dealer:
        with pytest.raises(CallRefusedError, match="not on loopback") as refused:
            await dealer.table(game)
        assert refused.value.refusal.reason == "OWNER_REFUSED"
        assert dealer._caller.routes.address(game) == one.address
        assert len(one.requests["GetTable"]) == 1


@pytest.mark.parametrize("owner", ["", "unix:/tmp/socket", "dns:///localhost:1", "two"])
async def test_an_owner_that_is_no_address_is_refused(
    pair: tuple[FakeDealer, FakeDealer], owner: str
) -> None:
    one, _ = pair
    game = one.open_table().state.opened.game
    one.elsewhere[game] = owner
    async with Dealer.connect(one.address, token_for("eve"), surroundings=QUICK) as dealer:
        with pytest.raises(CallRefusedError, match=r"OWNER_REFUSED.*no address"):
            await dealer.table(game)
        with pytest.raises(CallRefusedError, match="OWNER_REFUSED"):
            await dealer.download(game, Path("never"))


async def test_two_nodes_that_name_each_other_are_not_run_between(
    pair: tuple[FakeDealer, FakeDealer],
) -> None:
    one, two = pair
    game = one.open_table().state.opened.game
    one.elsewhere[game], two.elsewhere[game] = two.address, one.address
    slept = Slept()
    async with Dealer.connect(
        one.address, token_for("eve"), surroundings=slept.surroundings
    ) as dealer:
        with pytest.raises(CallRefusedError, match="GAME_ELSEWHERE"):
            await dealer.table(game)
    calls = len(one.requests["GetTable"]) + len(two.requests["GetTable"])
    waited = [wait for wait in slept.waits if wait]
    # It gives up when its patience is over, having waited after every few hops.
    assert sum(waited) > 7
    assert calls <= (MOST_HOPS + 1) * (len(waited) + 1)


class TestToldToWait:
    async def test_who_asked_for_too_much_waits_as_long_as_it_is_told(
        self, pair: tuple[FakeDealer, FakeDealer]
    ) -> None:
        one, _ = pair
        limited = Fault(
            grpc.StatusCode.RESOURCE_EXHAUSTED, False, "RATE_LIMITED", {"retry_after_ms": "1700"}
        )
        one.faults.calls["OpenGame"] = [limited, limited]
        slept = Slept()
        async with Dealer.connect(
            one.address, token_for("house"), surroundings=slept.surroundings
        ) as dealer:
            await dealer.operator.open_game()
        assert len(slept.waits) == 2
        assert all(1.7 <= wait < 1.9 for wait in slept.waits)
        assert len({request.request_id for request in one.requests["OpenGame"]}) == 1

    async def test_but_not_beyond_its_patience(self, pair: tuple[FakeDealer, FakeDealer]) -> None:
        one, _ = pair
        limited = Fault(
            grpc.StatusCode.RESOURCE_EXHAUSTED, False, "RATE_LIMITED", {"retry_after_ms": "60000"}
        )
        one.faults.calls["OpenGame"] = [limited]
        slept = Slept()
        async with Dealer.connect(
            one.address, token_for("house"), surroundings=slept.surroundings
        ) as dealer:
            with pytest.raises(CallRefusedError, match="RATE_LIMITED") as refused:
                await dealer.operator.open_game()
        assert refused.value.refusal.retry_after == 60
        assert not slept.waits

    async def test_a_stream_that_is_one_too_many_comes_back_late(
        self, pair: tuple[FakeDealer, FakeDealer]
    ) -> None:
        one, _ = pair
        one.faults.calls["FollowChips"] = [
            Fault(grpc.StatusCode.RESOURCE_EXHAUSTED, False, "TOO_MANY_STREAMS", {"streams": "32"})
        ]
        one.chips = [
            operate_pb2.FollowChipsResponse(cursor=1, amount=1),
            operate_pb2.FollowChipsResponse(cursor=2, amount=1),
        ]
        slept = Slept()
        async with Dealer.connect(
            one.address, token_for("house"), surroundings=slept.surroundings
        ) as dealer:
            told = [move.cursor async for move in dealer.operator.follow_chips(stop_at_end=True)]
        assert told == [1, 2]
        assert slept.waits == [1.0]

    @pytest.mark.parametrize("reason", ["WATCHED_TOO_SLOWLY", "READ_TOO_SLOWLY"])
    async def test_who_read_too_slowly_goes_on_at_once(
        self, pair: tuple[FakeDealer, FakeDealer], reason: str
    ) -> None:
        one, _ = pair
        simulator = one.open_table()
        game = simulator.state.opened.game
        one.faults.calls["Watch"] = [
            Fault(grpc.StatusCode.RESOURCE_EXHAUSTED, False, reason, {"resume": "0"})
        ]
        slept = Slept()
        async with Dealer.connect(
            one.address, token_for("eve"), surroundings=slept.surroundings
        ) as dealer:
            spectator = await dealer.watch(game)
            await anext(spectator)
            assert slept.waits == [0.0]


async def test_in_the_clear_no_call_goes_by_a_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is at the proxy's address, so that what went there would not arrive."""
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_grpc_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    node = FakeDealer()
    await node.start()
    game = node.open_table().state.opened.game
    async with Dealer.connect(node.address, token_for("eve")) as dealer:
        assert (await dealer.table(game)).game == game
    await node.stop()
