"""What tournament and table tell of one thing, in one form (protocol 14.4), to be compared.

An effect is the table's entry that an entry of the tournament asks for, less what the table alone
knows; a table's own entry is brought into the same form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit_cli.gamefile import Line
    from audit_cli.tournament.state import State

_OF_CHIPS = frozenset({"stack", "stacks", "amount"})
_DEALT_IN = frozenset({"in", "absent"})


Fields = tuple[tuple[str, object], ...]
Key = tuple[str, Fields]


class Effect(NamedTuple):
    """An entry of a table, as both logs tell it: `key` are its kind and fields."""

    at: int
    key: Key
    line: Line

    @property
    def kind(self) -> str:
        """The kind of the table's entry."""
        return self.key[0]

    @property
    def fields(self) -> Fields:
        """The fields that both logs tell, with their names."""
        return self.key[1]

    def is_of_chips(self, other: Effect) -> bool:
        """Whether two effects of one kind differ in chips alone."""
        pairs = zip(self.fields, other.fields, strict=True)
        return all(mine == theirs or mine[0] in _OF_CHIPS for mine, theirs in pairs)

    def told(self) -> str:
        """Say the effect in few words."""
        return f"{self.kind} {_word(self.fields)}, at {self.at}"


def _word(part: object) -> str:
    if isinstance(part, tuple):
        return " ".join(f"{name} {_word(value)}" for name, value in part)
    return str(part)


def _key(kind: str, **fields: object) -> Key:
    return (kind, tuple(fields.items()))


def _stacks(stacks: list[dict[str, Any]]) -> tuple[tuple[int, int], ...]:
    return tuple((item["seat"], item["stack"]) for item in stacks)


def _taken(body: dict[str, Any], *, house: bool) -> Key:
    return _key(
        "seat_taken", seat=body["seat"], player=body["player"], stack=body["stack"], house=house
    )


def _left(seat: int, player: str, stack: int | None) -> Key:
    return _key("seat_left", seat=seat, player=player, stack=stack)


def effects_of(state: State, line: Line) -> list[tuple[int, Effect]]:
    """Return what an entry of a tournament's log does at which tables, by the state before it."""
    place = line._replace(body={}, leaf=b"")
    return [(table, Effect(line.at, key, place)) for table, key in _effects(state, line)]


_AtTable = list[tuple[int, Key]]


def _effects(state: State, line: Line) -> _AtTable:
    make = _MAKERS.get(line.kind)
    if make is not None:
        return [(line.body["table"], make(line.body))]
    if line.kind in ("seated", "moved", "taken_over"):
        return _seatings(state, line.kind, line.body)
    if line.kind == "colored_up" and line.body["stacks"]:
        return [(line.body["table"], _colored_up(line.body))]
    return []


def _hand_finished(body: dict[str, Any]) -> Key:
    ended = "hand_void" if body["void"] else "hand_ended"
    return _key(ended, hand=body["hand"], stacks=_stacks(body["stacks"]))


def _hand_started(body: dict[str, Any]) -> Key:
    names = ("hand", "level", "button", "big_blind_seat", "players")
    return _key("hand_opened", **{name: body[name] for name in names})


def _added(body: dict[str, Any]) -> Key:
    return _key("chips_added", seat=body["seat"], player=body["player"], amount=body["chips"])


def _removed(body: dict[str, Any]) -> Key:
    return _key("player_removed", seat=body["seat"], player=body["player"], stack=body["stack"])


def _colored_up(body: dict[str, Any]) -> Key:
    return _key("colored_up", unit=body["unit"], stacks=_stacks(body["stacks"]))


_MAKERS: dict[str, Callable[[dict[str, Any]], Key]] = {
    "table_opened": lambda body: _key("game_opened", game=body["game"]),
    "hand_started": _hand_started,
    "hand_finished": _hand_finished,
    "busted": lambda body: _left(body["seat"], body["player"], 0),
    "rebought": _added,
    "added_on": _added,
    "disqualified": _removed,
    "table_closed": lambda _: _key("game_closed"),
}


def _seatings(state: State, kind: str, body: dict[str, Any]) -> _AtTable:
    entrant = state.entrants.get(body["player"])
    taken = (body["table"], _taken(body, house=entrant is not None and entrant.house))
    if kind == "moved":
        left = _left(body["from_seat"], body["player"], body["stack"])
        return [(body["from_table"], left), taken]
    if kind == "taken_over":
        left = _left(body["seat"], body["house_player"], body["removed"])
        return [(body["table"], left), taken]
    return [taken]


def effect_of_table(line: Line, opening: dict[str, Any] | None) -> Effect:
    """Return an entry of a table's log as an effect; `opening` is that of the hand that it ends."""
    kind, body = line.kind, line.body
    if kind == "game_opened":
        key = _key(kind, game=body["game"])
    elif kind == "seat_taken":
        key = _taken(body, house=body.get("house", False))
    elif kind in ("seat_left", "player_removed"):
        key = _key(kind, seat=body["seat"], player=body["player"], stack=body.get("stack"))
    elif kind == "chips_added":
        key = _key(kind, seat=body["seat"], player=body["player"], amount=body["amount"])
    elif kind == "hand_opened":
        key = _key(
            kind,
            hand=body["hand"],
            level=body.get("level", {}).get("level"),
            button=body["button"],
            big_blind_seat=body["big_blind_seat"],
            players=len(_dealt_in(body)),
        )
    elif kind == "hand_ended":
        key = _key(kind, hand=body["hand"], stacks=_stacks(body["stacks"]))
    elif kind == "hand_void":
        begun = () if opening is None else _stacks(_dealt_in(opening))
        key = _key(kind, hand=body["hand"], stacks=begun)
    elif kind == "colored_up":
        key = _colored_up(body)
    else:
        key = _key(kind)
    return Effect(line.at, key, line._replace(body={}, leaf=b""))


def _dealt_in(opening: dict[str, Any]) -> list[dict[str, Any]]:
    seats = [seat for seat in opening["seats"] if seat["state"] in _DEALT_IN]
    return sorted(seats, key=lambda seat: int(seat["seat"]))
