"""`cutcard-audit export`: tells the hands of a game file and writes them in a format.

Nothing is left out unsaid: void hands, hands that have not ended, hands that do not fit together
and hands that the format can not say are named on standard error.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.export.formats import FORMATS, OF_ONE_HAND, Format
from audit_cli.export.money import CHIPS, Money
from audit_cli.gamefile import Damage
from audit_cli.inputs import UsageError, opened, reason, shown
from audit_cli.problem import Problem, printable
from audit_cli.told.hand import Cause, Game, Hand, Untold, Void
from audit_cli.told.reading import read_games
from audit_cli.told.view import see_as
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

UNFIT = 1
UNREADABLE = 3

_PER_UNIT = 100


def run(options: argparse.Namespace) -> int:
    """Tell, write, and return the exit status; UsageError where the command line is wrong."""
    money = _money(options.currency, options.per_unit)
    with opened(options.file) as stream:
        try:
            games = read_games(stream, shown(options.file), options.hand)
        except OSError as error:
            say.error(f"can not read {shown(options.file)}: {reason(error)}")
            return UNREADABLE
    if isinstance(games, Damage):
        say.error(f"{games.source}, line {games.number}: {games.problem}", games.problem.hint)
        return UNREADABLE
    if options.hand is not None and not any(game.hands for game in games):
        message = f"{shown(options.file)} has no hand {options.hand:,}"
        raise UsageError(message)
    if options.hero is not None:
        games = _see_as(games, options.hero)
    several = len(games) > 1
    form = FORMATS[options.format]
    if options.hand is not None:
        form = OF_ONE_HAND.get(options.format, form)
    written = [(game, _write(game, form, money, several=several)) for game in games]
    _put(options.output, form, written)
    return UNFIT if any(_is_unfit(game) for game in games) else 0


def _money(currency: str, per_unit: int | None) -> Money:
    if currency != "none":
        return Money(currency, per_unit or _PER_UNIT)
    if per_unit is not None:
        message = "--per-unit says how many chips make one of a currency, and there is none"
        raise UsageError(message, "--currency USD, for example")
    return CHIPS


def _see_as(games: Sequence[Game], hero: str) -> tuple[Game, ...]:
    """Return the games as one player saw them; UsageError for a name that no game has."""
    players = sorted({player for game in games for player in game.players})
    if hero not in players:
        message = f"--hero {printable(hero)}: no hand dealt such a player in"
        raise UsageError(message, f"players: {', '.join(players) or 'none'}")
    return tuple(see_as(game, hero) for game in games)


def _is_unfit(game: Game) -> bool:
    return any(
        isinstance(told.hand, Untold) and told.hand.cause is Cause.WRONG for told in game.hands
    )


def _write(game: Game, form: Format, money: Money, *, several: bool) -> list[str]:
    """Return the texts of a game's hands, and say which are left out."""
    texts, elsewhere, unknown = [], 0, 0
    of_game = f" of game {game.game[:8]}" if several else ""
    for hand in _played(game, of_game):
        hero = [seat for seat in hand.dealt_in if seat.player == hand.hero]
        if hand.hero and not hero:
            elsewhere += 1
            continue
        unknown += any(seat.holes is None for seat in hero or hand.dealt_in)
        text = form.write(game, hand, money)
        if isinstance(text, Problem):
            say.warning(f"hand {hand.number:,}{of_game} is left out: {text}")
        else:
            texts.append(text)
    if elsewhere:
        say.note(f"hands left out, since they did not deal the player in: {elsewhere:,}")
    if unknown:
        say.note(f"hands with cards that the file does not tell: {unknown:,}")
    return texts


def _played(game: Game, of_game: str) -> Iterator[Hand]:
    """Give the hands that were played, and name the others."""
    for told in game.hands:
        hand = told.hand
        name = f"hand {hand.number:,}{of_game}"
        if isinstance(hand, Hand):
            yield hand
        elif isinstance(hand, Void):
            whose = f" of {', '.join(hand.missing)}" if hand.missing else ""
            why = printable(hand.reason.replace("_", " "))
            say.note(f"{name} is void, and left out: {why}{whose}")
        elif hand.cause is Cause.NOT_ENDED:
            say.note(f"{name} is left out: {hand.reason}")
        else:
            say.error(f"{name} does not fit together: {hand.reason}")


def _put(output: str | None, form: Format, written: Sequence[tuple[Game, list[str]]]) -> None:
    """Write to standard output, to a file, or for each game to one in a folder."""
    if output is None or output == "-":
        if isinstance(sys.stdout, TextIOWrapper):
            # A currency's sign is written whatever the terminal's language.
            sys.stdout.reconfigure(encoding="utf-8")
        say.out(form.bind([text for _, texts in written for text in texts]))
        return
    folder = Path(output)
    if not (output.endswith(os.sep) or folder.is_dir()):
        _save(folder, form.bind([text for _, texts in written for text in texts]))
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--output {shown(output)}: {reason(error)}"
        raise UsageError(message) from None
    for game, texts in written:
        if texts:
            _save(folder / f"cutcard-{game.game}{form.suffix}", form.bind(texts))


def _save(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as error:
        message = f"can not write {shown(str(path))}: {reason(error)}"
        raise UsageError(message) from None
    say.note(f"wrote {shown(str(path))}")
