"""A simulated game as its players' clients are told it: messages in order, with their times.

One message holds one line, with the checkpoint that stands behind it and the proofs of the cards
that it opens; the openings of the player's own cards follow the deal. Checkpoints are signed
over the lines as they are, so that a changed transcript is what a cheating dealer would send.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from dealer_service.client.lines import Body, read_line
from dealer_service.client.message import CardOpening, CardProof, Message
from dealer_service.client.refusing import Refused
from dealer_service.client.sent import (
    ActSent,
    AnchorSent,
    ChipsSent,
    ComeBackSent,
    LeaveSent,
    LinkSent,
    PreferSent,
    PreSelectSent,
    SeatAsked,
    Sent,
    ShowSent,
    SitOutSent,
)
from dealer_service.client.verifier import GameBefore, Progress, Verifier, Watched
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteSigner
from tests.support.simulator import START, Simulator
from tests.support.transcripts import Found, Transcript

Told = tuple[float, Message]
"""When a message comes, in seconds of the client's monotonic clock, and the message."""


@dataclass(slots=True)
class Stream:
    """What one player is told of a game, to be changed at will before it is told."""

    player: str | None
    transcript: Transcript
    signer: NoteSigner
    proofs: dict[tuple[int, int], tuple[bytes, ...]]
    openings: dict[tuple[int, int], CardOpening]
    sent: list[Sent]
    notes: dict[int, str] = field(default_factory=dict)
    """Notes that are told in place of the honest ones, by size."""
    before: GameBefore | None = None
    anchors: bool = False
    """Whether the player registered with the table's tournament as one that gives links."""

    def messages(self, first: int = 0) -> Iterator[Told]:
        """Tell the game from the line `first` on."""
        seats: dict[str, int] = {}
        tree = Tree(map(leaf_hash, self.transcript.lines))
        for one in self.transcript.all():
            if one.kind == "hand_opened":
                seats = {each["player"]: each["seat"] for each in one.body["seats"]}
            if one.index < first:
                continue
            now = (one.at - START) / 1000
            yield now, self._message(one, tree)
            own = self._own(one, seats.get(self.player or ""))
            if own:
                yield now, Message(openings=own)

    def verifier(self, *, backlog: int = 0, joined: float = 0.0, slept: float = 0.0) -> Verifier:
        """Make the player's verifier, which knows what its client sent."""
        game, key = self.transcript.game, self.signer.verifier
        watched = Watched(game, key, self.player, joined, backlog, self.before, slept, self.anchors)
        return Verifier(watched, self.sent)

    def judge(self, *, backlog: int = 0) -> Refused | None:
        """Tell the whole game to a fresh verifier, and give its refusal."""
        verifier = self.verifier(backlog=backlog)
        for now, message in self.messages():
            answer = verifier.receive(message, now)
            if isinstance(answer, Refused):
                return answer
            assert isinstance(answer, Progress)
        return None

    def _message(self, one: Found, tree: Tree) -> Message:
        size = one.index + 1
        note = self.notes.get(size)
        if note is None and size in self.transcript.checkpoints:
            origin = f"{self.transcript.origin}/games/{self.transcript.game}"
            note = sign_checkpoint(Checkpoint(origin, size, tree.root(size)), self.signer)
        proofs: tuple[CardProof, ...] = ()
        if one.kind == "opened":
            keys = [(one.body["hand"], each["position"]) for each in one.body["cards"]]
            proofs = tuple(CardProof(*key, self.proofs[key]) for key in keys if key in self.proofs)
        return Message(one.index, (self.transcript.lines[one.index],), proofs, note or "")

    def _own(self, one: Found, seat: int | None) -> tuple[CardOpening, ...]:
        if one.kind != "dealt" or seat is None:
            return ()
        keys = [
            (one.body["hand"], each["position"])
            for each in one.body["positions"]
            if each.get("seat") == seat
        ]
        return tuple(self.openings[key] for key in keys if key in self.openings)


def stream_of(
    simulator: Simulator, player: str | None, *, before: Simulator | None = None
) -> Stream:
    """Give what `player` (None: a watcher) is told of a simulated game, and what it sent."""
    proofs: dict[tuple[int, int], tuple[bytes, ...]] = {}
    openings: dict[tuple[int, int], CardOpening] = {}
    for hand, deal in simulator.deals.items():
        if deal.mix is None:
            continue
        sealed = simulator.cheat.derive(deal.secret, deal.mix)
        for position in range(52):
            shown = sealed.opening(position)
            proofs[hand, position] = shown.proof
            name = CARD_NAMES[shown.card]
            openings[hand, position] = CardOpening(hand, position, name, shown.salt, shown.proof)
    sent = [] if player is None else sent_by(simulator, player)
    earlier = None
    if before is not None:
        closed = before.transcript().find("game_closed").index + 1
        root = before.tree.root(closed).hex()
        earlier = GameBefore(before.state.opened.game, closed, root)
    transcript = simulator.transcript()
    return Stream(player, transcript, simulator.signer, proofs, openings, sent, before=earlier)


def sent_by(simulator: Simulator, player: str) -> list[Sent]:
    """List what a player's client must have sent for an honest game's log to be as it is."""
    sent: list[Sent] = []
    seats: dict[int, str] = {}
    hand = 0
    for index, line in enumerate(simulator.lines):
        entry = read_line(index, line)
        body = entry.body
        if entry.kind == "hand_opened":
            hand, seats = body["hand"], {s["seat"]: s["player"] for s in body["seats"]}
        links = [each for each in body.get("links", ()) if seats[each["seat"]] == player]
        sent += [LinkSent(hand, each["link"]) for each in links]
        mine = body.get("player") == player or seats.get(body.get("seat", 0)) == player
        told = _SENT.get(entry.kind)
        if told is not None and mine and body.get("by", "player") in {"player", "pre_action"}:
            sent.append(told(f"request-{index}", hand, body))
    return sent


def _act(request_id: str, hand: int, body: Body) -> ActSent | PreSelectSent:
    if body["by"] == "pre_action":
        return PreSelectSent(hand, body["act"])
    to = body["to"] if body["act"] in {"bet", "raise"} else 0
    return ActSent(request_id, hand, body["turn"], body["act"], to)


def _anchor(request_id: str, _: int, body: Body) -> AnchorSent:
    missing = (body.get("missing_hand", 0), body.get("missing_link", ""))
    return AnchorSent(request_id, body["anchor"], *missing)


def _seat(request_id: str, _: int, body: Body) -> SeatAsked:
    return SeatAsked(request_id, body["seat"], body["stack"], body.get("anchor", ""))


_SENT: Final[Mapping[str, Callable[[str, int, Body], Sent]]] = {
    "seat_taken": _seat,
    "anchored": _anchor,
    "chips_added": lambda request_id, _, body: ChipsSent(request_id, body["amount"]),
    "preferred": lambda request_id, _, body: PreferSent(request_id, " ".join(body["choices"])),
    "sat_out": lambda request_id, _hand, _body: SitOutSent(request_id),
    "came_back": lambda request_id, _hand, _body: ComeBackSent(request_id),
    "seat_left": lambda request_id, _hand, _body: LeaveSent(request_id),
    "acted": _act,
    "opened": lambda request_id, hand, _: ShowSent(request_id, hand),
}
