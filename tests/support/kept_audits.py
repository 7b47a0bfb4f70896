"""Keeps what tests audit, so that another implementation can be asked the same.

With a folder in `KEPT_AUDITS`, each audit of `audits.judge` is written there once, under the hash
of its input: the game file, what else the auditor brought, and the report.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Final

from audit_cli.checks.check import Request
from audit_cli.report.finding import Report
from audit_cli.report.render import render_json

KEPT_AUDITS: Final = "CUTCARD_KEPT_AUDITS"
TOURNAMENT: Final = b'{"format":"cutcard-tournament/'


def keep_audit(data: bytes, key: str | None, request: Request, report: Report) -> None:
    """Write an audit's input and report, where a folder is named for them.

    Left out are audits that ask for more than files and notes: for the dealer's log, proofs of it,
    a policy of witnesses, or a beacon's network; and those of tournaments, which the program alone
    judges.
    """
    folder = os.environ.get(KEPT_AUDITS)
    if (
        not folder
        or TOURNAMENT in data
        or request.dealer_log
        or request.policy
        or request.beacons
        or request.proofs
    ):
        return
    brought = {
        "key": key,
        "records": [record.data.decode("latin-1") for record in request.mine],
        "notes": [note.text for note in request.outside],
        "required": sorted(promise.value for promise in report.required),
        "test": os.environ.get("PYTEST_CURRENT_TEST", "").removesuffix(" (call)"),
        "report": json.loads(render_json(report)),
    }
    asked = json.dumps({name: brought[name] for name in ("key", "records", "notes", "required")})
    name = hashlib.sha256(data + asked.encode()).hexdigest()[:16]
    place = Path(folder)
    (place / f"{name}.jsonl").write_bytes(data)
    (place / f"{name}.json").write_text(json.dumps(brought), encoding="utf-8")
