"""How a bundle's files are written: the same values give the same bytes, on any machine."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

EPOCH_VARIABLE: Final = "SOURCE_DATE_EPOCH"


def json_bytes(value: object) -> bytes:
    """Return indented JSON with sorted keys and a final line feed; ValueError for NaN."""
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a new file of the bundle, with the folders above it; FileExistsError for an old one."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)


def moment(environment: Mapping[str, str], clock: Callable[[], float]) -> str:
    """Return the time that a bundle is dated by: SOURCE_DATE_EPOCH where it is set, else `clock`.

    UTC by the second, `2026-01-01T00:00:00Z`. UsageError where the variable is no time.
    """
    given = environment.get(EPOCH_VARIABLE)
    try:
        seconds = int(clock()) if given is None else int(given)
        told = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        message = f"{EPOCH_VARIABLE} is not a number of seconds since 1970"
        raise UsageError(message) from None
    return told.strftime("%Y-%m-%dT%H:%M:%SZ")


def files_of(folder: Path) -> dict[str, Path]:
    """Return every file under `folder` by its name with forward slashes, sorted.

    What is no plain file (a link, a socket) is among them, so that it can be named as a fault.
    """
    found: dict[str, Path] = {}
    for above, _, names in os.walk(folder):
        for name in names:
            path = folder.__class__(above, name)
            found[path.relative_to(folder).as_posix()] = path
    return dict(sorted(found.items()))
