"""A whole tournament in the pure core, with its tables' hands, from its first line to its last.

`TournamentPlay` is the shell of `dealer_service.rules.tournament` without store, network or
cryptography at the tables: it asks what is due, takes it, plays hands with the real engine by
seeded chance on a clock of its own, and logs both sides. Draws are real. One seed is one event.

A `PlainTable` has shuffled decks and no chains; whoever wants real ones gives another `make_table`
with the same methods. `guests` does what players and operators may ask for, as lively as `Habits`.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from random import Random
from typing import Final, Protocol

from dealer_service.fairness.draw import draw_commitment, draw_order
from dealer_service.rules import closing, opening, play, seating, tournament_table
from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import (
    Act,
    CloseReason,
    DeckCommitted,
    Entry,
    GameOpened,
    HandEnded,
    HandLevel,
    HandOpened,
    LoggedLink,
    OpenedCard,
    RuleSet,
    SeatStack,
    VoidReason,
)
from dealer_service.rules.hand import Decision, decision
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table import evolve as evolve_table
from dealer_service.rules.table_state import TableState, is_dealt_in
from dealer_service.rules.tournament import directing, entering, hands
from dealer_service.rules.tournament.due import awaited_anchors, due, next_time, take
from dealer_service.rules.tournament.entry import (
    HandFinished,
    Seated,
    Share,
    Structure,
    TableClosed,
    TableOpened,
    TournamentEntry,
    TournamentOpened,
)
from dealer_service.rules.tournament.folding import evolve
from dealer_service.rules.tournament.state import Phase, TournamentState
from dealer_service.rules.tournament.step import DrawnOrder, Step, StepKind, Wanted
from dealer_service.rules.tournament.structure import table_rules
from dealer_service.rules.tournament.table_effects import (
    Add,
    ColorUp,
    Remove,
    Seat,
    TableEffect,
    Unseat,
    effects,
)

ORIGIN: Final = "dealer.example.com"
START: Final = 1_767_225_600_000
LINK: Final = "00" * 32
MIX: Final = "11" * 32


@dataclass(frozen=True, slots=True)
class Habits:
    """How lively an event is: each number is the chance of a thing where it may happen.

    `all_in` how often who may bet goes all-in; the rest calls, checks and folds. `late` players
    come after the start, `reenters` and `rebuys` are of those who are out of chips, `voids` is per
    hand, `stops` and `disqualifies` per hand too. `absent` sit out from the start. With `deals` the
    last players make one as soon as they may. `cancels` after so many hands, 0: never.
    """

    all_in: float = 0.15
    folds: float = 0.5
    late: int = 0
    reenters: float = 0.5
    rebuys: float = 0.5
    adds_on: float = 0.7
    voids: float = 0.0
    stops: float = 0.0
    disqualifies: float = 0.0
    absent: float = 0.0
    anchors: float = 0.0
    house: float = 0.0
    deals: bool = False
    deal_left: bool = True
    cancels: int = 0


class PlayedTable(Protocol):
    """What a table's side of the event does; `log` is all that its game tells."""

    @property
    def state(self) -> TableState:
        """The state of its game."""

    @property
    def log(self) -> list[tuple[int, Entry]]:
        """All entries with their times."""

    def give(self, at: int, entries: Sequence[Entry]) -> None:
        """Fold and log."""

    def open_hand(self, at: int, level: HandLevel, button: int | None) -> HandOpened:
        """Open a hand, and deal it as far as the first decision."""

    def play_out(self, at: int) -> None:
        """Act until the pots are paid."""

    def end_hand(self, at: int) -> HandEnded:
        """End the hand."""

    def void_hand(self, at: int) -> None:
        """End the hand before its deck, where it waits for links, or by a fault of the dealer."""

    def has_anchor(self, player: str) -> bool:
        """Say whether a player's next hand has not to wait for an anchor of its."""

    def close(self, at: int) -> tuple[int, str]:
        """Close the game; give size and root of its log then."""


MakeTable = Callable[[int, GameOpened, Random, Habits], PlayedTable]


class PlainTable:
    """A table with shuffled decks and no cryptography."""

    def __init__(self, at: int, opened: GameOpened, random: Random, habits: Habits) -> None:
        self.random, self.habits = random, habits
        self.state = evolve_table(None, at, opened)
        self.log: list[tuple[int, Entry]] = [(at, opened)]
        self.cards: list[OpenedCard] = []

    def give(self, at: int, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.state = evolve_table(self.state, at, entry)
            self.log.append((at, entry))

    def open_hand(self, at: int, level: HandLevel, button: int | None) -> HandOpened:
        (opened,) = given(opening.open_hand(self.state, at, LINK, level=level, button=button))
        assert isinstance(opened, HandOpened)
        self.give(at, (opened,))
        deck = list(CARDS)
        self.random.shuffle(deck)
        self.cards = [OpenedCard(position, card, LINK[:32]) for position, card in enumerate(deck)]
        return opened

    def play_out(self, at: int) -> None:
        assert self.state.open is not None
        links = [LoggedLink(seat, LINK) for seat in self.state.open.frozen]
        self.give(at, (DeckCommitted(self.state.hand, tuple(links), MIX, LINK),))
        self._settle(at)
        while (due_now := self._decision()) is not None:
            player = self.state.seats[due_now.seat].player
            did, to = choose(self.random, self.habits, due_now)
            acted = play.act(self.state, player, self.state.hand, due_now.turn, did, to=to)
            self.give(at, given(acted))
            self._settle(at)

    def end_hand(self, at: int) -> HandEnded:
        (ended,) = given(play.end_hand(self.state, at))
        assert isinstance(ended, HandEnded)
        self.give(at, (ended,))
        return ended

    def void_hand(self, at: int) -> None:
        reason = VoidReason.OPERATOR if self.state.voids < 2 else VoidReason.DEALER_FAULT
        self.give(at, given(opening.void_hand(self.state, at, reason, LINK, {})))

    def has_anchor(self, player: str) -> bool:
        return any(one.player == player and one.anchor for one in self.state.seats.values())

    def close(self, at: int) -> tuple[int, str]:
        self.give(at, given(closing.close_game(self.state, CloseReason.TOURNAMENT)))
        return len(self.log), LINK

    def _settle(self, at: int) -> None:
        entries, self.state = play.settle(self.state, at, self.cards)
        self.log += [(at, entry) for entry in entries]

    def _decision(self) -> Decision | None:
        return decision(self.state.open.play) if self.state.open else None


def given(answer: Sequence[Entry] | Refusal) -> Sequence[Entry]:
    """Give what the rules gave, which did not refuse."""
    assert not isinstance(answer, Refusal), answer
    return answer


def choose(random: Random, habits: Habits, due_now: Decision) -> tuple[Act, int | None]:
    """Choose an act without looking at cards."""
    luck = random.random()
    bounds = due_now.bet or due_now.raise_
    if bounds is not None and luck < habits.all_in:
        return (Act.BET if due_now.bet else Act.RAISE), bounds.max
    if due_now.may_check:
        return Act.CHECK, None
    return (Act.FOLD if random.random() < habits.folds else Act.CALL), None


class TournamentPlay:
    """An event as it runs: `state`, `log`, `tables` by number, and the clock `now`.

    `after` is called behind each unit with its entries. `run` plays to the end.
    """

    def __init__(
        self,
        structure: Structure,
        *,
        seed: int = 1,
        habits: Habits = Habits(),
        names: Sequence[str] | None = None,
        make_table: MakeTable = PlainTable,
        after: "Callable[[TournamentPlay, Sequence[TournamentEntry]], None] | None" = None,
    ) -> None:
        self.random = Random(seed)
        self.habits, self.make_table, self.after = habits, make_table, after
        self.tournament = self.random.randbytes(16).hex()
        self.now = START
        self.tables: dict[int, PlayedTable] = {}
        self.log: list[tuple[int, TournamentEntry]] = []
        self.secret = self.random.randbytes(32)
        self.held: dict[int, int] = {}
        self.hands = 0
        self._events: list[tuple[int, int, Callable[[], object]]] = []
        self._numbers = count()
        opened = TournamentOpened("cutcard/v1", ORIGIN, self.tournament, structure, self._commit(1))
        self.state: TournamentState = evolve(None, self.now, opened)
        self.log.append((self.now, opened))
        most = structure.players_max
        self.names = list(names or (f"p{number:05}" for number in range(1, most + 1)))
        self._newcomers = [f"late{number:04}" for number in range(1, habits.late + 1)]

    def run(self) -> "TournamentPlay":
        """Play from the registrations to the last line."""
        self.register_all()
        while not self.is_over:
            self.settle()
            if not self.is_over:
                self.step()
        return self

    @property
    def is_over(self) -> bool:
        """Whether the last line is there."""
        return self.state.phase is Phase.CLOSED

    def register_all(self) -> None:
        """Register everybody who is there before the start."""
        for name in self.names:
            self.register(name)

    def register(self, name: str) -> bool:
        """Register a player as its habits are; say whether it was let in."""
        structure = self.state.structure
        answer = entering.register(
            self.state,
            self.now,
            name,
            anchors=self.random.random() < self.habits.anchors,
            house=self.random.random() < self.habits.house,
            accepts_reveal=structure.rules.reveal.policy,
        )
        if isinstance(answer, Refusal):
            return False
        self.unit(answer)
        return True

    def settle(self) -> None:
        """Take all that is due now."""
        while (step := due(self.state, self.now, self.held)) is not None:
            self._take(step)

    def step(self) -> None:
        """Let the clock run until something happens."""
        times = [self._events[0][0]] if self._events else []
        own = next_time(self.state, self.held)
        if own is not None:
            times.append(own)
        assert times, "nothing is due and nothing will happen"
        self.now = max(self.now, min(times))
        while self._events and self._events[0][0] <= self.now:
            heapq.heappop(self._events)[2]()
            self.settle()

    def unit(self, entries: Sequence[TournamentEntry]) -> None:
        """Fold and log one unit, with what it does at the tables."""
        for entry in entries:
            before = self.state
            self.state = evolve(before, self.now, entry)
            self.log.append((self.now, entry))
            for effect in effects(before, entry):
                self._apply(effect)
            if isinstance(entry, TableOpened):
                self._open_table(entry)
            if isinstance(entry, Seated) and self.random.random() < self.habits.absent:
                self._sit_out(entry)
        if self.after is not None:
            self.after(self, entries)

    def later(self, wait: int, event: Callable[[], object]) -> None:
        """Let something happen after `wait` ms."""
        heapq.heappush(self._events, (self.now + wait, next(self._numbers), event))

    # What the shell does.

    def _take(self, step: Step) -> None:
        if step.kind is StepKind.START_HAND:
            self._start_hand(step.table)
        elif step.kind is StepKind.CLOSE_TABLE:
            table = self.tables[step.table]
            size, root = table.close(self.now)
            game = self.state.tables[step.table].game
            self.unit((TableClosed(step.table, game, size, root),))
        else:
            games = tuple(self.random.randbytes(16).hex() for _ in range(step.games))
            is_last = step.kind is StepKind.END
            drawn = self._draw(step.draw) if step.draw else None
            if is_last:
                drawn = DrawnOrder(self.secret.hex())
            self.unit(take(self.state, self.now, step, drawn, games))
            if step.kind is StepKind.START:
                self._expect_late()

    def _draw(self, wanted: Wanted) -> DrawnOrder:
        state, secret, number = self.state, self.secret, self.state.next_draw
        order = draw_order(
            ORIGIN,
            bytes.fromhex(self.tournament),
            number,
            secret,
            bytes.fromhex(state.next_commitment),
            wanted.items,
        )
        self.secret = self.random.randbytes(32)
        return DrawnOrder(secret.hex(), order, self._commit(number + 1))

    def _commit(self, draw: int) -> str:
        return draw_commitment(ORIGIN, bytes.fromhex(self.tournament), draw, self.secret).hex()

    def _open_table(self, entry: TableOpened) -> None:
        rules: RuleSet = table_rules(self.state.structure, self.tournament, entry.table)
        opened = GameOpened("cutcard/v1", ORIGIN, entry.game, rules)
        random = Random(self.random.getrandbits(64))
        self.tables[entry.table] = self.make_table(self.now, opened, random, self.habits)

    def _apply(self, effect: TableEffect) -> None:
        table = self.tables[effect.table]
        state = table.state
        match effect:
            case Seat():
                answer = tournament_table.seat(
                    state, effect.player, effect.seat, effect.stack, effect.house
                )
            case Unseat():
                answer = tournament_table.unseat(state, effect.player)
            case Remove():
                answer = tournament_table.remove(state, effect.player)
            case Add():
                answer = tournament_table.add(state, effect.player, effect.amount)
            case ColorUp():
                stacks = {one.seat: one.stack for one in effect.stacks}
                answer = tournament_table.color_up(state, effect.unit, stacks)
        table.give(self.now, given(answer))
        self._hold(effect.table)

    def _sit_out(self, entry: Seated) -> None:
        table = self.tables[entry.table]
        table.give(self.now, given(seating.sit_out(table.state, entry.player)))

    def _hold(self, number: int) -> None:
        awaited = awaited_anchors(self.state, number)
        table = self.tables[number]
        times = [until for name, until in awaited.items() if not table.has_anchor(name)]
        self.held.pop(number, None)
        if times:
            self.held[number] = max(times)

    def _start_hand(self, number: int) -> None:
        table = self.tables[number]
        level, button = hands.hand_terms(self.state, number)
        opened = table.open_hand(self.now, level, button)
        self.unit(hands.hand_started(self.state, self.now, number, opened))
        self.held.pop(number, None)
        self.hands += 1
        if self.random.random() < self.habits.voids:
            self.later(self.random.randint(1_000, 5_000), lambda: self._void(number))
        else:
            self.later(self.random.randint(5_000, 60_000), lambda: self._play(number))

    def _void(self, number: int) -> None:
        table = self.tables[number]
        state = table.state
        stacks = [
            SeatStack(seat, one.stack)
            for seat, one in state.seats.items()
            if is_dealt_in(state, seat)
        ]
        table.void_hand(self.now)
        self._finish(number, stacks, void=True)

    def _play(self, number: int) -> None:
        self.tables[number].play_out(self.now)
        self.later(self.state.structure.rules.pause_ms, lambda: self._end(number))

    def _end(self, number: int) -> None:
        self._finish(number, self.tables[number].end_hand(self.now).stacks, void=False)

    def _finish(self, number: int, stacks: Sequence[SeatStack], *, void: bool) -> None:
        hand = self.state.tables[number].hand
        self.unit(
            hands.finish_hand(self.state, self.now, number, hand, void=void, stacks=tuple(stacks))
        )
        self._hold(number)
        self._ask(number)

    # What players and the operator ask.

    def _expect_late(self) -> None:
        for name in self._newcomers:
            self.later(self.random.randint(1_000, 1_200_000), partial(self._come, name))

    def _come(self, name: str) -> None:
        if not self.register(name) and self.state.registration_open:
            self.later(30_000, lambda: self._come(name))

    def _ask(self, number: int) -> None:
        """Let things happen behind a hand, before what is due is done."""
        self._buy(number)
        self._enter_again()
        dice, habits = self.random, self.habits
        seats = [*self.state.tables[number].seats.values()]
        if seats and dice.random() < habits.disqualifies:
            self.ask(directing.disqualify(self.state, self.now, dice.choice(seats).player))
        if seats and self._are_all_gone():
            # The blinds would go round among them for ever.
            self.ask(directing.disqualify(self.state, self.now, seats[0].player))
        if dice.random() < habits.stops and self.ask(directing.stop(self.state, self.now)):
            self.later(300_000, lambda: self.ask(directing.resume(self.state, self.now)))
        if habits.deals:
            self._deal()
        if habits.cancels and self.hands >= habits.cancels:
            self._cancel()

    def _are_all_gone(self) -> bool:
        """Say whether everybody sits out wherever a hand can be played."""
        return all(
            seat.sitting_out
            for table in self.state.open_tables
            if len(table.with_chips) > 1
            for seat in self.tables[table.table].state.seats.values()
        )

    def _buy(self, number: int) -> None:
        dice, habits = self.random, self.habits
        for name in [*self.state.lost]:
            if dice.random() < habits.rebuys:
                self.ask(entering.rebuy(self.state, self.now, name))
            elif dice.random() < habits.rebuys:
                self.ask(entering.decline_rebuy(self.state, self.now, name))
        if self.state.structure.add_on is not None:
            for seat in [*self.state.tables[number].seats.values()]:
                if dice.random() < habits.adds_on:
                    self.ask(entering.add_on(self.state, self.now, seat.player))

    def _enter_again(self) -> None:
        late = self.state.structure.late
        if late is not None and late.reentries:
            for bust in self.state.busted:
                if self.random.random() < self.habits.reenters:
                    self.register(bust.player)

    def _cancel(self) -> None:
        self.ask(directing.stop(self.state, self.now))
        if self.state.all_between_hands:
            self.settle()
            self.ask(directing.cancel(self.state, self.now, self.secret.hex()))

    def _deal(self) -> None:
        self.settle_without_hands()
        state = self.state
        if directing.refuse_deal_now(state) is not None or not state.all_between_hands:
            return
        players = sorted(name for name, one in state.entrants.items() if one.is_in)
        whole = directing.still_to_win(state)
        left = whole // 10 if self.habits.deal_left else 0
        each, over = divmod(whole - left, len(players))
        shares = tuple(Share(name, each + (place < over)) for place, name in enumerate(players))
        self.ask(directing.agree_deal(state, self.now, shares, left))

    def settle_without_hands(self) -> None:
        """Take all that is due but a hand's start."""
        while (step := due(self.state, self.now, self.held)) is not None:
            if step.kind is StepKind.START_HAND:
                return
            self._take(step)

    def ask(self, answer: "Sequence[TournamentEntry] | Refusal") -> bool:
        """Take what was answered; say whether it was no refusal."""
        if isinstance(answer, Refusal):
            return False
        self.unit(answer)
        return True


def finished_hands(play_of: TournamentPlay) -> int:
    """Count the hands that ended, voids left out."""
    return sum(isinstance(one, HandFinished) and not one.void for _, one in play_of.log)
