"""Follows a hand's play before the audit comes to it, and says what came of it if all is well.

How a hand is played out depends on the game's opening, its own and its deck alone, as long as
nothing stands between them. So the very checks that an audit has can follow it in advance, and tell
what they would then have counted and kept. Where one of them has anything to say, nothing is told,
and the audit follows the hand itself.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from audit_cli.checks.check import Request
from audit_cli.checks.dealt import Dealt
from audit_cli.checks.ordered import Ordered
from audit_cli.checks.played import Played
from audit_cli.checks.replayed import Replayed
from audit_cli.checks.table import Table
from audit_cli.gamefile import Foreseen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.checks.check import Handler
    from audit_cli.gamefile import Line, Play


_MOST_FOLLOWED = 512


class _LoudError(Exception):
    """A check has something to say."""


class _Silent:
    """Takes nothing that a check says."""

    @staticmethod
    def finding(_: object, /) -> NoReturn:
        raise _LoudError

    notice = warning = fork = opinion = unreadable = finding


def usual_handlers(
    played: Played, dealt: Dealt, replayed: Replayed
) -> dict[str, tuple[Handler, ...]]:
    """Return what sees the entries of a hand's play, in order, besides `Ordered`."""
    own = played.handlers
    return {
        "posted": (own["posted"],),
        "dealt": (own["dealt"], dealt.dealt),
        "acted": (own["acted"],),
        "opened": (own["opened"], dealt.opened, replayed.opened),
        "mucked": (own["mucked"],),
        "returned": (own["returned"],),
        "awarded": (own["awarded"],),
    }


def tell_play(
    play: Play, played: Played, usual: Mapping[str, tuple[Handler, ...]], *, quick: bool
) -> None:
    """Tell the checks of the lines of a hand's play, in order.

    `quick` tells that acts are for `played` alone, which takes those that are right many at once.
    """
    clock, told = played.clock, play.told
    away = played.away()
    place = 0
    while place < len(told):
        plain = told[place]
        kind = plain[1]
        if quick and kind == "acted":
            behind = played.take_acts(told, place, away)
            if behind > place:
                place = behind
                continue
        line = play.line(place, plain)
        if clock.acted is not None:
            clock.follow(line)
        for handle in usual[kind]:
            handle(line)
        place += 1


class Foresight:
    """Follows the hands of the game that `opened` opens, each for itself."""

    def __init__(self, opened: Line) -> None:
        silent = _Silent()
        self._opened = opened
        self._table = Table("", "")
        self._ordered = Ordered(silent)
        self._played = Played(silent)
        self._dealt = Dealt(silent)
        self._replayed = Replayed(Request(), silent)
        self._usual = usual_handlers(self._played, self._dealt, self._replayed)
        self._table.handlers["game_opened"](opened)
        # How many hands, the last of which number, were followed to their end since all began.
        self._followed = 0
        self._last = 0
        self._begin()

    def _begin(self) -> None:
        """Begin anew, so that nothing is left of the hands before."""
        self._followed = 0
        for check in (self._ordered, self._played, self._dealt, self._replayed):
            check.begin(self._table)

    def follow(self, opening: Line, deck: Line, play: Play, ended: Line) -> Foreseen | None:
        """Return what comes of the play of a hand; None where it is not for others to say.

        `opening`, `deck`, `play` and `ended` directly follow each other in the log; the first
        entry of the play counts as number 0.
        """
        rules = self._table.rules
        if rules is None or rules.bank is not None:
            # What a time bank still holds is remembered beyond the hand.
            return None
        number = opening.body["hand"]
        if number <= self._last or self._followed >= _MOST_FOLLOWED:
            # What is kept by the hand's number might be of another hand, or has become too much.
            self._begin()
        found = None
        with suppress(_LoudError):
            found = self._follow(opening, deck, play, ended)
        if found is None:
            # Where the checks were left is not known.
            self._begin()
        self._followed += 1
        self._last = number
        return found

    def _follow(self, opening: Line, deck: Line, play: Play, ended: Line) -> Foreseen | None:
        table, ordered, played = self._table, self._ordered, self._played
        dealt, replayed = self._dealt, self._replayed
        ordered.begin(table)
        replayed.forget()
        before = (played.acts, played.pots, dealt.positions)
        ordered.line(self._opened)
        ordered.line(opening)
        table.handlers["hand_opened"](opening)
        played.open_hand(opening)
        dealt.hand_opened(opening)
        ordered.line(deck)
        table.handlers["deck_committed"](deck)
        hand = table.hand
        assert hand is not None
        replayed.seal(hand.number, deck)
        ordered.signed()
        if not (played.follows and ordered.play(play)):
            return None
        tell_play(play, played, self._usual, quick=True)
        ordered.line(ended)
        if played.clock.acted is not None or not played.follows:
            return None
        played.handlers["hand_ended"](ended)
        acts, pots, positions = before
        return Foreseen(
            self._opened.leaf,
            opening.leaf,
            play.told[0][0],
            play.told[-1][0],
            played.acts - acts,
            played.pots - pots,
            dealt.positions - positions,
            dealt.holes(hand.number),
            replayed.opened_cards(hand.number),
            played.mucks(hand.number),
        )
