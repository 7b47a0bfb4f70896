"""House players at a real dealer: they play whole games that the audit finds fair."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from audit_cli.report.finding import ExitStatus, Promise
from dealer_service.access.roles import Role
from dealer_service.bots.house import draw_chance, play_all, seat_players
from dealer_service.bots.player import Ending, HousePlayer, Manner
from dealer_service.client import Dealer, Event, GameClosed, HandOver, HandStarted, TableChanged
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


async def sit(
    house: House, game: str, manner: Manner, *names: str, hear: Any = None
) -> list[HousePlayer]:
    dealers = [await house.connect(name) for name in names]
    return await seat_players(dealers, game, house.folder, manner, seed=7, hear=hear)


def close_at(operator: Dealer, game: str, hand: int) -> tuple[Any, list[asyncio.Task[int]]]:
    """Close a game at the end of a hand, when it is told to have begun."""
    closing: list[asyncio.Task[int]] = []

    def hear(event: Event) -> None:
        if isinstance(event, HandStarted) and event.hand == hand:
            closing.append(asyncio.create_task(operator.operator.close(game)))

    return hear, closing


async def entries(dealer: Dealer, game: str, path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Read a game's file: kind and body of each entry."""
    await dealer.download(game, path)
    found = []
    for text in _read(path).splitlines()[1:]:
        line = json.loads(text)
        found += [(kind, body) for kind, body in line.items() if "at" in line and kind != "at"]
    return found


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


async def test_a_whole_game_is_played_and_found_fair(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    game = await house.open_game(operator, seats=4)
    hear, closing = close_at(operator, game, 6)
    players = await sit(house, game, Manner(10_000), "a", "b", "c", "d", hear=hear)
    records = [player.seat.record_path for player in players]
    stays = await play_all(players, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing)
    assert [stay.ending for stay in stays] == [Ending.CLOSED] * 4
    assert [stay.refused_acts for stay in stays] == [0] * 4
    await operator.download(game, tmp_path / "game")
    for record in records:
        report = judge((tmp_path / "game").read_bytes(), key=house.key, mine=record.read_bytes())
        assert report.exit_status() is ExitStatus.HOLDS, tell(report)
        assert Promise.PLAYER_MIXED in report.asked


async def test_a_player_leaves_when_it_has_played_its_hands(house: House, operator: Dealer) -> None:
    game = await house.open_game(operator, seats=3)
    players = await sit(house, game, Manner(10_000, hands=2), "a", "b", "c")
    stays = await play_all(players, begin=lambda: operator.operator.resume(game))
    assert all(stay.ending is Ending.LEFT for stay in stays)
    # Who is broke after the first hand may miss the second.
    assert max(stay.hands for stay in stays) >= 2
    assert (await operator.operator.get_game(game)).players == 0


async def test_who_sat_down_in_the_first_hand_leaves_with_the_others(
    house: House, operator: Dealer
) -> None:
    """It plays a hand less, and waits for no hand that nobody is there to play."""
    game = await house.open_game(operator, seats=3)
    manner = Manner(10_000, hands=2)
    players = await sit(house, game, manner, "a", "b")
    watcher = await operator.watch(game)
    await operator.operator.resume(game)
    async for event in watcher:
        if isinstance(event, HandStarted):
            break
    (late,) = await sit(house, game, manner, "c")
    # It hears of the end of the hand: nobody acts before it has caught up.
    its_stay = asyncio.create_task(late.run())
    await late.caught_up.wait()
    stays = [*await play_all(players), await its_stay]
    await watcher.close()
    assert [stay.ending for stay in stays] == [Ending.LEFT] * 3
    assert stays[2].hands < max(stay.hands for stay in stays)


async def test_a_low_stack_is_topped_up_to_what_it_sat_down_with(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    """With 2,000 chips and blinds of 500 and 1,000 somebody is low after a few hands."""
    rules = {"small_blind": 500, "big_blind": 1_000, "buy_in_min": 2_000, "buy_in_max": 50_000}
    game = await house.open_game(operator, seats=3, **rules)
    closing: list[asyncio.Task[int]] = []

    def hear(event: Event) -> None:
        if isinstance(event, TableChanged) and event.kind == "chips_added" and not closing:
            closing.append(asyncio.create_task(operator.operator.close(game)))

    players = await sit(house, game, Manner(2_000), "a", "b", "c", hear=hear)
    await play_all(players, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing)
    found = await entries(operator, game, tmp_path / "game")
    added = [body["amount"] for kind, body in found if kind == "chips_added"]
    assert added
    assert all(1_500 < amount <= 2_000 for amount in added)


async def test_a_broke_player_that_may_not_top_up_leaves(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    rules = {"small_blind": 1_000, "big_blind": 2_000, "buy_in_min": 2_000, "buy_in_max": 9_000}
    game = await house.open_game(operator, seats=2, **rules)
    players = await sit(house, game, Manner(2_000, rebuys=0), "a", "b")
    running = [asyncio.create_task(player.run()) for player in players]
    await operator.operator.resume(game)
    done, waiting = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    (stay,) = (each.result() for each in done)
    assert stay.ending is Ending.LEFT
    await operator.operator.close(game)
    (other,) = waiting
    assert (await other).ending is Ending.CLOSED
    found = await entries(operator, game, tmp_path / "game")
    (left,) = (body for kind, body in found if kind == "seat_left")
    assert (left["player"], left["stack"]) == (stay.player, 0)


async def test_players_go_on_in_their_seats_after_a_restart_of_theirs(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    """What was before the restart is not answered a second time."""
    game = await house.open_game(operator, seats=2)
    players = await sit(house, game, Manner(10_000), "a", "b")
    running = [asyncio.create_task(player.run()) for player in players]
    watcher = await operator.watch(game)
    await operator.operator.resume(game)
    async for event in watcher:
        if isinstance(event, HandOver) and event.hand == 2:
            break
    await operator.operator.pause(game)
    for player in players:
        await player.seat.close()
    for task in running:
        await task
    hear, closing = close_at(operator, game, 6)
    again = await sit(house, game, Manner(10_000), "a", "b", hear=hear)
    stays = await play_all(again, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing, watcher.close())
    found = await entries(operator, game, tmp_path / "game")
    assert Counter(kind for kind, _ in found)["seat_taken"] == 2
    assert all(stay.hands <= 4 for stay in stays)
    assert judge((tmp_path / "game").read_bytes(), key=house.key).exit_status() is ExitStatus.HOLDS


async def test_players_go_on_in_the_game_that_goes_on(house: House, operator: Dealer) -> None:
    game = await house.open_game(operator, seats=3, max_hands=2)
    closing: list[asyncio.Task[int]] = []
    games: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, GameClosed):
            games.append(event.game)
        elif isinstance(event, HandStarted) and games and not closing:
            closing.append(asyncio.create_task(operator.operator.close(event.view.game)))

    players = await sit(house, game, Manner(10_000), "a", "b", "c", hear=hear)
    stays = await play_all(players, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing)
    assert len(games) == 2
    # Who is broke after a hand may miss the next.
    assert max(stay.hands for stay in stays) == 3
    assert min(stay.hands for stay in stays) >= 1


async def test_leaving_all_at_once_empties_the_table(house: House, operator: Dealer) -> None:
    game = await house.open_game(operator, seats=3)
    players = await sit(house, game, Manner(10_000), "a", "b", "c")
    running = [asyncio.create_task(player.run()) for player in players]
    await operator.operator.resume(game)
    await asyncio.gather(*(player.leave() for player in players))
    stays = await asyncio.gather(*running)
    assert [stay.ending for stay in stays] == [Ending.LEFT] * 3
    assert (await operator.operator.get_game(game)).players == 0


async def test_a_player_whose_seat_a_person_has_is_done_and_the_others_play_on(
    house: House, operator: Dealer, tmp_path: Path
) -> None:
    game = await house.open_game(operator, seats=3)
    dealers = [await house.connect(name, Role.HOUSE) for name in ("a", "b", "c")]
    manner = Manner(10_000)
    players = await seat_players(dealers, game, house.folder, manner, seed=7)
    running = [asyncio.create_task(player.run()) for player in players]
    await operator.operator.resume(game)
    await players[0].caught_up.wait()
    (ann,) = await sit(house, game, manner, "ann")
    # The table was full, and so one of the three has made way, between hands.
    assert (await running[0]).ending is Ending.TAKEN_OVER
    person = asyncio.create_task(ann.run())
    await operator.operator.close(game)
    stays = await asyncio.gather(*running[1:], person)
    assert [stay.ending for stay in stays] == [Ending.CLOSED] * 3
    found = await entries(operator, game, tmp_path / "game")
    taken = [(body["seat"], body.get("house")) for kind, body in found if kind == "seat_taken"]
    assert taken == [(1, True), (2, True), (3, True), (1, None)]
    assert judge((tmp_path / "game").read_bytes(), key=house.key).exit_status() is ExitStatus.HOLDS


async def test_a_player_that_the_operator_removes_says_so(house: House, operator: Dealer) -> None:
    game = await house.open_game(operator, seats=2)
    players = await sit(house, game, Manner(10_000), "a")
    running = asyncio.create_task(players[0].run())
    await players[0].caught_up.wait()
    await operator.operator.remove_player(game, "a")
    assert (await running).ending is Ending.REMOVED


def test_a_seed_makes_choices_repeatable_and_players_differ() -> None:
    def draws(seed: int | None, name: str) -> list[float]:
        chance = draw_chance(seed, name)
        return [chance() for _ in range(8)]

    assert draws(1, "a") == draws(1, "a")
    assert draws(1, "a") != draws(1, "b")
    assert draws(1, "a") != draws(2, "a")
    assert draws(None, "a") != draws(None, "a")
