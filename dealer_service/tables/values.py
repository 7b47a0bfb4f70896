"""The memory of anchors and links of one game: which value was ever used, and what was missed.

Folding a log may begin at any hand, but whether a value is new needs every line; so this is kept
beside the state (`rules.entropy.Past`), and the store keeps the values that were used.
"""

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
        self._used = set(used)
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
        self._used.update(values)
        return values


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
