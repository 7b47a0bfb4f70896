"""Environments of their own, in which a wheel and exactly what it asks for are installed.

What it asks for is not fetched: it is linked from the environment of the tests, by the requirements
in the wheel's own metadata, so that what these forget is missing. No network, and no seconds of
unpacking.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePath
from zipfile import ZipFile

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

SECONDS = 120
_PLAIN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("CUTCARD_", "PYTHON", "VIRTUAL_ENV"))
}


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment with the wheel and what it rests on without extras; `extra` adds to it."""

    root: Path
    metadata: Metadata

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.root / "bin" / "python"

    @property
    def site(self) -> Path:
        """Where its packages are."""
        (site,) = self.root.glob("lib/python*/site-packages")
        return site

    def link(self, folder: Path, extras: Iterable[str], more: Iterable[str] = ()) -> Path:
        """Link what extras bring, and `more` besides, into a folder for `run` to look in."""
        requirements = self.metadata.requires_dist or []
        wanted = {Requirement(f"cutcard[{','.join(extras)}]"), *map(Requirement, more)}
        _link(_reached(wanted, requirements), folder)
        return folder

    def run(
        self, command: str, *arguments: object, folder: Path, beside: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder, with what is linked in `beside`."""
        added = {} if beside is None else {"PYTHONPATH": str(beside)}
        return subprocess.run(
            [self.root / "bin" / command, *map(str, arguments)],
            cwd=folder,
            env=_PLAIN | added,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def install(wheel: Path, root: Path) -> Environment:
    """Make an environment at `root` and install the wheel there, with no extra; or take it.

    One that another process has made there is whole, as long as no two make it at once.
    """
    with ZipFile(wheel) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith(".dist-info/METADATA"))
        made = Environment(root, Metadata.from_email(opened.read(name)))
    if root.exists():
        return made
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root], check=True)
    options = "--quiet --no-deps --no-index --disable-pip-version-check"
    python = root / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", *options.split(), wheel],
        check=True,
    )
    made.link(made.site, ())
    return made


def _reached(
    wanted: Iterable[Requirement], own: Iterable[Requirement]
) -> dict[NormalizedName, Distribution]:
    """Return the distributions that requirements bring; `own` are those of the wheel."""
    found: dict[NormalizedName, Distribution] = {}
    done: set[tuple[NormalizedName, frozenset[str]]] = set()
    todo = list(wanted)
    while todo:
        each = todo.pop()
        name = canonicalize_name(each.name)
        if (name, frozenset(each.extras)) in done:
            continue
        done.add((name, frozenset(each.extras)))
        if name == "cutcard":
            needs = list(own)
        else:
            found[name] = distribution(name)
            needs = [Requirement(text) for text in found[name].requires or []]
        todo += [
            need
            for need in needs
            if need.marker is None
            or any(need.marker.evaluate({"extra": extra}) for extra in each.extras or {""})
            or need.marker.evaluate({"extra": ""})
        ]
    return found


def _link(found: Mapping[NormalizedName, Distribution], folder: Path) -> None:
    """Link each folder that one distribution has alone, and single files where several meet."""
    files = [
        (name, PurePath(path), Path(str(path.locate())))
        for name, each in found.items()
        for path in each.files or ()
        if ".." not in path.parts and path.suffix != ".pyc"
    ]
    owners = defaultdict(set)
    for name, path, _ in files:
        for parent in path.parents:
            owners[parent].add(name)
    for name, path, place in files:
        alone = [each for each in reversed(path.parents) if owners[each] == {name}]
        inside = alone[0] if alone and alone[0] != PurePath() else path
        link = folder / inside
        if not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(
                place.parents[len(path.parts) - len(inside.parts) - 1] if inside != path else place
            )
