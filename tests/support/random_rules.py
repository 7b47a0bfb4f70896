"""Random rule sets that can be played, hands under them, and whole hands played at random.

Everything comes from one `random.Random`: Hypothesis gives one that it can shrink, a nightly run
one of a seed. `random_rules` serves whole tables too, `random_opening` and `play_hand` one hand.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from dealer_service.rules import hand as engine
from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import (
    Act,
    Acted,
    AnteKind,
    AnteRule,
    Button,
    By,
    Choice,
    ChoicesCount,
    DeckCommitted,
    Entry,
    HandOpened,
    Limits,
    Links,
    LogProof,
    MissedBlinds,
    Newcomers,
    Opened,
    OpenedCard,
    Owed,
    PlayerRemoved,
    PotSmallBlind,
    Preferred,
    RakeCap,
    RakeRule,
    RevealRule,
    RuleSet,
    SatOut,
    SeatLeft,
    SeatState,
    SeatWord,
    Show,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    TimeBankRule,
    Variant,
)
from dealer_service.rules.positions import clockwise

T = TypeVar("T")
Lines = list[tuple[int, Entry]]
DECK_SERVES = {2: 10, 4: 10, 5: 8, 6: 7}
"""How many seats a deck serves with so many hole cards."""


def random_rules(rng: Random, *, variant: Variant | None = None) -> RuleSet:
    """Make a rule set without fault, of any structure and with any house options."""
    unit = rng.choice([1, 1, 5, 25])
    small = unit * rng.randint(1, 10)
    big = small + unit * rng.randint(0, 10)
    if variant is None:
        variant = rng.choice([Variant.HOLDEM, Variant.HOLDEM, Variant.OMAHA, Variant.OMAHA_HI_LO])
    omaha = variant is not Variant.HOLDEM
    hole_cards = rng.choice([4, 5, 6]) if omaha else None
    structure = rng.choice(list(Structure))
    least = rng.randint(1, 40 * big)
    straddle = maybe(rng, StraddleRule(pick(rng, StraddleKind), pick(rng, StraddleRaise)))
    runs = maybe(rng, 2)
    chop = maybe(rng, "blinds")
    chosen = straddle is not None or runs is not None or chop is not None
    small_bet = rng.choice([big, small, rng.randint(1, 3 * big)])
    limits = Limits(
        small_bet,
        small_bet * rng.randint(1, 3),
        rng.choice([0, 1, 3, 4, 4, 5]),
        uncapped_heads_up=rng.random() < 0.5,
    )
    most_bank = rng.randint(1, 60_000)
    return RuleSet(
        variant=variant,
        structure=structure,
        seats=rng.randint(2, DECK_SERVES[hole_cards or 2]),
        small_blind=small,
        big_blind=big,
        chip_unit=unit,
        buy_in_min=least,
        buy_in_max=least + rng.randint(0, 200 * big),
        button=pick(rng, Button),
        newcomers=pick(rng, [one for one in Newcomers if one is not Newcomers.BY_POSITION]),
        absent="sit_out",
        show=pick(rng, Show),
        all_in="face_up",
        turn_ms=rng.randint(1, 30_000),
        link_ms=3_000,
        pause_ms=rng.choice([0, 3_000]),
        links=Links.OPTIONAL,
        log_proof=LogProof.NONE,
        reveal=RevealRule("all_cards", 60_000),
        max_hands=1_000,
        max_ms=86_400_000,
        hole_cards=hole_cards,
        limits=limits if structure is Structure.FIXED_LIMIT else None,
        pot_small_blind=pick(rng, PotSmallBlind) if structure is Structure.POT_LIMIT else None,
        ante=maybe(rng, AnteRule(pick(rng, AnteKind), rng.randint(1, 2 * big))),
        straddle=straddle,
        missed_blinds=maybe(rng, pick(rng, MissedBlinds)),
        runs=runs,
        chop=chop,
        choices=pick(rng, ChoicesCount) if chosen else None,
        rake=maybe(rng, random_rake(rng, big)),
        return_ms=maybe(rng, rng.randint(1, 10**7)),
        time_bank=maybe(
            rng, TimeBankRule(rng.randint(0, most_bank), rng.randint(0, 1_000), most_bank)
        ),
        disconnect_ms=maybe(rng, rng.randint(1, 60_000)),
        watch_delay_ms=maybe(rng, rng.randint(1_000, 3_600_000)),
    )


def random_rake(rng: Random, big: int) -> RakeRule:
    more = [players for players in range(3, 11) if rng.random() < 0.3]
    caps = [RakeCap(players, rng.randint(0, 4 * big)) for players in (2, *more)]
    return RakeRule(rng.randint(0, 1_000), tuple(caps), no_flop_no_drop=rng.random() < 0.5)


def pick(rng: Random, words: Iterable[T]) -> T:
    """Pick one member of an enumeration."""
    return rng.choice(list(words))


def maybe(rng: Random, value: T) -> T | None:
    return value if rng.random() < 0.4 else None


def random_deck(rng: Random) -> tuple[OpenedCard, ...]:
    order = list(CARDS)
    rng.shuffle(order)
    return tuple(OpenedCard(at, card, "00" * 16) for at, card in enumerate(order))


def random_opening(rng: Random, rules: RuleSet) -> HandOpened:
    """Open a hand with any seats, stacks, blinds, choices and posts that the rules allow."""
    seats = sorted(rng.sample(range(1, rules.seats + 1), rng.randint(2, rules.seats)))
    button = rng.choice([rng.choice(seats), rng.randint(1, rules.seats)])
    order = clockwise(seats, button)
    if len(order) == 2:
        small, big = (order[1], order[0]) if button == order[1] else order
    else:
        small, big = order[:2]
    dead = rng.random() < 0.1
    deep = rng.choice([3, 20, 20, 200])
    stacks = {seat: rng.randint(1, deep * rules.big_blind) for seat in seats}
    straddle = random_straddle(rng, rules, order, button, {small, big}, stacks)
    states = tuple(
        SeatState(
            seat,
            f"player-{seat}",
            stacks[seat],
            SeatWord.IN,
            choices=random_choices(rng) or None,
            owes=None if seat in {small, big, straddle} else random_owed(rng, rules),
            bank_ms=rng.randint(0, rules.time_bank.max_ms) if rules.time_bank else None,
        )
        for seat in seats
    )
    return HandOpened(
        hand=rng.randint(1, 9),
        commitment="00" * 32,
        button=button,
        big_blind_seat=big,
        seats=states,
        misses=(),
        voids=0,
        small_blind_seat=None if dead else small,
        dead_small_blind_seat=small if dead else None,
        straddle_seat=straddle,
    )


def random_straddle(  # noqa: PLR0917 - all that a straddle depends on
    rng: Random,
    rules: RuleSet,
    order: tuple[int, ...],
    button: int,
    blinds: set[int],
    stacks: dict[int, int],
) -> int | None:
    if rules.straddle is None or len(order) < 3 or rng.random() < 0.4:
        return None
    able = [seat for seat in order if seat not in blinds and stacks[seat] >= 2 * rules.big_blind]
    if rules.straddle.kind is StraddleKind.UNDER_THE_GUN:
        able = [seat for seat in able if seat == order[2]]
    if rules.straddle.kind is StraddleKind.BUTTON:
        able = [seat for seat in able if seat == button]
    return rng.choice(able) if able else None


def random_choices(rng: Random) -> tuple[Choice, ...]:
    likely = {Choice.SHOW: 0.2}
    return tuple(choice for choice in sorted(Choice) if rng.random() < likely.get(choice, 0.7))


def random_owed(rng: Random, rules: RuleSet) -> Owed | None:
    if rng.random() < 0.8:
        return None
    owed = Owed(rng.choice([0, rules.big_blind]), rng.choice([0, rules.small_blind]))
    return owed if owed.live or owed.dead else None


@dataclass(slots=True)
class RandomHand:
    """A hand that is played at random; every line that it gave, with its time."""

    rules: RuleSet
    opened: HandOpened
    deck: tuple[OpenedCard, ...]
    state: engine.HandState
    at: int = 1_000
    lines: Lines = field(default_factory=list)

    def fold(self, entry: Entry) -> None:
        self.state = engine.evolve(self.state, self.at, entry)
        self.lines.append((self.at, entry))


def play_hand(rng: Random, rules: RuleSet, opened: HandOpened) -> RandomHand:
    """Play one hand to its end, with acts, asides, clocks and leavers at random."""
    hand = RandomHand(rules, opened, random_deck(rng), engine.begin(rules, opened))
    hand.fold(DeckCommitted(opened.hand, (), "00" * 32, "00" * 32))
    tame = rng.random() < 0.5
    while True:
        for entry in engine.forced(hand.state, hand.deck):
            hand.fold(entry)
        decision = engine.decision(hand.state)
        if decision is None:
            show_late(rng, hand)
            hand.fold(engine.ending(hand.state))
            return hand
        if not tame and rng.random() < 0.15:
            aside(rng, hand)
            continue
        hand.at += rng.randint(0, 50)
        hand.fold(random_act(rng, hand, decision))
        last = hand.lines[-1][1]
        if isinstance(last, Acted) and last.by is By.CLOCK:
            sits_out = engine.sit_out_by_clock(hand.state, last.seat)
            if sits_out is not None:
                hand.fold(sits_out)


def random_act(rng: Random, hand: RandomHand, decision: engine.Decision) -> Acted:
    if decision.seat in hand.state.marks.absent:
        return engine.clock_act(hand.state, By.ABSENT)
    what = rng.choice(
        ["call"] * 12 + ["raise"] * 5 + ["all_in", "fold", "fold", "preset", "late", "clock"]
    )
    if what == "clock":
        hand.at = max(hand.at, decision.deadline) + rng.randint(0, 5)
        return engine.clock_act(hand.state, By.CLOCK)
    if what == "late":
        hand.at = decision.began + rng.randint(0, 2 * hand.rules.turn_ms)
        hand.at = max(hand.at, hand.lines[-1][0])
    offer = decision.bet or decision.raise_
    act, to = Act.CHECK if decision.may_check else Act.CALL, None
    if what == "fold":
        act = Act.FOLD
    elif offer and what in {"raise", "all_in", "preset"}:
        act = Act.BET if decision.bet else Act.RAISE
        to = rng.randint(offer.min, min(offer.max, 3 * offer.min))
        if what == "all_in":
            to = offer.max
        if what == "preset":
            to = rng.choice(decision.presets).to
    by = By.PRE_ACTION if act is not Act.RAISE and rng.random() < 0.1 else By.PLAYER
    acted = engine.act(hand.state, decision.seat, decision.turn, act, to, by)
    assert isinstance(acted, Acted), acted
    return acted


def aside(rng: Random, hand: RandomHand) -> None:
    """Let a player leave, be removed, sit out, or choose anew."""
    seat = rng.choice(hand.state.frame.seats)
    player = f"player-{seat}"
    if seat in hand.state.marks.absent:
        return
    what = rng.choice(["choose"] * 5 + ["sit_out", "leave", "remove"])
    if what == "choose":
        hand.fold(Preferred(seat, player, random_choices(rng)))
    elif what == "leave":
        hand.fold(SeatLeft(seat, player))
    elif what == "remove":
        hand.fold(PlayerRemoved(seat, player))
    elif seat not in hand.state.marks.sitting_out:
        hand.fold(SatOut(seat, player, By.PLAYER))


def show_late(rng: Random, hand: RandomHand) -> None:
    for seat in hand.state.frame.seats:
        if rng.random() < 0.1:
            shown = engine.show(hand.state, seat, hand.deck)
            if isinstance(shown, Opened):
                hand.fold(shown)
