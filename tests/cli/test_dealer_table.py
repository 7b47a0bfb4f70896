"""`bots`, `play` and `fetch` at a dealer that serves: processes, pipes and signals alone."""

import asyncio
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_service.client.message import Message
from tests.support.commands import SECONDS, Service, dealer, only_line, serving, start
from tests.support.fake_dealer import FakeDealer, token_for
from tests.support.ports import free_port

SEATED = ("sits down", "you, waiting")
"""What tells a person of the seat: as news, or by the table that its client finds."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with serving(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Run one dealer for all that is refused, which changes nothing there."""
    with serving(tmp_path_factory.mktemp("refusing")) as running:
        yield running


@pytest.fixture
def table(service: Service) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """Return a process of two house players at a table of six, and the game's ID."""
    process = start(
        "bots", "--address", service.address, "--game", "new", "--seats", "2", "--pace", "0",
        "--seed", "3", "--blinds", "50/100", folder=service.folder,
    )  # fmt: skip
    assert process.stdout is not None
    game = process.stdout.readline().strip()
    assert re.fullmatch("[0-9a-f]{32}", game), process.communicate()
    yield process, game
    if process.poll() is None:
        process.kill()
    process.communicate()


def play(
    service: Service, game: str, typed: str, *options: str
) -> "subprocess.CompletedProcess[str]":
    return dealer(
        "play", "--address", service.address, "--game", game, "--name", "ann", *options,
        folder=service.folder, typed=typed,
    )  # fmt: skip


def test_a_script_plays_its_lines_each_in_its_turn_and_leaves(
    service: Service, table: tuple[object, str]
) -> None:
    _, game = table
    played = play(service, game, "c\nr 1\n?\nt\nc\nf\n")
    assert played.returncode == 0, played.stderr
    out = played.stdout
    assert "you are ann; your record is cutcard-records/" in out
    assert re.search(r"^your turn: f fold, ", out, re.MULTILINE)
    assert re.search(
        r"^  your cards \w\w \w\w, .*pot [\d,]+, your chips [\d,]+$", out, re.MULTILINE
    )
    assert re.search(r"^  (bet|raise to) at least [\d,]+ and at most [\d,]+$", out, re.MULTILINE)
    assert "  f fold · x check · c call" in out
    assert re.search(r"^   \d ann .*you", out, re.MULTILINE)
    assert re.search(r"^you leave", out, re.MULTILINE)
    assert "cutcard-audit verify FILE --key KEY --mine cutcard-records/" in played.stderr
    assert "\x1b" not in out


def test_an_empty_script_leaves_at_its_first_turn(
    service: Service, table: tuple[object, str]
) -> None:
    played = play(service, table[1], "")
    assert played.returncode == 0, played.stderr
    assert re.search(r"^you leave", played.stdout, re.MULTILINE)


def test_the_record_of_a_person_and_the_fetched_file_hold_in_the_audit(
    service: Service, table: "tuple[subprocess.Popen[str], str]"
) -> None:
    process, game = table
    played = play(service, game, "c\nc\nc\nc\nc\nc\n")
    assert played.returncode == 0, played.stderr
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, told
    assert told.count("it left") == 2
    fetched = dealer(
        "fetch", game, "--address", service.address, "--output", "g.jsonl", folder=service.folder
    )
    assert only_line(fetched.stdout) == "g.jsonl"
    key = dealer("key", folder=service.folder).stdout.strip()
    record = f"cutcard-records/{game}.ann.record"
    command = [sys.executable, "-m", "audit_cli", "verify", "g.jsonl", "--key", key]
    audit = subprocess.run(
        [*command, "--mine", record],
        cwd=service.folder,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    # The game is still open, so that its secrets are not there; nothing that is there is wrong.
    assert audit.returncode == 4, audit.stdout + audit.stderr
    assert re.search(r"^PLAYER-MIXED  holds .*ann", audit.stdout, re.MULTILINE), audit.stdout
    assert not re.search(r"^[A-Z-]+ +broken", audit.stdout, re.MULTILINE)


def test_a_person_at_a_terminal_is_heard_at_any_time_and_leaves_by_an_interrupt(
    service: Service,
) -> None:
    """Nobody else sits, so that no turn ever comes."""
    process = start(
        "bots", "--address", service.address, "--game", "new", "--seats", "1", "--pace", "0",
        folder=service.folder,
    )  # fmt: skip
    assert process.stdout is not None
    game = process.stdout.readline().strip()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=SECONDS)
    screen, terminal = pty.openpty()
    person = start_at(terminal, service, game)
    os.close(terminal)
    try:
        heard = read_until(screen, *SEATED)
        assert "q leave" in heard
        os.write(screen, b"c\n")
        read_until(screen, "it is not your turn")
        os.write(screen, b"t\n")
        read_until(screen, "between hands")
        os.write(screen, b"s\n")
        read_until(screen, "you sit out from the next hand on")
        os.write(screen, b"i\n")
        read_until(screen, "ann (you): is back")
        person.send_signal(signal.SIGINT)
        read_until(screen, "you leave with")
        assert person.wait(timeout=SECONDS) == 0
    finally:
        person.kill()
        person.wait()
        os.close(screen)


async def test_a_person_is_told_that_the_dealer_broke_the_protocol_and_where_the_evidence_is(
    tmp_path: Path,
) -> None:
    """The dealer of this test shows a mix that does not follow from the links."""
    fake = FakeDealer()
    await fake.start()
    simulator = fake.open_table()
    game = simulator.state.opened.game
    for name in ("ann", "ben"):
        (tmp_path / name).write_text(token_for(name))
    people = [
        await asyncio.to_thread(
            start, "play", "--address", fake.address, "--game", game, "--token-file", name,
            "--records", f"of-{name}", folder=tmp_path,
        )
        for name in ("ann", "ben")
    ]  # fmt: skip
    try:
        for person in people:
            assert person.stdout is not None
            while line := await asyncio.to_thread(person.stdout.readline):
                if any(words in line for words in SEATED):
                    break
            assert person.poll() is None
        fake.faults.tamper = change_mix
        await fake.open_hand(simulator)
        said, why = await asyncio.to_thread(people[0].communicate, timeout=SECONDS)
    finally:
        for person in people:
            person.kill()
            await asyncio.to_thread(person.wait)
        await fake.stop()
    assert people[0].returncode == 1
    assert "THE DEALER BROKE THE PROTOCOL (MIX)" in said
    evidence = f"of-ann/{game}.ann.evidence"
    assert "cutcard-dealer: error: the dealer broke the protocol (MIX)" in why
    assert f"what was seen is in {evidence}" in why
    assert (tmp_path / evidence).stat().st_size > 0


def change_mix(player: str, message: Message) -> Message:
    """Turn one digit of the mix that is told to ann."""
    if player != "ann":
        return message
    changed = tuple(re.sub(rb'("mix":")(.)', _turn_digit, line) for line in message.lines)
    return replace(message, lines=changed)


def _turn_digit(found: "re.Match[bytes]") -> bytes:
    return found[1] + (b"1" if found[2] == b"0" else b"0")


def start_at(terminal: int, service: Service, game: str) -> "subprocess.Popen[bytes]":
    command = ["play", "--address", service.address, "--game", game, "--name", "ann", "--no-color"]
    return subprocess.Popen(
        [sys.executable, "-m", "dealer_service", *command],
        cwd=service.folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )


def read_until(screen: int, *words: str) -> str:
    """Read a terminal until it shows some words, any of them."""
    heard = ""
    while not any(each in heard for each in words):
        ready, _, _ = select.select([screen], [], [], SECONDS)
        assert ready, heard
        try:
            heard += os.read(screen, 4096).decode()
        except OSError:
            pytest.fail(f"the terminal was closed without {words!r}: {heard}")
    return heard


def test_house_players_leave_after_their_hands(service: Service) -> None:
    ran = dealer(
        "bots", "--address", service.address, "--game", "new", "--seats", "3", "--hands", "2",
        "--pace", "0", folder=service.folder,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert re.fullmatch(r"[0-9a-f]{32}\n", ran.stdout)
    for number in (1, 2, 3):
        assert re.search(
            rf"note: house-{number} played \d+ hands; it left$", ran.stderr, re.MULTILINE
        )


def test_house_players_play_on_when_the_dealer_was_killed_and_has_restarted(
    tmp_path: Path,
) -> None:
    address = f"127.0.0.1:{free_port()}"
    with serving(tmp_path, "--listen", address) as service:
        players = start(
            "bots", "--address", address, "--game", "new", "--seats", "3", "--hands", "6",
            "--pace", "0", folder=tmp_path,
        )  # fmt: skip
        assert players.stdout is not None
        game = players.stdout.readline().strip()
        record = tmp_path / "cutcard-records" / f"{game}.house-1.record"
        while not record.exists() or b'"hand":2,' not in record.read_bytes():
            assert players.poll() is None
        service.process.kill()
        service.process.wait()
    with serving(tmp_path, "--listen", address) as again:
        _, told = players.communicate(timeout=SECONDS)
        assert players.returncode == 0, told
        assert told.count("; it left") == 3
        fetched = dealer("fetch", game, "--address", again.address, folder=tmp_path)
    assert fetched.returncode == 0, fetched.stderr
    file = (tmp_path / f"{game}.jsonl").read_text(encoding="utf-8")
    assert file.count('"hand_ended":') >= 6
    assert '"seat_left":' in file
    assert '"refused":' not in record.read_text()


def test_house_players_may_have_tokens_from_a_file(service: Service) -> None:
    folder = service.folder
    tokens = [
        only_line(dealer("token", name, "--role", role, folder=folder).stdout)
        for name, role in (("op", "operator"), ("x", "player"), ("y", "player"))
    ]
    (folder / "tokens").write_text("\n".join(tokens))
    ran = dealer(
        "bots", "--address", service.address, "--game", "new", "--tokens", "tokens",
        "--hands", "1", "--pace", "0", folder=folder,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"note: x played \d+ hands; it left$", ran.stderr, re.MULTILINE)
    assert re.search(r"note: y played \d+ hands; it left$", ran.stderr, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["play", "--game", "00" * 16], 3, "the dealer refused"),
        (["bots", "--game", "00" * 16], 3, "the dealer refused"),
        (["fetch", "00" * 16], 3, "the dealer refused"),
        (["play", "--game", "00" * 16, "--token-file", "none"], 2, "--token-file none can not"),
        (["bots", "--game", "new", "--tokens", "none"], 2, "--tokens none can not be read"),
        (["play", "--game", "00" * 16, "--key", "nonsense"], 2, "--key: "),
    ],
)
def test_what_can_not_be_done_is_said(
    refusing: Service, options: list[str], status: int, words: str
) -> None:
    refused = dealer(*options, "--address", refusing.address, folder=refusing.folder)
    assert (refused.returncode, refused.stdout) == (status, "")
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_token_of_another_dealer_is_refused(service: Service, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with serving(other, "--origin", "other.example.com"):
        token = only_line(dealer("token", "ann", "--role", "player", folder=other).stdout)
    (tmp_path / "token").write_text(token)
    refused = dealer(
        "fetch", "00" * 16, "--address", service.address, "--token-file", "token", folder=tmp_path
    )
    assert refused.returncode == 3
    assert "the dealer refused (" in refused.stderr
    assert token not in refused.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["play"], "--game"),
        (["play", "--game", "7"], "is not a game's ID"),
        (["bots", "--game", "old"], "is not a game's ID"),
        (["bots", "--game", "new", "--seats", "11"], "no whole number from 1 to 10"),
        (["bots", "--game", "new", "--blinds", "2/1"], "above the big one"),
        (["bots", "--game", "new", "--pace", "-1"], "--pace"),
        (["bots", "--game", "new", "--blinds", "50-100"], "is not SMALL/BIG, such as 50/100"),
        (["demo", "--seats", "1"], "no whole number from 2 to 10"),
        (["demo", "--hands", "0"], "no whole number from 1 to 1000"),
    ],
)
def test_a_wrong_command_line_is_status_2(tmp_path: Path, options: list[str], words: str) -> None:
    refused = dealer(*options, folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert words in refused.stderr


def test_a_token_is_not_sent_bare_across_a_network(tmp_path: Path) -> None:
    refused = dealer(
        "fetch", "00" * 16, "--address", "dealer.example.com:443", folder=tmp_path,
        environ={"CUTCARD_TOKEN": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."},
    )  # fmt: skip
    assert refused.returncode == 2
    assert "a token must not cross a network bare" in refused.stderr
    assert "hint: say --tls" in refused.stderr
