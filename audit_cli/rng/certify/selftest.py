"""The flaw bank's part of a bundle: which planted flaws are found, and how often none is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.writing import json_bytes
from audit_cli.rng.flaws.bank import BANK, SEED
from audit_cli.rng.flaws.selftest import run_selftest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.rng.running.pool import Workers

CLEAN: Final = 200
CLEAN_QUICK: Final = 20


def make_sensitivity(numbers: tuple[int, ...], clean: int, engine: str, workers: Workers) -> bytes:
    """Return `results/sensitivity.json`. Raises what the workers raise."""
    return json_bytes(run_selftest(numbers, clean, SEED, engine, workers).to_json())


def same_cases(made: Mapping[str, Any]) -> tuple[tuple[int, ...], int] | None:
    """Return which cases and how many clean runs a `sensitivity.json` was made of.

    None where this program's bank has no such selection.
    """
    listed = [(one["flaw"], one["planted"], one["amount"]) for one in made["cases"]]
    numbers = tuple(
        number for number, case in enumerate(BANK) if (case.name, case.words, case.amount) in listed
    )
    if made["seed"] != SEED.hex() or len(numbers) != len(listed):
        return None
    return numbers, made["clean"]["runs"]
