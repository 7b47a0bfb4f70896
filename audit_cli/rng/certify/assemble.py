"""Puts a bundle together: the files given, what follows from them, the manifest, the signature.

`report/page.write_report` is given the bundle's folder when all but the report, the manifest and
its signature are there, and may read every file of it; `report.json` is its summary.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from audit_cli.rng.report.page import write_report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from audit_cli.rng.certify.matrix import Row

MATRIX_TEXT: Final = "trace/matrix.md"
ATTESTATION: Final = "attestation.json"
SUMMARY: Final = "report.json"
REPORT: Final = "report.html"
SUMMARY_FORMAT: Final = "cutcard-report/1"


@dataclass(frozen=True, slots=True)
class About:
    """When a bundle was made, by which program, and whose whole vkey signs it."""

    made: str
    program: str
    key: str


def assemble(  # noqa: PLR0913  (a bundle has so many makers)
    folder: Path,
    files: Mapping[str, bytes],
    *,
    made: str,
    program: str,
    key: str,
    sign: Callable[[str], str],
) -> tuple[Row, ...]:
    """Write a bundle into an empty folder, and return its matrix.

    `files` are all that was measured or gathered, by their places; `key` is the whole vkey that
    `sign` signs with, a note's text to the whole note. OSError where a file can not be written.
    """
    for name, data in sorted(files.items()):
        put(folder, name, data)
    read = evidence.read_evidence(folder)
    rows = make_matrix(read)
    hashes = {name: sha256(data).hexdigest() for name, data in files.items()}
    for name, data in follow(read, rows, hashes, About(made, program, key)).items():
        put(folder, name, data)
    put(folder, REPORT, make_report(folder, read, made, key))
    entries = make_entries(files_of(folder), trace.answered(rows))
    manifest = Manifest(made, program, key, entries).encode()
    put(folder, MANIFEST, manifest)
    put(folder, SIGNATURE, sign(signed_text(manifest, len(entries))).encode())
    return rows


def follow(
    read: evidence.Evidence, rows: Sequence[Row], hashes: Mapping[str, str], about: About
) -> dict[str, bytes]:
    """Return the files that follow from a bundle's figures: matrix, statement and summary.

    `hashes` are SHA-256 of its files, those of the plan at the least.
    """
    found = {evidence.MATRIX: trace.write_json(rows), MATRIX_TEXT: trace.write_markdown(rows)}
    if read.battery is not None:
        found[ATTESTATION] = write_statement(rows, read.battery, read.core, hashes)
    found[SUMMARY] = json_bytes(_summary(read, rows, about))
    return found


def make_report(folder: Path, read: evidence.Evidence, made: str, key: str) -> bytes:
    """Return `report.html` of a folder that has all else; ValueError where it has no battery."""
    core: Mapping[str, Any] = read.core or {}
    facts: list[tuple[str, object]] = [("made", made), ("laboratory's key", key)]
    if core:
        facts += [
            ("dealer", f"cutcard {core['release']}" if core["release"] else "cutcard"),
            ("generator's version", core["version"] or "of none that the dealer names"),
            ("generator's fingerprint, SHA-256", core["hashes"]["fingerprint"]),
        ]
    return write_report(folder, facts).encode()


def _summary(read: evidence.Evidence, rows: Sequence[Row], about: About) -> dict[str, Any]:
    battery = read.battery or {}
    core = read.core or {}
    return {
        "format": SUMMARY_FORMAT,
        "made": about.made,
        "program": about.program,
        "key": about.key,
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
