"""`game` at a dealer that serves: an operator's calls from the command line."""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_service.cli import build_parser
from dealer_service.commands.failure import Failure
from dealer_service.commands.game import rules_of
from tests.support.commands import Service, dealer, only_line, serving

RULES = {"seats": 4, "small_blind": "5", "big_blind": "10", "turn_ms": "60000"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("dealer")) as running:
        yield running


def game(service: Service, *arguments: str, status: int = 0) -> tuple[str, str]:
    """Run an action; what it printed, and what it said besides."""
    done = dealer("game", *arguments, "--address", service.address, folder=service.folder)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def test_a_game_from_its_opening_to_its_close(service: Service) -> None:
    (service.folder / "rules.json").write_text(json.dumps(RULES))
    options = ("--rules", "rules.json", "--seats", "3", "--reference", "table 7")
    again = ("--request-id", "open-table-7")
    one = only_line(game(service, "open", *options, *again)[0])
    assert re.fullmatch("[0-9a-f]{32}", one)
    assert only_line(game(service, "open", *options, *again)[0]) == one
    listed = only_line(game(service, "list", "--state", "open")[0])
    assert listed == f"{one}  open      0 hands, 0 of 3 seats taken  5/10  table 7"
    game(service, "pause", one)
    shown = json.loads(game(service, "show", one, "--json")[0])
    assert (shown["game"], shown["state"], shown["rules"]["seats"]) == (one, "paused", 3)
    game(service, "resume", one)
    assert "rules: {" in game(service, "show", one)[0]
    assert "entries; `cutcard-dealer fetch` writes its file" in game(service, "close", one)[1]
    assert json.loads(game(service, "list", "--json")[0])["state"] == "revealed"


def test_what_the_dealer_refuses_is_said_with_its_reason(service: Service) -> None:
    one = only_line(game(service, "open")[0])
    for action in (("void", one, "1"), ("remove", one, "ann"), ("show", "0" * 32)):
        said = game(service, *action, status=3)[1]
        assert re.match(r"cutcard-dealer: error: the dealer refused \([A-Z_]+\): ", said), said


def options(*arguments: object) -> argparse.Namespace:
    return build_parser({}).parse_args(["game", "open", *map(str, arguments)])


def test_options_go_before_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(RULES))
    rules = rules_of(options("--rules", path, "--blinds", "50/100"))
    assert (rules.small_blind, rules.big_blind, rules.seats) == (50, 100, 4)


@pytest.mark.parametrize("text", ["{", "[]", '{"seat": 4}', '{"seats": "many"}'])
def test_a_file_that_is_no_rule_set_is_status_2(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rules.json"
    path.write_text(text)
    with pytest.raises(Failure, match="is no rule set in JSON") as failed:
        rules_of(options("--rules", path))
    assert failed.value.status == 2
