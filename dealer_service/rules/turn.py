"""What may be asked of a hand, and the entry or the refusal that it gives (9.3, 9.5, 9.6).

`decision` is all that a client needs to know about a turn. `act`, `clock_act` and `show` change
nothing: their entries become part of the hand by `hand.evolve`, like every other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dealer_service.quick import maker
from dealer_service.rules.betting import Chair
from dealer_service.rules.dealing import hole_positions
from dealer_service.rules.entry import Act, Acted, By, Opened, OpenedCard, SatOut
from dealer_service.rules.raising import (
    answer,
    bound_raise,
    explain_no_raise,
    pot_if_called,
)
from dealer_service.rules.refusal import HandReason, ImpossibleEntry, Refusal
from dealer_service.rules.state import HandState, Stage

# Most acts are folds and checks that cost nothing: comparing with these answers them at once.
_FOLD, _CHECK = Act.FOLD, Act.CHECK


@dataclass(frozen=True, slots=True)
class Range:
    """Totals for the street, both ends allowed."""

    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Preset:
    """A bet or raise that a client may offer by name: its total, and what it costs more."""

    name: str
    to: int
    cost: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything about a turn; times in milliseconds since 1970.

    `call` are the chips that a call adds, 0 when nothing is owed, and `call_to` the total that it
    leads to. One of `bet` and `raise_` at most is there; with neither, `no_raise_because` says why
    in words. `presets` rise, each total once. The deadline includes `bank_ms`, the time bank.
    """

    hand: int
    turn: int
    seat: int
    may_check: bool
    call: int
    bet: Range | None
    raise_: Range | None
    no_raise_because: str
    began: int
    deadline: int
    call_to: int
    bank_ms: int
    presets: tuple[Preset, ...]


make_acted: Final = maker(Acted)
make_range: Final = maker(Range)
make_preset: Final = maker(Preset)
make_decision: Final = maker(Decision)


def decision(state: HandState) -> Decision | None:
    """Give the decision that is owed, or None where nobody is to act."""
    pending = state.pending
    if pending is None:
        return None
    chair = state.chairs[pending.place]
    betting = state.betting
    limit = state.frame.limit
    bounds = bound_raise(state.chairs, chair, betting, limit)
    offered = make_range(*bounds) if bounds else None
    why = "" if bounds else explain_no_raise(state.chairs, chair, betting, limit)[0]
    bank = state.marks.banks[pending.place] if state.marks.banks else 0
    return make_decision(
        state.frame.hand,
        betting.turn,
        chair.seat,
        not pending.call,
        pending.call,
        None if betting.to_match else offered,
        offered if betting.to_match else None,
        why,
        pending.began,
        pending.began + state.frame.rules.turn_ms + bank,
        chair.bet + pending.call,
        bank,
        _list_presets(state, chair, offered) if offered else (),
    )


def find_due(state: HandState) -> int | None:
    """Give the time from which the clock acts, the time bank included; None without a decision."""
    pending = state.pending
    if pending is None:
        return None
    banks = state.marks.banks
    return pending.began + state.frame.rules.turn_ms + (banks[pending.place] if banks else 0)


def _list_presets(state: HandState, chair: Chair, offered: Range) -> tuple[Preset, ...]:
    """List the bets or raises with a name, where they are allowed; the pot counts the call."""
    frame, betting = state.frame, state.betting
    limit, bet = frame.limit, chair.bet
    least, most = offered.min, offered.max
    named = {}
    if limit is None or not limit.bets:
        to_match = betting.to_match
        pot = pot_if_called(state.chairs, chair, betting, limit, frame.dead)
        named[to_match + pot // 2] = "half"
        named[to_match + pot * 3 // 4] = "three_quarters"
        named[to_match + pot] = "pot"
    named[least] = "min"
    if most == bet + chair.stack:
        named[most] = "all_in"
    totals = [to for to in sorted(named) if least <= to <= most]
    return tuple([make_preset(named[to], to, to - bet) for to in totals])


def act(  # noqa: PLR0911, PLR0913, PLR0917 - one refusal for each mistake; all that an act names
    state: HandState, seat: int, turn: int, act: Act, to: int | None, by: By
) -> Acted | Refusal:
    """Answer the turn of that number for a seat.

    `to` is the total for the street of a bet or raise; for other acts it may be None or 0.
    """
    frame, chairs, betting, pending = state.frame, state.chairs, state.betting, state.pending
    if pending is None:
        return Refusal(HandReason.NO_DECISION, "nobody is to act: wait for the next turn")
    chair = chairs[pending.place]
    if seat != chair.seat:
        if seat not in frame.place:
            return Refusal(
                HandReason.NOT_DEALT_IN,
                f"seat {seat} is not dealt into hand {frame.hand}: wait for the next hand",
                {"seat": seat, "hand": frame.hand},
            )
        return Refusal(
            HandReason.NOT_YOUR_TURN,
            f"seat {chair.seat} is to act: wait for the turn of seat {seat}",
            {"to_act": chair.seat, "seat": seat},
        )
    if turn != betting.turn:
        return Refusal(
            HandReason.WRONG_TURN,
            f"turn {turn} is not open: answer turn {betting.turn}",
            {"turn": turn, "open_turn": betting.turn},
        )
    if seat in state.marks.absent and by is not By.ABSENT:
        return Refusal(
            HandReason.PLAYER_GONE,
            f"the player of seat {seat} is gone, or sat out when this hand opened: the dealer acts "
            "for it until the hand has ended",
            {"seat": seat},
        )
    free = act is _FOLD or (act is _CHECK and not pending.call)
    if free and (not to or to == chair.bet):
        return make_acted(seat, act, chair.bet, by, turn)
    total = answer(chairs, betting, pending, act, to, frame.limit)
    if isinstance(total, Refusal):
        return total
    return make_acted(seat, act, total, by, turn)


def clock_act(state: HandState, by: By) -> Acted:
    """Check if nothing is owed, else fold, for the seat that is to act.

    `by` is `clock`, or `absent` for a player that is gone. Without a decision: ImpossibleEntry.
    """
    pending = state.pending
    if pending is None:
        message = "nobody is to act, so that no clock can run out"
        raise ImpossibleEntry(message)
    chair = state.chairs[pending.place]
    free = Act.FOLD if pending.call else Act.CHECK
    return Acted(chair.seat, free, chair.bet, by, state.betting.turn)


def sit_out_by_clock(state: HandState, seat: int) -> SatOut | None:
    """Give what follows an act of the clock for a seat: it sits out, unless it does so already."""
    place = state.frame.place[seat]
    if seat in state.marks.sitting_out or seat in state.marks.absent:
        return None
    return SatOut(seat, state.frame.players[place], By.CLOCK)


def show(state: HandState, seat: int, cards: Sequence[OpenedCard]) -> Opened | Refusal:
    """Show a hand in the pause before a hand ends; `cards` is the deck by position."""
    frame = state.frame
    if seat not in frame.place:
        return Refusal(
            HandReason.NOT_DEALT_IN,
            f"seat {seat} has no cards in hand {frame.hand}: only seats dealt in may show",
            {"seat": seat, "hand": frame.hand},
        )
    if state.stage is not Stage.PAUSE:
        return Refusal(
            HandReason.NOT_SHOWING_TIME,
            "hands may be shown when every pot is paid and until the hand has ended",
        )
    if any(shown.seat == seat for shown in state.layout.shown):
        return Refusal(
            HandReason.ALREADY_SHOWN,
            f"the cards of seat {seat} are open already: there is nothing more to show",
            {"seat": seat},
        )
    positions = hole_positions(len(frame.seats), frame.place[seat], frame.hole_cards)
    return Opened(
        hand=frame.hand,
        by=By.PLAYER,
        cards=tuple([cards[position] for position in positions]),
        seat=seat,
    )
