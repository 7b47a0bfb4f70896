"""What holds after every entry of every hand, under every structure, variant and house option."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules import hand as engine
from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import (
    Act,
    Acted,
    AnteKind,
    Awarded,
    BlindsChopped,
    By,
    Dealt,
    Destination,
    Entry,
    HandEnded,
    Mucked,
    Opened,
    Post,
    Posted,
    Returned,
    RunsAgreed,
    Structure,
)
from dealer_service.rules.judging import UNRANKED, rank_hand
from dealer_service.rules.ruleset import find_faults
from tests.support.random_rules import Lines, RandomHand, play_hand, random_opening, random_rules

FORCED = Posted | Dealt | Mucked | Returned | Awarded | RunsAgreed | BlindsChopped


@st.composite
def games(draw: st.DrawFn) -> RandomHand:
    """Play a whole hand under any rules, with any seats, stacks, cards, choices and clocks."""
    rng = draw(st.randoms(use_true_random=False))
    return make_game(rng)


def make_game(rng: Random) -> RandomHand:
    rules = random_rules(rng)
    return play_hand(rng, rules, random_opening(rng, rules))


def is_dead(hand: RandomHand, entry: Posted) -> bool:
    ante = hand.rules.ante
    bb_ante = ante is not None and ante.kind is AnteKind.BIG_BLIND
    return entry.what is Post.DEAD or (entry.what is Post.ANTE and bb_ante)


def check_chips(hand: RandomHand, state: engine.HandState, lines: Lines) -> None:
    """No chip appears or is lost; pots and what went back are what was put in and dead money."""
    begun = {chair.seat: chair.stack for chair in state.frame.chairs}
    entries = [entry for _, entry in lines]
    awards = [entry for entry in entries if isinstance(entry, Awarded)]
    paid = sum(winner.amount for award in awards for winner in award.winners)
    raked = sum(award.rake for award in awards)
    for award in awards:
        assert award.amount == award.rake + sum(winner.amount for winner in award.winners)
    dead = sum(one.amount for one in entries if isinstance(one, Posted) and is_dead(hand, one))
    put = sum(chair.put for chair in state.chairs)
    behind = sum(engine.list_stacks(state).values())
    # What lies in the pots and what the house has taken of them is put in, and not paid.
    assert behind + put + dead - paid == sum(begun.values())
    assert all(chair.stack >= 0 and chair.bet >= 0 and chair.put >= 0 for chair in state.chairs)
    assert sum(pot.amount for pot in engine.list_pots(state)) == put + dead
    if state.stage in {engine.Stage.PAUSE, engine.Stage.ENDED}:
        assert paid + raked == put + dead


def check_turn(state: engine.HandState) -> None:
    """The seat to act is live, has chips and owes a decision; pots are somebody's."""
    decision = engine.decision(state)
    if decision is not None:
        chair = state.chairs[state.frame.place[decision.seat]]
        assert not chair.folded
        assert chair.stack > 0
        assert decision.call > 0 or not chair.acted
        assert decision.call <= chair.stack
        assert decision.call_to == chair.bet + decision.call
        assert sum(not other.folded for other in state.chairs) > 1
        assert decision.bet is None or decision.raise_ is None
        assert bool(decision.no_raise_because) == (not decision.bet and not decision.raise_)
        if decision.seat not in state.marks.absent:
            check_offer(state, decision)
    live = {chair.seat for chair in state.chairs if not chair.folded}
    assert live
    for pot in engine.list_pots(state):
        assert pot.amount > 0
        assert pot.eligible
        assert set(pot.eligible) <= live


def check_offer(state: engine.HandState, decision: engine.Decision) -> None:
    """An offer rises above what there is to match, and its presets are acts that are taken."""
    chair = state.chairs[state.frame.place[decision.seat]]
    offer = decision.bet or decision.raise_
    assert bool(decision.presets) == (offer is not None)
    if offer is None:
        return
    assert state.betting.to_match < offer.min <= offer.max <= chair.bet + chair.stack
    if state.frame.rules.structure is Structure.FIXED_LIMIT:
        assert offer.min == offer.max
    totals = [preset.to for preset in decision.presets]
    assert totals == sorted(set(totals))
    assert {offer.min, offer.max} >= {totals[0]}
    act = Act.BET if decision.bet else Act.RAISE
    for to in {*totals, offer.min, offer.max}:
        acted = engine.act(state, decision.seat, decision.turn, act, to, By.PLAYER)
        assert isinstance(acted, Acted)
    for to in (offer.min - 1, offer.max + 1):
        refused = engine.act(state, decision.seat, decision.turn, act, to, By.PLAYER)
        assert not isinstance(refused, Acted)
    assert all(preset.cost == preset.to - chair.bet for preset in decision.presets)


def check_cards(state: engine.HandState, lines: Lines) -> None:
    """No card is open twice or from where it was not dealt; positions go out in order.

    A rank that is kept beside cards is theirs on the board.
    """
    layout = state.layout
    first, second = layout.board, layout.second or ()
    alone = [card for place, card in enumerate(second) if first[place : place + 1] != (card,)]
    cards = [*first, *alone, *(card for shown in layout.shown for card in shown.cards)]
    assert len(set(cards)) == len(cards)
    assert layout.seen == sum(1 << CARDS.index(card) for card in cards)
    frame = state.frame
    for one in layout.shown:
        if one.high != UNRANKED:
            ranked = rank_hand(one.cards, first, omaha=frame.omaha, hi_lo=frame.hi_lo)
            assert (one.high, one.low) == ranked
    dealt = [one for _, entry in lines if isinstance(entry, Dealt) for one in entry.positions]
    assert [one.position for one in dealt] == list(range(len(dealt)))
    for seat in state.frame.seats:
        given = [one for one in dealt if one.to is Destination.SEAT and one.seat == seat]
        assert len(given) in {0, state.frame.hole_cards}


@settings(max_examples=200, deadline=None)
@given(games())
def test_the_invariants_hold_after_every_entry_and_folding_again_is_the_same(
    hand: RandomHand,
) -> None:
    assert find_faults(hand.rules) == ()
    state = engine.begin(hand.rules, hand.opened)
    done: Lines = []
    turn = 0
    for at, entry in hand.lines:
        by_hand = isinstance(entry, Opened) and state.stage is not engine.Stage.PAUSE
        if isinstance(entry, FORCED) or by_hand:
            assert engine.forced(state, hand.deck)[0] == entry
        state = engine.evolve(state, at, entry)
        done.append((at, entry))
        check_chips(hand, state, done)
        check_turn(state)
        check_cards(state, done)
        if isinstance(entry, Acted):
            turn += 1
            assert entry.turn == turn
            assert state.betting.turn == turn + 1
    assert state.stage is engine.Stage.ENDED
    assert state == hand.state
    last = hand.lines[-1][1]
    assert isinstance(last, HandEnded)
    assert {one.seat: one.stack for one in last.stacks} == engine.list_stacks(state)
    raked = sum(entry.rake for _, entry in hand.lines if isinstance(entry, Awarded))
    stacks = sum(one.stack for one in hand.opened.seats)
    assert sum(one.stack for one in last.stacks) + raked == stacks


@settings(max_examples=50, deadline=None)
@given(games())
def test_playing_on_gives_the_state_that_its_entries_fold_to(hand: RandomHand) -> None:
    state = engine.begin(hand.rules, hand.opened)
    for at, entry in hand.lines:
        entries, ahead = engine.play_on(state, at, hand.deck)
        folded = state
        for one in entries:
            folded = engine.evolve(folded, at, one)
        assert folded == ahead
        assert entries == engine.forced(state, hand.deck)
        state = engine.evolve(state, at, entry)


@settings(max_examples=50, deadline=None)
@given(games(), st.integers(1, 9))
def test_a_changed_entry_never_pays_anybody_more(hand: RandomHand, more: int) -> None:
    """A post, award, return or ending with another amount is refused wherever it stands."""
    state = engine.begin(hand.rules, hand.opened)
    for at, entry in hand.lines:
        for wrong in change(entry, more):
            try:
                engine.evolve(state, at, wrong)
            except engine.ImpossibleEntry:
                pass
            else:
                raise AssertionError(wrong)
        state = engine.evolve(state, at, entry)


def change(entry: Entry, more: int) -> list[Entry]:  # noqa: PLR0911 - one for each kind
    match entry:
        case Posted(seat, what, amount):
            return [Posted(seat, what, amount + more), Posted(seat + more, what, amount)]
        case Returned(seat, amount):
            return [Returned(seat, amount + more)]
        case Awarded(pot, amount, rake, board, winners, half):
            return [
                Awarded(pot, amount + more, rake, board, winners, half),
                Awarded(pot, amount, rake + more, board, winners, half),
                Awarded(pot, amount, rake, 3 - board, winners, half),
                Awarded(pot, amount, rake, board, winners[1:], half),
            ]
        case RunsAgreed(hand, runs, seats):
            return [RunsAgreed(hand, runs + more, seats), RunsAgreed(hand, runs, seats[1:])]
        case BlindsChopped(hand, seats):
            return [BlindsChopped(hand, seats[1:])]
        case HandEnded(hand, stacks):
            return [HandEnded(hand, stacks[1:])]
    return []


def test_random_hands_reach_every_option() -> None:
    """The generator of this suite is worth as much as it reaches."""
    kinds: set[str] = set()
    for seed in range(400):
        hand = make_game(Random(seed))
        for _, entry in hand.lines:
            kinds.add(type(entry).__name__)
            if isinstance(entry, Posted):
                kinds.add(entry.what)
            if isinstance(entry, Awarded):
                kinds |= {str(entry.half), f"board {entry.board}", "rake" if entry.rake else ""}
            if isinstance(entry, Opened | Acted):
                kinds.add(entry.by)
        if len(hand.state.frame.seats) > 2 and hand.state.frame.late is not None:
            kinds.add("late straddle")
    assert kinds >= {
        *("RunsAgreed", "BlindsChopped", "Mucked", "Preferred", "SeatLeft", "PlayerRemoved"),
        *("ante", "straddle", "live", "dead", "high", "low", "board 2", "rake", "late straddle"),
        *("player", "clock", "absent", "pre_action", "rule", "policy"),
    }
