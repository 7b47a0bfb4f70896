"""Builds the project's wheel twice, and records whether the bytes are the same."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

FORMAT: Final = "cutcard-builds/1"
_OPTIONS: Final = (
    "--quiet",
    "--no-deps",
    "--no-index",
    "--no-build-isolation",
    "--disable-pip-version-check",
)
_EPOCH: Final = "1577836800"


def build_twice(root: Path) -> dict[str, Any]:
    """Return the record of two builds of the sources in `root`, or why there are none."""
    if not (root / "pyproject.toml").is_file():
        return not_built("the audit runs from an installation without the project's sources")
    if importlib.util.find_spec("hatchling") is None or importlib.util.find_spec("pip") is None:
        return not_built("pip and hatchling, which build the project, are not installed")
    built = [_build(root), _build(root)]
    if None in built:
        return not_built("the project does not build here")
    (name, first), (other, second) = [each for each in built if each is not None]
    return {
        "format": FORMAT,
        "made": True,
        "source_date_epoch": _EPOCH,
        "wheel": name,
        "sha256": [first, second],
        "same": (name, first) == (other, second),
    }


def not_built(why: str) -> dict[str, Any]:
    """Return the record of builds that were not made."""
    return {"format": FORMAT, "made": False, "why": why}


def _build(root: Path) -> tuple[str, str] | None:
    """Build once; name and SHA-256 of the wheel, None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603  (this Python, and arguments of our own)
            [sys.executable, "-m", "pip", "wheel", *_OPTIONS, "--wheel-dir", folder, str(root)],
            check=False,
            capture_output=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": _EPOCH},
        )
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            return None
        return wheels[0].name, sha256(wheels[0].read_bytes()).hexdigest()
