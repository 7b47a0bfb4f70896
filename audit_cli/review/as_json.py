"""A told game as one JSON value: the same as the words say, for programs.

Values are those of the told hand, by its field names; what happened is a list of objects with their
`kind` (the event's name in small letters). Shares are left as counts.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from audit_cli.told.hand import NOT_CLOSED, Hand, Untold, Void

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from audit_cli.poker.rules import HandRules
    from audit_cli.review.statistics import Session
    from audit_cli.told.hand import Game, Told

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | bool | None"

# What says nothing more of a hand: the rules are the game's, and awards stand in the pots.
_ELSEWHERE = frozenset({"game", "rules"})


def tell_plainly(
    game: Game, told: Iterable[Told], sessions: Mapping[str, Session]
) -> dict[str, Json]:
    """Return a game with these hands of it, and the counts of its players."""
    return {
        "game": game.game,
        "origin": game.origin,
        "opened_at": game.opened_at,
        "closed_at": None if game.closed_at == NOT_CLOSED else game.closed_at,
        "revealed": game.revealed,
        "rules": _rules(game.rules.hand) | {"seats": game.rules.seats},
        "hands": [_told(one) for one in told],
        "after": _plain(game.after),
        "players": {player: _plain(session) for player, session in sessions.items()},
    }


def _rules(rules: HandRules) -> dict[str, Json]:
    """Return the rules of the hands; what the engine keeps in pairs has names here."""
    named: dict[str, Json] = {"game": _fields(rules.game)}
    if rules.ante is not None:
        named["ante"] = {"kind": rules.ante[0], "amount": rules.ante[1]}
    if rules.straddle is not None:
        named["straddle"] = {"kind": rules.straddle[0], "doubles": rules.straddle[1]}
    if rules.rake is not None:
        caps: list[Json] = [{"players": least, "cap": cap} for least, cap in rules.rake.caps]
        named["rake"] = _fields(rules.rake) | {"caps": caps}
    return _fields(rules) | named


def _told(told: Told) -> dict[str, Json]:
    kinds = {Hand: "played", Void: "void", Untold: "untold"}
    heading: dict[str, Json] = {"kind": kinds[type(told.hand)], "before": _plain(told.before)}
    if isinstance(told.hand, Hand) and told.hand.tournament is not None:
        # Its level's, which are not those of the game.
        heading["rules"] = _rules(told.hand.rules)
    return heading | _fields(told.hand)


def _plain(value: object) -> Json:
    """Return a told value in JSON's own types."""
    if isinstance(value, Enum):
        return value.name.lower()
    if _names(value):
        return _fields(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    assert value is None or isinstance(value, (str, int, bool))
    return value


def _names(value: object) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass or a named tuple; of others none."""
    if is_dataclass(value):
        return tuple(one.name for one in fields(value))
    return getattr(value, "_fields", ())


def _fields(value: object) -> dict[str, Json]:
    """Return a value by its fields; an event, which has a time, also by its kind."""
    names = _names(value)
    told = {name: _plain(getattr(value, name)) for name in names if name not in _ELSEWHERE}
    kind: dict[str, Json] = {"kind": _kind(value)} if "at" in told else {}
    return kind | told


def _kind(event: object) -> str:
    """Return an event's name in small letters, its words parted by underscores."""
    name = type(event).__name__
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]
