"""The memory of anchors and links of one game: which value was ever used, and what was missed.

Folding a log may begin at any hand, but whether a value is new needs every line; so this is kept
beside the state (`rules.entropy.Past`), and the store keeps the values that were used.
"""

from array import array
from collections.abc import Iterable, Mapping

from dealer_service.rules.entry import (
    Anchored,
    DeckCommitted,
    Entry,
    HandOpened,
    HandVoid,
    SeatTaken,
)


class UsedValues:
    """Every anchor, link and missing link of a log, and the links given for its open hand.

    `used` and `missed` are what a log has before the lines that `note` is told of.
    """

    __slots__ = ("_frozen", "_missed", "_used")

    def __init__(
        self, used: Iterable[str] = (), missed: Mapping[tuple[int, str], str] | None = None
    ) -> None:
        self._used = Fingerprints()
        for value in used:
            self._used.add(value)
        self._frozen: dict[str, str] = {}
        self._missed = dict(missed or {})

    def was_used(self, value: str) -> bool:
        """Say whether `value` was logged, or given as a link for the open hand."""
        return value in self._used

    def missed_anchor(self, hand: int, player: str) -> str | None:
        """Give the frozen anchor whose link the player did not give in `hand`."""
        return self._missed.get((hand, player))

    def hold(self, link: str) -> None:
        """Take note of a link that came for the open hand and is not logged yet."""
        self._used.add(link)

    def note(self, entry: Entry) -> tuple[str, ...]:
        """Take note of the next entry of the log, and give the values that it logs as new."""
        if isinstance(entry, HandOpened):
            self._frozen = frozen_anchors(entry)
        elif isinstance(entry, HandVoid):
            self._missed.update(missed_anchors(self._frozen, entry))
        values = _values_of(entry)
        for value in values:
            self._used.add(value)
        return values


class Fingerprints:
    """A set of texts by 64 bits of Python's keyed hash of each: 16 to 32 bytes for one, not 160.

    A text that was added is always found. That another is taken for it is as likely as to guess
    64 bits at once, and costs its player no more than the choice of another value.
    """

    __slots__ = ("_count", "_slots")

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 16))
        self._count = 0

    def __contains__(self, text: str) -> bool:
        mark = _fingerprint(text)
        return self._slots[self._place(mark)] == mark

    def add(self, text: str) -> None:
        """Add a text."""
        if self._put(_fingerprint(text)) and 2 * self._count > len(self._slots):
            old, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
            self._count = 0
            for mark in old:
                if mark:
                    self._put(mark)

    def _put(self, mark: int) -> bool:
        place = self._place(mark)
        if self._slots[place] == mark:
            return False
        self._slots[place] = mark
        self._count += 1
        return True

    def _place(self, mark: int) -> int:
        """Give the slot that a fingerprint is in, or the free one where it would be put."""
        slots = self._slots
        last = len(slots) - 1
        place = mark & last
        while (here := slots[place]) and here != mark:
            place = (place + 1) & last
        return place


def _fingerprint(text: str) -> int:
    # A slot that is 0 is free.
    return hash(text) & 0xFFFF_FFFF_FFFF_FFFF or 1


def frozen_anchors(opened: HandOpened) -> dict[str, str]:
    """Give the anchors, by player, that an opening repeats."""
    return {one.player: one.anchor for one in opened.seats if one.anchor}


def missed_anchors(frozen: Mapping[str, str], void: HandVoid) -> dict[tuple[int, str], str]:
    """Give the frozen anchor of every player whose link a void calls missing, by its hand too."""
    return {(void.hand, one.player): frozen[one.player] for one in void.missing}


def _values_of(entry: Entry) -> tuple[str, ...]:
    match entry:
        case SeatTaken(anchor=str(anchor)):
            return (anchor,)
        case Anchored(anchor=anchor, missing_link=missing):
            return (anchor,) if missing is None else (anchor, missing)
        case DeckCommitted(links=links) | HandVoid(links=links):
            return tuple(one.link for one in links)
        case _:
            return ()
