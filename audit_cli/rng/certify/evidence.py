"""What a bundle's files say, read back: the one thing that the requirement matrix is made from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.writing import files_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BATTERY: Final = "results/battery.json"
RAW: Final = "results/raw.json"
SENSITIVITY: Final = "results/sensitivity.json"
EXTERNAL: Final = "results/external/results.json"
CODE: Final = "kat/outcomes.json"
VECTORS: Final = "kat/vectors.json"
CORE: Final = "source/rng-core.json"
AUDIT_SOURCES: Final = "source/audit.json"
INDEX: Final = "data/index.json"
COUNTS: Final = "data/counts.json"
CONFIRMATION_COUNTS: Final = "data/confirmation-counts.json"
SAMPLE: Final = "data/sample.csv"
MATRIX: Final = "trace/matrix.json"
ENVIRONMENT: Final = "environment.json"
REPLAY: Final = "verify/replay.json"
PLAN: Final = "plan/plan.note"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The figures of a bundle; None for what is not in it. `files` are all its names."""

    files: frozenset[str]
    battery: Mapping[str, Any] | None
    sensitivity: Mapping[str, Any] | None
    external: Mapping[str, Any] | None
    code: Mapping[str, Any] | None
    vectors: Mapping[str, Any] | None
    core: Mapping[str, Any] | None
    index: Mapping[str, Any] | None
    replay: Mapping[str, Any] | None


def read_evidence(bundle: Path) -> Evidence:
    """Read the figures. ValueError for a file that is no JSON object, OSError as reading raises."""
    vectors = read_object(bundle, VECTORS)
    return Evidence(
        files=frozenset(files_of(bundle)),
        battery=read_object(bundle, BATTERY),
        sensitivity=read_object(bundle, SENSITIVITY),
        external=read_object(bundle, EXTERNAL),
        code=read_object(bundle, CODE),
        vectors=None if vectors is None else vectors["totals"],
        core=read_object(bundle, CORE),
        index=read_object(bundle, INDEX),
        replay=read_object(bundle, REPLAY),
    )


def read_object(bundle: Path, name: str) -> dict[str, Any] | None:
    """Return a JSON object of the bundle; None where the file is not there. ValueError, OSError."""
    try:
        value = json.loads((bundle / name).read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        message = f"{name} is not JSON"
        raise ValueError(message) from None
    if not isinstance(value, dict):
        message = f"{name} is no JSON object"
        raise ValueError(message)  # noqa: TRY004  (a value of the file is wrong, not a type of ours)
    return value
