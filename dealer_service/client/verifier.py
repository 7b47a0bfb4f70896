"""Folds one game's watch stream and says what happened, or why to leave (PROTOCOL.md section 11).

Pure: messages, times and what the client itself sent come in, and what they prove comes out; no
clock, no network, no file. These rules are here:

- a first card is dealt only behind a checkpoint that covers the deck (DEALT_EARLY);
- the player's own cards are opened to it within five seconds (OPENING).

`signed_lines`, `lines`, `grammar`, `dealt` and `own` hold the others. A refusal is final: whatever
comes later is answered by the same one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dealer_service.beacon.rounds import Network
from dealer_service.client.dealt import HOLDEM_CARDS, HandSeen, Table
from dealer_service.client.drawn import NETWORKS, beacon_rule
from dealer_service.client.due import Due
from dealer_service.client.grammar import Grammar, Phase
from dealer_service.client.lines import Entry
from dealer_service.client.message import CardOpening, Decision, Message
from dealer_service.client.own import Missed, Own
from dealer_service.client.read_once import read_line
from dealer_service.client.refusing import ProtocolBreach, Reason, Refused
from dealer_service.client.sent import Sent
from dealer_service.client.signed_lines import Signed, SignedLines
from dealer_service.transcript.note import NoteKey

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
    tournament of this table as one that gives links. `signed` is the last checkpoint that the
    client kept before, if it was in the game already.
    """

    game: str
    key: NoteKey
    player: str | None
    joined: float
    backlog: int = 0
    before: GameBefore | None = None
    slept: float = 0.0
    anchors: bool = False
    signed: Signed | None = None


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
        self._log = SignedLines(watched.game, watched, watched.signed)
        self._grammar = Grammar()
        self._own = None if watched.player is None else Own(watched.player, anchors=watched.anchors)
        self._table: Table | None = None
        self._hand: HandSeen | None = None
        self._past: dict[int, tuple[HandSeen, int]] = {}
        self._opened_index = -1
        self._opened_at = 0
        self._frozen: str | None = None
        self._cards_due: Due | None = None
        self._interrupted = False
        self._begun_at = 0
        self._refused: Refused | None = None
        for each in sent:
            self.note(each)

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
        """Whether the game is closed and revealed, and all of it under a checkpoint."""
        return self._grammar.finished and self.covered == self.size

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
        return self._log.caught_up

    @property
    def is_held(self) -> bool:
        """Whether what was signed before, if anything, is of the lines received."""
        return self._log.is_held

    @property
    def hand(self) -> int:
        """The number of the last hand that opened."""
        return self._grammar.hand

    def root(self, size: int) -> bytes:
        """Give the root of the first `size` lines received."""
        return self._log.root(size)

    @property
    def link_due(self) -> LinkDue | None:
        """The link that may be given now: under a checkpoint that ends with the opening."""
        note = self._log.checkpoint_of(self._opened_index + 1)
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
        self._log.note_sleep(slept)
        try:
            entries = self._take_lines(message, now)
            kept = self._take_checkpoint(message.checkpoint)
            openings = tuple([each for each in message.openings if self._take_opening(each)])
        except ProtocolBreach as breach:
            return self.refuse(breach, message)
        return Progress(entries, openings, kept, message.decision)

    def began(self, size: int) -> None:
        """Learn the size of the log when the stream began: hands that had ended come without cards.

        The player's own cards are sent beside the lines of the hand that is open, and of no other.
        A log that is shorter than what was signed before is refused.
        """
        self._begun_at = size
        try:
            self._log.require_signed(size)
        except ProtocolBreach as breach:
            self.refuse(breach)

    def interrupted(self, now: float, size: int) -> None:
        """Learn that the stream broke and begins anew from `covered`: what is due, is due again.

        `size` is that of the log now: the lines before it are old when they come, so that no link
        is due for their hands, and no opening of one that has ended. What streams enough have ended
        without is refused: see `overdue`.
        """
        self._interrupted = True
        try:
            self._log.interrupted(now, size)
            if self._cards_due is not None:
                self._cards_due = self._cards_due.again(now)
                if self._cards_due.is_withheld(now, self._log.streams):
                    raise self._cards_missing()
        except ProtocolBreach as breach:
            self.refuse(breach)

    @property
    def deadline(self) -> float | None:
        """The monotonic time at which something is overdue if nothing comes; None for never."""
        uncovered = self._log.deadline
        cards = self._cards_due.deadline if self._cards_due else None
        if uncovered is None or cards is None:
            return cards if uncovered is None else uncovered
        return min(uncovered, cards)

    def overdue(self, now: float) -> Refused | None:
        """Say what should have come by `now`, or over the streams that broke, and did not."""
        if self._refused is not None:
            return self._refused
        try:
            self._log.require_covered(now)
        except ProtocolBreach as breach:
            return self.refuse(breach)
        if self._cards_due is not None and now > self._cards_due.deadline:
            return self.refuse(self._cards_missing())
        return None

    def refuse(
        self, breach: ProtocolBreach, message: Message | None = None, proof: str = ""
    ) -> Refused:
        """Refuse the game for a breach that was found elsewhere in what was received.

        `proof` is what was received where that is no message of the stream.
        """
        self._refused = self._log.refuse(breach, message, proof)
        return self._refused

    def _take_lines(self, message: Message, now: float) -> tuple[Entry, ...]:
        proofs = {(each.hand, each.position): each.proof for each in message.proofs}
        return tuple([self._take_line(line, now, proofs) for line in self._log.receive(message)])

    def _take_line(
        self, line: bytes, now: float, proofs: Mapping[tuple[int, int], tuple[bytes, ...]]
    ) -> Entry:
        entry = read_line(self._log.size, line)
        self._log.check_time(entry, now)
        self._grammar.accept(entry)
        self._follow_deck(entry, proofs)
        if self._own is not None:
            self._own.accept(entry)
        self._follow_own_cards(entry, now)
        self._log.add(line, now)
        return entry

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
                self._log.keep_last_note()
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
        if committed is None or self._log.covered <= committed:
            detail = f"line {entry.index} deals before a checkpoint covered the hand's deck"
            raise ProtocolBreach(Reason.DEALT_EARLY, detail)

    def _follow_own_cards(self, entry: Entry, now: float) -> None:
        hand = self._hand
        seat = self._own.hand_seat if self._own else None
        if hand is None:
            return
        if entry.kind == "dealt" and seat is not None and not self._past.get(hand.number):
            self._past[hand.number] = (hand, seat)
            self._cards_due = Due.from_now(now, self._log.streams)
            self._interrupted = self._log.is_old(entry.index) or entry.index < self._begun_at
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
        size = self._log.cover(note)
        if self.finished:
            self._log.require_signed(size)
        return self._worth_keeping(size, note)

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
