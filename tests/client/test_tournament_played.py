"""A tournament played by the typed client at a real dealer: seats, moves, places and prizes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dealer_service.access.roles import Role
from dealer_service.client import (
    Act,
    CallRefusedError,
    CardsDealt,
    CaughtUp,
    Deal,
    LevelBegan,
    LinkNotGiven,
    MayRebuy,
    MyTurn,
    SeatGiven,
    TournamentClosed,
    WasPlaced,
    WentOut,
)
from dealer_service.client.durable import FileError
from dealer_service.tables.clock import SystemClock
from tests.support.service import Service, serving
from tests.support.tournament_players import Player, dealer, play_all, structure


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path / "dealer", clock=SystemClock()) as running:
        yield running


async def opened(service: Service, players: int = 3, **fields: Any) -> str:
    async with dealer(service, "operator", Role.OPERATOR) as operator:
        return (await operator.tournaments.open(structure(players, **fields))).tournament


async def test_one_table_is_played_to_its_winner(service: Service, tmp_path: Path) -> None:
    tournament = await opened(service)
    players = await play_all(service, tournament, tmp_path, "ann", "bob", "cat")
    placed = {one.contest.player: one.of(WasPlaced)[0] for one in players}
    assert min(one.place for one in placed.values()) == 1
    assert sum(one.prize for one in placed.values()) == 30
    for player in players:
        assert len(player.of(SeatGiven)) == 1
        assert player.of(LevelBegan)[0].big_blind == 100
        assert player.of(CardsDealt)
        assert not player.of(LinkNotGiven)
    (winner,) = [one for one in players if one.of(WasPlaced)[0].place == 1]
    assert winner.of(TournamentClosed)[0].reason == "finished"
    assert not winner.of(WentOut)
    assert winner.contest.view.prizes == (30,)


async def test_players_who_are_moved_play_on_and_may_share_one_follower(
    service: Service, tmp_path: Path
) -> None:
    tournament = await opened(service, 7)
    names = [f"player-{number}" for number in range(7)]
    async with dealer(service, "watcher", Role.WATCHER) as watcher:
        follower = await watcher.follow_tournament(tournament)
        players = await play_all(service, tournament, tmp_path, *names, follower=follower)
        view = follower.view
        assert follower.refused is None
    assert view.closed_because == "finished"
    assert min(one.place for one in view.players.values()) == 1
    moved = [one for player in players for one in player.of(SeatGiven) if one.why]
    assert moved
    for player in players:
        placed = player.of(WasPlaced)[0]
        me = view.players[player.contest.player]
        assert (placed.place, placed.prize) == (me.place, me.prize)
    (winner,) = [one for one in players if one.of(WasPlaced)[0].place == 1]
    games = {one.game for one in winner.of(SeatGiven)}
    for game in games:
        record = tmp_path / winner.contest.player / f"{game}.{winner.contest.player}.record"
        assert record.exists()


async def test_who_has_no_chips_may_buy_some(service: Service, tmp_path: Path) -> None:
    fields = structure(2, seats=2)
    fields.late.levels = 1
    fields.rebuy.most = 1
    fields.rebuy.decide_ms = 60_000
    async with dealer(service, "operator", Role.OPERATOR) as operator:
        tournament = (await operator.tournaments.open(fields)).tournament

    class Rebuyer(Player):
        """Buys once, and says the second time that it does not."""

        async def mind(self, event: Any) -> None:
            if isinstance(event, MayRebuy):
                assert await self.contest.rebuy(reference="again") == 200

    players = await play_all(service, tournament, tmp_path, "ann", "bob", made=Rebuyer)
    assert sum(len(one.of(MayRebuy)) for one in players) >= 1
    placed = sorted(one.of(WasPlaced)[0].place for one in players)
    assert placed == [1, 2]
    chips = [(one.what, one.reference) for one in await service.chips()]
    assert ("rebuy", "again") in chips


async def test_who_busted_enters_again_while_that_may_be(service: Service, tmp_path: Path) -> None:
    """One folds until one of the others is out, so that nobody is left alone by then."""
    fields = structure(3, stack=20_000)
    fields.late.levels = 1
    fields.late.reentries = 1
    async with dealer(service, "operator", Role.OPERATOR) as operator:
        tournament = (await operator.tournaments.open(fields)).tournament
    again: list[str] = []

    class Returning(Player):
        async def take_turn(self, turn: MyTurn) -> None:
            if self.contest.player == "cat" and not again and not turn.decision.may_check:
                await self.contest.act(Act.FOLD, decision=turn.decision)
            else:
                await super().take_turn(turn)

        async def mind(self, event: Any) -> None:
            if isinstance(event, WentOut) and not again:
                again.append(self.contest.player)
                await self.contest.reenter()

    players = await play_all(service, tournament, tmp_path, "ann", "bob", "cat", made=Returning)
    (back,) = [one for one in players if one.contest.player in again]
    assert len(back.of(SeatGiven)) == 2
    assert back.contest.view.players[again[0]].reentries == 1
    assert min(one.of(WasPlaced)[0].place for one in players) == 1
    assert sum(one.of(WasPlaced)[0].prize for one in players) == 40


async def test_the_last_players_make_a_deal(service: Service, tmp_path: Path) -> None:
    fields = structure(2, seats=2, deals=True, stack=20_000)
    async with dealer(service, "operator", Role.OPERATOR) as operator:
        tournament = (await operator.tournaments.open(fields)).tournament
    proposed: asyncio.Future[Deal] = asyncio.get_running_loop().create_future()
    calls: list[asyncio.Task[bool]] = []

    class Dealing(Player):
        async def take_turn(self, turn: MyTurn) -> None:
            if not proposed.done():
                deal = await self.contest.propose_deal({"ann": 12, "bob": 8})
                proposed.set_result(deal)
            elif not calls and self.contest.player not in proposed.result().agreed:
                # It is made when the hand has ended.
                agreeing = self.contest.agree_to_deal(proposed.result())
                calls.append(asyncio.create_task(agreeing))
            act = Act.CHECK if turn.decision.may_check else Act.CALL
            await self.contest.act(act, decision=turn.decision)

    players = await play_all(service, tournament, tmp_path, "ann", "bob", made=Dealing)
    assert [await one for one in calls] == [True]
    prizes = {one.contest.player: one.of(WasPlaced)[0].prize for one in players}
    assert prizes == {"ann": 12, "bob": 8}


async def test_a_client_that_was_killed_goes_on_where_it_was(
    service: Service, tmp_path: Path
) -> None:
    tournament = await opened(service, 2, seats=2)
    async with dealer(service, "ann") as first, dealer(service, "bob") as other:
        await first.enter(tournament, directory=tmp_path / "ann")
        one = await other.enter(tournament, directory=tmp_path / "bob")
        bob = asyncio.create_task(Player(one).play())
        await first.close()
        async with dealer(service, "ann") as again:
            contest = await again.enter(tournament, directory=tmp_path / "ann")
            ann = await asyncio.wait_for(Player(contest).play(), 30)
            await asyncio.wait_for(bob, 30)
    assert ann.of(WasPlaced)
    assert contest.refused is None


async def test_who_goes_on_with_another_folder_blames_nobody(
    service: Service, tmp_path: Path
) -> None:
    """The seat is the tournament's, so that the folder has nothing of it: it is no breach."""
    tournament = await opened(service, 2, seats=2, stack=20_000)
    async with dealer(service, "ann") as first, dealer(service, "bob") as other:
        await other.enter(tournament, directory=tmp_path / "bob")
        contest = await first.enter(tournament, directory=tmp_path / "ann")
        async for event in contest:
            if isinstance(event, CardsDealt):
                break
        await first.close()
        async with dealer(service, "ann") as again:
            elsewhere = await again.enter(tournament, directory=tmp_path / "other")
            with pytest.raises(FileError, match="played at the table"):
                await asyncio.wait_for(Player(elsewhere).play(), 30)
        async with dealer(service, "ann") as back:
            contest = await back.enter(tournament, directory=tmp_path / "ann")
            async for event in contest:
                if isinstance(event, CaughtUp):
                    break
            assert contest.refused is None
            assert elsewhere.refused is None


async def test_a_registration_is_taken_back(service: Service, tmp_path: Path) -> None:
    tournament = await opened(service)
    async with dealer(service, "ann") as ann:
        contest = await ann.enter(tournament, directory=tmp_path)
        await ann.tournaments.withdraw(tournament)
        player = await asyncio.wait_for(Player(contest).play(), 30)
        assert player.of(WentOut)[0].how == "withdrawn"
        entered = await ann.tournaments.register(tournament, anchors=False)
        assert entered.entrant == 1


async def test_there_is_no_following_what_is_not_there(service: Service) -> None:
    async with dealer(service, "ann") as ann:
        with pytest.raises(CallRefusedError) as caught:
            await ann.follow_tournament("0" * 32)
        assert caught.value.refusal.reason == "NO_SUCH_TOURNAMENT"
