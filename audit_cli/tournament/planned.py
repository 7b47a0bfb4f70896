"""An entry that is due: its kind, what has to stand in it, and which promise it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_CHIPS = frozenset({"stack", "chips", "removed", "stacks", "unit"})
_OF_MONEY = frozenset({"prize", "prizes", "pool", "entries", "tied", "place"})


@dataclass(frozen=True, slots=True)
class Planned:
    """One entry that is due. `at_once` where it stands under the time of the entry before it."""

    kind: str
    fields: Mapping[str, Any]
    promise: Promise
    at_once: bool = False

    def differences(self, kind: str, body: Mapping[str, Any]) -> list[str] | None:
        """Return the fields in which an entry differs; None where it is of another kind."""
        if kind != self.kind:
            return None
        return [name for name, value in self.fields.items() if body.get(name) != value]

    def promise_of(self, names: list[str]) -> Promise:
        """Return which promise an entry breaks that differs in these fields."""
        if _OF_CHIPS.issuperset(names):
            return Promise.COUNTED
        if _OF_MONEY.issuperset(names):
            return Promise.PLACED
        return self.promise

    def told(self, names: list[str] | None = None) -> str:
        """Say the entry, with the fields that matter, in few words."""
        return tell(self.kind, self.fields, names)


def tell(kind: str, body: Mapping[str, Any], names: list[str] | None = None) -> str:
    """Say an entry in few words: its place and player first, then `names`, or all else."""
    first = [name for name in ("table", "player", "hand", "level") if name in body]
    rest = [name for name in (names or body) if name in body and name not in first]
    words = [f"{name} {_value(body[name])}" for name in (*first, *rest) if name not in _LONG]
    return ", ".join([kind, *words])


_LONG = frozenset({"secret", "next_commitment", "order", "root"})


def _value(value: object) -> str:
    if isinstance(value, list):
        shown = [_value(item) for item in value[:10]]
        return f"[{', '.join(shown)}{', …' if len(value) > len(shown) else ''}]"
    if isinstance(value, dict):
        return " ".join(f"{name} {_value(part)}" for name, part in value.items())
    return str(value)
