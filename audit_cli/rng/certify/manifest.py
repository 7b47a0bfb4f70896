"""The list of a bundle's files and the one hash over it that a laboratory signs.

`manifest.json` names every other file but `manifest.sig`, with size, SHA-256, SHA-1 (which GLI's
technical specification asks for and nothing here rests on), what the file is for and which
requirements it answers to. The root hash is the SHA-256 of the manifest's bytes, so that
`sha256sum manifest.json` shows it without this program.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha1, sha256
from typing import TYPE_CHECKING, Any, Final

from audit_cli.problem import Problem, printable
from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FORMAT: Final = "cutcard-evidence/1"
MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.sig"

_BLOCK: Final = 1 << 20
_HEX: Final = re.compile(r"[0-9a-f]+")
_FIELDS: Final = {"path", "requirements", "role", "sha1", "sha256", "size"}


class Role(StrEnum):
    """What a file of the bundle is for, by the folder that it is in."""

    PLAN = "plan"
    DOCUMENT = "document"
    SOURCE = "source"
    SBOM = "sbom"
    KNOWN_ANSWERS = "known answers"
    DATA = "data"
    RESULT = "result"
    REPLAY = "replay"
    TRACE = "trace"
    REPORT = "report"
    ATTESTATION = "attestation"
    ENVIRONMENT = "environment"


ROLES: Final = {
    "plan": Role.PLAN,
    "rng": Role.DOCUMENT,
    "source": Role.SOURCE,
    "sbom": Role.SBOM,
    "kat": Role.KNOWN_ANSWERS,
    "data": Role.DATA,
    "results": Role.RESULT,
    "verify": Role.REPLAY,
    "trace": Role.TRACE,
    "report.html": Role.REPORT,
    "report.json": Role.REPORT,
    "attestation.json": Role.ATTESTATION,
    "environment.json": Role.ENVIRONMENT,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its name with forward slashes, size in bytes, hashes in hex."""

    path: str
    size: int
    sha256: str
    sha1: str
    role: Role
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """All files by rising name, when the bundle was made, by which program, and whose key signs.

    `key` is the whole vkey; that it is the laboratory's, only the laboratory can say.
    """

    made: str
    program: str
    key: str
    entries: tuple[Entry, ...]

    def encode(self) -> bytes:
        """Return the bytes of `manifest.json`."""
        files = [
            {
                "path": entry.path,
                "requirements": list(entry.requirements),
                "role": entry.role.value,
                "sha1": entry.sha1,
                "sha256": entry.sha256,
                "size": entry.size,
            }
            for entry in self.entries
        ]
        return json_bytes(
            {
                "format": FORMAT,
                "files": files,
                "key": self.key,
                "made": self.made,
                "program": self.program,
            }
        )


def role_of(name: str) -> Role | None:
    """Return what the file of this name is for; None where a bundle has no such place."""
    return ROLES.get(name.partition("/")[0])


def measure_file(path: Path) -> tuple[int, str, str]:
    """Return size, SHA-256 and SHA-1 of a file of any size. OSError where it can not be read."""
    size, strong, old = 0, sha256(), sha1(usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            size += len(block)
            strong.update(block)
            old.update(block)
    return size, strong.hexdigest(), old.hexdigest()


def make_entries(
    files: Mapping[str, Path], requirements: Mapping[str, Iterable[str]]
) -> tuple[Entry, ...]:
    """Hash the files of a bundle; `requirements` names those that a file is evidence for.

    ValueError for a file that has no place in a bundle.
    """
    entries = []
    for name, path in sorted(files.items()):
        role = role_of(name)
        if role is None:
            message = f"{name} has no place in a bundle"
            raise ValueError(message)
        answered = tuple(sorted(requirements.get(name, ())))
        entries.append(Entry(name, *measure_file(path), role, answered))
    return tuple(entries)


def root_hash(manifest: bytes) -> bytes:
    """Return the hash that is signed, 32 bytes: SHA-256 of `manifest.json`."""
    return sha256(manifest).digest()


def signed_text(manifest: bytes, files: int) -> str:
    """Return the text of the note in `manifest.sig`: format, number of files, root in hex."""
    return f"{FORMAT}\n{files}\n{root_hash(manifest).hex()}\n"


def parse_manifest(  # noqa: PLR0911  (one return a kind of refusal)
    data: bytes,
) -> Manifest | Problem:
    """Return the manifest of these bytes, or why they are none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return Problem("manifest.json is not JSON")
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return Problem("manifest.json is of another format", f"this program reads {FORMAT}")
    files = value.get("files")
    words = [value.get(name) for name in ("made", "program", "key")]
    if not isinstance(files, list) or not all(isinstance(word, str) for word in words):
        return Problem("manifest.json lacks files, made, program or key")
    entries = []
    for item in files:
        entry = _entry(item)
        if entry is None:
            return Problem(f"manifest.json has an entry that is none: {printable(str(item))}")
        entries.append(entry)
    names = [entry.path for entry in entries]
    if names != sorted(set(names)):
        return Problem("manifest.json names a file twice, or not in order")
    made, program, key = map(str, words)
    manifest = Manifest(made, program, key, tuple(entries))
    if manifest.encode() != data:
        return Problem("manifest.json is not written as this format writes it")
    return manifest


def _entry(item: Any) -> Entry | None:  # noqa: ANN401  (any JSON)
    if not isinstance(item, dict) or set(item) != _FIELDS:
        return None
    path, size, requirements = item["path"], item["size"], item["requirements"]
    role = role_of(path) if isinstance(path, str) else None
    good = (
        role is not None
        and item["role"] == role.value
        and type(size) is int
        and size >= 0
        and _is_hash(item["sha256"], 64)
        and _is_hash(item["sha1"], 40)
        and isinstance(requirements, list)
        and all(isinstance(each, str) for each in requirements)
        and not path.startswith("/")
        and not {"", ".", ".."} & set(path.split("/"))
    )
    if not good or role is None:
        return None
    return Entry(path, size, item["sha256"], item["sha1"], role, tuple(requirements))


def _is_hash(value: object, digits: int) -> bool:
    return isinstance(value, str) and len(value) == digits and _HEX.fullmatch(value) is not None
