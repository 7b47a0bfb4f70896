"""A game's rule set: what is usual, and every fault of one that can not be played (section 6.1)."""

import dataclasses
import re
from collections.abc import Iterator
from typing import Final

from dealer_service.rules.entry import Links, RevealRule, RuleSet

MOST: Final = 2**53 - 1
"""The greatest integer that a line of the log can hold."""

ONLY: Final = {
    "variant": ("holdem",),
    "structure": ("no_limit",),
    "button": ("moving",),
    "newcomers": ("next_hand",),
    "absent": ("sit_out",),
    "show": ("winners",),
    "all_in": ("face_up",),
    "log_proof": ("none", "follow", "before_cards"),
    "links": tuple(Links),
}
"""The words that a field may hold."""

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

USUAL: Final = RuleSet(
    variant="holdem",
    structure="no_limit",
    seats=6,
    small_blind=50,
    big_blind=100,
    chip_unit=1,
    buy_in_min=2_000,
    buy_in_max=20_000,
    button="moving",
    newcomers="next_hand",
    absent="sit_out",
    show="winners",
    all_in="face_up",
    turn_ms=20_000,
    link_ms=3_000,
    pause_ms=3_000,
    links=Links.OPTIONAL,
    log_proof="none",
    reveal=RevealRule("all_cards", 60_000),
    max_hands=1_000,
    max_ms=86_400_000,
)
"""The rules of a game for which nothing else was asked: change fields by `dataclasses.replace`."""

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
    found = [*_find_words(rules), *_find_numbers(rules), *_find_relations(rules)]
    return tuple(sorted(found, key=lambda fault: order.index(fault.field.split(".")[0])))


def _find_words(rules: RuleSet) -> Iterator[Fault]:
    for name, words in ONLY.items():
        if getattr(rules, name) not in words:
            yield Fault(name, f"{name} must be {' or '.join(words)}")
    if rules.reveal.policy != "all_cards":
        yield Fault("reveal.policy", "reveal.policy must be all_cards")
    if rules.beacon is not None and not _CHAIN.fullmatch(rules.beacon.chain):
        yield Fault("beacon.chain", "beacon.chain must be 64 lower-case hex digits")


def _find_numbers(rules: RuleSet) -> Iterator[Fault]:
    bounds = {name: (least, MOST) for name, least in SMALLEST.items()} | {"seats": (2, 10)}
    values = {name: getattr(rules, name) for name in bounds}
    bounds["reveal.within_ms"] = (1, MOST)
    values["reveal.within_ms"] = rules.reveal.within_ms
    for name, (least, most) in bounds.items():
        if not least <= values[name] <= most:
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
