"""Which witnesses must have co-signed a checkpoint (C2SP tlog-policy).

A policy names logs, witnesses, groups of them with a threshold, and the quorum: the witness or
group that must have witnessed a checkpoint, or `none`. Each name is a member of one group at
most and is defined before it is used, so that groups are trees and a witness counts in one way.
The file is octets: names are held apart byte for byte, whatever their encoding.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.transcript.cosignature import WitnessKey, parse_witness_vkey
from dealer_service.transcript.note import NoteKey, parse_vkey
from dealer_service.transcript.refusal import Reason, TranscriptError

NO_QUORUM: Final = "none"
MAX_POLICY_BYTES: Final = 1 << 20

_BARRED = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_THRESHOLD = re.compile(r"[1-9][0-9]{0,5}")


@dataclass(frozen=True, slots=True)
class PolicyLog:
    """A log whose checkpoints are accepted; the key's name is the origin line."""

    key: NoteKey
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness by the name that the policy gives it, its key, and where it takes checkpoints."""

    name: str
    key: WitnessKey
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A group: it has witnessed what at least `threshold` of its members have witnessed."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as it is written; `quorum` names a witness, a group or `none`."""

    logs: tuple[PolicyLog, ...]
    witnesses: tuple[Witness, ...]
    groups: tuple[Group, ...]
    quorum: str

    def is_satisfied(self, names: Collection[str]) -> bool:
        """Say whether the witnesses of these policy names, having co-signed, are a quorum."""
        known = {witness.name for witness in self.witnesses}
        witnessed = known.intersection(names)
        for group in self.groups:
            if sum(member in witnessed for member in group.members) >= group.threshold:
                witnessed.add(group.name)
        return self.quorum == NO_QUORUM or self.quorum in witnessed


def parse_policy(text: bytes) -> Policy:
    """Read a policy file's octets.

    TranscriptError POLICY_MALFORMED with the line's number, also for witnesses whose keys are
    not of Ed25519 co-signatures (type 0x04) and logs whose keys are not Ed25519 (type 0x01).
    """
    if len(text) > MAX_POLICY_BYTES:
        _refuse(0, f"{len(text)} bytes, where at most {MAX_POLICY_BYTES} are read")
    reading = _Reading()
    for number, line in enumerate(text.split(b"\n"), start=1):
        if _BARRED.search(line):
            _refuse(number, "a control character other than tab and newline")
        items = re.findall(r"[^ \t]+", line.decode("utf-8", "surrogateescape"))
        if items and not items[0].startswith("#"):
            reading.take(number, items)
    return reading.policy()


class _Reading:
    """A policy as far as it was read."""

    def __init__(self) -> None:
        self._logs: list[PolicyLog] = []
        self._witnesses: list[Witness] = []
        self._groups: list[Group] = []
        self._quorum: str | None = None
        self._defined: set[str] = set()
        self._members: set[str] = set()

    def take(self, number: int, items: list[str]) -> None:
        """Take the items of one line."""
        match items:
            case ["log", vkey, *rest] if len(rest) <= 1:
                self._take_log(number, vkey, rest[0] if rest else None)
            case ["witness", name, vkey, *rest] if len(rest) <= 1:
                self._take_witness(number, name, vkey, rest[0] if rest else None)
            case ["group", name, threshold, *members] if members:
                self._take_group(number, name, threshold, members)
            case ["quorum", name]:
                if self._quorum is not None:
                    _refuse(number, "a second quorum, where there is exactly one")
                if name != NO_QUORUM:
                    self._require_defined(number, name)
                self._quorum = name
            case _:
                _refuse(
                    number,
                    "a line is: log VKEY [URL], witness NAME VKEY [URL], "
                    "group NAME all|any|NUMBER NAME..., or quorum NAME|none",
                )

    def policy(self) -> Policy:
        """Give the whole, when every line was taken."""
        if self._quorum is None:
            _refuse(0, "no quorum, where there is exactly one")
        return Policy(tuple(self._logs), tuple(self._witnesses), tuple(self._groups), self._quorum)

    def _take_log(self, number: int, vkey: str, url: str | None) -> None:
        try:
            key = parse_vkey(vkey)
        except TranscriptError as error:
            _refuse(number, str(error))
        if any(log.key.key.raw == key.key.raw for log in self._logs):
            _refuse(number, "the public key of a log above")
        self._logs.append(PolicyLog(key, url))

    def _take_witness(self, number: int, name: str, vkey: str, url: str | None) -> None:
        self._define(number, name)
        try:
            key = parse_witness_vkey(vkey)
        except TranscriptError as error:
            _refuse(number, str(error))
        if any(witness.key.key.raw == key.key.raw for witness in self._witnesses):
            _refuse(number, "the public key of a witness above")
        self._witnesses.append(Witness(name, key, url))

    def _take_group(self, number: int, name: str, threshold: str, members: list[str]) -> None:
        for member in members:
            self._require_defined(number, member)
            if member in self._members:
                _refuse(number, f"{_shown(member)} is a member already, and may be one once")
            self._members.add(member)
        self._define(number, name)
        if threshold in {"all", "any"}:
            least = len(members) if threshold == "all" else 1
        elif _THRESHOLD.fullmatch(threshold) and int(threshold) <= len(members):
            least = int(threshold)
        else:
            _refuse(number, f"the threshold is all, any or a number from 1 to {len(members)}")
        self._groups.append(Group(name, least, tuple(members)))

    def _define(self, number: int, name: str) -> None:
        if name == NO_QUORUM:
            _refuse(number, f"the name {NO_QUORUM} stands for no quorum alone")
        if name in self._defined:
            _refuse(number, f"{_shown(name)} is defined already")
        self._defined.add(name)

    def _require_defined(self, number: int, name: str) -> None:
        if name not in self._defined:
            _refuse(number, f"{_shown(name)} is no witness or group of a line above")


def _shown(name: str) -> str:
    return ascii(name[:100])


def _refuse(number: int, why: str) -> NoReturn:
    where = f"line {number} of the policy" if number else "the policy"
    message = f"{where}: {why}"
    raise TranscriptError(Reason.POLICY_MALFORMED, message)
