"""REPLAYED: every deck, derived again, gives the logged mix, root and every opened card.

The mix is worked out as soon as a deck is committed, from the logged links alone; the deck when
the secret comes. Between the two a hand is kept small: its mix, root and opened cards.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.checks.voice import Voice, count
from audit_cli.derive import CARD_NUMBERS, CARDS, DerivedDeck, StreamExhaustedError, hash_card
from audit_cli.gamefile import place_of
from audit_cli.hashing import Beacon, Link, mix_hand
from audit_cli.merkle import HASH_BYTES, verify_inclusion
from audit_cli.report.finding import Promise
from audit_cli.spool import Shelf

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit, Request
    from audit_cli.checks.table import OpenHand, Table
    from audit_cli.gamefile import Extra, Foreseen, Line, Play


# One opened card, with its salt and the entry and line where it was opened: as it is kept.
_Opening = tuple[int, str, int, int]


class _Sealed(NamedTuple):
    """A hand whose secret is to come."""

    mix: bytes
    root: bytes
    opened: dict[int, _Opening]
    committed: Line


class _SealedHands:
    """Hands whose secret is to come: the last one at hand, all others beside memory."""

    def __init__(self) -> None:
        self._shelf = Shelf()
        self._number = 0
        self._last: _Sealed | None = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self._shelf) + (self._last is not None)

    def __contains__(self, number: int) -> bool:
        """Whether a hand is among them."""
        return (self._last is not None and number == self._number) or number in self._shelf

    def put(self, number: int, sealed: _Sealed) -> None:
        """Take a hand, the one that is open; another one then goes onto the shelf."""
        if self._last is not None:
            mix, root, opened, committed = self._last
            content = (mix, root, opened, committed.entry, committed.number)
            self._shelf.put(self._number, marshal.dumps(content))
        self._number, self._last = number, sealed

    def get(self, number: int) -> _Sealed | None:
        """Return a hand; what is changed in it stays."""
        if self._last is None or number != self._number:
            sealed = self._read(self._shelf.pop(number))
            if sealed is None:
                return None
            self.put(number, sealed)
        return self._last

    def pop(self, number: int) -> _Sealed | None:
        """Return a hand, which is then none of them any more."""
        if self._last is None or number != self._number:
            return self._read(self._shelf.pop(number))
        sealed, self._last = self._last, None
        return sealed

    def mix_of(self, number: int) -> bytes | None:
        """Return a hand's mix."""
        sealed = self._last
        if sealed is None or number != self._number:
            sealed = self._read(self._shelf.get(number))
        return None if sealed is None else sealed.mix

    @staticmethod
    def _read(record: bytes | None) -> _Sealed | None:
        if record is None:
            return None
        mix, root, opened, entry, number = marshal.loads(record)  # noqa: S302  (our own)
        return _new(_Sealed, (mix, root, opened, place_of(entry, number)))


_new = tuple.__new__


def mix_of(table: Table, hand: OpenHand) -> bytes | None:
    """Return the mix that a hand's logged links give; None if one is of a seat not dealt in."""
    rules = table.rules
    if not hand.links.keys() <= hand.players.keys():
        return None
    beacon = None
    if rules is not None and rules.beacon is not None and hand.beacon is not None:
        beacon = Beacon(
            bytes.fromhex(rules.beacon),
            hand.beacon["round"],
            bytes.fromhex(hand.beacon["randomness"]),
        )
    links = [
        _new(Link, (seat, hand.players[seat].player, bytes.fromhex(link)))
        for seat, link in hand.links.items()
    ]
    commitment = bytes.fromhex(hand.commitment)
    return mix_hand(table.origin, table.game_bytes, hand.number, commitment, links, beacon)


class Replayed:
    """Holds each committed deck until its secret comes."""

    def __init__(self, request: Request, emit: Emit) -> None:
        self._voice = Voice(Promise.REPLAYED, emit)
        self._ahead = request.ahead
        self._ahead.sealed = self._mix_of
        self._decks = 0
        self._cards = 0
        self._proofs = 0
        self._sealed = _SealedHands()

    def _mix_of(self, hand: int) -> bytes | None:
        """Return the mix of a hand of the game at hand, whose secret is to come."""
        return self._sealed.mix_of(hand)

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._sealed = _SealedHands()
        # Mix and root stay: a player's own openings stand behind all entries.
        self._roots = Shelf()
        self._unsigned = 0

    def deck_committed(self, line: Line) -> None:
        """Take a deck, when the table has taken the entry."""
        hand = self._table.hand
        body = line.body
        if hand is None:
            return
        mix = self.seal(hand.number, line)
        expected = mix_of(self._table, hand)
        if expected != mix:
            shown = "none: a link is of a seat that is not dealt in"
            self._voice.broken(
                "the logged links do not give the logged mix",
                line,
                hand.number,
                shown if expected is None else f"mix {expected.hex()}",
                f"mix {body['mix']}",
            )

    def seal(self, number: int, line: Line) -> bytes:
        """Take a hand's deck, if it is its first; the mix that is logged."""
        mix, root = bytes.fromhex(line.body["mix"]), bytes.fromhex(line.body["deck_root"])
        if number not in self._sealed:
            place = place_of(line.entry, line.number)
            self._sealed.put(number, _new(_Sealed, (mix, root, {}, place)))
            self._roots.put(number, mix + root)
        return mix

    def forget(self) -> None:
        """Wait for no hand's secret any more."""
        self._sealed = _SealedHands()

    def is_fresh(self, number: int, entry: int) -> bool:
        """Whether a hand's deck was committed at an entry, and nothing was opened of it."""
        sealed = self._sealed.get(number)
        return sealed is not None and not sealed.opened and sealed.committed.entry == entry

    def opened_cards(self, number: int) -> list[tuple[int, int, str, int]]:
        """Return the opened cards of a hand: position, card, salt, and the entry of each."""
        sealed = self._sealed.get(number)
        assert sealed is not None
        return [(at, card, salt, entry) for at, (card, salt, entry, _) in sealed.opened.items()]

    def foreseen(self, number: int, play: Play, found: Foreseen) -> None:
        """Take the opened cards of a hand's play."""
        sealed = self._sealed.get(number)
        assert sealed is not None
        self._cards += len(found.cards)
        entry, first = play.entry, play.number
        for position, card, salt, at in found.cards:
            sealed.opened[position] = card, salt, entry + at, first + at

    def opened(self, line: Line) -> None:
        """Cards are opened: remembered, and compared with what was opened of the deck before."""
        body = line.body
        hand = self._table.hand
        if hand is not None and hand.number != body["hand"]:
            text = f"cards of hand {body['hand']} are opened in hand {hand.number}"
            self._voice.broken(text, line, hand.number, hand.number, body["hand"])
        sealed = self._sealed.get(body["hand"])
        if sealed is None:
            return
        known = sealed.opened
        cards = {opening[0] for opening in known.values()}
        for card in body["cards"]:
            self._cards += 1
            position, value, salt = card["position"], CARD_NUMBERS[card["card"]], card["salt"]
            before = known.get(position)
            if before is not None and before[:2] != (value, salt):
                self._voice.broken(
                    f"position {position} is opened twice, differently",
                    line,
                    body["hand"],
                    f"{CARDS[before[0]]}, opened at entry {before[2]}",
                    card["card"],
                )
            elif before is None:
                if value in cards:
                    twin = next(at for at, other in known.items() if other[0] == value)
                    self._voice.broken(
                        f"{card['card']} is opened at two positions",
                        line,
                        body["hand"],
                        "one position for each card",
                        f"positions {twin} and {position}",
                    )
                known[position] = value, salt, line.entry, line.number
                cards.add(value)

    def reveal(self, line: Line, number: int, secret: str | None) -> DerivedDeck | None:
        """Return a hand's derived deck, its secret being there (None: it is never to come)."""
        sealed = self._sealed.pop(number)
        if sealed is None or not secret:
            return None
        try:
            deck = self._ahead.derive(bytes.fromhex(secret), sealed.mix)
        except StreamExhaustedError as error:
            self._voice.broken(f"the secret gives no deck: {error}", line, number)
            return None
        self._decks += 1
        if deck.root != sealed.root:
            self._voice.broken(
                "the deck derived from secret and mix is not the committed one",
                sealed.committed,
                number,
                f"deck_root {deck.root.hex()}",
                f"deck_root {sealed.root.hex()}",
            )
        cards = deck.cards
        for position, opening in sealed.opened.items():
            if opening[0] != cards[position] or opening[1] != deck.salt(position).hex():
                self._differs(line, number, deck, position, opening)
        return deck

    def _differs(
        self, line: Line, number: int, deck: DerivedDeck, position: int, opening: _Opening
    ) -> None:
        opened, _, entry, at = opening
        card = deck.cards[position]
        what = "card" if opened != card else "salt"
        self._voice.broken(
            f"the {what} opened at position {position} is not the deck's",
            line._replace(entry=entry, number=at),
            number,
            CARDS[card] if what == "card" else "the salt that the secret gives",
            CARDS[opened] if what == "card" else "another salt",
        )

    def behind(self, extra: Extra) -> None:
        """Follow the proof of a player's own opening to the committed root (protocol 4)."""
        body = extra.body
        if extra.kind != "opening":
            return
        known = self._roots.get(body["hand"])
        if known is None and not extra.whole:
            self._unsigned += 1
            return
        if known is None:
            text = "an opening is of a hand without a committed deck"
            self._voice.broken_at(text, extra.number, body["hand"])
            return
        mix, root = known[:HASH_BYTES], known[HASH_BYTES:]
        position = body["position"]
        salt = bytes.fromhex(body["salt"])
        leaf = hash_card(mix, position, CARD_NUMBERS[body["card"]], salt)
        proof = [bytes.fromhex(step) for step in body["proof"]]
        wrong = verify_inclusion(position, len(CARDS), leaf, proof, root)
        if wrong is None:
            self._proofs += 1
        else:
            text = f"the opening of position {position} fails its proof: {wrong}"
            self._voice.broken_at(text, extra.number, body["hand"])

    def end(self) -> None:
        """Hands whose secret never came are not established."""
        if self._unsigned:
            text = f"{count(self._unsigned, 'own opening')} of hands whose deck is not signed"
            self._voice.unproved(text)
        if self._sealed:
            self._voice.unproved(f"{count(len(self._sealed), 'deck')} can not be derived yet")
        self._voice.end()

    def conclude(self) -> None:
        """Say what was derived."""
        text = f"{count(self._decks, 'deck')} derived again, {count(self._cards, 'opened card')}"
        if self._proofs:
            text = f"{text}, {count(self._proofs, 'own opening')} with proof"
        self._voice.holds(text)
