"""A game's log as far as it is decided: its Merkle tree, what was last signed, and the next unit.

Lines are decided in memory first and leave only when the store has them. A checkpoint is signed
by the signer's rule alone (protocol section 6): a tree that does not go on from what was last
signed is never signed, whatever the reason.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from dealer_service.store.api import LogAppend, LogFacts, Movement, Notice, SealedSecret, Signed
from dealer_service.tables.watchers import Batch, PrivateOpenings, Proven
from dealer_service.transcript import signer as rule
from dealer_service.transcript.checkpoint import log_origin, sign_checkpoint
from dealer_service.transcript.merkle import leaf_hash
from dealer_service.transcript.note import NoteSigner
from dealer_service.transcript.trunk import Trunk

BATCH_LINES: Final = 256


class WouldFork(Exception):  # noqa: N818 - what signing would do
    """The log does not go on from what was last signed; it must not be signed."""


@dataclass(slots=True)
class Unit:
    """What is written to one log in one go, and what its readers are told once it is durable.

    `told` holds batches for everybody and, with a player's name, openings for that player alone,
    in the order in which they go out. `is_listed` says that a line changes what lists show.
    `notices` are of those lines that the dealer's log tells. `acts` (what and by whom) and `ends`
    (of hands: "played", or why void) are counted once it is durable.
    """

    first: int
    at: int
    lines: list[bytes] = field(default_factory=list)
    told: list[tuple[str, Batch | PrivateOpenings]] = field(default_factory=list)
    signed: list[Signed] = field(default_factory=list)
    secrets: list[SealedSecret] = field(default_factory=list)
    spent: list[str] = field(default_factory=list, repr=False)
    movements: list[Movement] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    proofs: list[Proven] = field(default_factory=list)
    acts: list[tuple[str, str]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    fold_from: int | None = None
    is_listed: bool = False
    batched: int = 0

    @property
    def next_index(self) -> int:
        """The index of the line to come."""
        return self.first + len(self.lines)

    def close_batch(self, checkpoint: str = "") -> None:
        """End the batch of the lines since the last one, with the checkpoint that covers them.

        The lines of a long reveal are told in several, so that no message grows without bound.
        """
        while len(self.lines) - self.batched > BATCH_LINES:
            part = tuple(self.lines[self.batched : self.batched + BATCH_LINES])
            self.told.append(("", Batch(self.first + self.batched, part)))
            self.batched += BATCH_LINES
        lines = tuple(self.lines[self.batched :])
        if lines or checkpoint:
            batch = Batch(self.first + self.batched, lines, tuple(self.proofs), checkpoint)
            self.told.append(("", batch))
            self.batched = len(self.lines)
            self.proofs.clear()


class GameLog:
    """The log of one game under its owner's epoch."""

    __slots__ = ("_signer", "epoch", "game", "last_signed", "origin_line", "tree")

    def __init__(  # noqa: PLR0913 - what a log is made of
        self,
        origin: str,
        game: str,
        signer: NoteSigner,
        *,
        epoch: int,
        leaves: Iterable[bytes] = (),
        last_signed: rule.Signed | None = None,
    ) -> None:
        self.game = game
        self.origin_line = log_origin(origin, bytes.fromhex(game))
        self.epoch = epoch
        self.tree = Trunk(leaves)
        self.last_signed = last_signed
        self._signer = signer

    @property
    def size(self) -> int:
        """The number of lines that are decided."""
        return self.tree.size

    @property
    def is_covered(self) -> bool:
        """Whether the last checkpoint covers every line."""
        return self.last_signed is not None and self.last_signed.size == self.size

    def begin(self, at: int) -> Unit:
        """Begin the next unit."""
        return Unit(self.size, at)

    def add(self, unit: Unit, line: bytes) -> None:
        """Add one line."""
        unit.lines.append(line)
        self.tree.append(leaf_hash(line))

    def sign(self, unit: Unit, size: int | None = None) -> None:
        """Sign a checkpoint of all lines so far, which ends the batch; WouldFork if it may not.

        Another `size` is for a unit without lines, before anything new is signed.
        """
        checkpoint = rule.may_sign(self.origin_line, self.last_signed, self.tree, size)
        if isinstance(checkpoint, rule.Refusal):
            raise WouldFork(checkpoint.message)
        previous = self.last_signed.size if self.last_signed else 0
        note = sign_checkpoint(checkpoint, self._signer)
        unit.signed.append(Signed(checkpoint.size, checkpoint.root, previous, note))
        unit.close_batch(note)
        self.last_signed = rule.Signed(checkpoint.size, checkpoint.root)
        # No smaller size is ever signed again.
        self.tree.forget_before(checkpoint.size)

    def finish(self, unit: Unit, facts: LogFacts | None = None) -> LogAppend:
        """Give the unit in the store's terms, with the facts that it changes."""
        unit.close_batch()
        return LogAppend(
            log=self.game,
            expected_next_index=unit.first,
            epoch=self.epoch,
            lines=tuple(unit.lines),
            fold_from=unit.fold_from,
            facts=facts,
            signed=tuple(unit.signed),
            secrets=tuple(unit.secrets),
            spent=tuple(bytes.fromhex(value) for value in unit.spent),
            notices=tuple(unit.notices),
        )
