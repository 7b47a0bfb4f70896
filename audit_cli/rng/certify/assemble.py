"""Puts a bundle together: the files given, what follows from them, the manifest, the signature.

`report/page.write_report` is given the bundle's folder when all but the report, the manifest and
its signature are there, and may read every file of it; `report.json` is its summary.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify import evidence, trace
from audit_cli.rng.certify.attestation import write_statement
from audit_cli.rng.certify.manifest import (
    MANIFEST,
    SIGNATURE,
    Manifest,
    make_entries,
    signed_text,
)
from audit_cli.rng.certify.matrix import count_statuses, make_matrix
from audit_cli.rng.certify.writing import files_of, json_bytes, put

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from audit_cli.rng.certify.matrix import Row

MATRIX: Final = "trace/matrix.json"
MATRIX_TEXT: Final = "trace/matrix.md"
ATTESTATION: Final = "attestation.json"
SUMMARY: Final = "report.json"
REPORT: Final = "report.html"
SUMMARY_FORMAT: Final = "cutcard-report/1"


def assemble(  # noqa: PLR0913  (a bundle has so many makers)
    folder: Path,
    files: Mapping[str, bytes],
    *,
    made: str,
    program: str,
    key: str,
    sign: Callable[[str], str],
    write_report: Callable[[Path], str],
) -> tuple[Row, ...]:
    """Write a bundle into an empty folder, and return its matrix.

    `files` are all that was measured or gathered, by their places; `key` is the whole vkey that
    `sign` signs with, a note's text to the whole note. OSError where a file can not be written.
    """
    for name, data in sorted(files.items()):
        put(folder, name, data)
    read = evidence.read_evidence(folder)
    rows = make_matrix(read)
    put(folder, MATRIX, trace.write_json(rows))
    put(folder, MATRIX_TEXT, trace.write_markdown(rows))
    if read.battery is not None:
        hashes = {name: sha256(data).hexdigest() for name, data in files.items()}
        put(folder, ATTESTATION, write_statement(rows, read.battery, read.core, hashes))
    put(folder, SUMMARY, json_bytes(_summary(read, rows, made, program, key)))
    put(folder, REPORT, write_report(folder).encode())
    entries = make_entries(files_of(folder), trace.answered(rows))
    manifest = Manifest(made, program, key, entries).encode()
    put(folder, MANIFEST, manifest)
    put(folder, SIGNATURE, sign(signed_text(manifest, len(entries))).encode())
    return rows


def _summary(
    read: evidence.Evidence, rows: Sequence[Row], made: str, program: str, key: str
) -> dict[str, Any]:
    battery = read.battery or {}
    core = read.core or {}
    return {
        "format": SUMMARY_FORMAT,
        "made": made,
        "program": program,
        "key": key,
        "decision": battery.get("decision"),
        "why": battery.get("why"),
        "preset": battery.get("preset"),
        "hands": battery.get("hands"),
        "plan": battery.get("plan"),
        "kind": (read.index or {}).get("kind"),
        "rederivable": (read.index or {}).get("rederivable"),
        "core": {
            "fingerprint": core.get("hashes", {}).get("fingerprint"),
            "release": core.get("release"),
            "version": core.get("version"),
        },
        "totals": count_statuses(rows),
    }
