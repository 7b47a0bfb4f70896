"""However many processes share an audit, its report is the same; and it needs all of them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from audit_cli import ahead, cli
from audit_cli.canonical import MAX_LINE
from audit_cli.examined import Examined, Task, examine
from audit_cli.gamefile import Foreseen
from tests.support.mutations import count_changes, mutate_bytes, mutate_line, mutate_order
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    LIVELY,
    Simulator,
    play_chain,
    play_game,
)
from tests.support.tournament_tables import play_table

MANY = count_changes(6)


@cache
def honest() -> Simulator:
    return play_game(seed=5, hands=12, players=5, habits=LIVELY)


@cache
def house(name: str) -> Simulator:
    return play_game(seed=6, hands=6, players=5, habits=HOUSE_LIFE, rules=HOUSES[name])


@cache
def table() -> Simulator:
    return play_table(seed=5, hands=6, hands_of_a_level=3)


@cache
def chain() -> list[Simulator]:
    return play_chain(seed=3, games=3, hands=3)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a small file be many blocks, so that they are shared out."""
    monkeypatch.setattr(ahead, "BLOCK", 4096)


Reported = tuple[int, str, str]


@pytest.fixture
def report(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Reported]:
    def run(data: bytes, *options: str, workers: int) -> Reported:
        path = tmp_path / "game.txt"
        path.write_bytes(data)
        capfd.readouterr()
        told = ["--workers", str(workers), "--evidence", str(tmp_path), *options]
        status = cli.main(["verify", str(path), *told])
        return status, *capfd.readouterr()

    return run


def assert_same(report: Callable[..., Reported], data: bytes, *options: str) -> None:
    """Compare the words of one process with two's, and its JSON with three's, byte for byte."""
    for workers, more in ((2, ()), (3, ("--json",))):
        alone = report(data, *options, *more, workers=1)
        assert report(data, *options, *more, workers=workers) == alone


@pytest.mark.parametrize("name", HOUSES)
def test_an_honest_game_of_every_house_is_told_the_same(
    name: str, report: Callable[..., Reported]
) -> None:
    assert_same(report, house(name).game_file(openings_of="ann"), "--key", house(name).key)


def test_a_chain_of_games_and_a_tournament_s_table_are_told_the_same(
    report: Callable[..., Reported],
) -> None:
    assert_same(report, b"".join(game.game_file() for game in chain()))
    assert_same(report, table().game_file(openings_of="ann"))


@pytest.mark.parametrize("seed", range(MANY))
def test_changed_bytes_are_told_the_same(seed: int, report: Callable[..., Reported]) -> None:
    assert_same(report, mutate_bytes(Random(seed), honest().game_file(openings_of="ann")))


@pytest.mark.parametrize("seed", range(3 * MANY))
def test_changed_entries_signed_again_are_told_the_same(
    seed: int, report: Callable[..., Reported]
) -> None:
    random = Random(seed)
    game = random.choice([honest(), table(), house(random.choice(list(HOUSES)))])
    transcript = game.transcript(openings_of="ann")
    for _ in range(random.choice([1, 1, 2, 10])):
        random.choice([mutate_line, mutate_line, mutate_order])(random, transcript)
        if not transcript.lines:
            break
    assert_same(report, transcript.render(game.signer))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"no game\n",
        b"x" * (MAX_LINE + 10),
        b'{"at":1,"paused":{}}\n' * 500,
    ],
    ids=["nothing", "a line feed", "another file", "an endless line", "entries without a header"],
)
def test_what_is_no_game_file_is_told_the_same(
    data: bytes, report: Callable[..., Reported]
) -> None:
    assert_same(report, data)


def test_an_endless_line_behind_good_ones_is_told_the_same(
    report: Callable[..., Reported],
) -> None:
    data = honest().game_file()
    assert_same(report, data + b"{" * (2 * MAX_LINE))
    assert_same(report, data + b"{" * (2 * MAX_LINE) + b"\n" + data)


def test_a_worker_follows_the_play_of_whole_hands_ahead() -> None:
    data = play_game(seed=5, hands=12, players=5).game_file()
    found = examine(Task(data, "", False, [])).runs
    assert sum(foreseen is not None for *_, foreseen in found) >= 6


def test_what_is_foreseen_of_a_hand_is_the_same_whatever_was_followed_before() -> None:
    data = play_game(seed=5, hands=12, players=5).game_file()
    opened = next(line for line in data.splitlines() if b',"game_opened":{' in line[:40])
    starts = [found.start() + 1 for found in re.finditer(rb'\n\{"at":\d+,"hand_opened"', data)]
    hands = [data[at:end] for at, end in pairwise([*starts, len(data)])]
    wrong = hands[3].replace(b'"turn":2}', b'"turn":3}')
    assert wrong != hands[3]

    def foresee(block: bytes) -> list[Foreseen | None]:
        return [foreseen for *_, foreseen in examine(Task(block, "", False, [], opened)).runs]

    first = [foresee(hand) for hand in hands]
    assert sum(foreseen is not None for runs in first for foreseen in runs) >= 6
    for hand, found in zip(reversed(hands), reversed(first), strict=True):
        assert foresee(hand) == found
        assert not any(foresee(wrong))
        assert foresee(hand) == found


def test_what_a_check_would_speak_of_is_not_foreseen() -> None:
    data = play_game(seed=5, hands=12, players=5).game_file()
    wrong = data.replace(b'"turn":2}', b'"turn":3}')
    assert wrong != data
    assert not any(foreseen for *_, foreseen in examine(Task(wrong, "", False, [])).runs)


@pytest.mark.parametrize("kind", ["dealt", "opened", "acted", "awarded", "mucked"])
def test_play_behind_a_hand_that_was_followed_ahead_is_told_the_same(
    kind: str, report: Callable[..., Reported]
) -> None:
    game = play_game(seed=5, hands=12, players=5)
    transcript = game.transcript()
    again = transcript.all(kind)[0]
    for end in reversed(transcript.all("hand_ended")):
        transcript.insert(end.index + 1, end.at, again.kind, again.body)
    assert_same(report, transcript.render(game.signer))


def test_an_answer_without_room_is_worked_out_by_the_audit_itself(
    report: Callable[..., Reported], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "SLOT", 6_000)
    assert_same(report, honest().game_file())


def test_a_worker_that_ends_gives_no_verdict(
    report: Callable[..., Reported], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = os.getpid()

    def die(task: Task) -> Examined:
        if os.getpid() != audit:
            os.kill(os.getpid(), signal.SIGKILL)
        return Examined([None] * task.block.count(b"\n"), [], [], [])

    monkeypatch.setattr(ahead, "examine", die)
    status, told, complaint = report(honest().game_file(), workers=2)
    assert status == 3
    assert told == ""
    assert "ended early, by signal 9" in complaint
    assert "holds" not in complaint


def test_an_interrupt_ends_the_audit_and_its_workers() -> None:
    command = [sys.executable, "-m", "audit_cli", "verify", "--workers", "3", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin is not None
        process.stdin.write(honest().game_file() * 8)
        process.stdin.flush()
        wait_for(lambda: len(children_of(process.pid)) == 2)
        workers = children_of(process.pid)
        for _ in range(10):
            # As a terminal does it: the whole group is interrupted. An interrupt that comes
            # between two reads of a pipe waits for the second one, so that there is another.
            os.killpg(process.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(3)
                break
        assert process.returncode == 130
        wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def children_of(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()


def wait_for(true: Callable[[], bool]) -> None:
    latest = time.monotonic() + 30
    while not true():
        assert time.monotonic() < latest
        time.sleep(0.01)


def test_a_number_of_workers_is_asked_for_in_figures(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("0", "65", "two", "-1", ""):
        with pytest.raises(SystemExit) as ended:
            cli.main(["verify", "game.txt", "--workers", wrong])
        assert ended.value.code == 2
        assert "a number of processes from 1 to 64" in capsys.readouterr().err


def test_the_report_says_nothing_of_workers(report: Callable[..., Reported]) -> None:
    _, told, _ = report(honest().game_file(), "--json", workers=2)
    assert "worker" not in json.dumps(json.loads(told))
