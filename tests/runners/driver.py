"""Plays one hand through the engine's public functions, as the service does."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dealer_service.rules import hand as engine
from dealer_service.rules.cards import CARDS, NUMBERS
from dealer_service.rules.dealing import hole_positions
from dealer_service.rules.entry import (
    Act,
    Awarded,
    Button,
    By,
    Choice,
    DeckCommitted,
    Entry,
    HandOpened,
    Links,
    LogProof,
    Mucked,
    Newcomers,
    Opened,
    OpenedCard,
    Owed,
    Returned,
    RevealRule,
    RuleSet,
    SeatState,
    SeatWord,
    Show,
    Structure,
    Variant,
)
from dealer_service.rules.positions import clockwise
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.state import BOARD, HandState, is_live

STREETS = ("preflop", "flop", "turn", "river")


class NotRunnableError(ValueError):
    """A file asks for something that can not be: cards twice, seats that do not exist."""


def make_rules(
    small_blind: int, big_blind: int, *, chip_unit: int = 1, seats: int = 10, **options: Any
) -> RuleSet:
    """Make the rules of a table; `options` are any other fields of a rule set."""
    usual = RuleSet(
        variant=Variant.HOLDEM,
        structure=Structure.NO_LIMIT,
        seats=seats,
        small_blind=small_blind,
        big_blind=big_blind,
        chip_unit=chip_unit,
        buy_in_min=1,
        buy_in_max=2**49,
        button=Button.MOVING,
        newcomers=Newcomers.NEXT_HAND,
        absent="sit_out",
        show=Show.WINNERS,
        all_in="face_up",
        turn_ms=20_000,
        link_ms=3_000,
        pause_ms=3_000,
        links=Links.OPTIONAL,
        log_proof=LogProof.NONE,
        reveal=RevealRule("all_cards", 60_000),
        max_hands=1_000,
        max_ms=86_400_000,
    )
    return replace(usual, **options)


def open_hand(
    stacks: Mapping[int, int],
    button: int,
    small_blind_seat: int | None,
    big_blind_seat: int,
    *,
    straddle_seat: int | None = None,
    choices: Mapping[int, tuple[Choice, ...]] | None = None,
    owes: Mapping[int, Owed] | None = None,
    bank_ms: int | None = None,
) -> HandOpened:
    return HandOpened(
        hand=1,
        commitment="00" * 32,
        button=button,
        big_blind_seat=big_blind_seat,
        seats=tuple(
            SeatState(
                seat,
                f"player-{seat}",
                stack,
                SeatWord.IN,
                choices=(choices or {}).get(seat),
                owes=(owes or {}).get(seat),
                bank_ms=bank_ms,
            )
            for seat, stack in sorted(stacks.items())
        ),
        misses=(),
        voids=0,
        small_blind_seat=small_blind_seat,
        straddle_seat=straddle_seat,
    )


def read_cards(text: str) -> list[str]:
    """Read "As Kd", "AsKd" or "10s Kd" as cards."""
    compact = re.sub(r"[\s,]", "", text).replace("10", "T")
    cards = [compact[i : i + 2] for i in range(0, len(compact), 2)]
    cards = [card[:1].upper() + card[1:].lower() for card in cards]
    for card in cards:
        if card not in NUMBERS:
            message = f"{card!r} is no card"
            raise NotRunnableError(message)
    return cards


def stack_deck(
    seats: Iterable[int],
    button: int,
    hole: Mapping[int, Sequence[str]],
    board: Sequence[str],
    *,
    each: int = 2,
    second: Sequence[str] = (),
) -> tuple[OpenedCard, ...]:
    """Arrange a deck that deals these cards; positions not named get unused cards.

    `each` are the hole cards of a seat. `second` are the cards of board 2 that come to it alone.
    """
    order = clockwise(seats, button)
    named: dict[int, str] = {}
    for place, seat in enumerate(order):
        positions = hole_positions(len(order), place, each)
        named.update(zip(positions, hole.get(seat, ()), strict=False))
    position = _name_board(named, len(order) * each, BOARD, board)
    alone: list[int] = []
    for cards in reversed(BOARD):
        if sum(alone) < len(second):
            alone.insert(0, cards)
    _name_board(named, position, alone, second)
    used = list(named.values())
    if len(set(used)) < len(used):
        message = "a card is dealt twice"
        raise NotRunnableError(message)
    rest = iter(card for card in CARDS if card not in set(used))
    return tuple(
        OpenedCard(position, named.get(position) or next(rest), "00" * 16)
        for position in range(len(CARDS))
    )


def _name_board(
    named: dict[int, str], position: int, streets: Sequence[int], board: Sequence[str]
) -> int:
    """Name the cards of a board's streets, a burn before each; give the position behind them."""
    shown = 0
    for cards in streets:
        position += 1
        named.update(zip(range(position, position + cards), board[shown:], strict=False))
        position += cards
        shown += cards
    return position


@dataclass(frozen=True, slots=True)
class View:
    """What is public at one moment."""

    street: str
    tabled: frozenset[int]
    board_cards: int


@dataclass(slots=True)
class Driver:
    """A hand in play: its state, every entry so far, and what could be seen since the last act."""

    opened: HandOpened
    state: HandState
    deck: Sequence[OpenedCard]
    entries: list[Entry] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    eligible: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def start(cls, rules: RuleSet, opened: HandOpened, deck: Sequence[OpenedCard]) -> "Driver":
        driver = cls(opened, engine.begin(rules, opened), deck)
        driver._fold(DeckCommitted(opened.hand, (), "00" * 32, "00" * 32))
        driver._go_on()
        return driver

    @property
    def decision(self) -> engine.Decision | None:
        return engine.decision(self.state)

    def act(self, seat: int, act: Act, to: int | None) -> Refusal | None:
        """Act in the open turn; a refusal changes nothing."""
        decision = self.decision
        turn = decision.turn if decision else 0
        acted = engine.act(self.state, seat, turn, act, to, By.PLAYER)
        if isinstance(acted, Refusal):
            return acted
        self.views.clear()
        self._fold(acted)
        self._go_on()
        return None

    def check_or_call(self, seat: int) -> Refusal | None:
        decision = self.decision
        free = decision is not None and decision.may_check
        return self.act(seat, Act.CHECK if free else Act.CALL, None)

    def bet_or_raise(self, seat: int, to: int) -> Refusal | None:
        return self.act(seat, Act.RAISE if self.state.betting.to_match else Act.BET, to)

    @property
    def over(self) -> bool:
        return self.state.stage is engine.Stage.PAUSE

    @property
    def stacks(self) -> dict[int, int]:
        return engine.list_stacks(self.state)

    @property
    def live(self) -> list[int]:
        return [seat for seat in sorted(self.state.frame.seats) if is_live(self.state, seat)]

    @property
    def boards_won(self) -> list[dict[int, int]]:
        """Give what each seat won by each board."""
        won: list[dict[int, int]] = [{} for _ in range(max(one.board for one in self.awarded))]
        for award in self.awarded:
            board = won[award.board - 1]
            for winner in award.winners:
                board[winner.seat] = board.get(winner.seat, 0) + winner.amount
        return won

    @property
    def returned(self) -> dict[int, int]:
        return {one.seat: one.amount for one in self.entries if isinstance(one, Returned)}

    @property
    def awarded(self) -> list[Awarded]:
        return [one for one in self.entries if isinstance(one, Awarded)]

    @property
    def shown(self) -> list[int]:
        return [
            one.seat
            for one in self.entries
            if isinstance(one, Opened) and one.seat is not None and one.by is not By.PLAYER
        ]

    @property
    def mucked(self) -> list[int]:
        return [one.seat for one in self.entries if isinstance(one, Mucked)]

    @property
    def show_order(self) -> list[int]:
        return [
            one.seat
            for one in self.entries
            if isinstance(one, Opened | Mucked) and one.seat is not None
        ]

    def _go_on(self) -> None:
        if not self.views:
            self._look()
        for entry in engine.forced(self.state, self.deck):
            self._fold(entry)
        if self.over:
            pots = engine.list_pots(self.state)
            self.eligible = {number: pot.eligible for number, pot in enumerate(pots)}

    def _fold(self, entry: Entry) -> None:
        self.state = engine.evolve(self.state, 0, entry)
        self.entries.append(entry)
        self._look()

    def _look(self) -> None:
        layout = self.state.layout
        street = STREETS[self.state.betting.street]
        tabled = frozenset(shown.seat for shown in layout.shown)
        self.views.append(View(street, tabled, len(layout.board)))
