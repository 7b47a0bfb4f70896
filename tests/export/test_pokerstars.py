"""PokerStars text: its chips add up for a reader of the words alone, and PokerKit replays it."""

import warnings
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit.notation import PokerStarsParser

from audit_cli.derive import CARD_NUMBERS
from audit_cli.export.eastern import eastern
from audit_cli.export.money import CHIPS, Money
from audit_cli.export.pokerstars import bind_pokerstars, write_pokerstars
from audit_cli.export.stars_text import amount, hand_id, ordinal, roman
from audit_cli.export.stars_words import describe_high
from audit_cli.poker.ranking import measure
from audit_cli.told.events import By, Mucked, Posted, Shown, What
from audit_cli.told.hand import Hand
from tests.support.exported_games import SHORT_HOUSES, nothing_to_win, told_games
from tests.support.random_rules import random_rules
from tests.support.simulator import HOUSE_LIFE, play_game
from tests.support.stars_reader import Read, read_file, read_hand
from tests.support.told_houses import ALL_HOUSES, PLAIN, hands_of, told, told_hand, told_house

DOLLARS = Money("USD", 100)
SEEDS = (1, 2)
NEW_YORK = ZoneInfo("America/New_York")


def read_all(house: str, seed: int, money: Money = CHIPS) -> list[tuple[Hand, Read]]:
    """Write a game's hands in one file, and read it as a tracker does."""
    game = told_house(house, seed)
    hands = hands_of(game)
    texts = [str(write_pokerstars(game, hand, money)) for hand in hands]
    return list(zip(hands, read_file(bind_pokerstars(texts)), strict=True))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("house", ALL_HOUSES)
@pytest.mark.parametrize("money", [CHIPS, DOLLARS], ids=["chips", "dollars"])
def test_the_chips_of_every_hand_add_up_by_the_lines_alone(
    house: str, seed: int, money: Money
) -> None:
    for hand, read in read_all(house, seed, money):
        # A tournament is of chips, whatever was paid to enter.
        unit = Decimal(money.per_unit if hand.tournament is None else 1)
        for seat in hand.seats:
            assert read.stacks[seat.player] * unit == seat.stack
            assert read.put_in[seat.player] * unit == seat.put_in
            assert read.won[seat.player] * unit == seat.won
            assert read.ends[seat.player] * unit == seat.end
            assert (seat.player in read.sitting_out) == (not seat.dealt_in)
        summed = {seat.player: Decimal(seat.won) / unit for seat in hand.dealt_in}
        assert read.summed == summed
        assert [read.total * unit, read.rake * unit] == [hand.total, hand.rake]


@pytest.mark.parametrize("seed", range(10))
def test_hands_of_any_rules_add_up(seed: int) -> None:
    rules = random_rules(Random(seed))
    players = min(6, rules.seats)
    played = play_game(seed=seed, hands=8, players=players, habits=HOUSE_LIFE, rules=rules)
    game = told(played.game_file())
    for hand in hands_of(game):
        read = read_hand(str(write_pokerstars(game, hand, CHIPS)))
        assert read.ends == {seat.player: seat.end for seat in hand.seats}
        assert read.summed == {seat.player: seat.won for seat in hand.dealt_in}


@pytest.mark.parametrize(
    "house", [house for house, rules in SHORT_HOUSES.items() if rules.limits is None]
)
def test_hands_of_short_stacks_add_up(house: str) -> None:
    """Blinds that are short, or not posted at all as an ante took the last chip.

    The header of fixed limit does not tell the blind that is to be called.
    """
    for game in told_games(house):
        for hand in hands_of(game):
            read = read_hand(write_pokerstars(game, hand, CHIPS))
            assert read.ends == {seat.player: seat.end for seat in hand.seats}


@pytest.mark.parametrize("house", ALL_HOUSES)
def test_everybody_s_view_deals_each_seat_its_cards_and_shows_what_was_shown(house: str) -> None:
    for hand, read in read_all(house, 1):
        assert read.dealt == {seat.player: list(seat.holes or ()) for seat in hand.dealt_in}
        shown = {event.seat: event.cards for event in hand.events if isinstance(event, Shown)}
        assert read.shown == {hand.seat(one).player: list(cards) for one, cards in shown.items()}
        boards = [list(board) for board in hand.boards if board]
        assert [
            board for run, board in read.boards.items() if run or len(read.boards) == 1
        ] == boards


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pokerkit_reads_hands_of_hold_em_and_plays_them_to_the_same_stacks(seed: int) -> None:
    game = told_house(PLAIN, seed)
    for hand in hands_of(game):
        text = write_pokerstars(game, hand, CHIPS)
        with warnings.catch_warnings():
            # It warns of a field of its own reader's.
            warnings.simplefilter("ignore")
            (history,) = PokerStarsParser()(text, parse_value=int)
            *_, last = history
        assert history.players is not None
        ends = dict(zip(history.players, last.stacks, strict=True))
        assert ends == {seat.player: seat.end for seat in hand.dealt_in}


def test_no_two_hands_have_one_number() -> None:
    hands = [hand for house in ALL_HOUSES for hand in hands_of(told_house(house, 3))]
    numbers = {hand_id(hand) for hand in hands}
    assert len(numbers) == len({(hand.game, hand.number) for hand in hands})
    assert max(numbers) < 2**53


def test_who_wins_nothing_but_its_blind_back_may_show_without_a_showdown() -> None:
    game, hand = nothing_to_win()
    (winner,) = [seat for seat in hand.dealt_in if seat.seat not in hand.folded]
    shown = Shown(hand.ended_at, winner.seat, By.PLAYER, winner.holes or ())
    hand = replace(hand, events=(*hand.events, shown), shown=(*hand.shown, winner.seat))
    text = write_pokerstars(game, hand, CHIPS)
    assert "SHOW DOWN" not in text
    assert f"{winner.player}: shows [" in text


def test_who_showed_after_mucking_shows_in_its_turn() -> None:
    for house in ALL_HOUSES:
        for seed in SEEDS:
            game = told_house(house, seed)
            for hand in hands_of(game):
                mucked = {event.seat for event in hand.events if isinstance(event, Mucked)}
                text = write_pokerstars(game, hand, CHIPS)
                kept = [hand.seat(seat).player for seat in mucked if seat not in hand.shown]
                assert text.count(": mucks hand\n") == len(kept)
                assert all(f"{name}: mucks hand\n" in text for name in kept)


def test_a_dead_and_a_live_post_are_one_line_only_where_both_are_whole() -> None:
    """Readers take `small & big blinds` as both in full, whatever the amount says."""
    game, hand = told_hand("hi_lo", 6, 4)
    assert "eve: posts small & big blinds 150\n" in str(write_pokerstars(game, hand, CHIPS))
    short = tuple(
        replace(event, amount=60, stack=0)
        if isinstance(event, Posted) and event.what is What.LIVE
        else event
        for event in hand.events
    )
    text = str(write_pokerstars(game, replace(hand, events=short), CHIPS))
    assert "eve: posts the ante 50\neve: posts big blind 60 and is all-in\n" in text
    assert "small & big" not in text


@pytest.mark.parametrize(
    ("chips", "money", "text"),
    [
        (0, DOLLARS, "$0"),
        (5, DOLLARS, "$0.05"),
        (50, DOLLARS, "$0.50"),
        (1_000_000, DOLLARS, "$10000"),
        (1_234, DOLLARS, "$12.34"),
        (15, Money("EUR", 10), "€1.50"),
        (15, Money("GBP", 1), "£15"),
        (1_500, CHIPS, "1500"),
    ],
)
def test_an_amount_has_no_thousands_mark_and_two_decimals_or_none(
    chips: int, money: Money, text: str
) -> None:
    assert amount(chips, money) == text


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("As Ks Qs Js Ts", "a Royal Flush"),
        ("9s 8s 7s 6s 5s", "a straight flush, Five to Nine"),
        ("9s 9h 9d 9c 5s", "four of a kind, Nines"),
        ("Qs Qh Qd 4c 4s", "a full house, Queens full of Fours"),
        ("As Ts 7s 6s 2s", "a flush, Ace high"),
        ("Ts 9h 8d 7c 6s", "a straight, Six to Ten"),
        ("5s 4h 3d 2c As", "a straight, Ace to Five"),
        ("6s 5h 4d 3c 2s", "a straight, Deuce to Six"),
        ("6s 6h 6d 3c 2s", "three of a kind, Sixes"),
        ("Js Jh 3d 3c 2s", "two pair, Jacks and Threes"),
        ("As Ah 2d 2c 9s", "two pair, Aces and Deuces"),
        ("2s 2h 7d 3c 4s", "a pair of Deuces"),
        ("Ks 9h 7d 3c 2s", "high card King"),
    ],
)
def test_hands_have_pokerstars_words(cards: str, words: str) -> None:
    assert describe_high(measure([CARD_NUMBERS[card] for card in cards.split()])) == words


def test_levels_are_roman_and_places_ordinal() -> None:
    assert [roman(level) for level in (1, 4, 9, 14, 40, 49, 90, 2024)] == [
        "I", "IV", "IX", "XIV", "XL", "XLIX", "XC", "MMXXIV"
    ]  # fmt: skip
    places = (1, 2, 3, 4, 11, 12, 13, 21, 111, 122)
    assert [ordinal(place) for place in places] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "122nd"
    ]  # fmt: skip


@given(
    st.datetimes(
        min_value=datetime(2007, 1, 1),  # noqa: DTZ001  (a zone is given beside)
        max_value=datetime(2100, 1, 1),  # noqa: DTZ001
        timezones=st.just(UTC),
    )
)
def test_new_york_s_clock_is_that_of_the_time_zone_database(at: datetime) -> None:
    assert eastern(at) == at.astimezone(NEW_YORK).replace(tzinfo=None)


@pytest.mark.parametrize("year", range(2020, 2040))
@pytest.mark.parametrize("side", [-1, 0])
def test_new_york_s_clock_changes_at_the_very_second(year: int, side: int) -> None:
    for day in range(366):
        at = datetime(year, 1, 1, 6, tzinfo=UTC) + timedelta(days=day, seconds=side)
        for hour in (0, 1):
            when = at + timedelta(hours=hour)
            assert eastern(when) == when.astimezone(NEW_YORK).replace(tzinfo=None)
