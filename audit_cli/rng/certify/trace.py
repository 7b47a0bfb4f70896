"""The matrix written for programs (`trace/matrix.json`) and for readers (`trace/matrix.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.rng.certify.matrix import count_statuses
from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.certify.matrix import Row

FORMAT = "cutcard-matrix/1"


def write_json(rows: Sequence[Row]) -> bytes:
    """Return `trace/matrix.json`."""
    return json_bytes(
        {
            "format": FORMAT,
            "totals": count_statuses(rows),
            "requirements": [_told(row) for row in rows],
        }
    )


def _told(row: Row) -> dict[str, Any]:
    return {
        "id": row.requirement.id,
        "requirement": row.requirement.title,
        "sources": row.requirement.sources,
        "status": row.status.value,
        "why": row.why,
        "files": list(row.files),
        "tests": list(row.requirement.tests),
    }


def write_markdown(rows: Sequence[Row]) -> bytes:
    """Return `trace/matrix.md`."""
    totals = ", ".join(f"{name} {number}" for name, number in count_statuses(rows).items())
    lines = [
        "# Requirements",
        "",
        f"{totals}.",
        "",
        "PASS and FAIL are worked out from figures in this bundle. BY DOCUMENT rests on",
        "the documents and the project's own tests that are named, which this bundle does not run.",
        "NOT SHOWN says what is missing here.",
        "",
        "| id | requirement | sources | says | why | evidence |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        named = [f"`{name}`" for name in (*row.files, *row.requirement.tests)]
        cells = (
            row.requirement.id,
            row.requirement.title,
            row.requirement.sources,
            row.status.value,
            row.why,
            "<br>".join(named) or "none",
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return ("\n".join(lines) + "\n").encode()


def answered(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return for each file of the bundle the requirements that it is evidence for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for name in row.files:
            found.setdefault(name, []).append(row.requirement.id)
    return found
