"""The memory of anchors and links of one game: which value was ever used, and what was missed.

Folding a log may begin at any hand, but whether a value is new needs every line: this is built
from all of them, once, and kept beside the state (`rules.entropy.Past`).
"""

from dealer_service.rules.entry import (
    Anchored,
    DeckCommitted,
    Entry,
    HandOpened,
    HandVoid,
    SeatTaken,
)


class UsedValues:
    """Every anchor, link and missing link of a log, and the links given for its open hand."""

    __slots__ = ("_frozen", "_missed", "_used")

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._frozen: dict[str, str] = {}
        self._missed: dict[tuple[int, str], str] = {}

    def was_used(self, value: str) -> bool:
        """Say whether `value` was logged, or given as a link for the open hand."""
        return value in self._used

    def missed_anchor(self, hand: int, player: str) -> str | None:
        """Give the frozen anchor whose link the player did not give in `hand`."""
        return self._missed.get((hand, player))

    def hold(self, link: str) -> None:
        """Take note of a link that came for the open hand and is not logged yet."""
        self._used.add(link)

    def note(self, entry: Entry) -> None:
        """Take note of the next entry of the log."""
        match entry:
            case HandOpened():
                self._frozen = {one.player: one.anchor for one in entry.seats if one.anchor}
            case DeckCommitted():
                self._used.update(one.link for one in entry.links)
            case HandVoid():
                self._used.update(one.link for one in entry.links)
                for one in entry.missing:
                    self._missed[entry.hand, one.player] = self._frozen[one.player]
            case SeatTaken(anchor=str(anchor)):
                self._used.add(anchor)
            case Anchored():
                self._used.add(entry.anchor)
                if entry.missing_link is not None:
                    self._used.add(entry.missing_link)
