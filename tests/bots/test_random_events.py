"""Tournaments of any structure, played by house players through the service, are found fair.

A small one; as many as CUTCARD_EVENTS says, and larger ones among them, at night.
"""

import asyncio
import os
import random
from pathlib import Path

import pytest

from audit_cli.report.finding import ExitStatus
from cutcard.v1 import tournament_entry_pb2
from dealer_service.access.roles import Role
from dealer_service.bots.level import Level
from dealer_service.bots.tournament import Ending, Habits, enter_players, play_tournament
from tests.support.audits import judge, tell
from tests.support.house import keeping_house

EVENTS = int(os.environ.get("CUTCARD_EVENTS", "1"))
PATIENCE = 5 * 60
LEVELS = (
    (50, 100, 25),
    (100, 200, 25),
    (200, 400, 100),
    (400, 800, 100),
    (800, 1_600, 100),
    (1_500, 3_000, 500),
    (3_000, 6_000, 500),
    (6_000, 12_000, 1_000),
    (12_000, 24_000, 1_000),
    (24_000, 48_000, 1_000),
)
LENGTHS = {"hands": (1, 4), "time": (700, 1_500), "orbits": (1, 1)}


def structure(chance: random.Random, players: int) -> tournament_entry_pb2.Structure:
    """Draw a structure that is over in little time, which no clock of a player hurries."""
    made = tournament_entry_pb2.Structure(
        players_max=players,
        stack=chance.choice([600, 800, 1_500, 3_000]),
        level_by=chance.choice(list(LENGTHS)),
        hand_for_hand=chance.choice([0, 1, 2, 3]),
        ties=chance.choice(["share", "stacks"]),
        redraw=chance.choice([[], [1], [2, 1]]),
        take_over=chance.random() < 0.3,
    )
    made.rules.seats = chance.choice([2, 3, 4, 6])
    made.rules.turn_ms = made.rules.link_ms = 60_000
    antes = chance.choice(["", "big_blind", "each"])
    length = chance.choice(LENGTHS[made.level_by])
    for number, (small, big, unit) in enumerate(LEVELS):
        level = made.levels.add(small_blind=small, big_blind=big, chip_unit=unit, length=length)
        level.break_ms = chance.choice([0, 0, 200])
        if antes and number >= 2:
            level.ante.kind = antes
            level.ante.amount = big if antes == "big_blind" else unit
    made.payout.kind = chance.choice(["shares", "shares", "winner", "satellite", "points"])
    if made.payout.kind == "points":
        made.payout.points.extend([10, 6, 3])
    else:
        made.buy_in, made.fee = 100, chance.choice([0, 10])
    if made.payout.kind == "satellite":
        made.payout.prize = 300
    if chance.random() < 0.6:
        add_late(made, chance)
    return made


def add_late(made: tournament_entry_pb2.Structure, chance: random.Random) -> None:
    """Let players in, and back in, for some levels; where it is for money, let them buy, too."""
    made.late.levels, made.late.reentries = chance.choice([1, 2, 3]), chance.choice([0, 1])
    if made.payout.kind == "points":
        return
    if chance.random() < 0.6:
        made.rebuy.chips, made.rebuy.cost = chance.choice([1_000, 3_000]), 100
        made.rebuy.most, made.rebuy.decide_ms = chance.choice([0, 1, 2]), 60_000
    if chance.random() < 0.6:
        made.add_on.chips, made.add_on.cost = 2_000, 50
        made.levels[made.late.levels - 1].break_ms = 400


@pytest.mark.parametrize("seed", range(EVENTS))
async def test_an_event_of_any_structure_is_found_fair(tmp_path: Path, seed: int) -> None:
    """What is drawn is the structure, and how players choose; cards and draws are the dealer's."""
    chance = random.Random(seed)
    players = 7 if seed == 0 else chance.choice([4, 7, 10, 13, 19])
    async with keeping_house(tmp_path) as house, asyncio.timeout(PATIENCE):
        operator = await house.connect("operator", Role.OPERATOR)
        drawn = structure(chance, players)
        tournament = (await operator.tournaments.open(drawn)).tournament
        dealers = [await house.connect(f"house-{n}", Role.HOUSE) for n in range(players)]
        entered = await enter_players(
            dealers, tournament, house.folder, Habits(), levels=tuple(Level), seed=seed
        )
        finishes = await play_tournament(entered)
        assert {(one.ending, one.detail) for one in finishes} == {(Ending.PLACED, "")}
        whole = b""
        tables = entered[0].contest.view.tables.values()
        for name in (tournament, *(table.game for table in tables)):
            await operator.download(name, tmp_path / name)
            whole += (tmp_path / name).read_bytes()
    report = judge(whole, key=house.key)
    assert report.exit_status() is ExitStatus.HOLDS, f"{drawn}\n{tell(report)}"
