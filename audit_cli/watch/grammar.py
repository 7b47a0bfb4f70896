"""In which order the lines of one game may stand in the dealer's log (protocol 5 and 6).

    game = game_opened, { hand_opened, ( hand_void | deck_committed ) }, game_closed, game_revealed

Hands are numbered 1, 2, 3, …; the transcript grows with every line and its time does not fall
within a game; only a reveal may stand at the size of its close, where there is no secret to show.
A hand that is void after its deck was committed fits the order, and breaks a promise all the same.
A line that does not fit is told and left out of the game's state, so that one mistake is told once.
A game may be there without its first lines: a dealer may begin to publish under open games. A
tournament's log is listed as a game that has no hands, closed and revealed at one size.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.log.noted import Stage

if TYPE_CHECKING:
    from audit_cli.log.noted import Noted


class Kind(StrEnum):
    """What can be wrong with a dealer's log, or with the games that it lists."""

    FORK = "fork"
    SECOND_LINE = "second_line"
    MALFORMED = "malformed"
    OUT_OF_ORDER = "out_of_order"
    OPENING_MISSING = "opening_missing"
    VOID_AFTER_DECK = "void_after_deck"
    NEVER_CLOSED = "never_closed"
    NEVER_REVEALED = "never_revealed"
    REVEALED_LATE = "revealed_late"
    VOIDS = "voids"


class GameSeen(NamedTuple):
    """What the lines of a game tell so far.

    `hand` is the last hand opened and `settled` whether its deck or its void came; `committed`
    and `voids` count hands; times are in milliseconds, None before the stage; `size`, `root` and
    `at` are those of the last line that fits. `joined` tells that the log has not its beginning,
    so that `opened_at` is the time of its first line there.
    """

    game: str
    opened_at: int
    size: int
    root: bytes
    at: int
    hand: int = 0
    settled: bool = True
    last_void: bool = False
    committed: int = 0
    voids: int = 0
    closed_at: int | None = None
    revealed_at: int | None = None
    joined: bool = False

    @property
    def state(self) -> str:
        """Where the game is: "open", "closed" or "revealed"."""
        if self.revealed_at is not None:
            return "revealed"
        return "open" if self.closed_at is None else "closed"


def take(seen: GameSeen | None, noted: Noted) -> tuple[GameSeen | None, tuple[Kind, str] | None]:
    """Return the game with the next line, and what is wrong with the line, in words.

    Whether a line stands for a stage that has one already is for the caller to see: such a line
    is no next line of the game.
    """
    if noted.stage is Stage.GAME_OPENED:
        # Its only one: the caller sees to second lines.
        if seen is None:
            return GameSeen(noted.game, noted.at, noted.size, noted.root, noted.at), None
        return seen, (Kind.OUT_OF_ORDER, "game_opened comes behind lines of its game")
    if seen is None:
        begun = GameSeen(noted.game, noted.at, noted.size, noted.root, noted.at, joined=True)
        return _further(_adopted(begun, noted), noted), None
    words_or_none = _misplaced(seen, noted) or _backwards(seen, noted)
    if words_or_none is not None:
        return seen, (Kind.OUT_OF_ORDER, f"{noted} {words_or_none}")
    late = noted.stage is Stage.HAND_VOID and seen.settled
    wrong = (Kind.VOID_AFTER_DECK, f"{noted} comes after its deck was committed") if late else None
    return _further(seen, noted), wrong


def _adopted(begun: GameSeen, noted: Noted) -> GameSeen:
    """Put a game whose first lines are missing into the state just before a line of it."""
    match noted.stage:
        case Stage.HAND_OPENED:
            return begun._replace(hand=noted.hand - 1)
        case Stage.DECK_COMMITTED | Stage.HAND_VOID:
            return begun._replace(hand=noted.hand, settled=False)
        case Stage.GAME_REVEALED:
            return begun._replace(closed_at=noted.at)
        case _:
            return begun


def _misplaced(  # noqa: PLR0911  (one return a rule)
    seen: GameSeen, noted: Noted
) -> str | None:
    """Return why a line can not stand here, None where it can."""
    if seen.revealed_at is not None:
        return "comes behind the game's reveal"
    if noted.stage is Stage.GAME_REVEALED:
        return "comes before the game's close" if seen.closed_at is None else None
    if seen.closed_at is not None:
        return "comes behind the game's close"
    if noted.stage is Stage.HAND_OPENED and noted.hand != seen.hand + 1:
        return f"comes where hand {seen.hand + 1} is due"
    if noted.stage in {Stage.HAND_OPENED, Stage.GAME_CLOSED}:
        return None if seen.settled else f"comes while hand {seen.hand} has neither deck nor void"
    if noted.hand != seen.hand:
        return f"is not of the game's last hand, {seen.hand}"
    if noted.stage is Stage.HAND_VOID and not seen.settled:
        return None
    return "comes after the hand's void" if seen.last_void else None


def _backwards(seen: GameSeen, noted: Noted) -> str | None:
    """Return why a line's size, root or time can not follow the line before."""
    if noted.at < seen.at:
        return f"is of an earlier time ({noted.at}) than the line before it ({seen.at})"
    if noted.size > seen.size:
        return None
    if noted.stage is Stage.GAME_REVEALED and (noted.size, noted.root) == (seen.size, seen.root):
        return None
    return f"is at size {noted.size}, and the line before it is at size {seen.size}"


def _further(seen: GameSeen, noted: Noted) -> GameSeen:
    now = seen._replace(size=noted.size, root=noted.root, at=noted.at)
    match noted.stage:
        case Stage.HAND_OPENED:
            return now._replace(hand=noted.hand, settled=False, last_void=False)
        case Stage.DECK_COMMITTED:
            return now._replace(settled=True, committed=seen.committed + 1)
        case Stage.HAND_VOID:
            # Void after all, where its deck was committed: a hand counts once.
            committed = seen.committed - seen.settled
            voids = seen.voids + 1
            return now._replace(settled=True, last_void=True, committed=committed, voids=voids)
        case Stage.GAME_CLOSED:
            return now._replace(closed_at=noted.at)
        case Stage.GAME_REVEALED:
            return now._replace(revealed_at=noted.at)
        case _:
            return now
