"""Whatever is done to a game file, the audit ends with a verdict and never with a traceback."""

import json
from functools import cache
from random import Random
from typing import Any

import pokerkit
import pytest

from audit_cli.referee.refereed import refereed_by
from tests.support.audits import judge
from tests.support.mutations import count_changes, mutate_bytes, mutate_line, mutate_order
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    LIVELY,
    Simulator,
    play_chain,
    play_game,
)
from tests.support.tournament_tables import play_table

VERDICTS = {0, 1, 3, 4}
MANY = count_changes(20)


@cache
def honest() -> Simulator:
    return play_game(seed=5, hands=8, players=5, habits=LIVELY)


@cache
def house(name: str) -> Simulator:
    return play_game(seed=5, hands=8, players=5, habits=HOUSE_LIFE, rules=HOUSES[name])


@cache
def table() -> Simulator:
    return play_table(seed=5, hands=8, hands_of_a_level=3)


@cache
def chain() -> list[Simulator]:
    return play_chain(seed=3, games=3, hands=3)


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_bytes_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    data = mutate_bytes(random, honest().game_file(openings_of="ann"))
    assert judge(data, key=honest().key).exit_status() in VERDICTS


@pytest.mark.parametrize("seed", range(4 * MANY))
def test_changed_entries_signed_again_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    transcript = honest().transcript(openings_of="ann")
    for _ in range(random.choice([1, 1, 2, 10])):
        random.choice([mutate_line, mutate_order])(random, transcript)
        if not transcript.lines:
            break
    data = transcript.render(honest().signer)
    mine = (honest().record("ann"),) if seed % 3 == 0 else ()
    assert judge(data, key=honest().key, mine=mine).exit_status() in VERDICTS


@pytest.mark.parametrize("name", HOUSES)
@pytest.mark.parametrize("seed", range(MANY // 2))
def test_changed_entries_of_every_house_give_a_verdict(name: str, seed: int) -> None:
    random = Random(seed)
    transcript = house(name).transcript(openings_of="ann")
    for _ in range(random.choice([1, 1, 2, 10])):
        random.choice([mutate_line, mutate_line, mutate_order])(random, transcript)
        if not transcript.lines:
            break
    data = transcript.render(house(name).signer)
    kit = (refereed_by(pokerkit),) if seed % 5 == 0 else ()
    assert judge(data, key=house(name).key, more=kit).exit_status() in VERDICTS


@pytest.mark.parametrize("name", HOUSES)
def test_nearly_every_changed_entry_of_every_house_is_found(name: str) -> None:
    assert not find_unseen(house(name), MANY)


@pytest.mark.parametrize("seed", range(MANY // 3))
def test_changed_entries_of_a_tournament_s_table_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    transcript = table().transcript(openings_of="ann")
    for _ in range(random.choice([1, 1, 2, 10])):
        random.choice([mutate_line, mutate_line, mutate_order])(random, transcript)
        if not transcript.lines:
            break
    kit = (refereed_by(pokerkit),) if seed % 5 == 0 else ()
    data = transcript.render(table().signer)
    assert judge(data, key=table().key, more=kit).exit_status() in VERDICTS


def test_nearly_every_changed_entry_of_a_tournament_s_table_is_found() -> None:
    assert not find_unseen(table(), MANY // 2)


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_records_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    mine = mutate_bytes(random, honest().record("ann"))
    report = judge(honest().game_file(), key=honest().key, mine=mine)
    assert report.exit_status() in VERDICTS


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_chains_of_games_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    data = b""
    for game in chain():
        transcript = game.transcript()
        if random.random() < 0.7:
            random.choice([mutate_line, mutate_order])(random, transcript)
        data += transcript.render(game.signer)
    assert judge(data, key=chain()[0].key).exit_status() in VERDICTS


def test_nearly_every_changed_entry_is_found() -> None:
    assert not find_unseen(honest(), 5 * MANY // 2)


def find_unseen(game: Simulator, seeds: int) -> list[tuple[bytes, bytes]]:
    """Change one line at a time; a change that goes unseen is one that no rule speaks of."""
    unseen = []
    for seed in range(seeds):
        random = Random(seed)
        transcript = game.transcript()
        lines = list(transcript.lines)
        mutate_line(random, transcript)
        if transcript.lines == lines:
            continue
        report = judge(transcript.render(game.signer), key=game.key)
        if report.exit_status() == 0:
            (index,) = (n for n, line in enumerate(lines) if line != transcript.lines[n])
            unseen.append((lines[index], transcript.lines[index]))
    # A later time, another reason of a close or limit of the rules breaks no promise by itself.
    free = (b'"game_opened"', b'"game_closed"')
    return [
        pair
        for pair in unseen
        if not any(kind in pair[0] for kind in free) and _spoken_of(pair[0]) != _spoken_of(pair[1])
    ]


def _spoken_of(line: bytes) -> Any:
    """Leave out the time, and the size of a bet or raise: its seat may have put in more later."""
    value = json.loads(line)
    del value["at"]
    if value.get("acted", {}).get("act") in {"bet", "raise"}:
        del value["acted"]["to"]
    return value
