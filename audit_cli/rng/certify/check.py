"""Checks a bundle without a network: its files, its signatures, and what follows from its figures.

The manifest is the root of everything: each file is there once with the hashes that it names, and
no other file is. Then what can be worked out from the files is worked out again: the battery from
the counts, the verdict from the p-values, the matrix from the figures, the vectors from nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isclose
from typing import TYPE_CHECKING, Any, Final

from audit_cli.inputs import reason
from audit_cli.note import NoteVerdict, VerifierKey, parse_note, parse_vkey, verify_note
from audit_cli.problem import Problem, printable
from audit_cli.rng.battery.judge import judge
from audit_cli.rng.certify import evidence, trace, vectors
from audit_cli.rng.certify.data import read_counts
from audit_cli.rng.certify.manifest import (
    MANIFEST,
    SIGNATURE,
    Entry,
    Manifest,
    hash_file,
    parse_manifest,
    signed_text,
)
from audit_cli.rng.certify.matrix import make_matrix
from audit_cli.rng.certify.writing import files_of
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.outcome import Cell, Level, Outcome, Tail
from audit_cli.rng.plan import Plan, PlanError, read_plan
from audit_cli.rng.raw.judge import judge_raw
from audit_cli.rng.raw.sequence import SequenceResult
from audit_cli.rng.results import write_battery
from audit_cli.rng.second_level import Uniformity, measure_uniformity
from audit_cli.rng.verdict import Confirmation, Decision, FamilyError, decide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

#: Printed figures have six digits; one that is worked out again may differ in the last.
_CLOSE: Final = 2e-5
_MANIFEST_LIMIT: Final = 64 << 20


@dataclass(slots=True)
class Findings:
    """What was found: `faults` spoil the bundle, `notes` are to be known, `checked` was done."""

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    root: str = ""
    signer: str = ""
    trusted: bool = False


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
    found.root = hash_file(bundle / MANIFEST)[1]
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
        size, strong, old = hash_file(path)
    except OSError as error:
        found.faults.append(f"{entry.path} can not be read: {reason(error)}")
        return
    if (size, strong, old) != (entry.size, entry.sha256, entry.sha1):
        words = f"{size:,} bytes instead of {entry.size:,}" if size != entry.size else "same size"
        found.faults.append(f"{entry.path} was changed ({words})")


def _check_figures(bundle: Path, manifest: Manifest, found: Findings) -> None:
    read = evidence.read_evidence(bundle)
    if read.vectors is not None:
        if (bundle / evidence.VECTORS).read_bytes() != vectors.make_vectors(read.vectors["decks"]):
            found.faults.append(f"{evidence.VECTORS} is not what this program derives")
        else:
            found.checked.append(f"{evidence.VECTORS} was derived again: the same bytes")
    if read.battery is None:
        found.faults.append(f"{evidence.BATTERY} is missing from the bundle")
        return
    plan = _check_plan(bundle, manifest, read.battery, found)
    if plan is None:
        return
    _check_verdict(plan, read.battery, found)
    if plan.code != hash_code():
        found.notes.append(
            "the results were made by another version of the audit: neither are counts judged "
            "again, nor is the matrix made again"
        )
        return
    _check_matrix(bundle, read, found)
    _check_raw(bundle, read.battery["tests"], found)
    _check_counts(bundle, evidence.COUNTS, read.battery["tests"], found)
    if read.battery["confirmation"] is not None:
        tests = read.battery["confirmation"]["tests"]
        _check_counts(bundle, evidence.CONFIRMATION_COUNTS, tests, found)


def _check_matrix(bundle: Path, read: evidence.Evidence, found: Findings) -> None:
    rows = make_matrix(read)
    for name, expected in (
        ("trace/matrix.json", trace.write_json(rows)),
        ("trace/matrix.md", trace.write_markdown(rows)),
    ):
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


def _check_verdict(plan: Plan, battery: Mapping[str, Any], found: Findings) -> None:
    """Work out the second level and the verdict again from the p-values that are listed."""
    before = len(found.faults)
    outcomes = [_outcome(one) for one in battery["tests"]]
    second = [_uniformity(one, found) for one in battery["second_level"]]
    more = battery["confirmation"]
    confirmation = None
    if more is not None:
        confirmation = Confirmation(
            tuple(_outcome(one) for one in more["tests"]),
            tuple(_uniformity(one, found) for one in more["second_level"]),
        )
    try:
        verdict = decide(plan, outcomes, second, confirmation)
    except FamilyError as error:
        found.faults.append(f"{evidence.BATTERY}: {error}")
        return
    if verdict.decision is Decision.CONFIRM:
        found.faults.append(
            f"{evidence.BATTERY}: the confirmation that its plan asks for is missing"
        )
    secrets = [bytes.fromhex(secret) for secret in battery["secrets"]]
    again = json.loads(
        write_battery(plan, outcomes, second, verdict, confirmation, secrets=secrets)
    )
    for name in (*again, *battery):
        if name not in {"tests", "second_level", "confirmation"} and not _close(
            again.get(name), battery.get(name)
        ):
            words = f"{evidence.BATTERY}: {name} does not follow from the p-values and the plan"
            if words not in found.faults:
                found.faults.append(words)
    words = "does not follow from the p-values"
    _compare_tests(again["tests"], battery["tests"], words, found)
    if more is not None:
        _compare_tests(again["confirmation"]["tests"], more["tests"], words, found)
        if not _close(again["confirmation"]["judged"], more["judged"]):
            found.faults.append(f"{evidence.BATTERY}: the confirmation {words}")
    if len(found.faults) == before:
        number = len(outcomes) + len(second)
        found.checked.append(f"the verdict follows from the {number} p-values that are listed")


def _check_counts(bundle: Path, name: str, tests: list[Mapping[str, Any]], found: Findings) -> None:
    """Judge the counts again, and compare every test that they carry."""
    if not (bundle / name).is_file():
        found.faults.append(f"{name} is missing from the bundle")
        return
    _follow(judge(read_counts((bundle / name).read_bytes())), tests, name, found)


def _check_raw(bundle: Path, tests: list[Mapping[str, Any]], found: Findings) -> None:
    """Judge the sequences of raw bits again, where the run had any."""
    raw = evidence.read_object(bundle, evidence.RAW)
    if raw is not None:
        sequences = [SequenceResult.from_json(one) for one in raw["sequences"]]
        _follow(judge_raw(sequences), tests, evidence.RAW, found)
    elif any(one["test"].startswith("SP800-22") for one in tests):
        found.faults.append(f"{evidence.RAW} is missing from the bundle")


def _follow(
    outcomes: Sequence[Outcome], tests: list[Mapping[str, Any]], name: str, found: Findings
) -> None:
    """Compare outcomes that were worked out from a file with those that are listed."""
    listed = {one["test"]: one for one in tests}
    before = len(found.faults)
    missing = [one.test for one in outcomes if one.test not in listed]
    found.faults += [f"{evidence.BATTERY}: {test} is missing" for test in missing]
    wanted = [_told(one) for one in outcomes if one.test in listed]
    given = [{key: listed[one["test"]][key] for key in one} for one in wanted]
    _compare_tests(wanted, given, f"does not follow from {name}", found)
    if len(found.faults) == before:
        found.checked.append(f"{len(wanted)} tests follow from {name}")


def _compare_tests(
    wanted: list[dict[str, Any]], given: list[dict[str, Any]], words: str, found: Findings
) -> None:
    for one, other in zip(wanted, given, strict=True):
        bad = [name for name in one if not _close(one[name], other.get(name))]
        if bad:
            found.faults.append(f"{evidence.BATTERY}: {other['test']}: {', '.join(bad)} {words}")


def _close(one: Any, other: Any) -> bool:  # noqa: ANN401  (any JSON)
    """Whether two JSON values are equal, numbers to six digits."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-300)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[name], other[name]) for name in one)
    return bool(one == other)


def _told(one: Outcome) -> dict[str, Any]:
    return {
        "test": one.test,
        "title": one.title,
        "level": one.level.value,
        "covers": list(one.covers),
        "samples": one.samples,
        "statistic": one.statistic,
        "df": one.df,
        "null": one.null,
        "tail": one.tail.value,
        "p": one.p,
        "detectable": one.detectable,
        "cells": [[cell.label, cell.observed, cell.expected] for cell in one.cells],
    }


def _outcome(value: Mapping[str, Any]) -> Outcome:
    return Outcome(
        test=value["test"],
        title=value["title"],
        level=Level(value["level"]),
        covers=tuple(value["covers"]),
        samples=value["samples"],
        statistic=value["statistic"],
        df=value["df"],
        null=value["null"],
        tail=Tail(value["tail"]),
        p=value["p"],
        detectable=value["detectable"],
        cells=tuple(Cell(*cell) for cell in value["cells"]),
    )


def _uniformity(value: Mapping[str, Any], found: Findings) -> Uniformity:
    """Return a second-level result; its distance is measured again from the values listed."""
    again = measure_uniformity(value["test"], value["values"])
    # Six digits of each value, so that the distance is right to about as many.
    if abs(again.statistic - value["statistic"]) > 2e-6:
        words = "the distance from uniform does not follow from the values"
        found.faults.append(f"{evidence.BATTERY}: {value['test']} (second level): {words}")
    return Uniformity(value["test"], value["statistic"], value["p"], tuple(value["values"]))
