"""One game's state between and around its hands, folded from its entries (sections 6 to 8).

`evolve` folds one entry and is the only way a state comes about: in a running service, after a
restart and in every test. It refuses, by `ImpossibleEntry`, an entry that can not stand where it
stands: the grammar of section 7, seats and names that agree, stacks that the log gives, and a
`hand_opened` that repeats the very state before it. Links and secrets are hashes and are checked
where they come in, not here.

`fold_from` starts at any `hand_opened` and gives the same state as folding the whole log.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from dealer_service.rules import hand as engine
from dealer_service.rules.button import LastHand, Positions
from dealer_service.rules.entry import (
    Acted,
    Anchored,
    Awarded,
    BlindsChopped,
    CameBack,
    ChipsAdded,
    CloseReason,
    ColoredUp,
    Dealt,
    DeckCommitted,
    Departed,
    Entry,
    GameClosed,
    GameOpened,
    HandEnded,
    HandLevel,
    HandOpened,
    HandVoid,
    Mucked,
    Newcomers,
    Opened,
    Owed,
    Paused,
    PlayerRemoved,
    Posted,
    Preferred,
    Resumed,
    Returned,
    RuleSet,
    RunsAgreed,
    SatOut,
    SeatLeft,
    SeatTaken,
    SeatWord,
    SecretRevealed,
    VoidReason,
)
from dealer_service.rules.lineup import next_opening
from dealer_service.rules.quick import maker, replace
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.state import list_banks
from dealer_service.rules.table_state import (
    FREE_VOIDS,
    MAX_FREE_VOIDS,
    MAX_MISSES,
    MOST_CHIPS,
    Blinds,
    OpenHand,
    Phase,
    Seat,
    TableState,
    buy_in_bounds,
    chips_on_table,
    is_dealt_in,
    may_close_by,
    next_secret,
    player_stacks,
    seat_of,
)
from dealer_service.rules.tournament_table import play_at

_DEALT_IN: Final = (SeatWord.IN, SeatWord.ABSENT)
_AWAY: Final = (SeatWord.SITTING_OUT, SeatWord.ABSENT)
make_state: Final = maker(TableState)
make_open_hand: Final = maker(OpenHand)


def fold(entries: Iterable[tuple[int, Entry]]) -> TableState:
    """Fold a whole log, from its `game_opened` on; ImpossibleEntry where it does not fit."""
    state: TableState | None = None
    for at, entry in entries:
        state = evolve(state, at, entry)
    if state is None:
        message = "a log begins with game_opened, and there is no line"
        raise ImpossibleEntry(message)
    return state


def fold_from(
    opened_at: int,
    opened: GameOpened,
    entries: Iterable[tuple[int, Entry]],
    void_hands: tuple[int, ...],
) -> TableState:
    """Fold a log from one of its `hand_opened` on, the first of `entries`.

    `opened_at` and `opened` are the log's first line; `void_hands` lists the earlier hands that
    were void, rising, which the store of the secrets knows. ImpossibleEntry as `fold`.
    """
    rest = iter(entries)
    at, first = next(rest, (opened_at, opened))
    if not isinstance(first, HandOpened):
        message = "folding begins at a hand_opened"
        raise ImpossibleEntry(message)
    state = _open(_before(opened_at, opened, at, first, void_hands), at, first)
    for at, entry in rest:
        state = evolve(state, at, entry)
    return state


def evolve(state: TableState | None, at: int, entry: Entry) -> TableState:
    """Fold one entry of the time `at`; the first one, on None, is `game_opened`.

    ImpossibleEntry for an entry that can not stand here.
    """
    if state is None:
        if not isinstance(entry, GameOpened):
            message = "a log begins with game_opened"
            raise ImpossibleEntry(message)
        return _begin(at, entry)
    if at < state.at:
        message = "its time is before the last line's"
        raise ImpossibleEntry(message)
    return _FOLDS[type(entry)](state, at, entry)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ImpossibleEntry(otherwise)


def _begin(at: int, entry: GameOpened) -> TableState:
    before = entry.previous
    is_tournament = entry.rules.tournament is not None
    _require(before is None or not is_tournament, "a tournament's table goes on from no game")
    carried = before.seats if before else ()
    return TableState(
        opened=entry,
        rules=entry.rules,
        opened_at=at,
        at=at,
        phase=Phase.WAITING,
        paused=False,
        seats={
            one.seat: Seat(
                one.player,
                one.stack,
                one.sitting_out,
                bank_ms=_new_bank(entry.rules),
                house=one.house or False,
            )
            for one in carried
        },
        misses={},
        voids=0,
        void_hands=(),
        hand=0,
        button=before.button if before else 0,
        button_stays=before.button_stays if before else False,
        awaited=frozenset(one.player for one in carried if one.anchored),
        departed={},
    )


def _before(
    opened_at: int, opened: GameOpened, at: int, first: HandOpened, void_hands: tuple[int, ...]
) -> TableState:
    """Give the state that `first` repeats."""
    small, big = first.last_small_blind_seat, first.last_big_blind_seat
    return TableState(
        opened=opened,
        rules=opened.rules,
        opened_at=opened_at,
        at=at,
        phase=Phase.WAITING,
        paused=False,
        seats={
            one.seat: Seat(
                one.player,
                one.stack,
                one.state in _AWAY,
                one.anchor,
                choices=one.choices or (),
                house=one.house or False,
            )
            for one in first.seats
        },
        misses={miss.player: miss.hands for miss in first.misses},
        voids=first.voids,
        void_hands=void_hands,
        hand=first.hand - 1,
        button=first.button,
        button_stays=False,
        awaited=frozenset(),
        departed={},
        blinds=None if small is None or big is None else Blinds(small, big),
    )


def _new_bank(rules: RuleSet) -> int | None:
    return rules.time_bank.start_ms if rules.time_bank else None


def _second_opening(_state: TableState, _at: int, _entry: GameOpened) -> TableState:
    message = "a log has one game_opened"
    raise ImpossibleEntry(message)


def _aside(state: TableState, at: int, entry: Entry, **changes: Any) -> TableState:  # noqa: ANN401 - of the state's own fields
    """Change what an aside changes, in an open hand too."""
    opened = state.open
    if opened is not None:
        play = engine.evolve(opened.play, at, entry)
        changes["open"] = OpenHand(opened.opened, opened.at, play, opened.paid_at)
    return replace(state, at=at, **changes)


def _seat_taken(state: TableState, at: int, entry: SeatTaken) -> TableState:
    _require_running(state)
    rules = state.rules
    _require(1 <= entry.seat <= rules.seats, "the table has no such seat")
    _require(entry.seat not in state.seats, "the seat is taken")
    _require(seat_of(state, entry.player) is None, "the player holds a seat already")
    if rules.tournament is None:
        low, high = buy_in_bounds(state, entry.player, at)
        _require(low <= entry.stack <= high, "no buy-in of these rules")
    else:
        _require(entry.anchor is None, "a seat of a tournament's table is taken without an anchor")
    _require(chips_on_table(state) + entry.stack <= MOST_CHIPS, "the table has too many chips")
    missed = entry.anchor is not None and entry.player in state.misses
    _require(not missed, "a player who missed a link sits without an anchor")
    newcomer = state.hand > 0
    taken = Seat(
        entry.player,
        entry.stack,
        anchor=entry.anchor,
        owes=Owed(rules.big_blind, 0) if newcomer and rules.newcomers is Newcomers.POST else None,
        waits=newcomer and rules.newcomers is Newcomers.WAIT,
        bank_ms=_new_bank(rules),
        house=entry.house or False,
    )
    departed = {name: one for name, one in state.departed.items() if name != entry.player}
    seats = _with_seat(state, entry.seat, taken)
    return _aside(state, at, entry, seats=seats, departed=departed)


def _seat_left(state: TableState, at: int, entry: SeatLeft | PlayerRemoved) -> TableState:
    _require_running(state)
    seat = _held(state, entry.seat, entry.player)
    awaited = state.awaited - {entry.player}
    if is_dealt_in(state, entry.seat):
        seats = _with_seat(state, entry.seat, replace(seat, leaving=True))
        return _aside(state, at, entry, seats=seats, awaited=awaited)
    _require(entry.stack == seat.stack, "the seat has another stack")
    seats = {number: other for number, other in state.seats.items() if number != entry.seat}
    departed = _with_departed(state, at, {entry.player: seat.stack})
    return _aside(state, at, entry, seats=seats, awaited=awaited, departed=departed)


def _with_departed(state: TableState, at: int, gone: Mapping[str, int]) -> Mapping[str, Departed]:
    """Remember with what players left, where they may not come back with less."""
    rules = state.rules
    if rules.return_ms is None or not gone:
        return state.departed
    bound = {
        name: Departed(name, stack, at) for name, stack in gone.items() if stack >= rules.buy_in_min
    }
    return {name: one for name, one in state.departed.items() if name not in gone} | bound


def _chips_added(state: TableState, at: int, entry: ChipsAdded) -> TableState:
    _require(state.phase is Phase.WAITING, "chips are added between hands")
    seat = _held(state, entry.seat, entry.player)
    stack = seat.stack + entry.amount
    bounded = state.rules.tournament is None
    enough = entry.amount > 0 and not (bounded and stack > state.rules.buy_in_max)
    _require(enough, "too many chips are added")
    _require(chips_on_table(state) + entry.amount <= MOST_CHIPS, "the table has too many chips")
    return replace(state, at=at, seats=_with_seat(state, entry.seat, replace(seat, stack=stack)))


def _sat_out(state: TableState, at: int, entry: SatOut) -> TableState:
    return _sit(state, at, entry, sitting_out=True)


def _came_back(state: TableState, at: int, entry: CameBack) -> TableState:
    return _sit(state, at, entry, sitting_out=False)


def _sit(state: TableState, at: int, entry: SatOut | CameBack, *, sitting_out: bool) -> TableState:
    _require_running(state)
    seat = _held(state, entry.seat, entry.player)
    _require(seat.sitting_out is not sitting_out, "the seat is so already")
    changed = replace(seat, sitting_out=sitting_out)
    return _aside(state, at, entry, seats=_with_seat(state, entry.seat, changed))


def _anchored(state: TableState, at: int, entry: Anchored) -> TableState:
    _require_running(state)
    seat = _held(state, entry.seat, entry.player)
    _require(not is_dealt_in(state, entry.seat), "a player dealt in anchors between hands")
    missed = state.misses.get(entry.player, ())
    _require(len(missed) < MAX_MISSES, "the player missed two links")
    last = missed[-1] if missed else None
    _require(entry.missing_hand == last, "an anchor after a miss names the hand that was missed")
    seats = _with_seat(state, entry.seat, replace(seat, anchor=entry.anchor))
    return _aside(state, at, entry, seats=seats, awaited=state.awaited - {entry.player})


def _preferred(state: TableState, at: int, entry: Preferred) -> TableState:
    _require_running(state)
    seat = _held(state, entry.seat, entry.player)
    seats = _with_seat(state, entry.seat, replace(seat, choices=entry.choices))
    return _aside(state, at, entry, seats=seats)


def _paused(state: TableState, at: int, entry: Paused) -> TableState:
    _require_running(state)
    _require(not state.paused, "the game is paused already")
    return _aside(state, at, entry, paused=True)


def _resumed(state: TableState, at: int, entry: Resumed) -> TableState:
    _require_running(state)
    _require(state.paused, "the game is not paused")
    return _aside(state, at, entry, paused=False)


def _hand_opened(state: TableState, at: int, entry: HandOpened) -> TableState:
    _require(state.phase is Phase.WAITING, "a hand opens between hands")
    _require(not state.paused, "the game is paused")
    _require(state.voids <= MAX_FREE_VOIDS, "a game with three voids of the dealer's own ends")
    _require(entry.hand == state.hand + 1, f"the next hand is {state.hand + 1}")
    _require(entry.hand <= state.rules.max_hands, "the game has had its last hand")
    _require(at <= state.opened_at + state.rules.max_ms, "the game's time is over")
    _check_level(state.rules, entry.level)
    free = entry.hand == 1 and entry.level is not None
    button = entry.button if free else None
    if free:
        dealt_in = [one.seat for one in entry.seats if one.state in _DEALT_IN]
        _require(button in dealt_in, "the button of the first hand is at a seat not dealt in")
    due = next_opening(state, at, entry.commitment, level=entry.level, button=button)
    if due is None:
        message = "a hand opens with two seats or more that are in"
        raise ImpossibleEntry(message)
    if entry != due:
        raise ImpossibleEntry(_tell_difference(entry, due))
    return _open(state, at, entry)


def _tell_difference(entry: HandOpened, due: HandOpened) -> str:
    """Say in what an opening is another than the one that is due."""
    if entry.seats != due.seats:
        return "it repeats other seats than the log gives"
    if entry.misses != due.misses:
        return "it repeats other misses than the log gives"
    if entry.voids != due.voids:
        return "it repeats another count of voids than the log gives"
    if entry.departed != due.departed:
        return "it repeats others who left than the log gives"
    return "button or blinds stand on other seats than the rules give"


def _check_level(rules: RuleSet, level: HandLevel | None) -> None:
    """Hold a level to be there exactly at a tournament's table, with chips that can be posted."""
    there = level is not None
    is_tournament = rules.tournament is not None
    _require(there == is_tournament, "a level is there exactly at a tournament's table")
    if level is not None:
        small, big, unit = level.small_blind, level.big_blind, level.chip_unit
        _require(0 < small <= big, "the level's blinds are no blinds")
        fits = unit > 0 and not small % unit and not big % unit
        _require(fits, "the level's unit does not divide its blinds")


def _open(state: TableState, at: int, entry: HandOpened) -> TableState:
    place = Positions(
        entry.button,
        entry.small_blind_seat,
        entry.big_blind_seat,
        entry.dead_small_blind_seat,
    )
    dealt_in = tuple([one.seat for one in entry.seats if one.state in _DEALT_IN])
    rules = state.rules
    if entry.level is not None and entry.level != state.level:
        rules = play_at(state.opened.rules, entry.level)
    seats = {
        one.seat: replace(
            state.seats[one.seat], owes=one.owes, waits=one.waits or False, bank_ms=one.bank_ms
        )
        for one in entry.seats
    }
    return replace(
        state,
        rules=rules,
        at=at,
        phase=Phase.LINKS,
        seats=seats,
        hand=entry.hand,
        button=entry.button,
        button_stays=False,
        awaited=frozenset(),
        last=LastHand(place, dealt_in),
        departed={one.player: one for one in entry.departed or ()},
        level=entry.level,
        open=OpenHand(entry, at, engine.begin(rules, entry)),
    )


def _hand_void(state: TableState, at: int, entry: HandVoid) -> TableState:
    opened = _require_hand(state, entry.hand)
    engine.evolve(opened.play, at, entry)
    came = {one.seat: one.link for one in entry.links}
    frozen = opened.frozen if state.phase is Phase.LINKS else {}
    _require(came.keys() <= frozen.keys(), "it has a link of a seat whose anchor is not frozen")
    lacking = {n: one.player for n, one in frozen.items() if n not in came}
    if entry.reason is VoidReason.LINK_MISSING:
        _require(at >= opened.at + state.rules.link_ms, "the links have time yet")
        _require(bool(lacking), "no link is missing")
    else:
        lacking = {}
    named = {one.seat: one.player for one in entry.missing}
    _require(named == lacking, "it names others than those whose link is missing")
    banks = list_banks(opened.play)
    seats: dict[int, Seat] = {}
    for number, seat in state.seats.items():
        if not seat.leaving:
            gone = number in lacking
            anchor = None if gone else came.get(number, seat.anchor)
            bank = banks.get(number, seat.bank_ms)
            seats[number] = replace(seat, anchor=anchor, bank_ms=bank)
    leavers = {seat.player: seat.stack for seat in state.seats.values() if seat.leaving}
    misses = dict(state.misses)
    for player in lacking.values():
        misses[player] = (*misses.get(player, ()), entry.hand)
    return replace(
        state,
        at=at,
        phase=Phase.WAITING,
        seats=seats,
        misses=misses,
        voids=state.voids + (entry.reason in FREE_VOIDS),
        void_hands=(*state.void_hands, entry.hand),
        button_stays=True,
        departed=_with_departed(state, at, leavers),
        open=None,
    )


def _deck_committed(state: TableState, at: int, entry: DeckCommitted) -> TableState:
    opened = _require_hand(state, entry.hand)
    came = {one.seat: one.link for one in entry.links}
    _require(came.keys() == opened.frozen.keys(), "it has not the link of every frozen anchor")
    seats = {
        number: replace(seat, anchor=came[number]) if number in came else seat
        for number, seat in state.seats.items()
    }
    play = engine.evolve(opened.play, at, entry)
    return replace(state, at=at, phase=Phase.PLAYING, seats=seats, open=replace(opened, play=play))


def _played(state: TableState, at: int, entry: Entry) -> TableState:
    opened = state.open
    if opened is None:
        message = "no hand is open"
        raise ImpossibleEntry(message)
    play = engine.evolve(opened.play, at, entry)
    paid_at = at if isinstance(entry, Awarded) else opened.paid_at
    # Built whole: most lines of a log come here, and replacing takes longer.
    return make_state(
        state.opened,
        state.rules,
        state.opened_at,
        at,
        state.phase,
        state.paused,
        state.seats,
        state.misses,
        state.voids,
        state.void_hands,
        state.hand,
        state.button,
        state.button_stays,
        state.awaited,
        state.departed,
        state.last,
        state.blinds,
        state.level,
        make_open_hand(opened.opened, opened.at, play, paid_at),
    )


def _hand_ended(state: TableState, at: int, entry: HandEnded) -> TableState:
    opened = _require_hand(state, entry.hand)
    engine.evolve(opened.play, at, entry)
    stacks = {one.seat: one.stack for one in entry.stacks}
    gone = {
        seat.player: stacks.get(number, seat.stack)
        for number, seat in state.seats.items()
        if seat.leaving
    }
    banks = list_banks(opened.play)
    seats = {
        number: replace(
            seat, stack=stacks[number], owes=None, bank_ms=banks.get(number, seat.bank_ms)
        )
        if number in stacks
        else seat
        for number, seat in state.seats.items()
        if not seat.leaving
    }
    blinds = state.blinds
    if state.rules.missed_blinds is not None and state.last is not None:
        place = state.last.positions
        blinds = Blinds(place.small_seat, place.big_blind)
    return replace(
        state,
        at=at,
        phase=Phase.WAITING,
        seats=seats,
        blinds=blinds,
        departed=_with_departed(state, at, gone),
        open=None,
    )


def _colored_up(state: TableState, at: int, entry: ColoredUp) -> TableState:
    _require(state.phase is Phase.WAITING, "chips are coloured up between hands")
    _require(state.rules.tournament is not None, "chips are coloured up at a tournament's table")
    numbers = [one.seat for one in entry.stacks]
    _require(bool(numbers) and numbers == sorted(set(numbers)), "its seats do not rise")
    seats = dict(state.seats)
    for one in entry.stacks:
        seat = seats.get(one.seat)
        if seat is None:
            message = f"nobody sits on seat {one.seat}"
            raise ImpossibleEntry(message)
        _require(one.stack != seat.stack, f"the stack of seat {one.seat} does not change")
        whole = entry.unit > 0 and one.stack > 0 and not one.stack % entry.unit
        _require(whole, f"the stack of seat {one.seat} is not of whole chips")
        seats[one.seat] = replace(seat, stack=one.stack)
    colored = replace(state, at=at, seats=seats)
    _require(chips_on_table(colored) <= MOST_CHIPS, "the table has too many chips")
    return colored


def _game_closed(state: TableState, at: int, entry: GameClosed) -> TableState:
    _require(state.phase is Phase.WAITING, "a game closes between hands")
    _require(entry.reason in may_close_by(state.rules), "a game of these rules closes not by that")
    _require(entry.stacks == player_stacks(state), "it has other stacks than the log gives")
    allowed = state.voids <= MAX_FREE_VOIDS or entry.reason is CloseReason.RESTORED
    _require(allowed, "a third void of the dealer's own is for a restored game")
    closed = replace(state, at=at, phase=Phase.CLOSED, closed=entry, closed_at=at)
    return closed if next_secret(closed) else replace(closed, phase=Phase.REVEALED)


def _secret_revealed(state: TableState, at: int, entry: SecretRevealed) -> TableState:
    _require(state.phase is Phase.CLOSED, "secrets are revealed once, when the game has closed")
    due = next_secret(state)
    _require(entry.hand == due, f"the next secret is that of hand {due}")
    after = replace(state, at=at, revealed=entry.hand)
    return after if next_secret(after) else replace(after, phase=Phase.REVEALED)


def _require_running(state: TableState) -> None:
    _require(state.closed is None, "the game has closed")


def _require_hand(state: TableState, number: int) -> OpenHand:
    if state.open is None or state.hand != number:
        message = f"hand {number} is not open"
        raise ImpossibleEntry(message)
    return state.open


def _held(state: TableState, number: int, player: str) -> Seat:
    seat = state.seats.get(number)
    if seat is None or seat.player != player or seat.leaving:
        message = f"the player does not hold seat {number}"
        raise ImpossibleEntry(message)
    return seat


def _with_seat(state: TableState, number: int, seat: Seat) -> dict[int, Seat]:
    """Give the seats with one more or another, rising."""
    return dict(sorted({**state.seats, number: seat}.items()))


_FOLDS: Final[dict[type[Entry], Callable[[TableState, int, Any], TableState]]] = {
    GameOpened: _second_opening,
    SeatTaken: _seat_taken,
    SeatLeft: _seat_left,
    PlayerRemoved: _seat_left,
    ChipsAdded: _chips_added,
    SatOut: _sat_out,
    CameBack: _came_back,
    Anchored: _anchored,
    Preferred: _preferred,
    Paused: _paused,
    Resumed: _resumed,
    HandOpened: _hand_opened,
    HandVoid: _hand_void,
    DeckCommitted: _deck_committed,
    Posted: _played,
    Dealt: _played,
    Acted: _played,
    Opened: _played,
    Mucked: _played,
    RunsAgreed: _played,
    BlindsChopped: _played,
    Returned: _played,
    Awarded: _played,
    HandEnded: _hand_ended,
    ColoredUp: _colored_up,
    GameClosed: _game_closed,
    SecretRevealed: _secret_revealed,
}
