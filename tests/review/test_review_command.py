"""`cutcard-audit review` as a person meets it: what is told, messages, exit status."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit_cli.cli import main
from audit_cli.told.hand import Void
from tests.support.simulator import play_chain
from tests.support.told_houses import hands_of, played, told_house, with_another_secret

GAME = told_house("plain", 1)
HANDS = hands_of(GAME)
VOIDS = [told.hand for told in GAME.hands if isinstance(told.hand, Void)]


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Give the file of a revealed game."""
    return written(tmp_path / "game.jsonl", played("plain", 1).game_file())


def review(*arguments: str | Path) -> int:
    return main(["review", *map(str, arguments)])


def numbers(text: str) -> Iterator[int]:
    """Give the hands that were told, in their order."""
    for line in text.splitlines():
        if line.startswith("Hand "):
            yield int(line.split()[1].replace(",", ""))


def test_a_game_is_told_hand_by_hand_with_its_figures(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review(game) == 0
    out, err = capsys.readouterr()
    assert list(numbers(out)) == [told.hand.number for told in GAME.hands]
    assert out.startswith(f"Game {GAME.game} of dealer.example.com\n")
    assert f"{len(HANDS)} hands played, {len(VOIDS)} void\n" in out
    assert "\nplayer  hands  VPIP  PFR" in out
    assert not err
    assert "\x1b" not in out


def test_players_that_come_and_go_are_told_between_hands(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review(game) == 0
    out = capsys.readouterr().out
    assert out.index("ann takes seat 1 with ") < out.index("Hand 1 ")


def test_one_hand_alone_has_no_figures(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = HANDS[3].number
    assert review(game, "--hand", str(number)) == 0
    out = capsys.readouterr().out
    assert list(numbers(out)) == [number]
    assert "VPIP" not in out
    assert "takes seat" not in out


def test_colours_are_there_when_they_are_asked_for(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert review(game, "--hand", "1", "--color", "always") == 0
    assert "\x1b[1mHand 1\x1b[0m" in capsys.readouterr().out


class Terminal(io.StringIO):
    """A standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_is_written_to_in_colour(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert review(game, "--hand", "1") == 0
    assert "\x1b[1mHand 1\x1b[0m" in terminal.getvalue()


def test_a_player_gets_its_hands_and_its_figures(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review(game, "--player", "ben") == 0
    out = capsys.readouterr().out
    mine = [hand.number for hand in HANDS if any(seat.player == "ben" for seat in hand.dealt_in)]
    assert list(numbers(out)) == mine
    assert len(mine) < len(HANDS)
    table = out[out.index("\nplayer ") :].splitlines()
    assert table[2].split()[:2] == ["ben", str(len(mine))]
    assert table[3].startswith("VPIP: ")


def test_a_hero_sees_no_hidden_card(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review(game, "--hero", "ben") == 0
    out = capsys.readouterr().out
    assert "not shown at the table" not in out
    for line in out.splitlines():
        if line.startswith("  seat ") and " ben " in line:
            assert line.split()[-1][-1] in "cdhs"


@pytest.mark.parametrize("option", ["--hero", "--player"])
def test_an_unknown_player_is_told_who_played(
    game: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review(game, option, "Ben\x1b") == 2
    err = capsys.readouterr().err
    assert f"error: {option} Ben\\x1b: no hand dealt such a player in\n" in err
    assert "hint: players: ann, ben," in err


def test_a_hand_that_is_not_there(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review(game, "--hand", "77") == 2
    assert "has no hand 77" in capsys.readouterr().err


def test_json_says_the_same_for_programs(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review(game, "--json") == 0
    (told,) = json.loads(capsys.readouterr().out)["games"]
    assert told["game"] == GAME.game
    assert told["rules"]["big_blind"] == 100
    assert told["rules"]["game"]["hole_cards"] == 2
    kinds = [hand["kind"] for hand in told["hands"]]
    assert kinds.count("played") == len(HANDS)
    assert kinds.count("void") == len(VOIDS)
    first = next(hand for hand in told["hands"] if hand["kind"] == "played")
    assert first["events"][0] == {
        "kind": "posted",
        "at": HANDS[0].events[0].at,
        "seat": HANDS[0].small_blind,
        "what": "small_blind",
        "amount": 50,
        "stack": HANDS[0].seat(HANDS[0].small_blind or 0).stack - 50,
        "bet": True,
    }
    nets = sum(player["net"] for player in told["players"].values())
    assert nets == -sum(hand.rake for hand in HANDS)


def test_json_names_what_the_house_rules_keep_in_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "game.jsonl", played("mississippi", 1).game_file())
    assert review(path, "--json") == 0
    rules = json.loads(capsys.readouterr().out)["games"][0]["rules"]
    assert rules["ante"] == {"kind": "big_blind", "amount": 100}
    assert rules["straddle"] == {"kind": "mississippi", "doubles": False}
    assert rules["rake"] == {
        "per_ten_thousand": 500,
        "caps": [{"players": 2, "cap": 150}, {"players": 4, "cap": 300}],
        "no_flop_no_drop": True,
    }


def test_games_that_go_on_from_each_other_are_told_in_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"".join(one.game_file() for one in play_chain(seed=1, games=2, hands=2))
    assert review(written(tmp_path / "chain.jsonl", data)) == 0
    out = capsys.readouterr().out
    assert out.count("Game ") == 2
    assert out.count("2 hands played\n") == 2
    assert list(numbers(out)) == [1, 2, 1, 2]


def test_a_hand_that_does_not_fit_is_named_and_the_others_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = with_another_secret(played("plain", 1).game_file())
    assert review(written(tmp_path / "wrong.jsonl", data)) == 1
    out = capsys.readouterr().out
    assert "Hand 1 can not be told: the deck derived from its secret is not" in out
    assert f"{len(HANDS) - 1} hands played, {len(VOIDS)} void, 1 not told\n" in out


def test_a_game_that_goes_on_is_told_as_far_as_it_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = played("plain", 1).game_file().splitlines(keepends=True)
    ended = [at for at, line in enumerate(lines) if b'"hand_ended"' in line]
    assert review(written(tmp_path / "on.jsonl", b"".join(lines[: ended[1]]))) == 0
    out = capsys.readouterr().out
    assert "to no close in this file\nnot revealed: " in out
    assert "can not be told: the game file ends before the hand\n" in out


def test_what_is_no_game_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "none.jsonl", b"nothing\n")
    assert review(path) == 3
    assert f"error: {path}, line 1: no header" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review(tmp_path / "none") == 2
    assert "can not open" in capsys.readouterr().err
