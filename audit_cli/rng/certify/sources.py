"""Hashes of source files with their line ends normalised, and the fingerprint over them.

A fingerprint is the SHA-256 of the lines `<sha256>  <path>` LF, one for each file by rising path:
what `sha256sum FILES | sha256sum` prints, with the files in the order of their bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1, sha256
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: The part of the dealer that makes decks: its changes are what a new certificate is for.
CORE: Final = "fairness"
DEALER: Final = "dealer_service"


@dataclass(frozen=True, slots=True)
class Source:
    """One file: path from its package's parent, size, lines and hashes, all after LF only."""

    path: str
    size: int
    lines: int
    sha256: str
    sha1: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one package or part of one, by rising path."""

    part: str
    files: tuple[Source, ...]

    @property
    def fingerprint(self) -> str:
        """The hash over all of them, 64 hex digits."""
        lines = "".join(f"{each.sha256}  {each.path}\n" for each in self.files)
        return sha256(lines.encode()).hexdigest()


def normalised(data: bytes) -> bytes:
    """Return a source with LF alone at its line ends, as every checkout can have it."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def hash_sources(package: Path, part: str = "") -> Sources:
    """Hash every `.py` file of a package's folder, or of the part of it that is named.

    FileNotFoundError where there is none.
    """
    parent = package.parent
    files = []
    for path in sorted((package / part).rglob("*.py"), key=lambda each: each.as_posix()):
        data = normalised(path.read_bytes())
        files.append(
            Source(
                path=path.relative_to(parent).as_posix(),
                size=len(data),
                lines=data.count(b"\n"),
                sha256=sha256(data).hexdigest(),
                sha1=sha1(data, usedforsecurity=False).hexdigest(),
            )
        )
    if not files:
        message = f"no sources of {package.name} in {package / part}"
        raise FileNotFoundError(message)
    return Sources(f"{package.name}/{part}".rstrip("/"), tuple(files))


def listed(sources: Sources) -> dict[str, Any]:
    """Return the hash list as JSON holds it."""
    return {
        "part": sources.part,
        "fingerprint": sources.fingerprint,
        "line_ends": "LF",
        "lines": sum(each.lines for each in sources.files),
        "files": [
            {
                "path": each.path,
                "size": each.size,
                "lines": each.lines,
                "sha256": each.sha256,
                "sha1": each.sha1,
            }
            for each in sources.files
        ],
    }


def differences(certified: Mapping[str, Any], found: Sources) -> tuple[str, ...]:
    """Return in words what the installed sources differ in from a hash list of a bundle."""
    before = {each["path"]: each["sha256"] for each in certified["files"]}
    now = {each.path: each.sha256 for each in found.files}
    return tuple(_tell(before, now))


def _tell(before: Mapping[str, str], now: Mapping[str, str]) -> Iterable[str]:
    for path in sorted(before.keys() | now.keys()):
        if path not in now:
            yield f"{path} is missing"
        elif path not in before:
            yield f"{path} was not certified"
        elif before[path] != now[path]:
            yield f"{path} is another"
