"""Every anchor and link that a game's log holds, so that none counts twice (protocol section 2)."""

from collections.abc import Iterable, Mapping

from dealer_service.rules.entry import (
    Anchored,
    DeckCommitted,
    Entry,
    HandOpened,
    HandVoid,
    SeatTaken,
    VoidReason,
)


def values_of(entry: Entry) -> tuple[str, ...]:
    """List the values that an entry logs for the first time, in hex."""
    match entry:
        case SeatTaken(anchor=str(anchor)):
            return (anchor,)
        case Anchored(anchor=anchor, missing_link=missing):
            return (anchor,) if missing is None else (anchor, missing)
        case DeckCommitted(links=links) | HandVoid(links=links):
            return tuple(one.link for one in links)
        case _:
            return ()


class Past:
    """What was logged, and what was given for the open hand; kept by the table that uses it."""

    __slots__ = ("_given", "_missed", "_used")

    def __init__(
        self, used: Iterable[str] = (), missed: Mapping[tuple[int, str], str] | None = None
    ) -> None:
        self._used = set(used)
        self._given: set[str] = set()
        self._missed = dict(missed or {})

    def was_used(self, value: str) -> bool:
        """Say whether `value` was logged, or given as a link for the open hand."""
        return value in self._used or value in self._given

    def missed_anchor(self, hand: int, player: str) -> str | None:
        """Give the frozen anchor whose link the player did not give in `hand`."""
        return self._missed.get((hand, player))

    def give(self, link: str) -> None:
        """Remember a link that came for the open hand and is not logged yet."""
        self._given.add(link)

    def note(self, entry: Entry, opened: HandOpened | None) -> tuple[str, ...]:
        """Remember what an entry logs and list its new values; `opened` is the hand it ends."""
        values = values_of(entry)
        self._used.update(values)
        if isinstance(entry, DeckCommitted | HandVoid):
            self._given.clear()
        if isinstance(entry, HandVoid) and entry.reason is VoidReason.LINK_MISSING and opened:
            self._missed.update(missed_anchors(entry, opened))
        return values


def missed_anchors(void: HandVoid, opened: HandOpened) -> dict[tuple[int, str], str]:
    """Give the frozen anchor of every player whose link a void calls missing."""
    anchors = {one.player: one.anchor for one in opened.seats}
    return {
        (void.hand, one.player): anchor
        for one in void.missing
        if (anchor := anchors[one.player]) is not None
    }
