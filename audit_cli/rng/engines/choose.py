"""Finds the engine that a command line names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.inputs import UsageError
from audit_cli.rng.engines.plain import Plain

if TYPE_CHECKING:
    from audit_cli.rng.hands import Engine


def engine(name: str) -> Engine:
    """Return the engine of `--engine`. UsageError where it can not run here."""
    if name in {"auto", "plain"}:
        return Plain()
    message = f"there is no engine {name}"
    raise UsageError(message)
