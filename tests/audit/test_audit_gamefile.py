"""Game files (protocol 5): read in order and in bounded memory, damage named by line."""

import io
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.canonical import MAX_LINE, read_file_line
from audit_cli.checkpoint import parse_game_checkpoint_note
from audit_cli.entries import SHAPES
from audit_cli.gamefile import (
    MAX_DAMAGE,
    Damage,
    Extra,
    GameEnd,
    Header,
    Item,
    Line,
    Signed,
    read_checkpoint,
    read_checkpoint_line,
    read_game_file,
)
from audit_cli.problem import Problem
from tests.support.game_files import GAME, ORIGIN, RULES, START, GameFile, Signer, canonical
from tests.support.known_answers import known_answers, vectors

SEAT = {"seat": 1, "player": "ann", "stack": 100}


def read(data: bytes) -> list[Item]:
    return list(read_game_file(io.BytesIO(data), "test"))


def damage(data: bytes) -> list[Damage]:
    return [item for item in read(data) if isinstance(item, Damage)]


def one_damage(data: bytes) -> Damage:
    found = damage(data)
    assert len(found) == 1
    return found[0]


def test_a_game_is_read_in_order() -> None:
    file = GameFile().checkpoint().entry("seat_taken", **SEAT).checkpoint()
    kinds = [type(item) for item in read(file.data())]
    assert kinds == [Header, Line, Signed, Line, Signed, GameEnd]


def test_a_line_has_its_places_and_content() -> None:
    file = GameFile().checkpoint().entry("seat_taken", **SEAT)
    line = [item for item in read(file.data()) if isinstance(item, Line)][1]
    assert (line.number, line.entry, line.at) == (4, 1, START + 1000)
    assert (line.kind, line.body) == ("seat_taken", SEAT)
    assert line.leaf == file.leaves[1]
    assert line.length == len(file.lines[3])


def test_kinds_that_sort_before_at_are_read() -> None:
    act = {"seat": 1, "act": "fold", "to": 0, "by": "player", "turn": 1}
    file = GameFile().entry("acted", **act).entry("anchored", seat=1, player="a", anchor="0" * 64)
    assert [item.kind for item in read(file.data()) if isinstance(item, Line)][1:] == [
        "acted",
        "anchored",
    ]


def test_a_checkpoint_is_given_with_size_and_root_of_the_lines_before_it() -> None:
    file = GameFile().checkpoint().entry("paused").checkpoint()
    signed = [item for item in read(file.data()) if isinstance(item, Signed)]
    assert [(item.size, item.checkpoint.size) for item in signed] == [(1, 1), (2, 2)]
    assert all(item.root == item.checkpoint.root for item in signed)


def test_joined_games_begin_at_each_header() -> None:
    other = GameFile(game="00" * 16).checkpoint()
    items = read(GameFile().checkpoint().data() + other.data())
    assert [type(item) for item in items] == [Header, Line, Signed, GameEnd] * 2
    assert [item.game for item in items if isinstance(item, Header)] == [GAME, "00" * 16]
    assert [item.entry for item in items if isinstance(item, Line)] == [0, 0]


def test_a_file_may_end_early() -> None:
    assert damage(GameFile().data()) == []
    assert damage(GameFile(opened=False).data()) == []


def test_openings_and_dealer_log_lines_end_a_game() -> None:
    opening = {"hand": 1, "position": 0, "card": "As", "salt": "0" * 32, "proof": []}
    lines = {
        "checkpoint": Signer().note(ORIGIN, 1, bytes(32)),
        "lines": [{"index": 0, "line": "a line", "proof": []}],
    }
    file = GameFile().other(canonical({"opening": opening}))
    file.other(canonical({"dealer_log": lines}))
    extras = [item for item in read(file.data()) if isinstance(item, Extra)]
    assert [(extra.kind, extra.body) for extra in extras] == [
        ("opening", opening),
        ("dealer_log", lines),
    ]
    assert "behind" in one_damage(file.entry("paused").data()).problem.reason


FATAL = [
    (b"", "empty"),
    (b"\n", "no header"),
    (b"hello\n", "no header"),
    (b"{}\n", "no header"),
    (b"[]\n", "no header"),
    (b"\x00" * 100 + b"\n", "no header"),
    (b"\xff\xfe\n", "no header"),
    (GameFile().data()[:-1], "no line feed"),
    (b'{"format":"cutcard-game/1"}\n', "other fields"),
    (b'{"format":"cutcard-game/2"}\n', "another format"),
    (GameFile(extra=1).data(), "other fields"),
    (GameFile(game="AB" * 16, opened=False).data(), "header.game"),
    (GameFile(origin="a/games/b", opened=False).data(), "header.origin"),
    (GameFile(origin="UPPER", opened=False).data(), "header.origin"),
    (GameFile(key="nonsense", opened=False).data(), "header.key"),
    (canonical({"format": "cutcard-game/1", "at": 1}) + b"\n", "other fields"),
]


@pytest.mark.parametrize(("data", "reason"), FATAL, ids=lambda value: str(value)[:30])
def test_what_is_no_game_file_is_said_once(data: bytes, reason: str) -> None:
    found = one_damage(data)
    assert found.fatal
    assert reason in found.problem.reason


@pytest.mark.parametrize("order", ["1", "2", "4", "8", "mixed"])
def test_a_header_key_of_another_order_is_refused(order: str) -> None:

    cases = known_answers("ed25519_edge.json")["cases"]
    case = next(c for c in cases if c["properties"].get("a_order") == order)
    public = b"\1" + bytes.fromhex(case["pk"])
    key_id = sha256(f"{ORIGIN}\n".encode() + public).digest()[:4].hex()
    vkey = f"{ORIGIN}+{key_id}+{b64encode(public).decode()}"
    found = one_damage(GameFile(key=vkey).data())
    assert found.fatal
    assert "header.key" in found.problem.reason


def _at(kind: str, body: object) -> bytes:
    return canonical({"at": START, kind: body})


OPENED = {"suite": "cutcard/v1", "origin": ORIGIN, "game": GAME, "rules": RULES}
DAMAGED_LINES = [
    (b'{"at":1,"at":1}', "twice"),
    (b'{"at":1.0,"paused":{}}', "not an integer"),
    (b'{"at":1e2,"paused":{}}', "not an integer"),
    (b'{"at":9007199254740992,"paused":{}}', "2^53"),
    (b'{"paused":{},"at":1}', "out of order"),
    (b'{"at":1,"p\\u0061used":{}}', "needless escape"),
    (b'{"at":1, "paused":{}}', "space"),
    (b'{"at":1,"paused":null}', "null"),
    (b'{"at":1}', "exactly"),
    (b"{}", "exactly"),
    (b"[]", "exactly"),
    (b"7", "exactly"),
    (b"", "ends where"),
    (b'{"at":1,"paused":{},"resumed":{}}', "exactly"),
    (b'{"at":true,"paused":{}}', "time"),
    (b'{"at":-1,"paused":{}}', "time"),
    (b'{"at":1,"shuffled":{}}', "unknown kind 'shuffled'"),
    (b'{"at":1,"paused":{"why":"x"}}', "paused has the unknown field 'why'"),
    (_at("game_opened", OPENED | {"suite": "cutcard/v0"}), "game_opened.suite"),
    (_at("game_opened", OPENED | {"rules": RULES | {"jackpot": 1}}), "unknown field 'jackpot'"),
    (_at("game_opened", OPENED | {"rules": RULES | {"big_blind": 0}}), ".rules.big_blind"),
    (_at("seat_taken", {"seat": 1, "player": "ann"}), "no field stack"),
    (_at("seat_taken", SEAT | {"seat": 11}), "seat_taken.seat"),
    (_at("seat_taken", SEAT | {"seat": True}), "seat_taken.seat"),
    (_at("seat_taken", SEAT | {"player": "a b"}), "seat_taken.player"),
    (_at("seat_taken", SEAT | {"stack": -1}), "seat_taken.stack"),
    (_at("seat_taken", SEAT | {"anchor": "AB" * 32}), "seat_taken.anchor"),
    (
        _at("anchored", {"seat": 1, "player": "a", "anchor": "0" * 64, "missing_hand": 1}),
        "none or missing_hand and",
    ),
    (_at("dealt", {"hand": 1, "positions": [{"position": 52, "to": "burn"}]}), "position"),
    (
        _at("dealt", {"hand": 1, "positions": [{"position": 0, "to": "seat"}]}),
        "positions[0] has no field seat",
    ),
    (
        _at("dealt", {"hand": 1, "positions": [{"position": 0, "to": "burn", "seat": 1}]}),
        "unknown field 'seat'",
    ),
    (_at("dealt", {"hand": 1, "positions": [{"position": 0, "to": "top"}]}), "to is none of"),
    (_at("dealt", {"hand": 1, "positions": [{"position": 0}]}), "no field to"),
    (_at("opened", {"hand": 1, "by": "rule", "board": 1, "cards": []}), "cards has 0 items"),
    (
        _at(
            "opened",
            {
                "hand": 1,
                "by": "rule",
                "seat": 1,
                "cards": [{"position": 1, "card": "1s", "salt": "0" * 32}],
            },
        ),
        "opened.cards[0].card",
    ),
    (
        _at(
            "opened",
            {
                "hand": 1,
                "by": "rule",
                "board": 1,
                "cards": [{"position": 1, "card": "As", "salt": "0" * 30}],
            },
        ),
        "opened.cards[0].salt",
    ),
    (
        _at(
            "opened",
            {
                "hand": 1,
                "by": "rule",
                "board": 1,
                "seat": 1,
                "cards": [{"position": 1, "card": "As", "salt": "0" * 32}],
            },
        ),
        "has to have, of seat, board: seat or board",
    ),
    (b'{"at":1,"hand_void":{"hand":1,"reason":"x","secret":"","links":[],"missing":[]}}', "order"),
]


@pytest.mark.parametrize(("line", "reason"), DAMAGED_LINES, ids=lambda value: str(value)[:40])
def test_a_damaged_entry_is_named_and_keeps_its_place_in_the_log(line: bytes, reason: str) -> None:
    """Its leaf hash still counts: the checkpoint behind it fits, and reading goes on."""
    file = GameFile().raw(line).checkpoint().entry("paused").checkpoint()
    items = read(file.data())
    found = one_damage(file.data())
    assert (found.number, found.fatal) == (3, False)
    assert reason in found.problem.reason
    assert [item.kind for item in items if isinstance(item, Line)] == ["game_opened", "", "paused"]
    assert all(item.root == item.checkpoint.root for item in items if isinstance(item, Signed))


def test_a_void_with_a_reason_that_is_none_is_readable() -> None:
    """It breaks a promise; it is not another format."""
    void = {"hand": 1, "reason": "mood", "secret": "0" * 64, "links": [], "missing": []}
    assert damage(GameFile().entry("hand_void", **void).data()) == []


def _note(**parts: str) -> str:
    """Give a good note with one of its parts replaced, signed again."""
    file = GameFile()
    origin, size, root, _ = file.note().split("\n", 3)
    parts = {"origin": origin, "size": size, "root": root, "end": "\n"} | parts
    text = f"{parts['origin']}\n{parts['size']}\n{parts['root']}{parts['end']}"
    return f"{text}\n{file.signer.sign(text)}"


GOOD = GameFile().note()
DAMAGED_NOTES = {
    "size 020": _note(size="020"),
    "size +20": _note(size="+20"),
    "size 2_0": _note(size="2_0"),
    "size in other digits": _note(size="\u0661"),
    "an extension line": _note(end="\nmore\n"),
    "an empty extension line": _note(end="\n\n"),
    "CRLF": GOOD.replace("\n", "\r\n"),
    "two blank lines": GOOD.replace("\n\n", "\n\n\n"),
    "no signature": GOOD.split("\n\n")[0] + "\n\n",
    "base64 with a newline inside": GOOD[:-20] + "\n" + GOOD[-20:],
    "non-zero pad bits in the root": _note(root=GOOD.split("\n")[2][:-2] + "l="),
    "65 signatures": GOOD + GOOD.split("\n\n")[1] * 64,
    "not a note": "hello",
}


@pytest.mark.parametrize("name", DAMAGED_NOTES)
def test_a_malformed_note_is_damage(name: str) -> None:
    file = GameFile().checkpoint(DAMAGED_NOTES[name]).entry("paused")
    found = one_damage(file.data())
    assert (found.number, found.fatal) == (3, False)


@pytest.mark.parametrize(
    "line",
    [
        b'{"checkpoint":7}',
        b'{"checkpoint":"x","y":1}',
        b'{ "checkpoint":"x"}',
        b'{"checkpoint":"\\u2014"}',
        b'{"opening":7}',
        b'{"opening":{}}',
        b'{"opening":{"card":"1s","hand":1,"position":0,"proof":[],"salt":"00"}}',
        b'{"dealer_log":[]}',
    ],
)
def test_a_malformed_line_beside_the_entries_is_no_entry(line: bytes) -> None:
    file = GameFile().other(line)
    assert one_damage(file.data()).number == 3
    assert [item for item in read(file.data()) if isinstance(item, GameEnd)] == [GameEnd(3, 1)]


def test_a_proof_of_64_hashes_is_refused() -> None:
    opening = {"hand": 1, "position": 0, "card": "As", "salt": "0" * 32, "proof": ["0" * 64] * 64}
    found = one_damage(GameFile().other(canonical({"opening": opening})).data())
    assert "opening.proof has 64 items" in found.problem.reason


def test_reading_stops_after_many_damaged_lines() -> None:
    data = GameFile().data() + b"junk\n" * 10_000
    found = damage(data)
    assert len(found) == MAX_DAMAGE + 2
    assert found[-1].fatal


class _Endless:
    """An input of zeros without end, behind a beginning; counts what was taken of it."""

    def __init__(self, beginning: bytes = b"") -> None:
        self._beginning = beginning
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        chunk = self._beginning[:size] or bytes(size)
        self._beginning = self._beginning[size:]
        self.taken += len(chunk)
        return chunk


@pytest.mark.parametrize("beginning", [b"", GameFile().data(), GameFile().data() + b'{"at":'])
def test_a_line_without_end_is_refused_after_a_bounded_amount(beginning: bytes) -> None:
    stream = _Endless(beginning)
    items = list(read_game_file(stream, "test"))
    last = [item for item in items if isinstance(item, Damage)][-1]
    assert last.fatal
    assert f"more than {MAX_LINE:,} bytes" in last.problem.reason
    assert stream.taken < 2_000_000


def test_a_sparse_file_of_ten_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(10 * 2**30)
    with path.open("rb") as file:
        found = list(read_game_file(file, "sparse"))
        assert file.tell() < 2_000_000
    assert isinstance(found[0], Damage)


def test_a_line_one_byte_too_long_is_refused_within_a_chunk() -> None:
    data = GameFile().data() + b"x" * (MAX_LINE + 1) + b"\n" + GameFile().data()
    assert one_damage(data).fatal


class _Dripping:
    """An input that comes a few bytes at a time, as from a pipe."""

    def __init__(self, data: bytes, step: int) -> None:
        self._chunks = self._split(data, step)

    @staticmethod
    def _split(data: bytes, step: int) -> Iterator[bytes]:
        for at in range(0, len(data), step):
            yield data[at : at + step]

    def read(self, _size: int, /) -> bytes:
        return next(self._chunks, b"")


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_chunks_do_not_change_what_is_read(step: int) -> None:
    data = GameFile().checkpoint().entry("seat_taken", **SEAT).raw(b"junk").checkpoint().data()
    assert list(read_game_file(_Dripping(data, step), "test")) == read(data)


@given(st.data())
def test_no_damage_of_a_file_raises(data: st.DataObject) -> None:
    whole = bytearray(GameFile().checkpoint().entry("seat_taken", **SEAT).checkpoint().data())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    items: list[Any] = read(bytes(whole[:cut]))
    assert items


def test_every_kind_of_the_protocol_has_a_shape() -> None:
    """The table of PROTOCOL.md section 6 and the shapes name the same kinds."""
    text = (Path(__file__).parents[2] / "proto" / "PROTOCOL.md").read_text()
    section = text[text.index("## 6. Entries") : text.index("### 6.1")]
    named = set()
    for row in section.splitlines():
        if row.startswith("| `"):
            first = row.split("|")[1]
            named |= {name.strip(" `") for name in first.split(",")}
    assert named == set(SHAPES)


def test_a_signer_of_the_tests_signs_as_the_vectors_do() -> None:

    for case in vectors("checkpoint.json"):
        name = case["vkey"].split("+")[0]
        signer = Signer(name, bytes.fromhex(case["private_seed"]))
        assert signer.vkey == case["vkey"]
        notes = [
            signer.note(case["log_origin"], size, bytes.fromhex(root))
            for size, root in enumerate(case["roots"], 1)
        ]
        assert notes == case["notes"]


NOTE_TEXT = st.text(st.sampled_from('aZ09+/=. \n—é"\\\x7f\x00\t{}'), max_size=30)
TWISTS = st.sampled_from(
    [
        (b"\\n", b"\\u000a"),
        (b"\\n", b"\n"),
        (b"\xe2\x80\x94", b"\\u2014"),
        (b"\xe2\x80\x94", b"\xe2\x80"),
        (b":", b": "),
        (b"checkpoint", b"checkpoints"),
        (b'"}', b'","x":0}'),
        (b"a", b"\\/"),
        (b"}", b"}\n"),
        (b"", b""),
    ]
)


@given(NOTE_TEXT, TWISTS)
def test_a_checkpoint_line_is_read_the_quick_way_as_with_care(
    text: str, twist: tuple[bytes, bytes]
) -> None:
    raw = canonical({"checkpoint": text}).replace(*twist, 1)
    quick = read_checkpoint_line(raw)
    careful = read_file_line(raw)
    if isinstance(careful, dict) and careful.keys() == {"checkpoint"}:
        assert quick == careful["checkpoint"]
    else:
        assert isinstance(quick, Problem)


CHECKPOINT = GameFile().checkpoint().lines[-1]
PLACES = st.integers(0, len(CHECKPOINT) - 1)
BYTES = st.sampled_from(sorted({*b'AQZaz059+/=-. \\n"{}:,\x00\x7f\xe2\x80\x94\n'}))


@given(st.lists(st.tuples(PLACES, st.sampled_from(["", "put", "more"]), BYTES), max_size=2))
def test_a_changed_checkpoint_is_read_the_quick_way_as_with_care(
    changes: list[tuple[int, str, int]],
) -> None:
    raw = bytearray(CHECKPOINT)
    for at, how, byte in changes:
        raw[at : at + (how != "more")] = bytes([byte] if how else [])
    quick = read_checkpoint(bytes(raw))
    careful = read_file_line(bytes(raw))
    if not isinstance(careful, dict) or careful.keys() != {"checkpoint"}:
        assert isinstance(quick, Problem)
        return
    found = parse_game_checkpoint_note(careful["checkpoint"])
    assert quick == (found if isinstance(found, Problem) else (careful["checkpoint"], *found))


def test_a_checkpoint_whose_base64_has_bits_too_many_is_damage() -> None:
    file = GameFile().checkpoint()
    for ending in (b"=\\n\\n", b'=\\n"}'):
        at = file.data().index(ending) - 1
        for letter in b"ABCDEFGH":
            data = bytearray(file.data())
            data[at] = letter
            assert len(damage(bytes(data))) == (letter not in b"AEIMQUYcgkosw048")
