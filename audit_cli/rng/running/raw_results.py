"""`raw.json`: every p-value of every sequence, and the bands that NIST reads them by."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from audit_cli.rng.raw.judge import nist_rows
from audit_cli.rng.raw.sequence import SERIES
from audit_cli.rng.results import significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.raw.sequence import SequenceResult

FORMAT: Final = "cutcard-raw/1"


def write_raw(plan: str, sequences: Sequence[SequenceResult]) -> bytes:
    """Return the text of `raw.json`: the same wherever it is worked out."""
    rows = [asdict(row) for row in nist_rows(sequences)]
    for row in rows:
        if row["uniformity"] is not None:
            row["uniformity"] = significant(row["uniformity"])
    value = {
        "format": FORMAT,
        "plan": plan,
        "series": [name for names in SERIES.values() for name in names],
        "nist": rows,
        "sequences": [one.to_json() for one in sequences],
    }
    return json.dumps(value, indent=1).encode() + b"\n"
