"""`python -m tests.runners.hands FILE`: replay a file of recorded hands through the engine.

Every recorded action must be accepted in its turn, and the hand must end with the recorded
stacks. Prints the first difference of each hand that fails and the reason of each that is
skipped; exit status 1 if any failed.
"""

import sys
import tomllib
from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from dealer_service.rules.cards import CARDS
from dealer_service.rules.entry import Act, Variant
from dealer_service.rules.judging import rank_hands
from dealer_service.rules.refusal import ImpossibleEntry
from tests.runners.driver import Driver, NotRunnableError, make_rules, open_hand, stack_deck
from tests.runners.outcome import Outcome, Verdict, refuse_file, report
from tests.runners.phh import Recorded, Step, UnsupportedError, What, load_file, read_hand

MOST_PLAYERS = 10
MOST_TRIED = 2_000


class Difference(Exception):  # noqa: N818 - named for what it reports
    """The first thing that is not as recorded."""


def run_file(path: Path) -> list[Outcome]:
    """Replay every hand of a file; ValueError if it is none of this format."""
    return [run_hand(name, fields) for name, fields in load_file(path).items()]


def run_hand(key: str, fields: Any) -> Outcome:
    """Replay one hand."""
    name = f"hand {key}"
    if not isinstance(fields, dict):
        return Outcome(name, Verdict.FAILED, "it is no hand: a table is expected")
    if "_source" in fields:
        name += f" ({fields['_source']})"
    try:
        replay(prepare(read_hand(name, fields)))
    except UnsupportedError as why:
        return Outcome(name, Verdict.SKIPPED, str(why))
    except (Difference, NotRunnableError) as difference:
        return Outcome(name, Verdict.FAILED, str(difference))
    except (ImpossibleEntry, KeyError, TypeError, ValueError) as fault:
        return Outcome(name, Verdict.FAILED, f"can not be run: {fault!r}")
    return Outcome(name, Verdict.PASSED)


def prepare(hand: Recorded) -> tuple[Recorded, Driver]:
    """Set up a recorded hand with a deck that deals its cards."""
    if not 2 <= len(hand.stacks) <= MOST_PLAYERS:
        message = f"{len(hand.stacks)} players: a table has 2 to {MOST_PLAYERS}"
        raise UnsupportedError(message)
    board = [
        card
        for step in hand.steps
        if step.what is What.DEAL_BOARD
        for card in step.cards or ()
        if "?" not in card
    ]
    hole = choose_hole_cards(hand, board)
    posts = hand.posts
    rules = make_rules(posts.small_blind, posts.big_blind, **hand.game)
    deck = stack_deck(hand.stacks, hand.button, hole, board, each=hand.hole_cards)
    opened = open_hand(
        hand.stacks,
        hand.button,
        posts.small_blind_seat,
        posts.big_blind_seat,
        straddle_seat=posts.straddle_seat,
        owes=hand.owes,
    )
    return hand, Driver.start(rules, opened, deck)


def replay(prepared: tuple[Recorded, Driver]) -> None:
    hand, driver = prepared
    dealt = 0
    for number, step in enumerate(hand.steps, 1):
        if step.what is What.DEAL_BOARD:
            dealt += len(step.cards or ())
        elif step.what is not What.SHOW_OR_MUCK:
            take(driver, step, number, dealt)
    if not driver.over:
        decision = driver.decision
        message = f"the record ends and seat {decision.seat if decision else '?'} has still to act"
        raise Difference(message)
    if hand.finishing is not None and driver.stacks != hand.finishing:
        message = f"finishing stacks are {driver.stacks}, expected {hand.finishing}"
        raise Difference(message)


def take(driver: Driver, step: Step, number: int, dealt: int) -> None:
    board = len(driver.state.layout.board)
    if board != dealt:
        message = f"step {number}: {board} board cards are open, {dealt} are recorded"
        raise Difference(message)
    if step.what is What.FOLD:
        refusal = driver.act(step.player, Act.FOLD, None)
    elif step.what is What.CHECK_OR_CALL:
        refusal = driver.check_or_call(step.player)
    else:
        refusal = driver.bet_or_raise(step.player, step.to)
    if refusal is not None:
        to = f" {step.to}" if step.to else ""
        message = f"step {number}: p{step.player} {step.what}{to} was refused: {refusal.message}"
        raise Difference(message)


def choose_hole_cards(hand: Recorded, board: Sequence[str]) -> Mapping[int, Sequence[str]]:
    """Give hole cards where they matter: a hand not shown at the showdown gets cards that lose."""
    each = hand.hole_cards
    hole = {seat: cards for seat, cards in hand.hole.items() if len(cards) == each}
    hole.update({s.player: s.cards for s in hand.steps if s.cards and len(s.cards) == each})
    folded = {step.player for step in hand.steps if step.what is What.FOLD}
    live = [seat for seat in hand.stacks if seat not in folded]
    if len(live) == 1:
        return hole
    turned = {
        step.player: step.cards is not None for step in hand.steps if step.what is What.SHOW_OR_MUCK
    }
    shown = [seat for seat in live if seat in hole and turned.get(seat, True)]
    hidden = [seat for seat in live if seat not in shown]
    if not hidden:
        return hole
    if not shown or len(board) < 5:
        message = "nothing tells who won: no hand was shown on a whole board"
        raise UnsupportedError(message)
    for seat in hidden:
        to_lose_to = {one: hole[one] for one in shown}
        if seat in hole and loses(hand, hole[seat], to_lose_to, board):
            continue
        hole.pop(seat, None)
        used = {*board, *(card for cards in hole.values() for card in cards)}
        hole[seat] = find_loser(hand, [card for card in CARDS if card not in used], board)
        if not loses(hand, hole[seat], to_lose_to, board):
            message = "a hand that was not shown could not lose with any cards left"
            raise UnsupportedError(message)
    return hole


def rank(
    hand: Recorded, hands: Mapping[int, Sequence[str]], board: Sequence[str]
) -> tuple[dict[int, int], dict[int, int]]:
    variant = hand.game.get("variant")
    hi_lo = variant is Variant.OMAHA_HI_LO
    return rank_hands(hands, board, omaha=variant is not None, hi_lo=hi_lo)


def loses(
    hand: Recorded,
    cards: Sequence[str],
    shown: Mapping[int, Sequence[str]],
    board: Sequence[str],
) -> bool:
    """Tell whether cards win nothing against those that were shown."""
    highs, lows = rank(hand, {**shown, 0: cards}, board)
    best, low = highs.pop(0), lows.pop(0, None)
    return best < max(highs.values()) and (low is None or (lows != {} and low > min(lows.values())))


def find_loser(hand: Recorded, cards: Sequence[str], board: Sequence[str]) -> tuple[str, ...]:
    """Find the weakest hole cards of those that are left (of more than two, of some of them)."""
    hands = dict(enumerate(islice(combinations(cards, hand.hole_cards), MOST_TRIED)))
    if hand.hole_cards > 2:
        spread = [cards[start::step] for step in (3, 5, 7) for start in range(step)]
        tried = {some[at : at + hand.hole_cards] for some in map(tuple, spread) for at in range(9)}
        hands = dict(enumerate(sorted(one for one in tried if len(one) == hand.hole_cards)))
    highs, lows = rank(hand, hands, board)
    weakest = min(highs, key=lambda one: (one in lows, highs[one], -lows.get(one, 0)))
    return hands[weakest]


def main(arguments: list[str]) -> int:
    """Replay the file that is named and report."""
    if len(arguments) != 1:
        return refuse_file("name one file of hands")
    try:
        outcomes = run_file(Path(arguments[0]))
    except (OSError, ValueError, tomllib.TOMLDecodeError) as fault:
        return refuse_file(f"{arguments[0]} can not be read as hands: {fault}")
    return report(outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
