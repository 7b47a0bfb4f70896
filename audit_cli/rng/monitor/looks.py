"""Looks: the whole battery over each so many hands, at a level that all looks share.

Look k is judged by Holm's rule at 0.01 x 6 / (pi^2 k^2): over all k these add up to 0.01. What it
rejects is told, and there is no confirmation, since live hands can not be dealt again: the next
look is one. Decks that come again are looked for among all hands of all looks.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from math import pi
from typing import TYPE_CHECKING, Final

from audit_cli.rng.counting.duplicates import DigestFile, confirm, find_duplicates
from audit_cli.rng.hands_file import HandsWriter, Header, Records
from audit_cli.rng.plan import ALPHA, Kind, PlanError, Source, make_plan, shape_run
from audit_cli.rng.raw.judge import raw_tests
from audit_cli.rng.results import significant
from audit_cli.rng.running.counting import count
from audit_cli.rng.running.folder import Shelf
from audit_cli.rng.running.judging import judge_kept
from audit_cli.rng.running.layout import cut
from audit_cli.rng.sources import HandsFile
from audit_cli.rng.verdict import Decision, decide

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from audit_cli.rng.hands import Engine
    from audit_cli.rng.monitor.state import State
    from audit_cli.rng.plan import Plan
    from audit_cli.rng.running.layout import Chunk
    from audit_cli.rng.running.pool import Pool

_BATCH: Final = 8_192
_LEAST: Final = 3


@dataclass(frozen=True, slots=True)
class Look:
    """What a look found. `repeated` names hands, in pairs or more, that have one deck.

    `least` are the smallest p-values as (test, p, Holm's).
    """

    look: int
    first: int
    hands: int
    alpha: float
    tests: int
    good: bool
    why: str
    least: tuple[tuple[str, float, float], ...]
    repeated: tuple[tuple[str, ...], ...]

    def to_json(self) -> str:
        """Return what the state keeps."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__})


def look_from_json(text: str) -> Look:
    """Return what `to_json` wrote."""
    value = json.loads(text)
    value["least"] = tuple((test, p, holm) for test, p, holm in value["least"])
    value["repeated"] = tuple(map(tuple, value["repeated"]))
    return Look(**value)


def alpha_of(look: int) -> float:
    """Return the level of a look, counted from 1."""
    return ALPHA * 6 / (pi * look) ** 2


def check_every(every: int) -> str | None:
    """Say why a look can not be of so many hands; None where it can."""
    try:
        fits = shape_run(every).hands == every
    except PlanError as error:
        return str(error)
    return None if fits else f"{every:,} hands are not 100 equal blocks"


def take_looks(state: State, folder: Path, engine: Engine, pool: Pool) -> Iterator[Look]:
    """Take every look that is due, keep it, and give it.

    A look that was stopped goes on where it was. OSError, sqlite3.Error, and what judging raises.
    """
    while (look := len(state.looks()) + 1) * state.every <= state.count:
        found = _take(state, folder, look, engine, pool)
        state.write_look(look, found.to_json())
        # Its hands are in the state; its counts have said what they had to say.
        for name in ("hands", "hands.sha256"):
            (_place(folder, look) / name).unlink(missing_ok=True)
        for name in ("counts", "raw"):
            shutil.rmtree(_place(folder, look) / name, ignore_errors=True)
        yield found


def _place(folder: Path, look: int) -> Path:
    return folder / "looks" / f"{look:05}"


def _take(state: State, folder: Path, look: int, engine: Engine, pool: Pool) -> Look:
    place = _place(folder, look)
    place.mkdir(parents=True, exist_ok=True)
    first = (look - 1) * state.every
    source = _write_hands(state, place / "hands", first, engine)
    plan = _plan(look, state.every)
    parts = cut(source, plan.run, plan.sequences)
    shelf = Shelf(place, plan.id)
    count(shelf, parts, engine.name, pool, f"look {look}")
    findings = judge_kept(shelf, parts, pool, code=False)
    verdict = decide(plan, findings.outcomes, findings.second)
    repeated = _find_repeated(state, folder, look, parts.chunks, engine)
    least = sorted(verdict.family, key=lambda one: one.p)[:_LEAST]
    return Look(
        look=look,
        first=first,
        hands=state.every,
        alpha=significant(plan.alpha),
        tests=len(verdict.family),
        good=verdict.decision is Decision.PASS and not repeated,
        why=verdict.why,
        least=tuple((one.test, significant(one.p), significant(one.adjusted)) for one in least),
        repeated=repeated,
    )


def _plan(look: int, every: int) -> Plan:
    plan = make_plan(Source(Kind.HANDS), hands=every, raw=raw_tests())
    return replace(plan, alpha=alpha_of(look))


def _write_hands(state: State, path: Path, first: int, engine: Engine) -> HandsFile:
    """Write the hands of a look as a file, from the start: it takes far less than counting them."""
    path.unlink(missing_ok=True)
    header = Header(state.every, "live", "games that were revealed")
    with HandsWriter(path, header) as writer:
        for at in range(first, first + state.every, _BATCH):
            secrets, mixes = state.hands(at, min(_BATCH, first + state.every - at))
            decks = engine.derive(at, secrets, mixes).decks
            writer.append(Records(secrets, mixes, decks))
    return HandsFile(str(path), state.every)


def _find_repeated(
    state: State, folder: Path, look: int, chunks: tuple[Chunk, ...], engine: Engine
) -> tuple[tuple[str, ...], ...]:
    """Name the hands that have one deck, at least one of each group a hand of this look."""
    files = [
        DigestFile(
            Shelf(_place(folder, each), "").digests_path(chunk),
            (each - 1) * state.every + chunk.first,
        )
        for each in range(1, look + 1)
        for chunk in chunks
    ]
    found = find_duplicates(files, folder)

    def deck(number: int) -> bytes:
        secrets, mixes = state.hands(number, 1)
        return engine.derive(number, secrets, mixes).decks.tobytes()

    if not confirm(found, deck):
        return ()
    fresh = (group for group in found.groups if group[-1] >= (look - 1) * state.every)
    return tuple(tuple(map(state.name, group)) for group in fresh)
