"""What the audit reads of the logs of tables: whose anchor a hand had to wait for."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from audit_cli.gamefile import Line
from audit_cli.tournament.tables import TableLogs

LINK_MS = 5_000
OPENED = {
    "game": "ab" * 16,
    "origin": "dealer.example.com",
    "rules": {"tournament": {"tournament": "cd" * 16, "table": 1}, "link_ms": LINK_MS},
}
HAND = {"hand": 1, "seats": [], "level": {"level": 1}, "button": 1, "big_blind_seat": 2}


def taken(player: str) -> dict[str, Any]:
    return {"player": player, "seat": 1, "stack": 100}


def lines(*told: tuple[int, str, dict[str, Any]]) -> Iterator[Line]:
    numbers = count()
    for at, kind, body in ((0, "game_opened", OPENED), *told):
        entry = next(numbers)
        yield Line(entry + 1, entry, at, kind, body, bytes(32), 0)


def early(*told: tuple[int, str, dict[str, Any]]) -> list[tuple[str, int]]:
    """Give whom a hand did not wait for, and until when it had to."""
    logs = TableLogs()
    logs.begin()
    for line in lines(*told):
        logs.handlers[line.kind](line)
    assert logs._log is not None
    return [(one.player, one.not_before) for one in logs._log.early]


def test_a_hand_waits_for_who_has_just_sat_down() -> None:
    told = early((10, "seat_taken", taken("ann")), (20, "hand_opened", HAND))
    assert told == [("ann", 10 + LINK_MS)]


@pytest.mark.parametrize(
    "between",
    [
        (15, "anchored", {"player": "ann", "anchor": "00"}),
        (15, "seat_left", taken("ann")),
        (15, "player_removed", taken("ann")),
    ],
    ids=lambda entry: entry[1],
)
def test_it_does_not_for_who_has_an_anchor_or_sits_there_no_more(
    between: tuple[int, str, dict[str, Any]],
) -> None:
    assert early((10, "seat_taken", taken("ann")), between, (20, "hand_opened", HAND)) == []


def test_nor_when_their_time_is_over() -> None:
    at = 10 + LINK_MS
    assert early((10, "seat_taken", taken("ann")), (at, "hand_opened", HAND)) == []
