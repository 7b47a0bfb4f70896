"""The parts of a bundle that rest on what is installed, and on nothing that was counted."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import audit_cli
from audit_cli.rng.certify import evidence
from audit_cli.rng.certify.components import take_inventory
from audit_cli.rng.certify.core import read_core
from audit_cli.rng.certify.cyclonedx import write_cyclonedx
from audit_cli.rng.certify.documents import read_documents
from audit_cli.rng.certify.environment import describe_distributions, describe_environment
from audit_cli.rng.certify.sources import hash_sources, listed, normalised
from audit_cli.rng.certify.spdx import write_spdx
from audit_cli.rng.certify.vectors import make_sample, make_vectors
from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from audit_cli.rng.outcome import Outcome

CYCLONEDX: Final = "sbom/cyclonedx.json"
SPDX: Final = "sbom/spdx.json"
DISTRIBUTIONS: Final = "source/distributions.json"
BUILDS: Final = "source/builds.json"
LOCK: Final = "source/lock.txt"
_LOCK_FILE: Final = "requirements/dev.txt"


def write_outcomes(outcomes: Iterable[Outcome], engines: Iterable[str]) -> bytes:
    """Return `kat/outcomes.json`: the exact checks of the code, and on which engines."""
    return json_bytes(
        {
            "format": "cutcard-known-answers/1",
            "engines": list(engines),
            "tests": [
                {
                    "test": one.test,
                    "title": one.title,
                    "compared": one.samples,
                    "differed": int(one.statistic),
                    "p": int(one.p),
                }
                for one in outcomes
            ],
        }
    )


def read_answers() -> dict[str, bytes]:
    """Return the public known answers that the code is held to, with their licences."""
    folder = files("audit_cli.rng.code") / "answers"
    return {
        f"kat/answers/{each.name}": normalised(each.read_bytes())
        for each in sorted(folder.iterdir(), key=lambda each: each.name)
        if each.is_file()
    }


def checkout() -> Path:
    """Return the folder that the audit's package stands in: the project's own, or a site."""
    return Path(audit_cli.__path__[0]).parent


def gather_materials(
    path: Sequence[str], made: str, engine: str, builds: Mapping[str, Any]
) -> dict[str, bytes]:
    """Return documents, hash lists, bills of materials, vectors and environment by their places.

    LookupError where the project is not installed on the path, OSError and SyntaxError as reading
    the dealer's sources raises them.
    """
    inventory = take_inventory(path)
    found = read_documents() | read_answers()
    core = read_core(path)
    if core is not None:
        found[evidence.CORE] = json_bytes(core.told())
    found[evidence.AUDIT_SOURCES] = json_bytes(listed(hash_sources(Path(audit_cli.__path__[0]))))
    lock = checkout() / _LOCK_FILE
    if lock.is_file():
        found[LOCK] = normalised(lock.read_bytes())
    found[DISTRIBUTIONS] = json_bytes(describe_distributions(inventory))
    found[BUILDS] = json_bytes(dict(builds))
    found[CYCLONEDX] = write_cyclonedx(inventory, made, audit_cli.__version__)
    found[SPDX] = write_spdx(inventory, made, audit_cli.__version__)
    found[evidence.VECTORS] = make_vectors()
    found[evidence.SAMPLE] = make_sample()
    found[evidence.ENVIRONMENT] = json_bytes(describe_environment(inventory, engine))
    return found
