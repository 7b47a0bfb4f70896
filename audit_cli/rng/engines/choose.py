"""Finds the engine that a command line names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.inputs import UsageError
from audit_cli.rng.engines.batches import Batches
from audit_cli.rng.engines.plain import Plain

if TYPE_CHECKING:
    from audit_cli.rng.hands import Engine


def engine(name: str) -> Engine:
    """Return the engine of `--engine`. UsageError where it can not run here."""
    if name == "plain":
        return Plain()
    if name in {"auto", "numpy"}:
        return Batches()
    message = f"there is no engine {name}"
    raise UsageError(message)
