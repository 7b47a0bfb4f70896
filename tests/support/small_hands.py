"""Hands for tests of one rule each: seats 1, 2, …, the last of them on the button."""

from collections.abc import Mapping
from typing import Any

from dealer_service.rules.entry import Act, Choice, ChoicesCount, Owed
from dealer_service.rules.refusal import Refusal
from tests.runners.driver import Driver, make_rules, open_hand, read_cards, stack_deck

HOLE = {1: "Ac Ad", 2: "Kc Kd", 3: "Qc Qd", 4: "Jc Jd", 5: "Tc Td", 6: "9c 9d"}
BOARD = "2s 3h 5s 8h Th"


def start_hand(
    *stacks: int,
    blinds: tuple[int, int] = (5, 10),
    dead_small_blind: bool = False,
    straddle_seat: int | None = None,
    choices: Mapping[int, tuple[Choice, ...]] | None = None,
    owes: Mapping[int, Owed] | None = None,
    choices_count: ChoicesCount | None = None,
    bank_ms: int | None = None,
    hole: Mapping[int, str] | None = None,
    board: str = BOARD,
    second: str = "",
    **options: Any,
) -> Driver:
    """Start a hand of seats with these stacks; `options` are further fields of its rules.

    `choices` are those of the seats, and `choices_count` is the rule of when they count.
    """
    seats = dict(enumerate(stacks, 1))
    button = len(stacks)
    small, big = (button, 1) if button == 2 else (1, 2)
    if choices_count is not None:
        options["choices"] = choices_count
    rules = make_rules(*blinds, **options)
    cards = {seat: read_cards(text) for seat, text in (hole or HOLE).items() if seat in seats}
    deck = stack_deck(
        seats,
        button,
        cards,
        read_cards(board),
        each=rules.hole_cards or 2,
        second=read_cards(second),
    )
    opened = open_hand(
        seats,
        button,
        None if dead_small_blind else small,
        big,
        straddle_seat=straddle_seat,
        choices=choices,
        owes=owes,
        bank_ms=bank_ms,
    )
    return Driver.start(rules, opened, deck)


def play(driver: Driver, *acts: str) -> None:
    """Play acts such as "3 raise 200"."""
    for text in acts:
        seat, did, *to = text.split()
        refusal = driver.act(int(seat), Act(did), int(to[0]) if to else None)
        assert refusal is None, f"{text}: {refusal}"


def refuse(driver: Driver, text: str) -> Refusal:
    seat, did, *to = text.split()
    refusal = driver.act(int(seat), Act(did), int(to[0]) if to else None)
    assert refusal is not None, f"{text} was accepted"
    return refusal


def to_act(driver: Driver) -> int | None:
    return driver.decision.seat if driver.decision else None


def offer(driver: Driver) -> tuple[int, int] | None:
    """Give the least and the greatest total of the bet or raise that is offered."""
    decision = driver.decision
    assert decision is not None
    found = decision.bet or decision.raise_
    return (found.min, found.max) if found else None


def check_down(driver: Driver) -> None:
    """Check, or call, until nobody is to act."""
    while driver.decision is not None:
        assert driver.check_or_call(driver.decision.seat) is None
