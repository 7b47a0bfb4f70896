"""What a query of Prometheus asks for: its metrics, and the labels that it picks them by."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

# A metric has its selector behind it, or stands alone; functions have "(" and labels stand in one.
_METRIC: Final = re.compile(
    r"\b(?P<name>(?:cutcard|process|envoy)_[a-z0-9_]+|up|ALERTS)\b\s*(?:\{(?P<picks>[^}]*)\})?"
)
_PICK: Final = re.compile(r'(?P<label>[a-z_]+)\s*(?P<how>=~|!~|!=|=)\s*"(?P<value>[^"]*)"')
_BY: Final = re.compile(r"\b(?:by|on|ignoring)\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Asked:
    """A metric of a query, with what its labels must be: label, how, value."""

    name: str
    picks: tuple[tuple[str, str, str], ...]

    def picked(self) -> Iterator[tuple[str, str]]:
        """Give each value that a label is held to, one by one where several would do."""
        for label, how, value in self.picks:
            alternatives = value.split("|") if "~" in how else [value]
            yield from ((label, one) for one in alternatives)


def asked_by(query: str) -> list[Asked]:
    """Read all metrics of a query."""
    bare = _BY.sub("", query)
    return [
        Asked(
            found["name"],
            tuple(
                (one["label"], one["how"], one["value"])
                for one in _PICK.finditer(found["picks"] or "")
            ),
        )
        for found in _METRIC.finditer(bare)
    ]


def grouped_by(query: str) -> set[str]:
    """Give the labels that a query groups or joins by."""
    return {label.strip() for found in _BY.findall(query) for label in found.split(",")}


def filled(query: str, values: Mapping[str, str]) -> str:
    """Put values for a dashboard's variables, so that the query can be read as PromQL."""
    for name, value in values.items():
        query = query.replace(f"${name}", value)
    return query
