"""What holds after every entry of every hand, whatever is played."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules import hand as engine
from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import (
    Act,
    Acted,
    Awarded,
    By,
    DeckCommitted,
    Entry,
    HandEnded,
    HandOpened,
    OpenedCard,
    Returned,
    RuleSet,
    SeatLeft,
)
from dealer_service.rules.refusal import Refusal
from tests.runners.driver import make_rules, open_hand

Played = tuple[RuleSet, HandOpened, tuple[OpenedCard, ...], list[tuple[int, Entry]]]


@st.composite
def games(draw: st.DrawFn) -> Played:
    """Play a whole hand with any seats, blinds, stacks, cards, choices, clocks and leavers."""
    seats = sorted(draw(st.sets(st.integers(1, 10), min_size=2, max_size=10)))
    unit = draw(st.sampled_from([1, 5]))
    small = unit * draw(st.integers(1, 10))
    big = small + unit * draw(st.integers(0, 10))
    stacks = {seat: draw(st.integers(1, 30 * big)) for seat in seats}
    blinds = draw(st.permutations(seats))
    small_seat = draw(st.sampled_from([blinds[0], None]))
    opened = open_hand(stacks, draw(st.integers(1, 10)), small_seat, blinds[1])
    rules = make_rules(small, big, chip_unit=unit)
    order = draw(st.permutations(CARDS))
    deck = tuple(OpenedCard(at, card, "00" * 16) for at, card in enumerate(order))
    state = engine.begin(rules, opened)
    lines: list[tuple[int, Entry]] = []
    at = 0

    def fold(entry: Entry) -> None:
        nonlocal state
        state = engine.evolve(state, at, entry)
        lines.append((at, entry))

    fold(DeckCommitted(1, (), "00" * 32, "00" * 32))
    while True:
        for entry in engine.forced(state, deck):
            fold(entry)
        decision = engine.decision(state)
        if decision is None:
            fold(engine.ending(state))
            return rules, opened, deck, lines
        what = draw(
            st.sampled_from(
                ["call", "call", "call", "raise", "raise", "all_in", "fold", "clock", "leave"]
            )
        )
        if what == "leave":
            leaver = draw(st.sampled_from(seats))
            if leaver not in state.marks.absent:
                fold(SeatLeft(leaver, f"player-{leaver}"))
        if decision.seat in state.marks.absent:
            fold(engine.clock_act(state, By.ABSENT))
            continue
        if what == "clock":
            at = decision.deadline
            fold(engine.clock_act(state, By.CLOCK))
            continue
        at += draw(st.integers(0, 50))
        acted = choose(draw, state, decision, what)
        assert isinstance(acted, Acted), acted
        fold(acted)


def choose(
    draw: st.DrawFn, state: engine.HandState, decision: engine.Decision, what: str
) -> Acted | Refusal:
    offer = decision.bet or decision.raise_
    to: int | None = None
    act = Act.CHECK if decision.may_check else Act.CALL
    if what == "fold":
        act = Act.FOLD
    elif offer and what in {"raise", "all_in"}:
        act = Act.BET if decision.bet else Act.RAISE
        most = min(offer.max, 3 * offer.min)
        to = offer.max if what == "all_in" else draw(st.integers(offer.min, most))
    return engine.act(state, decision.seat, decision.turn, act, to, By.PLAYER)


def check_chips(state: engine.HandState, lines: list[tuple[int, Entry]]) -> None:
    """No chip appears or is lost; pots and what went back are what was put in."""
    begun = {chair.seat: chair.stack for chair in state.frame.chairs}
    paid = sum(
        winner.amount
        for _, entry in lines
        if isinstance(entry, Awarded)
        for winner in entry.winners
    )
    put = sum(chair.put for chair in state.chairs)
    assert sum(engine.list_stacks(state).values()) + put - paid == sum(begun.values())
    assert all(chair.stack >= 0 and chair.bet >= 0 for chair in state.chairs)
    assert sum(pot.amount for pot in engine.list_pots(state)) == put
    back = sum(entry.amount for _, entry in lines if isinstance(entry, Returned))
    spent = sum(begun[seat] - stack for seat, stack in engine.list_stacks(state).items())
    assert put + back == spent + paid + back


def check_turn(state: engine.HandState) -> None:
    """The seat to act is live, has chips and owes a decision; pots are somebody's."""
    decision = engine.decision(state)
    if decision is not None:
        chair = state.chairs[state.frame.place[decision.seat]]
        assert not chair.folded
        assert chair.stack > 0
        assert decision.call > 0 or not chair.acted
        assert decision.call <= chair.stack
        assert sum(not other.folded for other in state.chairs) > 1
        assert decision.bet is None or decision.raise_ is None
        assert bool(decision.no_raise_because) == (not decision.bet and not decision.raise_)
    live = {chair.seat for chair in state.chairs if not chair.folded}
    assert live
    for pot in engine.list_pots(state):
        assert pot.eligible
        assert set(pot.eligible) <= live


def check_cards(state: engine.HandState) -> None:
    """No card is open twice, and what is open is remembered."""
    layout = state.layout
    cards = [*layout.board, *(card for shown in layout.shown for card in shown.cards)]
    assert len(set(cards)) == len(cards)
    assert layout.seen == sum(1 << CARDS.index(card) for card in cards)


@settings(max_examples=250)
@given(games())
def test_the_invariants_hold_after_every_entry_and_folding_again_is_the_same(
    played: Played,
) -> None:
    rules, opened, deck, lines = played
    state = engine.begin(rules, opened)
    done: list[tuple[int, Entry]] = []
    turn = 0
    for at, entry in lines:
        if not isinstance(entry, Acted | HandEnded | DeckCommitted | SeatLeft):
            assert engine.forced(state, deck)[0] == entry
        state = engine.evolve(state, at, entry)
        done.append((at, entry))
        check_chips(state, done)
        check_turn(state)
        check_cards(state)
        if isinstance(entry, Acted):
            turn += 1
            assert entry.turn == turn
            assert state.betting.turn == turn + 1
    assert state.stage is engine.Stage.ENDED
    last = lines[-1][1]
    assert isinstance(last, HandEnded)
    assert {one.seat: one.stack for one in last.stacks} == engine.list_stacks(state)
    assert sum(one.stack for one in last.stacks) == sum(one.stack for one in opened.seats)


@settings(max_examples=60)
@given(games())
def test_playing_on_gives_the_state_that_its_entries_fold_to(played: Played) -> None:
    rules, opened, deck, lines = played
    state = engine.begin(rules, opened)
    for at, entry in lines:
        entries, ahead = engine.play_on(state, at, deck)
        folded = state
        for one in entries:
            folded = engine.evolve(folded, at, one)
        assert folded == ahead
        assert entries == engine.forced(state, deck)
        state = engine.evolve(state, at, entry)


@settings(max_examples=60)
@given(games(), st.data())
def test_a_changed_entry_never_pays_anybody_more(played: Played, data: st.DataObject) -> None:
    """An award, return or ending with another amount is refused wherever it stands."""
    rules, opened, _, lines = played
    state = engine.begin(rules, opened)
    for at, entry in lines:
        match entry:
            case Returned(seat, amount):
                wrong: Entry = Returned(seat, amount + data.draw(st.integers(1, 9)))
            case Awarded(pot, amount, rake, board, winners):
                wrong = Awarded(pot, amount + 1, rake, board, winners)
            case HandEnded(hand, stacks):
                wrong = HandEnded(hand, stacks[1:])
            case _:
                wrong = entry
        if wrong is not entry:
            try:
                engine.evolve(state, at, wrong)
            except engine.ImpossibleEntry:
                pass
            else:
                raise AssertionError(wrong)
        state = engine.evolve(state, at, entry)
