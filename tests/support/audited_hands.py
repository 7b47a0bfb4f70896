"""Hands of rule cases and recorded hands, through the audit's own engine."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from audit_cli.derive import CARD_NUMBERS
from audit_cli.poker.games import HOLDEM, Game
from audit_cli.poker.hand import BOARD_CARDS, Hand, Step
from audit_cli.poker.positions import place_blinds
from audit_cli.poker.pots import Pot
from audit_cli.poker.rules import HandRules, Limits, Positions, Rake, Structure
from audit_cli.poker.shares import Award

STREETS = ("preflop", "flop", "turn", "river")
STRUCTURES = {
    "nlh": Structure.NO_LIMIT,
    "plh": Structure.POT_LIMIT,
    "flh": Structure.FIXED_LIMIT,
    "plo": Structure.POT_LIMIT,
}
OMAHA = Game(4, two_count=True, hi_lo=False)


@dataclass(slots=True)
class PlayedHand:
    """A hand with the cards that it will show, and what came out of it.

    A seat without hole cards mucks at a showdown. `boards` are whole ones; any cards not named
    are dealt from what is left of the deck.
    """

    hand: Hand
    hole: Mapping[int, Sequence[int]]
    boards: list[list[int]]
    returned: dict[int, int] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    mucked: list[int] = field(default_factory=list)
    awards: list[Award] = field(default_factory=list)
    pots: tuple[Pot, ...] = ()
    posts: list[tuple[str, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        known = {*chain.from_iterable(self.hole.values()), *chain.from_iterable(self.boards)}
        rest = (card for card in range(52) if card not in known)
        for board in self.boards:
            while len(board) < BOARD_CARDS:
                board.append(next(rest))
        while self.hand.due.step is Step.POST:
            due = self.hand.due
            self.posts.append((due.what, due.seat, due.amount))
            self.hand.post(due.seat, due.amount)
        self.hand.deal(0)
        self.settle()

    def settle(self) -> None:
        """Go on until a seat has to act or the hand is over."""
        hand = self.hand
        while hand.due.step not in {Step.ACT, Step.END}:
            due = hand.due
            match due.step:
                case Step.BOARD_CARDS:
                    hand.deal(0)
                case Step.BOARD_OPENED:
                    at = len(hand.boards[due.board - 1])
                    hand.open_board(self.boards[due.board - 1][at : at + due.amount], 0)
                case Step.RETURN:
                    self.returned[due.seat] = due.amount
                    hand.give_back(due.seat, due.amount)
                case Step.SHOW | Step.SHOW_OR_MUCK:
                    self._show(due.seat)
                case Step.RUNS:
                    hand.run_twice()
                case _:
                    self.pots = hand.pots
                    award = hand.pay()
                    self.awards.append(award)
                    hand.award(award.shares)

    def _show(self, seat: int) -> None:
        hand, cards = self.hand, self.hole.get(seat)
        self.order.append(seat)
        by_rule = hand.due.step is Step.SHOW
        if cards and (by_rule or hand.by_policy(cards, hand.against(seat))):
            hand.show(seat, cards)
        else:
            self.mucked.append(seat)
            hand.muck()

    def allows(self, seat: int, act: str, to: int | None) -> bool:
        """Whether a seat may act so now; without a total it is what the act says by itself."""
        if self.hand.due.step is not Step.ACT or self.hand.due.seat != seat:
            return False
        return self.hand.betting.allows(seat, act, self._total(seat, act, to))

    def _total(self, seat: int, act: str, to: int | None) -> int:
        if to is not None:
            return to
        decision = self.hand.betting.decide(seat)
        return decision.bet + (decision.call if act == "call" else 0)

    def act(self, seat: int, act: str, to: int | None = None) -> None:
        """Act, which has to be allowed, and go on."""
        due = self.hand.due
        assert self.allows(seat, act, to), (
            f"seat {seat} {act} {to} is refused: {due}, "
            f"{self.hand.betting.decide(due.seat) if due.step is Step.ACT else ''}"
        )
        total = self._total(seat, act, to)
        if act == "fold":
            self.hand.fold(seat, 0)
        elif act in {"check", "call"}:
            self.hand.match(seat, total, 0)
        else:
            self.hand.raise_to(seat, total, 0)
        self.settle()

    @property
    def paid(self) -> list[dict[str, Any]]:
        """The pots, main pot first, less their rake, with what each winner got of all parts."""
        pots: list[dict[str, Any]] = []
        for number, pot in enumerate(self.pots):
            parts = [award for award in self.awards if award.pot == number]
            winners: dict[int, int] = {}
            for award in parts:
                for seat, amount in award.shares.items():
                    winners[seat] = winners.get(seat, 0) + amount
            amount = sum(award.amount - award.rake for award in parts)
            eligible = sorted(pot.eligible)
            pots.append({"amount": amount, "eligible": eligible, "winners": winners})
        return pots

    @property
    def rake(self) -> int:
        """All the rake of the hand."""
        return sum(award.rake for award in self.awards)


def read_cards(text: str) -> list[int]:
    """Read "As Kd" or "AsKd" as card numbers; cards that nobody saw are left out."""
    compact = text.replace(" ", "")
    cards = [compact[at : at + 2] for at in range(0, len(compact), 2)]
    return [CARD_NUMBERS[card] for card in cards if card != "??"]


def start_case(setup: Mapping[str, Any]) -> PlayedHand:
    """Begin the hand of a rule case."""
    stacks, blinds, button = setup["stacks"], setup["blinds"], setup["button"]
    small, big = place_blinds(sorted(stacks), button)
    seats = setup.get("blind_seats")
    if seats:
        small, big = seats["sb"], seats["bb"]
    straddle = None
    owes: dict[int, tuple[int, int]] = {}
    for post in setup.get("extra_posts", ()):
        live, dead = owes.get(post["seat"], (0, 0))
        if post["kind"] == "straddle":
            straddle = post["seat"]
        elif post["kind"] == "live":
            owes[post["seat"]] = (post["amount"], dead)
        else:
            owes[post["seat"]] = (live, post["amount"])
    late = setup.get("straddle_action") == "left_of_button"
    ante, rake, limits = setup.get("ante"), setup.get("rake"), setup.get("limits")
    rules = HandRules(
        small_blind=blinds["sb"],
        big_blind=blinds["bb"],
        chip_unit=setup.get("chip_unit", 1),
        game=OMAHA if setup["game"] == "plo" else HOLDEM,
        structure=STRUCTURES[setup["game"]],
        limits=limits
        and Limits(
            limits["small"], limits["big"], limits["cap"], limits.get("uncapped_heads_up", False)
        ),
        ante=ante and (ante["kind"], ante["amount"]),
        straddle=None if straddle is None else ("mississippi" if late else "under_the_gun", True),
        rake=rake and Rake(rake["bp"], ((2, rake["cap"]),), rake["no_flop_no_drop"]),
        runs="agree_runs" in setup,
    )
    boards = setup.get("boards") or [setup.get("board", "")]
    at = Positions(button, small, big, straddle)
    return PlayedHand(
        Hand(stacks, at, rules, owes, lambda _seat, word: word == "runs"),
        {seat: read_cards(text) for seat, text in setup.get("hole", {}).items()},
        [read_cards(board) for board in boards],
    )


def load_recorded(path: Path) -> dict[str, dict[str, Any]]:
    """Give the recorded hands of a file by name."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def replay(recorded: Mapping[str, Any]) -> PlayedHand:
    """Play a recorded hand to its end; AssertionError where an action is refused."""
    steps = [text.split("#")[0].split() for text in recorded["actions"]]
    hole: dict[int, list[int]] = {}
    board: list[int] = []
    for step in steps:
        match step:
            case ["d", "dh", player, cards]:
                hole.setdefault(int(player[1:]), []).extend(read_cards(cards))
            case ["d", "db", cards]:
                board += read_cards(cards)
            case [player, "sm", cards] if "?" not in cards:
                hole[int(player[1:])] = read_cards(cards)
            case _:
                pass
    rules, at, stacks = _read_recorded(recorded)
    seen = {seat: cards for seat, cards in hole.items() if len(cards) == rules.game.hole_cards}
    played = PlayedHand(Hand(stacks, at, rules), seen, [board])
    for step in steps:
        match step:
            case [player, "f"]:
                played.act(int(player[1:]), "fold")
            case [player, "cc"]:
                seat = int(player[1:])
                free = played.hand.betting.owes(seat) == 0
                played.act(seat, "check" if free else "call")
            case [player, "cbr", amount]:
                word = "raise" if played.hand.betting.to_match else "bet"
                played.act(int(player[1:]), word, int(amount))
            case _:
                pass
    return played


def _read_recorded(recorded: Mapping[str, Any]) -> tuple[HandRules, Positions, dict[int, int]]:
    stacks = dict(enumerate(recorded["starting_stacks"], 1))
    blinds, antes = list(recorded["blinds_or_straddles"]), recorded["antes"]
    if len(stacks) == 2:
        # Listed small and big, while the first player is the big blind.
        blinds.reverse()
    posted = {seat: amount for seat, amount in enumerate(blinds, 1) if amount}
    big_seat = max(posted, key=lambda seat: posted[seat])
    small_seat = next((seat for seat in posted if seat != big_seat), None)
    big = posted[big_seat]
    small = big if small_seat is None else posted[small_seat]
    kinds = {0: None, 1: ("big_blind", max(antes)), len(antes): ("each", max(antes))}
    limits = None
    if recorded["variant"] == "FT":
        limits = Limits(recorded["small_bet"], recorded["big_bet"], 5, uncapped_heads_up=True)
    rules = HandRules(
        small_blind=small,
        big_blind=big,
        game=OMAHA if recorded["variant"] == "PO" else HOLDEM,
        structure={
            "NT": Structure.NO_LIMIT,
            "PO": Structure.POT_LIMIT,
            "FT": Structure.FIXED_LIMIT,
        }[recorded["variant"]],
        limits=limits,
        ante=kinds[sum(1 for ante in antes if ante)],
    )
    return rules, Positions(len(stacks), small_seat, big_seat), stacks
