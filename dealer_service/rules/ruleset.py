"""A game's rule set: what is usual, and every fault of one that can not be played (section 6.1)."""

import dataclasses
import re
from collections.abc import Iterator
from typing import Final

from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import (
    AnteKind,
    Button,
    ChoicesCount,
    Links,
    LogProof,
    MissedBlinds,
    Newcomers,
    PotSmallBlind,
    RevealRule,
    RuleSet,
    Show,
    StraddleKind,
    StraddleRaise,
    Structure,
    Variant,
)
from dealer_service.rules.state import BOARD, BOARD_CARDS

MOST: Final = 2**53 - 1
"""The greatest integer that a line of the log can hold."""

ONLY: Final[dict[str, tuple[str, ...]]] = {
    "variant": tuple(Variant),
    "structure": tuple(Structure),
    "button": tuple(Button),
    "newcomers": tuple(Newcomers),
    "absent": ("sit_out", "dealt_in"),
    "show": tuple(Show),
    "all_in": ("face_up",),
    "log_proof": tuple(LogProof),
    "links": tuple(Links),
}
"""The words that a field may hold."""

ONLY_IF_THERE: Final[dict[str, tuple[str, ...]]] = {
    "pot_small_blind": tuple(PotSmallBlind),
    "missed_blinds": tuple(MissedBlinds),
    "chop": ("blinds",),
    "choices": tuple(ChoicesCount),
    "ante.kind": tuple(AnteKind),
    "straddle.kind": tuple(StraddleKind),
    "straddle.min_raise": tuple(StraddleRaise),
}
"""The words that an optional field may hold, or one of its own fields."""

OMAHA_HOLE_CARDS: Final = (4, 6)
LEAST_CAP_PLAYERS: Final = 2
"""A list of rake caps begins with the fewest players that a hand can have."""

SMALLEST: Final = {
    "small_blind": 1,
    "big_blind": 1,
    "chip_unit": 1,
    "buy_in_min": 1,
    "buy_in_max": 1,
    "turn_ms": 1,
    "link_ms": 1,
    "pause_ms": 0,
    "max_hands": 1,
    "max_ms": 1,
}
"""The least that a number may be."""

SMALLEST_IF_THERE: Final = {
    "ante.amount": 1,
    "limits.small_bet": 1,
    "limits.big_bet": 1,
    "limits.cap": 0,
    "return_ms": 1,
    "time_bank.start_ms": 0,
    "time_bank.per_hand_ms": 0,
    "time_bank.max_ms": 1,
    "disconnect_ms": 1,
}
"""The least that a number of an optional field may be."""

AT_TOURNAMENTS_ALONE: Final = {"absent": "dealt_in", "newcomers": "by_position"}
"""The words of a tournament's table that no other may have."""

AT_TOURNAMENTS: Final = {**AT_TOURNAMENTS_ALONE, "button": "dead", "links": "optional"}
"""The words that the rules of a tournament's table have."""

NOT_AT_TOURNAMENTS: Final = (
    "straddle",
    "missed_blinds",
    "runs",
    "chop",
    "choices",
    "rake",
    "return_ms",
    "watch_delay_ms",
)
"""The optional fields that a tournament's table has not."""

WATCH_DELAY_MS: Final = (1_000, 3_600_000)
"""Watchers are told of a game up to an hour later, or at once."""

USUAL: Final = RuleSet(
    variant=Variant.HOLDEM,
    structure=Structure.NO_LIMIT,
    seats=6,
    small_blind=50,
    big_blind=100,
    chip_unit=1,
    buy_in_min=2_000,
    buy_in_max=20_000,
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
"""The rules of a game for which nothing else was asked: change fields by `dataclasses.replace`."""

_TOURNAMENT: Final = re.compile("[0-9a-f]{32}")
_CHAIN: Final = re.compile("[0-9a-f]{64}")


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A field that can not stay as it is, and what would be allowed."""

    field: str
    message: str
    numbers: dict[str, int] = dataclasses.field(default_factory=dict, hash=False)


def find_faults(rules: RuleSet) -> tuple[Fault, ...]:
    """Give every fault of a rule set at once, in the order of its fields; none if it can be."""
    order = [one.name for one in dataclasses.fields(rules)]
    found = [
        *_find_words(rules),
        *_find_numbers(rules),
        *_find_relations(rules),
        *_find_structure(rules),
        *_find_deck(rules),
        *_find_house(rules),
        *_find_tournament(rules),
    ]
    return tuple(sorted(found, key=lambda fault: order.index(fault.field.split(".")[0])))


def _read(rules: RuleSet, path: str) -> object:
    """Read a field, or a field of an optional one: None where that is absent."""
    value: object = rules
    for name in path.split("."):
        value = None if value is None else getattr(value, name)
    return value


def _find_words(rules: RuleSet) -> Iterator[Fault]:
    for name, words in {**ONLY, **ONLY_IF_THERE}.items():
        value = _read(rules, name)
        if value not in words and not (value is None and name in ONLY_IF_THERE):
            yield Fault(name, f"{name} must be {' or '.join(words)}")
    if rules.reveal.policy != "all_cards":
        yield Fault("reveal.policy", "reveal.policy must be all_cards")
    if rules.beacon is not None and not _CHAIN.fullmatch(rules.beacon.chain):
        yield Fault("beacon.chain", "beacon.chain must be 64 lower-case hex digits")


def _find_numbers(rules: RuleSet) -> Iterator[Fault]:
    bounds = {name: (least, MOST) for name, least in SMALLEST.items()} | {"seats": (2, 10)}
    bounds["reveal.within_ms"] = (1, MOST)
    bounds |= {name: (least, MOST) for name, least in SMALLEST_IF_THERE.items()}
    bounds["rake.per_ten_thousand"] = (0, 10_000)
    bounds["watch_delay_ms"] = WATCH_DELAY_MS
    for name, (least, most) in bounds.items():
        value = _read(rules, name)
        if isinstance(value, int) and not least <= value <= most:
            message = f"{name} must be at least {least} and at most {most}"
            yield Fault(name, message, {"min": least, "max": most})


def _find_relations(rules: RuleSet) -> Iterator[Fault]:
    if rules.small_blind > rules.big_blind:
        message = f"small_blind must be at most the big blind of {rules.big_blind}"
        yield Fault("small_blind", message, {"max": rules.big_blind})
    if rules.buy_in_max < rules.buy_in_min:
        message = f"buy_in_max must be at least buy_in_min, {rules.buy_in_min}"
        yield Fault("buy_in_max", message, {"min": rules.buy_in_min})
    unit = rules.chip_unit
    if unit > 0 and (rules.small_blind % unit or rules.big_blind % unit):
        message = f"chip_unit must divide both blinds, {rules.small_blind} and {rules.big_blind}"
        yield Fault(
            "chip_unit",
            message,
            {"small_blind": rules.small_blind, "big_blind": rules.big_blind},
        )
    if rules.seats > 0 and rules.buy_in_max * rules.seats > MOST:
        most = MOST // rules.seats
        message = f"buy_in_max must be at most {most} with {rules.seats} seats"
        yield Fault("buy_in_max", message, {"max": most, "seats": rules.seats})


def _find_structure(rules: RuleSet) -> Iterator[Fault]:
    """Find what is there without its structure or variant, or missing with it."""
    fixed, pot = Structure.FIXED_LIMIT, Structure.POT_LIMIT
    yield from _belongs("limits", rules.limits, there=rules.structure == fixed, to="fixed_limit")
    pot_limit = rules.structure == pot
    yield from _belongs("pot_small_blind", rules.pot_small_blind, there=pot_limit, to="pot_limit")
    omaha = rules.variant in {Variant.OMAHA, Variant.OMAHA_HI_LO}
    yield from _belongs("hole_cards", rules.hole_cards, there=omaha, to="omaha")
    chosen = [rules.straddle, rules.runs, rules.chop] != [None] * 3
    yield from _belongs("choices", rules.choices, there=chosen, to="straddle, runs or chop")
    if rules.limits is not None and rules.limits.big_bet < rules.limits.small_bet:
        message = f"limits.big_bet must be at least the small bet of {rules.limits.small_bet}"
        yield Fault("limits.big_bet", message, {"min": rules.limits.small_bet})


def _belongs(name: str, value: object, *, there: bool, to: str) -> Iterator[Fault]:
    if there and value is None:
        yield Fault(name, f"{name} must be there with {to}")
    elif not there and value is not None:
        yield Fault(name, f"{name} may be there only with {to}")


def _find_deck(rules: RuleSet) -> Iterator[Fault]:
    """Find hole cards that no deck deals, and more seats than one deck can serve."""
    each = 2 if rules.hole_cards is None else rules.hole_cards
    least, most = OMAHA_HOLE_CARDS
    if rules.hole_cards is not None and not least <= each <= most:
        message = f"hole_cards must be at least {least} and at most {most}"
        yield Fault("hole_cards", message, {"min": least, "max": most})
        return
    served = (len(CARDS) - BOARD_CARDS - len(BOARD)) // each
    if served < rules.seats <= 10:
        message = f"seats must be at most {served}: a deck serves no more with {each} cards each"
        yield Fault("seats", message, {"max": served, "hole_cards": each})


def _find_house(rules: RuleSet) -> Iterator[Fault]:
    if rules.runs not in {None, 2}:
        yield Fault("runs", "runs must be 2, or absent", {"runs": 2})
    bank = rules.time_bank
    if bank is not None and bank.start_ms > bank.max_ms:
        message = f"time_bank.start_ms must be at most max_ms, {bank.max_ms}"
        yield Fault("time_bank.start_ms", message, {"max": bank.max_ms})
    if rules.rake is None:
        return
    players = [one.players for one in rules.rake.caps]
    if players != sorted(set(players)) or not players or players[0] != LEAST_CAP_PLAYERS:
        message = "rake.caps must begin with 2 players and rise"
        yield Fault("rake.caps", message, {"min": LEAST_CAP_PLAYERS})
    if players and players[-1] > 10:
        yield Fault("rake.caps", "rake.caps must go to at most 10 players", {"max": 10})
    if not all(0 <= one.cap <= MOST for one in rules.rake.caps):
        message = f"rake.caps must hold caps of at least 0 and at most {MOST}"
        yield Fault("rake.caps", message, {"min": 0, "max": MOST})


def _find_tournament(rules: RuleSet) -> Iterator[Fault]:
    """Find what a tournament's table can not have, or what it alone can (section 14)."""
    table = rules.tournament
    if table is None:
        for name, word in AT_TOURNAMENTS_ALONE.items():
            if getattr(rules, name) == word:
                yield Fault(name, f"{name} may be {word} only at a tournament's table")
        return
    if not _TOURNAMENT.fullmatch(table.tournament):
        message = "tournament.tournament must be 32 lower-case hex digits"
        yield Fault("tournament.tournament", message)
    if not 1 <= table.table <= MOST:
        message = f"tournament.table must be at least 1 and at most {MOST}"
        yield Fault("tournament.table", message, {"min": 1, "max": MOST})
    for name, word in AT_TOURNAMENTS.items():
        if getattr(rules, name) != word:
            yield Fault(name, f"{name} must be {word} at a tournament's table")
    for name in NOT_AT_TOURNAMENTS:
        if getattr(rules, name) is not None:
            yield Fault(name, f"{name} may not be there at a tournament's table")
