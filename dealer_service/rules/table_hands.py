"""What the entries of a hand make of a table, from opened to ended or void (sections 6 to 8).

A `hand_opened` must repeat the very state before it. What happens inside a hand is `rules.hand`'s;
here it is held to the table that it is played at, and its end is settled on the seats.
"""

from collections.abc import Callable
from typing import Any, Final

from dealer_service.quick import maker, replace
from dealer_service.rules import hand as engine
from dealer_service.rules.button import LastHand, Positions
from dealer_service.rules.entry import (
    Acted,
    Awarded,
    BlindsChopped,
    Dealt,
    DeckCommitted,
    Entry,
    HandEnded,
    HandLevel,
    HandOpened,
    HandVoid,
    Mucked,
    Opened,
    Posted,
    Returned,
    RuleSet,
    RunsAgreed,
    SeatWord,
    VoidReason,
)
from dealer_service.rules.lineup import next_opening
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require
from dealer_service.rules.state import list_banks
from dealer_service.rules.table_requiring import require_open_hand
from dealer_service.rules.table_seats import with_departed
from dealer_service.rules.table_state import (
    FREE_VOIDS,
    MAX_FREE_VOIDS,
    Blinds,
    OpenHand,
    Phase,
    Seat,
    TableState,
)
from dealer_service.rules.tournament_table import play_at

_DEALT_IN: Final = (SeatWord.IN, SeatWord.ABSENT)
make_state: Final = maker(TableState)
make_open_hand: Final = maker(OpenHand)


def _hand_opened(state: TableState, at: int, entry: HandOpened) -> TableState:
    require(state.phase is Phase.WAITING, "a hand opens between hands")
    require(not state.paused, "the game is paused")
    require(state.voids <= MAX_FREE_VOIDS, "a game with three voids of the dealer's own ends")
    require(entry.hand == state.hand + 1, f"the next hand is {state.hand + 1}")
    require(entry.hand <= state.rules.max_hands, "the game has had its last hand")
    require(at <= state.opened_at + state.rules.max_ms, "the game's time is over")
    _check_level(state.rules, entry.level)
    free = entry.hand == 1 and entry.level is not None
    button = entry.button if free else None
    if free:
        dealt_in = [one.seat for one in entry.seats if one.state in _DEALT_IN]
        require(button in dealt_in, "the button of the first hand is at a seat not dealt in")
    due = next_opening(state, at, entry.commitment, level=entry.level, button=button)
    if due is None:
        message = "a hand opens with two seats or more that are in"
        raise ImpossibleEntry(message)
    if entry != due:
        raise ImpossibleEntry(_tell_difference(entry, due))
    return open_hand(state, at, entry)


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
    require(there == is_tournament, "a level is there exactly at a tournament's table")
    if level is not None:
        small, big, unit = level.small_blind, level.big_blind, level.chip_unit
        require(0 < small <= big, "the level's blinds are no blinds")
        fits = unit > 0 and not small % unit and not big % unit
        require(fits, "the level's unit does not divide its blinds")


def open_hand(state: TableState, at: int, entry: HandOpened) -> TableState:
    """Open a hand on the state that its `hand_opened` repeats."""
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
    opened = require_open_hand(state, entry.hand)
    engine.evolve(opened.play, at, entry)
    came = {one.seat: one.link for one in entry.links}
    frozen = opened.frozen if state.phase is Phase.LINKS else {}
    require(came.keys() <= frozen.keys(), "it has a link of a seat whose anchor is not frozen")
    lacking = {n: one.player for n, one in frozen.items() if n not in came}
    if entry.reason is VoidReason.LINK_MISSING:
        require(at >= opened.at + state.rules.link_ms, "the links have time yet")
        require(bool(lacking), "no link is missing")
    else:
        lacking = {}
    named = {one.seat: one.player for one in entry.missing}
    require(named == lacking, "it names others than those whose link is missing")
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
        departed=with_departed(state, at, leavers),
        open=None,
    )


def _deck_committed(state: TableState, at: int, entry: DeckCommitted) -> TableState:
    opened = require_open_hand(state, entry.hand)
    came = {one.seat: one.link for one in entry.links}
    require(came.keys() == opened.frozen.keys(), "it has not the link of every frozen anchor")
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
    opened = require_open_hand(state, entry.hand)
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
        departed=with_departed(state, at, gone),
        open=None,
    )


HAND_FOLDS: Final[dict[type[Entry], Callable[[TableState, int, Any], TableState]]] = {
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
}
