"""`cutcard-audit export` as a person meets it: output, files, messages, exit status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from audit_cli.cli import main
from tests.support.simulator import play_chain
from tests.support.stars_reader import read_file
from tests.support.told_houses import hands_of, played, told_house, with_another_secret

HANDS = hands_of(told_house("plain", 1))
POKERSTARS = ("--format", "pokerstars")


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Give the file of a revealed game."""
    return written(tmp_path / "game.jsonl", played("plain", 1).game_file())


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def export(*arguments: str | Path) -> int:
    return main(["export", *map(str, arguments)])


def test_a_game_goes_to_standard_output_and_void_hands_are_named(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(game, *POKERSTARS) == 0
    out, err = capsys.readouterr()
    assert len(read_file(out)) == len(HANDS)
    voids = 25 - len(HANDS)
    assert voids
    assert err.count("is void, and left out: ") == voids


def test_one_hand_alone(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = HANDS[3].number
    assert export(game, *POKERSTARS, "--hand", str(number)) == 0
    out, err = capsys.readouterr()
    (read,) = read_file(out)
    assert (read.header["id"] or "").endswith(f"{number:06}")
    assert not err


def test_a_hand_that_is_not_there(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(game, *POKERSTARS, "--hand", "77") == 2
    assert "has no hand 77" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "x", "1e3", "\uff19"])
def test_what_is_no_number_of_a_hand(
    game: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        export(game, *POKERSTARS, f"--hand={number}")
    assert ended.value.code == 2
    assert "a whole number from 1 on" in capsys.readouterr().err


def test_a_hero_gets_the_hands_that_dealt_it_in(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(game, *POKERSTARS, "--hero", "ben") == 0
    out, err = capsys.readouterr()
    mine = [hand for hand in HANDS if any(seat.player == "ben" for seat in hand.dealt_in)]
    reads = read_file(out)
    assert len(reads) == len(mine) < len(HANDS)
    assert {tuple(read.dealt) for read in reads} == {("ben",)}
    assert f"did not deal the player in: {len(HANDS) - len(mine)}\n" in err


def test_an_unknown_hero_is_told_who_played(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(game, *POKERSTARS, "--hero", "Ben\x1b") == 2
    err = capsys.readouterr().err
    assert "--hero Ben\\x1b: no hand dealt such a player in" in err
    assert "players: ann, ben," in err


def test_chips_as_money(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(game, *POKERSTARS, "--hand", "1", "--currency", "EUR") == 0
    assert "(€0.50/€1.00 EUR)" in capsys.readouterr().out
    assert export(game, *POKERSTARS, "--hand", "1", "--currency", "USD", "--per-unit", "1") == 0
    assert "($50/$100 USD)" in capsys.readouterr().out


def test_a_currency_s_sign_is_utf_8_whatever_the_language(game: Path) -> None:
    command = [sys.executable, "-m", "audit_cli", "export", str(game), *POKERSTARS, "--hand", "1"]
    done = subprocess.run(
        [*command, "--currency", "EUR"],
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert "(€0.50/€1.00 EUR)" in done.stdout.decode()


def test_what_a_unit_is_worth_goes_with_a_currency(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(game, *POKERSTARS, "--per-unit", "10") == 2
    assert "how many chips make one of a currency" in capsys.readouterr().err


def test_a_file_is_written_whole_and_replaced(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "hands.txt"
    output.write_text("before")
    assert export(game, *POKERSTARS, "--output", output) == 0
    out, err = capsys.readouterr()
    assert not out
    assert err.endswith(f"note: wrote {output}\n")
    assert len(read_file(output.read_text())) == len(HANDS)


def test_a_folder_gets_a_file_for_each_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = play_chain(seed=1, games=2, hands=2)
    data = b"".join(one.game_file() for one in chain)
    folder = tmp_path / "new" / "hands"
    assert export(written(tmp_path / "c.jsonl", data), *POKERSTARS, "--output", f"{folder}/") == 0
    games = [json.loads(one.game_file().splitlines()[0])["game"] for one in chain]
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(f"cutcard-{name}.txt" for name in games)
    assert all(len(read_file(path.read_text())) == 2 for path in folder.iterdir())
    assert capsys.readouterr().err.count("note: wrote ") == 2


def test_a_place_that_can_not_be_written(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(game, *POKERSTARS, "--output", tmp_path / "none" / "hands.txt") == 2
    assert "can not write " in capsys.readouterr().err
    assert export(game, *POKERSTARS, "--output", f"{game}/") == 2
    assert "--output " in capsys.readouterr().err


def test_the_game_itself_is_not_written_over(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = game.read_bytes()
    (tmp_path / "link").symlink_to(game)
    for output in (game, tmp_path / "link"):
        assert export(game, *POKERSTARS, "--output", output) == 2
        assert "is the file that is read" in capsys.readouterr().err
    assert game.read_bytes() == before


def test_a_pipe_is_written_into(game: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "audit_cli", "export", str(game), *POKERSTARS]
    with subprocess.Popen([*command, "--hand", "1", "--output", str(pipe)]) as running:
        assert len(read_file(pipe.read_text())) == 1
    assert running.returncode == 0
    assert pipe.is_fifo()


@pytest.mark.parametrize("command", [("export", *POKERSTARS), ("review",), ("review", "--json")])
def test_an_output_that_is_full_is_said(game: Path, command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "audit_cli", *command, str(game)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.endswith(
        b"cutcard-audit: error: can not write to standard output: no space left on device\n"
    )


def test_a_link_is_followed(game: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "hands.txt")
    assert export(game, *POKERSTARS, "--output", tmp_path / "link") == 0
    assert (tmp_path / "link").is_symlink()
    assert len(read_file((tmp_path / "hands.txt").read_text())) == len(HANDS)


@pytest.mark.parametrize(("reveal", "mode"), [(True, 0o644), (False, 0o600)])
def test_cards_that_not_all_have_seen_are_for_the_owner_alone(
    tmp_path: Path, reveal: bool, mode: int
) -> None:
    data = played("plain", 1, reveal=reveal).game_file(openings_of="ben")
    output = tmp_path / "hands.txt"
    masked = os.umask(0o022)
    try:
        mine = written(tmp_path / "mine.jsonl", data)
        assert export(mine, *POKERSTARS, "--hero", "ben", "--output", output) == 0
    finally:
        os.umask(masked)
    assert output.stat().st_mode & 0o777 == mode


def test_a_game_that_comes_twice_has_one_file_with_all_its_hands(tmp_path: Path) -> None:
    data = played("plain", 1).game_file() * 2
    folder = tmp_path / "hands"
    assert export(written(tmp_path / "2.jsonl", data), *POKERSTARS, "--output", f"{folder}/") == 0
    (path,) = folder.iterdir()
    assert len(read_file(path.read_text())) == 2 * len(HANDS)


def test_in_a_file_of_several_games_a_hand_is_named_with_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = played("plain", 1).game_file() + played("plain", 2).game_file()
    assert export(written(tmp_path / "two.jsonl", data), *POKERSTARS) == 0
    out, err = capsys.readouterr()
    assert len(read_file(out)) == len(HANDS) + len(hands_of(told_house("plain", 2)))
    assert " of game " in err


def test_a_game_that_is_not_revealed_says_how_many_hands_hide_cards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = played("plain", 1, reveal=False).game_file()
    assert export(written(tmp_path / "open.jsonl", data), *POKERSTARS) == 0
    assert "note: hands with cards that the file does not tell: " in capsys.readouterr().err


def test_a_hero_with_its_own_openings_misses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = played("plain", 1, reveal=False).game_file(openings_of="ben")
    assert export(written(tmp_path / "mine.jsonl", data), *POKERSTARS, "--hero", "ben") == 0
    out, err = capsys.readouterr()
    assert all(tuple(read.dealt) == ("ben",) for read in read_file(out))
    assert "does not tell" not in err


def test_a_hand_that_does_not_fit_is_an_error_and_the_others_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = with_another_secret(played("plain", 1).game_file())
    assert export(written(tmp_path / "wrong.jsonl", data), *POKERSTARS) == 1
    out, err = capsys.readouterr()
    assert len(read_file(out)) == len(HANDS) - 1
    assert "error: hand 1 does not fit together: the deck derived from its secret" in err


def test_a_game_that_goes_on_leaves_its_open_hand_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = played("plain", 1).game_file().splitlines(keepends=True)
    ended = [at for at, line in enumerate(lines) if b'"hand_ended"' in line]
    assert export(written(tmp_path / "on.jsonl", b"".join(lines[: ended[1]])), *POKERSTARS) == 0
    out, err = capsys.readouterr()
    assert len(read_file(out)) == 1
    assert "is left out: the game file ends before the hand" in err


def test_what_is_no_game_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "none.jsonl", b"nothing\n")
    assert export(path, *POKERSTARS) == 3
    assert f"error: {path}, line 1: no header" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path / "none", *POKERSTARS) == 2
    assert "can not open" in capsys.readouterr().err
