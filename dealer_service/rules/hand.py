"""One hand from its opening to its end: what comes next, and what every entry makes of it.

`evolve` is the only way from one state to the next, in play, after a restart and in every test; it
raises `ImpossibleEntry` for an entry that can not follow, so a hand that folds was played by the
rules of PROTOCOL.md section 9. `forced` gives all entries that follow without anybody's choice,
up to the next decision or the pause before the end; `ending` closes the hand when that is over.
The choices themselves are in `turn`, whose functions can be called from here.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from dealer_service.rules.betting import Betting, make_chair
from dealer_service.rules.entry import Entry, HandOpened, OpenedCard, RuleSet, SeatWord
from dealer_service.rules.folding import FOLDS
from dealer_service.rules.folding import end_hand as ending
from dealer_service.rules.following import FOLLOWS
from dealer_service.rules.positions import clockwise
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.state import (
    Away,
    Frame,
    HandState,
    Layout,
    Stage,
    is_live,
    list_pots,
    list_stacks,
    list_stakes,
)
from dealer_service.rules.turn import (
    Decision,
    Range,
    act,
    clock_act,
    decision,
    show,
    sit_out_by_clock,
)

__all__ = [
    "Decision",
    "HandState",
    "ImpossibleEntry",
    "Range",
    "Stage",
    "act",
    "begin",
    "clock_act",
    "decision",
    "ending",
    "evolve",
    "forced",
    "is_live",
    "list_pots",
    "list_stacks",
    "list_stakes",
    "play_on",
    "show",
    "sit_out_by_clock",
]

LEAST_SEATS: Final = 2
_IN = SeatWord.IN
_NO_CARDS: Final = Layout(0, (), (), 0)
_NOBODY_AWAY: Final = Away(frozenset(), frozenset())


def begin(rules: RuleSet, opened: HandOpened) -> HandState:
    """Begin the hand that a `hand_opened` describes; it waits for its deck.

    Button and blinds stand where the entry says: the button may be on an empty seat and the small
    blind dead. Raises ImpossibleEntry where no hand can be played like that.
    """
    dealt_in = {one.seat: one for one in opened.seats if one.state is _IN}
    seats, place = _arrange(tuple(dealt_in), opened.button)
    _check_opening(rules, opened, place)
    chairs = tuple([make_chair((seat, dealt_in[seat].stack, 0, 0, False, False)) for seat in seats])
    frame = Frame(
        rules,
        opened.hand,
        opened.button,
        opened.small_blind_seat,
        opened.big_blind_seat,
        seats,
        place,
        tuple([dealt_in[seat].player for seat in seats]),
        chairs,
    )
    return HandState(
        frame,
        Stage.DECK,
        chairs,
        Betting(0, rules.big_blind, rules.big_blind, None, 1),
        None,
        _NO_CARDS,
        None,
        _NOBODY_AWAY,
    )


@lru_cache(maxsize=4096)
def _arrange(dealt_in: tuple[int, ...], button: int) -> tuple[tuple[int, ...], Mapping[int, int]]:
    """Give the seats clockwise from the left of the button, and the place of each."""
    seats = clockwise(dealt_in, button)
    return seats, MappingProxyType({seat: place for place, seat in enumerate(seats)})


def evolve(state: HandState, at: int, entry: Entry) -> HandState:
    """Fold one entry of the hand's log into its state; `at` is its time in milliseconds.

    Asides of the table may come too; of them only leaving and sitting out of a seat in the hand
    leave a mark. Raises ImpossibleEntry for an entry that can not follow.
    """
    fold = FOLDS.get(type(entry))
    if fold is None:
        message = f"{type(entry).__name__} can not follow in a hand that waits for {state.stage}"
        raise ImpossibleEntry(message)
    return fold(state, at, entry)


def forced(state: HandState, cards: Sequence[OpenedCard]) -> tuple[Entry, ...]:
    """Give all entries that follow without anybody's choice, in their order.

    `cards` are the 52 of the deck by position. They end where somebody is to act, where the deck
    is awaited, or in the pause before the hand's end.
    """
    return play_on(state, 0, cards)[0]


def play_on(
    state: HandState, at: int, cards: Sequence[OpenedCard]
) -> tuple[tuple[Entry, ...], HandState]:
    """Give the entries of `forced` and the state that they lead to, all at one time."""
    entries = []
    while (follow := FOLLOWS.get(state.stage)) is not None:
        entry = follow(state, cards)
        entries.append(entry)
        state = FOLDS[type(entry)](state, at, entry)
    return tuple(entries), state


def _check_opening(rules: RuleSet, opened: HandOpened, dealt_in: Mapping[int, int]) -> None:
    last = 0
    for one in opened.seats:
        if one.seat <= last or (one.stack < 1 and one.state is _IN):
            message = f"hand {opened.hand}: its seats do not rise, or one in it has no chips"
            raise ImpossibleEntry(message)
        last = one.seat
    if len(dealt_in) < LEAST_SEATS or not 1 <= opened.button <= rules.seats or last > rules.seats:
        message = f"hand {opened.hand}: two or more of {rules.seats} seats play, one has the button"
        raise ImpossibleEntry(message)
    small, big = opened.small_blind_seat, opened.big_blind_seat
    if small == big or big not in dealt_in or (small is not None and small not in dealt_in):
        message = f"hand {opened.hand}: its blinds are not two seats dealt in"
        raise ImpossibleEntry(message)
