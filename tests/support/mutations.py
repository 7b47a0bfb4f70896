"""Random changes of files and of transcripts, each a function of a `Random` alone."""

import json
import os
from random import Random
from typing import Any, Final

from tests.support.transcripts import Transcript, dump

FUZZED: Final = "CUTCARD_FUZZED"
"""The variable of the environment that says how many changes of each kind are tried."""


def count_changes(usual: int) -> int:
    """Give how many changes of each kind are tried: as the environment says, or as is usual."""
    return int(os.environ.get(FUZZED, usual))


def mutate_bytes(random: Random, data: bytes) -> bytes:
    """Change, drop, insert or repeat a few bytes."""
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


def mutate_line(random: Random, transcript: Transcript) -> None:
    """Change one value of one entry."""
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


def mutate_order(random: Random, transcript: Transcript) -> None:
    """Drop, repeat or swap entries."""
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
