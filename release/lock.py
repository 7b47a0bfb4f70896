"""Reads a lock: a list of requirements, each one exact version with its hashes, in pip's format.

A lock that was written with annotations also says who asked for each (`# via`).
"""

import re
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

PROJECT = canonicalize_name("cutcard")

_HASH = re.compile(r"\s+--hash=sha256:(?=[0-9a-f]{64}(?:\s|$))")
_ASKED = re.compile(r"^ +#(?: via)? +(?!-[cr] )([\w.-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Locked:
    """One line of a lock: its SHA-256 hashes in hex, and the names of those that asked for it."""

    requirement: Requirement
    hashes: tuple[str, ...]
    asked_by: frozenset[NormalizedName]

    @property
    def name(self) -> NormalizedName:
        """The name as all its spellings share it."""
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        """The one version; of a line that allows others, what it says of them."""
        return str(self.requirement.specifier).removeprefix("==")


def read_lock(text: str) -> list[Locked]:
    """Read a lock's text; `InvalidRequirement` where a line is no requirement."""
    found = []
    for entry in re.split(r"\n(?=\S)", text.rstrip("\n")):
        lines = entry.splitlines()
        code = " ".join(
            line.removesuffix("\\") for line in lines if not line.startswith(" " * 4 + "#")
        )
        named, *hashes = _HASH.split(code.rstrip())
        asked_by = frozenset(canonicalize_name(name) for name in _ASKED.findall(entry))
        found.append(Locked(Requirement(named), tuple(each.strip() for each in hashes), asked_by))
    return found
