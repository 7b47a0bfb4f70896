"""`cutcard-audit watch`: what it follows, what it finds, and what it never loses."""

import contextlib
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from audit_cli.cli import main
from audit_cli.log.noted import Noted, Stage
from audit_cli.log.tiles import TileReader, open_tiles
from audit_cli.watch.command import _Pages
from audit_cli.watch.grammar import take
from audit_cli.watch.rates import tail
from audit_cli.watch.state import opened_state
from audit_cli.watch.telling import Told
from tests.support.dying_watch import STEPS
from tests.support.game_files import GAME, START, GameFile, Signer, tree_root
from tests.support.published_logs import PublishedLog, Site, serving_folder
from tests.support.witnesses import ROOT, ask, serving_witness, started

OTHER = "0b" * 16


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "www"
    folder.mkdir()
    with serving_folder(folder) as served:
        yield served


class Watching:
    """A monitor of one log, with a state of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], site: Site) -> None:
        self.folder = folder
        self.site = site
        self._capsys = capsys
        self.key = Signer().vkey
        self.told = ""

    def arguments(self, *more: object) -> list[str]:
        where = ["watch", self.site.url, "--key", self.key, "--state", self.folder]
        return [*map(str, where), *map(str, more)]

    def look(self, *more: object) -> tuple[int, dict[str, Any]]:
        """Look once; the exit status, and what it says."""
        status = main(self.arguments("--json", "--list", *more))
        out, self.told = self._capsys.readouterr()
        value = json.loads(out)
        assert value["status"] == status
        return status, value

    def kinds(self, *more: object) -> list[str]:
        """Look once, and name the kinds of what is wrong."""
        status, value = self.look(*more)
        assert status == (1 if value["wrong"] else 0), value
        return [one["kind"] for one in value["wrong"]]

    def evidence(self, kind: str) -> list[dict[str, Any]]:
        paths = sorted(self.folder.glob(f"cutcard-{kind}-*.json"))
        return [json.loads(path.read_text()) for path in paths]


@pytest.fixture
def watching(tmp_path: Path, capsys: pytest.CaptureFixture[str], site: Site) -> Watching:
    return Watching(tmp_path / "state", capsys, site)


def publish(watching: Watching, log: PublishedLog, note: str | None = None) -> None:
    log.publish(watching.site.folder, note)


def test_an_honest_log_is_followed_from_look_to_look(watching: Watching) -> None:
    log = PublishedLog()
    fresh = 0
    for number, game in enumerate(("0a", "0b", "0c", "0d"), 1):
        log.game(game * 16, number, voids=number == 2)
        publish(watching, log)
        status, told = watching.look()
        assert (status, told["wrong"], told["problem"]) == (0, [], "")
        assert (told["size"], told["fresh"]) == (len(log.lines), len(log.lines) - fresh)
        assert told["root"] == tree_root(log.leaves).hex()
        fresh = len(log.lines)
    assert told["counts"] == {"open": 0, "closed": 0, "revealed": 4, "committed": 9, "void": 1}
    assert [one["hands"] for one in told["list"]] == [1, 2, 3, 4]
    assert watching.look()[1]["fresh"] == 0


def test_a_tournament_is_followed_as_a_game_without_hands_that_ends_in_one_line() -> None:
    """Its close and its reveal stand at one size (protocol 14.1)."""
    seen = None
    lines = ((Stage.GAME_OPENED, 1), (Stage.GAME_CLOSED, 900), (Stage.GAME_REVEALED, 900))
    for stage, size in lines:
        seen, wrong = take(seen, Noted(START, GAME, 0, stage, size, bytes(32)))
        assert wrong is None
    assert seen is not None
    assert (seen.state, seen.hand, seen.voids) == ("revealed", 0, 0)


def test_a_log_of_many_tiles_is_read(watching: Watching) -> None:
    """Over two levels of tiles, from a size within a tile to another."""
    log = PublishedLog()
    for number in range(60):
        log.game(f"{number:032x}", 8)
    for size in (256, 300, 1_140):
        part = PublishedLog(log.signer, log.lines[:size])
        publish(watching, part)
        assert watching.look()[1]["read"] == size


def test_a_folder_is_read_as_a_server_is(tmp_path: Path, watching: Watching) -> None:
    folder = PublishedLog().game().publish(tmp_path / "log")
    arguments = watching.arguments()
    arguments[1] = str(folder)
    assert main(arguments) == 0


def test_an_empty_log_is_a_log(watching: Watching) -> None:
    publish(watching, PublishedLog())
    assert watching.look()[0] == 0
    publish(watching, PublishedLog().game())
    assert watching.look()[1]["fresh"] == 7


def test_games_that_run_are_no_fault(watching: Watching) -> None:
    now = time.time_ns() // 1_000_000
    log = PublishedLog()
    log.noted("game_opened", at=now).noted("hand_opened", 1, at=now)
    log.noted("game_opened", 0, OTHER, at=now).noted("game_closed", 0, OTHER, at=now)
    publish(watching, log)
    status, told = watching.look()
    assert (status, told["counts"]["open"], told["counts"]["closed"]) == (0, 1, 1)


def test_the_lines_of_a_game_are_listed(
    watching: Watching, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(watching, PublishedLog().game(OTHER).game())
    watching.look()
    assert main(watching.arguments("--game", GAME)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    assert lines[2].startswith(f"9: deck_committed 1 at {START + 9_000}, size 3, root ")


# --- forks ---------------------------------------------------------------------------------------


def forked(log: PublishedLog, common: int, hands: int = 20) -> PublishedLog:
    """Give a log of the same key that has other lines from a size on."""
    other = log.copy()
    del other.lines[common:]
    return other.game("0d" * 16, hands)


def check_fork(
    evidence: dict[str, Any], smaller: tuple[PublishedLog, int], larger: tuple[PublishedLog, int]
) -> None:
    assert (evidence["format"], evidence["key"]) == ("cutcard-fork/1", Signer().vkey)
    assert evidence["notes"] == [smaller[0].note(smaller[1]), larger[0].note(larger[1])]
    if smaller[1] != larger[1]:
        assert evidence["prefix_root"] == tree_root(larger[0].leaves[: smaller[1]]).hex()
        assert evidence["prefix_root"] != tree_root(smaller[0].leaves[: smaller[1]]).hex()
        assert len(evidence["proof"]) > 0


@pytest.mark.parametrize("hands", [3, 1, 20])
def test_a_fork_is_told_with_its_evidence(hands: int, watching: Watching) -> None:
    """Whether the other history is of the same size, smaller or larger."""
    log = PublishedLog().game(hands=5)
    publish(watching, log)
    assert watching.kinds() == []
    other = forked(log, 4, hands)
    publish(watching, other)
    assert watching.kinds() == ["fork"]
    (evidence,) = watching.evidence("fork")
    pair = sorted([(log, len(log.lines)), (other, len(other.lines))], key=lambda one: one[1])
    check_fork(evidence, *pair)
    # The history that was seen first stays, and the fork is written once.
    publish(watching, log.game(OTHER))
    assert watching.kinds() == ["fork"]
    assert watching.look()[1]["size"] == len(log.lines)
    assert len(watching.evidence("fork")) == 1


def test_a_fork_of_equal_size_is_told(watching: Watching) -> None:
    log = PublishedLog().game(hands=2)
    publish(watching, log)
    watching.look()
    other = log.copy()
    other.lines[-1] = other.lines[-1].replace(b'"size":7', b'"size":8')
    publish(watching, other)
    assert watching.kinds() == ["fork"]
    check_fork(watching.evidence("fork")[0], (log, 7), (other, 7))


def test_a_fork_is_seen_by_a_checkpoint_from_elsewhere(tmp_path: Path, watching: Watching) -> None:
    """A server that shows each caller a history of its own: two callers compare."""
    log = PublishedLog().game(hands=9)
    other = forked(log, 6, 3)
    note = tmp_path / "theirs"
    note.write_text(other.note(11))
    publish(watching, log)
    assert watching.kinds("--checkpoint", note) == ["fork"]
    check_fork(watching.evidence("fork")[0], (other, 11), (log, len(log.lines)))


def test_a_checkpoint_from_elsewhere_of_the_same_log_is_no_fork(
    tmp_path: Path, watching: Watching
) -> None:
    log = PublishedLog().game(hands=9)
    publish(watching, log)
    note = tmp_path / "theirs"
    note.write_text(log.note(11))
    assert watching.kinds("--checkpoint", note) == []
    note.write_text(log.game(OTHER).note())
    status, told = watching.look("--checkpoint", note)
    assert (status, len(told["unproved"])) == (4, 1)


def test_a_dealer_that_signs_a_fork_is_caught_by_all_who_look(
    tmp_path: Path, watching: Watching, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two books under one key: a witness, a monitor, and two players who compare notes."""
    log = PublishedLog().game(hands=9)
    other = forked(log, 6)
    with serving_witness(tmp_path / "witness", log) as witness:
        assert witness.add(log.asks(0)).status == 200
        assert witness.add(other.asks(len(log.lines))).status == 422
        assert len(witness.of(log, "forks").value) == 1
    publish(watching, log)
    watching.look()
    publish(watching, other)
    assert watching.kinds() == ["fork"]

    first, second = (GameFile().entry("game_closed", **closed) for closed in TWO_ENDS)
    theirs = tmp_path / "theirs.note"
    theirs.write_text(second.note())
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(first.checkpoint().data())
    key = ["--key", first.signer.vkey]
    where = ["--evidence", str(tmp_path)]
    assert main(["verify", str(mine), *key, *where, "--checkpoint", str(theirs)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("CONSISTENT") and "broken" in line for line in lines), lines
    assert list(tmp_path.glob("cutcard-fork-*.json"))


TWO_ENDS: list[dict[str, Any]] = [
    {"reason": word, "stacks": []} for word in ("operator", "max_time")
]


def test_the_leaves_that_are_kept_give_the_root_of_every_size(tmp_path: Path) -> None:
    """Over three levels of tiles, and kept in lots that end within them."""
    leaves = [sha256(number.to_bytes(4, "big")).digest() for number in range(66_100)]
    with opened_state(tmp_path, Signer().vkey) as state:
        for first, end in ((0, 300), (300, 65_536), (65_536, 65_600), (65_600, 66_100)):
            with state.taking():
                state.keep_leaves(first, leaves[first:end])
            assert state.count == end
        reader = open_tiles(state.fetch, len(leaves), tree_root(leaves))
        assert isinstance(reader, TileReader)
        for size in (1, 255, 256, 257, 40_000, 65_535, 65_536, 65_537, 66_100):
            assert reader.root_at(size) == tree_root(leaves[:size])


def test_an_older_checkpoint_is_no_fork_and_not_followed(watching: Watching) -> None:
    log = PublishedLog().game(hands=9)
    publish(watching, log)
    watching.look()
    publish(watching, log, log.note(11))
    status, told = watching.look()
    assert (status, told["wrong"], told["size"]) == (3, [], len(log.lines))
    assert "seen before" in told["problem"]


# --- lines that no honest dealer has -------------------------------------------------------------


def _second_line(log: PublishedLog) -> PublishedLog:
    log.game()
    return log.raw(log.lines[2].replace(b'"size":3', b'"size":30'))


WRONG: dict[str, tuple[Callable[[PublishedLog], PublishedLog], str, int]] = {
    "a second line for a stage": (_second_line, "second_line", 7),
    "the very same line again": (lambda log: log.game().raw(log.lines[2]), "second_line", 7),
    "a second opening": (
        lambda log: log.game().noted("game_opened", size=9),
        "second_line",
        7,
    ),
    "no line": (lambda log: log.game().raw(b"hello"), "malformed", 7),
    "no text": (lambda log: log.game().raw(b"\xff\x00"), "malformed", 7),
    "a line that is not canonical": (
        lambda log: log.game().raw(log.lines[0].replace(b":", b": ", 1)),
        "malformed",
        7,
    ),
    "an opening behind other lines": (
        lambda log: log.hand(1).noted("game_opened"),
        "out_of_order",
        2,
    ),
    "a hand that is missing": (
        lambda log: log.noted("game_opened").hand(1).noted("hand_opened", 3),
        "out_of_order",
        3,
    ),
    "a hand without deck or void": (
        lambda log: log.noted("game_opened").noted("hand_opened", 1).noted("hand_opened", 2),
        "out_of_order",
        2,
    ),
    "a close within a hand": (
        lambda log: log.noted("game_opened").noted("hand_opened", 1).noted("game_closed"),
        "out_of_order",
        2,
    ),
    "a deck of another hand": (
        lambda log: log.noted("game_opened").noted("hand_opened", 1).noted("deck_committed", 2),
        "out_of_order",
        2,
    ),
    "a deck after a void": (
        lambda log: log.noted("game_opened").hand(1, void=True).noted("deck_committed", 1),
        "out_of_order",
        3,
    ),
    "a void after a deck": (
        lambda log: log.noted("game_opened").hand(1).noted("hand_void", 1),
        "void_after_deck",
        3,
    ),
    "a hand behind the close": (
        lambda log: log.noted("game_opened").noted("game_closed").noted("hand_opened", 1),
        "out_of_order",
        2,
    ),
    "a reveal before the close": (
        lambda log: log.noted("game_opened").noted("game_revealed"),
        "out_of_order",
        1,
    ),
    "a hand behind the reveal": (
        lambda log: log.game().noted("hand_opened", 3),
        "out_of_order",
        7,
    ),
    "a transcript that shrinks": (
        lambda log: log.noted("game_opened", size=5).noted("hand_opened", 1, size=5),
        "out_of_order",
        1,
    ),
    "a time that falls": (
        lambda log: log.noted("game_opened", at=START + 5).noted("hand_opened", 1, at=START + 4),
        "out_of_order",
        1,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_line_that_does_not_fit_is_told_and_proved(name: str, watching: Watching) -> None:
    build, kind, number = WRONG[name]
    log = build(PublishedLog())
    publish(watching, log)
    # Games that do not end are no matter here.
    status, told = watching.look("--longest", 1e5, "--reveal-within", 1e5)
    assert status == 1
    assert [(one["kind"], one["line"]) for one in told["wrong"]] == [(kind, number)]
    (evidence,) = watching.evidence(kind.replace("_", "-"))
    assert evidence["checkpoint"] == log.note()
    assert evidence["key"] == log.signer.vkey
    for place in evidence["lines"]:
        check_place(place, log)
    assert evidence["lines"][-1]["index"] == number
    assert len(evidence["lines"]) == (2 if number and kind != "malformed" else 1)


def check_place(place: dict[str, Any], log: PublishedLog) -> None:
    """Hold a line of evidence to the log's root, by RFC 6962's definition of paths."""
    line = bytes.fromhex(place["bytes"]) if "bytes" in place else place["line"].encode()
    assert line == log.lines[place["index"]]
    path = [bytes.fromhex(step) for step in place["proof"]]

    def climb(index: int, leaves: int, path: list[bytes]) -> bytes:
        if leaves == 1:
            assert not path
            return sha256(b"\0" + line).digest()
        split = 1 << (leaves - 1).bit_length() - 1
        if index < split:
            inner = climb(index, split, path[:-1])
            return sha256(b"\1" + inner + path[-1]).digest()
        inner = climb(index - split, leaves - split, path[:-1])
        return sha256(b"\1" + path[-1] + inner).digest()

    assert climb(place["index"], len(log.lines), path) == tree_root(log.leaves)


def test_one_mistake_is_told_once(watching: Watching) -> None:
    publish(watching, _second_line(PublishedLog()))
    for _ in range(2):
        assert watching.kinds() == ["second_line"]
    assert len(watching.evidence("second-line")) == 1


def test_the_reveal_of_a_game_without_hands_is_of_its_close_s_size(watching: Watching) -> None:
    log = PublishedLog().noted("game_opened").noted("game_closed", size=2)
    last = json.loads(log.lines[-1])["noted"]
    publish(watching, log.noted("game_revealed", size=2, root=last["root"]))
    assert watching.kinds() == []


# --- games over time -----------------------------------------------------------------------------


def test_games_that_are_overdue_are_told(watching: Watching) -> None:
    log = PublishedLog().noted("game_opened").hand(1)
    log.noted("game_opened", 0, OTHER).hand(1, OTHER).noted("game_closed", 0, OTHER)
    late = "0c" * 16
    log.noted("game_opened", 0, late).noted("game_closed", 0, late)
    log.noted("game_revealed", 0, late, at=START + 25 * 3_600_000)
    publish(watching, log)
    _, told = watching.look()
    found = {(one["kind"], one["game"]) for one in told["wrong"]}
    assert found == {
        ("never_closed", GAME),
        ("never_revealed", OTHER),
        ("revealed_late", late),
    }
    assert watching.kinds("--longest", 1e5, "--reveal-within", 1e5) == []
    # What is revealed is no more "never" revealed.
    publish(watching, log.noted("game_revealed", 0, OTHER))
    assert "never_revealed" not in watching.kinds()


def test_games_that_were_open_when_the_log_began_are_no_fault(watching: Watching) -> None:
    """Unless one comes when none of them can be open any more: its opening is hidden."""
    publish(watching, PublishedLog().noted("hand_opened", 4).hand(1, OTHER))
    watching.look()
    log = PublishedLog().noted("hand_opened", 4).hand(1, OTHER).noted("deck_committed", 4)
    log.noted("game_closed").noted("game_revealed").noted("game_closed", 0, OTHER)
    publish(watching, log.noted("game_revealed", 0, OTHER))
    status, told = watching.look("--list")
    assert (status, told["wrong"], [one["joined"] for one in told["list"]]) == (0, [], [True] * 2)
    hidden = "0c" * 16
    for stage, hand in (("hand_opened", 1), ("deck_committed", 1), ("game_closed", 0)):
        log.noted(stage, hand, hidden, at=START + 337 * 3_600_000)
    publish(watching, log.noted("game_revealed", 0, hidden, at=START + 337 * 3_600_000))
    _, told = watching.look()
    assert [(one["kind"], one["game"]) for one in told["wrong"]] == [("opening_missing", hidden)]
    assert watching.kinds("--longest", 400) == []


def test_voids_out_of_line_are_told(watching: Watching) -> None:
    publish(watching, PublishedLog().game(hands=30, voids=2).game(OTHER, 12, voids=9))
    _, told = watching.look()
    assert [(one["kind"], one["game"]) for one in told["wrong"]] == [
        ("voids", OTHER),
        ("voids", ""),
    ]
    assert watching.kinds("--void-rate", 0.5) == []


def test_the_tail_of_a_binomial_is_exact() -> None:
    assert tail(10, 0, 0.5) == 1.0
    assert tail(10, 10, 0.5) == pytest.approx(2**-10)
    assert tail(4, 3, 0.25) == pytest.approx(4 * 0.25**3 * 0.75 + 0.25**4)
    assert tail(1_000_000, 21_000, 0.02) == pytest.approx(5.7e-13, rel=0.1)
    assert tail(1_000_000, 500_000, 0.02) == 0.0


# --- servers that lie or fail --------------------------------------------------------------------


def _other_lines(path: str) -> tuple[int, bytes, dict[str, str]] | None:
    return (200, bytes(40), {}) if "entries" in path else None


def _other_tiles(path: str) -> tuple[int, bytes, dict[str, str]] | None:
    return (200, bytes(32 * 7), {}) if "tile/0/" in path else None


UNREADABLE: dict[str, tuple[Callable[[str], tuple[int, bytes, dict[str, str]] | None], str]] = {
    "no checkpoint": (lambda _: (404, b"", {}), "answers 404"),
    "a redirection": (
        lambda _: (302, b"", {"Location": "https://elsewhere.example/"}),
        "elsewhere.example",
    ),
    "no note": (lambda _: (200, b"hello\n", {}), "the checkpoint"),
    "a note of another key": (
        lambda _: (200, PublishedLog(Signer(seed=bytes(32))).game().note().encode(), {}),
        "not signed by",
    ),
    "a note of another log": (
        lambda _: (200, PublishedLog(Signer("other.example.net")).note().encode(), {}),
        "another log",
    ),
    "lines that are not of the tree": (_other_lines, "not of the tree"),
    "tiles that are not of the tree": (_other_tiles, "do not make the root"),
    "an encoding": (lambda _: (200, b"", {"Content-Encoding": "br"}), "encoding"),
    "no gzip": (lambda _: (200, b"hello hello", {"Content-Encoding": "gzip"}), "not the gzip"),
    "gzip without an end": (
        lambda _: (200, gzip.compress(bytes(100))[:-4], {"Content-Encoding": "gzip"}),
        "cut short",
    ),
    "far too much": (lambda _: (200, bytes(2 * 1024 * 1024), {}), "larger than"),
    "far too much behind gzip": (
        lambda _: (200, gzip.compress(bytes(2 * 1024 * 1024)), {"Content-Encoding": "gzip"}),
        "larger than",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_can_not_be_read_is_no_verdict_on_the_dealer(name: str, watching: Watching) -> None:
    publish(watching, PublishedLog().game())
    watching.site.answer, words = UNREADABLE[name]
    status, told = watching.look()
    assert (status, told["wrong"]) == (3, [])
    assert words in told["problem"]
    # And is made good by the next look.
    watching.site.answer = lambda _: None
    assert watching.look()[1]["read"] == 7


def test_files_may_come_packed(watching: Watching) -> None:
    log = PublishedLog().game()
    publish(watching, log)

    def packed(path: str) -> tuple[int, bytes, dict[str, str]] | None:
        content = (watching.site.folder / path.lstrip("/")).read_bytes()
        return 200, gzip.compress(content), {"Content-Encoding": "gzip"}

    watching.site.answer = packed
    assert watching.look()[1]["read"] == 7


def test_a_server_that_never_ends_holds_up_no_monitor(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends a byte now and then, so that no wait for the next one is too long."""
    monkeypatch.setattr("audit_cli.log.source._LONGEST", 0.2)
    ended = threading.Event()

    def trickle(server: socket.socket) -> None:
        with server, server.accept()[0] as stream, contextlib.suppress(OSError):
            stream.recv(4096)
            stream.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while not ended.wait(0.01):
                stream.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=trickle, args=(server,), daemon=True)
        thread.start()
        watching.site.port = server.getsockname()[1]
        late = threading.Timer(20, ended.set)
        late.start()
        status, told = watching.look()
        is_in_time = not ended.is_set()
        late.cancel()
        ended.set()
        thread.join()
    assert (status, is_in_time) == (3, True)
    assert "did not come whole" in told["problem"]


def test_a_server_that_is_gone_is_told(watching: Watching) -> None:
    arguments = watching.arguments()
    arguments[1] = "http://127.0.0.1:9/"
    assert main(arguments) == 3


# --- witnesses -----------------------------------------------------------------------------------


def test_a_policy_of_witnesses_is_asked_for(tmp_path: Path, watching: Watching) -> None:
    log = PublishedLog().game()
    policy = tmp_path / "policy"
    with serving_witness(tmp_path / "witness", log) as witness:
        policy.write_text(f"witness w {witness.vkey}\nquorum w\n")
        publish(watching, log)
        status, told = watching.look("--policy", policy)
        assert (status, told["cosigned"]) == (4, False)
        publish(watching, log, log.note() + witness.add(log.asks(0)).text)
    status, told = watching.look("--policy", policy)
    assert (status, told["cosigned"]) == (0, True)


# --- the command ---------------------------------------------------------------------------------


def run(*arguments: object, module: tuple[str, ...] = ("audit_cli",)) -> int:
    done = subprocess.run(
        [sys.executable, "-m", *module, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return done.returncode


@pytest.mark.parametrize("step", STEPS)
def test_a_monitor_that_is_killed_goes_on_where_it_was(step: str, watching: Watching) -> None:
    log = PublishedLog()
    for number in range(450):
        log.game(f"{number:032x}", 4)
    log = _second_line(log)
    assert len(log.lines) > 4_096
    publish(watching, log)
    dying = ("tests.support.dying_watch", step)
    assert run(*watching.arguments(), module=dying) == -9
    status, told = watching.look()
    assert (status, told["read"]) == (1, len(log.lines))
    assert told["root"] == tree_root(log.leaves).hex()
    assert [one["kind"] for one in told["wrong"]] == ["second_line"]
    assert len(watching.evidence("second-line")) == 1
    assert told["counts"]["revealed"] == 451


def test_it_stays_and_serves_what_it_sees(watching: Watching) -> None:
    log = PublishedLog().game()
    publish(watching, log)
    arguments = watching.arguments("--serve", "127.0.0.1:0", "--every", "0.05")
    with started(*arguments) as one:
        assert json.loads(ask(one.url, "/").text)["size"] == 7
        assert len(json.loads(ask(one.url, "/games").text)["list"]) == 1
        assert ask(one.url, "/healthz").status == 200
        assert ask(one.url, "/nothing").status == 404
        publish(watching, log.game(OTHER))
        until(lambda: "cutcard_watch_size 14\n" in ask(one.url, "/metrics").text)
        publish(watching, forked(log, 4))
        until(lambda: 'cutcard_watch_wrong{kind="fork"} 1\n' in ask(one.url, "/metrics").text)
        (watching.site.folder / "checkpoint").unlink()
        until(lambda: ask(one.url, "/healthz").status == 503)
        one.process.terminate()
        assert one.wait() == 0
    assert len(watching.evidence("fork")) == 1


def test_a_look_that_does_not_end_is_no_good_health() -> None:
    """A server that answers slowly, file by file, is not followed as long as it does."""
    times = [0.0, 0.0, 999.0, 1001.0]
    pages = _Pages(1000, lambda: times.pop(0))
    told = Told(
        origin="dealer.example.com",
        tip=None,
        count=0,
        fresh=0,
        games=(),
        wrong=(),
        problem="",
        unproved=(),
        cosigned=None,
        now=0,
    )
    pages.show(told)
    statuses = []
    while times:
        answer = pages.get("/healthz")
        assert answer is not None
        statuses.append(answer.status)
    assert statuses == [200, 503]


def until(is_so: Callable[[], bool]) -> None:
    """Ask again until it is so; a monitor looks every so often, and nothing tells when."""
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end


def test_words_for_a_person(watching: Watching, capsys: pytest.CaptureFixture[str]) -> None:
    publish(watching, _second_line(PublishedLog()))
    assert main(watching.arguments("--list")) == 1
    out = capsys.readouterr().out
    assert "dealer.example.net: 8 lines, 8 new\n" in out
    assert "games: 1 (0 open, 0 closed, 1 revealed)\n" in out
    assert f"  {GAME} revealed: 2 hands, 0 void\n" in out
    assert f"wrong: second line: game {GAME}: line 7 is a second one for" in out


USAGE: dict[str, tuple[list[str], str]] = {
    "no key": (["--key", "x"], "not a verifier key"),
    "a rate of nothing": (["--void-rate", "0"], "--void-rate"),
    "no time at all": (["--reveal-within", "0"], "--reveal-within"),
    "no folder": (["--evidence", "none/at/all"], "no such directory"),
    "no policy": (["--policy", "none/at/all"], "can not open"),
    "no game": (["--game", "00"], "no line of it"),
}


@pytest.mark.parametrize("name", USAGE)
def test_a_wrong_command_line_is_explained(
    name: str, watching: Watching, capsys: pytest.CaptureFixture[str]
) -> None:
    more, words = USAGE[name]
    assert main(watching.arguments(*more)) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "url", ["none/at/all", "ftp://x/", "http://", "http://a:b@x/", "http://x:y"]
)
def test_a_place_that_is_none_is_refused(url: str, watching: Watching) -> None:
    arguments = watching.arguments()
    arguments[1] = url
    assert main(arguments) == 2


def test_a_state_is_of_one_log(watching: Watching) -> None:
    publish(watching, PublishedLog().game())
    watching.look()
    watching.key = Signer("other.example.net").vkey
    assert main(watching.arguments()) == 2
