"""`cutcard-audit export`: tells the hands of a game file and writes them in a format.

Nothing is left out unsaid: void hands, hands that have not ended, hands that do not fit together
and hands that the format can not say are named on standard error.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.export.formats import FORMATS, OF_ONE_HAND, Format
from audit_cli.export.money import CHIPS, Money, price
from audit_cli.given_hands import UNREADABLE, find_player, judge, read_given
from audit_cli.inputs import UsageError, reason, shown
from audit_cli.outputs import EVERYBODY, OWNER_ALONE, save
from audit_cli.problem import Problem, printable
from audit_cli.told.hand import Cause, Game, Hand, Void
from audit_cli.told.view import see_as

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_PER_UNIT = 100


def run(options: argparse.Namespace) -> int:
    """Tell, write, and return the exit status; UsageError where the command line is wrong."""
    money = _money(options.currency, options.per_unit)
    games = read_given(options.file, options.hand, options.tournament)
    if games is None:
        return UNREADABLE
    if options.hero is not None:
        find_player(games, options.hero, "--hero")
        games = tuple(see_as(game, options.hero) for game in games)
    several = len(games) > 1
    form = FORMATS[options.format]
    if options.hand is not None:
        form = OF_ONE_HAND.get(options.format, form)
    written = [(game, _write(game, form, money, several=several)) for game in games]
    _put(options, form, written)
    return judge(told for game in games for told in game.hands)


def _money(currency: str, per_unit: int | None) -> Money:
    if currency != "none":
        return Money(currency, per_unit or _PER_UNIT)
    if per_unit is not None:
        message = "--per-unit says how many chips make one of a currency, and there is none"
        raise UsageError(message, "--currency USD, for example")
    return CHIPS


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
        of = hand.tournament
        priced = hand if of is None else replace(hand, tournament=price(of, money))
        text = form.write(game, priced, money)
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


def _put(
    options: argparse.Namespace, form: Format, written: Sequence[tuple[Game, list[str]]]
) -> None:
    """Write to standard output, to a file, or for each game to one in a folder."""
    output = options.output
    whole = form.bind([text for _, texts in written for text in texts])
    if output is None or output == "-":
        say.out_file(whole)
        return
    mode = EVERYBODY if all(game.revealed for game, _ in written) else OWNER_ALONE
    folder = Path(output)
    if not (output.endswith(os.sep) or folder.is_dir()):
        files = {folder: whole}
    else:
        _make(folder)
        files = _by_game(folder, form, written)
    for path, text in files.items():
        save(path, text.encode(), mode, options.file)
        say.note(f"wrote {shown(str(path))}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--output {shown(str(folder))}: {reason(error)}"
        raise UsageError(message) from None


def _by_game(
    folder: Path, form: Format, written: Sequence[tuple[Game, list[str]]]
) -> dict[Path, str]:
    """Return the files of a folder; a game that comes twice has one, with all its hands."""
    texts: dict[Path, list[str]] = {}
    for game, hands in written:
        if hands:
            texts.setdefault(folder / f"cutcard-{game.game}{form.suffix}", []).extend(hands)
    return {path: form.bind(hands) for path, hands in texts.items()}
