"""The table as one player sees it, folded from the log's entries and its own openings.

A `Viewer` takes what the verifier has proved and gives a frozen `TableView` when asked. It keeps
the books (stacks, bets, pots) and judges nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from dealer_service.client.lines import Body, Entry
from dealer_service.client.message import CardOpening, Decision
from dealer_service.client.refusing import ProtocolBreach, Reason

_STREETS: Final = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat: its chips behind, its bet on this street, and the cards that the viewer may see.

    `state` is a word of PROTOCOL.md 6.3, or "folded", "all_in" or "waiting" for the next hand.
    `choices` are the standing ones; what it owes it posts when it is dealt in again. `house` says
    that the player is the house's own.
    """

    seat: int
    player: str
    stack: int
    bet: int = 0
    paid: int = 0
    state: str = "waiting"
    cards: tuple[str, ...] = ()
    leaving: bool = False
    choices: tuple[str, ...] = ()
    owes_live: int = 0
    owes_dead: int = 0
    house: bool = False

    @property
    def live(self) -> bool:
        """Whether the seat is dealt in and has not folded."""
        return self.state in {"in", "absent", "all_in"}


@dataclass(frozen=True, slots=True)
class Pot:
    """Chips in the middle and the seats that can win them, the main pot first."""

    amount: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """One moment at a table; `street` is empty between hands, `seat` 0 for a watcher.

    `second_board` is there, with the cards that both share, where a hand is run twice. `rules` are
    the game's, at a tournament's table with the blinds, ante and unit of `level`, the last hand's.
    """

    game: str
    hand: int
    button: int
    street: str
    board: tuple[str, ...]
    seats: tuple[SeatView, ...]
    pots: tuple[Pot, ...]
    seat: int
    cards: tuple[str, ...]
    decision: Decision | None
    rules: Mapping[str, Any] = field(repr=False)
    paused: bool = False
    second_board: tuple[str, ...] = ()
    level: int = 0

    @property
    def me(self) -> SeatView | None:
        """The viewer's own seat."""
        return next((each for each in self.seats if each.seat == self.seat), None)

    @property
    def pot(self) -> int:
        """All chips in the middle, bets of this street among them."""
        return sum(pot.amount for pot in self.pots)


class Viewer:
    """Folds one game for one player (None: for a watcher)."""

    def __init__(self, game: str, player: str | None) -> None:
        self._game = game
        self._player = player
        self._rules: Mapping[str, Any] = {}
        self._level = 0
        self._away: set[int] = set()
        self._seats: dict[int, SeatView] = {}
        self._hand = 0
        self._button = 0
        self._board: tuple[str, ...] = ()
        self._second_board: tuple[str, ...] = ()
        self._board_dealt = 0
        self._dead = 0
        self._cards: dict[int, str] = {}
        self._before: dict[int, int] = {}
        self._in_hand = False
        self._paused = False
        self._pots: tuple[Pot, ...] = ()
        self._awarding = False
        self._told: TableView | None = None
        self.decision: Decision | None = None

    @property
    def seat(self) -> int:
        """The player's own seat, 0 without one."""
        names = (each.seat for each in self._seats.values() if each.player == self._player)
        return next(names, 0)

    def apply(self, entry: Entry) -> None:
        """Take one entry; ProtocolBreach LINE when it names a seat that nobody has."""
        handler = self._HANDLERS.get(entry.kind)
        if handler is None:
            return
        self._told = None
        try:
            handler(self, entry.body)
        except KeyError as error:
            detail = f"line {entry.index} ({entry.kind}): nobody has the seat {error}"
            raise ProtocolBreach(Reason.LINE, detail) from None

    def open_own(self, opening: CardOpening) -> None:
        """Take an opening of the player's own."""
        if opening.hand == self._hand and self._in_hand:
            self._told = None
            self._cards[opening.position] = opening.card
            if self.seat in self._seats:
                cards = tuple(self._cards[position] for position in sorted(self._cards))
                self._set(self.seat, cards=cards)

    def decide(self, decision: Decision | None) -> None:
        """Take the turn that stands now."""
        self.decision, self._told = decision, None

    def table(self) -> TableView:
        """Give the table as it stands; the same until something changes."""
        if self._told is None:
            self._told = self._tell()
        return self._told

    def _tell(self) -> TableView:
        seat = self.seat
        cards = tuple(self._cards[position] for position in sorted(self._cards))
        seats = tuple(self._seats[number] for number in sorted(self._seats))
        street = _STREETS.get(self._board_dealt, "") if self._in_hand else ""
        pots = self._pots if self._awarding else layers(seats, self._dead)
        return TableView(
            self._game,
            self._hand,
            self._button,
            street,
            self._board,
            seats,
            pots,
            seat,
            cards,
            self.decision,
            self._rules,
            self._paused,
            self._second_board,
            self._level,
        )

    def _set(self, seat: int, **changed: Any) -> None:  # noqa: ANN401 - fields of SeatView
        self._seats[seat] = replace(self._seats[seat], **changed)

    def _game_opened(self, body: Body) -> None:
        self._rules = body["rules"]
        for each in body.get("previous", {"seats": ()})["seats"]:
            state = "sitting_out" if each["sitting_out"] else "waiting"
            self._seats[each["seat"]] = SeatView(
                each["seat"],
                each["player"],
                each["stack"],
                state=state,
                house=each.get("house", False),
            )
            if each["sitting_out"]:
                self._away.add(each["seat"])

    def _seat_taken(self, body: Body) -> None:
        seat, house = body["seat"], body.get("house", False)
        self._seats[seat] = SeatView(seat, body["player"], body["stack"], house=house)
        self._away.discard(seat)

    def _seat_left(self, body: Body) -> None:
        if "stack" in body:
            del self._seats[body["seat"]]
        else:
            self._set(body["seat"], leaving=True)

    def _chips_added(self, body: Body) -> None:
        seat = body["seat"]
        self._set(seat, stack=self._seats[seat].stack + body["amount"])

    def _sat_out(self, body: Body) -> None:
        self._away.add(body["seat"])
        if not self._in_hand or self._seats[body["seat"]].state == "waiting":
            self._set(body["seat"], state="sitting_out")

    def _came_back(self, body: Body) -> None:
        self._away.discard(body["seat"])
        if self._seats[body["seat"]].state == "sitting_out":
            self._set(body["seat"], state="waiting")

    def _preferred(self, body: Body) -> None:
        self._set(body["seat"], choices=tuple(body["choices"]))

    def _pause(self, _: Body) -> None:
        self._paused = True

    def _resume(self, _: Body) -> None:
        self._paused = False

    def _hand_opened(self, body: Body) -> None:
        self._hand, self._button = body["hand"], body["button"]
        self._in_hand, self._awarding = True, False
        self._board, self._board_dealt, self._cards = (), 0, {}
        self._second_board, self._dead = (), 0
        self.decision = None
        self._seats = {each["seat"]: _seat(each) for each in body["seats"]}
        self._away = {s["seat"] for s in body["seats"] if s["state"] in {"sitting_out", "absent"}}
        if "level" in body:
            self._level, self._rules = body["level"]["level"], _rules_at(self._rules, body["level"])
        self._before = {number: seat.stack for number, seat in self._seats.items()}

    def _hand_void(self, _: Body) -> None:
        for number, stack in self._before.items():
            if number in self._seats:
                self._set(number, stack=stack)
        self._end()

    def _posted(self, body: Body) -> None:
        number, amount, what = body["seat"], body["amount"], body["what"]
        owed = {"live": "owes_live", "dead": "owes_dead"}.get(what)
        if owed is not None:
            self._set(number, **{owed: 0})
        if what == "dead" or (what == "ante" and self._rules["ante"]["kind"] == "big_blind"):
            self._dead += amount
            self._pay(number, amount, bet=0, paid=0)
        else:
            self._pay(number, amount, bet=0 if what == "ante" else amount)

    def _runs_agreed(self, _: Body) -> None:
        self._second_board = self._board

    def _dealt(self, body: Body) -> None:
        cards = sum(1 for each in body["positions"] if each.get("board") == 1)
        if cards:
            self._board_dealt += cards
            for number in self._seats:
                self._set(number, bet=0)

    def _acted(self, body: Body) -> None:
        seat = body["seat"]
        if body["act"] == "fold":
            self._set(seat, state="folded")
        else:
            self._pay(seat, body["to"] - self._seats[seat].bet)
        self.decision = None

    def _opened(self, body: Body) -> None:
        cards = tuple(each["card"] for each in body["cards"])
        if body.get("board") == 2:
            self._second_board += cards
        elif "board" in body:
            self._board += cards
        else:
            self._set(body["seat"], cards=cards)

    def _returned(self, body: Body) -> None:
        seat = self._seats[body["seat"]]
        amount = body["amount"]
        bet = max(0, seat.bet - amount)
        self._set(seat.seat, stack=seat.stack + amount, paid=seat.paid - amount, bet=bet)

    def _awarded(self, body: Body) -> None:
        if not self._awarding:
            self._pots = layers(self._seats.values(), self._dead)
            self._awarding = True
        number, above = body["pot"], self._pots[: body["pot"]]
        for pot in self._pots[number : number + 1]:
            left = pot.amount - body["amount"]
            above += (Pot(left, pot.seats),) if left > 0 else ()
        self._pots = above
        for each in body["winners"]:
            self._set(each["seat"], stack=self._seats[each["seat"]].stack + each["amount"])

    def _hand_ended(self, body: Body) -> None:
        for each in body["stacks"]:
            self._set(each["seat"], stack=each["stack"])
        self._end()

    def _colored_up(self, body: Body) -> None:
        for each in body["stacks"]:
            self._set(each["seat"], stack=each["stack"])

    def _game_closed(self, _: Body) -> None:
        self.decision = None

    def _pay(
        self, number: int, amount: int, *, bet: int | None = None, paid: int | None = None
    ) -> None:
        """Take chips from a stack; all of them are bet and paid where nothing else is said."""
        seat = self._seats[number]
        left = seat.stack - amount
        stays = "absent" if seat.state == "absent" else "in"
        self._set(
            number,
            stack=left,
            bet=seat.bet + (amount if bet is None else bet),
            paid=seat.paid + (amount if paid is None else paid),
            state=stays if left else "all_in",
        )

    def _end(self) -> None:
        self._in_hand = self._awarding = False
        self.decision = None
        self._seats = {n: seat for n, seat in self._seats.items() if not seat.leaving}
        for number, seat in self._seats.items():
            state = "sitting_out" if number in self._away else "waiting"
            self._seats[number] = replace(seat, bet=0, paid=0, state=state)
        self._dead = 0

    _HANDLERS: ClassVar[Mapping[str, Callable[["Viewer", Body], None]]] = {
        "game_opened": _game_opened,
        "seat_taken": _seat_taken,
        "seat_left": _seat_left,
        "player_removed": _seat_left,
        "chips_added": _chips_added,
        "sat_out": _sat_out,
        "came_back": _came_back,
        "preferred": _preferred,
        "paused": _pause,
        "resumed": _resume,
        "hand_opened": _hand_opened,
        "hand_void": _hand_void,
        "posted": _posted,
        "runs_agreed": _runs_agreed,
        "dealt": _dealt,
        "acted": _acted,
        "opened": _opened,
        "returned": _returned,
        "awarded": _awarded,
        "hand_ended": _hand_ended,
        "colored_up": _colored_up,
        "game_closed": _game_closed,
    }


def _seat(told: Mapping[str, Any]) -> SeatView:
    owes = told.get("owes", {})
    return SeatView(
        told["seat"],
        told["player"],
        told["stack"],
        state=told["state"],
        choices=tuple(told.get("choices", ())),
        owes_live=owes.get("live", 0),
        owes_dead=owes.get("dead", 0),
        house=told.get("house", False),
    )


def _rules_at(rules: Mapping[str, Any], level: Mapping[str, Any]) -> dict[str, Any]:
    """Give the rules by which a hand of that level is played (PROTOCOL.md 8)."""
    played = {name: value for name, value in rules.items() if name != "ante"}
    played |= {name: value for name, value in level.items() if name != "level"}
    if "limits" in rules:
        big = level["big_blind"]
        played["limits"] = {**rules["limits"], "small_bet": big, "big_bet": 2 * big}
    return played


def layers(seats: Iterable[SeatView], dead: int = 0) -> tuple[Pot, ...]:
    """Lay what the seats have paid in pots, main pot first, which gets dead money (9.6)."""
    paid = [(seat.paid, seat.seat, seat.live) for seat in seats if seat.paid]
    totals = sorted({amount for amount, _, live in paid if live})
    pots: list[Pot] = []
    below = 0
    for level in totals:
        top = max(amount for amount, _, _ in paid) if level == totals[-1] else level
        chips = sum(min(amount, top) - min(amount, below) for amount, _, _ in paid)
        who = tuple(sorted(seat for amount, seat, live in paid if live and amount >= level))
        if pots and pots[-1].seats == who:
            pots[-1] = Pot(pots[-1].amount + chips, who)
        else:
            pots.append(Pot(chips, who))
        below = level
    if dead and pots:
        pots[0] = Pot(pots[0].amount + dead, pots[0].seats)
    return tuple(pots)
