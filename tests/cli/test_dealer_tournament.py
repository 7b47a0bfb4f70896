"""`tournament` at a dealer that serves: processes, pipes and signals alone."""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_service.cli import build_parser
from dealer_service.commands.failure import Failure
from dealer_service.commands.tournament import structure_of
from dealer_service.commands.tournament_telling import ordinal
from tests.support.commands import Service, dealer, only_line, serving, start

STRUCTURE = {
    "name": "Friday",
    "players_max": 2,
    "stack": "1000",
    "buy_in": "10",
    "rules": {"seats": 2, "turn_ms": "60000"},
    "levels": [{"small_blind": "50", "big_blind": "100", "chip_unit": "50"}],
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("dealer")) as running:
        yield running


def tournament(service: Service, *arguments: str, typed: str = "") -> str:
    """Run an action that is done, and give what it printed."""
    done = dealer(
        "tournament", *arguments, "--address", service.address, folder=service.folder, typed=typed
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def opened(service: Service, *options: str) -> str:
    (service.folder / "structure.json").write_text(json.dumps(STRUCTURE))
    return only_line(tournament(service, "open", "--structure", "structure.json", *options))


def test_an_operator_opens_looks_at_and_cancels_one(service: Service) -> None:
    one = opened(service, "--title", "Saturday", "--fee", "2", "--reference", "ref 7")
    assert re.fullmatch("[0-9a-f]{32}", one)
    tournament(service, "register", one, "--name", "ann", "--no-links")
    shown = tournament(service, "show", one)
    assert shown.startswith("Saturday: registering\n  1 players, 1 in, at most 2; 0 tables;")
    assert "buy-in 10 + 2, pool 10" in shown
    tournament(service, "cancel", one)
    listed = tournament(service, "list", "--state", "closed")
    assert re.search(rf"^{one}  closed .* Saturday  ref 7$", listed, re.MULTILINE)


def test_two_people_play_one_from_the_terminal_and_its_file_is_fetched(service: Service) -> None:
    """One goes all in with every hand, the other calls, until one of them has all."""
    one = opened(service)
    typed = "a\n" * 60
    watching = start("tournament", "watch", one, "--address", service.address,
                     folder=service.folder)  # fmt: skip
    playing = start(
        "tournament", "play", one, "--address", service.address, "--name", "ann",
        folder=service.folder,
    )  # fmt: skip
    assert playing.stdin is not None
    playing.stdin.write(typed)
    playing.stdin.flush()
    told = tournament(service, "play", one, "--name", "bob", typed=typed)
    heard, why = playing.communicate(timeout=60)
    assert playing.returncode == 0, why
    for each in (told, heard):
        assert "you sit at table 1, seat " in each
        assert "level 1: blinds 50/100" in each
    assert {"you are 1st: 20", "you are 2nd: 0"} <= {*told.splitlines(), *heard.splitlines()}
    seen, _ = watching.communicate(timeout=60)
    assert watching.returncode == 0
    # Two programs start at once: either may be the first to have registered.
    assert sorted(seen.splitlines()[:2]) == ["ann registers", "bob registers"]
    assert seen.endswith("the tournament is over: finished\n")
    fetched = dealer(
        "fetch", one, "--address", service.address, "--output", "t.jsonl", folder=service.folder
    )
    assert only_line(fetched.stdout) == "t.jsonl"
    header = json.loads((service.folder / "t.jsonl").read_text().partition("\n")[0])
    assert (header["format"], header["tournament"]) == ("cutcard-tournament/1", one)


def test_what_is_not_there_is_said(service: Service) -> None:
    refused = dealer(
        "tournament", "show", "0" * 32, "--address", service.address, folder=service.folder
    )
    assert refused.returncode == 3
    assert "NO_SUCH_TOURNAMENT" in refused.stderr


def options(*arguments: object) -> argparse.Namespace:
    return build_parser({}).parse_args(["tournament", "open", *map(str, arguments)])


@pytest.mark.parametrize("text", ['{"seats": 3}', "[", '{"levels": 3}', "\ud800"])
def test_a_file_that_is_no_structure_is_status_2(tmp_path: Path, text: str) -> None:
    path = tmp_path / "structure.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(Failure, match="is no structure in JSON") as caught:
        structure_of(options("--structure", path))
    assert caught.value.status == 2


def test_a_file_that_is_not_there_is_status_2(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="can not be read") as caught:
        structure_of(options("--structure", tmp_path / "none.json"))
    assert caught.value.status == 2


def test_options_go_before_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "structure.json"
    path.write_text(json.dumps(STRUCTURE))
    made = structure_of(
        options("--structure", path, "--players", 9, "--seats", 3, "--level", "5m", "--buy-in", 0)
    )
    assert (made.name, made.players_max, made.rules.seats) == ("Friday", 9, 3)
    assert ([one.length for one in made.levels], made.buy_in, made.stack) == ([300_000], 0, 1000)


def test_lengths_of_levels_need_levels() -> None:
    with pytest.raises(Failure, match="--level needs a --structure"):
        structure_of(options("--level", "5m"))


@pytest.mark.parametrize(
    ("place", "word"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (112, "112th"), (1_001, "1,001st")],
)  # fmt: skip
def test_a_place_is_written_as_people_do(place: int, word: str) -> None:
    assert ordinal(place) == word
