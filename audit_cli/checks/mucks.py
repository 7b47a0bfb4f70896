"""PLAYED, after the reveal: no hand mucked by policy would have won or tied (protocol 9.6).

While a hand is played nobody can tell; when its secret is there, everybody can. Until then a muck
is kept with what it had to win or tie.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, NamedTuple

from audit_cli.checks.voice import Voice, count
from audit_cli.gamefile import place_of
from audit_cli.poker.games import Game
from audit_cli.poker.lows import name_low
from audit_cli.poker.ranking import name_hand
from audit_cli.poker.showdown import Against, wins_or_ties
from audit_cli.spool import Shelf

if TYPE_CHECKING:
    from audit_cli.derive import DerivedDeck
    from audit_cli.gamefile import Line, Play
    from audit_cli.poker.hand import Hand


class _Muck(NamedTuple):
    """A hand mucked by policy: where, and what it had to win or tie to be shown."""

    line: Line
    seat: int
    positions: tuple[int, ...]
    board: tuple[int, ...]
    game: Game
    against: Against


class Mucks:
    """The mucks of one game whose cards nobody has seen yet."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._waiting = Shelf()
        self._count = 0
        self._unjudged = 0

    def add(self, line: Line, hand: Hand, against: Against) -> None:
        """Keep the muck that `line` logs, with the strengths shown `against` it."""
        seat = line.body["seat"]
        place = hand.order.index(seat)
        game = hand.rules.game
        positions = tuple(place + rank * len(hand.order) for rank in range(game.hole_cards))
        board = tuple(hand.boards[0])
        muck = (line.entry, line.number, seat, positions, board, tuple(game), tuple(against))
        number = line.body["hand"]
        self._waiting.put(number, marshal.dumps([*self._of(self._waiting.get(number)), muck]))
        self._count += 1

    @staticmethod
    def _of(record: bytes | None) -> list[tuple[Any, ...]]:
        return [] if record is None else marshal.loads(record)  # noqa: S302  (our own)

    def of(self, number: int) -> list[tuple[Any, ...]]:
        """Return the mucks of a hand as they are kept."""
        return self._of(self._waiting.get(number))

    def take(self, number: int, mucks: list[tuple[Any, ...]], play: Play) -> None:
        """Keep the mucks of a hand's play, which have their places in the play."""
        placed = [(play.entry + at, play.number + at, *rest) for at, _, *rest in mucks]
        self._waiting.put(number, marshal.dumps([*self.of(number), *placed]))
        self._count += len(placed)

    def judge(self, number: int, deck: DerivedDeck | None) -> None:
        """Judge the mucks of a hand by its derived deck; without one they stay unjudged."""
        for kept in self._of(self._waiting.pop(number)):
            self._count -= 1
            entry, at, seat, positions, board, game, against = kept
            place = place_of(entry, at)
            muck = _Muck(place, seat, positions, board, Game(*game), Against(*against))
            if deck is None or muck.positions[-1] >= len(deck.cards):
                self._unjudged += 1
                continue
            cards = [deck.cards[position] for position in muck.positions]
            if len({*cards, *muck.board}) != len(cards) + len(muck.board):
                # The opened board is not of this deck, which REPLAYED has said.
                self._unjudged += 1
                continue
            high = muck.game.high(cards, muck.board)
            low = muck.game.low(cards, muck.board)
            if wins_or_ties(high, low, muck.against):
                name = name_hand(high) if low is None else f"{name_hand(high)}; {name_low(low)}"
                self._voice.broken(
                    f"seat {muck.seat} mucked by policy a hand that wins or ties",
                    muck.line,
                    number,
                    f"{name}, opened",
                    "mucked",
                )

    def end(self) -> None:
        """Say how many mucks could not be judged."""
        waiting = self._unjudged + self._count
        if waiting:
            text = f"{count(waiting, 'muck')} not to be judged before the hand's secret is there"
            self._voice.unproved(text)
