"""Strategies of house players against each other, each deal played once from every seat.

Deals are played in the pure engine, without a service: a strategy is shown the view and the turn
that its client would make of the log. Since each strategy has each seat of a deal once, cards even
out, and few deals tell who plays better.
"""

from collections.abc import Sequence
from random import Random

from dealer_service.bots.choosing import Strategy
from dealer_service.client import Decision, Span, TableView
from dealer_service.client.view import Pot, SeatView
from dealer_service.rules import hand as engine
from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import Act, By, DeckCommitted, OpenedCard
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.state import HandState, is_live
from tests.runners.driver import make_rules, open_hand

BLINDS = (50, 100)


def play_deals(
    strategies: Sequence[Strategy], *, deals: int, seed: int, big_blinds: int = 100
) -> list[float]:
    """Give what each strategy wins, in big blinds for a hundred hands."""
    random = Random(seed)
    won = [0] * len(strategies)
    for _ in range(deals):
        cards = random.sample(CARDS, len(CARDS))
        for turn in range(len(strategies)):
            seated = [*strategies[turn:], *strategies[:turn]]
            for place, amount in enumerate(play_deal(seated, cards, random, big_blinds)):
                won[(place + turn) % len(strategies)] += amount
    hands = deals * len(strategies)
    return [100 * chips / BLINDS[1] / hands for chips in won]


def play_deal(
    strategies: Sequence[Strategy], cards: Sequence[str], random: Random, big_blinds: int
) -> list[int]:
    """Play one hand, the strategies in seats 1, 2, …, the last on the button; what each wins."""
    count, stack = len(strategies), big_blinds * BLINDS[1]
    small, big = (count, 1) if count == 2 else (1, 2)
    rules = make_rules(*BLINDS)
    deck = [OpenedCard(place, card, "00" * 16) for place, card in enumerate(cards)]
    opened = open_hand(dict.fromkeys(range(1, count + 1), stack), count, small, big)
    state = engine.begin(rules, opened)
    state = engine.evolve(state, 0, DeckCommitted(1, (), "00" * 32, "00" * 32))
    while True:
        _, state = engine.play_on(state, 0, deck)
        asked = engine.decision(state)
        if asked is None:
            break
        view = show(state, asked.seat, cards, stack)
        choice = strategies[asked.seat - 1](read(asked), view, random.random)
        did = Act(choice.act.value)
        to = choice.to if did in {Act.BET, Act.RAISE} else None
        acted = engine.act(state, asked.seat, asked.turn, did, to, By.PLAYER)
        assert not isinstance(acted, Refusal), acted
        state = engine.evolve(state, 0, acted)
    stacks = engine.list_stacks(engine.evolve(state, 0, engine.ending(state)))
    return [stacks[seat] - stack for seat in range(1, count + 1)]


def read(asked: engine.Decision) -> Decision:
    """Give a turn as a client has it."""
    return Decision(
        hand=1,
        turn=asked.turn,
        seat=asked.seat,
        may_check=asked.may_check,
        call=asked.call,
        bet=Span(asked.bet.min, asked.bet.max) if asked.bet else None,
        raise_to=Span(asked.raise_.min, asked.raise_.max) if asked.raise_ else None,
        no_raise_because="",
        deadline=0,
    )


def show(state: HandState, seat: int, cards: Sequence[str], stack: int) -> TableView:
    """Give the table as the client of a seat sees it."""
    count, frame = len(state.chairs), state.frame
    place = frame.place[seat]
    seats = tuple(
        SeatView(
            chair.seat,
            f"player-{chair.seat}",
            chair.stack,
            bet=chair.bet,
            state="in" if is_live(state, chair.seat) else "folded",
        )
        for chair in sorted(state.chairs, key=lambda one: one.seat)
    )
    pot = sum(stack - chair.stack for chair in state.chairs)
    return TableView(
        game="",
        hand=1,
        button=frame.button,
        street="",
        board=tuple(state.layout.board),
        seats=seats,
        pots=(Pot(pot, ()),),
        seat=seat,
        cards=(cards[place], cards[place + count]),
        decision=None,
        rules={"big_blind": BLINDS[1], "structure": "no_limit"},
    )
