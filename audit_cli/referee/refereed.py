"""Hands a game's hands to the referee, each when it has ended, and reports what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.ruleset import at_level, read_rules
from audit_cli.referee.second_table import play
from audit_cli.referee.witnessed import FOLLOWED, WitnessedHand, follow, open_hand
from audit_cli.referee.zone import known_difference, untold
from audit_cli.report.finding import Opinion, Stand

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from audit_cli.checks.check import Check, CheckMaker, Emit, Handler, Request
    from audit_cli.checks.ruleset import Rules
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Extra, Header, Line, Signed


def refereed_by(kit: ModuleType) -> CheckMaker:
    """Return what makes the check that asks this PokerKit about every hand."""

    def make(_: Request, emit: Emit) -> Check:
        return Refereed(kit, emit)

    return make


class Refereed:
    """Follows each hand of the covered entries to its end."""

    def __init__(self, kit: ModuleType, emit: Emit) -> None:
        self._kit = kit
        self._emit = emit
        self._rules: Rules | None = None
        self._hand: WitnessedHand | None = None
        self._game = ""

    def handlers(self) -> Mapping[str, Handler]:
        """Which entries tell of a hand."""
        return {
            "": self._lost,
            "game_opened": self._game_opened,
            "hand_opened": self._hand_opened,
            "hand_void": self._lost,
            **dict.fromkeys(FOLLOWED, self._followed),
        }

    def begin(self, header: Header, /) -> None:
        """Begin a game."""
        self._game = header.game
        self._rules = None
        self._hand = None

    def _lost(self, _: Line) -> None:
        self._hand = None

    def _game_opened(self, line: Line) -> None:
        self._rules = read_rules(line.body["rules"])

    def _hand_opened(self, line: Line) -> None:
        self._hand = None
        if self._rules is not None:
            self._hand = open_hand(self._game, line.body, at_level(self._rules, line.body))

    def _followed(self, line: Line) -> None:
        if self._hand is None:
            return
        follow(self._hand, line.kind, line.body)
        if line.kind == "hand_ended":
            self._emit.opinion(give_opinion(self._kit, self._hand))
            self._hand = None

    def signed(self, signed: Signed, /) -> None:
        """Pass over a checkpoint."""

    def behind(self, extra: Extra, /) -> None:
        """Pass over a line behind the transcript."""

    def end(self, ended: Ended, /) -> None:
        """Pass over the end of a game: an open hand has no result to compare."""

    def conclude(self) -> None:
        """Say no more: each hand had its opinion."""


def give_opinion(kit: ModuleType, hand: WitnessedHand) -> Opinion:
    """Return what PokerKit says of a hand."""
    reason = untold(hand)
    if reason is not None:
        return Opinion(hand.game, hand.number, Stand.OUTSIDE, reason)
    otherwise = play(kit, hand)
    if otherwise is None:
        return Opinion(hand.game, hand.number, Stand.AGREES)
    reason = known_difference(hand)
    if reason is not None:
        return Opinion(hand.game, hand.number, Stand.OUTSIDE, reason)
    return Opinion(hand.game, hand.number, Stand.DIFFERS, otherwise)
