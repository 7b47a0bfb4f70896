"""Entries and their canonical lines, both ways (PROTOCOL.md sections 5 and 6)."""

import json
import re
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import EnumMeta
from pathlib import Path
from typing import Any, get_args

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from cutcard.v1 import entry_pb2
from dealer_service.rules import entry as vocabulary
from dealer_service.rules.entry import (
    KINDS,
    Act,
    Acted,
    Anchored,
    AnteKind,
    AnteRule,
    By,
    ColoredUp,
    DealtPosition,
    Destination,
    HandEnded,
    HandLevel,
    HandOpened,
    Opened,
    OpenedCard,
    Owed,
    Paused,
    Posted,
    SeatLeft,
    SeatStack,
    SeatState,
    SeatTaken,
    SeatWord,
)
from dealer_service.tables.lines import LineError, LineReason, decode, encode
from dealer_service.transcript import canonical
from tests.support.entries import entries, times, values

PROTOCOL = Path(__file__).parent.parent.parent / "proto" / "PROTOCOL.md"
ACT = Acted(3, Act.RAISE, 500, By.PLAYER, 7)
ACT_LINE = b'{"acted":{"act":"raise","by":"player","seat":3,"to":500,"turn":7},"at":1000}'


@given(times, entries())
def test_every_entry_comes_back_from_its_line(at: int, entry: Any) -> None:
    assert decode(encode(at, entry)) == (at, entry)


@given(times, entries())
def test_every_line_is_its_own_canonical_form(at: int, entry: Any) -> None:
    line = encode(at, entry)
    assert canonical.encode(canonical.decode(line)) == line


@given(times, entries())
def test_protobufs_json_reader_reads_every_line(at: int, entry: Any) -> None:
    read = json_format.Parse(encode(at, entry).decode("ascii"), entry_pb2.Entry())
    assert read.at == at
    assert type(entry) is KINDS[read.WhichOneof("kind") or ""]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_round_trips(kind: str) -> None:
    """Each kind by itself, so that none is left to chance."""

    @given(values(KINDS[kind]))
    def comes_back(entry: Any) -> None:
        line = encode(1, entry)
        assert decode(line) == (1, entry)
        assert set(json.loads(line)) == {"at", kind}

    comes_back()


def test_an_act_has_the_line_of_the_protocol() -> None:
    assert encode(1000, ACT) == ACT_LINE


def test_an_optional_field_is_left_out() -> None:
    assert encode(5, SeatLeft(2, "ann")) == b'{"at":5,"seat_left":{"player":"ann","seat":2}}'


def test_a_kind_without_fields_is_an_empty_object() -> None:
    assert encode(5, Paused()) == b'{"at":5,"paused":{}}'


def _documented() -> dict[str, tuple[set[str], set[str]]]:
    """Read section 6's first table: for each kind its required and its optional fields."""
    text = PROTOCOL.read_text()
    table = text[text.index("## 6. Entries") : text.index("### 6.1")]
    kinds: dict[str, tuple[set[str], set[str]]] = {}
    for row in re.findall(r"^\| (`.*?) \| (.*) \|$", table, re.MULTILINE):
        names, told = row
        bare = re.sub(r"\{(?:[^{}]|\{[^{}]*\})*\}", "", told)
        # A field is a name at the row's start or behind a comma, a semicolon, "or" or "and".
        found = re.findall(r"(?:^|, |; | or )`([a-z_]+)`(\??)", bare)
        required = {name for name, mark in found if not mark}
        optional = {name for name, mark in found if mark}
        for kind in re.findall(r"`([a-z_]+)`", names):
            kinds[kind] = (required, optional)
    return kinds


LEVEL = HandLevel(3, 100, 200, 100, AnteRule(AnteKind.BIG_BLIND, 200))


def test_an_opening_of_a_tournaments_table_says_what_it_is_played_by() -> None:
    opened = HandOpened(7, "00" * 32, 1, 2, (), (), 0, level=LEVEL)
    told = json.loads(encode(5, opened))["hand_opened"]["level"]
    assert told == {
        "ante": {"amount": 200, "kind": "big_blind"},
        "big_blind": 200,
        "chip_unit": 100,
        "level": 3,
        "small_blind": 100,
    }


def test_a_race_lists_the_stacks_behind_it() -> None:
    line = encode(5, ColoredUp(100, (SeatStack(2, 900), SeatStack(4, 100))))
    assert line == (
        b'{"at":5,"colored_up":{"stacks":[{"seat":2,"stack":900},{"seat":4,"stack":100}],'
        b'"unit":100}}'
    )


def test_every_kind_has_the_fields_of_the_protocols_table() -> None:
    told = _documented()
    assert set(told) == set(KINDS)
    enums: list[Any] = [one for one in vars(vocabulary).values() if isinstance(one, EnumMeta)]
    words = {str(word) for one in enums for word in one.__members__.values()}
    for kind, (required, optional) in told.items():
        have = fields(KINDS[kind])
        needed = {f.name for f in have if f.default is MISSING}
        assert needed <= required, kind
        assert required - needed <= words, kind
        assert {f.name for f in have if f.default is not MISSING} == optional, kind


def test_every_shape_has_the_fields_of_its_message() -> None:
    """The .proto and the dataclasses name the same fields, so that one reader reads both."""
    shapes = [one for one in vars(vocabulary).values() if isinstance(one, type)]
    shapes = [one for one in shapes if is_dataclass(one)]
    for shape in shapes:
        message = entry_pb2.DESCRIPTOR.message_types_by_name[shape.__name__]
        assert {f.name for f in message.fields} == {f.name for f in fields(shape)}
    assert set(KINDS) | {"at"} == {f.name for f in entry_pb2.Entry.DESCRIPTOR.fields}


REFUSED = [
    (
        b'{"acted":{"act":"raise","by":"player","seat":3,"to":500},"at":1}',
        "acted has no field turn",
    ),
    (
        b'{"at":1,"paused":{"why":1}}',
        "paused has the unknown field 'why'",
    ),
    (
        b'{"at":1,"posted":{"amount":true,"seat":1,"what":"small_blind"}}',
        "posted.amount is no integer from 0 to 9007199254740991",
    ),
    (
        b'{"at":1,"posted":{"amount":1.0,"seat":1,"what":"small_blind"}}',
        "posted.amount is no integer from 0 to 9007199254740991",
    ),
    (
        b'{"at":1,"posted":{"amount":9007199254740992,"seat":1,"what":"small_blind"}}',
        "posted.amount is no integer from 0 to 9007199254740991",
    ),
    (
        b'{"at":1,"posted":{"amount":1,"seat":11,"what":"small_blind"}}',
        "posted.seat is no integer from 1 to 10",
    ),
    (
        b'{"at":1,"posted":{"amount":1,"seat":1,"what":"tip"}}',
        "posted.what is none of ante, small_blind, big_blind, straddle, live, dead",
    ),
    (
        b'{"at":1,"seat_left":{"player":null,"seat":1}}',
        "seat_left.player is not 1 to 64 of A-Z a-z 0-9 . _ -",
    ),
    (
        b'{"at":1,"seat_left":{"player":"a b","seat":1}}',
        "seat_left.player is not 1 to 64 of A-Z a-z 0-9 . _ -",
    ),
    (
        b'{"at":1,"hand_ended":{"hand":1,"stacks":[{"seat":1,"stack":4},{"seat":2,"stack":-4}]}}',
        "hand_ended.stacks.1.stack is no integer from 0 to 9007199254740991",
    ),
    (b'{"at":1,"hand_ended":{"hand":1,"stacks":{}}}', "hand_ended.stacks is no list"),
    (b'{"at":1,"hand_ended":[]}', "hand_ended is no object"),
    (
        b'{"at":1,"dealt":{"hand":1,"positions":[{"position":0,"to":"burn","seat":1}]}}',
        "dealt.positions.0 has a seat or a board that does not go with its destination",
    ),
    (
        b'{"at":1,"opened":{"by":"rule","cards":[],"hand":1}}',
        "opened needs exactly one of seat and board",
    ),
    (
        b'{"at":1,"secret_revealed":{"hand":1,"secret":"AB"}}',
        "secret_revealed.secret is not 32 bytes in lower-case hex",
    ),
    (
        b'{"at":1,"preferred":{"choices":["show","runs"],"player":"ann","seat":1}}',
        "preferred has choices that do not rise",
    ),
    (
        b'{"at":1,"runs_agreed":{"hand":1,"runs":3,"seats":[1,2]}}',
        "runs_agreed.runs is no integer from 2 to 2",
    ),
    (
        b'{"at":1,"seat_taken":{"house":false,"player":"ann","seat":1,"stack":5}}',
        "seat_taken.house is not true, and else it is left out",
    ),
    (
        b'{"at":1,"colored_up":{"stacks":[{"seat":1,"stack":5}],"unit":0}}',
        "colored_up.unit is no integer from 1 to 9007199254740991",
    ),
    (b'{"at":-1,"paused":{}}', "paused is no integer from 0 to 9007199254740991"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_a_line_with_a_wrong_field_is_refused_by_its_place(line: bytes, message: str) -> None:
    with pytest.raises(LineError) as refused:
        decode(line)
    assert refused.value.reason is LineReason.BAD_FIELD
    assert str(refused.value) == message


NOT_CANONICAL = [
    b"",
    b"[]",
    b"{",
    b'{"at":1,"paused":{}} ',
    b' {"at":1,"paused":{}}',
    b'{"at": 1,"paused":{}}',
    b'{"paused":{},"at":1}',
    b'{"at":1,"at":1,"paused":{}}',
    b'{"at":1,"paused":{},"paused":{}}',
    b'{"at":01,"paused":{}}',
    b'{"at":1e2,"paused":{}}',
    b'{"at":1,"p\\u0061used":{}}',
    b'{"at":1,"seat_left":{"player":"\\u0061nn","seat":1}}',
    b'{"at":1,"seat_left":{"player":"ann\xc3\xa9","seat":1}}',
    b'\xef\xbb\xbf{"at":1,"paused":{}}',
    b"[" * 60_000,
    ACT_LINE + b"\n",
]


@pytest.mark.parametrize("line", NOT_CANONICAL)
def test_a_line_that_is_not_its_own_canonical_form_is_refused(line: bytes) -> None:
    with pytest.raises(LineError) as refused:
        decode(line)
    assert refused.value.reason in {LineReason.NOT_CANONICAL, LineReason.BAD_FIELD}


@pytest.mark.parametrize("line", [b"{}", b'{"at":1}', b'{"at":1,"dealt":{},"paused":{}}'])
def test_an_entry_has_a_time_and_one_kind(line: bytes) -> None:
    with pytest.raises(LineError) as refused:
        decode(line)
    assert refused.value.reason is LineReason.NO_ENTRY


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(LineError) as refused:
        decode(b'{"at":1,"reshuffled":{}}')
    assert refused.value.reason is LineReason.UNKNOWN_KIND


@given(st.binary(max_size=200))
def test_any_bytes_give_an_entry_or_an_error(line: bytes) -> None:
    try:
        at, entry = decode(line)
    except LineError:
        return
    assert encode(at, entry) == line


@given(entries(), st.data())
def test_a_changed_byte_never_gives_the_same_entry(entry: Any, data: st.DataObject) -> None:
    line = bytearray(encode(1000, entry))
    index = data.draw(st.integers(0, len(line) - 1))
    line[index] ^= data.draw(st.integers(1, 255))
    try:
        changed = decode(bytes(line))
    except LineError:
        return
    assert changed != (1000, entry)


UNWRITABLE = [
    Acted(0, Act.FOLD, 0, By.PLAYER, 1),
    Acted(1, Act.FOLD, -1, By.PLAYER, 1),
    Posted(1, vocabulary.Post.BIG_BLIND, 2**53),
    SeatTaken(1, 'a"b', 100),
    SeatTaken(1, "ann", 100, "00"),
    Anchored(1, "ann", "00" * 32, 3, None),
    Opened(1, By.RULE, (OpenedCard(0, "1s", "00" * 16),), seat=1),
    HandEnded(1, (SeatStack(1, True),)),
    vocabulary.Dealt(1, (DealtPosition(0, Destination.SEAT),)),
    HandOpened(1, "00" * 32, 1, 2, (), (), 0, small_blind_seat=1, dead_small_blind_seat=3),
    HandOpened(1, "00" * 32, 1, 2, (), (), 0, last_big_blind_seat=3),
    HandOpened(1, "00" * 32, 1, 2, (SeatState(1, "a", 5, SeatWord.IN, choices=()),), (), 0),
    HandOpened(1, "00" * 32, 1, 2, (SeatState(1, "a", 5, SeatWord.IN, owes=Owed(0, 0)),), (), 0),
    HandOpened(1, "00" * 32, 1, 2, (SeatState(1, "a", 5, SeatWord.IN, waits=False),), (), 0),
    HandOpened(1, "00" * 32, 1, 2, (SeatState(1, "a", 5, SeatWord.IN, house=False),), (), 0),
    HandOpened(1, "00" * 32, 1, 2, (), (), 0, level=HandLevel(0, 1, 2, 1)),
    HandOpened(1, "00" * 32, 1, 2, (), (), 0, level=HandLevel(1, 0, 2, 1)),
    SeatTaken(1, "ann", 100, house=False),
    ColoredUp(0, (SeatStack(1, 5),)),
]


@pytest.mark.parametrize("entry", UNWRITABLE)
def test_an_entry_that_the_protocol_does_not_allow_has_no_line(entry: Any) -> None:
    with pytest.raises(LineError) as refused:
        encode(1, entry)
    assert refused.value.reason is LineReason.BAD_FIELD


def test_a_line_has_at_most_65535_bytes() -> None:
    missed = vocabulary.Miss("a" * 64, (2**53 - 1,) * 3000)
    long = vocabulary.HandOpened(1, "00" * 32, 1, 2, (), (missed,), 0, 1)
    assert len(encode(1, long)) < 65_536
    with pytest.raises(LineError) as refused:
        encode(1, replace(long, misses=(missed, missed)))
    assert refused.value.reason is LineReason.TOO_LONG


def test_an_error_names_no_content() -> None:
    """A secret in the wrong place must not come out in an error."""
    with pytest.raises(LineError) as refused:
        encode(1, vocabulary.SecretRevealed(1, "feedface"))
    assert "feedface" not in str(refused.value)


def test_the_vocabulary_is_all_of_the_entries() -> None:
    assert set(get_args(vocabulary.Entry)) == set(KINDS.values())
