"""`cutcard-audit witness`: what it co-signs, what it refuses, and what it never forgets."""

import http.client
import json
import subprocess
import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.support.dying_witness import STEPS
from tests.support.game_files import Signer, tree_root
from tests.support.published_logs import PublishedLog, check_cosignature
from tests.support.witnesses import NAME, NOW, ROOT, Served, ask, serving_witness, started

SIZE = "text/x.tlog.size"


@pytest.fixture
def log() -> PublishedLog:
    """Give a log of three games, 18 lines."""
    made = PublishedLog()
    for game in ("0a", "0b", "0c"):
        made.game(game * 16)
    return made


@pytest.fixture
def witness(log: PublishedLog, tmp_path: Path) -> Iterator[Served]:
    with serving_witness(tmp_path / "witness", log) as served:
        yield served


def cosigned(witness: Served, log: PublishedLog, old: int, size: int) -> int:
    """Have a size co-signed, hold the answer to it, and give its time."""
    reply = witness.add(log.asks(old, size))
    assert reply.status == 200, reply
    return check_cosignature(reply.text, log.note(size), witness.name, witness.public)


def fork_of(log: PublishedLog, common: int) -> PublishedLog:
    """Give a log of the same key that has other lines from a size on, and is longer."""
    forked = log.copy()
    del forked.lines[common:]
    return forked.game("0d" * 16, 20)


def test_growing_checkpoints_are_cosigned_one_after_another(
    witness: Served, log: PublishedLog
) -> None:
    assert cosigned(witness, log, 0, 5) == NOW
    witness.now += 3
    assert cosigned(witness, log, 5, 6) == NOW + 3
    assert cosigned(witness, log, 6, 18) == NOW + 3


def test_every_pair_of_sizes_is_cosigned_by_its_proof(log: PublishedLog, tmp_path: Path) -> None:
    for old in (1, 4, 7, 8, 13):
        with serving_witness(tmp_path / str(old), log) as witness:
            cosigned(witness, log, 0, old)
            cosigned(witness, log, old, 18)


def test_the_same_checkpoint_is_cosigned_again(witness: Served, log: PublishedLog) -> None:
    cosigned(witness, log, 0, 7)
    witness.now += 60
    assert cosigned(witness, log, 7, 7) == NOW + 60


def test_an_empty_log_is_cosigned_and_asked_about(witness: Served, log: PublishedLog) -> None:
    cosigned(witness, log, 0, 0)
    cosigned(witness, log, 0, 4)
    reply = witness.add(log.asks(0, 0))
    assert (reply.status, reply.kind, reply.text) == (409, SIZE, "4\n")


def test_times_of_cosignatures_never_go_back(witness: Served, log: PublishedLog) -> None:
    cosigned(witness, log, 0, 3)
    witness.now -= 1_000
    assert cosigned(witness, log, 3, 9) == NOW


def test_another_old_size_is_told_the_last_one(witness: Served, log: PublishedLog) -> None:
    cosigned(witness, log, 0, 9)
    for old in (0, 4, 10):
        reply = witness.add(log.asks(old, 12))
        assert (reply.status, reply.kind, reply.text) == (409, SIZE, "9\n")


def test_a_smaller_checkpoint_is_not_cosigned_after_a_larger(
    witness: Served, log: PublishedLog
) -> None:
    cosigned(witness, log, 0, 9)
    assert witness.add(log.asks(0, 4)).status == 409
    assert witness.add(log.asks(4, 4)).status == 409
    # Nor with the right old size, which lies beyond it.
    assert witness.add(log.asks(9, 4, log.note(4))).status == 400


def _unsigned(log: PublishedLog) -> str:
    text = log.note(5)
    return text.replace("\N{EM DASH} ", "\N{EM DASH} someone.")


def _tampered(log: PublishedLog) -> str:
    return log.note(5).replace(f"{log.signer.name}\n5\n", f"{log.signer.name}\n6\n", 1)


def _strange(_: PublishedLog) -> str:
    return PublishedLog(Signer("other.example.net")).game().note()


REFUSED: dict[str, tuple[int, Callable[[PublishedLog], bytes]]] = {
    "an unknown log": (404, lambda log: log.asks(0, 0, _strange(log))),
    "no signature of the log": (403, lambda log: log.asks(0, 0, _unsigned(log))),
    "a signature of another text": (403, lambda log: log.asks(0, 0, _tampered(log))),
    "a proof that is cut": (422, lambda log: b"old 7\n\n" + log.note(18).encode()),
    "a proof of something else": (
        422,
        lambda log: b"old 7\n" + b64encode(bytes(32)) + b"\n\n" + log.note(18).encode(),
    ),
    "another root of the same size": (409, lambda log: fork_of(log, 3).asks(7, 7)),
    "no old size": (400, lambda log: log.note(9).encode()),
    "an old size with a zero before it": (400, lambda log: b"old 07\n\n" + log.note(9).encode()),
    "a proof that is no base64": (400, lambda log: b"old 7\n!\n\n" + log.note(9).encode()),
    "64 hashes": (
        400,
        lambda log: b"old 7\n" + 64 * (b64encode(bytes(32)) + b"\n") + b"\n" + log.note(9).encode(),
    ),
    "no checkpoint": (400, lambda _: b"old 7\n\n"),
    "other bytes": (400, lambda _: b"\xff" * 100),
    "a size with a sign": (400, lambda log: log.asks(7, 9).replace(b"\n9\n", b"\n+9\n")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_cosigned(name: str, witness: Served, log: PublishedLog) -> None:
    cosigned(witness, log, 0, 7)
    status, body = REFUSED[name]
    reply = witness.add(body(log))
    assert reply.status == status, reply
    assert "\N{EM DASH}" not in reply.text
    # And it changed nothing.
    cosigned(witness, log, 7, 18)


def test_a_proof_from_nothing_is_empty(witness: Served, log: PublishedLog) -> None:
    body = b"old 0\n" + b64encode(bytes(32)) + b"\n\n" + log.note(9).encode()
    assert witness.add(body).status == 422
    cosigned(witness, log, 0, 9)


def test_signatures_of_strangers_are_left_out(witness: Served, log: PublishedLog) -> None:
    note = log.note(5)
    text = note[: note.index("\n\n") + 1]
    reply = witness.add(log.asks(0, 5, note + Signer("someone.example").sign(text)))
    assert reply.status == 200
    assert reply.text.count("\n") == 1
    assert witness.of(log, "checkpoint").text == log.note(5) + reply.text


@pytest.mark.parametrize("size", [11, 24])
def test_a_fork_is_proved_by_the_notes_that_were_kept(
    size: int, witness: Served, log: PublishedLog
) -> None:
    """Whether the other history is of the size that was co-signed, or larger."""
    cosigned(witness, log, 0, 11)
    other = fork_of(log, 5)
    reply = witness.add(other.asks(11, size))
    assert reply.status == (409 if size == 11 else 422)
    (evidence,) = witness.of(log, "forks").value
    assert evidence["log"] == log.signer.name
    check_evidence(evidence, log, 11, other, size)
    # What was co-signed before goes on, and the other history never does.
    cosigned(witness, log, 11, 12)
    assert witness.add(other.asks(12, 26)).status == 422


def check_evidence(
    evidence: dict[str, Any], log: PublishedLog, size: int, other: PublishedLog, larger: int
) -> None:
    """Hold evidence to what it says, by the definition of roots alone."""
    assert (evidence["format"], evidence["key"]) == ("cutcard-fork/1", log.signer.vkey)
    assert evidence["notes"] == [log.note(size), other.note(larger)]
    for note in evidence["notes"]:
        text = note[: note.index("\n\n") + 1].encode()
        public = b64decode(evidence["key"].split("+", 2)[2])[1:]
        signature = b64decode(note.rpartition(" ")[2])[4:]
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    if larger != size:
        assert evidence["prefix_root"] == tree_root(other.leaves[:size]).hex()
        assert evidence["prefix_root"] != tree_root(log.leaves[:size]).hex()
        assert evidence["proof"]


def test_a_fork_at_a_size_that_is_long_past_is_proved(witness: Served, log: PublishedLog) -> None:
    for old, size in ((0, 6), (6, 9), (9, 18)):
        cosigned(witness, log, old, size)
    other = fork_of(log, 4)
    assert witness.add(other.asks(4, 9)).status == 409
    (evidence,) = witness.of(log, "forks").value
    check_evidence(evidence, log, 9, other, 9)


def test_the_same_fork_is_kept_once(witness: Served, log: PublishedLog) -> None:
    cosigned(witness, log, 0, 9)
    other = fork_of(log, 4)
    note = other.note(9)
    text = note[: note.index("\n\n") + 1]
    for number in range(3):
        witness.add(other.asks(9, 9, note + Signer(f"stranger{number}").sign(text)))
    assert len(witness.of(log, "forks").value) == 1


def test_a_history_that_was_only_shown_is_held_against_the_log_too(
    witness: Served, log: PublishedLog
) -> None:
    """A signed checkpoint is the log's word, co-signed or not."""
    cosigned(witness, log, 0, 4)
    other = fork_of(log, 2)
    assert witness.add(other.asks(4, 9)).status == 422
    reply = witness.add(log.asks(4, 9))
    assert reply.status == 422
    evidence = witness.of(log, "forks").value
    assert [log.note(9) in one["notes"] for one in evidence] == [True]


def test_a_witness_tells_what_it_knows(witness: Served, log: PublishedLog) -> None:
    hash_ = sha256(log.signer.name.encode()).hexdigest()
    about = witness.get("/").value
    assert about["key"] == witness.vkey
    assert about["logs"] == [{"origin": log.signer.name, "hash": hash_, "forks": 0}]
    assert witness.of(log, "checkpoint").status == 404
    line = witness.add(log.asks(0, 9)).text
    assert witness.of(log, "checkpoint").text == log.note(9) + line
    assert witness.of(log, "checkpoint/9").value == [log.note(9)]
    assert witness.of(log, "checkpoint/8").value == []
    assert witness.get("/").value["logs"][0]["size"] == 9
    metrics = witness.get("/metrics").text
    assert f'cutcard_witness_size{{log="{log.signer.name}"}} 9\n' in metrics
    assert 'cutcard_witness_answers_total{status="200"} 1\n' in metrics


@pytest.mark.parametrize("path", ["/nothing", f"/{'0' * 64}/checkpoint", "/../witness.key"])
def test_nothing_else_is_served(path: str, witness: Served) -> None:
    assert witness.get(path).status == 404
    assert ask(witness.url, path, b"old 0\n").status == 404


def test_a_body_has_a_length_and_a_limit(witness: Served) -> None:
    assert witness.add(bytes(256 * 1024 + 1)).status == 413
    connection = http.client.HTTPConnection(witness.url.removeprefix("http://"), timeout=30)
    connection.putrequest("POST", "/add-checkpoint")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    assert connection.getresponse().status == 411
    connection.close()


def test_one_connection_carries_many_requests(witness: Served, log: PublishedLog) -> None:
    connection = http.client.HTTPConnection(witness.url.removeprefix("http://"), timeout=30)
    for old in range(8):
        connection.request("POST", "/add-checkpoint", log.asks(old, old + 1))
        kept = connection.sock
        answer = connection.getresponse()
        assert (answer.status, len(answer.read()) > 0) == (200, True)
        assert connection.sock is kept
    connection.close()


def test_connections_that_say_nothing_do_not_keep_others_out(
    witness: Served, log: PublishedLog
) -> None:
    place = witness.url.removeprefix("http://")
    idle = [http.client.HTTPConnection(place, timeout=30) for _ in range(100)]
    for one in idle:
        one.connect()
    cosigned(witness, log, 0, 9)
    for one in idle:
        one.close()


def test_of_many_who_ask_at_once_each_size_is_cosigned_for_one_history(
    witness: Served, log: PublishedLog
) -> None:
    """Two histories race; whoever comes first, the other is never co-signed.

    A size of which the other was shown is not co-signed for the first either: the log forked.
    """
    cosigned(witness, log, 0, 5)
    histories = [log, fork_of(log, 5)]
    signed: list[tuple[int, int]] = []

    def push(which: int) -> None:
        old = 5
        while old < 18:
            reply = witness.add(histories[which].asks(old, old + 1))
            if reply.status == 200:
                signed.append((which, old + 1))
            elif reply.status != 409 or int(reply.text) <= old:
                return
            old = old + 1 if reply.status == 200 else int(reply.text)

    threads = [threading.Thread(target=push, args=(which,)) for which in (0, 1, 0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {which for which, _ in signed} in ({0}, {1})
    assert min(size for _, size in signed) == 6


def test_several_logs_do_not_mix(log: PublishedLog, tmp_path: Path) -> None:
    other = PublishedLog(Signer("other.example.net", bytes(32))).game()
    with serving_witness(tmp_path, log, other) as witness:
        cosigned(witness, log, 0, 9)
        cosigned(witness, other, 0, 3)
        cosigned(witness, log, 9, 12)
        assert [one["size"] for one in witness.get("/").value["logs"]] == [12, 3]


def test_what_was_cosigned_outlasts_the_process(log: PublishedLog, tmp_path: Path) -> None:
    with serving_witness(tmp_path, log) as witness:
        cosigned(witness, log, 0, 9)
        key = witness.vkey
    with serving_witness(tmp_path, log) as witness:
        assert witness.vkey == key
        assert witness.add(fork_of(log, 4).asks(9, 9)).status == 409
        assert len(witness.of(log, "forks").value) == 1
        cosigned(witness, log, 9, 18)


def test_a_witness_that_ends_answers_nothing_more(witness: Served, log: PublishedLog) -> None:
    """Its state is closed then; what was begun before is done."""
    cosigned(witness, log, 0, 9)
    witness.close()
    assert witness.add(log.asks(9, 12)).status == 503
    assert witness.get("/").status == 503


# --- the command ---------------------------------------------------------------------------------


def command(folder: Path, log: PublishedLog, *more: object) -> list[object]:
    where = ["witness", "--state", folder, "--listen", "127.0.0.1:0"]
    return [*where, "--log", log.signer.vkey, *more]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "audit_cli", *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("step", STEPS)
def test_a_witness_killed_while_it_keeps_a_checkpoint(
    step: str, log: PublishedLog, tmp_path: Path
) -> None:
    """Nothing is answered, and what is on disk decides: no size is ever co-signed for two trees."""
    folder = tmp_path / "witness"
    with started(*command(folder, log, "--name", NAME)) as one:
        assert ask(one.url, "/add-checkpoint", log.asks(0, 5)).status == 200
    dying = ("tests.support.dying_witness", step)
    with started(*command(folder, log), module=dying) as one:
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            ask(one.url, "/add-checkpoint", log.asks(5, 12))
        assert one.wait() == -9
    other = fork_of(log, 5)
    # What is on disk is the one tree of this size for ever; else it is the one that comes first.
    bodies, statuses = (
        ([log.asks(5, 12), log.asks(12, 12), other.asks(5, 12), other.asks(12, 12)], [409, 200])
        if step == "after"
        else ([other.asks(5, 12), log.asks(5, 12), log.asks(12, 12)], [200])
    )
    with started(*command(folder, log)) as one:
        replies = [ask(one.url, "/add-checkpoint", body) for body in bodies]
    assert [reply.status for reply in replies[: len(statuses)]] == statuses
    assert {(reply.status, reply.text) for reply in replies[len(statuses) :]} == {(409, "12\n")}


@pytest.mark.parametrize("step", STEPS)
def test_a_witness_killed_while_it_keeps_a_fork(
    step: str, log: PublishedLog, tmp_path: Path
) -> None:
    folder = tmp_path / "witness"
    with started(*command(folder, log, "--name", NAME)) as one:
        assert ask(one.url, "/add-checkpoint", log.asks(0, 9)).status == 200
    other = fork_of(log, 4)
    dying = ("tests.support.dying_witness", step)
    with started(*command(folder, log), module=dying) as one:
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            ask(one.url, "/add-checkpoint", other.asks(9, 9))
        assert one.wait() == -9
    path = f"/{sha256(log.signer.name.encode()).hexdigest()}/forks"
    with started(*command(folder, log)) as one:
        assert len(ask(one.url, path).value) == (1 if step == "after" else 0)
        assert ask(one.url, "/add-checkpoint", other.asks(9, 9)).status == 409
        (evidence,) = ask(one.url, path).value
        check_evidence(evidence, log, 9, other, 9)


def test_nothing_is_cosigned_that_can_not_be_kept(log: PublishedLog, tmp_path: Path) -> None:
    """On a full disk it says that it failed, and goes on when there is room again."""
    with started(*command(tmp_path, log, "--name", NAME)):
        pass
    most = max(path.stat().st_size for path in tmp_path.iterdir())
    size = 1
    with started(*command(tmp_path, log), largest_file=most) as one:
        while (reply := ask(one.url, "/add-checkpoint", log.asks(size - 1, size))).status == 200:
            size += 1
            assert size <= len(log.lines)
        assert (reply.status, "\N{EM DASH}" in reply.text) == (500, False)
    with started(*command(tmp_path, log)) as one:
        assert ask(one.url, "/add-checkpoint", log.asks(0, 0)).text == f"{size - 1}\n"
        assert ask(one.url, "/add-checkpoint", log.asks(size - 1, size)).status == 200


def test_the_key_is_made_once_for_its_owner_alone(log: PublishedLog, tmp_path: Path) -> None:
    folder = tmp_path / "witness"
    first = run("witness", "--state", folder, "--name", NAME, "--show-key")
    assert (first.returncode, first.stderr) == (0, "")
    name, key_id, encoded = first.stdout.strip().split("+", 2)
    data = b64decode(encoded)
    assert (name, data[0], len(data)) == (NAME, 4, 33)
    assert key_id == sha256(NAME.encode() + b"\n" + data).hexdigest()[:8]
    assert (folder / "witness.key").stat().st_mode & 0o777 == 0o600
    assert run("witness", "--state", folder, "--show-key").stdout == first.stdout
    with started(*command(folder, log)) as one:
        assert json.loads(ask(one.url, "/").text)["key"] == first.stdout.strip()
        assert one.process.poll() is None


def test_it_ends_when_it_is_told_to(log: PublishedLog, tmp_path: Path) -> None:
    with started(*command(tmp_path, log, "--name", NAME)) as one:
        one.process.terminate()
        assert one.wait() == 0


def test_one_process_has_a_folder(log: PublishedLog, tmp_path: Path) -> None:
    with serving_witness(tmp_path, log):
        done = run(*command(tmp_path, log))
    assert done.returncode == 2
    assert "one witness at a time" in done.stderr


def test_a_key_that_forgot_does_not_sign(log: PublishedLog, tmp_path: Path) -> None:
    run("witness", "--state", tmp_path, "--name", NAME, "--show-key")
    for path in tmp_path.glob("witness.sqlite*"):
        path.unlink()
    done = run(*command(tmp_path, log))
    assert done.returncode == 2
    assert "must not co-sign again" in done.stderr


WRONG: dict[str, tuple[list[object], str]] = {
    "no log": (["--name", NAME], "no log to witness"),
    "no name to begin with": (["--log", Signer().vkey], "holds no witness yet"),
    "a name with a space": (["--log", Signer().vkey, "--name", "a b"], "no space"),
    "a bad key": (["--name", NAME, "--log", "x"], "not a verifier key"),
    "two keys of one log": (
        ["--name", NAME, "--log", Signer().vkey, "--log", Signer(seed=bytes(32)).vkey],
        "another key of",
    ),
    "a bad address": (["--name", NAME, "--log", Signer().vkey, "--listen", "8477"], "HOST:PORT"),
    "no list of logs": (["--name", NAME, "--logs", "none/at/all"], "can not open"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_command_line_is_explained(name: str, tmp_path: Path) -> None:
    arguments, words = WRONG[name]
    done = run("witness", "--state", tmp_path / "witness", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_key_that_others_can_read_is_refused(log: PublishedLog, tmp_path: Path) -> None:
    run("witness", "--state", tmp_path, "--name", NAME, "--show-key")
    (tmp_path / "witness.key").chmod(0o644)
    done = run(*command(tmp_path, log))
    assert (done.returncode, "others can read the key" in done.stderr) == (2, True)


def test_another_name_than_the_folder_holds_is_refused(log: PublishedLog, tmp_path: Path) -> None:
    run("witness", "--state", tmp_path, "--name", NAME, "--show-key")
    done = run(*command(tmp_path, log, "--name", "someone.else"))
    assert (done.returncode, NAME in done.stderr) == (2, True)


def test_a_list_of_logs_is_read_line_by_line(log: PublishedLog, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    other = Signer("other.example.net", bytes(32))
    logs.write_text(f"# the dealers\n\n{log.signer.vkey}\n  {other.vkey}\n")
    arguments = ["witness", "--state", tmp_path / "w", "--name", NAME, "--logs", logs]
    with started(*arguments, "--listen", "127.0.0.1:0") as one:
        about = ask(one.url, "/").value
    assert [each["origin"] for each in about["logs"]] == [log.signer.name, other.name]
