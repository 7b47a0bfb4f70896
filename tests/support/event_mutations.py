"""Changes of single values of a tournament's log, each of its own kind, chosen by chance."""

from random import Random
from typing import Any, NamedTuple

from tests.support.transcripts import Transcript


class Mutation(NamedTuple):
    """A changed line: where, which field, and what it was and is."""

    entry: int
    kind: str
    path: tuple[str | int, ...]
    before: Any
    after: Any


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List the paths to all values in a value but itself."""
    pairs: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    return [one for key, item in pairs for one in ((*path, key), *paths_of(item, (*path, key)))]


def mutate_value(random: Random, log: Transcript, names: list[str]) -> Mutation:
    """Change one value of one line but the first one, to another of the same type."""
    while True:
        index = random.randrange(1, len(log.lines))
        one = log.read(index)
        paths = paths_of(one.body)
        if not paths:
            continue
        path = random.choice(paths)
        inner: Any = one.body
        for key in path[:-1]:
            inner = inner[key]
        before = inner[path[-1]]
        after = _other(random, before, path[-1], names)
        if after != before:
            break
    inner[path[-1]] = after
    log.put(index, one.at, one.kind, one.body)
    return Mutation(index, one.kind, path, before, after)


def move_time(random: Random, log: Transcript) -> Mutation:
    """Give one line but the first one another time, a little earlier or later."""
    index = random.randrange(1, len(log.lines))
    one = log.read(index)
    at = one.at + random.choice([-1_000, -1, 1, 1_000])
    log.move_time(index, at)
    return Mutation(index, one.kind, ("at",), one.at, at)


def move_line(random: Random, log: Transcript) -> Mutation:
    """Leave a line out, or write it twice."""
    index = random.randrange(1, len(log.lines))
    one = log.read(index)
    if random.random() < 0.5:
        log.delete(index)
        return Mutation(index, one.kind, (), 1, 0)
    log.insert(index, one.at, one.kind, one.body)
    return Mutation(index, one.kind, (), 1, 2)


def _other(random: Random, value: Any, name: str | int, names: list[str]) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([0, 1, 2, value + 1, max(value - 1, 0), 2 * value])
    if isinstance(value, list):
        return random.choice([value[1:], value[:-1], [*value, *value[-1:]], value[::-1]])
    return {} if isinstance(value, dict) else _other_text(random, value, name, names)


def _other_text(random: Random, value: str, name: str | int, names: list[str]) -> str:
    if name in {"player", "house_player"}:
        return random.choice([*names, "nobody"])
    if name in {"why", "what", "reason"}:
        words = ["balance", "break", "redraw", "place", "seats", "finished", "cancelled"]
        return random.choice(words)
    digits = "0123456789abcdef"
    at = random.randrange(len(value))
    return value[:at] + random.choice(digits) + value[at + 1 :]
