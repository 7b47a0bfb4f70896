"""One hand, entry by entry: what is due next by the rules (protocol 9).

`Hand.due` names the one thing that has to come next; the methods take what came, as it is logged,
and move on. Whether what came is what was due is for the caller to compare, so that a log that
breaks a rule in one entry can be followed further.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.poker.betting import Betting
from audit_cli.poker.positions import clockwise
from audit_cli.poker.pots import Pot, find_uncalled, layer_pots, spread_rake
from audit_cli.poker.shares import Shown, share_pots
from audit_cli.poker.showdown import Against, best_shown, order_showing, wins_or_ties

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from audit_cli.poker.ranking import Strength
    from audit_cli.poker.rules import HandRules, Positions
    from audit_cli.poker.shares import Award

# How many board cards follow a board of so many, with one burn before them.
BOARD_STEPS = {0: 3, 3: 1, 4: 1}
BOARD_CARDS = 5
DECK_CARDS = 52
RIVER = 3
STREETS = ("before the flop", "flop", "turn", "river")


class Step(Enum):
    """What can be due."""

    POST = "a post"
    HOLE_CARDS = "the dealing of the hole cards"
    BOARD_CARDS = "the dealing of the board"
    BOARD_OPENED = "the opening of the board"
    ACT = "an act"
    RETURN = "the return of a bet"
    SHOW = "the opening of a hand by rule"
    SHOW_OR_MUCK = "the opening or the muck of a hand by policy"
    RUNS = "the agreement to run it twice"
    AWARD = "the award of a pot"
    END = "the end of the hand"


class Due(NamedTuple):
    """The next step, with its seat (0: none) and amount (chips, or cards).

    `what` is the word of a post, `board` the board that is dealt or opened, or 0.
    """

    step: Step
    seat: int = 0
    amount: int = 0
    what: str = ""
    board: int = 0

    def __str__(self) -> str:
        """Say the step in words."""
        words = self.what.replace("_", " ") if self.what else self.step.value
        if self.seat:
            words = f"{words}, seat {self.seat}"
        if self.step in (Step.POST, Step.RETURN):
            words = f"{words}, {self.amount}"
        if self.board > 1:
            words = f"{words}, board {self.board}"
        return words


_new = tuple.__new__
_HOLE_CARDS, _AWARD, _END = Due(Step.HOLE_CARDS), Due(Step.AWARD), Due(Step.END)
# A turn of each seat: most of what is due.
TURNS = {seat: Due(Step.ACT, seat) for seat in range(11)}
_NOBODY_OWES: dict[int, tuple[int, int]] = {}


class Hand:
    """The state of a hand. `at` arguments are the times of entries, in milliseconds.

    `owes` is what seats post besides the blinds, as (live, dead). `chosen(seat, word)` tells
    whether a standing choice of a seat counts at the moment.
    """

    __slots__ = (
        "_aggressor",
        "_awards",
        "_blinds",
        "_chosen",
        "_flop",
        "_plain",
        "_posts",
        "_queue",
        "_seen",
        "_weighed",
        "at",
        "betting",
        "board",
        "boards",
        "due",
        "holes",
        "order",
        "pots",
        "rules",
        "runs_out",
        "shown",
        "street",
        "turn",
        "turn_began",
    )

    def __init__(
        self,
        stacks: Mapping[int, int],
        at: Positions,
        rules: HandRules,
        owes: Mapping[int, tuple[int, int]] = _NOBODY_OWES,
        chosen: Callable[[int, str], bool] = lambda _seat, _word: False,
    ) -> None:
        self.order = clockwise(stacks, at.button)
        self.betting = Betting(self.order, stacks, rules)
        self.at = at
        self.rules = rules
        self._chosen = chosen
        self.street = 0
        self.turn = 0
        self.turn_began = 0
        # The boards, of which the first is the only one unless it is run twice; the one dealt to.
        self.boards: list[list[int]] = [[]]
        self.board = 1
        self.holes: dict[int, tuple[int, ...]] = {}
        self.shown: list[int] = []
        self.pots: tuple[Pot, ...] = ()
        self.runs_out = False
        self._flop = False
        self._aggressor: int | None = None
        self._queue: tuple[int, ...] = ()
        self._awards: list[Award] = []
        # The strengths of hands shown when the only board was whole.
        self._seen = Shown({}, {})
        # The hand that was weighed last, with its high and its low.
        self._weighed: tuple[Sequence[int], Strength, Strength | None] | None = None
        self._posts = self._plan_posts(owes)
        # What was posted of the blinds and the straddle.
        self._blinds = 0
        # Whether nothing but blinds and antes was posted.
        self._plain = at.straddle is None
        self._find_post()

    # The posts.

    def _plan_posts(self, owes: Mapping[int, tuple[int, int]]) -> list[tuple[int, str, int]]:
        """List who posts what, as (seat, word, amount in full), the first one last."""
        at, rules = self.at, self.rules
        posts: list[tuple[int, str, int]] = []
        kind, ante = rules.ante or ("", 0)
        if kind == "each":
            posts += [(seat, "ante", ante) for seat in self.order]
        if at.small_blind is not None:
            posts.append((at.small_blind, "small_blind", rules.small_blind))
        posts.append((at.big_blind, "big_blind", rules.big_blind))
        if at.straddle is not None:
            posts.append((at.straddle, "straddle", 2 * rules.big_blind))
        if owes:
            for seat in self.order:
                if seat in owes and seat != at.big_blind:
                    live, dead = owes[seat]
                    posts += [(seat, "dead", dead), (seat, "live", live)]
        if kind == "big_blind":
            posts.append((at.big_blind, "ante", ante))
        posts.reverse()
        return posts

    def _find_post(self) -> None:
        """Find the next post; where there is none, the hole cards are due."""
        stacks = self.betting.stacks
        while self._posts:
            seat, what, amount = self._posts.pop()
            if what == "live":
                amount = min(amount, self.rules.big_blind - self.betting.bets[seat])
            amount = min(amount, stacks[seat])
            if amount > 0:
                self.due = _new(Due, (Step.POST, seat, amount, what, 0))
                return
        self.betting.begin(self.at, self._blinds)
        self.due = _HOLE_CARDS

    def post(self, seat: int, amount: int) -> None:
        """Take a post that is due, whoever paid it."""
        what = self.due.what
        if what in _BETS:
            self.betting.post(seat, amount)
            if what == "live":
                self._plain = False
            else:
                self._blinds += amount
        elif what == "dead" or (self.rules.ante and self.rules.ante[0] == "big_blind"):
            self.betting.pay_dead(seat, amount)
            self._plain = self._plain and what == "ante"
        else:
            self.betting.pay_ante(seat, amount)
        self._find_post()

    # Cards.

    def deal(self, at: int) -> None:
        """Take the dealing of the hole cards or the next board cards."""
        if self.due.step is Step.HOLE_CARDS:
            self._find_turn(at)
            return
        if self.board == 1:
            self.street += 1
        self._flop = True
        self.due = _new(Due, (Step.BOARD_OPENED, 0, self.due.amount, "", self.board))

    def open_board(self, cards: Sequence[int], at: int) -> None:
        """Board cards were opened."""
        self.boards[self.board - 1] += cards
        if self.runs_out:
            self._run_out()
        else:
            self.betting.start_street(self.street)
            self._find_turn(at)

    # Acts.

    def fold(self, seat: int, at: int) -> None:
        """Take a fold."""
        self.betting.fold(seat)
        self._find_turn(at)

    def match(self, seat: int, to: int, at: int) -> None:
        """Take a check or a call: the seat has bet `to` on this street."""
        self.betting.match(seat, to)
        self._find_turn(at)

    def raise_to(self, seat: int, to: int, at: int) -> None:
        """Take a bet or a raise to `to`."""
        self.betting.raise_to(seat, to)
        self._find_turn(at)

    def _find_turn(self, at: int) -> None:
        betting = self.betting
        seat = betting.next_seat()
        if seat is not None:
            self.turn += 1
            self.turn_began = at
            self.due = TURNS.get(seat) or Due(Step.ACT, seat)
            return
        if self.street < RIVER and betting.count_live() > 1 and betting.count_with_chips() > 1:
            self._deal_board()
            return
        self._aggressor = betting.aggressor
        uncalled = find_uncalled(betting.totals, betting.live)
        if uncalled is None:
            self._count_pots()
        else:
            self.due = Due(Step.RETURN, *uncalled)

    def _deal_board(self) -> None:
        cards = BOARD_STEPS[len(self.boards[self.board - 1])]
        self.due = _new(Due, (Step.BOARD_CARDS, 0, cards, "", self.board))

    # Chopping the blinds.

    def chops(self) -> tuple[int, ...]:
        """Return the two blinds, rising, if they chop in this turn by their choices, else none."""
        small, big = self.at.small_blind, self.at.big_blind
        if small is None or not (self.rules.chop and self._plain and self.blinds_alone()):
            return ()
        if not (self._chosen(small, "chop") and self._chosen(big, "chop")):
            return ()
        return tuple(sorted((small, big)))

    def blinds_alone(self) -> bool:
        """Whether before the flop only the blinds are left, nobody having bet, the small to act."""
        return (
            self.street == 0
            and self.due.step is Step.ACT
            and self.due.seat == self.at.small_blind
            and self.betting.aggressor is None
            and set(self.betting.live) == {self.at.small_blind, self.at.big_blind}
        )

    def chop(self) -> None:
        """Take the chop: the blinds go back, small one first."""
        self._queue = tuple(
            seat
            for seat in (self.at.small_blind, self.at.big_blind)
            if seat is not None and self.betting.bets[seat]
        )
        self._return_blind()

    def _return_blind(self) -> None:
        if self._queue:
            seat = self._queue[0]
            self.due = Due(Step.RETURN, seat, self.betting.bets[seat])
            return
        lying = sum(self.betting.totals.values()) + self.betting.dead
        self.pots = (Pot(lying, (self.at.big_blind,)),) if lying else ()
        self._start_awards()

    # The end.

    def give_back(self, seat: int, amount: int) -> None:
        """Take back a bet that was returned: the uncalled one, or a chopped blind."""
        self.betting.give_back(seat, amount)
        if self._queue:
            self._queue = self._queue[1:]
            self._return_blind()
        else:
            self._count_pots()

    def _count_pots(self) -> None:
        live = self.betting.live
        self.pots = layer_pots(self.betting.totals, live, self.betting.dead)
        if len(live) == 1:
            self._start_awards()
            return
        self._queue = order_showing(self.pots, self._aggressor)
        self.runs_out = any(not self.betting.stacks[seat] for seat in live)
        self._ask_next()

    def against(self, seat: int) -> Against:
        """Return what the hand of `seat` has to win or tie to be opened (protocol 9.6)."""
        high = best_shown(self.pots, seat, self._seen.high)
        if not self.rules.game.hi_lo:
            return Against(high)
        return Against(high, best_shown(self.pots, seat, self._seen.low))

    def by_policy(self, cards: Sequence[int], against: Against) -> bool:
        """Whether these hole cards are opened by policy, against what was shown before."""
        if self.rules.show_all:
            return True
        game, board = self.rules.game, self.boards[0]
        high, low = game.high(cards, board), game.low(cards, board)
        self._weighed = (cards, high, low)
        return wins_or_ties(high, low, against)

    def shows_by_choice(self, seat: int) -> bool:
        """Whether a hand that wins nothing is opened all the same, by its player's choice."""
        return self._chosen(seat, "show")

    def _measure(self, seat: int, board: Sequence[int], shown: Shown) -> None:
        """Measure the hand that a seat has shown, on a whole board."""
        game, holes = self.rules.game, self.holes[seat]
        shown.high[seat] = game.high(holes, board)
        if game.hi_lo:
            low = game.low(holes, board)
            if low is not None:
                shown.low[seat] = low

    def show(self, seat: int, cards: Sequence[int]) -> None:
        """Take a hand that was opened by rule, by policy or by choice."""
        self.holes[seat] = tuple(cards)
        self.shown.append(seat)
        if self._weighed is not None and self._weighed[0] is cards:
            _, self._seen.high[seat], low = self._weighed
            if low is not None:
                self._seen.low[seat] = low
        elif len(self.boards[0]) == BOARD_CARDS:
            self._measure(seat, self.boards[0], self._seen)
        self._next_in_queue()

    def muck(self) -> None:
        """Take the muck of the hand that was due."""
        self._next_in_queue()

    def _next_in_queue(self) -> None:
        self._queue = self._queue[1:]
        self._ask_next()

    def _ask_next(self) -> None:
        """Ask the next seat to show; there is none where nobody has put in a chip."""
        if self._queue:
            self.due = Due(Step.SHOW if self.runs_out else Step.SHOW_OR_MUCK, self._queue[0])
        elif not self.runs_out:
            self._start_awards()
        elif self._runs_twice():
            self.due = Due(Step.RUNS)
        else:
            self._run_out()

    def _runs_twice(self) -> bool:
        """Whether all live seats have chosen to run it twice, and there are cards for it."""
        if not self.rules.runs or len(self.boards[0]) == BOARD_CARDS:
            return False
        live = self.betting.live
        if not all(self._chosen(seat, "runs") for seat in live):
            return False
        open_cards, burns_to_come = len(self.boards[0]), RIVER - self.street
        dealt = len(self.order) * self.rules.game.hole_cards + open_cards + self.street
        rest = BOARD_CARDS - open_cards + burns_to_come
        return dealt + 2 * rest <= DECK_CARDS

    def may_run_on(self) -> bool:
        """Whether the rest of the only board is to be dealt to hands that are all open."""
        return self.runs_out and self.due.step is Step.BOARD_CARDS and len(self.boards) == 1

    def run_twice(self) -> None:
        """Take the agreement: what is open so far is part of both boards."""
        self.boards.append(list(self.boards[0]))
        self._run_out()

    def _run_out(self) -> None:
        while len(self.boards[self.board - 1]) == BOARD_CARDS:
            if self.board == len(self.boards):
                self._start_awards()
                return
            self.board += 1
        self._deal_board()

    def _start_awards(self) -> None:
        rakes: tuple[int, ...] = (0,) * len(self.pots)
        if self.rules.rake is not None:
            lying = sum(pot.amount for pot in self.pots)
            rake = self.rules.rake.amount(lying, len(self.order), flop=self._flop)
            rakes = spread_rake(self.pots, rake)
        self._awards = share_pots(self.pots, rakes, self._measure_all(), self.rules)
        self._next_award()

    def _measure_all(self) -> tuple[Shown, ...]:
        """Return the strengths of the hands that were shown, on each board."""
        if len(self._seen.high) == len(self.holes):
            # All were shown when the board was whole.
            return (self._seen,)
        seen = tuple(Shown({}, {}) for _ in self.boards)
        for board, shown in zip(self.boards, seen, strict=True):
            for seat in self.holes:
                self._measure(seat, board, shown)
        return seen

    def _next_award(self) -> None:
        self.due = _AWARD if self._awards else _END

    def pay(self) -> Award:
        """Return what has to be paid next, and to whom."""
        return self._awards[0]

    def award(self, shares: Mapping[int, int]) -> None:
        """Pay out as `shares` say."""
        for seat, amount in shares.items():
            if seat in self.betting.stacks:
                self.betting.stacks[seat] += amount
        self._awards = self._awards[1:]
        self._next_award()


_BETS = frozenset({"small_blind", "big_blind", "straddle", "live"})
