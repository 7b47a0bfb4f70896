"""Holds a bundle's results against its plan: what the plan fixed before the data has to be there.

The plan is the one that this program makes of the same choices, so that neither the rule nor a test
was changed in it. Results tell the secrets that it commits to, are of as many decks, blocks and
sequences as it names, and leave out no exact check, though these are no part of its family.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.data import read_counts
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.lab import commit_lab, confirm_lab
from audit_cli.rng.outcome import Level
from audit_cli.rng.plan import ALPHA, CERTAIN, PRESETS, Kind, Plan, PlanError, Run, make_plan
from audit_cli.rng.raw.judge import raw_tests

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from audit_cli.rng.certify.evidence import Evidence
    from audit_cli.rng.certify.findings import Findings

_DECKS: Final = "decks"


def check_promised(bundle: Path, plan: Plan, read: Evidence, found: Findings) -> None:
    """Check everything that the plan fixed. Raises what reading another format does."""
    before = len(found.faults)
    battery, index = read.battery or {}, read.index
    _check_rule(plan, found)
    _check_secrets(plan, battery, found)
    _check_amounts(bundle, plan, battery, found)
    _check_exact(battery, read.code, found)
    if index is None:
        found.faults.append(f"{evidence.INDEX} is missing from the bundle")
    else:
        _check_index(plan, battery, index, found)
    if len(found.faults) == before:
        found.checked.append("results are of the decks, secrets and checks that the plan fixed")


def _check_rule(plan: Plan, found: Findings) -> None:
    if (plan.alpha, plan.certain) != (ALPHA, CERTAIN):
        found.faults.append(
            f"{evidence.PLAN}: alpha {plan.alpha} and certain {plan.certain}, "
            f"where the rule is {ALPHA} and {CERTAIN}"
        )
    if plan.code != hash_code():
        return
    preset = plan.preset if plan.preset in PRESETS else None
    try:
        made = make_plan(
            plan.source,
            preset=preset or "quick",
            hands=None if preset else plan.run.hands,
            raw=() if plan.source.kind is Kind.DECKS else raw_tests(),
            code=plan.code,
        )
    except PlanError as error:
        found.faults.append(f"{evidence.PLAN}: {error}")
        return
    if made != plan:
        found.faults.append(f"{evidence.PLAN} is not the plan that this program makes of its run")


def _check_secrets(plan: Plan, battery: Mapping[str, Any], found: Findings) -> None:
    """Check that the secrets told are those of the plan, and note what was known before it."""
    source = plan.source
    if source.kind in {Kind.HANDS, Kind.DECKS}:
        found.notes.append("the hands were there before the plan: who made it could know them")
    told = [bytes.fromhex(secret) for secret in battery["secrets"]]
    committed = []
    if source.kind is Kind.LAB:
        committed = [source.commitment]
        if battery["confirmation"] is not None:
            committed.append(source.confirmation)
    if [commit_lab(secret).hex() for secret in told] != committed:
        found.faults.append(
            f"{evidence.BATTERY}: its secrets are not those that {evidence.PLAN} commits to"
        )
    elif told and commit_lab(confirm_lab(told[0])).hex() == source.confirmation:
        found.notes.append("the secret was named by who made the plan, and could be known before")


def _check_amounts(bundle: Path, plan: Plan, battery: Mapping[str, Any], found: Findings) -> None:
    _check_blocks(plan.run, battery["second_level"], found)
    _check_decks(bundle, evidence.COUNTS, plan.run, found)
    if battery["confirmation"] is not None:
        _check_blocks(plan.confirmation, battery["confirmation"]["second_level"], found)
        _check_decks(bundle, evidence.CONFIRMATION_COUNTS, plan.confirmation, found)
    raw = evidence.read_object(bundle, evidence.RAW)
    sequences = 0 if raw is None else len(raw["sequences"])
    if sequences != plan.sequences:
        found.faults.append(
            f"{evidence.RAW} has {sequences} sequences, where the plan names {plan.sequences}"
        )


def _check_blocks(run: Run, second: list[Mapping[str, Any]], found: Findings) -> None:
    for one in second:
        if len(one["values"]) != run.blocks:
            words = f"{len(one['values'])} values, where the plan has {run.blocks} blocks"
            found.faults.append(f"{evidence.BATTERY}: {one['test']} (second level): {words}")


def _check_decks(bundle: Path, name: str, run: Run, found: Findings) -> None:
    if not (bundle / name).is_file():  # whether it has to be there, the tests of decks decide
        return
    decks = int(read_counts((bundle / name).read_bytes())[_DECKS].sum())
    if decks != run.hands:
        found.faults.append(f"{name} is of {decks:,} decks, where the plan names {run.hands:,}")


def _check_exact(
    battery: Mapping[str, Any], code: Mapping[str, Any] | None, found: Findings
) -> None:
    """Check that all checks of the code are listed, as they came out."""
    if code is None:
        found.faults.append(f"{evidence.CODE} is missing from the bundle")
        return
    wanted = [(one["test"], one["compared"], one["differed"], one["p"]) for one in code["tests"]]
    listed = [
        (one["test"], one["samples"], one["statistic"], one["p"])
        for one in battery["tests"]
        if one["level"] == Level.CODE
    ]
    if wanted != listed:
        found.faults.append(f"{evidence.BATTERY}: checks of the code are not as {evidence.CODE}")


def _check_index(
    plan: Plan, battery: Mapping[str, Any], index: Mapping[str, Any], found: Findings
) -> None:
    source = plan.source
    said = {
        "kind": source.kind.value,
        "commitments": [each for each in (source.commitment, source.confirmation) if each],
        "file_sha256": source.sha256 or None,
    }
    bad = [name for name, value in said.items() if index[name] != value]
    parts = [index["run"], *([] if index["confirmation"] is None else [index["confirmation"]])]
    if [part["secret"] for part in parts if part["secret"]] != battery["secrets"]:
        bad.append("secret")
    if (index["confirmation"] is None) != (battery["confirmation"] is None):
        bad.append("confirmation")
    # A confirmation of raw bits alone derives no chunk of decks.
    for part, run in zip(parts, (plan.run, plan.confirmation), strict=False):
        chunks = [(each["first"], each["hands"]) for each in part["chunks"]]
        if not chunks and part is not index["run"]:
            continue
        start = chunks[0][0] if chunks else 0
        if chunks != [(start + run.first(each), run.chunk) for each in range(run.chunks)]:
            bad.append("chunks")
    if bad:
        found.faults.append(
            f"{evidence.INDEX}: {', '.join(bad)} other than {evidence.PLAN} and results"
        )
