"""The SHA-256 by which plans, results and sidecars tell one file from another."""

from __future__ import annotations

from hashlib import file_digest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, lower-case hex. OSError where it can not be read."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
