"""The verdict as an in-toto Statement v1 with the test-result predicate v0.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.rulings import Status, rejected
from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.rng.certify.matrix import Row

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://in-toto.io/attestation/test-result/v0.1"


def write_statement(
    rows: Sequence[Row],
    battery: Mapping[str, Any],
    core: Mapping[str, Any] | None,
    hashes: Mapping[str, str],
) -> bytes:
    """Return the statement: about the core where one was read, else about the results.

    `hashes` are SHA-256 of files of the bundle: the plan, and those that the tests' words are in.
    WARNED stands where nothing failed and something was not shown.
    """
    if core is None:
        subject = [_resource("results/battery.json", hashes)]
    else:
        subject = [
            {"name": each["path"], "digest": {"sha256": each["sha256"]}}
            for each in core["hashes"]["files"]
        ]
    failed = rejected(battery)
    statuses = {row.status for row in rows}
    if Status.FAIL in statuses or battery["decision"] != "pass":
        result = "FAILED"
    else:
        result = "WARNED" if Status.NOT_SHOWN in statuses else "PASSED"
    names = [one["test"] for one in battery["tests"]]
    predicate = {
        "result": result,
        "configuration": [
            _resource(name, hashes) for name in sorted(hashes) if name.startswith("plan/")
        ],
        "passedTests": [
            *(name for name in names if name not in failed),
            *(row.requirement.id for row in rows if row.status is Status.PASS),
        ],
        "warnedTests": [row.requirement.id for row in rows if row.status is Status.NOT_SHOWN],
        "failedTests": [
            *sorted(failed),
            *(row.requirement.id for row in rows if row.status is Status.FAIL),
        ],
    }
    return json_bytes(
        {"_type": STATEMENT, "subject": subject, "predicateType": PREDICATE, "predicate": predicate}
    )


def _resource(name: str, hashes: Mapping[str, str]) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": hashes[name]}}
