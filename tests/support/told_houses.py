"""Games of the simulator's houses, told by the audit."""

import json
from functools import cache
from io import BytesIO
from typing import NamedTuple

from audit_cli.export.money import CHIPS, Money
from audit_cli.gamefile import Damage
from audit_cli.told.hand import Game, Hand
from audit_cli.told.reading import read_games
from audit_cli.told.view import see_as
from tests.support.game_files import canonical
from tests.support.simulator import HOUSE_LIFE, HOUSES, LIVELY, Simulator, play_game
from tests.support.tournament_tables import play_table

PLAIN = "plain"
"""No-limit hold'em without any house option; players only live."""
TOURNAMENT = "tournament"
"""A tournament's table, with levels, races and players who are away."""
ALL_HOUSES = (*HOUSES, PLAIN, TOURNAMENT)


@cache
def played(house: str, seed: int, *, reveal: bool = True) -> Simulator:
    """Play a game of a house, closed and, unless told not to be, revealed."""
    if house == PLAIN:
        return play_game(seed=seed, hands=25, players=5, habits=LIVELY, reveal=reveal)
    if house == TOURNAMENT:
        return play_table(seed=seed, hands=25, hands_of_a_level=5, close=reveal)
    rules = HOUSES[house]
    return play_game(seed=seed, hands=25, players=5, habits=HOUSE_LIFE, rules=rules, reveal=reveal)


def told(data: bytes) -> Game:
    """Tell the one game of a file."""
    games = read_games(BytesIO(data), "game.jsonl")
    assert not isinstance(games, Damage), games
    (game,) = games
    return game


@cache
def told_house(house: str, seed: int) -> Game:
    """Tell a revealed game of a house."""
    return told(played(house, seed).game_file())


def hands_of(game: Game) -> list[Hand]:
    """Give the hands that were played."""
    return [one.hand for one in game.hands if isinstance(one.hand, Hand)]


def told_hand(house: str, seed: int, number: int, hero: str = "") -> tuple[Game, Hand]:
    """Give a hand of a revealed game of a house, as everybody or one player saw it."""
    game = told_house(house, seed)
    game = see_as(game, hero) if hero else game
    (hand,) = [hand for hand in hands_of(game) if hand.number == number]
    return game, hand


class HouseHand(NamedTuple):
    """A hand of a house's game of a seed, as somebody saw it, in some money."""

    house: str
    seed: int
    hand: int
    hero: str = ""
    money: Money = CHIPS


def with_another_secret(data: bytes) -> bytes:
    """Give a game's file with the first hand's revealed secret replaced."""
    lines = data.splitlines()
    at = next(at for at, line in enumerate(lines) if b'"secret_revealed"' in line)
    value = json.loads(lines[at])
    value["secret_revealed"]["secret"] = "11" * 32
    lines[at] = canonical(value)
    return b"".join(line + b"\n" for line in lines)
