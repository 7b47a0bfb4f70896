"""`engine_hands`: whole recorded hands through the pure engine, beside PokerKit on the same hands.

Both begin from parsed hands and actions, and end with the finishing stacks, which are compared.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pokerkit

from dealer_service.rules import hand as engine
from dealer_service.rules.entry import (
    Act,
    Acted,
    By,
    DeckCommitted,
    HandOpened,
    OpenedCard,
    RuleSet,
)
from tests.bench.figure import Figure, Goal, measure_in_turn
from tests.runners.hands import prepare, replay
from tests.runners.phh import Recorded, load_file, read_hand

HANDS = Path(__file__).parents[1] / "data" / "phh" / "pluribus.phhs"
GOAL = Goal("engine_hands", "hands/s", "hands/s of PokerKit 0.7.7", "higher", 12)
PLAYER = By.PLAYER

AUTOMATIONS = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.CARD_BURNING,
    pokerkit.Automation.HAND_KILLING,
    pokerkit.Automation.CHIPS_PUSHING,
    pokerkit.Automation.CHIPS_PULLING,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A hand as the engine takes it."""

    rules: RuleSet
    opened: HandOpened
    committed: DeckCommitted
    deck: Sequence[OpenedCard]
    acts: tuple[tuple[int, Act, int], ...]
    finishing: dict[int, int]


Operation = Callable[[Any], object]


def measure(*, quick: bool = False) -> Figure:
    """Measure hands a second of CPU time, from parsed hands and actions to the last stacks."""
    hands = [(read_hand(name, fields), fields) for name, fields in load_file(HANDS).items()]
    ours = [parse(recorded) for recorded, _ in hands]
    theirs = [parse_for_pokerkit(fields) for _, fields in hands]
    return measure_in_turn(
        GOAL,
        lambda: rate(play, ours),
        lambda: rate(play_pokerkit, theirs),
        rounds=2 if quick else 9,
        remark=f"all {len(hands)} hands of {HANDS.name}",
    )


def rate(run: Callable[[Any], None], hands: Sequence[Any]) -> float:
    began = time.process_time()
    for hand in hands:
        run(hand)
    return len(hands) / (time.process_time() - began)


def parse(recorded: Recorded) -> Parsed:
    """Parse a hand; its record does not tell a check from a call, so it is replayed once here."""
    prepared = prepare(recorded)
    replay(prepared)
    _, driver = prepared
    committed = driver.entries[0]
    assert isinstance(committed, DeckCommitted)
    assert recorded.finishing is not None
    acts = [(one.seat, one.act, one.to) for one in driver.entries if isinstance(one, Acted)]
    return Parsed(
        rules=driver.state.frame.rules,
        opened=driver.opened,
        committed=committed,
        deck=driver.deck,
        acts=tuple(acts),
        finishing=recorded.finishing,
    )


def play(hand: Parsed) -> None:
    """Play a hand as a table does: what follows by itself, then an act, until it has ended."""
    act, evolve, play_on, deck = engine.act, engine.evolve, engine.play_on, hand.deck
    state = engine.begin(hand.rules, hand.opened)
    state = evolve(state, 0, hand.committed)
    _, state = play_on(state, 0, deck)
    for seat, did, to in hand.acts:
        acted = act(state, seat, state.betting.turn, did, to, PLAYER)
        assert isinstance(acted, Acted)
        state = evolve(state, 0, acted)
        if state.pending is None:
            _, state = play_on(state, 0, deck)
    state = evolve(state, 0, engine.ending(state))
    assert engine.list_stacks(state) == hand.finishing


def parse_for_pokerkit(fields: dict[str, Any]) -> tuple[dict[str, Any], list[Operation]]:
    return fields, [operation(action.split()) for action in fields["actions"]]


def operation(words: list[str]) -> Operation:
    """Give a parsed action as a call on PokerKit's state."""
    match words:
        case ["d", "dh", _, text]:
            hole = tuple(pokerkit.Card.parse(text))
            return lambda state: state.deal_hole(hole)
        case ["d", "db", text]:
            board = tuple(pokerkit.Card.parse(text))
            return lambda state: state.deal_board(board)
        case [_, "f"]:
            return lambda state: state.fold()
        case [_, "cc"]:
            return lambda state: state.check_or_call()
        case [_, "cbr", amount]:
            to = int(amount)
            return lambda state: state.complete_bet_or_raise_to(to)
        case [_, "sm", *cards]:
            shown = tuple(pokerkit.Card.parse(cards[0])) if cards else False
            return lambda state: state.show_or_muck_hole_cards(shown)
    message = f"PokerKit has no operation for {words}"
    raise ValueError(message)


def play_pokerkit(hand: tuple[dict[str, Any], list[Operation]]) -> None:
    fields, operations = hand
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = pokerkit.NoLimitTexasHoldem.create_state(
            AUTOMATIONS,
            fields["ante_trimming_status"],
            fields["antes"],
            fields["blinds_or_straddles"],
            fields["min_bet"],
            fields["starting_stacks"],
            len(fields["starting_stacks"]),
        )
        for operate in operations:
            operate(state)
    assert state.stacks == fields["finishing_stacks"]
