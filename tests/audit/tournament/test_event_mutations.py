"""No change of a tournament's log passes unnoticed, and none ends in anything but a verdict.

Left out are the changes that the protocol allows: `anchors` of a player, which only its own waits
depend on, and times of entries that no table's log repeats.
"""

from random import Random

import pytest

from tests.support.audits import judge, tell
from tests.support.event_audits import broken_of_event, judge_event, unproved_of_event
from tests.support.event_mutations import Mutation, move_line, move_time, mutate_value
from tests.support.mutations import count_changes, mutate_bytes, mutate_line, mutate_order
from tests.support.tournament_files import EventFiles
from tests.support.tournament_houses import HOUSES, event

VERDICTS = {0, 1, 3, 4}
MANY = count_changes(6)
AT_TABLES = {
    *("table_opened", "seated", "moved", "hand_started", "hand_finished", "busted"),
    *("rebought", "added_on", "taken_over", "disqualified", "table_closed"),
}


def _names(files: EventFiles) -> list[str]:
    return [line.body["player"] for line in files.tournament.all("registered")]


def _is_noticed(files: EventFiles) -> bool:
    report = judge_event(files.joined(), files.key)
    return bool(report.damage or broken_of_event(report) or unproved_of_event(report))


def _may_pass(change: Mutation) -> bool:
    return change.kind == "registered" and change.path == ("anchors",)


@pytest.mark.parametrize("seed", range(MANY))
@pytest.mark.parametrize("house", HOUSES)
def test_a_changed_value_is_noticed(house: str, seed: int) -> None:
    files = event(house)
    change = mutate_value(Random(f"{house} {seed}"), files.tournament, _names(files))
    assert _is_noticed(files) or _may_pass(change), change


@pytest.mark.parametrize("seed", range(MANY))
@pytest.mark.parametrize("house", ["tables", "take_over"])
def test_a_line_left_out_or_twice_is_noticed(house: str, seed: int) -> None:
    files = event(house)
    change = move_line(Random(f"{house} {seed}"), files.tournament)
    assert _is_noticed(files), change


@pytest.mark.parametrize("seed", range(MANY))
@pytest.mark.parametrize("house", ["tables", "take_over"])
def test_another_time_is_noticed_where_a_table_tells_it(house: str, seed: int) -> None:
    files = event(house)
    change = move_time(Random(f"{house} {seed}"), files.tournament)
    assert _is_noticed(files) or change.kind not in AT_TABLES, change


@pytest.mark.parametrize("seed", range(2 * MANY))
def test_many_changes_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    files = event(random.choice(list(HOUSES)))
    for _ in range(random.choice([1, 3, 20])):
        log = random.choice([files.tournament, files.tournament, *files.tables.values()])
        random.choice([mutate_line, mutate_order])(random, log)
    assert judge_event(files.joined(), files.key).exit_status() in VERDICTS


@pytest.mark.parametrize("seed", range(2 * MANY))
def test_changed_bytes_of_an_event_give_a_verdict(seed: int) -> None:
    files = event("sit_and_go")
    data = mutate_bytes(Random(seed), files.joined())
    report = judge(data, key=files.key)
    assert report.exit_status() in VERDICTS, tell(report)
