"""One hand's deck as a client sees it: links and mix, positions in order, cards with their proofs.

PROTOCOL.md sections 2 to 4. The mix is worked out again from the logged links, each of which must
lead to the anchor that the opening froze (MIX); positions go out as section 4 says (POSITION); a
card counts only under a proof to the committed root, and no card comes twice (OPENING).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.client.drawn import BeaconRule, find_fault
from dealer_service.client.grammar import DEALT_IN
from dealer_service.client.lines import Entry
from dealer_service.client.message import CardOpening
from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.fairness.cards import card_number
from dealer_service.fairness.commitment import follows
from dealer_service.fairness.deck import Opening, verify_opening
from dealer_service.fairness.mixing import Beacon, Link, mix
from dealer_service.fairness.refusal import FairnessError

HOLDEM_CARDS: Final = 2
_STREETS: Final = (3, 1, 1)

_Where = tuple[str, int]  # ("seat", n), ("board", n) or ("burn", 0)


@dataclass(frozen=True, slots=True)
class Table:
    """Which table a hand is of: origin, game (16 bytes), the rule of its beacon if it has one.

    Every seat gets `hole_cards`.
    """

    origin: str
    game: bytes
    beacon: BeaconRule | None = None
    hole_cards: int = HOLDEM_CARDS


class HandSeen:
    """What is known of one hand's deck, from its opening on."""

    __slots__ = (
        "_cards",
        "_commitment",
        "_deals",
        "_frozen",
        "_opened_at",
        "_order",
        "_players",
        "_shared_streets",
        "_table",
        "_went_to",
        "committed",
        "mixed",
        "number",
        "root",
    )

    def __init__(self, table: Table, opened: Entry) -> None:
        body = opened.body
        dealt_in = [seat for seat in body["seats"] if seat["state"] in DEALT_IN]
        self._table = table
        self._commitment = bytes.fromhex(body["commitment"])
        self._players = {seat["seat"]: seat["player"] for seat in dealt_in}
        self._frozen = {
            s["seat"]: bytes.fromhex(s["anchor"])
            for s in dealt_in
            if s["state"] == "in" and "anchor" in s
        }
        self._order = _left_of(body["button"], list(self._players))
        self._opened_at = opened.at
        self._deals = 0
        self._shared_streets: int | None = None
        self._went_to: list[_Where] = []
        self._cards: dict[int, str] = {}
        self.number: int = body["hand"]
        self.committed: int | None = None
        self.mixed = b""
        self.root = b""

    def commit(self, entry: Entry) -> None:
        """Take `deck_committed`: a link of each frozen anchor, and the mix of exactly those."""
        links = {each["seat"]: bytes.fromhex(each["link"]) for each in entry.body["links"]}
        if links.keys() != self._frozen.keys():
            _refuse(Reason.MIX, entry, "the links are not one for each frozen anchor")
        for seat, link in links.items():
            self._require_follows(entry, seat, link)
        ordered = [Link(seat, self._players[seat], link) for seat, link in links.items()]
        try:
            mixed = mix(
                self._table.origin,
                self._table.game,
                self.number,
                self._commitment,
                ordered,
                beacon=self._beacon(entry),
            )
        except FairnessError as error:
            _refuse(Reason.MIX, entry, str(error))
        if mixed.hex() != entry.body["mix"]:
            _refuse(Reason.MIX, entry, f"the mix of the logged links is {mixed.hex()}")
        self.mixed = mixed
        self.root = bytes.fromhex(entry.body["deck_root"])
        self.committed = entry.index

    def void(self, entry: Entry) -> None:
        """Take `hand_void`: the links that came must lead to their frozen anchors, too."""
        for each in entry.body["links"]:
            self._require_follows(entry, each["seat"], bytes.fromhex(each["link"]))

    def deal(self, entry: Entry) -> None:
        """Take `dealt`: the next positions, to where section 4 sends them."""
        expected = self._next_deal()
        if expected is None:
            _refuse(Reason.POSITION, entry, "the river is dealt, and no position is left to deal")
        self._deals += 1
        positions = entry.body["positions"]
        numbers = [each["position"] for each in positions]
        first = len(self._went_to)
        if numbers != list(range(first, first + len(numbers))):
            _refuse(Reason.POSITION, entry, f"position {first} is next, and not {numbers}")
        going = [_where(each) for each in positions]
        if going != expected:
            _refuse(Reason.POSITION, entry, f"it deals to {_told(going)}, not {_told(expected)}")
        self._went_to += going

    def run_twice(self, entry: Entry) -> None:
        """Take `runs_agreed`: the streets still to come are dealt to two boards."""
        streets = self._deals - 1
        if self._shared_streets is not None or not 0 <= streets < len(_STREETS):
            _refuse(Reason.POSITION, entry, "there is no rest of a board to deal twice")
        self._shared_streets = streets

    def _next_deal(self) -> list[_Where] | None:
        """Give where the next deal goes (section 4); None where everything is dealt."""
        if self._deals == 0:
            return [("seat", seat) for seat in self._order] * self._table.hole_cards
        street, board = self._deals - 1, 1
        if street >= len(_STREETS):
            if self._shared_streets is None:
                return None
            street, board = street - len(_STREETS) + self._shared_streets, 2
            if street >= len(_STREETS):
                return None
        return [("burn", 0), *[("board", board)] * _STREETS[street]]

    def positions_of(self, seat: int) -> tuple[int, ...]:
        """Give the positions that went to a seat."""
        return tuple(p for p, where in enumerate(self._went_to) if where == ("seat", seat))

    def is_open(self, position: int) -> bool:
        """Whether this client has seen the card at `position`."""
        return position in self._cards

    def open_logged(self, entry: Entry, proofs: Mapping[tuple[int, int], Sequence[bytes]]) -> None:
        """Take `opened`: each card was dealt there, and its proof came beside the line."""
        body = entry.body
        where: _Where = ("seat", body["seat"]) if "seat" in body else ("board", body["board"])
        for each in body["cards"]:
            position = each["position"]
            proof = proofs.get((self.number, position))
            if proof is None:
                _refuse(Reason.OPENING, entry, f"the proof of position {position} did not come")
            salt = bytes.fromhex(each["salt"])
            opening = CardOpening(self.number, position, each["card"], salt, tuple(proof))
            self.open(opening, where)

    def open(self, opening: CardOpening, where: _Where) -> None:
        """Take an opening of a card that was dealt to `where`."""
        told = f"hand {self.number}, position {opening.position}"
        known = 0 <= opening.position < len(self._went_to)
        if not known or self._went_to[opening.position] != where:
            detail = f"{told}: opened as of {_told([where])}, to which it was not dealt"
            raise ProtocolBreach(Reason.POSITION, detail)
        if not self._proves(opening):
            detail = f"{told}: the opening does not prove its card under the deck's root"
            raise ProtocolBreach(Reason.OPENING, detail)
        twice = [p for p, card in self._cards.items() if card == opening.card]
        if twice not in ([], [opening.position]):
            detail = f"{told}: its card was opened at position {twice[0]} before"
            raise ProtocolBreach(Reason.OPENING, detail)
        self._cards[opening.position] = opening.card

    def _proves(self, opening: CardOpening) -> bool:
        try:
            card = card_number(opening.card)
        except FairnessError:
            return False
        shown = Opening(opening.position, card, opening.salt, opening.proof)
        return verify_opening(self.root, self.mixed, shown)

    def _require_follows(self, entry: Entry, seat: int, link: bytes) -> None:
        anchor, player = self._frozen[seat], self._players[seat]
        place = (self._table.origin, self._table.game, player)
        if not follows(*place, link=link, anchor=anchor):
            _refuse(Reason.MIX, entry, f"the link of seat {seat} does not lead to its anchor")

    def _beacon(self, entry: Entry) -> Beacon | None:
        logged = entry.body.get("beacon")
        if (logged is None) != (self._table.beacon is None):
            _refuse(Reason.MIX, entry, "a beacon is mixed in exactly where the rules name one")
        if logged is None or self._table.beacon is None:
            return None
        fault = find_fault(self._table.beacon, self._opened_at, logged)
        if fault:
            _refuse(Reason.MIX, entry, fault)
        randomness = bytes.fromhex(logged["randomness"])
        return Beacon(self._table.beacon.chain, logged["round"], randomness)


def _left_of(button: int, seats: list[int]) -> list[int]:
    """Order seats clockwise, beginning with the first to the left of the button."""
    return sorted(seats, key=lambda seat: (seat <= button, seat))


def _where(position: Mapping[str, object]) -> _Where:
    to = str(position["to"])
    number = position.get(to, 0)
    assert isinstance(number, int)
    return to, number


def _told(places: Sequence[_Where]) -> str:
    return ", ".join(f"{to} {number}" if number else to for to, number in places)


def _refuse(reason: Reason, entry: Entry, why: str) -> NoReturn:
    raise ProtocolBreach(reason, f"line {entry.index} ({entry.kind}): {why}") from None
