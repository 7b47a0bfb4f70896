"""`cutcard-audit review`: tells the hands of a game file in words, and each player's session."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.checks.voice import count
from audit_cli.given_hands import UNREADABLE, find_player, judge, read_given
from audit_cli.review.as_json import tell_plainly
from audit_cli.review.heading import tell_game
from audit_cli.review.painting import choose_paint
from audit_cli.review.statistics import count_session
from audit_cli.review.story import tell_aside, tell_hand, tell_other
from audit_cli.review.table import lay_out
from audit_cli.told.hand import Hand, Untold, Void
from audit_cli.told.view import see_as

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from audit_cli.review.painting import Paint
    from audit_cli.review.statistics import Session
    from audit_cli.told.hand import Game, Told


def run(options: argparse.Namespace) -> int:
    """Tell, and return the exit status; UsageError where the command line is wrong."""
    games = read_given(options.file, options.hand, options.tournament)
    if games is None:
        return UNREADABLE
    for option, name in (("--hero", options.hero), ("--player", options.player)):
        if name is not None:
            find_player(games, name, option)
    if options.hero is not None:
        games = tuple(see_as(game, options.hero) for game in games)
    told = [(game, _choose(game, (options.hero, options.player))) for game in games]
    if options.json:
        parts = [tell_plainly(game, hands, _count(hands, options)) for game, hands in told]
        say.out(json.dumps({"games": parts}) + "\n")
    else:
        paint = choose_paint(options.color, sys.stdout, os.environ)
        for game, hands in told:
            _tell(game, hands, paint, whole=options.hand is None)
            if options.hand is None:
                _put([*_totals(hands), "", *lay_out(_count(hands, options), paint)])
    return judge(one for _, hands in told for one in hands)


def _choose(game: Game, names: Sequence[str | None]) -> list[Told]:
    """Return the hands that dealt all of these players in; of no name, all."""
    wanted = {name for name in names if name is not None}
    if not wanted:
        return list(game.hands)
    chosen = []
    for told in game.hands:
        hand = told.hand
        if isinstance(hand, Untold) or (
            isinstance(hand, Hand) and wanted <= {seat.player for seat in hand.dealt_in}
        ):
            chosen.append(told)
    return chosen


def _count(told: Sequence[Told], options: argparse.Namespace) -> dict[str, Session]:
    sessions = count_session(one.hand for one in told if isinstance(one.hand, Hand))
    if options.player is None:
        return sessions
    return {name: session for name, session in sessions.items() if name == options.player}


def _totals(told: Sequence[Told]) -> list[str]:
    """Return how many hands were told, and how many of them were not played."""
    others = {"void": Void, "not told": Untold}
    parts = [count(sum(isinstance(one.hand, Hand) for one in told), "hand") + " played"]
    for name, kind in others.items():
        number = sum(isinstance(one.hand, kind) for one in told)
        parts += [f"{number:,} {name}"] if number else []
    return [", ".join(parts)]


def _tell(game: Game, hands: Sequence[Told], paint: Paint, *, whole: bool) -> None:
    """Print a game, hand by hand."""
    _put([*tell_game(game, paint), ""])
    for told in hands:
        if whole and told.before:
            _put([*map(tell_aside, told.before), ""])
        hand = told.hand
        _put(tell_hand(hand, paint) if isinstance(hand, Hand) else [tell_other(hand, paint)])
        _put([""])
    if whole:
        _put(list(map(tell_aside, game.after)))


def _put(lines: Sequence[str]) -> None:
    say.out("".join(f"{line}\n" for line in lines))
