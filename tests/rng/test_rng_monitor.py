"""`rng monitor`: each revealed hand once, whatever stops it, and a look every so many hands."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from audit_cli.cli import main
from audit_cli.gamefile import read_game_file
from audit_cli.inputs import UsageError
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.flaws.games_changed import (
    CARD_HAND,
    REWRITTEN_HAND,
    RIVER_HAND,
    Written,
    card_swapped,
    honest,
    rewritten,
    river_swapped,
)
from audit_cli.rng.lab import hand_mix, hand_secret
from audit_cli.rng.monitor import looks
from audit_cli.rng.monitor.looks import alpha_of, check_every, look_from_json, take_looks
from audit_cli.rng.monitor.reading import LiveGame, LiveHand, difference, read_games
from audit_cli.rng.monitor.state import NAME, State, WrongHand, opened
from audit_cli.rng.running.pool import Pool
from tests.support.service import Service, calling, seated, serving, stop
from tests.support.simulator import Habits, play_game

GAME = resources.files("audit_cli.rng.flaws") / "games" / "honest.game"
EVERY = 10_000


def write(folder: Path, game: Written, name: str = "game.jsonl") -> str:
    path = folder / name
    path.write_bytes(game.render())
    return str(path)


@pytest.fixture
def watch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*paths: str, key: str | None = None, **more: str) -> tuple[int, dict[str, Any]]:
        """Run the command with its state in one folder; exit status and what it printed."""
        key = honest().header["key"] if key is None else key
        words = [word for name, value in more.items() for word in (f"--{name}", value)]
        state = str(tmp_path / "state")
        capsys.readouterr()
        status = main(["rng", "monitor", *paths, "--key", key, "--state", state, "--json", *words])
        printed = capsys.readouterr().out
        return status, json.loads(printed) if printed else {}

    return run


def told(found: dict[str, Any]) -> list[tuple[int, str]]:
    return [(one["hand"], one["words"]) for one in found["wrong"]]


# What files tell.


def read(data: bytes) -> list[LiveGame]:
    path = read_game_file(_Bytes(data), "game")
    return [one for one in read_games(path, None) if isinstance(one, LiveGame)]


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int, /) -> bytes:
        given, self._data = self._data[:size], self._data[size:]
        return given


def test_every_revealed_hand_derives() -> None:
    (game,) = read(GAME.read_bytes())
    assert [hand.hand for hand in game.hands] == [1, 2, 3, 4, 5]
    assert (game.hidden, game.broken) == (0, ())
    assert all(difference(hand) is None for hand in game.hands)
    assert {len(hand.opened) for hand in game.hands} == {0, 3, 9}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"secret": bytes(32)}, "the revealed secret is not the one that was committed to"),
        ({"mix": bytes(32)}, "position 0 shows As, and .. is derived"),
        ({"deck_root": bytes(32)}, "the derived deck has another root than was committed to"),
        ({"hand": 2}, "the revealed secret is not the one that was committed to"),
        ({"opened": ((0, 0),)}, "position 0 shows 2c, and As is derived"),
    ],
)
def test_a_hand_that_does_not_derive_is_told_by_what_differs(
    changed: dict[str, Any], words: str
) -> None:
    (game,) = read(GAME.read_bytes())
    found = difference(replace(game.hands[0], **changed))
    assert found is not None
    assert len(found) == len(words)
    assert all(one in {other, "."} or other == "." for one, other in zip(found, words, strict=True))


def test_void_hands_are_no_hands_of_the_battery() -> None:
    simulator = play_game(seed=3, hands=6, players=3, habits=Habits(void=0.4))
    dealt = [number for number, deal in simulator.deals.items() if not deal.void]
    assert 0 < len(dealt) < len(simulator.deals)
    (game,) = read(simulator.game_file())
    assert [hand.hand for hand in game.hands] == dealt
    assert game.hidden == 0


# The command over files.


def test_a_folder_of_games_is_taken_once(watch: Any, tmp_path: Path) -> None:
    write(tmp_path, honest())
    status, found = watch(str(tmp_path))
    assert (status, found["fresh"], found["hands"]) == (0, 5, 5)
    status, found = watch(str(tmp_path))
    assert (status, found["games"], found["hands"]) == (0, 0, 5)


def test_the_same_game_in_another_file_is_not_taken_again(watch: Any, tmp_path: Path) -> None:
    watch(write(tmp_path, honest()))
    status, found = watch(write(tmp_path, honest(), "again.jsonl"))
    assert (status, found["fresh"], found["known"], found["hands"]) == (0, 0, 5, 5)


@pytest.mark.parametrize(
    ("game", "hand", "words"),
    [
        (river_swapped(), RIVER_HAND, "position 13 shows Tc, and Ts is derived"),
        (card_swapped(), CARD_HAND, "position 0 shows 3s, and 2s is derived"),
    ],
)
def test_a_hand_that_does_not_derive_is_named_and_not_counted(
    watch: Any, tmp_path: Path, game: Written, hand: int, words: str
) -> None:
    status, found = watch(write(tmp_path, game))
    assert status == 1
    assert told(found) == [(hand, words)]
    assert found["hands"] == 4


def test_what_was_wrong_once_is_never_forgotten(watch: Any, tmp_path: Path) -> None:
    watch(write(tmp_path, card_swapped()))
    status, found = watch(write(tmp_path, honest(), "honest.jsonl"))
    assert (status, found["hands"]) == (1, 5)
    assert [hand for hand, _ in told(found)] == [CARD_HAND]


def test_two_histories_of_a_hand_are_told(watch: Any, tmp_path: Path) -> None:
    watch(write(tmp_path, honest()))
    status, found = watch(write(tmp_path, rewritten(), "rewritten.jsonl"))
    assert (status, found["fresh"]) == (1, 0)
    ((hand, words),) = told(found)
    assert hand == REWRITTEN_HAND
    assert "two histories" in words


def test_hands_are_taken_when_they_are_revealed(watch: Any, tmp_path: Path) -> None:
    whole = honest()
    first_reveal = next(
        number for number, line in enumerate(whole.lines) if b'"secret_revealed"' in line
    )
    sizes = (*(size for size in whole.sizes if size <= first_reveal), first_reveal)
    path = write(tmp_path, replace(whole, lines=whole.lines[:first_reveal], sizes=sizes))
    status, found = watch(path)
    assert (status, found["hidden"], found["hands"]) == (0, 5, 0)
    status, found = watch(write(tmp_path, whole))
    assert (status, found["hidden"], found["fresh"], found["hands"]) == (0, 0, 5, 5)


def test_what_nobody_signed_is_not_taken(watch: Any, tmp_path: Path) -> None:
    last = honest().sizes[-2]
    path = write(tmp_path, replace(honest(), sizes=honest().sizes[:-1]))
    assert b'"secret_revealed"' not in b"".join(honest().lines[:last])
    status, found = watch(path)
    assert (status, found["hidden"], found["hands"]) == (0, 5, 0)


def test_a_checkpoint_that_fails_is_told(watch: Any, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(GAME.read_bytes().replace(b'"by":"policy"', b'"by":"player"', 1))
    status, found = watch(str(path))
    assert status == 1
    hand, words = told(found)[0]
    assert hand == 0
    assert "root of a checkpoint" in words
    assert found["hands"] == 0


def test_a_file_that_is_no_game_is_named_and_others_are_taken(watch: Any, tmp_path: Path) -> None:
    write(tmp_path, honest())
    (tmp_path / "a.jsonl").write_text("no game\n")
    status, found = watch(str(tmp_path))
    assert (status, found["hands"]) == (3, 5)
    assert len(found["unreadable"]) == 1
    assert "a.jsonl, line 1" in found["unreadable"][0]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nowhere"],
        [".", "--every", "9999"],
        [".", "--every", "10001"],
        [".", "--key", "x"],
        ["--log", "here"],
    ],
)
def test_a_wrong_command_line_exits_2(words: list[str], tmp_path: Path) -> None:
    assert main(["rng", "monitor", *words, "--state", str(tmp_path)]) == 2


# The state.


def test_one_monitor_at_a_time_works_with_a_state(watch: Any, tmp_path: Path) -> None:
    with opened(tmp_path / "state", None):
        assert watch(write(tmp_path, honest()))[0] == 2
    assert watch(write(tmp_path, honest()))[0] == 0


def test_a_state_keeps_its_number_of_hands_a_look(tmp_path: Path) -> None:
    with opened(tmp_path, EVERY) as state:
        assert state.every == EVERY
    with opened(tmp_path, None) as state:
        assert state.every == EVERY
    with pytest.raises(UsageError, match="takes a look every 10,000"), opened(tmp_path, 20_000):
        pass


def test_a_damaged_state_is_said(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no database at all" * 100)
    with pytest.raises(UsageError, match="can not use the state"), opened(tmp_path, None):
        pass


def lab_game(first: int, count: int, name: bytes = b"") -> LiveGame:
    """Hands of a laboratory secret as if a game had revealed them."""
    hands = []
    for index in range(first, first + count):
        secret = hand_secret(bytes(32), index)
        mix = hand_mix(index, secret)
        hands.append(LiveHand("lab", name.ljust(16, b"g"), index, secret, mix, b"", b"", ()))
    return LiveGame("lab", name.ljust(16, b"g"), tuple(hands), 0, ())


def test_a_game_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    """The last hand stands there twice, which the state refuses after it took the others."""
    game = lab_game(0, 5)
    with opened(tmp_path, None) as state:
        with pytest.raises(Exception, match="UNIQUE"):
            state.take(game, (*game.hands, game.hands[-1]), ())
        assert (state.count, state.knows_game(game.game)) == (0, False)
        state.take(game, game.hands, ())
    with opened(tmp_path, None) as state:
        assert (state.count, state.knows_game(game.game)) == (5, True)


def test_a_secret_of_two_hands_is_wrong(tmp_path: Path) -> None:
    with opened(tmp_path, None) as state:
        for name in (b"one", b"two"):
            game = lab_game(7, 1, name)
            state.take(game, game.hands, ())
        (wrong,) = state.wrong()
    assert wrong.words.startswith("has the secret of hand 7 of the game 6f6e65")


def test_what_is_wrong_is_told_as_new_once(tmp_path: Path) -> None:
    one = WrongHand("lab", b"g" * 16, 1, "words")
    game = LiveGame("lab", b"g" * 16, (), 1, ())
    with opened(tmp_path, None) as state:
        assert state.take(game, (), [one]) == [one]
        assert state.take(game, (), [one]) == []
        assert not state.knows_game(game.game)


# Looks.


def test_the_levels_of_all_looks_add_up_to_one_percent() -> None:
    levels = [alpha_of(look) for look in range(1, 100_001)]
    assert 0.00999 < sum(levels) < 0.01
    assert levels[0] == pytest.approx(0.00607927)
    assert levels[1] == pytest.approx(levels[0] / 4)


def test_a_look_is_of_100_equal_blocks() -> None:
    assert check_every(EVERY) is None
    assert check_every(1_000_000) is None
    assert "blocks" in str(check_every(EVERY + 1))
    assert "too small" in str(check_every(5_000))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as workers:
        yield workers


def fill(state: State, first: int, count: int, name: bytes) -> None:
    game = lab_game(first, count, name)
    state.take(game, game.hands, ())


def test_looks_are_taken_when_they_are_due_and_a_deck_that_came_before_is_named(
    tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look is stopped before its result is kept, and taken again."""
    numpy = engine("numpy")
    with opened(tmp_path, EVERY) as state:
        fill(state, 0, EVERY, b"first")
        fill(state, EVERY, EVERY - 1, b"second")
        assert state.looks() == []
        with monkeypatch.context() as patched:
            patched.setattr(looks, "judge_kept", _interrupt)
            with pytest.raises(KeyboardInterrupt):
                list(take_looks(state, tmp_path, numpy, pool))
        assert state.looks() == []
        (one,) = take_looks(state, tmp_path, numpy, pool)
        assert [look_from_json(text) for text in state.looks()] == [one]
    assert (one.look, one.first, one.hands, one.good, one.repeated) == (1, 0, EVERY, True, ())
    assert one.alpha == pytest.approx(0.00607927)
    assert not (tmp_path / "looks" / "00001" / "hands").exists()

    with opened(tmp_path, None) as state:
        fill(state, 4_321, 1, b"third")
        (other,) = take_looks(state, tmp_path, numpy, pool)
        assert list(take_looks(state, tmp_path, numpy, pool)) == []
    assert (other.look, other.first, other.good) == (2, EVERY, False)
    ((first, second),) = other.repeated
    assert first.startswith("hand 4,321 of the game 6669727374")
    assert second.startswith("hand 4,321 of the game 7468697264")


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


# The log of a dealer.


async def finished(service: Service) -> str:
    """Play one hand, and close the game, which reveals it."""
    game = await service.open_game()
    await service.pause(game)
    bots = await seated(service, game, "ann", "bob", policy=calling)
    await service.resume(game)
    await bots[0].until_line("hand_opened", hand=1)
    await service.pause(game)
    await bots[0].until_line("hand_ended", hand=1)
    await service.close_game(game)
    await bots[0].until_over()
    await stop(bots)
    return game


async def test_finished_games_of_a_dealer_are_taken_once(watch: Any, tmp_path: Path) -> None:
    async with serving(tmp_path / "dealer") as service:
        token = tmp_path / "token"
        token.write_text(service.operator[0][1].removeprefix("Bearer "))

        async def ask() -> tuple[int, dict[str, Any]]:
            found: tuple[int, dict[str, Any]] = await asyncio.to_thread(
                watch, "--insecure", key=service.key, log=service.address, token=str(token)
            )
            return found

        await finished(service)
        await service.open_game()
        status, found = await ask()
        assert (status, found["games"], found["hands"], found["wrong"]) == (0, 1, 1, [])
        await finished(service)
        status, found = await ask()
        assert (status, found["games"], found["fresh"], found["hands"]) == (0, 1, 1, 2)


def test_a_dealer_that_does_not_answer_exits_3(watch: Any, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("t")
    status, found = watch("--insecure", log="127.0.0.1:1", token=str(token))
    assert (status, found["hands"]) == (3, 0)
    assert len(found["unreadable"]) == 1
