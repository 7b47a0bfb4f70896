"""C2SP `tlog-policy`: which logs and witnesses an auditor trusts, and how many are enough.

The file is octets, with lines ended by LF and items apart by spaces and tabs. Names mean nothing
outside the file; a group counts as a witness when enough of its members do, and each name is a
member once at most. A line is read by what stands before it, so no group can hold itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from audit_cli.log.cosignature import WitnessKey, parse_witness_key
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.problem import Problem, printable

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_POLICY = 1024 * 1024
NONE = "none"

_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_COUNT = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


@dataclass(frozen=True, slots=True)
class TrustedLog:
    """A log of the policy, with the address that its line gives."""

    key: VerifierKey
    url: str | None


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness of the policy by its name there, with the address that its line gives."""

    name: str
    key: WitnessKey
    url: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """So many of these members, witnesses or groups, count as one."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """A whole policy. `quorum` is the name of a witness or group, or "none"."""

    logs: tuple[TrustedLog, ...]
    witnesses: tuple[Witness, ...]
    groups: tuple[Group, ...]
    quorum: str

    def is_satisfied(self, names: Collection[str]) -> bool:
        """Whether the witnesses of these names (the policy's own) are a quorum together."""
        held = {witness.name for witness in self.witnesses if witness.name in names}
        for group in self.groups:
            if sum(member in held for member in group.members) >= group.threshold:
                held.add(group.name)
        return self.quorum == NONE or self.quorum in held

    def names_of(self, keys: Collection[WitnessKey]) -> frozenset[str]:
        """Return the policy's names of the witnesses with these keys."""
        return frozenset(witness.name for witness in self.witnesses if witness.key in keys)


class _RefusedError(Exception):
    """Carries a problem out of the reading of a line; never leaves this module."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class _Reader:
    """What the lines so far define."""

    def __init__(self) -> None:
        self.logs: list[TrustedLog] = []
        self.witnesses: list[Witness] = []
        self.groups: list[Group] = []
        self.quorum: str | None = None
        self._names: set[str] = set()
        self._members: set[str] = set()

    def read(self, words: list[str]) -> None:
        readers = {
            "log": self._log,
            "witness": self._witness,
            "group": self._group,
            "quorum": self._quorum,
        }
        reader = readers.get(words[0])
        if reader is None:
            _refuse(f"a line that begins with {printable(words[0])!r}", ", ".join(readers))
        reader(words[1:])

    def _log(self, words: list[str]) -> None:
        if len(words) not in {1, 2}:
            _refuse("a log line of another form", "log VKEY [URL]")
        key = parse_vkey(words[0])
        if isinstance(key, Problem):
            _refuse(key.reason, key.hint)
        if any(log.key.key == key.key for log in self.logs):
            _refuse("the key of a log twice", "each log stands once")
        self.logs.append(TrustedLog(key, words[1] if len(words) == 2 else None))

    def _witness(self, words: list[str]) -> None:
        if len(words) not in {2, 3}:
            _refuse("a witness line of another form", "witness NAME VKEY [URL]")
        self._define(words[0])
        key = parse_witness_key(words[1])
        if isinstance(key, Problem):
            _refuse(key.reason, key.hint)
        if any(witness.key.key == key.key for witness in self.witnesses):
            _refuse("the key of a witness twice", "each witness stands once")
        self.witnesses.append(Witness(words[0], key, words[2] if len(words) == 3 else None))

    def _group(self, words: list[str]) -> None:
        if len(words) < 3:
            _refuse("a group line of another form", "group NAME all|any|COUNT NAME...")
        name, threshold, *members = words
        for member in members:
            if member not in self._names:
                _refuse(f"the member {printable(member)!r} is not defined before its group")
            if member in self._members:
                _refuse(f"{printable(member)!r} is a member twice", "a name is a member once")
            self._members.add(member)
        self._define(name)
        counts = {"all": len(members), "any": 1}
        number = int(threshold) if _COUNT.fullmatch(threshold) else counts.get(threshold, 0)
        if not 1 <= number <= len(members):
            hint = f"all, any, or a number from 1 to {len(members)}"
            _refuse(f"a group of {printable(threshold)!r} of its members", hint)
        self.groups.append(Group(name, number, tuple(members)))

    def _quorum(self, words: list[str]) -> None:
        if self.quorum is not None:
            _refuse("a second quorum line", "a policy has exactly one")
        if len(words) != 1:
            _refuse("a quorum line of another form", "quorum NAME, or quorum none")
        if words[0] != NONE and words[0] not in self._names:
            _refuse(f"the quorum {printable(words[0])!r} is not defined before its line")
        self.quorum = words[0]

    def _define(self, name: str) -> None:
        if name == NONE:
            _refuse("the name none is taken", "give the witness or group another name")
        if name in self._names:
            _refuse(f"the name {printable(name)!r} twice", "witnesses and groups share their names")
        self._names.add(name)


def _refuse(reason: str, hint: str = "") -> NoReturn:
    raise _RefusedError(reason, hint)


def parse_policy(data: bytes | str) -> Policy | Problem:
    """Return the policy that a file holds, or the first line that is wrong.

    Octets beyond ASCII are kept as they are, so that names compare as octets.
    """
    octets = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    if len(octets) > MAX_POLICY:
        return Problem(f"a policy of more than {MAX_POLICY:,} bytes")
    control = _CONTROL.search(octets)
    if control is not None:
        return Problem("a control character in the policy", "LF and tab alone", control.start())
    reader = _Reader()
    text = octets.decode("utf-8", "surrogateescape")
    for number, line in enumerate(text.split("\n"), 1):
        words = line.replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        try:
            reader.read(words)
        except _RefusedError as refused:
            return Problem(f"line {number} of the policy: {refused.reason}", refused.hint)
    if reader.quorum is None:
        return Problem("a policy without a quorum line", "quorum NAME, or quorum none")
    return Policy(tuple(reader.logs), tuple(reader.witnesses), tuple(reader.groups), reader.quorum)
