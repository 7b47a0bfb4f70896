"""House players in tournaments at a real dealer: whole events that the audit finds fair."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from audit_cli.report.finding import ExitStatus
from cutcard.v1 import tournament_entry_pb2
from dealer_service.access.roles import Role
from dealer_service.bots.level import Level
from dealer_service.bots.tournament import (
    Ending,
    Finish,
    Habits,
    TournamentPlayer,
    enter_players,
    play_tournament,
    wants_add_on,
    wants_rebuy,
)
from dealer_service.client import Dealer, TournamentView
from tests.support.audits import judge, tell
from tests.support.house import House, keeping_house

PATIENCE = 60


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with keeping_house(tmp_path) as kept, asyncio.timeout(PATIENCE):
        yield kept


@pytest.fixture
async def operator(house: House) -> Dealer:
    return await house.connect("operator", Role.OPERATOR)


def structure(
    players: int, *, seats: int = 6, big_blind: int = 100, hands: int = 2, **fields: Any
) -> tournament_entry_pb2.Structure:
    """Give a structure of few hands, which no clock hurries: blinds double after `hands` hands."""
    usual: dict[str, Any] = {
        "players_max": players,
        "stack": 1_500,
        "buy_in": 100,
        "level_by": "hands",
    }
    made = tournament_entry_pb2.Structure(**usual | fields)
    made.rules.seats = seats
    made.rules.turn_ms = made.rules.link_ms = 60_000
    for number in range(10):
        big = big_blind * 2**number
        made.levels.add(small_blind=big // 2, big_blind=big, chip_unit=50, length=hands)
    return made


async def opened(operator: Dealer, *given: Any, **fields: Any) -> str:
    return (await operator.tournaments.open(structure(*given, **fields))).tournament


async def enter(
    house: House, tournament: str, *names: str, habits: Habits | None = None, **how: Any
) -> list[TournamentPlayer]:
    dealers = [await house.connect(name, Role.HOUSE) for name in names]
    habits = habits or Habits()
    return await enter_players(dealers, tournament, house.folder, habits, seed=5, **how)


async def whole_file(operator: Dealer, tournament: str, games: list[str], folder: Path) -> bytes:
    """Give the tournament's file with those of its tables joined behind it."""
    joined = b""
    for name in (tournament, *games):
        await operator.download(name, folder / name)
        joined += (folder / name).read_bytes()
    return joined


def prizes(finishes: list[Finish]) -> list[int]:
    return [one.prize for one in sorted(finishes, key=lambda one: one.place) if one.prize]


async def test_a_sit_and_go_is_played_to_its_winner_and_found_fair(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    tournament = await opened(operator, 6)
    players = await enter(house, tournament, *(f"house-{n}" for n in range(6)), levels=tuple(Level))
    finishes = await play_tournament(players)
    assert {one.ending for one in finishes} == {Ending.PLACED}
    assert [one.level for one in finishes] == [*Level, *Level]
    assert min(one.place for one in finishes) == 1
    assert sum(prizes(finishes)) == 600
    assert all(one.hands and one.tables == 1 and not one.refused_acts for one in finishes)
    view = players[0].contest.view
    assert all(one.house and one.anchors for one in view.players.values())
    (game,) = (table.game for table in view.tables.values())
    whole = await whole_file(operator, tournament, [game], tmp_path)
    report = judge(whole, key=house.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


async def test_players_play_on_at_every_table_they_are_moved_to_and_share_one_log(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    tournament = await opened(operator, 7, seats=3, redraw=[1])
    players = await enter(house, tournament, *(f"house-{n}" for n in range(7)))
    assert len({id(player.contest.view) for player in players}) == 1
    finishes = await play_tournament(players)
    assert {one.ending for one in finishes} == {Ending.PLACED}
    assert max(one.tables for one in finishes) > 1
    games = [table.game for table in players[0].contest.view.tables.values()]
    report = judge(await whole_file(operator, tournament, games, tmp_path), key=house.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


async def test_who_is_broke_buys_again_as_often_as_it_may(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    fields = {"rebuy": {"chips": 3_000, "most": 5, "decide_ms": 60_000}, "late": {"levels": 9}}
    tournament = await opened(operator, 2, seats=2, stack=600, big_blind=300, hands=60, **fields)
    players = await enter(house, tournament, "a", "b", habits=Habits(rebuys=1))
    finishes = await play_tournament(players)
    assert sorted(one.place for one in finishes) == [1, 2]
    bought = [one.rebuys for one in players[0].contest.view.players.values()]
    assert max(bought) == 1
    (game,) = (table.game for table in players[0].contest.view.tables.values())
    report = judge(await whole_file(operator, tournament, [game], tmp_path), key=house.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


async def test_nobody_waits_for_who_does_not_buy_again(house: House, operator: Dealer) -> None:
    """An hour is there to decide in, and nine big blinds are not worth it."""
    fields = {"rebuy": {"chips": 900, "decide_ms": 3_600_000}, "late": {"levels": 9}}
    tournament = await opened(operator, 2, seats=2, **fields)
    finishes = await play_tournament(await enter(house, tournament, "a", "b"))
    assert sorted(one.place for one in finishes) == [1, 2]


async def test_a_person_takes_over_a_house_players_seat(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    tournament = await opened(operator, 2, seats=2, take_over=True)
    players = await enter(house, tournament, "a", "b")
    ann = await house.connect("ann")
    contest = await ann.enter(tournament, directory=tmp_path / "ann")
    person = TournamentPlayer(contest, Habits(), lambda: 0.5)
    finishes = await play_tournament([*players, person])
    assert not [one.detail for one in finishes if one.detail]
    assert sorted(one.ending for one in finishes) == [
        Ending.TAKEN_OVER,
        Ending.PLACED,
        Ending.PLACED,
    ]
    (out,) = [one for one in finishes if one.ending is Ending.TAKEN_OVER]
    assert (out.place, out.prize) == (0, 0)
    (game,) = (table.game for table in contest.view.tables.values())
    report = judge(await whole_file(operator, tournament, [game], tmp_path), key=house.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


async def test_in_the_break_for_it_everybody_takes_the_add_on(
    house: House, operator: Dealer
) -> None:
    fields: dict[str, Any] = {"add_on": {"chips": 1_500, "cost": 100}, "late": {"levels": 1}}
    made = structure(2, seats=2, stack=3_000, hands=1, **fields)
    made.levels[0].break_ms = 1_000
    tournament = (await operator.tournaments.open(made)).tournament
    players = await enter(house, tournament, "a", "b")
    finishes = await play_tournament(players)
    assert sorted(one.place for one in finishes) == [1, 2]
    pool = players[0].contest.view.pool
    assert pool in {200, 400}  # an all-in in the first hand leaves nobody to take it


async def test_where_no_more_are_let_in_those_before_are_all(
    house: House, operator: Dealer
) -> None:
    tournament = await opened(operator, 2, seats=2)
    players = await enter(house, tournament, "a", "b", "c")
    assert [player.contest.player for player in players] == ["a", "b"]
    await play_tournament(players)


async def test_players_that_were_killed_go_on_in_their_seats(
    house: House, operator: Dealer
) -> None:
    tournament = await opened(operator, 3, seats=3, stack=10_000)
    begun = asyncio.Event()
    names = ("a", "b", "c")
    players = await enter(house, tournament, *names)
    players[0].contest._follower.watch(
        lambda news: begun.set() if getattr(news, "kind", "") == "hand_started" else None
    )
    running = asyncio.ensure_future(play_tournament(players))
    await begun.wait()
    for player in players:
        await player.contest.close()
    await running
    again = await enter(house, tournament, *names)
    finishes = await play_tournament(again)
    assert sorted(one.place for one in finishes) == [1, 2, 3]


def view(big_blind: int = 100, **fields: Any) -> TournamentView:
    told = TournamentView("ab" * 16)
    told.structure = {
        "levels": [{"big_blind": big_blind}],
        "stack": 1_500,
        "buy_in": 100,
        "late": {"levels": 3},
    } | fields
    return told


@pytest.mark.parametrize(("big_blind", "worth_it"), [(100, True), (150, True), (151, False)])
def test_a_rebuy_is_worth_ten_big_blinds(big_blind: int, worth_it: bool) -> None:
    assert wants_rebuy(view(big_blind, rebuy={"chips": 1_500})) is worth_it


def test_there_is_no_rebuy_without_a_rule() -> None:
    assert not wants_rebuy(view())
    assert not wants_add_on(view(), 3)


@pytest.mark.parametrize(
    ("level", "add_on", "wanted"),
    [
        (3, {"chips": 1_500, "cost": 100}, True),
        (3, {"chips": 3_000, "cost": 199}, True),
        (3, {"chips": 1_500, "cost": 101}, False),
        (2, {"chips": 1_500, "cost": 100}, False),
    ],
)
def test_an_add_on_costs_no_more_by_the_chip_than_the_buy_in(
    level: int, add_on: dict[str, int], wanted: bool
) -> None:
    assert wants_add_on(view(add_on=add_on), level) is wanted
