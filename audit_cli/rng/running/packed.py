"""What workers give as bytes, for a file or a wire, that tell when they were damaged.

Counts are an npz archive, read without pickle, with a member `head` beside the tables: JSON that
names the plan, the chunk and what the decks' and the digests' bytes hash to, and the SHA-256 of all
tables. Digests are 8 bytes each, little-endian, in the order of the hands. What was said of
raw bits is a line of JSON under a line with its SHA-256.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from audit_cli.rng.measured import Measured
    from audit_cli.rng.running.layout import Bits

_FORMAT: Final = "cutcard-counts/1"
_HEAD: Final = "head"


@dataclass(frozen=True, slots=True)
class Packed:
    """Both parts of a counted chunk."""

    counts: bytes = field(repr=False)
    digests: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What the counts of a chunk say: `Measured` with the digests' SHA-256 in their place."""

    first: int
    hands: int
    counts: Mapping[str, NDArray[np.int64]]
    decks_sha256: str
    digests_sha256: str


def pack(measured: Measured, plan: str) -> Packed:
    """Return a chunk as bytes, under the plan of that ID."""
    digests = measured.digests.astype("<u8", copy=False).tobytes()
    tables = {
        name: np.ascontiguousarray(measured.counts[name], "<i8") for name in sorted(measured.counts)
    }
    head = {
        "decks_sha256": measured.sha256,
        "digests_sha256": sha256(digests).hexdigest(),
        "first": measured.first,
        "format": _FORMAT,
        "hands": measured.hands,
        "plan": plan,
        "tables_sha256": _hash_tables(tables),
    }
    members: dict[str, NDArray[Any]] = {
        _HEAD: np.frombuffer(json.dumps(head, sort_keys=True).encode("ascii"), np.uint8),
        **tables,
    }
    archive = io.BytesIO()
    np.savez(archive, allow_pickle=False, **members)
    return Packed(archive.getvalue(), digests)


def unpack(data: bytes, plan: str) -> Counted | None:
    """Return what `pack` wrote under that plan; None for anything else, damaged or foreign."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            members = {name: archive[name] for name in archive.files}
        head = json.loads(members.pop(_HEAD).tobytes())
        intact = (head["format"], head["plan"], head["tables_sha256"]) == (
            _FORMAT,
            plan,
            _hash_tables(members),
        )
        counted = Counted(
            head["first"], head["hands"], members, head["decks_sha256"], head["digests_sha256"]
        )
    except Exception:  # noqa: BLE001  (an archive can be damaged in more ways than errors have names)
        return None
    return counted if intact else None


def pack_bits(bits: Bits, result: Mapping[str, Any], plan: str) -> bytes:
    """Return what was said of raw bits as bytes, under the plan of that ID."""
    whole = {"bits": bits.name, "first": bits.first, "plan": plan, "result": result}
    line = json.dumps(whole, sort_keys=True).encode()
    return sha256(line).hexdigest().encode() + b"\n" + line + b"\n"


def unpack_bits(data: bytes, bits: Bits, plan: str) -> dict[str, Any] | None:
    """Return the result that `pack_bits` was given of these bits; None for anything else."""
    digest, _, line = data.removesuffix(b"\n").partition(b"\n")
    if sha256(line).hexdigest().encode() != digest:
        return None
    whole = json.loads(line)
    if (whole["plan"], whole["bits"], whole["first"]) != (plan, bits.name, bits.first):
        return None
    result: dict[str, Any] = whole["result"]
    return result


def _hash_tables(tables: Mapping[str, NDArray[Any]]) -> str:
    whole = sha256()
    for name in sorted(tables):
        table = tables[name]
        whole.update(f"{name} {table.dtype.str} {table.shape}\n".encode())
        whole.update(np.ascontiguousarray(table).data)
    return whole.hexdigest()
