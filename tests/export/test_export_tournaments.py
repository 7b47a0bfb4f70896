"""A tournament's table in each format: hands of chips at their levels, and what is paid for."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from audit_cli.cli import main
from audit_cli.export.money import CHIPS, Money, price
from audit_cli.export.ohh import write_ohh
from audit_cli.export.phh import write_phh
from audit_cli.export.pokerstars import write_pokerstars
from audit_cli.export.stars_text import roman
from audit_cli.told.events import Acted, By
from audit_cli.told.hand import Finish, Tournament
from tests.support.stars_reader import read_file, read_hand
from tests.support.told_houses import hands_of
from tests.support.told_tournaments import (
    NAME,
    TABLE,
    event_log,
    last_to_go,
    table_file,
    told_table,
    tournament_file,
)

HANDS = hands_of(told_table())
SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "ohh" / "hand.schema.json").read_text())
DOLLARS = ("--currency", "USD")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Give a table's file and its tournament's."""
    table, event = tmp_path / "table.jsonl", tmp_path / "event.jsonl"
    table.write_bytes(table_file())
    event.write_bytes(tournament_file(event_log()))
    return table, event


def export(*arguments: str | Path) -> int:
    return main(["export", *map(str, arguments)])


@pytest.mark.parametrize("number", range(len(HANDS)))
def test_every_hand_is_written_in_chips_of_its_level(number: int) -> None:
    game, hand = told_table(), HANDS[number]
    assert hand.tournament is not None
    read = read_hand(write_pokerstars(game, hand, Money("USD", 100)))
    assert read.header["level"] == roman(hand.tournament.level)
    assert read.header["tournament"] == hand.tournament.number
    assert set(read.sitting_out) == {seat.player for seat in hand.seats if not seat.dealt_in}
    ends = {seat.player: Decimal(seat.end) for seat in hand.dealt_in}
    assert {name: read.ends[name] for name in ends} == ends
    fields = json.loads(write_ohh(game, hand, CHIPS))
    Draft202012Validator(SCHEMA).validate(fields)
    assert fields["ohh"]["big_blind_amount"] == hand.rules.big_blind
    assert fields["ohh"]["table_name"] == f"{hand.tournament.number} {TABLE}"


def test_phh_has_the_level_s_bets_and_says_who_is_away() -> None:
    written = 0
    for hand in HANDS:
        text = write_phh(told_table(), hand, CHIPS)
        if isinstance(text, str):
            written += 1
            assert f"\nmin_bet = {hand.rules.big_blind}\n" in text
            away = [e for e in hand.events if isinstance(e, Acted) and e.by is By.ABSENT]
            away = [event for event in away if hand.seat(event.seat).absent]
            assert text.count("# the player is away") == len(away)
    assert written > len(HANDS) / 2


def test_a_tournament_given_beside_tells_its_price_and_its_places(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    table, event = files
    arguments = (table, "--format", "pokerstars", "--tournament", event)
    assert export(*arguments, *DOLLARS) == 0
    text = capsys.readouterr().out
    assert len(read_file(text)) == len(HANDS)
    assert ", $10+$1.50 USD Hold'em No Limit - Level I (25/50) - " in text
    player, _, _ = last_to_go()
    assert f"\n{player} finished the tournament in 2nd place and received $45.50.\n" in text
    assert "\nwinner wins the tournament and receives $90 - congratulations!\n" in text


def test_without_a_currency_a_tournament_costs_play_money(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    table, event = files
    assert export(table, "--format", "pokerstars", "--tournament", event) == 0
    text = capsys.readouterr().out
    read_file(text)
    assert ", 1000+150 Hold'em No Limit - Level I (25/50) - " in text
    assert "\nwinner wins the tournament and receives 9000 - congratulations!\n" in text


def test_a_joined_file_is_written_as_its_tables(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, event = files
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(event.read_bytes() + table.read_bytes())
    assert export(whole, "--format", "ohh", *DOLLARS) == 0
    first, *_ = capsys.readouterr().out.split("\n")
    info = json.loads(first)["ohh"]["tournament_info"]
    assert (info["name"], info["buyin_amount"], info["type"]) == (NAME, 10, "MTT")


def test_a_tournament_s_log_alone_has_no_hands(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, event = files
    assert export(event, "--format", "ohh") == 3
    assert "a tournament's log and no table's" in capsys.readouterr().err


def test_a_tournament_that_is_none_is_told(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = files
    assert export(table, "--format", "ohh", "--tournament", table) == 2
    assert "table.jsonl has no tournament" in capsys.readouterr().err


def test_prices_are_hundredths_of_the_currency() -> None:
    told = Tournament("1", "", 20, 3, "", 1, 1, (Finish("ann", 1, 45),))
    priced = price(told, Money("EUR", 10))
    assert (priced.currency, priced.buy_in, priced.fee) == ("EUR", 200, 30)
    assert priced.finished == (Finish("ann", 1, 450),)
    assert price(told, CHIPS) == told
