"""A hand in words: what is said of it, line by line, and that nothing is said by colour alone."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from audit_cli.review.heading import tell_game
from audit_cli.review.painting import Paint, choose_paint
from audit_cli.review.story import tell_aside, tell_hand, tell_other
from audit_cli.told.events import Aside, By, Move
from audit_cli.told.hand import Cause, Hand, Untold, Void
from tests.support.exported_games import ALL_HOUSES, told_games
from tests.support.told_houses import hands_of, told_hand, told_house

GOLDEN = Path(__file__).parents[1] / "data" / "reviews"
PLAIN, COLOURED = Paint(on=False), Paint(on=True)
ESCAPE = re.compile(r"\x1b\[\d+m")

CASES = {
    "called_down": ("straddles", 3, 17, ""),
    "run_twice_from_the_flop": ("mississippi", 4, 4, ""),
    "run_twice_from_the_turn": ("straddles", 1, 6, ""),
    "high_and_low_shared": ("hi_lo", 2, 21, ""),
    "dead_and_live_posted": ("hi_lo", 6, 4, ""),
    "fixed_limit_and_a_muck": ("limit", 3, 17, ""),
    "chopped_with_an_ante": ("mississippi", 8, 18, ""),
    "antes_of_all": ("dead_button", 2, 4, ""),
    "side_pots_with_rake": ("mississippi", 1, 20, ""),
    "seen_by_one_player": ("straddles", 1, 6, "ida"),
}


def joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("name", CASES)
def test_a_hand_is_told_so(name: str) -> None:
    _, hand = told_hand(*CASES[name])
    assert joined(tell_hand(hand, PLAIN)) == (GOLDEN / f"{name}.txt").read_text()


@pytest.mark.parametrize("house", ALL_HOUSES)
def test_colours_add_nothing_to_the_words(house: str) -> None:
    for game in told_games(house):
        for hand in hands_of(game):
            plain = joined(tell_hand(hand, PLAIN))
            coloured = joined(tell_hand(hand, COLOURED))
            assert plain != coloured
            assert ESCAPE.sub("", coloured) == plain
            assert plain.isascii()


def test_suits_have_four_colours() -> None:
    codes = {ESCAPE.findall(COLOURED.cards([card]))[0] for card in ("Ac", "Ad", "Ah", "As")}
    assert len(codes) == 4


class Terminal:
    """A stream that is a terminal, or is none."""

    def __init__(self, *, is_one: bool) -> None:
        self._is_one = is_one

    def isatty(self) -> bool:
        return self._is_one


@pytest.mark.parametrize(
    ("when", "terminal", "environment", "on"),
    [
        ("auto", True, {}, True),
        ("auto", True, {"TERM": "xterm-256color"}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_colour_is_where_there_is_one(
    when: str, *, terminal: bool, environment: dict[str, str], on: bool
) -> None:
    assert choose_paint(when, Terminal(is_one=terminal), environment) == Paint(on)


def test_a_closed_stream_has_no_colour() -> None:
    assert choose_paint("auto", None, {}) == Paint(on=False)


@pytest.mark.parametrize(
    ("hand", "told"),
    [
        (
            Void(3, 0, "link_missing", ("ann", "ben")),
            "Hand 3 is void: a link did not come, that of ann and ben; stacks are as before it",
        ),
        (
            Void(1_003, 0, "operator", ()),
            "Hand 1,003 is void: the operator ended it; stacks are as before it",
        ),
        (Void(3, 0, "wind", ()), "Hand 3 is void: wind; stacks are as before it"),
        (
            Untold(4, 0, Cause.WRONG, "entry 7: seat 2 is not dealt in"),
            "Hand 4 can not be told: entry 7: seat 2 is not dealt in",
        ),
    ],
)
def test_hands_that_were_not_played_have_a_line(hand: Void | Untold, told: str) -> None:
    assert tell_other(hand, PLAIN) == told


@pytest.mark.parametrize(
    ("aside", "told"),
    [
        (Aside(0, Move.SEAT_TAKEN, 5, "eve", 18_699), "eve takes seat 5 with 18,699"),
        (Aside(0, Move.SEAT_LEFT, 5, "eve", 100), "eve leaves seat 5 with 100"),
        (Aside(0, Move.SEAT_LEFT, 5, "eve"), "eve leaves seat 5"),
        (
            Aside(0, Move.PLAYER_REMOVED, 5, "eve", 1),
            "the operator takes eve away from seat 5 with 1",
        ),
        (Aside(0, Move.CHIPS_ADDED, 5, "eve", 2_000), "eve adds 2,000"),
        (Aside(0, Move.SAT_OUT, 5, "eve", by=By.PLAYER), "eve sits out"),
        (Aside(0, Move.SAT_OUT, 5, "eve", by=By.CLOCK), "eve sits out, as time ran out"),
        (Aside(0, Move.CAME_BACK, 5, "eve"), "eve comes back"),
        (Aside(0, Move.PAUSED), "the operator pauses the game"),
        (Aside(0, Move.RESUMED), "the game goes on"),
    ],
)
def test_what_happens_beside_hands_has_a_line(aside: Aside, told: str) -> None:
    assert tell_aside(aside) == told


@pytest.mark.parametrize(
    ("house", "rules"),
    [
        ("plain", "no-limit hold'em, blinds 50 and 100; 10 seats"),
        (
            "mississippi",
            (
                "no-limit hold'em, blinds 50 and 100, an ante of the big blind of 100, mississippi "
                "straddles, runs of two boards, blinds may be chopped, rake 5%; 10 seats"
            ),
        ),
        (
            "limit",
            (
                "fixed-limit hold'em, blinds 50 and 100, bets 100 and 200, blinds may be chopped, "
                "rake 2.5%; 10 seats"
            ),
        ),
        (
            "hi_lo",
            (
                "pot-limit Omaha hi-lo of 5 cards, blinds 50 and 100, runs of two boards, rake 5%; "
                "7 seats"
            ),
        ),
    ],
)
def test_a_game_is_told_by_its_rules(house: str, rules: str) -> None:
    game = told_house(house, 1)
    lines = tell_game(game, PLAIN)
    assert lines[0] == f"Game {game.game} of dealer.example.com"
    assert lines[1] == rules
    assert lines[2].startswith("2026-01-01 00:00:00 UTC to 2026-01-01 00:")


def test_a_game_that_is_not_closed_or_revealed_says_so() -> None:
    game = replace(told_house("plain", 1), closed_at=-1, revealed=False)
    lines = tell_game(game, PLAIN)
    assert lines[2].endswith(" to no close in this file")
    assert lines[3] == "not revealed: cards are those that the file tells"


def hands() -> list[Hand]:
    return hands_of(told_house("straddles", 1))


def test_every_chip_that_moved_is_in_the_last_lines() -> None:
    for hand in hands():
        (net,) = [line for line in tell_hand(hand, PLAIN) if line.startswith("  Net  ")]
        told = {
            player: int(amount.replace(",", ""))
            for player, amount in re.findall(r"(\w+) ([+-][\d,]+)(?:, |$)", net)
        }
        assert told == {seat.player: seat.net for seat in hand.dealt_in if seat.net}
