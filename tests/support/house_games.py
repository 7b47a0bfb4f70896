"""Games of one house in which something wanted stands, found by playing until it does."""

from collections.abc import Callable
from functools import cache
from typing import Any

from dealer_service.rules.entry import RuleSet
from tests.support.simulator import HOUSE_LIFE, HOUSES, Simulator, play_game
from tests.support.transcripts import Found, Transcript

HANDS = 25
SEEDS = 60

Wanted = Callable[[dict[str, Any]], bool]


@cache
def _game(rules: RuleSet, seed: int) -> Simulator:
    players = min(6, rules.seats)
    return play_game(seed=seed, hands=HANDS, players=players, habits=HOUSE_LIFE, rules=rules)


def find(
    house: str | RuleSet, kind: str, wanted: Wanted = lambda _body: True
) -> tuple[Simulator, Transcript, Found]:
    """Give the first game of a house with such a line, its transcript to change, and the line."""
    rules = HOUSES[house] if isinstance(house, str) else house
    for seed in range(SEEDS):
        game = _game(rules, seed)
        transcript = game.transcript()
        try:
            return game, transcript, transcript.find(kind, where=wanted)
        except LookupError:
            continue
    message = f"no {kind} like that in {SEEDS} games"
    raise LookupError(message)


def hand_of(transcript: Transcript, index: int) -> tuple[int, list[Found]]:
    """Give the number and the lines of the hand that a line stands in."""
    number = max(one.body["hand"] for one in transcript.all("hand_opened") if one.index <= index)
    return number, [transcript.read(at) for at in transcript.span(number)]
