"""A told hand as the text of a PokerStars hand history, which most trackers read.

Amounts are chips, or a currency by `Money`; times are UTC, and those of New York beside them. What
the format has no line for is said with what it has:

- a straddle is `posts straddle`; a big blind that a newcomer or returning seat posts is one more
  `posts big blind`; dead and live together in full are `posts small & big blinds`; a dead small
  blind alone is a second `posts small blind`, or, where no small blind was posted before or the
  stack was short, an ante;
- hands that were opened by rule, all-in, are shown at the showdown, as PokerStars writes them;
  folded cards that were shown when the hand was over stand with the fold, `folds [Ah Kd]`;
- chopped blinds are bets that nobody called: both go back, and there is no pot.

Where the view is everybody's, each seat's cards stand in a `Dealt to` line; with a hero, the
hero's alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit_cli.export.stars_end import showdown, summary
from audit_cli.export.stars_text import (
    amount,
    buy_in,
    dated,
    game_name,
    hand_id,
    roman,
    stakes,
    table_money,
)
from audit_cli.told.events import (
    Act,
    Acted,
    Aside,
    Awarded,
    BoardDealt,
    By,
    Event,
    HolesDealt,
    Move,
    Posted,
    Returned,
    RunsAgreed,
    What,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit_cli.export.money import Money
    from audit_cli.told.hand import Game, Hand

_POSTS = {
    What.ANTE: "the ante",
    What.SMALL_BLIND: "small blind",
    What.BIG_BLIND: "big blind",
    What.STRADDLE: "straddle",
    What.LIVE: "big blind",
}
_RUNS = ("FIRST ", "SECOND ")
_LEAVING = (Move.SEAT_LEFT, Move.PLAYER_REMOVED)


def write_pokerstars(_: Game, hand: Hand, money: Money) -> str:
    """Return a hand's text, lines ended by LF."""
    money = table_money(hand, money)
    writer = _Writer(hand, money)
    lines = [
        *_header(hand, money),
        *writer.story(),
        *showdown(hand, money),
        "*** SUMMARY ***",
        *summary(hand, money),
    ]
    return "".join(f"{line}\n" for line in lines)


def bind_pokerstars(hands: Sequence[str]) -> str:
    """Return the text of a file: hands with empty lines between them."""
    return "\n\n".join(hands)


def _header(hand: Hand, money: Money) -> Iterator[str]:
    tournament = hand.tournament
    game, date = game_name(hand.rules), dated(hand.opened_at)
    table, play = f"Cutcard {hand.game[:8]}", ""
    if tournament is None:
        named = f"PokerStars Hand #{hand_id(hand)}:  {game}"
        yield f"{named} {stakes(hand, money)} - {date}"
        play = "" if money.currency else " (Play Money)"
    else:
        named = f"PokerStars Hand #{hand_id(hand)}: Tournament #{tournament.number}"
        level = f"Level {roman(tournament.level)} {stakes(hand, money)}"
        yield f"{named}, {buy_in(hand)} {game} - {level} - {date}"
        table = f"{tournament.number} {tournament.table}"
    button = f"Seat #{hand.button} is the button"
    yield f"Table '{table}' {hand.max_seats}-max{play} {button}"
    for seat in hand.seats:
        out = "" if seat.dealt_in else " is sitting out"
        yield f"Seat {seat.seat}: {seat.player} ({amount(seat.stack, money)} in chips){out}"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes what happens up to the showdown."""

    hand: Hand
    money: Money

    def story(self) -> Iterator[str]:
        """Give the lines from the posts up to the end of betting and of the board."""
        events = self.hand.events
        runs = paid = False
        for at, event in enumerate(events):
            runs = runs or isinstance(event, RunsAgreed)
            paid = paid or isinstance(event, Awarded)
            if isinstance(event, Posted):
                yield from self._posted(event, events[:at], events[at + 1 :])
            elif isinstance(event, HolesDealt):
                yield "*** HOLE CARDS ***"
                yield from self._dealt()
            elif isinstance(event, Acted):
                yield from self._acted(event)
            elif isinstance(event, BoardDealt):
                yield _board(event, _RUNS[event.board - 1] if runs else "")
            elif isinstance(event, Returned):
                back = amount(event.amount, self.money)
                yield f"Uncalled bet ({back}) returned to {self._name(event.seat)}"
            elif isinstance(event, Aside) and not paid:
                yield from self._aside(event)

    def _name(self, seat: int) -> str:
        return self.hand.seat(seat).player

    def _posted(
        self, event: Posted, before: Sequence[Event], behind: Sequence[Event]
    ) -> Iterator[str]:
        """Write a post; dead and live of one seat are one line where both are whole."""
        seat, what = event.seat, _POSTS.get(event.what, "")
        chips, stack = event.amount, event.stack
        if event.what is What.LIVE and _both(before[-1:], event, self.hand):
            return
        if event.what is What.DEAD:
            what = _dead(event, before, self.hand)
            if behind and isinstance(behind[0], Posted) and _both([event], behind[0], self.hand):
                what, stack = "small & big blinds", behind[0].stack
                chips += behind[0].amount
        all_in = " and is all-in" if not stack else ""
        yield f"{self._name(seat)}: posts {what} {amount(chips, self.money)}{all_in}"

    def _dealt(self) -> Iterator[str]:
        for seat in self.hand.dealt_in:
            if seat.holes is not None and self.hand.hero in {"", seat.player}:
                yield f"Dealt to {seat.player} [{' '.join(seat.holes)}]"

    def _acted(self, event: Acted) -> Iterator[str]:
        name = self._name(event.seat)
        if event.by is By.CLOCK:
            yield f"{name} has timed out"
        put_in, to = amount(event.amount, self.money), amount(event.to, self.money)
        over = amount(event.to - event.facing, self.money)
        words = {
            Act.FOLD: "folds",
            Act.CHECK: "checks",
            Act.CALL: f"calls {put_in}",
            Act.BET: f"bets {put_in}",
            Act.RAISE: f"raises {over} to {to}",
        }
        all_in = " and is all-in" if event.all_in else ""
        yield f"{name}: {words[event.act]}{all_in}{self._shown_fold(event)}"

    def _shown_fold(self, event: Acted) -> str:
        """Give the cards of a fold whose player showed them, which it may at the end of a hand."""
        if event.act is not Act.FOLD or event.seat not in self.hand.shown:
            return ""
        return f" [{' '.join(self.hand.seat(event.seat).holes or ())}]"

    def _aside(self, event: Aside) -> Iterator[str]:
        if event.move in _LEAVING:
            yield f"{event.player} leaves the table"
        elif event.move is Move.SEAT_TAKEN:
            yield f"{event.player} joins the table at seat #{event.seat}"


def _both(dead: Sequence[Event], live: Posted, hand: Hand) -> bool:
    """Whether two posts of a seat are a whole small blind, dead, and a whole big blind, live."""
    if not dead or not isinstance(dead[0], Posted) or live.what is not What.LIVE:
        return False
    first, rules = dead[0], hand.rules
    return (
        (first.what, first.seat) == (What.DEAD, live.seat)
        and first.amount == rules.small_blind
        and live.amount == rules.big_blind
    )


def _dead(event: Posted, before: Sequence[Event], hand: Hand) -> str:
    """Return how a dead post that stands alone is said: readers take a first one as live."""
    small = any(isinstance(post, Posted) and post.what is What.SMALL_BLIND for post in before)
    return "small blind" if small and event.amount == hand.rules.small_blind else "the ante"


def _board(event: BoardDealt, run: str) -> str:
    name = f"*** {run}{event.street.name} ***"
    cards = " ".join(event.cards)
    before = event.whole[: len(event.whole) - len(event.cards)]
    return f"{name} [{' '.join(before)}] [{cards}]" if before else f"{name} [{cards}]"
