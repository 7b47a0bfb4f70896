"""Where a bundle was made, as far as it bears on figures: no name of a machine or of a person."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audit_cli.rng.certify.components import Inventory


def describe_environment(inventory: Inventory, engine: str) -> dict[str, Any]:
    """Return system, processor, interpreter and libraries; `engine` is the one that counted."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "byte_order": sys.byteorder,
        "processors": os.cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "engine": engine,
        "versions": {each.name: each.version for each in inventory.components},
    }


def describe_distributions(inventory: Inventory) -> dict[str, Any]:
    """Return for each distribution the hash of its RECORD, and which files differ from it."""
    return {
        "format": "cutcard-distributions/1",
        "about": "a RECORD holds the SHA-256 of each file of a wheel as it was installed",
        "distributions": [
            {
                "name": each.name,
                "version": each.version,
                "record_sha256": each.record,
                "files": each.listed,
                "wrong": list(each.wrong),
            }
            for each in inventory.components
            if each.distribution
        ],
    }
