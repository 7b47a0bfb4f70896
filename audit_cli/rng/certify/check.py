"""Checks a bundle without a network: its files, its signatures, and what follows from its figures.

The manifest is the root of everything: each file is there once with the hashes that it names, and
no other file is. Then what can be worked out from the files is worked out again: the battery from
the counts, the verdict from the p-values, the matrix from the figures, the vectors from nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.inputs import reason
from audit_cli.note import NoteVerdict, VerifierKey, parse_note, parse_vkey, verify_note
from audit_cli.problem import Problem, printable
from audit_cli.rng.certify import evidence, vectors
from audit_cli.rng.certify.assemble import REPORT, About, follow, make_report
from audit_cli.rng.certify.findings import Findings
from audit_cli.rng.certify.follow import check_counts, check_duplicates, check_raw, check_verdict
from audit_cli.rng.certify.manifest import (
    MANIFEST,
    SIGNATURE,
    Entry,
    Manifest,
    measure_file,
    parse_manifest,
    root_hash,
    signed_text,
)
from audit_cli.rng.certify.matrix import make_matrix
from audit_cli.rng.certify.promised import check_promised
from audit_cli.rng.certify.writing import files_of
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.outcome import Level
from audit_cli.rng.plan import Plan, PlanError, read_plan

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MANIFEST_LIMIT: Final = 64 << 20


def check_bundle(bundle: Path, trusted: VerifierKey | None = None) -> Findings:
    """Check everything that the bundle's own files can show. OSError for a folder not readable."""
    found = Findings()
    manifest = _check_root(bundle, trusted, found)
    if manifest is None:
        return found
    _check_files(bundle, manifest, found)
    if found.faults:
        # Figures of files that are not the signed ones show nothing.
        found.notes.append("figures were not worked out again, because files are not as signed")
        return found
    try:
        _check_figures(bundle, manifest, found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        found.faults.append(f"the results are not of this format: {printable(str(error), 200)}")
    return found


def _check_root(bundle: Path, trusted: VerifierKey | None, found: Findings) -> Manifest | None:
    data = _read(bundle / MANIFEST, found)
    note = _read(bundle / SIGNATURE, found)
    if data is None:
        return None
    manifest = parse_manifest(data)
    if isinstance(manifest, Problem):
        found.faults.append(manifest.reason)
        return None
    found.root = root_hash(data).hex()
    key = trusted or parse_vkey(manifest.key)
    if isinstance(key, Problem):
        found.faults.append(f"{MANIFEST}: {key.reason}")
    elif note is not None:
        found.signer, found.trusted = key.text, trusted is not None
        _check_note(SIGNATURE, note, signed_text(data, len(manifest.entries)), key, found)
    if trusted is not None and manifest.key != trusted.text:
        found.faults.append(f"{MANIFEST} names another key than the one that is trusted")
    return manifest


def _read(path: Path, found: Findings) -> bytes | None:
    try:
        if not path.is_file() or path.is_symlink():
            found.faults.append(f"{path.name} is missing")
            return None
        with path.open("rb") as file:
            data = file.read(_MANIFEST_LIMIT + 1)
    except OSError as error:
        found.faults.append(f"{path.name} can not be read: {reason(error)}")
        return None
    if len(data) > _MANIFEST_LIMIT:
        found.faults.append(f"{path.name} is larger than any")
        return None
    return data


def _check_note(
    name: str, data: bytes, text: str | None, key: VerifierKey, found: Findings
) -> str | None:
    """Check a signed note, and that it says `text` where that is known; return what it says."""
    note = parse_note(data)
    if isinstance(note, Problem):
        found.faults.append(f"{name}: {note.reason}")
        return None
    if text is not None and note.text != text:
        found.faults.append(f"{name} signs another root than that of {MANIFEST}")
    verdict = verify_note(note, [key])
    if verdict.verdict is not NoteVerdict.OK:
        why = {
            NoteVerdict.INVALID_SIGNATURE: "its signature is wrong",
            NoteVerdict.NO_VERIFIABLE_SIGNATURE: f"it is not signed by {key}",
        }.get(verdict.verdict, verdict.verdict.value)
        found.faults.append(f"{name}: {why}")
        return None
    found.checked.append(f"{name} is signed by {key}")
    return note.text


def _check_files(bundle: Path, manifest: Manifest, found: Findings) -> None:
    present = files_of(bundle)
    for own in (MANIFEST, SIGNATURE):
        present.pop(own, None)
    for entry in manifest.entries:
        path = present.pop(entry.path, None)
        if path is None:
            found.faults.append(f"{entry.path} is missing")
        elif path.is_symlink() or not path.is_file():
            found.faults.append(f"{entry.path} is no plain file")
        else:
            _check_file(entry, path, found)
    found.faults += [f"{printable(name, 200)} was added" for name in present]
    if not found.faults:
        found.checked.append(f"{len(manifest.entries)} files are those of the manifest")


def _check_file(entry: Entry, path: Path, found: Findings) -> None:
    try:
        size, strong, old = measure_file(path)
    except OSError as error:
        found.faults.append(f"{entry.path} can not be read: {reason(error)}")
        return
    if (size, strong, old) != (entry.size, entry.sha256, entry.sha1):
        words = f"{size:,} bytes instead of {entry.size:,}" if size != entry.size else "same size"
        found.faults.append(f"{entry.path} was changed ({words})")


def _check_figures(bundle: Path, manifest: Manifest, found: Findings) -> None:
    read = evidence.read_evidence(bundle)
    if read.vectors is not None:
        _check_made(bundle, evidence.VECTORS, vectors.make_vectors(read.vectors["decks"]), found)
    if evidence.SAMPLE in read.files:
        _check_made(bundle, evidence.SAMPLE, vectors.make_sample(), found)
    if read.battery is None:
        found.faults.append(f"{evidence.BATTERY} is missing from the bundle")
        return
    plan = _check_plan(bundle, manifest, read.battery, found)
    if plan is None:
        return
    check_verdict(plan, read.battery, found)
    check_promised(bundle, plan, read, found)
    unconfirmed = (read.index or {}).get("unconfirmed")
    if unconfirmed:
        found.notes.append(f"suspects were not tested once more: {unconfirmed}")
    if plan.code != hash_code():
        found.notes.append(
            "the results were made by another version of the audit: neither are counts judged "
            "again, nor is the matrix made again"
        )
        return
    _check_told(bundle, manifest, read, found)
    check_raw(bundle, read.battery["tests"], found)
    check_duplicates(read.battery["tests"], found)
    check_counts(bundle, evidence.COUNTS, read.battery["tests"], found)
    if read.battery["confirmation"] is not None:
        tests = read.battery["confirmation"]["tests"]
        # Where raw bits alone were suspect, no deck was counted once more.
        if any(Level(one["level"]) not in {Level.CODE, Level.RAW} for one in tests):
            check_counts(bundle, evidence.CONFIRMATION_COUNTS, tests, found)


def _check_made(bundle: Path, name: str, made: bytes, found: Findings) -> None:
    """Compare a file with what this program makes of nothing but itself."""
    if (bundle / name).read_bytes() == made:
        found.checked.append(f"{name} was derived again: the same bytes")
    else:
        found.faults.append(f"{name} is not what this program derives")


def _check_told(bundle: Path, manifest: Manifest, read: evidence.Evidence, found: Findings) -> None:
    """Make everything again that is told of the figures, from matrix to report."""
    about = About(manifest.made, manifest.program, manifest.key)
    hashes = {entry.path: entry.sha256 for entry in manifest.entries}
    told = follow(read, make_matrix(read), hashes, about)
    told[REPORT] = make_report(bundle, read, manifest.made, manifest.key)
    for name, expected in told.items():
        if name not in read.files or (bundle / name).read_bytes() != expected:
            found.faults.append(f"{name} does not follow from the bundle's figures")
        else:
            found.checked.append(f"{name} follows from the bundle's figures")


def _check_plan(
    bundle: Path, manifest: Manifest, battery: Mapping[str, Any], found: Findings
) -> Plan | None:
    key = parse_vkey(manifest.key)
    if isinstance(key, Problem) or not (bundle / evidence.PLAN).is_file():
        found.faults.append(f"{evidence.PLAN} is missing from the bundle")
        return None
    text = _check_note(evidence.PLAN, (bundle / evidence.PLAN).read_bytes(), None, key, found)
    if text is None:
        return None
    try:
        plan = read_plan(text)
    except PlanError as error:
        found.faults.append(f"{evidence.PLAN}: {error}")
        return None
    if (plan.id, plan.run.hands, plan.run.blocks) != (
        battery["plan"],
        battery["hands"],
        battery["blocks"],
    ):
        found.faults.append(f"{evidence.BATTERY} is of another plan than {evidence.PLAN}")
        return None
    return plan
