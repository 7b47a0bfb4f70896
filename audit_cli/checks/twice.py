"""CONSISTENT, within the input: files of one game are of one log.

Players and monitors each hold a file of the same game. Where two such files are audited together,
the signed lines of the shorter one begin the longer one; otherwise one key has signed two
histories, and the evidence is written out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from audit_cli.merkle import HASH_BYTES
from audit_cli.report.finding import Finding, Fork, Promise, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from audit_cli.checks.check import Emit
    from audit_cli.gamefile import Header, Signed
    from audit_cli.note import VerifierKey
    from audit_cli.spool import Spool

_AT_ONCE = 64 * 1024


class _Log(NamedTuple):
    """The leaf hashes of a game's signed lines, with the checkpoint that ends them."""

    leaves: Spool
    signed: Signed
    key: VerifierKey


class Twice:
    """Remembers the signed lines of each game, and compares those of a game that comes again."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._logs: dict[str, _Log] = {}

    def end(self, header: Header, leaves: Spool, signed: Signed | None, key: VerifierKey) -> None:
        """Take the signed lines of a game and their last good checkpoint."""
        if signed is None:
            return
        log = _Log(leaves, signed, key)
        before = self._logs.setdefault(header.log_origin, log)
        # Without a trusted key, files of two keys say nothing about each other.
        if before is log or before.key != log.key:
            return
        shared = min(len(before.leaves), len(leaves))
        if _differ(before.leaves, leaves, shared):
            self._break(header, before, log)
        elif len(leaves) > len(before.leaves):
            self._logs[header.log_origin] = log

    def _break(self, header: Header, before: _Log, log: _Log) -> None:
        longer = max(before, log, key=lambda one: len(one.leaves))
        if len(before.leaves) == len(log.leaves):
            shown: tuple[bytes, ...] = ()
        else:
            shown = tuple(_split(longer.leaves))
        notes = (before.signed.text, log.signed.text)
        self._emit.fork(Fork(header.log_origin, log.key.text, notes, shown))
        pairs = enumerate(zip(_split(before.leaves), _split(log.leaves), strict=False))
        entry, (wanted, found) = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
        self._emit.finding(
            Finding(
                Promise.CONSISTENT,
                Verdict.BROKEN,
                f"{log.key} signed another history of this game in a file before ({header.source})",
                game=header.game,
                entry=entry,
                expected=f"leaf hash {wanted.hex()}, as in the file before",
                found=f"leaf hash {found.hex()}",
            )
        )


def _split(leaves: Spool) -> Iterator[bytes]:
    return leaves.blocks(HASH_BYTES)


def _differ(one: Spool, other: Spool, length: int) -> bool:
    """Whether the first `length` bytes are not the same."""
    places = range(0, length, _AT_ONCE)
    return any(
        one.read(at, min(_AT_ONCE, length - at)) != other.read(at, min(_AT_ONCE, length - at))
        for at in places
    )
