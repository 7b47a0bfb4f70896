"""A player's session over real gRPC: it plays, retries, reconnects, goes on, and refuses."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import grpc
import pytest

from dealer_service.client import (
    Act,
    AnchorNotLogged,
    BoardOpened,
    CallRefusedError,
    CardsDealt,
    CaughtUp,
    Dealer,
    Disconnected,
    Event,
    GameClosed,
    HandOver,
    HandStarted,
    HandVoided,
    LinkNotGiven,
    MyTurn,
    PotAwarded,
    Reason,
    Refused,
    Seat,
    TableChanged,
)
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.client.durable import FileError
from dealer_service.client.message import Message
from dealer_service.rules.entry import VoidReason
from dealer_service.transcript.note import note_signer
from tests.support.fake_dealer import FakeDealer, Fault, token_for
from tests.support.simulator import Simulator

QUICK = Surroundings(patience=Patience(attempt=5, total=20, first_wait=0.01, longest_wait=0.05))
Kind = TypeVar("Kind")


@pytest.fixture
async def fake() -> AsyncIterator[FakeDealer]:
    dealer = FakeDealer()
    await dealer.start()
    yield dealer
    await dealer.stop()


@dataclass(slots=True)
class Player:
    """A seat whose events are kept, and which checks and calls through its turns."""

    seat: Seat
    events: list[Event] = field(default_factory=list)

    async def hear(self, kind: type[Kind], fits: Callable[[Kind], bool] = lambda _: True) -> Kind:
        """Play on until an event of a kind comes."""
        async with asyncio.timeout(20):
            async for event in self.seat:
                self.events.append(event)
                if isinstance(event, kind) and fits(event):
                    return event
                if isinstance(event, MyTurn):
                    await self.seat.act(Act.CHECK if event.decision.may_check else Act.CALL)
        message = f"the seat ended without a {kind.__name__}"
        raise AssertionError(message)

    async def to_the_end(self) -> None:
        """Play on until the seat is over."""
        async with asyncio.timeout(20):
            async for event in self.seat:
                self.events.append(event)

    def heard(self, kind: type[Kind]) -> list[Kind]:
        return [each for each in self.events if isinstance(each, kind)]


@asynccontextmanager
async def seated(
    fake: FakeDealer, simulator: Simulator, folder: Path, *names: str, links: bool = True
) -> AsyncIterator[list[Player]]:
    """Seat players, and go away without leaving."""
    game, players, dealers = simulator.state.opened.game, [], []
    try:
        for name in names:
            dealer = Dealer.connect(fake.address, token_for(name), surroundings=QUICK)
            dealers.append(dealer)
            seat = await dealer.sit(game, stack=5_000, directory=folder / name, links=links)
            player = Player(seat)
            players.append(player)
            await player.hear(TableChanged, changed("seat_taken", name))
        yield players
    finally:
        for dealer in dealers:
            await dealer.close()


def changed(kind: str, player: str) -> Callable[[TableChanged], bool]:
    return lambda event: (event.kind, event.player) == (kind, player)


async def play_hand(fake: FakeDealer, simulator: Simulator, players: list[Player]) -> None:
    """Play one whole hand through."""
    number = simulator.state.hand + 1
    await fake.open_hand(simulator)
    await asyncio.gather(
        finish(fake, simulator), *(p.hear(HandOver, lambda e: e.hand == number) for p in players)
    )


async def finish(fake: FakeDealer, simulator: Simulator) -> None:
    """End the hand when its pots are paid."""
    hand = simulator.state.hand

    def paid() -> bool:
        dealt = simulator.deals[hand].mix is not None
        return dealt and bool(simulator.state.open) and simulator.decision is None

    await fake.until(paid)
    await fake.end_hand(simulator)


def record(player: Player) -> list[dict[str, Any]]:
    return [json.loads(line) for line in player.seat.record_path.read_text().splitlines()]


# Playing.


async def test_two_players_play_a_hand(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await play_hand(fake, simulator, [ann, ben])
        for player in (ann, ben):
            (cards,) = player.heard(CardsDealt)
            assert len(cards.cards) == 2
            assert [len(each.board) for each in player.heard(BoardOpened)] == [3, 4, 5]
            assert sum(pot.amount for pot in player.heard(PotAwarded)) == 200
            (over,) = player.heard(HandOver)
            assert sum(over.stacks.values()) == 10_000
        assert ann.heard(CardsDealt)[0].cards != ben.heard(CardsDealt)[0].cards
        assert ann.heard(HandOver)[0].stacks == ben.heard(HandOver)[0].stacks


async def test_the_view_tells_the_table(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await fake.open_hand(simulator)
        first = simulator.state.hand
        turn = await ann.hear(MyTurn)
        view = turn.view
        assert (view.hand, view.street, view.seat, view.board) == (first, "preflop", 1, ())
        assert view.pot == 150
        assert sorted(seat.bet for seat in view.seats) == [50, 100]
        assert len(view.cards) == 2
        assert view.me is not None
        assert view.me.cards == view.cards
        assert [seat.cards for seat in view.seats if seat.player == "ben"] == [()]
        assert turn.decision.call == 50
        raise_to = turn.decision.raise_to
        assert raise_to is not None
        assert (raise_to.low, raise_to.high) == (200, 5_000)
        await ann.seat.act(Act.RAISE, 300)
        answer = await ben.hear(MyTurn)
        assert answer.decision.call == 200
        assert answer.view.pot == 400
        await ben.seat.act(Act.FOLD)
        await asyncio.gather(finish(fake, simulator), ann.hear(HandOver))
        assert [seat.stack for seat in ann.seat.view.seats] == [5_100, 4_900]


async def test_the_record_tells_each_anchor_and_link(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        for _ in range(2):
            await play_hand(fake, simulator, [ann, ben])
        lines = record(ann)
    logged = simulator.transcript()
    mine = [
        link["link"]
        for one in logged.all("deck_committed")
        for link in one.body["links"]
        if link["seat"] == 1
    ]
    assert [line["link"]["link"] for line in lines if "link" in line] == mine
    for line in (line["link"] for line in lines if "link" in line):
        size = logged.find("hand_opened", hand=line["hand"]).index + 1
        assert line["checkpoint"] == logged.note(fake.signer, size)
    anchor = logged.find("seat_taken").body["anchor"]
    assert [line["anchor"]["anchor"] for line in lines if "anchor" in line] == [anchor]
    assert len([line for line in lines if "checkpoint" in line]) == 2


async def test_a_player_without_links_gives_none(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben", links=False) as (ann, ben):
        await play_hand(fake, simulator, [ann, ben])
    assert not fake.requests["GiveLink"]
    assert not fake.requests["Anchor"]


async def test_a_seat_is_over_when_the_player_has_left(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, _):
        assert await ann.seat.leave(reference="out") == 5_000
        await ann.to_the_end()
        assert ann.heard(TableChanged)[-1].kind == "seat_left"
    assert fake.requests["LeaveSeat"][0].reference == "out"


async def test_chips_sitting_out_and_coming_back(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, _):
        assert await ann.seat.add_chips(500) == 5_500
        await ann.seat.sit_out()
        await ann.hear(TableChanged, lambda event: event.kind == "sat_out")
        assert ann.seat.view.seats[0].state == "sitting_out"
        await ann.seat.come_back()
        await ann.hear(TableChanged, lambda event: event.kind == "came_back")
        assert ann.seat.view.seats[0].stack == 5_500


async def test_a_hand_may_be_shown_in_the_pause(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await fake.open_hand(simulator)
        await ann.hear(MyTurn)
        await ann.seat.act(Act.FOLD)
        await ben.hear(PotAwarded)
        await ben.seat.show()
        await asyncio.gather(finish(fake, simulator), ann.hear(HandOver), ben.hear(HandOver))
        shown = simulator.transcript().find("opened", where=lambda body: "seat" in body)
        assert shown.body["by"] == "player"


async def test_a_watcher_sees_all_but_the_cards(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    game = simulator.state.opened.game
    dealer = Dealer.connect(fake.address, token_for("zoe"), surroundings=QUICK)
    async with dealer, seated(fake, simulator, tmp_path, "ann", "ben") as players:
        watching = await dealer.watch(game)
        await play_hand(fake, simulator, players)
        kinds = []
        async with asyncio.timeout(20):
            async for event in watching:
                kinds.append(type(event))
                if isinstance(event, HandOver):
                    break
        assert HandStarted in kinds
        assert BoardOpened in kinds
        assert not {CardsDealt, MyTurn} & set(kinds)
        assert all(seat.cards == () or len(seat.cards) == 2 for seat in watching.view.seats)


async def test_the_past_is_told_apart_from_what_is_new(fake: FakeDealer, tmp_path: Path) -> None:
    """What came before `CaughtUp` was there on joining; it is told once, and before any turn."""
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as players:
        await play_hand(fake, simulator, players)
    async with seated(fake, simulator, tmp_path, "ann", "ben") as players:
        await play_hand(fake, simulator, players)
        for player in players:
            kinds = [type(event) for event in player.events]
            before, after = (
                player.events[: kinds.index(CaughtUp)],
                player.events[kinds.index(CaughtUp) + 1 :],
            )
            assert [each.hand for each in before if isinstance(each, HandOver)] == [1]
            assert [each.hand for each in after if isinstance(each, HandOver)] == [2]
            assert MyTurn not in {type(event) for event in before}
            assert kinds.count(CaughtUp) == 1


# Refused calls.


async def test_a_refused_call_says_why(fake: FakeDealer, tmp_path: Path) -> None:
    async with Dealer.connect(fake.address, token_for("ann"), surroundings=QUICK) as dealer:
        with pytest.raises(CallRefusedError) as error:
            await dealer.table("00" * 16)
        refusal = error.value.refusal
        assert (refusal.code, refusal.reason) == ("NOT_FOUND", "NO_SUCH_GAME")
        assert refusal.metadata == {"game": "00" * 16}
        simulator = fake.open_table()
        with pytest.raises(CallRefusedError) as error:
            await dealer.sit(simulator.state.opened.game, stack=1, directory=tmp_path)
        assert error.value.refusal.reason == "BUY_IN_OUT_OF_RANGE"
    assert len(fake.requests["TakeSeat"]) == 1


async def test_an_illegal_act_is_refused_and_another_may_follow(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await fake.open_hand(simulator)
        await ann.hear(MyTurn)
        with pytest.raises(CallRefusedError):
            await ann.seat.act(Act.RAISE, 101)
        await ann.seat.act(Act.RAISE, 200)
        assert (await ben.hear(MyTurn)).decision.call == 100
        with pytest.raises(CallRefusedError, match="NO_TURN"):
            await ann.seat.act(Act.CALL)


# Retrying.


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED])
async def test_a_seat_is_asked_for_again_with_the_same_request_id(
    fake: FakeDealer, tmp_path: Path, code: grpc.StatusCode, *, after: bool
) -> None:
    """Whether the call was lost on the way or its answer was, one seat is taken."""
    simulator = fake.open_table()
    fake.faults.calls["TakeSeat"] = [Fault(code, after), Fault(code, after)]
    async with seated(fake, simulator, tmp_path, "ann"):
        asked = fake.requests["TakeSeat"]
        assert len(asked) == 3
        assert all(each == asked[0] for each in asked)
        assert len(simulator.state.seats) == 1


async def test_an_act_whose_answer_was_lost_counts_once(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        fake.faults.calls["Act"] = [Fault(after=True)]
        await play_hand(fake, simulator, [ann, ben])
    asked = fake.requests["Act"]
    twice = [one for one in asked if asked.count(one) == 2]
    assert len(twice) == 2
    assert len({each.request_id for each in asked}) == len(asked) - 1
    assert len(simulator.transcript().all("acted")) == len(asked) - 1


async def test_a_link_is_given_again_and_is_the_same(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        fake.faults.calls["GiveLink"] = [Fault(), Fault(after=True)]
        await play_hand(fake, simulator, [ann, ben])
    links = [each.link for each in fake.requests["GiveLink"]]
    assert len(links) > 2
    assert len(set(links)) == 2


async def test_a_dealer_that_does_not_come_back_is_given_up(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    fake.faults.calls["TakeSeat"] = [Fault() for _ in range(10_000)]
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    # Time passes only while it waits between tries.
    around = Surroundings(monotonic=lambda: sum(waits), sleep=sleep, patience=Patience(total=20))
    async with Dealer.connect(fake.address, token_for("ann"), surroundings=around) as dealer:
        with pytest.raises(CallRefusedError) as error:
            await dealer.sit(simulator.state.opened.game, stack=5_000, directory=tmp_path)
        assert error.value.refusal.reason == "UNAVAILABLE"
    assert len(fake.requests["TakeSeat"]) == len(waits) + 1 > 5


def test_waits_double_up_to_a_bound_and_are_drawn_by_chance() -> None:
    around = Surroundings(chance=lambda: 0.5, patience=Patience(first_wait=1, longest_wait=4))
    waits = around.waits()
    assert [next(waits) for _ in range(4)] == [0.5, 1.0, 2.0, 2.0]


# Reconnecting.


async def test_a_broken_stream_is_taken_up_again(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await fake.open_hand(simulator)
        turn = await ann.hear(MyTurn)
        await fake.break_streams()
        await asyncio.gather(ann.hear(Disconnected), ben.hear(Disconnected))
        assert turn.decision.may_check is False
        await ann.seat.act(Act.CALL)
        await asyncio.gather(finish(fake, simulator), ann.hear(HandOver), ben.hear(HandOver))
        await play_hand(fake, simulator, [ann, ben])
    again = [getattr(each, "from") for each in fake.requests["Watch"]]
    assert again[:2] == [0, 0]
    assert all(first > 0 for first in again[2:])


async def test_a_dealer_that_restarts_is_found_again(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await play_hand(fake, simulator, [ann, ben])
        await fake.stop()
        await ann.hear(Disconnected)
        await fake.start(fake.address)
        await play_hand(fake, simulator, [ann, ben])
        assert len(ann.heard(HandOver)) == 2


async def test_a_client_that_was_killed_goes_on_in_its_seat(
    fake: FakeDealer, tmp_path: Path
) -> None:
    """It asks for no second seat, knows its own acts again, and gives the next link."""
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as players:
        await play_hand(fake, simulator, players)
    async with seated(fake, simulator, tmp_path, "ann", "ben") as players:
        await play_hand(fake, simulator, players)
        assert all(player.seat.refused is None for player in players)
    assert len(fake.requests["TakeSeat"]) == 2
    assert simulator.state.hand == 2


async def test_a_client_killed_before_its_link_arrives_gives_the_same_one(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, _):
        fake.faults.calls["GiveLink"] = [Fault() for _ in range(10_000)]
        await fake.open_hand(simulator)
        await fake.until(lambda: len(fake.requests["GiveLink"]) > 0)
        await ann.hear(HandStarted)
    fake.faults.calls["GiveLink"] = []
    async with seated(fake, simulator, tmp_path, "ann", "ben") as players:
        both = (player.hear(HandOver) for player in players)
        await asyncio.gather(finish(fake, simulator), *both)
    links = {each.link for each in fake.requests["GiveLink"]}
    assert len(links) == 2


async def test_a_seat_taken_with_another_folder_is_not_gone_on_in(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path / "one", "ann"):
        with pytest.raises(FileError, match="another folder"):
            async with seated(fake, simulator, tmp_path / "other", "ann"):
                pass


async def test_a_player_who_left_sits_down_anew(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    for _ in range(2):
        async with seated(fake, simulator, tmp_path, "ann") as (ann,):
            await ann.seat.leave()
            await ann.to_the_end()
    one, other = fake.requests["TakeSeat"]
    assert one.request_id != other.request_id
    assert one.anchor != other.anchor


async def test_a_player_who_was_removed_while_away_sits_down_anew(
    fake: FakeDealer, tmp_path: Path
) -> None:
    """The first request's answer would be of the seat that was lost."""
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann"):
        pass
    await fake.change(simulator, lambda: simulator.remove("ann"))
    async with seated(fake, simulator, tmp_path, "ann") as (ann,):
        await ann.hear(TableChanged, lambda event: event.kind == "player_removed")
        await ann.hear(TableChanged, lambda event: event.kind == "seat_taken")
    assert len(simulator.state.seats) == 1


# Misses and new anchors.


async def test_a_player_whose_link_was_called_missing_anchors_again(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        fake.faults.calls["GiveLink"] = [Fault(grpc.StatusCode.INTERNAL) for _ in range(2)]
        await fake.open_hand(simulator)
        await asyncio.gather(ann.hear(LinkNotGiven), ben.hear(LinkNotGiven))
        await fake.void_hand(simulator, VoidReason.LINK_MISSING)
        void = await ann.hear(HandVoided)
        assert (void.missing, void.blamed) == (("ann", "ben"), True)
        await asyncio.gather(
            ann.hear(TableChanged, changed("anchored", "ann")),
            ben.hear(TableChanged, changed("anchored", "ben")),
        )
        await play_hand(fake, simulator, [ann, ben])
        lines = record(ann)
    assert {"missed": {"hand": 1}} in lines
    sent = next(line["link"]["link"] for line in lines if "link" in line)
    asked = [each for each in fake.requests["Anchor"] if each.missing_link.hex() == sent]
    assert [each.missing_hand for each in asked] == [1]
    committed = simulator.transcript().find("deck_committed", hand=2)
    assert len(committed.body["links"]) == 2


async def test_a_player_who_missed_and_left_sits_without_an_anchor_and_logs_one(
    fake: FakeDealer, tmp_path: Path
) -> None:
    """Misses outlast leaving: the new anchor comes with the link that was missing."""
    simulator = fake.open_table()
    fake.faults.calls["Anchor"] = [Fault(grpc.StatusCode.INTERNAL) for _ in range(2)]
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        fake.faults.calls["GiveLink"] = [Fault(grpc.StatusCode.INTERNAL) for _ in range(2)]
        await fake.open_hand(simulator)
        await asyncio.gather(ann.hear(LinkNotGiven), ben.hear(LinkNotGiven))
        await fake.void_hand(simulator, VoidReason.LINK_MISSING)
        await asyncio.gather(ann.hear(AnchorNotLogged), ben.hear(AnchorNotLogged))
        await ann.seat.leave()
        await ann.to_the_end()
    async with seated(fake, simulator, tmp_path, "ann") as (ann,):
        await ann.hear(TableChanged, changed("anchored", "ann"))
    assert [bool(each.anchor) for each in fake.requests["TakeSeat"]] == [True, True, True, False]
    assert fake.requests["Anchor"][-1].missing_hand == 1


async def test_a_link_that_left_and_was_not_logged_is_never_used_again(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, _):
        fake.faults.calls["GiveLink"] = [Fault(grpc.StatusCode.INTERNAL) for _ in range(2)]
        await fake.open_hand(simulator)
        await ann.hear(LinkNotGiven)
        await fake.void_hand(simulator, VoidReason.OPERATOR)
        await ann.hear(TableChanged, changed("anchored", "ann"))
    first = next(each for each in fake.requests["TakeSeat"])
    assert all(each.anchor != first.anchor for each in fake.requests["Anchor"])
    assert not any(each.HasField("missing_hand") for each in fake.requests["Anchor"])


async def test_a_refused_anchor_is_told_and_asked_for_once_a_hand(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        fake.faults.calls["GiveLink"] = [Fault(grpc.StatusCode.INTERNAL) for _ in range(2)]
        fake.faults.calls["Anchor"] = [Fault(grpc.StatusCode.INTERNAL) for _ in range(2)]
        await fake.open_hand(simulator)
        await asyncio.gather(ann.hear(LinkNotGiven), ben.hear(LinkNotGiven))
        await fake.void_hand(simulator, VoidReason.LINK_MISSING)
        await asyncio.gather(ann.hear(AnchorNotLogged), ben.hear(AnchorNotLogged))
        assert len(fake.requests["Anchor"]) == 2
        await play_hand(fake, simulator, [ann, ben])
        await ann.hear(TableChanged, changed("anchored", "ann"))
        assert len(fake.requests["Anchor"]) == 4


# Games that go on.


async def test_a_seat_goes_on_in_the_next_game_with_a_new_chain(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await play_hand(fake, simulator, [ann, ben])
        after = await fake.succeed(simulator)
        game = after.state.opened.game
        assert (await ann.hear(GameClosed)).next == game
        await fake.until(lambda: not after.state.awaited)
        await play_hand(fake, after, [ann, ben])
        assert ann.seat.game == game
        assert ann.seat.record_path.name == f"{game}.ann.record"
    assert {each.game for each in fake.requests["Anchor"]} == {game}
    assert len(after.transcript().find("deck_committed").body["links"]) == 2


async def test_a_seat_is_over_when_the_last_game_is_revealed(
    fake: FakeDealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await play_hand(fake, simulator, [ann, ben])
        await fake.change(simulator, simulator.close)
        await fake.change(simulator, simulator.reveal)
        await ann.to_the_end()
        (closed,) = ann.heard(GameClosed)
        assert (closed.next, closed.reason) == ("", "operator")
        assert sum(closed.stacks.values()) == 10_000


# Refusing.


def other_mix(player: str, message: Message) -> Message:
    """Tell one player of another mix, and everybody else the truth."""
    if player != "ann" or not any(b'"deck_committed"' in line for line in message.lines):
        return message
    line = json.loads(message.lines[0])
    line["deck_committed"]["mix"] = "00" * 32
    changed = json.dumps(line, sort_keys=True, separators=(",", ":")).encode()
    return replace(message, lines=(changed,))


async def test_a_breach_ends_the_seat_with_evidence(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    fake.faults.tamper = other_mix
    async with seated(fake, simulator, tmp_path, "ann", "ben") as (ann, ben):
        await fake.open_hand(simulator)
        refused = await ann.hear(Refused)
        assert refused.reason is Reason.MIX
        await ann.to_the_end()
        assert ann.seat.refused == refused
        acts = len(fake.requests["Act"])
        for call in (ann.seat.leave(), ann.seat.sit_out(), ann.seat.show()):
            with pytest.raises(CallRefusedError, match="MIX"):
                await call
        assert len(fake.requests["Act"]) == acts
        assert not fake.requests["LeaveSeat"]
        assert ben.seat.refused is None
        game = simulator.state.opened.game
    lines = (tmp_path / "ann" / f"{game}.ann.record").read_text().splitlines()
    assert json.loads(lines[-1])["refused"]["reason"] == "MIX"
    evidence = (tmp_path / "ann" / f"{game}.ann.evidence").read_text().splitlines()
    assert json.loads(evidence[1])["refused"]["reason"] == "MIX"
    told = [json.loads(each)["line"] for each in evidence if '"line"' in each]
    assert told == [line.decode() for line in simulator.lines[: len(told)]]


async def test_who_only_watches_has_the_evidence_too(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    fake.faults.tamper = lambda _, message: other_mix("ann", message)
    game = simulator.state.opened.game
    async with Dealer.connect(fake.address, token_for("eve"), surroundings=QUICK) as dealer:
        watching = await dealer.watch(game, tmp_path / "seen")
        for name in ("ann", "ben"):
            await fake.change(simulator, partial(simulator.sit, name, anchored=False))
        await fake.open_hand(simulator)
        async with asyncio.timeout(20):
            refused = [event async for event in watching if isinstance(event, Refused)]
    assert [one.reason for one in refused] == [Reason.MIX]
    lines = (tmp_path / "seen" / f"{game}.evidence").read_text().splitlines()
    head, told, *_ = map(json.loads, lines)
    assert (head["game"], head["player"]) == (game, "")
    assert told["refused"]["reason"] == "MIX"


async def test_a_dealer_under_another_key_is_refused(fake: FakeDealer, tmp_path: Path) -> None:
    simulator = fake.open_table()
    other = "dealer.example.com+6ad54dd2+AaZs5icZ3wFamhT0CYhpZo7TjBs24R6rFkeoRNbDriIX"
    with pytest.raises(ValueError, match="ID"):
        Dealer.connect(fake.address, token_for("ann"), key=other)
    key = str(note_signer("dealer.example.com", bytes(32)).verifier)
    dealer = Dealer.connect(fake.address, token_for("ann"), key=key, surroundings=QUICK)
    async with dealer:
        seat = await dealer.sit(simulator.state.opened.game, stack=5_000, directory=tmp_path)
        player = Player(seat)
        assert (await player.hear(Refused)).reason is Reason.SIGNATURE


@pytest.mark.parametrize("token", ["", "x", "a.b.c"])
async def test_a_token_that_names_nobody_is_refused_at_once(token: str) -> None:
    with pytest.raises(ValueError, match="token"):
        Dealer.connect("127.0.0.1:1", token)
