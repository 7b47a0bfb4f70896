"""The data behind a bundle's figures: how to make them again, and what each chunk hashes to.

Ten million decks are half a gigabyte that anybody can derive from one secret, so a bundle holds
the secret and the SHA-256 of each chunk instead. The counts of the whole run are in it as whole
numbers: from them the battery can be judged again without a deck.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from audit_cli.rng.running.folder import Shelf
    from audit_cli.rng.running.layout import Chunk

INDEX_FORMAT: Final = "cutcard-data/1"
COUNTS_FORMAT: Final = "cutcard-totals/1"


class IncompleteRunError(Exception):
    """A run's folder lacks counts that its results rest on."""


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """A run's chunks with their hashes, and its counts added up."""

    chunks: tuple[dict[str, Any], ...]
    counts: Mapping[str, NDArray[np.int64]]


def add_up(shelf: Shelf, chunks: Iterable[Chunk]) -> Totals:
    """Read every chunk of a run. IncompleteRunError where one is missing or not whole."""
    listed = []
    counts: dict[str, NDArray[np.int64]] = {}
    for chunk in chunks:
        counted = shelf.read(chunk)
        if counted is None:
            message = f"the counts of chunk {chunk.index} are missing or damaged"
            raise IncompleteRunError(message)
        listed.append(
            {
                "decks_sha256": counted.decks_sha256,
                "digests_sha256": counted.digests_sha256,
                "first": counted.first,
                "hands": counted.hands,
            }
        )
        for name, table in counted.counts.items():
            counts[name] = counts[name] + table if name in counts else table.astype(np.int64)
    return Totals(tuple(listed), counts)


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
    run: Totals,
    confirmation: Totals | None,
    secrets: Iterable[bytes],
    about: Mapping[str, Any],
) -> bytes:
    """Return `data/index.json`.

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
            "run": _listed(run, told[:1]),
            "confirmation": None if confirmation is None else _listed(confirmation, told[1:]),
        }
    )


def _listed(totals: Totals, secret: list[str]) -> dict[str, Any]:
    return {
        "secret": secret[0] if secret else None,
        "hands": sum(chunk["hands"] for chunk in totals.chunks),
        "chunks": list(totals.chunks),
    }
