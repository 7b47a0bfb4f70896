"""`bots --tournament` at a dealer that serves: processes and signals alone."""

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import SECONDS, Service, dealer, only_line, serving, start
from tests.support.ports import free_port

STRUCTURE = {
    "players_max": 4,
    "stack": "1000",
    "buy_in": "100",
    "level_by": "hands",
    "rules": {"seats": 4, "turn_ms": "60000", "link_ms": "60000"},
    "levels": [
        {
            "small_blind": str(50 * 2**n),
            "big_blind": str(100 * 2**n),
            "chip_unit": "50",
            "length": 2,
        }
        for n in range(8)
    ],
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("dealer")) as running:
        yield running


@pytest.fixture
def tournament(service: Service) -> str:
    (service.folder / "structure.json").write_text(json.dumps(STRUCTURE))
    opened = dealer(
        "tournament", "open", "--structure", "structure.json", "--address", service.address,
        folder=service.folder,
    )  # fmt: skip
    return only_line(opened.stdout)


def test_they_fill_a_tournament_play_it_out_and_say_how_it_went(
    service: Service, tournament: str
) -> None:
    ran = dealer(
        "bots", "--address", service.address, "--tournament", tournament, "--pace", "0",
        folder=service.folder,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
    assert "note: 4 house players entered" in ran.stderr
    told = re.findall(
        r"note: house-(\d), (\w+), played \d+ hands; (\d)\w\w, prize (\d+)$",
        ran.stderr,
        re.MULTILINE,
    )
    assert sorted(number for number, *_ in told) == ["1", "2", "3", "4"]
    assert {int(place) for *_, place, _ in told} <= {1, 2, 3, 4}
    assert sum(int(prize) for *_, prize in told) == 400
    assert [level for number, level, *_ in sorted(told)] == [
        "beginner",
        "intermediate",
        "professional",
        "beginner",
    ]
    late = dealer(
        "bots", "--address", service.address, "--tournament", tournament, folder=service.folder
    )
    assert late.returncode == 0
    assert "the tournament takes nobody any more" in late.stderr


def test_an_interrupt_takes_registrations_back_before_the_start(
    service: Service, tournament: str
) -> None:
    waiting = start(
        "bots", "--address", service.address, "--tournament", tournament, "--players", "3",
        "--level", "beginner", folder=service.folder,
    )  # fmt: skip
    assert waiting.stderr is not None
    assert waiting.stderr.readline().endswith("note: 3 house players entered\n")
    waiting.send_signal(signal.SIGINT)
    _, told = waiting.communicate(timeout=SECONDS)
    assert waiting.returncode == 0, told
    assert told.count("beginner, played 0 hands; it withdrew") == 3
    shown = dealer(
        "tournament", "show", tournament, "--address", service.address, folder=service.folder
    )
    assert "0 in" in shown.stdout


def test_players_that_were_killed_play_on_when_the_same_command_comes_again(
    service: Service, tournament: str
) -> None:
    command = ("bots", "--address", service.address, "--tournament", tournament, "--pace")
    first = start(*command, "60", folder=service.folder)
    assert first.stderr is not None
    assert first.stderr.readline().endswith("note: 4 house players entered\n")
    first.kill()
    first.communicate()
    again = dealer(*command, "0", folder=service.folder)
    assert again.returncode == 0, again.stderr
    assert "note: 4 house players entered" in again.stderr
    assert len(re.findall(r"; \d\w\w, prize \d+$", again.stderr, re.MULTILINE)) == 4


def test_they_play_on_when_the_dealer_was_killed_and_has_restarted(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    (tmp_path / "structure.json").write_text(json.dumps(STRUCTURE | {"stack": "20000"}))
    with serving(tmp_path, "--listen", address) as service:
        opened = dealer(
            "tournament", "open", "--structure", "structure.json", "--address", address,
            folder=tmp_path,
        )  # fmt: skip
        players = start(
            "bots", "--address", address, "--tournament", only_line(opened.stdout), "--pace", "0",
            folder=tmp_path,
        )  # fmt: skip
        records = tmp_path / "cutcard-records"
        while not any(b'"hand":2' in each.read_bytes() for each in records.glob("*.record")):
            assert players.poll() is None
        service.process.kill()
        service.process.wait()
    with serving(tmp_path, "--listen", address):
        _, told = players.communicate(timeout=SECONDS)
    assert players.returncode == 0, told
    assert len(re.findall(r"; \d\w\w, prize \d+$", told, re.MULTILINE)) == 4


def test_an_interrupt_behind_the_start_says_what_becomes_of_the_players(
    service: Service, tournament: str
) -> None:
    playing = start(
        "bots", "--address", service.address, "--tournament", tournament, "--pace", "60",
        "--records", "interrupted", folder=service.folder,
    )  # fmt: skip
    records = service.folder / "interrupted"
    while not any(b'"hand":1' in each.read_bytes() for each in records.glob("*.record")):
        assert playing.poll() is None
    playing.send_signal(signal.SIGINT)
    _, told = playing.communicate(timeout=SECONDS)
    assert playing.returncode == 130
    assert "gone: the dealer deals the house players in, and folds for them" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "one of the arguments --game --tournament is required"),
        (["--game", "new", "--tournament", "00" * 16], "not allowed with argument --game"),
        (["--tournament", "00"], "is not a game's ID"),
        (["--tournament", "00" * 16, "--players", "0"], "no whole number from 1 to 10000"),
    ],
)
def test_a_wrong_command_line_is_status_2(tmp_path: Path, options: list[str], words: str) -> None:
    refused = dealer("bots", *options, folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert words in refused.stderr


def test_what_is_not_there_can_not_be_entered(service: Service) -> None:
    refused = dealer(
        "bots", "--tournament", "00" * 16, "--address", service.address, folder=service.folder
    )
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "the dealer refused (NO_SUCH_TOURNAMENT)" in refused.stderr
