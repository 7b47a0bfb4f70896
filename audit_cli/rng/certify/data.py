"""The data behind a bundle's figures: how to make them again, and what each chunk hashes to.

Ten million decks are half a gigabyte that anybody can derive from one secret, so a bundle holds
the secret and the SHA-256 of each chunk instead. The counts of the whole run are in it as whole
numbers: from them the battery can be judged again without a deck.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from audit_cli.rng.plan import Run

INDEX_FORMAT: Final = "cutcard-data/1"
COUNTS_FORMAT: Final = "cutcard-totals/1"


def list_chunks(run: Run, decks: Sequence[str], start: int = 0) -> list[dict[str, Any]]:
    """Return each chunk of a run with the SHA-256 of its decks; none where none were derived.

    `start` is the first hand's number in a file.
    """
    return [
        {"decks_sha256": digest, "first": start + run.first(index), "hands": run.chunk}
        for index, digest in enumerate(decks)
    ]


def write_counts(counts: Mapping[str, NDArray[np.int64]]) -> bytes:
    """Return counts as JSON: for each table its shape and its cells in order, one table a line."""
    lines = [
        f"{json.dumps(name)}:"
        + json.dumps(
            {"shape": list(table.shape), "cells": table.ravel().tolist()}, separators=(",", ":")
        )
        for name, table in sorted(counts.items())
    ]
    body = ",\n".join(lines)
    return f'{{"format":"{COUNTS_FORMAT}","tables":{{\n{body}\n}}}}\n'.encode()


def read_counts(data: bytes) -> dict[str, NDArray[np.int64]]:
    """Return what `write_counts` wrote. ValueError for anything else."""
    try:
        value = json.loads(data)
        tables = value["tables"] if value["format"] == COUNTS_FORMAT else None
        found = {
            name: np.array(table["cells"], np.int64).reshape(table["shape"])
            for name, table in (tables or {}).items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        found = {}
    if not found:
        message = "these are no counts of a run"
        raise ValueError(message)
    return found


def write_index(
    kind: str,
    run: Sequence[Mapping[str, Any]],
    confirmation: Sequence[Mapping[str, Any]] | None,
    secrets: Sequence[bytes],
    about: Mapping[str, Any],
) -> bytes:
    """Return `data/index.json` over the chunks of a run, and of its confirmation if it was made.

    `secrets` are the laboratory's, told: of the run and of its confirmation; none where the hands
    can not be derived again. `about` says more of where the hands are from.
    """
    told = [secret.hex() for secret in secrets]
    return json_bytes(
        {
            **about,
            "format": INDEX_FORMAT,
            "kind": kind,
            "rederivable": bool(told),
            "run": {"chunks": list(run), "secret": told[0] if told else None},
            "confirmation": None
            if confirmation is None
            else {
                "chunks": list(confirmation),
                "secret": told[1] if len(told) > 1 else None,
            },
        }
    )
