"""One value has one line, and every other way to write it is refused."""

import json
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.transcript.canonical import (
    MAX_DEPTH,
    MAX_LINE_BYTES,
    Text,
    decode,
    encode,
)
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import vectors

PRINTABLE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
INTEGERS = st.integers(0, 2**53 - 1)


def lines_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    leaves = st.one_of(texts, INTEGERS, st.booleans())
    values = st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(PRINTABLE, inner)),
        max_leaves=12,
    )
    return st.dictionaries(PRINTABLE, values, max_size=5)


@given(lines_of(PRINTABLE))
def test_what_was_written_reads_back(value: dict[str, Any]) -> None:
    line = encode(value)
    assert decode(line) == value
    assert encode(decode(line)) == line


@given(lines_of(ANY_TEXT))
def test_file_lines_of_any_text_read_back(value: dict[str, Any]) -> None:
    assert decode(encode(value, Text.UNICODE), Text.UNICODE) == value


@given(lines_of(PRINTABLE))
def test_the_order_of_keys_in_memory_does_not_matter(value: dict[str, Any]) -> None:
    assert encode(dict(reversed(value.items()))) == encode(value)


@given(lines_of(PRINTABLE))
def test_spaced_and_escaped_writings_of_a_line_are_refused(value: dict[str, Any]) -> None:
    line = encode(value)
    spaced = json.dumps(value, sort_keys=True).encode()
    if spaced != line:
        with pytest.raises(TranscriptError):
            decode(spaced)
    for near in (line + b" ", b" " + line, line + b"\n", line[:-1], line + line):
        with pytest.raises(TranscriptError):
            decode(near)


@pytest.mark.parametrize("case", vectors("checkpoint.json"), ids=lambda case: case["log_origin"])
def test_the_vectors_lines_are_canonical(case: dict[str, Any]) -> None:
    for line in case["lines"]:
        assert encode(decode(line.encode())) == line.encode()


@pytest.mark.parametrize("case", vectors("checkpoint.json"), ids=lambda case: case["log_origin"])
def test_a_note_stands_in_a_file_line_with_its_dash_unescaped(case: dict[str, Any]) -> None:
    for note in case["notes"]:
        line = encode({"checkpoint": note}, Text.UNICODE)
        assert "\u2014 ".encode() in line
        assert b"\\n" in line
        assert decode(line, Text.UNICODE) == {"checkpoint": note}


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({}, b"{}"),
        ({"b": 1, "a": 0}, b'{"a":0,"b":1}'),
        ({"at": 1, "acted": {}}, b'{"acted":{},"at":1}'),
        ({"a": [True, False, []]}, b'{"a":[true,false,[]]}'),
        ({"a": (1, 2)}, b'{"a":[1,2]}'),
        ({"a": '"\\/'}, b'{"a":"\\"\\\\/"}'),
        ({"a": 2**53 - 1}, b'{"a":9007199254740991}'),
        ({"a": "null"}, b'{"a":"null"}'),
        ({"A": 1, "a": 1, "_": 1, "1": 1, "": 1}, b'{"":1,"1":1,"A":1,"_":1,"a":1}'),
    ],
)
def test_the_canonical_form(value: dict[str, Any], line: bytes) -> None:
    assert encode(value) == line
    assert encode(decode(line)) == line


def test_control_characters_are_escaped_as_rfc_8785_says() -> None:
    """RFC 8785 3.2.2.2: five short escapes, the rest in lower-case hex, nothing else escaped."""
    text = "\b\t\n\f\r\x00\x1f\x7f\u20ac\u2028\U0001f0a1"
    line = '{"a":"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\u20ac\u2028\U0001f0a1"}'.encode()
    assert encode({"a": text}, Text.UNICODE) == line
    assert decode(line, Text.UNICODE) == {"a": text}


def test_closed_sets_are_written_as_their_values() -> None:
    act = StrEnum("act", {"FOLD": "fold"})
    seat = IntEnum("seat", {"ONE": 1})
    assert encode({"act": act["FOLD"], "seat": seat["ONE"]}) == b'{"act":"fold","seat":1}'


NOT_CANONICAL = {
    "a key twice": b'{"a":1,"a":1}',
    "a key twice, inside": b'{"a":[{"b":1,"b":2}]}',
    "a float": b'{"a":1.0}',
    "an exponent": b'{"a":1e2}',
    "a capital exponent": b'{"a":1E2}',
    "a float with an exponent": b'{"a":1.5e300}',
    "2^53": b'{"a":9007199254740992}',
    "a number of 5,000 digits": b'{"a":' + b"9" * 5000 + b"}",
    "minus one": b'{"a":-1}',
    "minus zero": b'{"a":-0}',
    "not a number": b'{"a":NaN}',
    "infinity": b'{"a":Infinity}',
    "minus infinity": b'{"a":-Infinity}',
    "keys out of order": b'{"b":1,"a":1}',
    "inner keys out of order": b'{"a":{"c":1,"b":1}}',
    "an escape for a": b'{"x":"\\u0061"}',
    "an escape for a in a key": b'{"\\u0061":1}',
    "an escaped slash": b'{"a":"\\/"}',
    "a long escape for a quote": b'{"a":"\\u0022"}',
    "a space more": b'{"a": 1}',
    "a space before": b' {"a":1}',
    "a space behind": b'{"a":1} ',
    "a newline behind": b'{"a":1}\n',
    "a carriage return behind": b'{"a":1}\r',
    "a null": b'{"a":null}',
    "a null in a list": b'{"a":[1,null]}',
    "a null beside its word": b'{"a":"null","b":{"c":null}}',
    "text that is not ASCII": '{"a":"\u00e9"}'.encode(),
    "a key that is not ASCII": '{"\u00e9":1}'.encode(),
    "a delete character": b'{"a":"\x7f"}',
    "a delete character in a key": b'{"\x7f":1}',
    "an escaped newline": b'{"a":"\\n"}',
    "an escaped newline behind a backslash": b'{"a":"\\\\\\n"}',
    "an escaped control character": b'{"a":"\\u0001"}',
    "a list": b"[1]",
    "a number alone": b"1",
    "a string alone": b'"a"',
    "a boolean alone": b"true",
    "a null alone": b"null",
}
NOT_JSON = {
    "nothing": b"",
    "half an object": b'{"a":1',
    "two objects": b"{}{}",
    "a leading zero": b'{"a":01}',
    "a plus sign": b'{"a":+1}',
    "a trailing comma": b'{"a":1,}',
    "single quotes": b"{'a':1}",
    "a comment": b'{"a":1}//',
    "a raw newline in text": b'{"a":"\n"}',
    "a raw tab in text": b'{"a":"\t"}',
    "a bare word": b'{"a":yes}',
    "a byte order mark": b'\xef\xbb\xbf{"a":1}',
    "text that is not UTF-8": b'{"a":"\xff"}',
    "an overlong encoding": b'{"a":"\xc1\xa1"}',
    "half a surrogate pair": b'{"a":"\\ud800"}',
    "an encoded surrogate": b'{"a":"\xed\xa0\x80"}',
}


@pytest.mark.parametrize("line", NOT_CANONICAL.values(), ids=NOT_CANONICAL)
def test_json_that_is_not_canonical_is_refused(line: bytes) -> None:
    with pytest.raises(TranscriptError) as refused:
        decode(line)
    assert refused.value.reason is Reason.LINE_NOT_CANONICAL


@pytest.mark.parametrize("line", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_no_json_is_refused(line: bytes) -> None:
    with pytest.raises(TranscriptError) as refused:
        decode(line)
    assert refused.value.reason is Reason.LINE_NOT_JSON


UNICODE_TOO = [
    name
    for name in (*NOT_CANONICAL, *NOT_JSON)
    if "newline" not in name and "control" not in name
    if name not in {"text that is not ASCII", "a delete character"}
]


@pytest.mark.parametrize("name", UNICODE_TOO)
def test_file_lines_are_held_to_the_same_form(name: str) -> None:
    with pytest.raises(TranscriptError):
        decode((NOT_CANONICAL | NOT_JSON)[name], Text.UNICODE)


def test_the_error_names_what_differs() -> None:
    for line, words in (
        (b'{"a":1,"b":2,"b":3}', "the key 'b' stands twice"),
        (b'{"a":1, "b":2}', "at byte 7"),
        (b'{"a":{"b":[0,null]}}', "a.b.1 holds null"),
        (b'{"a":1e2}', "1e2"),
    ):
        with pytest.raises(TranscriptError, match=words):
            decode(line)


@pytest.mark.parametrize(
    "value",
    [
        {"a": None},
        {"a": 1.0},
        {"a": float("nan")},
        {"a": 2**53},
        {"a": -1},
        {"a": "\u00e9"},
        {"a": "\n"},
        {"a": "\x7f"},
        {"\u00e9": 1},
        {1: "a"},
        {None: "a"},
        {True: "a"},
        {"a": b"bytes"},
        {"a": {1, 2}},
        {"a": Ellipsis},
        [1],
        "a",
        None,
    ],
    ids=repr,
)
def test_values_that_no_line_may_hold_are_not_written(value: Any) -> None:
    with pytest.raises(TranscriptError) as refused:
        encode(value)
    assert refused.value.reason is Reason.VALUE_NOT_ALLOWED


def test_half_a_surrogate_pair_is_not_written() -> None:
    with pytest.raises(TranscriptError) as refused:
        encode({"a": "\ud800"}, Text.UNICODE)
    assert refused.value.reason is Reason.VALUE_NOT_ALLOWED


def test_the_error_names_the_place_and_never_the_content() -> None:
    with pytest.raises(TranscriptError) as refused:
        encode({"opened": {"cards": [{"salt": "5ec7e7\u00e9"}]}})
    assert "opened.cards.0.salt" in str(refused.value)
    assert "5ec7e7" not in str(refused.value)


def test_a_line_has_at_most_65535_bytes() -> None:
    room = MAX_LINE_BYTES - len(b'{"a":""}')
    line = encode({"a": "x" * room})
    assert len(line) == MAX_LINE_BYTES
    assert decode(line) == {"a": "x" * room}
    for refuse in (lambda: encode({"a": "x" * (room + 1)}), lambda: decode(line + b" ")):
        with pytest.raises(TranscriptError) as refused:
            refuse()
        assert refused.value.reason is Reason.LINE_TOO_LONG


def nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return {"a": value}


def test_a_line_nests_at_most_32_deep() -> None:
    deepest = nested(MAX_DEPTH)
    assert decode(encode(deepest)) == deepest
    too_deep = nested(MAX_DEPTH + 1)
    written = json.dumps(too_deep, separators=(",", ":")).encode()
    for refuse in (lambda: encode(too_deep), lambda: decode(written)):
        with pytest.raises(TranscriptError) as refused:
            refuse()
        assert refused.value.reason is Reason.LINE_TOO_DEEP


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"":'])
def test_65535_open_brackets_are_refused_and_not_followed(opening: bytes) -> None:
    with pytest.raises(TranscriptError) as refused:
        decode((opening * MAX_LINE_BYTES)[:MAX_LINE_BYTES])
    assert refused.value.reason is Reason.LINE_TOO_DEEP


def test_brackets_inside_text_do_not_nest() -> None:
    value = {"a": "[{" * 100 + '"' + "[" * 100 + "\\", "b": "]" * 5}
    assert decode(encode(value)) == value


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(TranscriptError) as refused:
        encode(endless)
    assert refused.value.reason is Reason.LINE_TOO_DEEP
