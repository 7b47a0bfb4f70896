"""A whole tournament of house players through the service: its chips, its places, its audit.

Forty-five play it; as many as CUTCARD_EVENT_PLAYERS says at night.
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from audit_cli.report.finding import TOURNAMENT_PROMISES, ExitStatus, Verdict
from cutcard.v1 import tournament_entry_pb2
from dealer_service.access.roles import Role
from dealer_service.bots.level import Level
from dealer_service.bots.tournament import (
    Ending,
    Finish,
    Habits,
    enter_players,
    play_tournament,
)
from tests.support.audits import judge, tell
from tests.support.house import keeping_house

PLAYERS = int(os.environ.get("CUTCARD_EVENT_PLAYERS", "45"))
PATIENCE = 10 * 60
STACK = 1_000
SEATS = 9
BUY_IN = 100
LEVELS = (
    (50, 100, 25),
    (100, 200, 25),
    (200, 400, 100),
    (400, 800, 100),
    (1_000, 2_000, 500),
    (2_000, 4_000, 500),
    (4_000, 8_000, 1_000),
    (8_000, 16_000, 1_000),
    (16_000, 32_000, 1_000),
    (32_000, 64_000, 1_000),
)


def structure() -> tournament_entry_pb2.Structure:
    """Give short stacks and blinds that double, a bubble, and a final table that is drawn anew."""
    made = tournament_entry_pb2.Structure(
        players_max=PLAYERS,
        stack=STACK,
        buy_in=BUY_IN,
        level_by="hands",
        hand_for_hand=2,
        ties="stacks",
        redraw=[2, 1],
    )
    made.rules.seats = SEATS
    made.rules.turn_ms = made.rules.link_ms = 60_000
    for small, big, unit in LEVELS:
        made.levels.add(small_blind=small, big_blind=big, chip_unit=unit, length=3)
    return made


class Event:
    """What was played: how it ended for each, the tournament's lines, the whole file, the key."""

    def __init__(self, finishes: list[Finish], log: bytes, tables: list[bytes], key: str) -> None:
        self.finishes = finishes
        self.key = key
        self.whole = b"".join([log, *tables])
        self.entries = [
            (kind, body)
            for line in log.splitlines()[1:]
            for kind, body in json.loads(line).items()
            if isinstance(body, dict)
        ]


async def play(folder: Path) -> Event:
    async with keeping_house(folder) as house, asyncio.timeout(PATIENCE):
        operator = await house.connect("operator", Role.OPERATOR)
        tournament = (await operator.tournaments.open(structure())).tournament
        dealers = [await house.connect(f"house-{n}", Role.HOUSE) for n in range(PLAYERS)]
        players = await enter_players(
            dealers, tournament, house.folder, Habits(), levels=tuple(Level)
        )
        finishes = await play_tournament(players)
        tables = players[0].contest.view.tables.values()
        files = []
        for name in (tournament, *(table.game for table in tables)):
            await operator.download(name, folder / name)
            files.append((folder / name).read_bytes())
        return Event(finishes, files[0], files[1:], house.key)


def hands(event: Event) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """Give the stacks of everybody that sits, before and after each hand."""
    seats: dict[tuple[int, int], str] = {}
    stacks: dict[str, int] = {}
    for kind, body in event.entries:
        match kind:
            case "seated" | "moved":
                seats = {place: name for place, name in seats.items() if name != body["player"]}
                seats[body["table"], body["seat"]] = body["player"]
                assert kind == "seated" or stacks[body["player"]] == body["stack"]
                stacks[body["player"]] = body["stack"]
            case "busted":
                assert stacks.pop(body["player"]) == 0
                del seats[body["table"], body["seat"]]
            case "hand_finished" | "colored_up":
                before = dict(stacks)
                for each in body["stacks"]:
                    stacks[seats[body["table"], each["seat"]]] = each["stack"]
                if kind == "hand_finished":
                    yield before, dict(stacks)


async def test_a_whole_event_is_played_accounted_for_and_found_fair(tmp_path: Path) -> None:
    """One test, as playing is what takes its time."""
    event = await play(tmp_path)
    check_places(event)
    check_chips(event)
    report = judge(event.whole, key=event.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    assert {report.verdicts()[each] for each in TOURNAMENT_PROMISES} == {Verdict.HOLDS}
    # It had all that there is to be proved of one.
    kinds = Counter(kind for kind, _ in event.entries)
    drawn = Counter(body["what"] for kind, body in event.entries if kind == "drawn")
    assert drawn["redraw"] >= 1
    assert drawn["button"] >= kinds["table_opened"]
    assert min(kinds["colored_up"], kinds["moved"], kinds["table_broken"]) >= 1
    assert kinds["hand_for_hand_begun"] == kinds["hand_for_hand_ended"]


def check_places(event: Event) -> None:
    """Everybody plays to a place, and the pool is paid out."""
    finishes = event.finishes
    assert {one.ending for one in finishes} == {Ending.PLACED}
    assert [one.detail for one in finishes if one.detail] == []
    places = Counter(one.place for one in finishes)
    assert all(one.tied == places[one.place] for one in finishes)
    taken = sorted(place + extra for place, tied in places.items() for extra in range(tied))
    assert taken == list(range(1, PLAYERS + 1))
    assert sum(one.prize for one in finishes) == PLAYERS * BUY_IN
    assert max(one.tables for one in finishes) > 1


def check_chips(event: Event) -> None:
    """No chip comes or goes in any hand, and a race at most rounds: the winner has all."""
    last: dict[str, int] = {}
    count = 0
    for before, after in hands(event):
        count += 1
        assert sum(before.values()) == sum(after.values())
        last = after
    assert count > PLAYERS // SEATS
    (winner,) = (one.player for one in event.finishes if one.place == 1)
    assert {name: stack for name, stack in last.items() if stack} == {winner: last[winner]}
    assert abs(last[winner] - PLAYERS * STACK) < LEVELS[-1][2] * PLAYERS
