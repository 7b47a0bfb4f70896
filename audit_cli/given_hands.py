"""A game file that a command is given to tell: its games, or said in words why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, TypeVar

from audit_cli import say
from audit_cli.gamefile import Damage
from audit_cli.inputs import UsageError, opened, reason, shown
from audit_cli.problem import printable
from audit_cli.told.hand import Cause, Untold
from audit_cli.told.reading import read_events, read_games

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from audit_cli.told.hand import Game, Told
    from audit_cli.told.tournaments import Event

_Read = TypeVar("_Read")

UNFIT = 1
UNREADABLE = 3
"""Exit statuses: a hand does not fit together; the input can not be read as a game file."""


def read_given(
    name: str, hand: int | None, tournament: str | None = None
) -> tuple[Game, ...] | None:
    """Return the games of a file, or None, having said why there is none.

    With `hand` only the hands of that number; UsageError where there is none. `tournament` is the
    file of the tournament whose tables they are, where it is not joined with theirs.
    """
    events: dict[str, Event] | None = {}
    if tournament is not None:
        events = _read(tournament, lambda stream: read_events(stream, shown(tournament)))
    if events is None:
        return None
    if tournament is not None and not events:
        message = f"{shown(tournament)} has no tournament"
        raise UsageError(message)
    games = _read(name, lambda stream: read_games(stream, shown(name), hand, events))
    if games is None:
        return None
    if not games:
        say.error(
            f"{shown(name)} has a tournament's log and no table's",
            "give a table's file, and this one with --tournament",
        )
        return None
    if hand is not None and not any(game.hands for game in games):
        message = f"{shown(name)} has no hand {hand:,}"
        raise UsageError(message)
    return games


def _read(name: str, read: Callable[[BinaryIO], _Read | Damage]) -> _Read | None:
    """Read a file, or say why it can not be read."""
    with opened(name) as stream:
        try:
            found = read(stream)
        except OSError as error:
            say.error(f"can not read {shown(name)}: {reason(error)}")
            return None
    if isinstance(found, Damage):
        say.error(f"{found.source}, line {found.number}: {found.problem}", found.problem.hint)
        return None
    return found


def find_player(games: Sequence[Game], name: str, option: str) -> None:
    """See that a told hand dealt the player of an option in; UsageError where none did."""
    players = sorted({player for game in games for player in game.players})
    if name not in players:
        message = f"{option} {printable(name)}: no hand dealt such a player in"
        raise UsageError(message, f"players: {', '.join(players) or 'none'}")


def judge(told: Iterable[Told]) -> int:
    """Return the exit status of a command that told these hands."""
    hands = [one.hand for one in told]
    unfit = any(isinstance(hand, Untold) and hand.cause is Cause.WRONG for hand in hands)
    return UNFIT if unfit else 0
