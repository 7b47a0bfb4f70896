"""What a bundle says of where its hands are from, beside what their chunks hash to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.hands_file import HandsFileError, read_header
from audit_cli.rng.plan import Kind
from audit_cli.rng.remote import connected
from audit_cli.rng.running.folder import HANDS
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from audit_cli.rng.remote import Described, Where
    from audit_cli.rng.running.planning import Planned

#: What the dealer said of itself, kept in the run's folder so that it is asked once.
_DEALER: Final = "dealer.json"


def tell_origin(folder: Path, planned: Planned, place: Where | None) -> dict[str, Any]:
    """Return what is known of the source before its hands are counted.

    A dealer in certification mode is asked what it is, once for a run. RemoteError where it can
    not be asked, OSError where its answer can not be kept.
    """
    source = planned.plan.source
    told: dict[str, Any] = {
        "commitments": [each for each in (source.commitment, source.confirmation) if each],
        "dealer": None,
        "file_sha256": source.sha256 or None,
    }
    if source.kind is not Kind.DEALER:
        return told
    kept = folder / _DEALER
    if not kept.exists() and place is not None:
        with connected(place) as remote:
            said = _told(remote.describe())
        write_whole(kept, json.dumps(said, sort_keys=True).encode() + b"\n")
    if kept.exists():
        told["dealer"] = json.loads(kept.read_bytes())
    return told


def collected(folder: Path) -> dict[str, str]:
    """Return SHA-256 and words of the hands that were collected into a run's folder, if any."""
    path = folder / HANDS
    try:
        words = read_header(path).source
    except HandsFileError:
        return {}
    return {"sha256": hash_file(path), "words": words}


def _told(said: Described) -> dict[str, Any]:
    return {
        "fingerprint": said.fingerprint,
        "key": said.key,
        "known_answers": list(said.known_answers),
        "origin": said.origin,
        "rng_core": said.rng_core,
        "source": said.source,
        "version": said.version,
    }
