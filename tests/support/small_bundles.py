"""A bundle of 10,000 decks, made in memory from the real counters, judges and materials."""

import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audit_cli.rng.battery.duplicates import judge_duplicates
from audit_cli.rng.battery.judge import judge
from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.assemble import assemble
from audit_cli.rng.certify.data import list_chunks, write_counts, write_index
from audit_cli.rng.certify.materials import gather_materials, write_outcomes
from audit_cli.rng.certify.matrix import Row
from audit_cli.rng.certify.vectors import make_vectors
from audit_cli.rng.code.judge import judge_code
from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.lab import commit_lab
from audit_cli.rng.plan import Kind, Plan, Source, make_plan
from audit_cli.rng.results import write_battery
from audit_cli.rng.second_level import judge_blocks
from audit_cli.rng.sources import Lab, read_hands
from audit_cli.rng.verdict import decide
from tests.support.game_files import Signer

HANDS = 10_000
SECRET = bytes(range(32))
LABORATORY = Signer("lab.example", bytes([7] * 32))
MADE = "2026-01-01T00:00:00Z"

Counts = dict[str, NDArray[np.int64]]


def add(total: Counts, counts: Mapping[str, NDArray[np.int64]]) -> None:
    for name, table in counts.items():
        total[name] = total[name] + table if name in total else table.copy()


@lru_cache(maxsize=1)
def small_run() -> tuple[Plan, dict[str, bytes]]:
    """Count and judge 10,000 decks of a laboratory secret; plan and files of the bundle."""
    plan = make_plan(Source(Kind.LAB, commit_lab(SECRET).hex(), "0" * 64), hands=HANDS)
    using = engine("numpy")
    total: Counts = {}
    blocks: list[Counts] = []
    decks: list[str] = []
    for index in range(plan.run.chunks):
        first = plan.run.first(index)
        counting = tallier(first, plan.run.chunk, native=False)
        counting.add(read_hands(Lab(SECRET), using, first, plan.run.chunk))
        measured = counting.finish()
        blocks.append(dict(measured.counts))
        add(total, measured.counts)
        decks.append(measured.sha256)
    code = judge_code([using])
    outcomes = (*code, *judge(total), *judge_duplicates(HANDS, 0, 0))
    second = judge_blocks(blocks)
    verdict = decide(plan, outcomes, second)
    text = write_battery(plan, outcomes, second, verdict, secrets=(SECRET,))
    chunks = list_chunks(plan.run, decks)
    about: dict[str, object] = {
        "collected": {},
        "commitments": [plan.source.commitment, plan.source.confirmation],
        "dealer": None,
        "file_sha256": None,
        "unconfirmed": "",
    }
    return plan, {
        evidence.BATTERY: text.encode(),
        evidence.COUNTS: write_counts(total),
        evidence.INDEX: write_index("lab", chunks, None, [SECRET], about),
        evidence.CODE: write_outcomes(code, ["numpy"]),
        evidence.PLAN: signed(plan.text).encode(),
    }


@lru_cache(maxsize=1)
def materials() -> dict[str, bytes]:
    """What is installed here, without builds of the wheel, and few vectors."""
    found = gather_materials(sys.path, MADE, "numpy", {"made": False, "why": "a test"})
    return found | {evidence.VECTORS: make_vectors(20)}


def signed(text: str) -> str:
    """Sign a note's text by the laboratory's key."""
    return f"{text}\n{LABORATORY.sign(text)}"


def small_bundle(
    folder: Path,
    *,
    changed: Callable[[dict[str, bytes]], None] = lambda _: None,
    sign: Callable[[str], str] = signed,
    key: str = LABORATORY.vkey,
) -> tuple[Row, ...]:
    """Write the bundle into a new folder; `changed` may change its files before it is signed."""
    files = dict(small_run()[1]) | materials()
    changed(files)
    folder.mkdir()
    return assemble(folder, files, made=MADE, program="0.1.0", key=key, sign=sign)
