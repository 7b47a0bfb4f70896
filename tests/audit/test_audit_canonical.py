"""Lines are read only in their one canonical form (protocol 5), and told apart otherwise."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.canonical import (
    MAX_DEPTH,
    MAX_LINE,
    read_file_line,
    read_transcript_line,
    write,
)
from audit_cli.problem import Problem

REFUSED = [
    (b'{"a":1,"a":1}', "twice", 7),
    (b'{"a":1.0}', "not an integer", 5),
    (b'{"a":1e2}', "not an integer", 5),
    (b'{"a":9007199254740992}', "2^53", 5),
    (b'{"a":-9007199254740992}', "2^53", 5),
    (b'{"a":' + b"9" * 10_000 + b"}", "2^53", 5),
    (b'{"b":1,"a":1}', "out of order", 7),
    (b'{"a":"\\u0061"}', "needless escape", 6),
    (b'{"a":"\\u00FF"}', "needless escape", 6),
    (b'{"a":"\\/"}', "escape", 6),
    (b'{"a": 1}', "space", 5),
    (b'{"a":1} ', "space", 7),
    (b' {"a":1}', "space", 0),
    (b'{"a":1}\r', "space", 7),
    (b'{"a":null}', "null", 5),
    (b'{"a":[1,null]}', "null", 8),
    (b'{"a":NaN}', "value", 5),
    (b'{"a":Infinity}', "value", 5),
    (b'{"a":01}', "needless zero", 5),
    (b'{"a":-0}', "needless zero or sign", 5),
    (b'{"a":+1}', "value", 5),
    (b'{"a":-}', "minus without digits", 5),
    (b'{"a":"\x7f"}', "control character", 6),
    (b'{"a":"\x01"}', "control character", 6),
    (b'{"a":"\\u0001"}', "control character", 6),
    (b'{"a":"\\n"}', "control character", 6),
    (b'{"a":1', "ends where", 6),
    (b'{"a":"x', "closing quote", 5),
    (b'{"a":"x\\', "escape", 7),
    (b'{"a":1}{"b":2}', "end of the line", 7),
    (b'{"a":1,}', "a key", 7),
    (b'{"a":[1,]}', "a value", 8),
    (b'{"a" 1}', "space", 4),
    (b"{a:1}", "a key", 1),
    (b"", "a value", 0),
    ('{"a":"\u00e9"}'.encode(), "outside ASCII", 6),
    (b'{"a":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}", "nesting", 4 + MAX_DEPTH),
    (b"[" * 60_000, "nesting", MAX_DEPTH),
    (b'{"a":"' + b"x" * MAX_LINE + b'"}', "bytes", MAX_LINE),
]

ACCEPTED = [
    (b'{"a":9007199254740991,"b":-9007199254740991}', {"a": 2**53 - 1, "b": -(2**53) + 1}),
    (b'{"a":[],"b":{},"c":[{}],"d":true,"e":false,"f":0}', None),
    (b'{"a":"\\"\\\\","b":"null and void"}', {"a": '"\\', "b": "null and void"}),
    (b'{"":"","A":"","a":""}', None),
    (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
    (b'[{"a":' + b",".join([b'{"a":[]}'] * 0) + b"[]}" + b",{}" * 200 + b"]", None),
]


@pytest.mark.parametrize(("line", "reason", "byte"), REFUSED)
def test_a_line_out_of_form_is_refused_with_reason_and_byte(
    line: bytes, reason: str, byte: int
) -> None:
    read = read_transcript_line(line)
    assert isinstance(read, Problem)
    assert reason in read.reason
    assert read.byte == byte


@pytest.mark.parametrize(("line", "value"), ACCEPTED)
def test_a_canonical_line_is_read(line: bytes, value: object) -> None:
    assert read_transcript_line(line) == (json.loads(line) if value is None else value)


def test_a_line_of_exactly_the_limit_is_read() -> None:
    line = b'"' + b"x" * (MAX_LINE - 2) + b'"'
    assert read_transcript_line(line) == "x" * (MAX_LINE - 2)
    assert isinstance(read_transcript_line(line[:-1] + b'x"'), Problem)


def test_a_file_line_holds_utf8_unescaped() -> None:
    assert read_file_line('{"checkpoint":"\u2014 a\\n"}'.encode()) == {"checkpoint": "\u2014 a\n"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"checkpoint":"\\u2014"}', "needless escape"),
        (b'{"checkpoint":"\\u001F"}', "upper case"),
        (b'{"checkpoint":"\\u000a"}', "needless escape"),
        (b'{"checkpoint":"\xff"}', "not UTF-8"),
        (b'{"checkpoint":"\xed\xa0\x80"}', "not UTF-8"),
        ('{"\uffff":1,"\U00010000":1}'.encode(), "out of order"),
    ],
)
def test_a_file_line_out_of_form_is_refused(line: bytes, reason: str) -> None:
    read = read_file_line(line)
    assert isinstance(read, Problem)
    assert reason in read.reason


def test_keys_are_ordered_by_utf16_units_not_code_points() -> None:
    line = '{"\U00010000":1,"\uffff":1}'.encode()
    assert read_file_line(line) == {"\U00010000": 1, "\uffff": 1}


def test_a_byte_is_counted_in_utf8() -> None:
    read = read_file_line('{"a":"\u2014\u2014", "b":1}'.encode())
    assert isinstance(read, Problem)
    assert read.byte == 14


def _values(text: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    leaves = st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | text
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)


@given(_values(PRINTABLE))
def test_what_is_written_canonically_is_read_back(value: object) -> None:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert write(value) == text
    assert read_transcript_line(text.encode()) == value


@given(_values(PRINTABLE), st.data())
def test_no_other_bytes_read_as_the_same_value(value: object, data: st.DataObject) -> None:
    """One value has one line: a changed byte gives another value or a refusal."""
    line = bytearray(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[at]))
    read = read_transcript_line(bytes(line))
    if not isinstance(read, Problem):
        assert write(read).encode() == bytes(line)


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\un01-.e a', max_size=40).map(str.encode))
def test_no_input_raises(line: bytes) -> None:
    for read in (read_transcript_line, read_file_line):
        value = read(line)
        if not isinstance(value, Problem):
            assert json.loads(line) == value
