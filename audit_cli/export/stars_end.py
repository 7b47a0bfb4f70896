"""The end of a hand as PokerStars writes it: showdown, what was collected, the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.export.money import prize_money
from audit_cli.export.stars_text import amount, ordinal
from audit_cli.export.stars_words import describe
from audit_cli.told.events import Act, Acted, Awarded, Mucked, Posted, Shown, Street

if TYPE_CHECKING:
    from collections.abc import Iterator

    from audit_cli.export.money import Money
    from audit_cli.told.hand import Finish, Hand, Seat

_SECTIONS = ("FIRST ", "SECOND ")
_STREETS = {
    Street.PREFLOP: "before Flop",
    Street.FLOP: "on the Flop",
    Street.TURN: "on the Turn",
    Street.RIVER: "on the River",
}


def showdown(hand: Hand, money: Money) -> Iterator[str]:
    """Give the lines from the showdown up to the summary."""
    opened, late = _openings(hand)
    if opened:
        for board in range(1, len(hand.boards) + 1):
            section = _SECTIONS[board - 1] if len(hand.boards) > 1 else ""
            yield f"*** {section}SHOW DOWN ***"
            yield from (_opening(hand, event, board) for event in opened)
            yield from _collected(hand, board, money)
    else:
        yield from _collected(hand, 1, money)
        yield from _silent(hand)
    yield from (_opening(hand, event, 1) for event in late)
    if hand.tournament is not None:
        prizes = prize_money(hand.tournament)
        yield from (_finish(finish, prizes) for finish in hand.tournament.finished)


def _openings(hand: Hand) -> tuple[list[Shown | Mucked], list[Shown | Mucked]]:
    """Return what was shown and mucked at the showdown, and what by who won without one.

    Who mucked and showed when all was paid, shows in its turn; who had folded shows with the fold.
    """
    opened: dict[int, Shown | Mucked] = {}
    late: list[Shown | Mucked] = []
    # Nothing is paid where all that there was goes back, as no small blind was posted.
    paid = len(hand.order) - len(hand.folded) == 1
    for event in hand.events:
        paid = paid or isinstance(event, Awarded)
        if isinstance(event, (Shown, Mucked)) and event.seat not in hand.folded:
            if paid and event.seat not in opened:
                late.append(event)
            else:
                opened[event.seat] = event
    return list(opened.values()), late


def _opening(hand: Hand, event: Shown | Mucked, board: int) -> str:
    name = hand.seat(event.seat).player
    if isinstance(event, Mucked):
        return f"{name}: mucks hand"
    made = describe(hand, event.cards, hand.boards[board - 1])
    return f"{name}: shows [{' '.join(event.cards)}] ({made})"


def _collected(hand: Hand, board: int, money: Money) -> Iterator[str]:
    for event in hand.events:
        if isinstance(event, Awarded) and event.board == board:
            pot = _pot_name(event.pot, len(hand.pots))
            for winner in event.winners:
                if winner.amount:
                    name = hand.seat(winner.seat).player
                    yield f"{name} collected {amount(winner.amount, money)} from {pot}"


def _pot_name(number: int, pots: int) -> str:
    if pots == 1:
        return "pot"
    if number == 0:
        return "main pot"
    return "side pot" if pots == 2 else f"side pot-{number}"


def _silent(hand: Hand) -> Iterator[str]:
    """Say of who won without a showdown that its cards were not shown, if they were not."""
    for seat in hand.seats:
        if seat.won and seat.seat not in hand.shown:
            yield f"{seat.player}: doesn't show hand"


def _finish(finish: Finish, money: Money) -> str:
    prize = amount(finish.prize, money)
    if finish.place == 1:
        won = f" and receives {prize} - congratulations!" if finish.prize else ""
        return f"{finish.player} wins the tournament{won}"
    place = f"{finish.player} finished the tournament in {ordinal(finish.place)} place"
    return f"{place} and received {prize}." if finish.prize else place


def summary(hand: Hand, money: Money) -> Iterator[str]:
    """Give the lines of the summary, below its heading."""
    rake = amount(hand.rake, money)
    yield f"Total pot {amount(hand.total, money)}{_pots(hand, money)} | Rake {rake}"
    if len(hand.boards) > 1:
        yield "Hand was run twice"
        for section, board in zip(_SECTIONS, hand.boards, strict=True):
            yield f"{section}Board [{' '.join(board)}]"
    elif hand.boards[0]:
        yield f"Board [{' '.join(hand.boards[0])}]"
    for seat in hand.seats:
        if seat.dealt_in:
            yield f"Seat {seat.seat}: {seat.player}{_marks(hand, seat)} {_fate(hand, seat, money)}"


def _pots(hand: Hand, money: Money) -> str:
    """Name what each pot held less its rake, where there are several."""
    if len(hand.pots) < 2:
        return ""
    names = [_pot_name(pot.number, len(hand.pots)).capitalize() for pot in hand.pots]
    held = [amount(pot.amount - pot.rake, money) for pot in hand.pots]
    return " " + " ".join(f"{name} {chips}." for name, chips in zip(names, held, strict=True))


def _marks(hand: Hand, seat: Seat) -> str:
    marks = (
        (hand.button, "button"),
        (hand.small_blind, "small blind"),
        (hand.big_blind, "big blind"),
    )
    return "".join(f" ({mark})" for place, mark in marks if place == seat.seat)


def _fate(hand: Hand, seat: Seat, money: Money) -> str:
    if seat.seat in hand.folded:
        return _folded(hand, seat)
    if seat.seat in hand.shown and seat.holes is not None:
        return f"showed [{' '.join(seat.holes)}] and {_results(hand, seat, money)}"
    if seat.won:
        return f"collected ({amount(seat.won, money)})"
    return "mucked" if seat.holes is None else f"mucked [{' '.join(seat.holes)}]"


def _results(hand: Hand, seat: Seat, money: Money) -> str:
    """Say what shown cards won or lost by, on each board."""
    assert seat.holes is not None
    results = []
    for number, board in enumerate(hand.boards, 1):
        won = _won(hand, seat.seat, number)
        result = f"won ({amount(won, money)})" if won else "lost"
        results.append(f"{result} with {describe(hand, seat.holes, board)}")
    return ", and ".join(results)


def _won(hand: Hand, seat: int, board: int) -> int:
    return sum(
        winner.amount
        for event in hand.events
        if isinstance(event, Awarded) and event.board == board
        for winner in event.winners
        if winner.seat == seat
    )


def _folded(hand: Hand, seat: Seat) -> str:
    acts = [event for event in hand.events if isinstance(event, Acted) and event.seat == seat.seat]
    street = next(event.street for event in acts if event.act is Act.FOLD)
    bet = any(event.amount for event in acts) or any(
        isinstance(event, Posted) and event.bet and event.seat == seat.seat for event in hand.events
    )
    idle = " (didn't bet)" if street is Street.PREFLOP and not bet else ""
    return f"folded {_STREETS[street]}{idle}"
