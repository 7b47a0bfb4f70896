"""Folds a tournament's watch stream and says what happened, or why to leave (PROTOCOL.md 11, 14).

Pure, as `verifier` is for a game. A tournament is refused for a checkpoint that is not signed by
the dealer's key (SIGNATURE) or not of the lines received (ROOT), a line that is not of the format
or can not follow (LINE), one that is under no checkpoint within five seconds (UNCOVERED), a time
that falls or runs ahead (TIME), and a draw whose secret is not the one that was committed to, or
whose order does not follow from it (MIX). A refusal is final.
"""

import hmac
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.client.message import Message
from dealer_service.client.read_once import open_checkpoint
from dealer_service.client.refusing import Evidence, ProtocolBreach, Reason, Refused
from dealer_service.client.shapes import Entry
from dealer_service.client.tournament_lines import read_tournament_line
from dealer_service.client.tournament_view import TournamentView
from dealer_service.client.verifier import PATIENCE_SECONDS
from dealer_service.fairness.draw import draw_order, opens_draw_commitment
from dealer_service.transcript.checkpoint import log_origin
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteKey
from dealer_service.transcript.refusal import TranscriptError

_EVERYBODY: Final = frozenset({"seats", "redraw"})
"""The draws whose list is all players that are in."""


@dataclass(frozen=True, slots=True)
class WatchedTournament:
    """Which tournament is watched, under which key, and since when.

    `joined` and `slept` are the client's own times, in seconds, just before it asked for the log's
    size, and `backlog` that size: every later line was made after it.
    """

    tournament: str
    key: NoteKey
    joined: float
    backlog: int = 0
    slept: float = 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """What a message proved: new entries, in order."""

    entries: tuple[Entry, ...] = ()


class TournamentVerifier:
    """One tournament's stream, folded so far; `view` is what it came to."""

    def __init__(self, watched: WatchedTournament) -> None:
        self.view = TournamentView(watched.tournament)
        self._watched = watched
        self._id = bytes.fromhex(watched.tournament)
        self._origin = log_origin(watched.key.name, self._id)
        self._tree = Tree()
        self._lines: list[bytes] = []
        self._covered = 0
        self._uncovered: deque[tuple[int, float]] = deque()
        self._notes: dict[int, str] = {}
        self._at = 0
        self._base: int | None = None
        self._slept = 0.0
        self._live_from = watched.backlog
        self._draws = 0
        self._committed = b""
        self._refused: Refused | None = None

    @property
    def size(self) -> int:
        """How many lines were received."""
        return len(self._lines)

    @property
    def covered(self) -> int:
        """How many lines are under a checkpoint: where to go on watching after a break."""
        return self._covered

    @property
    def finished(self) -> bool:
        """Whether the tournament is closed, and all of it under a checkpoint."""
        return bool(self.view.closed_because) and self._covered == self.size

    @property
    def caught_up(self) -> bool:
        """Whether all lines were received that there were on joining, or after the last break."""
        return self.size >= self._live_from

    @property
    def deadline(self) -> float | None:
        """The monotonic time at which a line is overdue to be covered; None for never."""
        return self._uncovered[0][1] + PATIENCE_SECONDS if self._uncovered else None

    def receive(self, message: Message, now: float, slept: float = 0.0) -> Told | Refused:
        """Take one message at the client's monotonic time `now`, in seconds."""
        if self._refused is not None:
            return self._refused
        self._slept = max(0.0, slept - self._watched.slept)
        try:
            entries = tuple(self._take_lines(message, now))
            self._take_checkpoint(message.checkpoint)
        except ProtocolBreach as breach:
            return self._refuse(breach, message)
        return Told(entries)

    def interrupted(self, now: float, size: int) -> None:
        """Learn that the stream broke and begins anew from `covered`: what is due, is due again."""
        self._live_from = max(self._live_from, size)
        self._uncovered = deque((index, now) for index, _ in self._uncovered)

    def overdue(self, now: float) -> Refused | None:
        """Say what should have come by `now` over an unbroken stream, and did not."""
        if self._refused is not None:
            return self._refused
        if self._uncovered and now > self._uncovered[0][1] + PATIENCE_SECONDS:
            index = self._uncovered[0][0]
            detail = f"line {index} is under no checkpoint {PATIENCE_SECONDS:g} s after it came"
            return self._refuse(ProtocolBreach(Reason.UNCOVERED, detail))
        return None

    def _refuse(self, breach: ProtocolBreach, message: Message | None = None) -> Refused:
        notes = tuple(sorted(self._notes.items()))
        evidence = Evidence(tuple(self._lines), notes, "" if message is None else _told(message))
        refused = Refused(self._watched.tournament, breach.reason, breach.detail, evidence)
        self._refused = refused
        return refused

    def _take_lines(self, message: Message, now: float) -> Iterable[Entry]:
        if message.lines and message.first > self.size:
            detail = f"the stream goes on at line {message.first}, and line {self.size} is next"
            raise ProtocolBreach(Reason.LINE, detail)
        for index, line in enumerate(message.lines, message.first):
            if index >= self.size:
                yield self._take_line(line, now)
            elif line != self._lines[index]:
                detail = f"line {index} was sent again with other bytes"
                raise ProtocolBreach(Reason.ROOT, detail)

    def _take_line(self, line: bytes, now: float) -> Entry:
        entry = read_tournament_line(self.size, line)
        self._check_time(entry, now)
        self._check_draws(entry)
        self.view.apply(entry)
        self._lines.append(line)
        self._tree.append(leaf_hash(line))
        self._uncovered.append((entry.index, now))
        return entry

    def _check_time(self, entry: Entry, now: float) -> None:
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
        if ahead > PATIENCE_SECONDS * 1000:
            detail = f"line {entry.index} runs {ahead:.0f} ms ahead of the time since joining"
            raise ProtocolBreach(Reason.TIME, detail)

    def _check_draws(self, entry: Entry) -> None:
        body = entry.body
        match entry.kind:
            case "tournament_opened":
                if body["origin"] != self._watched.key.name:
                    detail = f"line {entry.index} is of the dealer {body['origin']}"
                    raise ProtocolBreach(Reason.LINE, detail)
                self._committed = bytes.fromhex(body["draw_commitment"])
            case "drawn":
                self._check_draw(entry)
            case "tournament_closed":
                self._open_commitment(entry, self._draws + 1)

    def _check_draw(self, entry: Entry) -> None:
        body = entry.body
        if body["draw"] != self._draws + 1:
            _unfair(entry, f"draw {body['draw']} comes where {self._draws + 1} is next")
        self._open_commitment(entry, body["draw"])
        told = tuple(body["order"])
        items = sorted(told, key=self._place_in_list(body["what"]))
        if body["what"] in _EVERYBODY:
            wanted = sorted(one.entrant for one in self.view.players.values() if one.is_in)
            if sorted(told) != wanted:
                _unfair(entry, "it is not of all players that are in")
        order = draw_order(
            self._watched.key.name,
            self._id,
            body["draw"],
            bytes.fromhex(body["secret"]),
            self._committed,
            items,
        )
        if order != told:
            _unfair(entry, "its order does not follow from its secret")
        self._draws += 1
        self._committed = bytes.fromhex(body["next_commitment"])

    def _place_in_list(self, what: str) -> Callable[[int], bytes]:
        """Give by what a draw's list is in order before the shuffle (14.2)."""
        if what == "place":
            return lambda item: str(item).rjust(16, "0").encode()
        names = {one.entrant: name.encode() for name, one in self.view.players.items()}
        return lambda item: names.get(item, b"")

    def _open_commitment(self, entry: Entry, draw: int) -> None:
        secret = bytes.fromhex(entry.body["secret"])
        if not opens_draw_commitment(
            self._committed, self._watched.key.name, self._id, draw, secret
        ):
            _unfair(entry, f"its secret is not that of draw {draw}, which was committed to")

    def _take_checkpoint(self, note: str) -> None:
        if not note:
            return
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


def _unfair(entry: Entry, why: str) -> NoReturn:
    raise ProtocolBreach(Reason.MIX, f"line {entry.index} ({entry.kind}): {why}")


def _told(message: Message) -> str:
    """Write a refused message down, bytes as hex: it may be of any form."""
    parts = [f"first {message.first}"]
    parts += [f"line {line.hex()}" for line in message.lines]
    parts += [f"checkpoint {message.checkpoint!r}"] if message.checkpoint else []
    return "\n".join(parts)
