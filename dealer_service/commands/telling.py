"""What a person at the table is told: one event, one or a few lines of plain text.

All that comes from the dealer as free text is reduced to printable ASCII, so that no dealer can
move a reader's cursor.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dealer_service.client import (
    Acted,
    AnchorNotLogged,
    BetReturned,
    BlindsChopped,
    BoardOpened,
    CardsDealt,
    ChoicesNotSet,
    Decision,
    Disconnected,
    Event,
    GameClosed,
    HandOver,
    HandStarted,
    HandVoided,
    LinkNotGiven,
    Mucked,
    MyTurn,
    Posted,
    PotAwarded,
    Refused,
    RunsAgreed,
    Shown,
    TableChanged,
    TableView,
)
from dealer_service.commands.orders import offer, offer_presets

_RED: Final = "31"
_BOLD: Final = "1"
_DIM: Final = "2"
_WORDS: Final = {
    "seat_taken": "sits down",
    "seat_left": "leaves",
    "player_removed": "is removed by the operator",
    "chips_added": "adds chips",
    "sat_out": "sits out",
    "came_back": "is back",
}
_ACTS: Final = {
    "fold": "folds",
    "check": "checks",
    "call": "calls, {to:,} in all",
    "bet": "bets {to:,}",
    "raise": "raises to {to:,}",
}
_TIMES: Final = {2: "twice"}
_BY: Final = {
    "clock": " (by the clock)",
    "absent": " (absent)",
    "pre_action": " (chosen ahead)",
}


def plain(text: str) -> str:
    """Reduce text from elsewhere to printable ASCII."""
    return "".join(each if " " <= each <= "~" else "?" for each in text)


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, or none."""

    colour: bool

    def cards(self, cards: Iterable[str]) -> str:
        """Write cards, hearts and diamonds in red."""
        return " ".join(self._in(_RED, each) if each[1] in "dh" else each for each in cards)

    def bold(self, text: str) -> str:
        """Write what matters most."""
        return self._in(_BOLD, text)

    def dim(self, text: str) -> str:
        """Write what matters least."""
        return self._in(_DIM, text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def _tell_not_done(event: LinkNotGiven | AnchorNotLogged | ChoicesNotSet) -> list[str]:
    why = plain(event.why)
    match event:
        case LinkNotGiven(hand, _):
            return [f"your randomness is not in hand {hand}: {why}"]
        case AnchorNotLogged():
            return [f"you play on without adding randomness: {why}"]
        case ChoicesNotSet():
            return [f"what you prefer is not set in the game that goes on: {why}"]


def show_table(view: TableView, paint: Paint) -> list[str]:
    """Write the whole table: seats, chips, bets, whose turn it is, board, pots, own cards."""
    lines = [f"hand {view.hand}, {view.street}" if view.street else "between hands"]
    turn = view.decision.seat if view.decision is not None else 0
    for seat in view.seats:
        marks = [
            "button" if seat.seat == view.button else "",
            "you" if seat.seat == view.seat else "",
            seat.state if seat.state != "in" else "",
            f"bet {seat.bet:,}" if seat.bet else "",
            f"owes {owed:,}" if (owed := seat.owes_live + seat.owes_dead) else "",
            paint.cards(seat.cards) if seat.seat != view.seat else "",
            "to act" if seat.seat == turn else "",
        ]
        told = ", ".join(mark for mark in marks if mark)
        line = f"  {seat.seat:>2} {seat.player:<16} {seat.stack:>9,}  {told}".rstrip()
        lines.append(paint.bold(line) if seat.seat == view.seat else line)
    if view.board:
        lines.append(f"  board {paint.cards(view.board)}")
    if view.second_board:
        lines.append(f"  second board {paint.cards(view.second_board)}")
    for number, pot in enumerate(view.pots):
        name = "pot" if number == 0 else f"side pot {number}"
        lines.append(f"  {name} {pot.amount:,}")
    if view.cards:
        lines.append(f"  your cards {paint.cards(view.cards)}")
    return lines


def ask(decision: Decision, view: TableView, paint: Paint) -> list[str]:
    """Write what a person needs to decide, and what may be typed."""
    me = view.me
    state = [
        f"your cards {paint.cards(view.cards)}",
        f"board {paint.cards(view.board)}" if view.board else "",
        f"pot {view.pot:,}",
        f"your chips {me.stack:,}" if me is not None else "",
    ]
    lines = [f"  {', '.join(each for each in state if each)}"]
    lines.append(paint.bold(f"your turn: {offer(decision)}"))
    if decision.presets:
        lines.append(paint.dim(f"  by name: {offer_presets(decision)}"))
    if decision.bank_ms:
        lines.append(paint.dim(f"  {decision.bank_ms / 1000:g} s of it are your time bank"))
    if decision.no_raise_because:
        lines.append(paint.dim(f"  no raise: {plain(decision.no_raise_because)}"))
    return lines


class Teller:
    """Tells events in words; it remembers who sits where."""

    def __init__(self, paint: Paint) -> None:
        self._paint = paint
        self._names: dict[int, str] = {}
        self._me = 0

    def tell(self, event: Event) -> list[str]:
        """Give the lines of one event; none for what a person need not read."""
        view = getattr(event, "view", None)
        if isinstance(view, TableView):
            self._names |= {seat.seat: seat.player for seat in view.seats}
            self._me = view.seat or self._me
        lines: list[str]
        match event:
            case HandStarted(view=table):
                lines = self._tell_start(table)
            case MyTurn(decision, table):
                lines = ask(decision, table, self._paint)
            case PotAwarded():
                lines = self._tell_pot(event)
            case HandOver(view=table):
                stacks = ", ".join(f"{seat.player} {seat.stack:,}" for seat in table.seats)
                lines = [self._paint.dim(f"  chips: {stacks}")]
            case TableChanged():
                lines = self._tell_change(event)
            case HandVoided() | GameClosed() | Refused() | Disconnected():
                lines = self._tell_trouble(event)
            case LinkNotGiven() | AnchorNotLogged() | ChoicesNotSet():
                lines = _tell_not_done(event)
            case _:
                lines = self._tell_play(event)
        return lines

    def _name(self, seat: int) -> str:
        name = self._names.get(seat, f"seat {seat}")
        return f"{name} (you)" if seat == self._me else name

    def _line(self, seat: int, words: str) -> list[str]:
        return [f"  {self._name(seat)}: {words}"]

    def _tell_start(self, view: TableView) -> list[str]:
        blinds = f"{view.rules['small_blind']:,}/{view.rules['big_blind']:,}"
        taken = {seat.seat for seat in view.seats}
        # A dead button may stand where nobody sits.
        button = self._name(view.button) if view.button in taken else f"seat {view.button}, empty,"
        title = f"hand {view.hand}, blinds {blinds}, {button} on the button"
        return ["", self._paint.bold(title)]

    def _tell_play(self, event: Event) -> list[str]:
        lines: list[str] = []
        match event:
            case CardsDealt(_, cards):
                lines = [f"  your cards: {self._paint.cards(cards)}"]
            case BoardOpened(board=board, number=number):
                street = {3: "flop", 4: "turn", 5: "river"}.get(len(board), "board")
                which = "" if number == 1 else "second "
                lines = [f"  {which}{street}: {self._paint.cards(board)}"]
            case RunsAgreed(runs=runs):
                lines = [f"  all agree: the rest of the board is dealt {_TIMES.get(runs, runs)}"]
            case BlindsChopped():
                lines = ["  the blinds are chopped"]
            case Posted(seat, what, amount):
                lines = self._line(seat, f"{plain(what).replace('_', ' ')} {amount:,}")
            case Acted(_, _, seat, act, to, by):
                words = _ACTS.get(act, "acts").format(to=to)
                lines = self._line(seat, words + _BY.get(by, ""))
            case Shown(seat, cards, _):
                lines = self._line(seat, f"shows {self._paint.cards(cards)}")
            case Mucked(seat, _):
                lines = self._line(seat, "mucks")
            case BetReturned(seat, amount):
                lines = self._line(seat, f"{amount:,} goes back")
            case _:
                pass
        return lines

    def _tell_pot(self, event: PotAwarded) -> list[str]:
        name = "the pot" if event.pot == 0 else f"side pot {event.pot}"
        name = f"the {plain(event.half)} half of {name}" if event.half else name
        name += " on the second board" if event.board != 1 else ""
        lines = [self._paint.dim(f"  rake {event.rake:,}")] if event.rake else []
        for winner in event.winners:
            with_hand = f" with {plain(winner.name)}" if winner.name else ""
            best = f" ({self._paint.cards(winner.best_five)})" if winner.best_five else ""
            lines += self._line(winner.seat, f"{winner.amount:,} of {name}{with_hand}{best}")
        return lines

    def _tell_change(self, event: TableChanged) -> list[str]:
        if event.kind in {"paused", "resumed"}:
            return [f"  the game is {event.kind} by the operator"]
        words = _WORDS.get(event.kind)
        return [] if words is None else self._line(event.seat, words)

    def _tell_trouble(self, event: HandVoided | GameClosed | Refused | Disconnected) -> list[str]:
        match event:
            case HandVoided(hand, reason, missing, blamed):
                who = f" ({', '.join(missing)})" if missing else ""
                lines = [f"hand {hand} is void, no chip moved: {reason}{who}"]
                if blamed:
                    lines.append(
                        "  it calls your link missing, which was sent: your record says so"
                    )
                return lines
            case GameClosed(game, reason, following, _):
                lines = [f"game {game} is closed: {reason}"]
                if following:
                    lines.append(f"  it goes on in {following}, in the same seats")
                return lines
            case Disconnected(why):
                return [self._paint.dim(f"  not connected, trying again: {plain(why)}")]
            case Refused(reason=breach, detail=detail):
                words = f"THE DEALER BROKE THE PROTOCOL ({breach}): {plain(detail)}"
                return [self._paint.bold(words)]
