"""Folds a tournament's watch stream and says what happened, or why to leave (PROTOCOL.md 11, 14).

Pure, as `verifier` is for a game. A tournament is refused for what `signed_lines` holds every log
to, a line that is not of the format or can not follow (LINE), and a draw whose secret is not the
one that was committed to, or whose order does not follow from it (MIX). A refusal is final.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.client.message import Message
from dealer_service.client.refusing import ProtocolBreach, Reason, Refused
from dealer_service.client.shapes import Entry
from dealer_service.client.signed_lines import SignedLines
from dealer_service.client.tournament_lines import read_tournament_line
from dealer_service.client.tournament_view import TournamentView
from dealer_service.fairness.draw import draw_order, opens_draw_commitment
from dealer_service.transcript.note import NoteKey

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
        self._log = SignedLines(watched.tournament, watched)
        self._draws = 0
        self._committed = b""
        self._refused: Refused | None = None

    @property
    def size(self) -> int:
        """How many lines were received."""
        return self._log.size

    @property
    def covered(self) -> int:
        """How many lines are under a checkpoint: where to go on watching after a break."""
        return self._log.covered

    @property
    def finished(self) -> bool:
        """Whether the tournament is closed, and all of it under a checkpoint."""
        return bool(self.view.closed_because) and self.covered == self.size

    @property
    def caught_up(self) -> bool:
        """Whether all lines were received that there were on joining, or after the last break."""
        return self._log.caught_up

    @property
    def deadline(self) -> float | None:
        """The monotonic time at which a line is overdue to be covered; None for never."""
        return self._log.deadline

    def receive(self, message: Message, now: float, slept: float = 0.0) -> Told | Refused:
        """Take one message at the client's monotonic time `now`, in seconds."""
        if self._refused is not None:
            return self._refused
        self._log.note_sleep(slept)
        try:
            lines = self._log.receive(message)
            entries = tuple([self._take_line(line, now) for line in lines])
            if message.checkpoint:
                self._log.cover(message.checkpoint)
        except ProtocolBreach as breach:
            return self._refuse(breach, message)
        return Told(entries)

    def began(self, size: int) -> None:
        """Learn the size of the log when the stream began, which changes nothing here."""

    def interrupted(self, now: float, size: int) -> None:
        """Learn that the stream broke and begins anew from `covered`: what is due, is due again."""
        try:
            self._log.interrupted(now, size)
        except ProtocolBreach as breach:
            self._refuse(breach)

    def overdue(self, now: float) -> Refused | None:
        """Say what should have come by `now`, or over the streams that broke, and did not."""
        if self._refused is not None:
            return self._refused
        try:
            self._log.require_covered(now)
        except ProtocolBreach as breach:
            return self._refuse(breach)
        return None

    def _refuse(self, breach: ProtocolBreach, message: Message | None = None) -> Refused:
        self._refused = self._log.refuse(breach, message)
        return self._refused

    def _take_line(self, line: bytes, now: float) -> Entry:
        entry = read_tournament_line(self._log.size, line)
        self._log.check_time(entry, now)
        self._check_draws(entry)
        self.view.apply(entry)
        self._log.add(line, now)
        return entry

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


def _unfair(entry: Entry, why: str) -> NoReturn:
    raise ProtocolBreach(Reason.MIX, f"line {entry.index} ({entry.kind}): {why}")
