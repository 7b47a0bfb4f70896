"""A tournament's table, reviewed: levels, who is away, races, and figures over all levels."""

import json
import re
from pathlib import Path

import pytest

from audit_cli.cli import main
from audit_cli.review.painting import Paint
from audit_cli.review.statistics import count_session
from audit_cli.review.story import tell_hand
from audit_cli.told.events import Acted, Street
from audit_cli.told.hand import Hand, Seat
from tests.support.told_houses import hands_of
from tests.support.told_tournaments import (
    NAME,
    TABLE,
    event_log,
    table,
    table_file,
    told_table,
    tournament_file,
)
from tests.support.tournament_tables import LEVELS, TOURNAMENT

HANDS = hands_of(told_table())
PLAIN = Paint(on=False)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Give a table's file and its tournament's."""
    game, event = tmp_path / "table.jsonl", tmp_path / "event.jsonl"
    game.write_bytes(table_file())
    event.write_bytes(tournament_file(event_log()))
    return game, event


def review(*arguments: str | Path) -> int:
    return main(["review", *map(str, arguments)])


def test_the_table_and_each_hand_s_level_are_told(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    game, event = files
    assert review(game, "--tournament", event) == 0
    out = capsys.readouterr().out
    assert f"\ntable {TABLE} of tournament {TOURNAMENT}, {NAME}\n" in out
    assert "  level 1, blinds 25 and 50\n" in out
    assert "  level 2, blinds 50 and 100, an ante of the big blind of 100\n" in out
    assert re.search(r"\n[a-z]+ has [0-9,]+, odd chips being colored up\n", out)


def test_a_table_whose_tournament_is_not_there_is_told_by_its_id(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert review(files[0]) == 0
    assert f"\ntable {TABLE} of tournament {TOURNAMENT}\n" in capsys.readouterr().out


def test_who_is_away_is_told_so_and_not_as_having_left() -> None:
    seen = 0
    for hand in HANDS:
        away = {seat.player for seat in hand.seats if seat.absent}
        for line in tell_hand(hand, PLAIN):
            if line.endswith(", being away"):
                seen += 1
                assert line.split()[0] in away
            if line.endswith(", having left"):
                assert line.split()[0] not in away
            if line.startswith("  seat ") and line.split()[2] in away:
                assert "away" in line
    assert seen


def test_who_waits_for_the_button_is_told_so() -> None:
    waiting = [hand for hand in HANDS if any(seat.state == "waiting" for seat in hand.seats)]
    assert waiting
    text = "\n".join(tell_hand(waiting[0], PLAIN))
    assert "(waiting for the button to pass)" in text


def test_json_has_the_rules_of_each_hand_s_level(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert review(files[0], "--tournament", files[1], "--json") == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    played = [hand for hand in game["hands"] if hand["kind"] == "played"]
    assert len(played) == len(HANDS)
    for hand in played:
        level = LEVELS[hand["tournament"]["level"] - 1]
        assert hand["tournament"]["name"] == NAME
        assert hand["rules"]["big_blind"] == level.big_blind
        ante = level.ante
        wanted = None if ante is None else {"kind": ante.kind.value, "amount": ante.amount}
        assert hand["rules"]["ante"] == wanted


def test_who_is_away_has_its_hand_counted_and_no_turn_in_it() -> None:
    away = 0
    for name, session in count_session(HANDS).items():
        mine = [hand for hand in HANDS if name in {seat.player for seat in hand.dealt_in}]
        there = [hand for hand in mine if not _seat_of(hand, name).absent]
        away += len(mine) - len(there)
        assert session.hands == len(mine)
        assert session.first_turns == sum(_has_turn(hand, name) for hand in there)
        assert session.vpip <= session.first_turns
    assert away


def test_blinds_and_antes_of_any_level_are_no_will_of_their_own() -> None:
    """Counted again from the log's lines: calls and raises before the flop, posts left aside."""
    wanted: dict[str, int] = {}
    names: dict[int, str] = {}
    street = "before"
    acted: set[int] = set()
    for line in table().transcript().all():
        if line.kind == "hand_opened":
            names = {seat["seat"]: seat["player"] for seat in line.body["seats"]}
            street, acted = "before", set()
        elif line.kind == "opened" and "board" in line.body:
            street = "behind"
        elif line.kind == "acted" and street == "before":
            if line.body["act"] in {"call", "bet", "raise"}:
                acted.add(line.body["seat"])
        elif line.kind == "hand_ended":
            for seat in acted:
                wanted[names[seat]] = wanted.get(names[seat], 0) + 1
    counted = {name: one.vpip for name, one in count_session(HANDS).items() if one.vpip}
    assert counted == wanted


def test_chips_of_all_levels_are_summed() -> None:
    assert sum(session.net for session in count_session(HANDS).values()) == 0


def _seat_of(hand: Hand, name: str) -> Seat:
    return next(seat for seat in hand.seats if seat.player == name)


def _has_turn(hand: Hand, name: str) -> bool:
    seat = _seat_of(hand, name).seat
    acts = [event for event in hand.events if isinstance(event, Acted)]
    return any(act.seat == seat and act.street is Street.PREFLOP for act in acts)
