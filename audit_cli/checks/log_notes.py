"""CONSISTENT, of the dealer's log itself: all its checkpoints are of one log.

They come from the published log, from the file, with proofs, and from other people. Two of one
size with two roots, or one whose root the published tree had not at its size, prove a fork.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from audit_cli.note import NoteVerdict, VerifierKey, verify_note
from audit_cli.problem import Problem
from audit_cli.report.finding import Finding, Fork, Promise, Verdict

if TYPE_CHECKING:
    from audit_cli.checkpoint import Checkpoint
    from audit_cli.checks.check import Emit
    from audit_cli.checks.dealer_log import WholeLog
    from audit_cli.note import Note


class _Kept(NamedTuple):
    """A checkpoint of a dealer's log with its note's text and where it was read."""

    checkpoint: Checkpoint
    text: str
    source: str


class LogNotes:
    """Keeps the checkpoints of dealers' logs whose signature holds, and compares them.

    `agreeing` counts those that say the same as one from elsewhere; `forked` tells that two do not.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        # By origin and key, then by size.
        self._kept: dict[tuple[str, str], dict[int, _Kept]] = {}
        self.forked = False
        self.agreeing = 0

    def take(
        self,
        key: VerifierKey,
        origin: str,
        note: Note,
        checkpoint: Checkpoint,
        where: tuple[str, str],
    ) -> bool:
        """Whether a checkpoint is one of the log of `origin` under `key`; it is kept if so.

        `where` is the note's text and where it was read.
        """
        if checkpoint.origin != origin or checkpoint.extensions:
            return False
        if verify_note(note, (key,)).verdict is not NoteVerdict.OK:
            return False
        own = _Kept(checkpoint, *where)
        before = self._kept.setdefault((origin, key.text), {}).setdefault(checkpoint.size, own)
        if before.checkpoint.root != checkpoint.root:
            self._break(key, before, own)
        elif before.source != own.source:
            self.agreeing += 1
        return True

    def compare(self, key: VerifierKey, log: WholeLog) -> None:
        """Hold each checkpoint of the log to the tree of the published one."""
        published = _Kept(log.checkpoint, log.note_text, "the published log")
        end = log.checkpoint.size
        kept = self._kept.get((log.checkpoint.origin, key.text), {})
        for size, other in sorted(kept.items()):
            if size > end:
                self._unproved(
                    f"a checkpoint of the dealer's log ({other.source}) is of size {size:,}; "
                    f"the published log ends at {end:,}"
                )
                continue
            root = log.tree.root_at(size)
            if isinstance(root, Problem):
                self._unproved(root.reason)
            elif size < end and root != other.checkpoint.root:
                proof = log.tree.consistency(size) if size else ()
                if isinstance(proof, Problem):
                    self._unproved(proof.reason)
                else:
                    self._break(key, other, published, root, proof)

    def _unproved(self, text: str) -> None:
        self._emit.finding(Finding(Promise.CONSISTENT, Verdict.NOT_ESTABLISHED, text))

    def _break(
        self,
        key: VerifierKey,
        one: _Kept,
        other: _Kept,
        prefix_root: bytes | None = None,
        proof: tuple[bytes, ...] = (),
    ) -> None:
        """Two checkpoints that no single log has: the evidence is both of them."""
        self.forked = True
        origin = one.checkpoint.origin
        notes = (one.text, other.text)
        self._emit.fork(Fork(origin, key.text, notes, proof=proof, prefix_root=prefix_root))
        root = other.checkpoint.root if prefix_root is None else prefix_root
        self._emit.finding(
            Finding(
                Promise.CONSISTENT,
                Verdict.BROKEN,
                f"{key} signed two histories of the dealer's log at size {one.checkpoint.size:,}",
                expected=f"root {root.hex()} ({other.source})",
                found=f"root {one.checkpoint.root.hex()} ({one.source})",
            )
        )
