"""`rng dump`: each level in each format, hands and running generators, files, pipes and words.

What is expected is made here from `derive` and `drbg` hand by hand, never by the code under test.
"""

import hashlib
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit_cli import drbg
from audit_cli.cli import main
from audit_cli.derive import CARDS, derive_deck, run_ceremony
from audit_cli.hashing import commit_hand, framed, hkdf, mix_hand, tagged_hash, u64
from audit_cli.rng.hands import DRAWS
from audit_cli.rng.lab import commit_lab

SECRET = bytes(range(32))
LAB = ("--secret", SECRET.hex())
COMMAND = (sys.executable, "-m", "audit_cli", "rng", "dump", *LAB)
HANDS = 5
DECK_INFO = framed(b"cutcard/v1/deck")


def keys(index: int) -> tuple[bytes, bytes]:
    """Give a laboratory's hand secret and mix, as the protocol has them."""
    own = tagged_hash("lab", SECRET, u64(index))
    commitment = commit_hand("lab", bytes(16), index + 1, own)
    return own, mix_hand("lab", bytes(16), index + 1, commitment, (), None)


def seed_of(index: int) -> bytes:
    return hkdf(*keys(index), DECK_INFO, drbg.SEED_BYTES)


def stream(index: int) -> bytes:
    return drbg.stream(seed_of(index), 1024)


def deck(index: int) -> tuple[int, ...]:
    return derive_deck(*keys(index)).cards


def drawn(index: int) -> list[int]:
    """Give the accepted draws of a hand."""
    read = iter(stream(index))
    return [next(x % n for x in read if x < 256 - 256 % n) for n in DRAWS]


def game(index: int) -> list[int]:
    cards = deck(index)
    holes = [cards[seat + more] for seat in range(6) for more in (0, 6)]
    return [*holes, *cards[13:16], cards[17], cards[19]]


def running(size: int) -> bytes:
    """Give what one generator gives, begun as hand 0, in requests of 65,536 bytes."""
    state, output = drbg.instantiate(seed_of(0)), b""
    while len(output) < size:
        part, state = drbg.generate(state, 65_536)
        output += part
    return output[:size]


VALUES: dict[str, list[list[int]]] = {
    "scaled": [drawn(index) for index in range(HANDS)],
    "deck": [list(deck(index)) for index in range(HANDS)],
    "game": [game(index) for index in range(HANDS)],
}
RAW = b"".join(stream(index) for index in range(HANDS))
WORDS = [int.from_bytes(RAW[at : at + 4], "big") for at in range(0, len(RAW), 4)]


def dump(folder: Path, *options: str) -> bytes:
    """Dump to a file and read it."""
    path = folder / "out"
    assert main(["rng", "dump", *options, "--out", str(path)]) == 0
    return path.read_bytes()


def about(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Give a command line that must be wrong, and what is said of it."""
    assert main(["rng", "dump", *options]) == 2
    told = capsys.readouterr()
    assert not told.out
    return told.err


FORMS = {
    "u8": RAW,
    "u32be": RAW,
    "u32le": b"".join(word.to_bytes(4, "little") for word in WORDS),
    "u64le": b"".join(RAW[at : at + 8][::-1] for at in range(0, len(RAW), 8)),
    "bits-reversed": bytes(int(f"{byte:08b}"[::-1], 2) for byte in RAW),
    "ascii01": "".join(f"{byte:08b}" for byte in RAW).encode(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ["plain", "numpy"])
def test_raw_bytes_in_every_order(tmp_path: Path, form: str, engine: str) -> None:
    options = (*LAB, "--count", str(HANDS), "--format", form, "--engine", engine)
    assert dump(tmp_path, *options) == FORMS[form]


def test_the_same_bytes_by_the_fastest_engine(tmp_path: Path) -> None:
    assert dump(tmp_path, *LAB, "--count", str(HANDS)) == RAW


def test_dieharders_head_says_how_many_numbers_follow(tmp_path: Path) -> None:
    lines = dump(tmp_path, *LAB, "--bytes", "400", "--format", "dieharder").decode().splitlines()
    assert [line for line in lines if line.startswith("#")] == lines[:3]
    assert lines[3:6] == ["type: d", "count: 100", "numbit: 32"]
    assert [int(line) for line in lines[6:]] == WORDS[:100]


@pytest.mark.parametrize("level", VALUES)
@pytest.mark.parametrize(("form", "kind"), [("u8", "u1"), ("u32le", "<u4"), ("u32be", ">u4")])
def test_numbers_at_the_other_levels(tmp_path: Path, level: str, form: str, kind: str) -> None:
    written = dump(tmp_path, *LAB, "--count", str(HANDS), "--level", level, "--format", form)
    assert np.frombuffer(written, kind).reshape(HANDS, -1).tolist() == VALUES[level]


def test_what_a_games_numbers_are_is_told_beside_them(tmp_path: Path) -> None:
    """Hole cards seat by seat, flop, turn and river, as places in the deck that derives."""
    written = dump(tmp_path, *LAB, "--count", "2", "--level", "game")
    told = about(tmp_path)
    assert len(told["positions"]) == 17
    for index in range(2):
        cards = deck(index)
        shown = [told["cards"][number] for number in written[17 * index : 17 * (index + 1)]]
        assert shown == [CARDS[cards[position]] for position in told["positions"]]


def test_the_bytes_that_are_told_are_those_that_derive_takes(tmp_path: Path) -> None:
    written = dump(tmp_path, *LAB, "--count", str(HANDS))
    for index in range(HANDS):
        ceremony = run_ceremony(written[1024 * index : 1024 * (index + 1)])
        assert ceremony.deck == deck(index)


def test_tables_have_a_head_and_a_line_for_each_hand(tmp_path: Path) -> None:
    for level, columns in (("scaled", 157), ("deck", 52), ("game", 9), ("raw", 1)):
        folder = tmp_path / level
        folder.mkdir()
        text = dump(
            folder, *LAB, "--count", "3", "--skip", "1", "--level", level, "--format", "csv"
        )
        head, *lines = text.decode().splitlines()
        assert len(head.split(",")) == columns + 1
        assert [line.split(",")[0] for line in lines] == ["1", "2", "3"]
        assert {len(line.split(",")) for line in lines} == {columns + 1}
    cards = (tmp_path / "deck" / "out").read_text().splitlines()[1].split(",")[1:]
    assert cards == [CARDS[card] for card in deck(1)]
    seats = (tmp_path / "game" / "out").read_text().splitlines()[1].split(",")[1:]
    assert "".join(seats) == "".join(CARDS[card] for card in game(1))


@pytest.mark.parametrize("skip", [0, 1, 63, 64, 65, 200])
def test_a_running_generator_is_asked_for_65536_bytes_and_renewed_after_each(
    tmp_path: Path, skip: int
) -> None:
    size = 300_000
    options = ("--stream", "continuous", "--skip", str(skip), "--bytes", str(size))
    written = dump(tmp_path, *LAB, *options)
    assert written == running(skip * 1024 + size)[skip * 1024 :]
    assert written[:1024] == (stream(0) if skip == 0 else running(skip * 1024 + 1024)[-1024:])
    assert about(tmp_path)["generator"] == {
        "offset": skip * 1024,
        "bytes": size,
        "bytes_a_hand": 1024,
        "bytes_a_request": 65_536,
    }


def test_hands_of_a_running_generator_take_1024_bytes_each(tmp_path: Path) -> None:
    options = ("--stream", "continuous", "--level", "deck", "--skip", "60", "--count", "10")
    written = dump(tmp_path, *LAB, *options)
    source = running(70 * 1024)
    for place in range(10):
        at = (60 + place) * 1024
        cards = bytes(run_ceremony(source[at : at + 1024]).deck)
        assert written[52 * place : 52 * place + 52] == cards


@pytest.mark.parametrize("stream_kind", ["per-hand", "continuous"])
@pytest.mark.parametrize("size", [4, 1_000, 5_000, 262_144, 262_148])
def test_bytes_end_where_they_are_told_to(tmp_path: Path, stream_kind: str, size: int) -> None:
    options = ("--stream", stream_kind, "--bytes", str(size), "--format", "u32le")
    assert len(dump(tmp_path, *LAB, *options)) == size


def test_hands_are_counted_also_where_batches_end(tmp_path: Path) -> None:
    written = dump(tmp_path, *LAB, "--count", "4100", "--level", "deck")
    assert len(written) == 4100 * 52
    assert written[-52:] == bytes(deck(4099))


def test_the_sidecar_says_what_it_is_and_not_the_secret(tmp_path: Path) -> None:
    written = dump(tmp_path, *LAB, "--count", "2", "--skip", "3", "--level", "scaled")
    text = (tmp_path / "out.json").read_text()
    assert SECRET.hex() not in text
    told = json.loads(text)
    assert told["format"] == "cutcard-dump/1"
    assert told["origin"] == {"kind": "lab", "secret_commitment": commit_lab(SECRET).hex()}
    assert (told["first_hand"], told["hands"]) == (3, 2)
    assert told["draws_below"] == list(DRAWS)
    assert told["files"] == [
        {
            "name": "out",
            "offset": 0,
            "bytes": len(written),
            "sha256": hashlib.sha256(written).hexdigest(),
        }
    ]


def test_the_same_dump_is_described_in_the_same_bytes(tmp_path: Path) -> None:
    texts = set()
    for engine in ("plain", "numpy"):
        (tmp_path / engine).mkdir()
        dump(tmp_path / engine, *LAB, "--count", "3", "--engine", engine)
        texts.add((tmp_path / engine / "out.json").read_bytes())
    assert len(texts) == 1


def test_a_split_dump_is_the_whole_one_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "out"
    options = ("--count", str(HANDS), "--split", "1k", "--format", "u32le", "--out", str(path))
    assert main(["rng", "dump", *LAB, *options]) == 0
    files = about(tmp_path)["files"]
    assert [one["name"] for one in files] == [f"out.{place:04}" for place in range(6)]
    parts = [(tmp_path / one["name"]).read_bytes() for one in files]
    assert b"".join(parts) == FORMS["u32le"]
    assert [len(part) for part in parts] == [1000] * 5 + [120]
    assert [one["sha256"] for one in files] == [hashlib.sha256(one).hexdigest() for one in parts]
    assert all(a["offset"] + a["bytes"] == b["offset"] for a, b in pairwise(files))


def test_bits_for_sts_are_split_by_the_bit(tmp_path: Path) -> None:
    options = ("--bytes", "500", "--format", "ascii01", "--split", "1k")
    assert main(["rng", "dump", *LAB, *options, "--out", str(tmp_path / "out")]) == 0
    assert {(tmp_path / f"out.{place:04}").stat().st_size for place in range(4)} == {1000}


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"kept")
    assert "is there already" in refused(capsys, *LAB, "--count", "1", "--out", str(path))
    assert path.read_bytes() == b"kept"
    path.unlink()
    (tmp_path / "out.json").write_bytes(b"kept")
    assert "is there already" in refused(capsys, *LAB, "--count", "1", "--out", str(path))
    assert not path.exists()


def test_fresh_hands_of_the_operating_system_differ(tmp_path: Path) -> None:
    dumps = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        dumps.add(dump(tmp_path / name, "--system", "--count", "3"))
        assert about(tmp_path / name)["origin"]["kind"] == "system"
    assert len(dumps) == 2
    assert {len(one) for one in dumps} == {3 * 1024}


def test_a_running_generator_may_have_a_fresh_seed(tmp_path: Path) -> None:
    written = dump(tmp_path, "--system", "--stream", "continuous", "--bytes", "70k")
    assert len(written) == 70_000
    assert written[:1024] != running(1024)
    told = {"kind": "system", "from": "one fresh secret of the operating system"}
    assert about(tmp_path)["origin"] == told


def collected(folder: Path, count: int) -> Path:
    path = folder / "hands"
    command = ["rng", "collect", "--system", "--count", str(count), "--out", str(path)]
    assert main(command) == 0
    return path


def test_collected_hands_are_dumped_as_their_secrets_give_them(tmp_path: Path) -> None:
    path = collected(tmp_path, 4)
    records = path.read_bytes().partition(b"\n")[2]
    expected = b""
    for at in range(0, len(records), 116):
        secret, mix = records[at : at + 32], records[at + 32 : at + 64]
        expected += drbg.stream(hkdf(secret, mix, DECK_INFO, drbg.SEED_BYTES), 1024)
    assert dump(tmp_path, "--hands", str(path)) == expected
    origin = about(tmp_path)["origin"]
    assert origin["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_end_of_a_file_is_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = collected(tmp_path, 4)
    assert len(dump(tmp_path, "--hands", str(path), "--skip", "3", "--level", "deck")) == 52
    capsys.readouterr()
    for options in (("--count", "5"), ("--skip", "4"), ("--bytes", "5000"), ("--skip", "9")):
        assert "the file holds 4 hands" in refused(capsys, "--hands", str(path), *options)


def test_a_hand_that_does_not_derive_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = collected(tmp_path, 4)
    content = bytearray(path.read_bytes())
    content[-52:-50] = content[-51:-53:-1]
    path.write_bytes(content)
    assert main(["rng", "dump", "--hands", str(path), "--out", str(tmp_path / "out")]) == 1
    assert "the deck of hand 3 (from 0) does not derive" in capsys.readouterr().err


def test_a_file_that_is_none_of_hands_is_status_3(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(os.urandom(500))
    assert main(["rng", "dump", "--hands", str(path), "--out", str(tmp_path / "out")]) == 3


WRONG = {
    "say whose hands": (),
    "say whose": (*LAB, "--system"),
    "--secret is 64 hex digits": ("--secret", "12"),
    "--secret is 64": ("--secret", "zz" * 32),
    "leave one out": (*LAB, "--count", "1", "--bytes", "4"),
    "--count N is for hands": (*LAB, "--bytes", "52", "--level", "deck"),
    "--bytes is for --level raw": (*LAB, "--bytes", "52", "--format", "csv"),
    "words of 4 bytes": (*LAB, "--bytes", "6", "--format", "u32le"),
    "words of 8 bytes": (*LAB, "--bytes", "4", "--format", "u64le"),
    "--format ascii01 is for bits": (*LAB, "--level", "deck", "--format", "ascii01"),
    "--format dieharder is for bits": (*LAB, "--level", "game", "--format", "dieharder"),
    "how many numbers follow": (*LAB, "--format", "dieharder"),
    "give --out FILE": (*LAB, "--count", "1", "--split", "1k"),
    "has a head": (*LAB, "--count", "1", "--format", "csv", "--split", "1k", "--out", "x"),
    "a multiple of 52 bytes": (*LAB, "--level", "deck", "--split", "1k", "--out", "x"),
    "a multiple of 4 bytes": (*LAB, "--format", "u32be", "--split", "1001", "--out", "x"),
    "fresh hands": ("--system", "--skip", "1"),
    "a generator of its own": ("--hands", "x", "--stream", "continuous"),
    "is no address": ("--dealer", "here"),
    "give --token FILE": ("--dealer", "127.0.0.1:1", "--insecure"),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_command_line_is_told_why(
    words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refused(capsys, *WRONG[words])


def test_a_wrong_secret_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    assert "abcdef" not in refused(capsys, "--secret", "abcdef" * 10)


def started(*options: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*COMMAND, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("kind", ["per-hand", "continuous"])
def test_a_dump_without_end_stops_when_its_reader_does(kind: str) -> None:
    process = started("--stream", kind, "--engine", "numpy")
    assert process.stdout is not None
    read = process.stdout.read(2_000_000)
    process.stdout.close()
    _, words = process.communicate(timeout=60)
    assert (process.returncode, len(read)) == (0, 2_000_000)
    assert words.startswith(b"cutcard-audit: note: the reader stopped after ")
    assert b"Traceback" not in words
    assert read[:1024] == stream(0)


def test_a_pipe_gets_the_bytes_and_nothing_else() -> None:
    out, words = started("--count", str(HANDS), "--engine", "plain").communicate(timeout=60)
    assert (out, words) == (RAW, b"")


@pytest.mark.parametrize("form", ["u8", "csv"])
def test_a_full_disk_behind_standard_output_is_told(form: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*COMMAND, "--count", "1", "--engine", "plain", "--format", form],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr == (
        b"cutcard-audit: error: can not write to standard output: no space left on device\n"
    )


def test_binary_data_does_not_go_to_a_screen() -> None:
    writer, screen = os.openpty()
    try:
        ran = subprocess.run(
            [*COMMAND, "--count", "1", "--engine", "plain"],
            stdout=screen,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(screen)
        os.close(writer)
    assert ran.returncode == 2
    assert b"binary data is not for a screen" in ran.stderr
