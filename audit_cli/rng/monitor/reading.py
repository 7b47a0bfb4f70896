"""From game files to their revealed hands, each derived and compared with what the file shows.

Only entries under a good checkpoint count (protocol 12). A hand counts when its secret was revealed
and gives, with the logged mix, the commitment, the root and every opened card of the file. Whether
the mix is made of the players' links, and all the rest, is for `verify` to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit_cli.coverage import Ended, cover
from audit_cli.derive import CARD_NUMBERS, CARDS, StreamExhaustedError, derive_deck
from audit_cli.gamefile import Damage, Header, Line
from audit_cli.hashing import commit_hand
from audit_cli.report.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from audit_cli.gamefile import Item
    from audit_cli.note import VerifierKey


@dataclass(frozen=True, slots=True)
class LiveHand:
    """A hand whose deck was committed and whose secret was revealed.

    `opened` are the cards that the file shows, as (position, card) in rising order.
    """

    origin: str
    game: bytes
    hand: int
    secret: bytes = field(repr=False)
    mix: bytes
    commitment: bytes
    deck_root: bytes
    opened: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LiveGame:
    """What a file tells of one game; `hidden` hands were dealt and are not revealed there.

    `broken` says in words what a checkpoint of the key does not bear out.
    """

    origin: str
    game: bytes
    hands: tuple[LiveHand, ...]
    hidden: int
    broken: tuple[str, ...]


@dataclass(slots=True)
class _Dealt:
    """A hand while its game is read."""

    commitment: str
    mix: str = ""
    deck_root: str = ""
    secret: str = ""
    opened: dict[int, str] = field(default_factory=dict)


class _Reading:
    """One game while it is read."""

    __slots__ = ("_broken", "_hands", "_header")

    def __init__(self, header: Header) -> None:
        self._header = header
        self._hands: dict[int, _Dealt] = {}
        self._broken: list[str] = []

    def note_broken(self, finding: Finding) -> None:
        where = "" if finding.line is None else f" (line {finding.line:,})"
        self._broken.append(f"{finding.text}{where}")

    def note(self, line: Line) -> None:
        body = line.body
        if line.kind == "hand_opened":
            self._hands[body["hand"]] = _Dealt(body["commitment"])
            return
        hand = self._hands.get(body.get("hand", 0))
        if hand is None:
            return
        if line.kind == "deck_committed":
            hand.mix, hand.deck_root = body["mix"], body["deck_root"]
        elif line.kind == "opened":
            hand.opened.update((card["position"], card["card"]) for card in body["cards"])
        elif line.kind in {"secret_revealed", "hand_void"}:
            hand.secret = body.get("secret", "")

    def finish(self) -> LiveGame:
        origin, game = self._header.origin, bytes.fromhex(self._header.game)
        dealt = {number: hand for number, hand in self._hands.items() if hand.deck_root}
        told = tuple(
            LiveHand(
                origin,
                game,
                number,
                bytes.fromhex(hand.secret),
                bytes.fromhex(hand.mix),
                bytes.fromhex(hand.commitment),
                bytes.fromhex(hand.deck_root),
                tuple((place, CARD_NUMBERS[card]) for place, card in sorted(hand.opened.items())),
            )
            for number, hand in dealt.items()
            if hand.secret
        )
        return LiveGame(origin, game, told, len(dealt) - len(told), tuple(self._broken))


def read_games(items: Iterable[Item], trusted: VerifierKey | None) -> Iterator[LiveGame | Damage]:
    """Give the games of an input, each when its lines have ended, and damage where it is met.

    Judged by the trusted key; without one, by the file's own.
    """
    reading: _Reading | None = None
    for item in cover(items, trusted):
        if isinstance(item, Damage):
            yield item
        elif isinstance(item, Header):
            reading = None if item.tournament else _Reading(item)
        elif reading is None:
            continue
        elif isinstance(item, Line):
            reading.note(item)
        elif isinstance(item, Finding):
            reading.note_broken(item)
        elif isinstance(item, Ended):
            yield reading.finish()


def difference(hand: LiveHand) -> str | None:
    """Say in what the file's hand is not the one that its secret and mix give; None if it is."""
    if commit_hand(hand.origin, hand.game, hand.hand, hand.secret) != hand.commitment:
        return "the revealed secret is not the one that was committed to"
    try:
        deck = derive_deck(hand.secret, hand.mix)
    except StreamExhaustedError:
        return "the revealed secret and the mix give no deck"
    for position, card in hand.opened:
        if deck.cards[position] != card:
            shown, derived = CARDS[card], CARDS[deck.cards[position]]
            return f"position {position} shows {shown}, and {derived} is derived"
    if deck.root != hand.deck_root:
        return "the derived deck has another root than was committed to"
    return None
