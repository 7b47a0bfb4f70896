"""Plays random no-limit hold'em hands in PokerKit beside the engine, and tells where they differ.

Inside PokerKit's zone are blinds, antes of all and of the big blind, and one board, without rake
and with a chip unit of 1. What differs there is sorted by `explain` into the kinds that
`tests/data/pokerkit_differences.md` explains; anything else is a fault of one of the two.
"""

import warnings
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

import pokerkit

from dealer_service.rules import hand as engine
from dealer_service.rules.dealing import hole_positions
from dealer_service.rules.entry import (
    Act,
    Acted,
    AnteKind,
    AnteRule,
    Awarded,
    By,
    DeckCommitted,
    HandOpened,
    OpenedCard,
    Post,
    RuleSet,
)
from tests.runners.driver import make_rules, open_hand
from tests.support.random_rules import random_deck

AUTOMATIONS = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.CARD_BURNING,
    pokerkit.Automation.RUNOUT_COUNT_SELECTION,
    pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    pokerkit.Automation.HAND_KILLING,
    pokerkit.Automation.CHIPS_PUSHING,
    pokerkit.Automation.CHIPS_PULLING,
)
BURN = 1


class Kind(StrEnum):
    """Why the two may differ; each is a heading of pokerkit_differences.md."""

    SHORT_BLIND = "a blind that is posted short"
    REOPENING = "a short all-in before a seat that has acted"
    ODD_CHIPS = "odd chips of three winners or more"
    ANTE_FIRST = "a big blind ante of a short stack"
    MERGED_POTS = "pots that are one once beaten hands are killed"
    EQUAL_BLINDS = "equal blinds heads-up"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the two differ first: in what, and what each says."""

    what: str
    ours: Any
    theirs: Any
    kind: Kind | None


@dataclass(slots=True)
class Beside:
    """One hand in both, act by act."""

    rules: RuleSet
    opened: HandOpened
    deck: tuple[OpenedCard, ...]
    state: engine.HandState
    other: Any
    board: int
    """The position of the next card that PokerKit has not been dealt."""
    awards: list[Awarded]
    short_all_in: bool = False
    """Whether a short all-in came on this street."""


def open_random(rng: Random) -> tuple[RuleSet, HandOpened]:
    """Open a hand inside PokerKit's zone."""
    count = rng.randint(2, 9)
    seats = sorted(rng.sample(range(1, 11), count))
    big = rng.choice([2, 3, 10, 100])
    small = rng.randint(1, big)
    deep = rng.choice([3, 10, 40, 100])
    stacks = {seat: rng.randint(1, deep * big) for seat in seats}
    button = seats[-1]
    order = seats
    ante = rng.choice([None, None, AnteRule(rng.choice(list(AnteKind)), rng.randint(1, big))])
    rules = make_rules(small, big, ante=ante)
    if count == 2:
        return rules, open_hand(stacks, button, button, order[0])
    if rng.random() < 0.1:
        return rules, open_hand(stacks, button, None, order[0])
    return rules, open_hand(stacks, button, order[0], order[1])


def play_beside(rng: Random) -> Difference | None:
    """Play one random hand in both; give the first difference, or None where they agree."""
    rules, opened = open_random(rng)
    deck = random_deck(rng)
    state = engine.begin(rules, opened)
    state = engine.evolve(state, 0, DeckCommitted(1, (), "00" * 32, "00" * 32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = open_pokerkit(rules, opened, state, deck)
        board = len(state.frame.seats) * 2
        hand = Beside(rules, opened, deck, state, other, board, [])
        go_on(hand)
        while True:
            difference = compare_turn(hand)
            if difference is not None:
                return difference
            decision = engine.decision(hand.state)
            if decision is None:
                return compare_end(hand)
            act_in_both(rng, hand, decision)


def open_pokerkit(
    rules: RuleSet, opened: HandOpened, state: engine.HandState, deck: tuple[OpenedCard, ...]
) -> Any:
    seats = state.frame.seats
    blinds = [0] * len(seats)
    blinds[seats.index(opened.big_blind_seat)] = rules.big_blind
    if opened.small_blind_seat is not None:
        blinds[seats.index(opened.small_blind_seat)] = rules.small_blind
    antes = [0] * len(seats)
    big_blind_ante = rules.ante is not None and rules.ante.kind is AnteKind.BIG_BLIND
    if rules.ante is not None:
        payers = [opened.big_blind_seat] if big_blind_ante else seats
        for seat in payers:
            antes[seats.index(seat)] = rules.ante.amount
    if len(seats) == 2:
        # Heads-up PokerKit lists both for the other player.
        blinds.reverse()
        antes.reverse()
    other = pokerkit.NoLimitTexasHoldem.create_state(
        AUTOMATIONS,
        not big_blind_ante,
        antes,
        blinds,
        rules.big_blind,
        [chair.stack for chair in state.frame.chairs],
        len(seats),
    )
    for place in range(len(seats)):
        other.deal_hole("".join(deck[at].card for at in hole_positions(len(seats), place, 2)))
    return other


def go_on(hand: Beside) -> None:
    """Let both come to the next decision, or to the end."""
    street = hand.state.betting.street
    entries, hand.state = engine.play_on(hand.state, 0, hand.deck)
    hand.awards += [entry for entry in entries if isinstance(entry, Awarded)]
    if hand.state.betting.street != street:
        hand.short_all_in = False
    while hand.other.status:
        if is_empty_check(hand):
            hand.other.check_or_call()
        elif hand.other.actor_index is None and hand.other.can_deal_board():
            hand.board += BURN
            count = hand.other.board_dealing_count
            cards = hand.deck[hand.board : hand.board + count]
            hand.other.deal_board("".join(card.card for card in cards))
            hand.board += count
        else:
            break


def is_empty_check(hand: Beside) -> bool:
    """Tell whether PokerKit asks for a check where nobody else has chips; the engine does not."""
    other = hand.other
    return (
        other.actor_index is not None
        and hand.state.pending is None
        and other.checking_or_calling_amount == 0
        and other.min_completion_betting_or_raising_to_amount is None
    )


def compare_turn(hand: Beside) -> Difference | None:
    decision, other = engine.decision(hand.state), hand.other
    seats = hand.state.frame.seats
    ours: dict[str, Any] = {"to_act": None}
    theirs: dict[str, Any] = {"to_act": None}
    if decision is not None:
        offer = decision.bet or decision.raise_
        ours = {"to_act": decision.seat, "call": decision.call}
        ours["raise"] = (offer.min, offer.max) if offer else None
    if other.actor_index is not None:
        theirs = {"to_act": seats[other.actor_index], "call": other.checking_or_calling_amount}
        least = other.min_completion_betting_or_raising_to_amount
        most = other.max_completion_betting_or_raising_to_amount
        theirs["raise"] = None if least is None else (least, most)
    if ours == theirs:
        return None
    same_call = all(ours.get(one) == theirs.get(one) for one in ("to_act", "call"))
    return Difference("turn", ours, theirs, explain(hand, same_call=same_call))


def compare_end(hand: Beside) -> Difference | None:
    ours = [chair.stack for chair in hand.state.chairs]
    theirs = list(hand.other.stacks)
    if ours == theirs:
        return None
    return Difference("stacks", ours, theirs, explain_end(hand, ours, theirs))


def act_in_both(rng: Random, hand: Beside, decision: engine.Decision) -> None:
    offer = decision.bet or decision.raise_
    what = rng.choice(["call"] * 6 + ["raise"] * 4 + ["all_in", "fold", "fold"])
    act, to = Act.CHECK if decision.may_check else Act.CALL, None
    if what == "fold" and not decision.may_check:
        act = Act.FOLD
        hand.other.fold()
    elif offer and what in {"raise", "all_in"}:
        act = Act.BET if decision.bet else Act.RAISE
        to = (
            offer.max if what == "all_in" else rng.randint(offer.min, min(offer.max, 3 * offer.min))
        )
        if to - hand.state.betting.to_match < hand.state.betting.full_raise:
            hand.short_all_in = True
        hand.other.complete_bet_or_raise_to(to)
    else:
        hand.other.check_or_call()
    acted = engine.act(hand.state, decision.seat, decision.turn, act, to, By.PLAYER)
    assert isinstance(acted, Acted), acted
    hand.state = engine.evolve(hand.state, 0, acted)
    go_on(hand)


def is_short_blind(hand: Beside) -> bool:
    """Tell whether a blind was posted for less than it is."""
    rules, posts = hand.rules, hand.state.frame.posts
    posted = {one.what: one.amount for one in posts}
    full = {Post.BIG_BLIND: rules.big_blind}
    if hand.opened.small_blind_seat is not None:
        full[Post.SMALL_BLIND] = rules.small_blind
    return any(posted.get(what, 0) < amount for what, amount in full.items())


def pays_ante_short(hand: Beside) -> bool:
    """Tell whether the big blind can not pay its blind and the ante for all."""
    ante = hand.rules.ante
    if ante is None or ante.kind is not AnteKind.BIG_BLIND:
        return False
    place = hand.state.frame.place[hand.opened.big_blind_seat]
    return hand.state.frame.chairs[place].stack < hand.rules.big_blind + ante.amount


def explain(hand: Beside, *, same_call: bool) -> Kind | None:
    if pays_ante_short(hand):
        return Kind.ANTE_FIRST
    if is_short_blind(hand):
        return Kind.SHORT_BLIND
    if len(hand.state.chairs) == 2 and hand.rules.small_blind == hand.rules.big_blind:
        return Kind.EQUAL_BLINDS
    return Kind.REOPENING if hand.short_all_in and same_call else None


def explain_end(hand: Beside, ours: list[int], theirs: list[int]) -> Kind | None:
    if pays_ante_short(hand):
        return Kind.ANTE_FIRST
    if is_short_blind(hand):
        return Kind.SHORT_BLIND
    most_odd = sum(len(award.winners) - 1 for award in hand.awards)
    if any(abs(one - two) > most_odd for one, two in zip(ours, theirs, strict=True)):
        return None
    splits = [award for award in hand.awards if len(award.winners) > 1]
    if max([len(award.winners) for award in splits], default=0) > 2:
        return Kind.ODD_CHIPS
    return Kind.MERGED_POTS if len(splits) > 1 else None
