"""What every store does: the values that go in and out, and the calls.

An `Append` is one unit, all or nothing: lines for one or several logs, and with them everything
that must not be true without them: the request's answer, the checkpoints signed, the sealed
secrets, the spent values, the movements of chips and the notices. Whatever a log's change holds is
fenced by the log's next index and its owner's epoch, checked together with the write. A refusal is
a value and changes nothing; a `StoreError` means that nobody knows whether the unit was written,
and the store then takes no further change until it is opened again.

Logs are games and tournaments, but one: `DEALER_LOG` is the dealer's own, in which the notices of
games come to stand. It is appended to, claimed, signed and lost as any other; of what lists games
it is no part.

A tournament's log and those of its tables, which are games, are one unit of ownership: they are
claimed, released and archived by the tournament's name, all or none, and never one of them alone.

Calls block and may come from any thread. What a read shows is durable.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final, Protocol

from dealer_service.quick import quick
from dealer_service.transcript.noted import Stage

DEALER_LOG: Final = "dealer"
"""The dealer's own log (protocol section 6). No game has this name: theirs are hexadecimal."""

_PAGE_HEADS: Final = 500


@unique
class LogState(StrEnum):
    """Where a log stands.

    A lost one lacks lines that were signed and never changes again. An archived one was revealed,
    stands in a file elsewhere, and has nothing here but its head.
    """

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"
    REVEALED = "revealed"
    LOST = "lost"
    ARCHIVED = "archived"


UNFINISHED: Final = (LogState.OPEN, LogState.PAUSED, LogState.CLOSED)
"""The states of logs that go on; all others are over."""


@unique
class ChipMove(StrEnum):
    """What moved chips between a wallet and a table, or between a game and its successor.

    And money between a wallet and a tournament: from `BUY_IN` on.
    """

    SEAT_TAKEN = "seat_taken"
    CHIPS_ADDED = "chips_added"
    CASHED_OUT = "cashed_out"
    CARRIED_OUT = "carried_out"
    CARRIED_IN = "carried_in"
    GAME_CLOSED = "game_closed"
    BUY_IN = "buy_in"
    REFUND = "refund"
    REBUY = "rebuy"
    ADD_ON = "add_on"
    PRIZE = "prize"
    TOURNAMENT_CLOSED = "tournament_closed"


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What lists and tables want to know of a log without reading it.

    `meta` is the caller's own (reference, rules), `opened_at` in ms since 1970, `previous` and
    `next` the logs that it goes on from and that goes on from it, empty when there is none.
    `tournament` is that which a table is of, and of a tournament's own log its own name; the first
    append of a log decides it for ever, whatever later facts say.
    """

    state: LogState = LogState.OPEN
    meta: bytes = b""
    opened_at: int = 0
    hands: int = 0
    players: int = 0
    previous: str = ""
    next: str = ""
    tournament: str = ""


@dataclass(frozen=True, slots=True)
class SignedAt:
    """A size that was signed, and the root there (32 bytes)."""

    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class LogHead:
    """A log as it stands: `number` in order of creation, `fold_from` the last "hand opened".

    `signed.size` is above `next_index` only for a lost log.
    """

    number: int
    log: str
    next_index: int
    epoch: int
    fold_from: int | None
    signed: SignedAt | None
    facts: LogFacts

    @property
    def signed_size(self) -> int:
        """The size that was last signed, 0 when none was."""
        return 0 if self.signed is None else self.signed.size

    @property
    def is_tournament(self) -> bool:
        """Whether it is the own log of a tournament, and no game."""
        return self.facts.tournament == self.log

    @property
    def owned_as(self) -> str:
        """The name by which it is claimed and released: its tournament's, or its own."""
        return self.facts.tournament or self.log


@quick
@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint to record: its size and root, its note, and the size signed before it.

    `previous_size` is 0 for the first. The same size again is allowed with the same root.
    """

    size: int
    root: bytes
    previous_size: int
    note: str


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A note that was signed for a log at a size."""

    size: int
    note: str


@dataclass(frozen=True, slots=True)
class SealedSecret:
    """A hand's secret under the sealing key; a hand has one for ever."""

    hand: int
    sealed: bytes = field(repr=False)


@quick
@dataclass(frozen=True, slots=True)
class Movement:
    """Chips that the line `index` of `log` moved, at `at` ms, with the caller's reference."""

    log: str
    index: int
    at: int
    what: ChipMove
    player: str = ""
    seat: int = 0
    amount: int = 0
    reference: str = ""


@dataclass(frozen=True, slots=True)
class StoredMovement:
    """A movement and its cursor.

    Cursors start at 1 and rise strictly in the order in which movements become visible: whoever
    has read up to a cursor never has a lower one appear later.
    """

    cursor: int
    movement: Movement


@quick
@dataclass(frozen=True, slots=True)
class Notice:
    """A stage of a game that is to stand in the dealer's log: its hand, 0 for the game's own.

    `size` and `root` (32 bytes) are the game's just after the entry that it tells, whose time `at`
    is, in ms since 1970.
    """

    hand: int
    stage: Stage
    size: int
    root: bytes
    at: int


@dataclass(frozen=True, slots=True)
class StoredNotice:
    """A notice that waits, the log it is of, and the id by which it is taken out, above 0."""

    id: int
    log: str
    notice: Notice


@quick
@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request: who asked what (`digest` of the content) under which id.

    It is stored as it is: a body never holds a card that is not public.
    """

    scope: str
    caller: str
    request_id: str
    digest: bytes
    body: bytes = field(repr=False)


@quick
@dataclass(frozen=True, slots=True)
class LogAppend:
    """A log's part of a unit; it may have no lines, only to record a checkpoint or new facts.

    A log that does not exist is created when `expected_next_index` is 0, with this epoch; one of a
    tournament's tables with that of the tournament's log, which stands in the store, or before it
    in the unit. It belongs to whoever owns the tournament.
    `fold_from` and `facts` replace what is there, None leaves it. `spent` are anchors and links,
    each accepted once in a log. Checkpoints rise and may stand inside the lines. `notices` wait
    from then on to be taken into the dealer's log.
    """

    log: str
    expected_next_index: int
    epoch: int
    lines: tuple[bytes, ...] = ()
    fold_from: int | None = None
    facts: LogFacts | None = None
    signed: tuple[Signed, ...] = ()
    secrets: tuple[SealedSecret, ...] = ()
    spent: tuple[bytes, ...] = field(default=(), repr=False)
    notices: tuple[Notice, ...] = ()


@quick
@dataclass(frozen=True, slots=True)
class Append:
    """One unit: changes of logs in order, movements of chips in order, and the answer.

    `noticed` are the ids of notices that wait no longer; all of them must be waiting.
    """

    logs: tuple[LogAppend, ...] = ()
    movements: tuple[Movement, ...] = ()
    answer: Answer | None = None
    noticed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """The unit is durable; the cursors of its movements, in their order."""

    cursors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """The log's next index is `actual`, and the unit expected another."""

    log: str
    expected: int
    actual: int


@dataclass(frozen=True, slots=True)
class Fenced:
    """The log has another owner, in the given epoch."""

    log: str
    epoch: int


@dataclass(frozen=True, slots=True)
class LogLost:
    """The log lost signed lines and is never changed again."""

    log: str
    signed_size: int


@dataclass(frozen=True, slots=True)
class NoTournament:
    """The log would be of a tournament that is not there."""

    log: str
    tournament: str


@dataclass(frozen=True, slots=True)
class AlreadyAnswered:
    """The same request was answered before, with this body."""

    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class RequestIdReused:
    """The request id was used before, with other content."""

    request_id: str


@dataclass(frozen=True, slots=True)
class AlreadySpent:
    """The log holds this anchor or link already (or the unit brings it twice)."""

    log: str
    value: bytes


@dataclass(frozen=True, slots=True)
class SecretExists:
    """The hand has a secret already, which is never replaced."""

    log: str
    hand: int


@dataclass(frozen=True, slots=True)
class SignedBackwards:
    """The checkpoint does not follow the last one: sizes never go back, roots never change."""

    log: str
    size: int
    signed_size: int


@dataclass(frozen=True, slots=True)
class SignedBeyondLog:
    """The checkpoint is of more lines than the log has with this unit."""

    log: str
    size: int
    next_index: int


@dataclass(frozen=True, slots=True)
class NoticeGone:
    """No notice waits under this id (or the unit takes it twice)."""

    id: int


Refused = (
    Conflict
    | Fenced
    | LogLost
    | NoTournament
    | AlreadyAnswered
    | RequestIdReused
    | AlreadySpent
    | SecretExists
    | SignedBackwards
    | SignedBeyondLog
    | NoticeGone
)
AppendResult = Appended | Refused


@dataclass(frozen=True, slots=True)
class LostLog:
    """A log whose signed lines are gone: the size and root that were last signed for it."""

    log: str
    signed: SignedAt


class Kept(Protocol):
    """What has the lines and checkpoints of logs: a store, or files of finished games."""

    def lines(self, log: str, start: int, limit: int) -> tuple[bytes, ...]:
        """Give up to `limit` lines from index `start` on; none for an unknown log."""
        ...

    def every_line(self, log: str, start: int = 0) -> Iterator[bytes]:
        """Give all lines from `start` on, a page at a time, so that long logs need no memory."""
        ...

    def checkpoints(
        self, log: str, from_size: int = 0, limit: int = 1000
    ) -> tuple[StoredCheckpoint, ...]:
        """Give up to `limit` checkpoints with a size of `from_size` or more, rising."""
        ...

    def last_checkpoint(self, log: str) -> StoredCheckpoint | None:
        """Give the checkpoint of the greatest size."""
        ...


class Store(Kept, Protocol):
    """The calls; each raises StoreError when the store can not be read or written."""

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Write the units in order and durably; one that is refused changes nothing of others.

        Checked first is the answer, so that a repeated request is told its answer whatever has
        happened since. A unit sees those before it.
        """
        ...

    def claim(self, log: str) -> int | None:
        """Become a log's owner: raise its epoch by one and give it; None for an unknown log.

        None also for a tournament's log and its tables. Of a store that is shared, `Leases` says
        more.
        """
        ...

    def claim_group(self, tournament: str) -> Mapping[str, int] | None:
        """Become the owner of a tournament's log and of all its tables: raise each one's epoch.

        Gives the epochs by log, whatever their states. All of them or none: None for what is no
        tournament.
        """
        ...

    def group(self, tournament: str) -> tuple[LogHead, ...]:
        """Give the heads of a tournament's log and, behind it, its tables by rising number."""
        ...

    def reseal(self, log: str, old: SealedSecret, new: SealedSecret) -> bool:
        """Put a hand's secret under another key in place of `old`; False where that is not there.

        Both are of the same hand.
        """
        ...

    def archive(self, log: str) -> bool:
        """Forget all of a revealed log but its head and its movements, and set it to archived.

        Gone are lines, checkpoints, secrets, spent values and the answers of its scope. Its owner
        is fenced. False, and nothing is changed, for a log that is not revealed. Archiving again
        does nothing and gives True. Notices that wait go on waiting. A tournament is archived with
        all its tables, once none of these logs is unfinished; lost ones stay as they are. A table
        alone is not: False.

        A store may do it step by step: the log is archived from the first one on, and what a read
        still shows of its lines and checkpoints is the beginning of them. What a crash cut off
        goes on when that is asked for again, or when a store that was opened anew archives any log.
        """
        ...

    def mark_lost(self, lost: Sequence[LostLog]) -> None:
        """Set logs to lost, all or none, with what was last signed for each.

        One that the store does not know is created without lines, so that it is listed.
        """
        ...

    def head(self, log: str) -> LogHead | None:
        """Give a log's head; None for an unknown one."""
        ...

    def heads(
        self,
        *,
        state: LogState | None = None,
        tournaments: bool = False,
        after: int = 0,
        limit: int = 100,
    ) -> tuple[LogHead, ...]:
        """Give up to `limit` heads of games whose number is above `after`, rising.

        With `tournaments`, those of tournaments' own logs in their place. Tables are games.
        """
        ...

    def answer(self, scope: str, caller: str, request_id: str) -> Answer | None:
        """Give the answer that was stored for a request."""
        ...

    def answered(self, scope: str) -> Iterator[tuple[str, str]]:
        """Give caller and request id of every answer of a scope, in no order."""
        ...

    def sealed_secrets(self, log: str, from_hand: int = 0) -> tuple[SealedSecret, ...]:
        """Give the sealed secrets of a log's hands from `from_hand` on, by rising hand."""
        ...

    def spent(self, log: str) -> frozenset[bytes]:
        """Give every anchor and link that the log has accepted."""
        ...

    def movements(self, after: int, limit: int) -> tuple[StoredMovement, ...]:
        """Give up to `limit` movements with a cursor above `after`, rising."""
        ...

    def notices(self, limit: int) -> tuple[StoredNotice, ...]:
        """Give up to `limit` notices that wait, oldest first; those of a log in their order."""
        ...

    def close(self) -> None:
        """Let go of the store; a second call does nothing."""
        ...


def every_head(
    store: Store, *, state: LogState | None = None, tournaments: bool = False
) -> Iterator[LogHead]:
    """Give the heads of all games, or of all tournaments, by rising number, a page at a time."""
    after = 0
    while page := store.heads(state=state, tournaments=tournaments, after=after, limit=_PAGE_HEADS):
        yield from page
        after = page[-1].number


def unfinished_heads(store: Store) -> Iterator[LogHead]:
    """Give the heads of all games and tournaments that go on, a page at a time."""
    for tournaments in (False, True):
        for state in UNFINISHED:
            yield from every_head(store, state=state, tournaments=tournaments)


def unfinished_units(store: Store) -> tuple[str, ...]:
    """Give what is to be claimed of what goes on: games by name, and tournaments.

    A tournament goes on as long as its log or one of its tables does.
    """
    return tuple(dict.fromkeys(head.owned_as for head in unfinished_heads(store)))


def signed_heads(store: Store) -> Iterator[LogHead]:
    """Give the heads of all that may have been signed: the dealer's log, if any, and all others."""
    dealer_log = store.head(DEALER_LOG)
    if dealer_log is not None:
        yield dealer_log
    for tournaments in (False, True):
        yield from every_head(store, tournaments=tournaments)
