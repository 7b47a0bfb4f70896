"""Whatever is done to a game file, the audit ends with a verdict and never with a traceback."""

import json
from functools import cache
from random import Random
from typing import Any

import pokerkit
import pytest

from audit_cli.referee.refereed import refereed_by
from tests.support.audits import judge
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    LIVELY,
    Simulator,
    play_chain,
    play_game,
)
from tests.support.transcripts import Transcript, dump

VERDICTS = {0, 1, 3, 4}
MANY = 60


@cache
def honest() -> Simulator:
    return play_game(seed=5, hands=8, players=5, habits=LIVELY)


@cache
def house(name: str) -> Simulator:
    return play_game(seed=5, hands=8, players=5, habits=HOUSE_LIFE, rules=HOUSES[name])


@cache
def chain() -> list[Simulator]:
    return play_chain(seed=3, games=3, hands=3)


def _mutate_bytes(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(changed))
        match random.randrange(5):
            case 0:
                changed[at] ^= 1 << random.randrange(8)
            case 1:
                del changed[at : at + random.randint(1, 400)]
            case 2:
                changed[at:at] = random.randbytes(random.randint(1, 40))
            case 3:
                changed[at:at] = changed[at : at + random.randint(1, 2_000)]
            case _:
                del changed[at:]
        if not changed:
            break
    return bytes(changed)


def _leaf_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return [path]
    return [path, *(found for key, item in pairs for found in _leaf_paths(item, (*path, key)))]


def _other_value(random: Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([0, 1, 2, 3, 7, 10, 51, value + 1, value - 1, 2 * value, 2**53 - 1])
    if isinstance(value, str):
        words = ["", "in", "fold", "call", "raise", "rule", "seat", "board", "burn", "As", "ann"]
        digits = "0123456789abcdef"
        twisted = "".join(random.choice(digits) if random.random() < 0.1 else c for c in value)
        return random.choice([*words, twisted])
    if isinstance(value, list):
        return random.choice([[], value[:-1], value + value[:1], list(reversed(value))])
    return {}


def _mutate_line(random: Random, transcript: Transcript) -> None:
    index = random.randrange(len(transcript.lines))
    value = json.loads(transcript.lines[index])
    path = random.choice(_leaf_paths(value)[1:] or [()])
    if not path:
        return
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = _other_value(random, inner[path[-1]])
    transcript.lines[index] = dump(value)


def _mutate_order(random: Random, transcript: Transcript) -> None:
    index, other = (random.randrange(len(transcript.lines)) for _ in range(2))
    match random.randrange(4):
        case 0:
            transcript.delete(index)
        case 1:
            one = transcript.read(other)
            transcript.insert(index, one.at, one.kind, one.body)
        case 2:
            lines = transcript.lines
            lines[index], lines[other] = lines[other], lines[index]
        case _:
            del transcript.lines[index : index + random.randint(1, 40)]
            transcript.checkpoints = [
                s for s in transcript.checkpoints if s <= len(transcript.lines)
            ]


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_bytes_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    data = _mutate_bytes(random, honest().game_file(openings_of="ann"))
    assert judge(data, key=honest().key).exit_status() in VERDICTS


@pytest.mark.parametrize("seed", range(4 * MANY))
def test_changed_entries_signed_again_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    transcript = honest().transcript(openings_of="ann")
    for _ in range(random.choice([1, 1, 2, 10])):
        random.choice([_mutate_line, _mutate_order])(random, transcript)
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
        random.choice([_mutate_line, _mutate_line, _mutate_order])(random, transcript)
        if not transcript.lines:
            break
    data = transcript.render(house(name).signer)
    kit = (refereed_by(pokerkit),) if seed % 5 == 0 else ()
    assert judge(data, key=house(name).key, more=kit).exit_status() in VERDICTS


@pytest.mark.parametrize("name", HOUSES)
def test_nearly_every_changed_entry_of_every_house_is_found(name: str) -> None:
    assert not find_unseen(house(name), 60)


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_records_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    mine = _mutate_bytes(random, honest().record("ann"))
    report = judge(honest().game_file(), key=honest().key, mine=mine)
    assert report.exit_status() in VERDICTS


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_chains_of_games_give_a_verdict(seed: int) -> None:
    random = Random(seed)
    data = b""
    for game in chain():
        transcript = game.transcript()
        if random.random() < 0.7:
            random.choice([_mutate_line, _mutate_order])(random, transcript)
        data += transcript.render(game.signer)
    assert judge(data, key=chain()[0].key).exit_status() in VERDICTS


def test_nearly_every_changed_entry_is_found() -> None:
    assert not find_unseen(honest(), 150)


def find_unseen(game: Simulator, seeds: int) -> list[tuple[bytes, bytes]]:
    """Change one line at a time; a change that goes unseen is one that no rule speaks of."""
    unseen = []
    for seed in range(seeds):
        random = Random(seed)
        transcript = game.transcript()
        lines = list(transcript.lines)
        _mutate_line(random, transcript)
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
