"""What is installed, read from files alone: nothing of what is looked at is imported or run.

A package is found by its name on a path of folders, as Python would find it, editable
installations and their `.pth` files included.
"""

from __future__ import annotations

import re
import sys
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?([^;]*)(?:;(.*))?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One requirement of a distribution: whose, with which extras, and for which of its own."""

    name: str
    extras: frozenset[str]
    condition: frozenset[str]


@dataclass(frozen=True, slots=True)
class Installed:
    """One installed distribution, its name normalised."""

    name: str
    version: str
    licence: str
    summary: str
    requires: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """What the RECORD of a distribution says of its files, and what they are.

    `sha256` is of the RECORD, "" where there is none; of its `listed` files with a hash, `wrong`
    are those that have another or are gone.
    """

    sha256: str
    listed: int
    wrong: tuple[str, ...]


def normalise(name: str) -> str:
    """Return a distribution's name as all its spellings share it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def site_path(site: str | None) -> list[str]:
    """Return the folders that packages are looked for in: one site with its `.pth`, or this Python.

    NotADirectoryError for a site that is no folder.
    """
    if site is None:
        return list(sys.path)
    folder = Path(site)
    if not folder.is_dir():
        raise NotADirectoryError(site)
    path = [str(folder)]
    for file in sorted(folder.glob("*.pth")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            entry = line.strip()
            # A line that begins with `import` would be run by Python: here nothing is.
            if entry and not entry.startswith(("#", "import ", "import\t")):
                path.append(str(folder / entry))
    return path


def find_package(name: str, path: Sequence[str]) -> Path | None:
    """Return the folder of a package without importing it; None where it is not there."""
    spec = PathFinder.find_spec(name, list(path))
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def read_installed(path: Sequence[str]) -> dict[str, Installed]:
    """Return every distribution on a path by its normalised name; the first of a name counts."""
    found: dict[str, Installed] = {}
    for each in _distributions(path):
        name = normalise(_told(each, "Name"))
        if name and name not in found:
            found[name] = _read(name, each)
    return dict(sorted(found.items()))


def reachable(
    installed: dict[str, Installed], root: str, extras: frozenset[str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the distributions that `root` rests on, each with those that it asks for itself.

    Only what is installed counts, so that a condition on a platform needs no judging. `extras`
    of the root: None for all of them.
    """
    edges: dict[str, set[str]] = {}
    todo: list[tuple[str, frozenset[str] | None]] = [(root, extras)]
    done: set[tuple[str, frozenset[str] | None]] = set()
    while todo:
        name, chosen = item = todo.pop()
        if item in done or name not in installed:
            continue
        done.add(item)
        beneath = edges.setdefault(name, set())
        for wanted in installed[name].requires:
            asked = not wanted.condition or chosen is None or bool(wanted.condition & chosen)
            if asked and wanted.name in installed:
                if wanted.name != name:
                    beneath.add(wanted.name)
                todo.append((wanted.name, wanted.extras))
    return {name: tuple(sorted(edges[name])) for name in sorted(edges)}


def check_records(path: Sequence[str], names: Container[str]) -> dict[str, Record]:
    """Hash the files of installed distributions, and compare them with their RECORDs."""
    found: dict[str, Record] = {}
    for each in _distributions(path):
        name = normalise(_told(each, "Name"))
        if name in names and name not in found:
            found[name] = _check(each)
    return found


def _check(found: Distribution) -> Record:
    record = found.read_text("RECORD") or ""
    listed, wrong = 0, []
    for file in (found.files if record else None) or ():
        if file.hash is None:
            continue
        listed += 1
        try:
            data = Path(str(file.locate())).read_bytes()
        except OSError:
            wrong.append(str(file))
            continue
        if file.hash.mode != "sha256" or sha256(data).digest() != _decode(file.hash.value):
            wrong.append(str(file))
    digest = sha256(record.encode()).hexdigest() if record else ""
    return Record(digest, listed, tuple(sorted(wrong)))


def _read(name: str, found: Distribution) -> Installed:
    return Installed(
        name=name,
        version=found.version,
        licence=_told(found, "License-Expression"),
        summary=_told(found, "Summary"),
        requires=tuple(_wanted(found.requires or [])),
    )


def _distributions(path: Sequence[str]) -> Iterable[Distribution]:
    """Find distributions by the standard library's finder alone.

    Another that is imported (`importlib_metadata`) leaves files out that are gone.
    """
    return MetadataPathFinder().find_distributions(DistributionFinder.Context(path=list(path)))


def _told(found: Distribution, name: str) -> str:
    """Return what the metadata say under a name, empty where nothing."""
    about = found.metadata
    return about[name] if name in about else ""  # noqa: SIM401  (its type has no `get`)


def _decode(value: str) -> bytes:
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))


def _wanted(texts: list[str]) -> list[Wanted]:
    found = []
    for text in texts:
        match = _REQUIREMENT.match(text)
        if match is None:
            continue
        name, extras, _, marker = match.groups()
        chosen = frozenset(each.strip() for each in (extras or "").split(",") if each.strip())
        found.append(Wanted(normalise(name), chosen, frozenset(_EXTRA.findall(marker or ""))))
    return found
