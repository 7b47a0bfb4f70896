"""The open hand's secret and deck, and what of them may be told, to whom.

A secret is drawn when its hand opens and is at rest only sealed; the deck is derived when every
link has come, and the secret is then let go of: whoever needs it again unseals it. All of it goes
with the hand. Cards leave in three ways alone: in an `opened` entry that the rules or the player
ask for, with its proof beside it, and as private openings to the seat that a card was dealt to.
Nothing here shows in a repr.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from dealer_service.fairness.cards import card_name
from dealer_service.fairness.commitment import hand_commitment
from dealer_service.fairness.deck import Opening, SealedDeck, derive
from dealer_service.fairness.mixing import Beacon, Link, mix
from dealer_service.rules.entry import Dealt, Destination, HandOpened, OpenedCard
from dealer_service.tables.watchers import PrivateOpenings, Proven


class Openings(Sequence[Opening]):
    """The openings of some positions, each made when it is asked for, which many never are."""

    __slots__ = ("_deck", "_positions")

    def __init__(self, deck: SealedDeck, positions: Sequence[int]) -> None:
        self._deck = deck
        self._positions = positions

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, at: int) -> Opening: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Opening, ...]: ...
    def __getitem__(self, at: int | slice) -> Opening | tuple[Opening, ...]:
        if isinstance(at, slice):
            return tuple([self._deck.opening(position) for position in self._positions[at]])
        return self._deck.opening(self._positions[at])


class Faces(Sequence[OpenedCard]):
    """A deck's cards by position as entries open them, each made when it is asked for."""

    __slots__ = ("_deck",)

    def __init__(self, deck: SealedDeck) -> None:
        self._deck = deck

    def __len__(self) -> int:
        return len(self._deck.cards)

    @overload
    def __getitem__(self, at: int) -> OpenedCard: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[OpenedCard, ...]: ...
    def __getitem__(self, at: int | slice) -> OpenedCard | tuple[OpenedCard, ...]:
        if isinstance(at, slice):
            return tuple([self._face(position) for position in range(*at.indices(len(self)))])
        return self._face(range(len(self))[at])

    def _face(self, position: int) -> OpenedCard:
        deck = self._deck
        return OpenedCard(position, card_name(deck.cards[position]), deck.salts[position].hex())


@dataclass(slots=True)
class Custody:
    """The secrets of one hand: `secret` until its deck is fixed, and then `deck` and `faces`.

    `faces` are the deck's cards by position.
    """

    hand: int
    secret: bytes = field(repr=False)
    deck: SealedDeck | None = field(default=None, repr=False)
    faces: Sequence[OpenedCard] = field(default=(), repr=False)

    def commitment(self, origin: str, game: bytes) -> str:
        """Give the commitment to the secret, in hex."""
        return hand_commitment(origin, game, self.hand, self.secret).hex()

    def mix(
        self,
        origin: str,
        game: bytes,
        opened: HandOpened,
        links: Mapping[int, str],
        beacon: Beacon | None = None,
    ) -> bytes:
        """Mix the links, by seat and in hex, of the hand's players, and the beacon's round.

        PROTOCOL.md section 2.
        """
        players = {one.seat: one.player for one in opened.seats}
        given = [Link(seat, players[seat], bytes.fromhex(link)) for seat, link in links.items()]
        commitment = bytes.fromhex(opened.commitment)
        return mix(origin, game, self.hand, commitment, given, beacon=beacon)

    def fix(self, mixed: bytes) -> SealedDeck:
        """Derive the deck of the mix and keep it in the secret's place."""
        self.deck = deck = derive(self.secret, mixed)
        self.secret = b""
        self.faces = Faces(deck)
        return deck

    def prove(self, positions: Iterable[int]) -> list[Proven]:
        """Give the inclusion paths of positions that a line opens."""
        deck = self._fixed()
        return [Proven(self.hand, one, deck.opening(one).proof) for one in positions]

    def open_to_seats(self, dealt: Dealt) -> dict[int, PrivateOpenings]:
        """Give each seat the openings of the cards dealt to it, and of no other."""
        deck = self._fixed()
        seats: dict[int, list[int]] = {}
        for one in dealt.positions:
            if one.to is Destination.SEAT and one.seat is not None:
                seats.setdefault(one.seat, []).append(one.position)
        return {
            seat: PrivateOpenings(self.hand, Openings(deck, positions))
            for seat, positions in seats.items()
        }

    def _fixed(self) -> SealedDeck:
        if self.deck is None:
            message = f"the deck of hand {self.hand} is not committed"
            raise LookupError(message)
        return self.deck
