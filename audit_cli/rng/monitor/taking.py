"""Takes what a source shows of games into the state: each hand once, if it derives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit_cli.gamefile import Damage, read_game_file
from audit_cli.rng.monitor.reading import difference, read_games
from audit_cli.rng.monitor.state import WrongHand

if TYPE_CHECKING:
    from audit_cli.gamefile import Readable
    from audit_cli.note import VerifierKey
    from audit_cli.rng.monitor.reading import LiveGame, LiveHand
    from audit_cli.rng.monitor.state import State


@dataclass(slots=True)
class Taken:
    """What was taken: hands by what became of them, and what was wrong and not known before."""

    games: int = 0
    fresh: int = 0
    known: int = 0
    hidden: int = 0
    wrong: list[WrongHand] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    def add(self, other: Taken) -> None:
        """Add what another source showed."""
        self.games += other.games
        self.fresh += other.fresh
        self.known += other.known
        self.hidden += other.hidden
        self.wrong += other.wrong
        self.damage += other.damage


def take_games(state: State, stream: Readable, source: str, trusted: VerifierKey | None) -> Taken:
    """Read all games of an input, named `source`, and take them one by one.

    OSError from the stream and sqlite3.Error from the state are the caller's.
    """
    taken = Taken()
    for one in read_games(read_game_file(stream, source), trusted):
        if isinstance(one, Damage):
            taken.damage.append(f"{one.source}, line {one.number:,}: {one.problem}")
        else:
            _take(state, one, taken)
    return taken


def _take(state: State, game: LiveGame, taken: Taken) -> None:
    fresh = []
    wrong = [WrongHand(game.origin, game.game, 0, words) for words in game.broken]
    for hand in game.hands:
        if state.knows(hand):
            taken.known += 1
            continue
        words = _fault(state, hand)
        if words is None:
            fresh.append(hand)
        else:
            wrong.append(WrongHand(hand.origin, hand.game, hand.hand, words))
    taken.wrong += state.take(game, fresh, wrong)
    taken.games += 1
    taken.fresh += len(fresh)
    taken.hidden += game.hidden


def _fault(state: State, hand: LiveHand) -> str | None:
    if state.contradicts(hand):
        return "was told before with another secret or mix: the dealer's log has two histories"
    return difference(hand)
