"""Folds one game's watch stream and says what happened, or why to leave (PROTOCOL.md section 11).

Pure: messages, times and what the client itself sent come in, and what they prove comes out; no
clock, no network, no file. The rules that hold over the whole stream are here:

- every checkpoint is signed by the dealer's key, is of this game (SIGNATURE) and of exactly the
  lines received (ROOT); each line is under one within five seconds (UNCOVERED);
- a first card is dealt only behind a checkpoint that covers the deck (DEALT_EARLY);
- times do not fall, and run at most five seconds ahead of the client's own clock (TIME).

`lines`, `grammar`, `dealt` and `own` hold the others. A refusal is final: whatever comes later is
answered by the same one.
"""

import hmac
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dealer_service.beacon.rounds import Network
from dealer_service.client.dealt import HOLDEM_CARDS, HandSeen, Table
from dealer_service.client.drawn import NETWORKS, beacon_rule
from dealer_service.client.grammar import Grammar, Phase
from dealer_service.client.lines import Entry
from dealer_service.client.message import CardOpening, Decision, Message
from dealer_service.client.own import Missed, Own
from dealer_service.client.read_once import open_checkpoint, read_line
from dealer_service.client.refusing import Evidence, ProtocolBreach, Reason, Refused
from dealer_service.client.sent import Sent
from dealer_service.transcript.checkpoint import log_origin
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteKey
from dealer_service.transcript.refusal import TranscriptError

PATIENCE_SECONDS: Final = 5.0
_REMEMBERED_HANDS: Final = 8


@dataclass(frozen=True, slots=True)
class GameBefore:
    """The game that this one must say it goes on from: its id, and its log at its close."""

    game: str
    size: int
    root: str


@dataclass(frozen=True, slots=True)
class Watched:
    """Which log is watched, under which key, for whom (None: a mere watcher), and since when.

    `joined` is the client's own monotonic time, in seconds, just before it asked for the log's
    size, and `backlog` that size: every later line was made after it. `slept` is of the same
    moment, as given to `Verifier.receive`. `anchors` says that the player registered with the
    tournament of this table as one that gives links.
    """

    game: str
    key: NoteKey
    player: str | None
    joined: float
    backlog: int = 0
    before: GameBefore | None = None
    slept: float = 0.0
    anchors: bool = False


@dataclass(frozen=True, slots=True)
class LinkDue:
    """The dealer may have the player's link for `hand`, under the checkpoint that froze it.

    `dated` is the opening's time, in milliseconds, where that has to be now: rules name a beacon.
    """

    hand: int
    anchor: str
    checkpoint: str
    dated: int | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A checkpoint worth keeping on disk: it covers a hand's deck and none of its cards."""

    hand: int
    checkpoint: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What a message proved: new entries in order, own cards, a checkpoint to keep, the turn."""

    entries: tuple[Entry, ...] = ()
    openings: tuple[CardOpening, ...] = ()
    kept: Kept | None = None
    decision: Decision | None = None


class Verifier:
    """One game's stream, folded so far."""

    def __init__(
        self,
        watched: Watched,
        sent: Iterable[Sent] = (),
        networks: Sequence[Network] = NETWORKS,
    ) -> None:
        """Begin; `networks` are those whose rounds are known, `sent` what was sent already."""
        self._watched = watched
        self._networks = networks
        self._origin = log_origin(watched.key.name, bytes.fromhex(watched.game))
        self._grammar = Grammar()
        self._own = None if watched.player is None else Own(watched.player, anchors=watched.anchors)
        self._tree = Tree()
        self._lines: list[bytes] = []
        self._covered = 0
        self._uncovered: deque[tuple[int, float]] = deque()
        self._notes: dict[int, str] = {}
        self._table: Table | None = None
        self._hand: HandSeen | None = None
        self._past: dict[int, tuple[HandSeen, int]] = {}
        self._opened_index = -1
        self._opened_at = 0
        self._frozen: str | None = None
        self._at = 0
        self._base: int | None = None
        self._slept = 0.0
        self._live_from = watched.backlog
        self._cards_due: float | None = None
        self._interrupted = False
        self._refused: Refused | None = None
        for each in sent:
            self.note(each)

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
        """Whether the game is closed and revealed, and all of it under a checkpoint."""
        return self._grammar.finished and self._covered == self.size

    @property
    def own(self) -> Own | None:
        """The player's seat, anchor and misses."""
        return self._own

    @property
    def missed(self) -> tuple[Missed, ...]:
        """The hands that were called void for the player's link."""
        return self._own.missed if self._own else ()

    @property
    def caught_up(self) -> bool:
        """Whether all lines were received that there were on joining, or after the last break."""
        return self.size >= self._live_from

    @property
    def hand(self) -> int:
        """The number of the last hand that opened."""
        return self._grammar.hand

    def root(self, size: int) -> bytes:
        """Give the root of the first `size` lines received."""
        return self._tree.root(size)

    @property
    def link_due(self) -> LinkDue | None:
        """The link that may be given now: under a checkpoint that ends with the opening."""
        note = self._notes.get(self._opened_index + 1)
        due = self._grammar.phase is Phase.OPENED and self.caught_up
        if self._refused or not due or note is None or self._frozen is None:
            return None
        is_dated = self._table is not None and self._table.beacon is not None
        dated = self._opened_at if is_dated else None
        return LinkDue(self._grammar.hand, self._frozen, note, dated)

    def note(self, sent: Sent) -> None:
        """Learn what the client is about to send; before it is sent."""
        if self._own is not None:
            self._own.note(sent)

    def receive(self, message: Message, now: float, slept: float = 0.0) -> Progress | Refused:
        """Take one message at the client's monotonic time `now`, in seconds.

        While the client's machine slept, the dealer's time went on: `slept` are the seconds of
        sleep that `now` lacks.
        """
        if self._refused is not None:
            return self._refused
        self._slept = max(0.0, slept - self._watched.slept)
        try:
            entries = self._take_lines(message, now)
            kept = self._take_checkpoint(message.checkpoint)
            openings = tuple([each for each in message.openings if self._take_opening(each)])
        except ProtocolBreach as breach:
            return self.refuse(breach, message)
        return Progress(entries, openings, kept, message.decision)

    def interrupted(self, now: float, size: int) -> None:
        """Learn that the stream begins, at first or anew from `covered`: what is due, is due again.

        `size` is that of the log now: the lines before it are old when they come, so that no link
        is due for their hands, and no opening of one that has ended.
        """
        self._live_from = max(self._live_from, size)
        self._uncovered = deque((index, now) for index, _ in self._uncovered)
        self._interrupted = True
        if self._cards_due is not None:
            self._cards_due = now + PATIENCE_SECONDS

    @property
    def deadline(self) -> float | None:
        """The monotonic time at which something is overdue if nothing comes; None for never."""
        times = [self._uncovered[0][1] + PATIENCE_SECONDS] if self._uncovered else []
        if self._cards_due is not None:
            times.append(self._cards_due)
        return min(times, default=None)

    def overdue(self, now: float) -> Refused | None:
        """Say what should have come by `now` over an unbroken stream, and did not."""
        if self._refused is not None:
            return self._refused
        if self._uncovered and now > self._uncovered[0][1] + PATIENCE_SECONDS:
            index = self._uncovered[0][0]
            detail = f"line {index} is under no checkpoint {PATIENCE_SECONDS:g} s after it came"
            return self.refuse(ProtocolBreach(Reason.UNCOVERED, detail))
        if self._cards_due is not None and now > self._cards_due:
            return self.refuse(self._cards_missing())
        return None

    def refuse(
        self, breach: ProtocolBreach, message: Message | None = None, told: str = ""
    ) -> Refused:
        """Refuse the game for a breach that was found elsewhere in what was received.

        `told` is what was received where that is no message of the stream.
        """
        notes = tuple(sorted(self._notes.items()))
        evidence = Evidence(tuple(self._lines), notes, told if message is None else _told(message))
        refused = Refused(self._watched.game, breach.reason, breach.detail, evidence)
        self._refused = refused
        return refused

    def _take_lines(self, message: Message, now: float) -> tuple[Entry, ...]:
        if message.lines and message.first > self.size:
            detail = f"the stream goes on at line {message.first}, and line {self.size} is next"
            raise ProtocolBreach(Reason.LINE, detail)
        proofs = {(each.hand, each.position): each.proof for each in message.proofs}
        entries = []
        for index, line in enumerate(message.lines, message.first):
            if index >= self.size:
                entries.append(self._take_line(line, now, proofs))
            elif line != self._lines[index]:
                detail = f"line {index} was sent again with other bytes"
                raise ProtocolBreach(Reason.ROOT, detail)
        return tuple(entries)

    def _take_line(
        self, line: bytes, now: float, proofs: Mapping[tuple[int, int], tuple[bytes, ...]]
    ) -> Entry:
        entry = read_line(self.size, line)
        self._check_time(entry, now)
        self._grammar.accept(entry)
        self._follow_deck(entry, proofs)
        if self._own is not None:
            self._own.accept(entry)
        self._follow_own_cards(entry, now)
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

    def _follow_deck(
        self, entry: Entry, proofs: Mapping[tuple[int, int], tuple[bytes, ...]]
    ) -> None:
        match entry.kind:
            case "game_opened":
                self._open_game(entry)
            case "hand_opened":
                assert self._table is not None
                self._hand = HandSeen(self._table, entry)
                self._opened_index, self._opened_at = entry.index, entry.at
                self._frozen = _frozen_anchor(entry, self._watched.player)
                self._notes = {self._covered: self._notes[self._covered]} if self._covered else {}
            case "deck_committed":
                self._open_hand().commit(entry)
            case "hand_void":
                self._open_hand().void(entry)
            case "dealt":
                self._require_covered_deck(entry)
                self._open_hand().deal(entry)
            case "runs_agreed":
                self._open_hand().run_twice(entry)
            case "opened":
                self._open_hand().open_logged(entry, proofs)

    def _open_hand(self) -> HandSeen:
        assert self._hand is not None, "the grammar lets these stand inside a hand alone"
        return self._hand

    def _open_game(self, entry: Entry) -> None:
        body, watched = entry.body, self._watched
        if (body["origin"], body["game"]) != (watched.key.name, watched.game):
            detail = f"line {entry.index} opens the game {body['game']} of {body['origin']}"
            raise ProtocolBreach(Reason.LINE, detail)
        before, said = watched.before, body.get("previous")
        if before is not None:
            claimed = said and (said["game"], said["size"], said["root"])
            if claimed != (before.game, before.size, before.root):
                detail = f"the game does not go on from {before.game} as its lines stood"
                raise ProtocolBreach(Reason.ROOT, detail)
        beacon = body["rules"].get("beacon")
        rule = beacon_rule(bytes.fromhex(beacon["chain"]), self._networks) if beacon else None
        hole_cards = body["rules"].get("hole_cards", HOLDEM_CARDS)
        self._table = Table(body["origin"], bytes.fromhex(body["game"]), rule, hole_cards)

    def _require_covered_deck(self, entry: Entry) -> None:
        committed = self._open_hand().committed
        if committed is None or self._covered <= committed:
            detail = f"line {entry.index} deals before a checkpoint covered the hand's deck"
            raise ProtocolBreach(Reason.DEALT_EARLY, detail)

    def _follow_own_cards(self, entry: Entry, now: float) -> None:
        hand = self._hand
        seat = self._own.hand_seat if self._own else None
        if hand is None:
            return
        if entry.kind == "dealt" and seat is not None and not self._past.get(hand.number):
            self._past[hand.number] = (hand, seat)
            self._cards_due = now + PATIENCE_SECONDS
            self._interrupted = entry.index < self._live_from
            for old in [
                number for number in self._past if number <= hand.number - _REMEMBERED_HANDS
            ]:
                del self._past[old]
        elif entry.kind in {"hand_ended", "hand_void"}:
            if self._cards_due is not None and not self._interrupted:
                raise self._cards_missing()
            self._cards_due = None
            self._hand = None

    def _cards_missing(self) -> ProtocolBreach:
        detail = f"the openings of the player's cards of hand {self._grammar.hand} did not come"
        return ProtocolBreach(Reason.OPENING, detail)

    def _take_opening(self, opening: CardOpening) -> bool:
        """Check one of the player's own openings; False for one that it had."""
        known = self._past.get(opening.hand)
        if known is None:
            if 0 < opening.hand < self._grammar.hand:
                return False
            detail = f"a card of hand {opening.hand} came, which was not dealt to the player"
            raise ProtocolBreach(Reason.POSITION, detail)
        hand, seat = known
        had = hand.is_open(opening.position)
        hand.open(opening, ("seat", seat))
        if hand is self._hand and all(map(hand.is_open, hand.positions_of(seat))):
            self._cards_due = None
        return not had

    def _take_checkpoint(self, note: str) -> Kept | None:
        if not note:
            return None
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
        return self._worth_keeping(checkpoint.size, note)

    def _worth_keeping(self, size: int, note: str) -> Kept | None:
        hand = self._hand
        if hand is None or hand.committed is None or self._grammar.phase is not Phase.POSTING:
            return None
        return Kept(hand.number, note) if size > hand.committed else None


def _frozen_anchor(opened: Entry, player: str | None) -> str | None:
    for seat in opened.body["seats"]:
        if seat["player"] == player and seat["state"] == "in":
            anchor = seat.get("anchor")
            return None if anchor is None else str(anchor)
    return None


def _told(message: Message) -> str:
    """Write a refused message down, bytes as hex: it may be of any form."""
    parts = [f"first {message.first}"]
    parts += [f"line {line.hex()}" for line in message.lines]
    parts += [f"checkpoint {message.checkpoint!r}"] if message.checkpoint else []
    for proof in message.proofs:
        path = " ".join(each.hex() for each in proof.proof)
        parts.append(f"proof of hand {proof.hand}, position {proof.position}: {path}")
    for opening in message.openings:
        path = " ".join(each.hex() for each in opening.proof)
        parts.append(
            f"opening of hand {opening.hand}, position {opening.position}: "
            f"{opening.card!r} {opening.salt.hex()} {path}"
        )
    return "\n".join(parts)
