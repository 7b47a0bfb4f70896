"""What a tournament is played by, as values (protocol 14.3)."""

from __future__ import annotations

from typing import Any, NamedTuple


class Level(NamedTuple):
    """One level: what its hands are played by, how long it is, and the break behind it."""

    terms: dict[str, Any]
    unit: int
    length: int
    break_ms: int


class Rebuy(NamedTuple):
    """Chips that a player may buy while registration is open; `most` 0 is without limit."""

    chips: int
    cost: int
    most: int
    max_stack: int
    decide_ms: int


class AddOn(NamedTuple):
    """Chips that each player may buy once, in the break before registration closes."""

    chips: int
    cost: int


class Payout(NamedTuple):
    """How the pool becomes prizes; the fields that a kind has not are empty."""

    kind: str
    unit: int
    tables: tuple[tuple[int, tuple[int, ...]], ...]
    prize: int
    points: tuple[int, ...]


class Structure(NamedTuple):
    """The structure that a tournament's first entry logs.

    `start_at` is None where it starts when it is full, `late_levels` 0 where nobody comes late.
    """

    rules: dict[str, Any]
    seats: int
    link_ms: int
    stack: int
    start_at: int | None
    players_min: int
    players_max: int
    levels: tuple[Level, ...]
    level_by: str
    late_levels: int
    reentries: int
    rebuy: Rebuy | None
    add_on: AddOn | None
    take_over: bool
    buy_in: int
    guarantee: int
    payout: Payout
    hand_for_hand: int
    ties: str
    redraw: tuple[int, ...]
    deals: bool

    @property
    def late(self) -> bool:
        """Whether players may enter after the start."""
        return self.late_levels > 0

    def level(self, number: int) -> Level:
        """Return a level by its number, from 1; the last one for a number above it."""
        return self.levels[min(max(number, 1), len(self.levels)) - 1]


def read_structure(value: dict[str, Any]) -> Structure:
    """Return the structure of a value of the right shape."""
    late, rebuy, add_on = (value.get(name) for name in ("late", "rebuy", "add_on"))
    payout = value["payout"]
    return Structure(
        rules=value["rules"],
        seats=value["rules"]["seats"],
        link_ms=value["rules"]["link_ms"],
        stack=value["stack"],
        start_at=value["start"].get("at"),
        players_min=value["players_min"],
        players_max=value["players_max"],
        levels=tuple(map(_read_level, value["levels"])),
        level_by=value["level_by"],
        late_levels=0 if late is None else late["levels"],
        reentries=0 if late is None else late["reentries"],
        rebuy=None if rebuy is None else Rebuy(**rebuy),
        add_on=None if add_on is None else AddOn(**add_on),
        take_over=value["take_over"],
        buy_in=value["buy_in"],
        guarantee=value["guarantee"],
        payout=Payout(
            payout["kind"],
            payout.get("unit", 1),
            tuple((one["players"], tuple(one["shares"])) for one in payout.get("tables", ())),
            payout.get("prize", 0),
            tuple(payout.get("points", ())),
        ),
        hand_for_hand=value["hand_for_hand"],
        ties=value["ties"],
        redraw=tuple(value["redraw"]),
        deals=value["deals"],
    )


def _read_level(value: dict[str, Any]) -> Level:
    names = ("small_blind", "big_blind", "chip_unit", "ante")
    terms = {name: value[name] for name in names if name in value}
    return Level(terms, value["chip_unit"], value["length"], value["break_ms"])
