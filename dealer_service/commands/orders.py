"""Reads what a person types at the table: an act on the turn that stands, or a wish beside it."""

import re
from dataclasses import dataclass
from enum import Enum, auto, unique
from typing import Final, TypeAlias

from dealer_service.client import Act, Choice, Decision, PreAct, Span


@unique
class Wish(Enum):
    """What may be asked for at any time."""

    LEAVE = auto()
    SIT_OUT = auto()
    COME_BACK = auto()
    SHOW = auto()
    TABLE = auto()
    HELP = auto()


@dataclass(frozen=True, slots=True)
class Play:
    """An act; `to` is a bet's or raise's total for the street."""

    act: Act
    to: int = 0


@dataclass(frozen=True, slots=True)
class Add:
    """Chips to add."""

    amount: int


@dataclass(frozen=True, slots=True)
class Ahead:
    """An act for the next turn, or `none` to take it back."""

    act: PreAct


@dataclass(frozen=True, slots=True)
class Prefer:
    """All standing choices."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Misread:
    """Why a line is no order, and what would be one."""

    message: str


Order: TypeAlias = Play | Add | Ahead | Prefer | Wish | Misread

HELP: Final = (
    "f fold · x check · c call · b 300 bet 300 · r 900 raise to 900 · a all-in",
    "b half, r pot: min, half, 3/4, pot or all-in in place of an amount, as the turn offers",
    "next fold, check, check/fold, call or call any: for your next turn · next none takes it back",
    "prefer straddle runs chop show: what you want whenever it comes up · prefer none",
    "t the table · s sit out · i back in · + 500 add chips · show your cards after the hand",
    "q leave (also ^C) · ? this help",
)

_WISHES: Final = {
    "q": Wish.LEAVE,
    "quit": Wish.LEAVE,
    "leave": Wish.LEAVE,
    "s": Wish.SIT_OUT,
    "sit out": Wish.SIT_OUT,
    "i": Wish.COME_BACK,
    "back": Wish.COME_BACK,
    "show": Wish.SHOW,
    "t": Wish.TABLE,
    "table": Wish.TABLE,
    "?": Wish.HELP,
    "h": Wish.HELP,
    "help": Wish.HELP,
}
_ACTS: Final = {
    "f": "fold",
    "x": "check",
    "k": "check",
    "c": "call",
    "b": "bet",
    "r": "raise",
    "a": "all-in",
    "allin": "all-in",
    "all in": "all-in",
    "raise to": "raise",
    "bet to": "bet",
}
_PRESETS: Final = {
    "min": "min",
    "half": "half",
    "1/2": "half",
    "3/4": "three_quarters",
    "three quarters": "three_quarters",
    "pot": "pot",
    "all-in": "all_in",
    "all in": "all_in",
    "allin": "all_in",
}
"""The names of bets and raises as they are typed."""

_AHEAD: Final = {
    "none": PreAct.NONE,
    "f": PreAct.FOLD,
    "fold": PreAct.FOLD,
    "x": PreAct.CHECK,
    "check": PreAct.CHECK,
    "check/fold": PreAct.CHECK_FOLD,
    "check fold": PreAct.CHECK_FOLD,
    "x/f": PreAct.CHECK_FOLD,
    "c": PreAct.CALL,
    "call": PreAct.CALL,
    "call any": PreAct.CALL_ANY,
}
_NAMED = re.compile(r"(bet to|raise to|bet|raise|b|r) (.+)")
_LINE = re.compile(r"(\+|[a-z?][a-z -]*)\s*([0-9][0-9,_]*)?")


def read_order(line: str, decision: Decision | None) -> Order:
    """Read one line; `decision` is the turn that stands for this person, None for no turn.

    Amounts are checked against the turn, so that what can not be is said at once and not asked of
    the dealer.
    """
    words = " ".join(line.lower().split())
    return _read_named(words, decision) or _read_plain(line, words, decision)


def _read_named(words: str, decision: Decision | None) -> Order | None:
    """Read what names something; None where it names nothing."""
    verb, _, rest = words.partition(" ")
    if verb == "next":
        return _read_ahead(rest)
    if verb == "prefer":
        return _read_choices(rest)
    named = _NAMED.fullmatch(words)
    if named is not None and named[2] in _PRESETS:
        return _read_preset(_PRESETS[named[2]], decision)
    return None


def _read_plain(line: str, words: str, decision: Decision | None) -> Order:
    match = _LINE.fullmatch(words)
    if match is None:
        return Misread(f"{line.strip()[:40]!a} is no order: ? lists them")
    word, digits = match[1].strip(), match[2]
    amount = int(re.sub("[,_]", "", digits)) if digits else None
    if word == "+":
        return Add(amount) if amount else Misread("say how many chips to add: + 500")
    if word in _WISHES:
        return _WISHES[word]
    act = _ACTS.get(word, word)
    if act not in {*Act, "all-in"}:
        return Misread(f"{word[:40]!a} is no order: ? lists them")
    if decision is None:
        return Misread("it is not your turn")
    return _read_act(act, amount, decision)


def offer(decision: Decision) -> str:
    """List in one line what the turn allows, as it is typed."""
    offers = ["f fold"]
    if decision.may_check:
        offers.append("x check")
    if decision.call:
        offers.append(f"c call {decision.call:,}")
    if decision.bet is not None:
        offers.append(f"b bet {decision.bet.low:,} to {decision.bet.high:,}")
    if decision.raise_to is not None:
        offers.append(f"r raise to {decision.raise_to.low:,} up to {decision.raise_to.high:,}")
    return ", ".join(offers)


def offer_presets(decision: Decision) -> str:
    """List in one line the bets or raises by name, with their totals; empty where none is."""
    names = {preset: typed for typed, preset in reversed(_PRESETS.items())}
    return ", ".join(f"{names.get(one.name, '?')} {one.to:,}" for one in decision.presets)


def _read_ahead(rest: str) -> Ahead | Misread:
    act = _AHEAD.get(rest)
    if act is None:
        return Misread("next what: fold, check, check/fold, call, call any or none")
    return Ahead(act)


def _read_choices(rest: str) -> Prefer | Misread:
    words = rest.replace(",", " ").split()
    if words == ["none"]:
        return Prefer(())
    if not words or not set(words) <= set(Choice):
        return Misread(f"prefer what: any of {', '.join(Choice)}, or none")
    return Prefer(tuple(choice for choice in Choice if choice in words))


def _read_preset(name: str, decision: Decision | None) -> Play | Misread:
    if decision is None:
        return Misread("it is not your turn")
    bounds = decision.bet or decision.raise_to
    if bounds is None:
        return Misread(f"no bet or raise: {offer(decision)}")
    total = next((one.to for one in decision.presets if one.name == name), None)
    if total is None:
        return Misread(f"the turn offers no such bet: {offer_presets(decision)}")
    return Play(Act.BET if decision.bet else Act.RAISE, total)


def _read_act(act: str, amount: int | None, decision: Decision) -> Play | Misread:
    # Who calls nothing checks.
    stay = Play(Act.CALL if decision.call else Act.CHECK)
    if act == "fold":
        return Play(Act.FOLD)
    if act == "check" and not decision.may_check:
        return Misread(f"there is a bet: c calls {decision.call:,}, f folds")
    if act in {"check", "call"}:
        return stay
    bounds = decision.bet or decision.raise_to
    if bounds is None:
        return stay if act == "all-in" else Misread(f"no bet or raise: {offer(decision)}")
    return _read_amount(bounds.high if act == "all-in" else amount, bounds, bets=bool(decision.bet))


def _read_amount(amount: int | None, bounds: Span, *, bets: bool) -> Play | Misread:
    """Read a total; "bet" and "raise" mean the same to a person, and the turn knows which it is."""
    if amount is None:
        return Misread(f"say how much: {'b' if bets else 'r'} {bounds.low}")
    if not bounds.low <= amount <= bounds.high:
        verb = "bet" if bets else "raise to"
        return Misread(f"{verb} at least {bounds.low:,} and at most {bounds.high:,}")
    return Play(Act.BET if bets else Act.RAISE, amount)
