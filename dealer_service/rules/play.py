"""What players and the clock may do in the open hand of a table, and when (9.3, 9.5, 9.6).

The hand itself is `rules.hand`'s; this module knows who sits where, which hand is meant, who left,
and what is due at which time. Whatever is accepted is followed by `settle`, which gives all that
then happens without anybody's choice, acts for absent players included.
"""

from collections.abc import Sequence

from dealer_service.rules import hand as engine
from dealer_service.rules.entry import Act, Acted, By, Entry, HandEnded, Opened, OpenedCard
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.seating import held_seat
from dealer_service.rules.table import evolve
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import OpenHand, Phase, TableState


def act(  # noqa: PLR0913 - an act names the hand and the turn that it answers
    state: TableState, player: str, hand: int, turn: int, did: Act, *, to: int | None = None
) -> tuple[Acted] | Refusal:
    """Let a player act on one turn of one hand; `to` as for `hand.act`."""
    seat = held_seat(state, player)
    if isinstance(seat, Refusal):
        return seat
    opened = in_play(state, hand)
    if isinstance(opened, Refusal):
        return opened
    acted = engine.act(opened.play, seat, turn, did, to, By.PLAYER)
    return acted if isinstance(acted, Refusal) else (acted,)


def show(
    state: TableState, player: str, hand: int, cards: Sequence[OpenedCard]
) -> tuple[Opened] | Refusal:
    """Show a player's hole cards in the pause before the hand's end; `cards` by position."""
    seat = held_seat(state, player)
    if isinstance(seat, Refusal):
        return seat
    opened = in_play(state, hand)
    if isinstance(opened, Refusal):
        return opened
    shown = engine.show(opened.play, seat, cards)
    return shown if isinstance(shown, Refusal) else (shown,)


def turn_deadline(state: TableState) -> int | None:
    """Give the time from which the clock acts for the seat to act; None where none is.

    Its time bank is included.
    """
    pending = state.open.play.pending if state.open else None
    return None if pending is None else pending.began + turn_time(state)


def turn_time(state: TableState) -> int:
    """Give how long the turn that stands may take: the turn clock and the seat's time bank."""
    play = state.open.play if state.open else None
    banks = play.marks.banks if play else ()
    bank = banks[play.pending.place] if banks and play and play.pending else 0
    return state.rules.turn_ms + bank


def clock(state: TableState, at: int) -> tuple[Entry, ...] | Refusal:
    """Act for the seat whose turn has run out at the time `at`; it sits out from then on."""
    due = turn_deadline(state)
    if state.open is None or due is None:
        return Refusal(TableReason.CLOCK_RUNS, "nobody is to act")
    if at < due:
        message = f"the turn has time until {due}"
        return Refusal(TableReason.CLOCK_RUNS, message, {"until": due})
    acted = engine.clock_act(state.open.play, By.CLOCK)
    sits_out = engine.sit_out_by_clock(state.open.play, acted.seat)
    return (acted,) if sits_out is None else (acted, sits_out)


def end_time(state: TableState) -> int | None:
    """Give the time from which a hand whose pots are paid ends: the pause is over."""
    if state.open is None or state.open.play.stage is not engine.Stage.PAUSE:
        return None
    return state.open.paid_at + state.rules.pause_ms


def end_hand(state: TableState, at: int) -> tuple[HandEnded] | Refusal:
    """End the open hand once every pot is paid and the pause is over."""
    due = end_time(state)
    if state.open is None or due is None:
        message = "no hand waits for its end"
        return Refusal(TableReason.NO_HAND_OPEN, message, {"last_hand": state.hand})
    if at < due:
        message = f"players may show until {due}"
        return Refusal(TableReason.CLOCK_RUNS, message, {"until": due})
    return (engine.ending(state.open.play),)


def follow(state: TableState, cards: Sequence[OpenedCard]) -> tuple[Entry, ...]:
    """Give what happens next in the open hand without anybody's choice; `cards` by position.

    None at the decision of a player who is there, or in the pause. Fold it, and ask again: one
    entry comes at a time, so that each is folded once.
    """
    if state.open is None:
        return ()
    hand = state.open.play
    pending = hand.pending
    if pending is None:
        forced = engine.next_forced(hand, cards)
        return () if forced is None else (forced,)
    absent = hand.marks.absent
    if absent and hand.chairs[pending.place].seat in absent:
        return (engine.clock_act(hand, By.ABSENT),)
    return ()


def settle(
    state: TableState, at: int, cards: Sequence[OpenedCard]
) -> tuple[tuple[Entry, ...], TableState]:
    """Give all that `follow` leads to, folded, and the state behind it."""
    entries: list[Entry] = []
    while following := follow(state, cards):
        for entry in following:
            state = evolve(state, at, entry)
        entries += following
    return tuple(entries), state


def in_play(state: TableState, hand: int) -> OpenHand | Refusal:
    """Give the open hand of that number once it has its deck."""
    if state.open is None or hand != state.hand:
        message = f"hand {hand} is not open"
        numbers = {"hand": hand, "last_hand": state.hand}
        return Refusal(TableReason.HAND_NOT_OPEN, message, numbers)
    if state.phase is not Phase.PLAYING:
        message = f"hand {hand} has no deck yet"
        return Refusal(TableReason.DECK_AWAITED, message, {"hand": hand})
    return state.open
