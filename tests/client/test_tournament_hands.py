"""What a tournament's log and its tables' tell of the same hands is held against each other."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.client.shapes import Entry
from dealer_service.client.tournament_hands import REMEMBERED, HandsTold, TableHands
from dealer_service.tables.lines import encode as encode_table
from dealer_service.tables.tournament.lines import encode
from tests.support.tournament_houses import HOUSES
from tests.support.tournament_play import TournamentPlay

KINDS = {"hand_opened", "hand_ended", "hand_void", "hand_started", "hand_finished"}


class Told:
    """A tournament's log so far."""

    def __init__(self, entries: list[Entry] | None = None) -> None:
        self.hands = HandsTold()
        for entry in entries or ():
            self.hands.apply(entry)


@cache
def played() -> TournamentPlay:
    """Play an event of three tables with moves, breaks and voids."""
    house = HOUSES["tables"]
    habits = replace(house.habits, voids=0.2)
    return TournamentPlay(house.structure, seed=house.seed, habits=habits).run()


def read(index: int, line: bytes) -> Entry:
    value = json.loads(line)
    at = value.pop("at")
    ((kind, body),) = value.items()
    return Entry(index, at, kind, body)


def of_event() -> list[Entry]:
    return [read(number, encode(at, one)) for number, (at, one) in enumerate(played().log)]


def of_table(number: int = 1) -> list[Entry]:
    log = played().tables[number].log
    entries = [read(index, encode_table(at, one)) for index, (at, one) in enumerate(log)]
    return [entry for entry in entries if entry.kind in KINDS]


def test_honest_logs_agree_whichever_comes_first() -> None:
    """A table's log is taken line by line, each before and each behind the tournament's."""
    kinds = set()
    for number in played().tables:
        told = Told()
        early, late = TableHands(number, told), TableHands(number, told)
        mine = of_table(number)
        kinds |= {entry.kind for entry in mine}
        early_left, late_left = list(mine), list(mine)
        for entry in of_event():
            while early_left and early_left[0].at <= entry.at:
                early.take(early_left.pop(0))
            told.hands.apply(entry)
            while late_left and late_left[0].at < entry.at:
                late.take(late_left.pop(0))
        for each in late_left:
            late.take(each)
        assert not early_left
    assert kinds == {"hand_opened", "hand_ended", "hand_void"}


def put(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda body: body.update({name: value})


WRONG: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "level": ("hand_opened", lambda body: body["level"].update(level=9)),
    "button": ("hand_opened", put("button", 11)),
    "players": ("hand_opened", lambda body: body["seats"][0].update(state="waiting")),
    "stacks are others": ("hand_ended", lambda body: body["stacks"][0].update(stack=1)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_hand_that_the_logs_tell_differently_is_refused(what: str) -> None:
    kind, change = WRONG[what]
    mine = of_table()
    place = next(number for number, entry in enumerate(mine) if entry.kind == kind)
    change(mine[place].body)  # type: ignore[arg-type]
    hands = TableHands(1, Told([one for one in of_event() if one.at <= mine[place].at]))
    for entry in mine[:place]:
        hands.take(entry)
    with pytest.raises(ProtocolBreach, match=what) as breach:
        hands.take(mine[place])
    assert breach.value.reason is Reason.LINE


@pytest.mark.parametrize("kind", ["hand_started", "hand_finished"])
def test_a_hand_of_which_the_tournament_tells_nothing_is_refused(kind: str) -> None:
    """As long as its log may still come to tell of it, that is waited for."""
    first = [entry for entry in of_table() if entry.body["hand"] == 1]
    event = of_event()
    behind = next(number for number, entry in enumerate(event) if entry.at > first[-1].at)
    lacks = first[0].at if kind == "hand_started" else first[-1].at
    told = Told([entry for entry in event if entry.at < lacks])
    hands = TableHands(1, told)
    for entry in first:
        hands.take(entry)
    told.hands.at = event[behind].at
    with pytest.raises(ProtocolBreach, match="tells nothing of it"):
        hands.take(first[-1])


def test_only_the_last_hands_are_kept() -> None:
    """Who comes late is told a table's past, of which the tournament's is forgotten."""
    told = Told()
    for number in range(1, REMEMBERED + 2):
        body = {"table": 1, "hand": number, "level": 1, "button": 1, "players": 2}
        told.hands.apply(Entry(number, number, "hand_started", body))
    assert told.hands.find(1, 1) is None
    assert told.hands.find(1, 2) is not None
    hands = TableHands(1, told)
    hands.take(Entry(0, 1, "hand_opened", {"hand": 1, "button": 5, "seats": []}))
