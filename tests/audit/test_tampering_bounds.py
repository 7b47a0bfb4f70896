"""Inputs made to exhaust an auditor: bounded memory, a clean error, no traceback (T21)."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.limited import limited
from tests.support.simulator import play_game

GIB = 1024**3
LIMIT = GIB // 2
ROOT = Path(__file__).resolve().parents[2]


def verify(
    *arguments: str, stdin: "int | None" = None, data: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with half a GiB of memory."""
    return subprocess.run(
        [*limited("RLIMIT_AS", LIMIT), "audit_cli", "verify", *arguments],
        cwd=ROOT,
        input=data,
        stdin=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )


def assert_clean(done: subprocess.CompletedProcess[bytes], status: int) -> None:
    assert done.returncode == status, done.stderr.decode()
    assert b"Traceback" not in done.stderr + done.stdout


def test_a_sparse_file_of_ten_gigabytes_in_one_line_is_refused_in_bounded_memory(
    tmp_path: Path,
) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(10 * GIB)
    assert_clean(verify(str(path)), 3)


def test_the_same_from_a_pipe_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(10 * GIB)
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert_clean(verify("-", stdin=writer.stdout.fileno()), 3)
        writer.stdout.close()


def test_a_huge_line_behind_a_good_header_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    game = play_game(seed=1, hands=2, players=2)
    path = tmp_path / "game"
    with path.open("wb") as file:
        file.write(game.game_file())
        file.truncate(10 * GIB)
    assert_clean(verify(str(path), "--key", game.key), 3)


def test_a_record_and_a_note_of_ten_gigabytes_are_refused(tmp_path: Path) -> None:
    game = play_game(seed=1, hands=2, players=2)
    path, huge = tmp_path / "game", tmp_path / "huge"
    path.write_bytes(game.game_file())
    with huge.open("wb") as file:
        file.truncate(10 * GIB)
    for option, status in (("--mine", 2), ("--checkpoint", 4)):
        assert_clean(verify(str(path), "--key", game.key, option, str(huge)), status)


@pytest.mark.parametrize("line", [b"{" * 60_000, b"[" * 60_000, b'{"at":' * 10_000, b"9" * 60_000])
def test_deep_and_long_lines_are_refused(line: bytes) -> None:
    game = play_game(seed=1, hands=1, players=2)
    data = game.game_file() + line + b"\n"
    assert_clean(verify("-", "--key", game.key, data=data), 3)


ALONE = """
import importlib.abc, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"dealer_service", "cutcard", "grpc", "google", "yaml", "jwt"}:
            raise ModuleNotFoundError(name)
        return None

sys.meta_path.insert(0, Refuse())
from audit_cli.cli import main
status = main(sys.argv[1:])
assert not {name.partition(".")[0] for name in sys.modules} & {"dealer_service", "grpc", "google"}
sys.exit(status)
"""


def test_the_audit_needs_neither_the_dealer_nor_stubs_nor_grpc(tmp_path: Path) -> None:
    """A folder with the audit alone, beside nothing of this project but `cryptography`."""
    game = play_game(seed=2, hands=4, players=3)
    path = tmp_path / "game"
    path.write_bytes(game.game_file())
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "audit_cli").symlink_to(ROOT / "audit_cli")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, "verify", str(path), "--key", game.key],
        cwd=alone,
        env={"PYTHONPATH": str(alone), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    assert_clean(done, 0)
    assert b"all that was asked for holds" in done.stdout


def test_a_broken_game_exits_1_and_says_where(tmp_path: Path) -> None:
    game = play_game(seed=2, hands=4, players=3)
    transcript = game.transcript()
    one = transcript.find("awarded", hand=3)
    transcript.change(one.index, rake=5)
    path = tmp_path / "game"
    path.write_bytes(transcript.render(game.signer))
    done = verify(str(path), "--key", game.key)
    assert_clean(done, 1)
    assert f"PLAYED, hand 3, entry {one.index}".encode() in done.stdout


def test_the_evidence_of_a_fork_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    game = play_game(seed=2, hands=4, players=3)
    other = game.transcript()
    other.change(other.find("seat_taken").index, stack=2_222)
    path, note = tmp_path / "game", tmp_path / "note"
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    path.write_bytes(game.game_file())
    note.write_text(other.note(game.signer, 20), encoding="utf-8")
    arguments = ("--key", game.key, "--checkpoint", str(note), "--evidence", str(evidence))
    done = verify(str(path), *arguments)
    assert_clean(done, 1)
    (written,) = evidence.iterdir()
    assert written.name in done.stdout.decode() + done.stderr.decode()
    assert "cutcard-fork/1" in written.read_text(encoding="utf-8")
