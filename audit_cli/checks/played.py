"""PLAYED: the hand comes out as the rules have it, entry by entry (protocol 9).

The audit's own engine says what is due; each entry is compared with that and then followed as it
is logged. Where an entry is of another kind than what is due, the rest of the hand can not be
followed: that is said once, and the next opening begins anew. Mucks by policy are kept until the
secret comes, and are then judged by the cards that nobody saw.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from audit_cli.checks.between import Between
from audit_cli.checks.clock import OWN, Clock
from audit_cli.checks.mucks import Mucks
from audit_cli.checks.ruleset import at_level
from audit_cli.checks.voice import Voice, count
from audit_cli.checks.words import list_shares, name_five, summarise
from audit_cli.derive import CARD_NUMBERS, CARDS
from audit_cli.poker.hand import DECK_CARDS, TURNS, Hand, Step
from audit_cli.poker.lows import name_low
from audit_cli.poker.ranking import name_hand
from audit_cli.poker.rules import read_opening
from audit_cli.poker.shares import Award
from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from audit_cli.checks.check import Emit
    from audit_cli.checks.ruleset import Rules
    from audit_cli.checks.table import Table
    from audit_cli.derive import DerivedDeck
    from audit_cli.gamefile import Foreseen, Line, Play
    from audit_cli.transcript_line import Plain


class Played:
    """Follows seats between hands (`Between`) and each hand by the engine."""

    def __init__(self, emit: Emit) -> None:
        self._voice = Voice(Promise.PLAYED, emit)
        self._between = Between(self._voice)
        self.clock = Clock(self._voice, self._between)
        self._hands = 0
        # The fields of an opening and its rules, as long as the hand was not looked at.
        self._opening: tuple[dict[str, Any], Rules | None] | None = None
        self._followed: Hand | None = None
        self.acts = 0
        self.pots = 0
        between = self._between
        # Who judges an entry of each kind, before the table takes it.
        self.handlers: dict[str, Callable[[Line], None]] = {
            "": self._hand_void,
            "game_opened": between.game_opened,
            "seat_taken": between.seat_taken,
            "seat_left": between.left,
            "player_removed": between.left,
            "chips_added": between.chips_added,
            "colored_up": between.colored_up,
            "sat_out": self.clock.sat_out,
            "came_back": between.named,
            "preferred": between.preferred,
            "anchored": between.anchored,
            "hand_opened": self._hand_opened,
            "hand_void": self._hand_void,
            "posted": self._posted,
            "dealt": self._dealt,
            "acted": self._acted,
            "opened": self._opened,
            "mucked": self._mucked,
            "runs_agreed": self._runs_agreed,
            "blinds_chopped": self._blinds_chopped,
            "returned": self._returned,
            "awarded": self._awarded,
            "hand_ended": self._hand_ended,
            "game_closed": between.game_closed,
        }

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._between.begin(table)
        self.clock.begin(table)
        self._hand = None
        self._mucks = Mucks(self._voice)

    @property
    def _hand(self) -> Hand | None:
        """The open hand as far as it can be followed, made when it is first looked at."""
        if self._opening is not None:
            opening, self._opening = self._opening, None
            self._followed = self._make_hand(*opening)
        return self._followed

    @_hand.setter
    def _hand(self, hand: Hand | None) -> None:
        self._opening = None
        self._followed = hand

    @property
    def follows(self) -> bool:
        """Whether there is an open hand, and it can be followed."""
        return self._hand is not None

    @property
    def is_fresh(self) -> bool:
        """Whether nothing behind the opening of the open hand was looked at."""
        return self._opening is not None

    def mucks(self, hand: int) -> list[tuple[Any, ...]]:
        """Return the mucks of a hand, as they are kept."""
        return self._mucks.of(hand)

    def foreseen(self, hand: int, play: Play, found: Foreseen) -> None:
        """Take what came of the play of the open hand, which was followed up to its end."""
        self.acts += found.acts
        self.pots += found.pots
        if found.mucks:
            self._mucks.take(hand, found.mucks, play)
        # Its end was judged with it.
        self._hand = None

    def _broken(self, text: str, line: Line, expected: object = None, found: object = None) -> None:
        hand = self._table.hand
        self._voice.broken(text, line, None if hand is None else hand.number, expected, found)

    def _due(self, line: Line, *steps: Step) -> Hand | None:
        """Return the hand if one of `steps` is due in it; else say so and follow it no further."""
        hand = self._hand
        if hand is None:
            return None
        if hand.due.step in steps:
            return hand
        self._broken(f"{line.kind} where something else is due", line, hand.due, summarise(line))
        self._hand = None
        return None

    # The opening and the blinds.

    def _hand_opened(self, line: Line) -> None:
        self._between.hand_opened(line)
        self._hands += 1
        self.open_hand(line)

    def open_hand(self, line: Line) -> None:
        """Follow the hand that an opening opens from now on, if that can be done."""
        self._opening = line.body, self._table.rules

    def _make_hand(self, body: dict[str, Any], rules: Rules | None) -> Hand | None:
        stacks, at = read_opening(body)
        if rules is None or len(stacks) < 2 or at.small_blind == at.big_blind:
            return None
        posting = {at.small_blind, at.big_blind, at.straddle} - {None}
        played_by = at_level(rules, body)
        if not posting <= stacks.keys() or (at.straddle and played_by.straddle is None):
            return None
        if len(stacks) * played_by.game.hole_cards >= DECK_CARDS:
            return None
        owes = {
            seat["seat"]: (seat["owes"]["live"], seat["owes"]["dead"])
            for seat in body["seats"]
            if "owes" in seat and seat["seat"] in stacks
        }
        return Hand(stacks, at, played_by, owes, self._table.chosen)

    def _posted(self, line: Line) -> None:
        hand = self._due(line, Step.POST)
        if hand is None:
            return
        body, due = line.body, hand.due
        seat, amount, what = body["seat"], body["amount"], body["what"]
        if seat == due.seat and amount == due.amount and what == due.what:
            # What is due from a seat it has.
            hand.post(seat, amount)
            return
        self._broken("something is posted otherwise", line, due, summarise(line))
        if what != due.what:
            # Which post it stands for is not known.
            self._hand = None
        elif self._has(hand, seat, amount, line):
            hand.post(seat, amount)

    def _has(self, hand: Hand, seat: int, amount: int, line: Line) -> bool:
        """Whether the seat is of the hand and has the chips; the hand can not be followed else."""
        stack = hand.betting.stacks.get(seat)
        if stack is not None and 0 <= amount <= stack:
            return True
        found = "a seat not dealt in" if stack is None else f"a stack of {stack}"
        self._broken(f"seat {seat} puts in chips that it does not have", line, amount, found)
        self._hand = None
        return False

    # Cards.

    def _dealt(self, line: Line) -> None:
        hand = self._due(line, Step.HOLE_CARDS, Step.BOARD_CARDS)
        if hand is not None:
            hand.deal(line.at)

    def _runs_agreed(self, line: Line) -> None:
        hand = self._hand
        if hand is None:
            return
        agreed = sorted(hand.betting.live)
        if hand.due.step is Step.RUNS:
            if line.body["seats"] != agreed:
                text = "others agree to run it twice than all who are in the hand"
                self._broken(text, line, _seats(agreed), _seats(line.body["seats"]))
        elif hand.may_run_on():
            text = "it is run twice, and not all who are in the hand have chosen it"
            self._broken(text, line, hand.due, _seats(line.body["seats"]))
        else:
            self._due(line, Step.RUNS)
            return
        hand.run_twice()

    def _opened(self, line: Line) -> None:
        body = line.body
        if "board" in body:
            self._board_opened(line)
        elif body["by"] == "player" and not self._showing():
            self._shown(line)
        else:
            self._hand_shown(line)

    def _showing(self) -> bool:
        """Whether hands are being opened or mucked, by choice too."""
        return self._hand is not None and self._hand.due.step is Step.SHOW_OR_MUCK

    def _board_opened(self, line: Line) -> None:
        hand = self._due(line, Step.BOARD_OPENED)
        if hand is None:
            return
        cards = [CARD_NUMBERS[card["card"]] for card in line.body["cards"]]
        by = line.body["by"]
        if by != "rule":
            self._broken("a board is opened by another than the rule", line, "rule", by)
        due = hand.due
        if line.body["board"] != due.board:
            text = "cards of another board are opened"
            self._broken(text, line, f"board {due.board}", f"board {line.body['board']}")
        wanted, known = due.amount, hand.boards[due.board - 1]
        if len(cards) != wanted or len({*cards, *known}) != wanted + len(known):
            text = "the board is not opened whole"
            self._broken(text, line, count(wanted, "new card"), summarise(line))
            self._hand = None
            return
        hand.open_board(cards, line.at)

    def _shown(self, line: Line) -> None:
        """Judge a show behind the last award (protocol 9.6)."""
        hand = self._due(line, Step.END)
        if hand is None:
            return
        seat = line.body["seat"]
        if seat not in hand.order:
            self._broken("a player shows who was not dealt in", line, found=summarise(line))
        elif seat in hand.shown:
            self._broken("a player shows cards that are open", line, found=summarise(line))
        elif len(line.body["cards"]) != hand.rules.game.hole_cards:
            self._broken("a player shows other than all its cards", line, found=summarise(line))
        else:
            hand.shown.append(seat)

    def _hand_shown(self, line: Line) -> None:
        hand = self._due(line, Step.SHOW, Step.SHOW_OR_MUCK)
        if hand is None:
            return
        body, due = line.body, hand.due
        by_rule = due.step is Step.SHOW
        if body["seat"] != due.seat or by_rule != (body["by"] == "rule"):
            wanted = f"{due}, by {'rule' if by_rule else 'policy'}"
            self._broken("a hand is opened otherwise", line, wanted, summarise(line))
            self._hand = None
            return
        cards = [CARD_NUMBERS[card["card"]] for card in body["cards"]]
        whole, board = hand.rules.game.hole_cards, hand.boards[0]
        if len(cards) != whole or len({*cards, *board}) != whole + len(board):
            self._broken("not all cards of a hand are opened", line, due, summarise(line))
            self._hand = None
            return
        if not by_rule:
            self._check_showing(line, hand, cards)
        hand.show(due.seat, cards)

    def _check_showing(self, line: Line, hand: Hand, cards: list[int]) -> None:
        """Judge a hand opened at a normal showdown: by policy, or by its player's choice."""
        seat = hand.due.seat
        by, chosen = "policy", hand.shows_by_choice(seat)
        if not hand.by_policy(cards, hand.against(seat)):
            by = "player" if chosen else "mucked"
        if line.body["by"] == by:
            return
        if by == "mucked":
            text = "a hand is opened by policy that wins and ties no pot"
            if line.body["by"] == "player":
                text = "a hand is opened by a player who has not chosen to show"
            self._broken(text, line, f"mucked, seat {seat}", summarise(line))
        else:
            self._broken("a hand is opened by another", line, by, line.body["by"])

    def _mucked(self, line: Line) -> None:
        hand = self._due(line, Step.SHOW_OR_MUCK)
        if hand is None:
            return
        body, due = line.body, hand.due
        if body["seat"] != due.seat or body["by"] != "policy":
            text = "a hand is mucked otherwise"
            self._broken(text, line, f"{due}", summarise(line))
            self._hand = None
            return
        against = hand.against(due.seat)
        shown = f"opened by policy, seat {due.seat}"
        if against.open:
            text = "a hand is mucked that nobody who showed can beat"
            self._broken(text, line, shown, summarise(line))
        elif hand.rules.show_all:
            self._broken("a hand is mucked where all are shown", line, shown, summarise(line))
        elif hand.shows_by_choice(due.seat):
            text = "a hand is mucked whose player has chosen to show"
            self._broken(text, line, f"opened, seat {due.seat}", summarise(line))
        self._mucks.add(line, hand, against)
        hand.muck()

    # Acts.

    def _acted(self, line: Line) -> None:
        hand = self._hand
        if hand is None or (hand.due.step is not _ACT and self._due(line, _ACT) is None):
            return
        self.acts += 1
        body, seat = line.body, hand.due.seat
        if body["seat"] != seat:
            self._broken("an act out of turn", line, f"seat {seat} to act", summarise(line))
            self._hand = None
            return
        if hand.rules.chop and hand.chops():
            self._broken("an act where both blinds have chosen to chop", line, _CHOP, "no chop")
        if body["turn"] != hand.turn:
            self._broken("an act with another turn's number", line, hand.turn, body["turn"])
        betting, act, to = hand.betting, body["act"], body["to"]
        allowed = betting.allows(seat, act, to)
        if not allowed:
            decision = betting.decide(seat)
            self._broken("an act that is not open to the seat", line, decision, summarise(line))
        self.clock.check(line, betting, hand.turn_began)
        if not self._has(hand, seat, to - betting.bets[seat], line):
            return
        sense = act != "check" and (act not in ("bet", "raise") or to > betting.to_match)
        if not (allowed or sense):
            # What would follow from such an act, no rule says.
            self._hand = None
        elif act == "fold":
            hand.fold(seat, line.at)
        elif act in ("check", "call"):
            hand.match(seat, to, line.at)
        else:
            hand.raise_to(seat, to, line.at)

    def away(self) -> list[int]:
        """Return the seats for which the dealer acts, in a hand's play: it changes no seats."""
        return self._table.away

    def take_acts(self, told: Sequence[Plain], place: int, away: Collection[int]) -> int:
        """Take the acts from a place of a hand's play on, as long as they are plainly right.

        Return the place behind them: what stands there is for the handlers to judge, and so are
        the acts of seats that are `away`.
        """
        hand, rules, began = self._hand, self._table.rules, place
        if hand is None or rules is None or hand.rules.chop or not self.clock.is_plain(rules):
            return place
        betting, turn_ms = hand.betting, rules.turn_ms
        for at, kind, body in islice(told, place, None):
            if kind != "acted":
                break
            seat, act, to = body["seat"], body["act"], body["to"]
            if (
                hand.due is not TURNS[seat]
                or body["turn"] != hand.turn
                or body["by"] not in OWN
                or at > hand.turn_began + turn_ms
                or seat in away
                or not betting.allows(seat, act, to)
            ):
                break
            if act == "fold":
                hand.fold(seat, at)
            elif act in _MATCHES:
                hand.match(seat, to, at)
            else:
                hand.raise_to(seat, to, at)
            place += 1
        self.acts += place - began
        return place

    def _blinds_chopped(self, line: Line) -> None:
        hand = self._due(line, Step.ACT)
        if hand is None:
            return
        wanted = list(hand.chops())
        if line.body["seats"] != wanted:
            found = _seats(line.body["seats"])
            if wanted:
                self._broken("others chop than the blinds", line, _seats(wanted), found)
            else:
                text = "the blinds are chopped, and not by the choice of both and the rules"
                self._broken(text, line, hand.due, found)
        if wanted or hand.blinds_alone():
            hand.chop()
        else:
            self._hand = None

    # The end.

    def _returned(self, line: Line) -> None:
        hand = self._due(line, Step.RETURN)
        if hand is None:
            return
        body, due = line.body, hand.due
        if (body["seat"], body["amount"]) != (due.seat, due.amount):
            self._broken("another bet is returned", line, due, summarise(line))
            if body["amount"] > hand.betting.totals.get(body["seat"], -1):
                self._hand = None
                return
        hand.give_back(body["seat"], body["amount"])

    def _awarded(self, line: Line) -> None:
        hand = self._due(line, Step.AWARD)
        if hand is None:
            return
        self.pots += 1
        body, award = line.body, hand.pay()
        place = Award(
            body["pot"], body["board"], body.get("half", ""), body["amount"], body["rake"], {}, {}
        )
        if place[:5] != award[:5]:
            self._broken("another pot is awarded", line, award, place)
        told = [(winner["seat"], winner["amount"]) for winner in body["winners"]]
        if told != list(award.shares.items()):
            text = f"pot {award.pot} is paid otherwise"
            self._broken(text, line, list_shares(list(award.shares.items())), list_shares(told))
        for winner in body["winners"]:
            self._check_name(line, hand, award, winner)
        hand.award(dict(told))

    def _check_name(self, line: Line, hand: Hand, award: Award, winner: dict[str, Any]) -> None:
        """Judge the name and best five of a winner; none where the pot was not contested."""
        seat = winner["seat"]
        if seat not in award.shares:
            return
        strength = award.strengths.get(seat)
        wanted, found = "no name, uncontested", "no name"
        if strength is not None:
            game, holes, board = hand.rules.game, hand.holes[seat], hand.boards[award.board - 1]
            if award.half == "low":
                name, five = name_low(strength), game.low_five(holes, board, strength)
            else:
                name, five = name_hand(strength), game.high_five(holes, board, strength)
            wanted = name_five(name, [CARDS[card] for card in five])
        if "name" in winner or "best_five" in winner:
            found = name_five(winner.get("name", "no name"), winner.get("best_five", []))
        elif strength is None:
            return
        if wanted != found:
            self._broken(f"the winning hand of seat {seat} is named otherwise", line, wanted, found)

    def _hand_ended(self, line: Line) -> None:
        hand = self._due(line, Step.END)
        self._hand = None
        if hand is None:
            return
        told = [(item["seat"], item["stack"]) for item in line.body["stacks"]]
        wanted = sorted(hand.betting.stacks.items())
        if told != wanted:
            text = "the hand ends with other stacks"
            self._broken(text, line, list_shares(wanted), list_shares(told))

    def _hand_void(self, _: Line) -> None:
        self._hand = None

    def reveal(self, number: int, deck: DerivedDeck | None) -> None:
        """Judge the mucks of a hand by its derived deck; without one they stay unjudged."""
        self._mucks.judge(number, deck)

    def end(self) -> None:
        """Mucks whose secret never came are not established."""
        self._mucks.end()
        self.clock.end()
        self._voice.end()

    def conclude(self) -> None:
        """Say what was followed."""
        self._voice.holds(
            f"{count(self._hands, 'hand')} followed: {count(self.acts, 'act')}, "
            f"{count(self.pots, 'pot')}"
        )


_ACT = Step.ACT
_CHOP = "blinds_chopped"
_MATCHES = frozenset({"check", "call"})


def _seats(seats: list[int]) -> str:
    return f"seats {', '.join(map(str, seats))}" if seats else "nobody"
