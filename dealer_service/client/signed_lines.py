"""Keeps the lines received of one log, and holds them to the dealer's word (PROTOCOL.md 11).

Pure, and the same for a game and a tournament; what the lines say is for their verifiers:

- the lines come in order (LINE), and none that was received comes with other bytes (ROOT);
- every checkpoint is signed by the dealer's key, is of this log (SIGNATURE) and of exactly the
  lines received (ROOT); each line is under one in time (UNCOVERED; see `due`);
- the log goes on from what the client kept of it before it was started again (ROOT);
- times do not fall, and run at most five seconds ahead of the client's own clock (TIME).
"""

import hmac
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from dealer_service.client.due import PATIENCE_SECONDS, Due
from dealer_service.client.message import Message
from dealer_service.client.read_once import open_checkpoint
from dealer_service.client.refusing import Evidence, ProtocolBreach, Reason, Refused
from dealer_service.client.shapes import Entry
from dealer_service.transcript.checkpoint import log_origin
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteKey
from dealer_service.transcript.refusal import TranscriptError

AHEAD_SECONDS: Final = 5.0


class Joined(Protocol):
    """Under which key a log is watched, and since when."""

    @property
    def key(self) -> NoteKey:
        """The dealer's."""
        ...

    @property
    def joined(self) -> float:
        """The client's monotonic time, in seconds, just before it asked for the log's size."""
        ...

    @property
    def backlog(self) -> int:
        """That size: every later line was made after `joined`."""
        ...

    @property
    def slept(self) -> float:
        """The seconds of sleep that the monotonic time lacked then."""
        ...


@dataclass(frozen=True, slots=True)
class Signed:
    """What the dealer had signed before the client was started again, and the note of that."""

    size: int
    root: bytes
    note: str


class SignedLines:
    """The lines of one log, as far as they were received, and how far they are signed."""

    def __init__(self, log: str, watched: Joined, signed: Signed | None = None) -> None:
        """Begin the log of an id (hex), of which nothing was received."""
        self._signed = signed
        self._is_held = signed is None
        self._log = log
        self._watched = watched
        self._origin = log_origin(watched.key.name, bytes.fromhex(log))
        self._tree = Tree()
        self._lines: list[bytes] = []
        self._covered = 0
        self._uncovered: deque[tuple[int, Due]] = deque()
        self._streams = 0
        self._has_spoken = False
        self._notes: dict[int, str] = {}
        self._at = 0
        self._base: int | None = None
        self._slept = 0.0
        self._live_from = watched.backlog

    @property
    def size(self) -> int:
        """How many lines were received."""
        return len(self._lines)

    @property
    def covered(self) -> int:
        """How many lines are under a checkpoint: where to go on watching after a break."""
        return self._covered

    @property
    def caught_up(self) -> bool:
        """Whether all lines were received that there were on joining, or after the last break.

        And whether what was signed before is of these lines.
        """
        return self._is_held and len(self._lines) >= self._live_from

    @property
    def is_held(self) -> bool:
        """Whether what was signed before is of the lines received."""
        return self._is_held

    @property
    def deadline(self) -> float | None:
        """The monotonic time at which a line is overdue to be covered; None for never."""
        return self._uncovered[0][1].deadline if self._uncovered else None

    @property
    def streams(self) -> int:
        """How many streams have ended that told anything."""
        return self._streams

    def root(self, size: int) -> bytes:
        """Give the root of the first `size` lines received."""
        return self._tree.root(size)

    def checkpoint_of(self, size: int) -> str | None:
        """Give the checkpoint of a size, if it is kept."""
        return self._notes.get(size)

    def is_old(self, index: int) -> bool:
        """Whether a line was there on joining, or when the stream last began anew."""
        return index < self._live_from

    def note_sleep(self, slept: float) -> None:
        """Learn the seconds of sleep that the monotonic time lacks now."""
        self._slept = max(0.0, slept - self._watched.slept)

    def interrupted(self, now: float, size: int) -> None:
        """Learn that the stream broke and begins anew: what is due, is due again.

        `size` is that of the log now: the lines before it are old when they come. ProtocolBreach
        UNCOVERED where streams enough have ended before a line was under a checkpoint.
        """
        self._live_from = max(self._live_from, size)
        if self._has_spoken:
            self._streams += 1
        self._has_spoken = False
        self._uncovered = deque((index, due.again(now)) for index, due in self._uncovered)
        if self._uncovered and self._uncovered[0][1].is_withheld(now, self._streams):
            index, due = self._uncovered[0]
            told, seconds = self._streams - due.streams, now - due.begun
            detail = f"line {index} is under no checkpoint by {told} streams in {seconds:.0f} s"
            raise ProtocolBreach(Reason.UNCOVERED, detail)

    def receive(self, message: Message) -> Iterator[bytes]:
        """Give the lines of a message that are new, each to be added before the next is asked for.

        ProtocolBreach LINE where one is missing, ROOT where one was received with other bytes.
        """
        self._has_spoken = True
        lines = self._lines
        if message.lines and message.first > len(lines):
            detail = f"the stream goes on at line {message.first}, and line {len(lines)} is next"
            raise ProtocolBreach(Reason.LINE, detail)
        for index, line in enumerate(message.lines, message.first):
            if index >= len(lines):
                yield line
            elif line != lines[index]:
                detail = f"line {index} was sent again with other bytes"
                raise ProtocolBreach(Reason.ROOT, detail)

    def check_time(self, entry: Entry, now: float) -> None:
        """Raise ProtocolBreach TIME where the next line's time falls, or runs ahead of `now`."""
        if entry.at < self._at:
            detail = f"line {entry.index} is of {entry.at}, and the line before of {self._at}"
            raise ProtocolBreach(Reason.TIME, detail)
        self._at = entry.at
        if entry.index < self._watched.backlog:
            return
        if self._base is None:
            self._base = entry.at
        passed = now - self._watched.joined + self._slept
        ahead = entry.at - self._base - passed * 1000
        if ahead > AHEAD_SECONDS * 1000:
            detail = f"line {entry.index} runs {ahead:.0f} ms ahead of the time since joining"
            raise ProtocolBreach(Reason.TIME, detail)

    def add(self, line: bytes, now: float) -> None:
        """Keep the next line; from `now` on it waits for a checkpoint."""
        self._uncovered.append((len(self._lines), Due.from_now(now, self._streams)))
        self._lines.append(line)
        self._tree.append(leaf_hash(line))

    def cover(self, note: str) -> int:
        """Take a checkpoint and give its size.

        ProtocolBreach SIGNATURE where it is not the dealer's of this log, ROOT where it is not of
        the lines received.
        """
        try:
            checkpoint = open_checkpoint(note.encode(), self._watched.key, self._origin)
        except (TranscriptError, UnicodeEncodeError) as error:
            raise ProtocolBreach(Reason.SIGNATURE, str(error)) from None
        if checkpoint.size > self.size:
            detail = f"a checkpoint covers {checkpoint.size} lines, and {self.size} were received"
            raise ProtocolBreach(Reason.ROOT, detail)
        if not hmac.compare_digest(checkpoint.root, self._tree.root(checkpoint.size)):
            detail = f"the checkpoint of size {checkpoint.size} is of other lines"
            raise ProtocolBreach(Reason.ROOT, detail)
        self._notes[checkpoint.size] = note
        self._covered = max(self._covered, checkpoint.size)
        while self._uncovered and self._uncovered[0][0] < checkpoint.size:
            self._uncovered.popleft()
        self._hold_to_signed(checkpoint.size)
        return checkpoint.size

    def require_signed(self, size: int) -> None:
        """Raise ProtocolBreach ROOT where a whole log is shorter than what was signed before."""
        signed = self._signed
        if not self._is_held and signed is not None and size < signed.size:
            detail = f"the log has {size} lines, and {signed.size} were signed before"
            raise ProtocolBreach(Reason.ROOT, detail)

    def _hold_to_signed(self, size: int) -> None:
        """Raise ROOT where what was signed before is of other lines: by now both are signed."""
        signed = self._signed
        if self._is_held or signed is None or size < signed.size:
            return
        if not hmac.compare_digest(signed.root, self._tree.root(signed.size)):
            detail = f"the checkpoint of size {signed.size} that was kept before is of other lines"
            raise ProtocolBreach(Reason.ROOT, detail)
        self._is_held = True

    def keep_last_note(self) -> None:
        """Let go of all checkpoints but that of the most lines."""
        self._notes = {self._covered: self._notes[self._covered]} if self._covered else {}

    def require_covered(self, now: float) -> None:
        """Raise ProtocolBreach UNCOVERED where a line is under no checkpoint in time."""
        if self._uncovered and now > self._uncovered[0][1].deadline:
            index = self._uncovered[0][0]
            detail = f"line {index} is under no checkpoint {PATIENCE_SECONDS:g} s after it came"
            raise ProtocolBreach(Reason.UNCOVERED, detail)

    def refuse(self, breach: ProtocolBreach, message: Message | None, proof: str = "") -> Refused:
        """Build the refusal of the log for a breach, with all that was seen of it as evidence.

        `proof` is what was received where that is no message of the stream.
        """
        notes = tuple(sorted(self._notes.items()))
        kept = "" if self._is_held or self._signed is None else self._signed.note
        evidence = Evidence(tuple(self._lines), notes, kept, message, proof)
        return Refused(self._log, breach.reason, breach.detail, evidence)
