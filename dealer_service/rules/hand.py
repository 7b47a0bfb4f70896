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

from dealer_service.rules.betting import make_betting, make_chair
from dealer_service.rules.entry import (
    Entry,
    HandOpened,
    OpenedCard,
    Post,
    Posted,
    PotSmallBlind,
    RuleSet,
    SeatState,
    SeatWord,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    Variant,
)
from dealer_service.rules.folding import FOLDS
from dealer_service.rules.following import FOLLOWS
from dealer_service.rules.positions import clockwise
from dealer_service.rules.posting import (
    BLINDS,
    STRADDLE_BLINDS,
    list_posts,
    post_blinds,
    sum_dead,
)
from dealer_service.rules.raising import Limit, open_betting
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.settling import end_hand as ending
from dealer_service.rules.state import (
    Chosen,
    HandState,
    Layout,
    Stage,
    is_live,
    list_banks,
    list_pots,
    list_stacks,
    make_frame,
    make_marks,
    make_state,
)
from dealer_service.rules.turn import (
    Decision,
    Preset,
    Range,
    act,
    clock_act,
    decision,
    find_due,
    show,
    sit_out_by_clock,
)

__all__ = [
    "Decision",
    "HandState",
    "ImpossibleEntry",
    "Preset",
    "Range",
    "Stage",
    "act",
    "begin",
    "clock_act",
    "decision",
    "ending",
    "evolve",
    "find_due",
    "forced",
    "is_live",
    "list_banks",
    "list_pots",
    "list_stacks",
    "next_forced",
    "play_on",
    "show",
    "sit_out_by_clock",
]

LEAST_SEATS: Final = 2
_IN, _ABSENT = SeatWord.IN, SeatWord.ABSENT
_NO_CARDS: Final = Layout(0, (), (), 0, None)
_NOBODY: Final[frozenset[int]] = frozenset()
HOLDEM_CARDS: Final = 2
_DECK: Final = Stage.DECK
_BIG_BLIND: Final = Post.BIG_BLIND
_HOLDEM: Final = Variant.HOLDEM
_NO_LIMIT: Final = Structure.NO_LIMIT
_OMAHA: Final = (Variant.OMAHA, Variant.OMAHA_HI_LO)


def begin(rules: RuleSet, opened: HandOpened) -> HandState:
    """Begin the hand that a `hand_opened` describes; it waits for its deck.

    Button and blinds stand where the entry says: the button may be on an empty seat and the small
    blind dead. Raises ImpossibleEntry where no hand can be played like that.
    """
    dealt_in, with_more = _read_seats(rules, opened)
    absent = _NOBODY
    if rules.tournament is not None:
        absent = frozenset([one.seat for one in dealt_in.values() if one.state is _ABSENT])
    seats, place, rising = _arrange(tuple(dealt_in), opened.button)
    _check_blinds(rules, opened, place)
    in_order = [dealt_in[seat] for seat in seats]
    chairs = tuple([make_chair(one.seat, one.stack, 0, 0, False, False) for one in in_order])
    if with_more or rules.ante is not None or opened.straddle_seat is not None:
        posts = list_posts(rules, opened, chairs, place)
    else:
        posts = post_blinds(rules, opened, chairs, place)
    to_match = full_raise = rules.big_blind
    late, first = None, place[opened.big_blind_seat] + 1
    if opened.straddle_seat is not None and rules.straddle is not None:
        to_match, full_raise = _open_bets(rules, rules.straddle)
        late, first = _place_straddle(rules.straddle, place[opened.straddle_seat])
    # Dead money comes after the big blind, so that most hands show at once that they have none.
    dead = 0 if posts[-1].what is _BIG_BLIND else sum_dead(rules, posts)
    limit = None
    if rules.structure is not _NO_LIMIT:
        limit = _find_limit(rules, opened, posts, dead)
    chops = rules.chop is not None and _may_chop(opened, posts)
    variant = rules.variant
    omaha = variant is not _HOLDEM and variant in _OMAHA
    plain = limit is None and late is None and not chops and rules.time_bank is None
    frame = make_frame(
        rules,
        opened.hand,
        opened.button,
        opened.small_blind_seat,
        opened.big_blind_seat,
        seats,
        place,
        rising,
        tuple([one.player for one in in_order]),
        chairs,
        posts,
        dead,
        limit,
        first,
        late,
        chops,
        rules.hole_cards or HOLDEM_CARDS,
        omaha,
        omaha and variant == Variant.OMAHA_HI_LO,
        plain,
    )
    chosen: Chosen = ()
    if with_more:
        chosen = tuple([(one.seat, one.choices) for one in with_more if one.choices])
    banks = tuple([one.bank_ms or 0 for one in in_order]) if rules.time_bank else ()
    if limit is None:
        betting = make_betting(0, to_match, full_raise, None, 1, None)
    else:
        betting = open_betting(0, to_match, full_raise, 1, limit, len(seats))
    marks = make_marks(0, absent, absent, chosen, banks)
    return make_state(frame, _DECK, chairs, betting, None, _NO_CARDS, None, marks)


def _read_seats(rules: RuleSet, opened: HandOpened) -> tuple[dict[int, SeatState], list[SeatState]]:
    """Give the seats dealt in, by their number, and those that have choices or owe something."""
    dealt_in, with_more, last = {}, [], 0
    for one in opened.seats:
        seat, word = one.seat, one.state
        is_dealt_in = word is _IN or word is _ABSENT
        if seat <= last or (is_dealt_in and one.stack < 1):
            message = f"hand {opened.hand}: its seats do not rise, or one in it has no chips"
            raise ImpossibleEntry(message)
        last = seat
        if is_dealt_in:
            dealt_in[seat] = one
        if one.choices is not None or one.owes is not None:
            with_more.append(one)
    if len(dealt_in) < LEAST_SEATS or not 1 <= opened.button <= rules.seats or last > rules.seats:
        message = f"hand {opened.hand}: two or more of {rules.seats} seats play, one has the button"
        raise ImpossibleEntry(message)
    return dealt_in, with_more


def _open_bets(rules: RuleSet, straddle: StraddleRule) -> tuple[int, int]:
    """Give the bet to match and the last full raise under a straddle (9.3)."""
    to_match = STRADDLE_BLINDS * rules.big_blind
    doubles = straddle.min_raise == StraddleRaise.DOUBLE
    return to_match, to_match if doubles else rules.big_blind


def _place_straddle(straddle: StraddleRule, place: int) -> tuple[int | None, int]:
    """Give the chair whose straddle is late, and the chair to act first before the flop (9.2)."""
    if straddle.kind == StraddleKind.UNDER_THE_GUN:
        return None, place + 1
    return place, 0


def _find_limit(
    rules: RuleSet, opened: HandOpened, posts: Sequence[Posted], dead: int
) -> Limit | None:
    if rules.structure == Structure.NO_LIMIT:
        return None
    if rules.limits is not None:
        small, big, cap = rules.limits.small_bet, rules.limits.big_bet, rules.limits.cap
        return Limit((small, small, big, big), cap, rules.limits.uncapped_heads_up, dead, 0)
    rounded = rules.pot_small_blind == PotSmallBlind.ROUNDED_UP
    full = rules.big_blind + (rules.big_blind if rounded else rules.small_blind)
    if opened.straddle_seat is not None:
        full += STRADDLE_BLINDS * rules.big_blind
    posted = sum([one.amount for one in posts if one.what in {*BLINDS, Post.STRADDLE}])
    return Limit((), 0, uncapped_heads_up=False, beside=dead, unposted=full - posted)


def _may_chop(opened: HandOpened, posts: Sequence[Posted]) -> bool:
    return opened.small_blind_seat is not None and all(
        one.what in {*BLINDS, Post.ANTE} for one in posts
    )


@lru_cache(maxsize=4096)
def _arrange(
    dealt_in: tuple[int, ...], button: int
) -> tuple[tuple[int, ...], Mapping[int, int], tuple[int, ...]]:
    """Give the seats clockwise from the button's left, each one's place, and the rising places."""
    seats = clockwise(dealt_in, button)
    place = {seat: place for place, seat in enumerate(seats)}
    return seats, MappingProxyType(place), tuple([place[seat] for seat in sorted(seats)])


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


def next_forced(state: HandState, cards: Sequence[OpenedCard]) -> Entry | None:
    """Give the first entry of `forced`, or None."""
    follow = FOLLOWS.get(state.stage)
    return None if follow is None else follow(state, cards)


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


def _check_blinds(rules: RuleSet, opened: HandOpened, dealt_in: Mapping[int, int]) -> None:
    small, big = opened.small_blind_seat, opened.big_blind_seat
    if small == big or big not in dealt_in or (small is not None and small not in dealt_in):
        message = f"hand {opened.hand}: its blinds are not two seats dealt in"
        raise ImpossibleEntry(message)
    straddle = opened.straddle_seat
    if straddle is not None and (
        rules.straddle is None or straddle not in dealt_in or straddle in {small, big}
    ):
        message = f"hand {opened.hand}: its straddle is no seat dealt in that may straddle"
        raise ImpossibleEntry(message)
