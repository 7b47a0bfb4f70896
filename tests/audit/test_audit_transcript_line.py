"""A pattern made from a shape takes a line only where the slow way does, and reads it the same."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli import transcript_line
from audit_cli.entries import SHAPES, line_pattern
from audit_cli.problem import Problem
from audit_cli.shape import Shape, fields, integer, list_of, text
from audit_cli.transcript_line import Entry, parse_entry, parse_entry_strictly
from tests.support.game_files import GAME, ORIGIN, RULES, START, canonical

H = "ab" * 32
SEAT: dict[str, Any] = {"seat": 10, "player": "ann.b_c-1"}
LINKS = [{"seat": seat, "link": H} for seat in range(1, 11)]
CARD = {"position": 51, "card": "Td", "salt": "0f" * 16}
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "game_opened": [{"suite": "cutcard/v1", "origin": ORIGIN, "game": GAME, "rules": RULES}],
    "seat_taken": [
        SEAT | {"stack": 0},
        SEAT | {"stack": 2**53 - 1, "anchor": H},
        SEAT | {"stack": 5, "house": True},
    ],
    "seat_left": [SEAT, SEAT | {"stack": 7}],
    "player_removed": [SEAT, SEAT | {"stack": 10**15 - 1}],
    "chips_added": [SEAT | {"amount": 1}, SEAT | {"amount": 10**15}],
    "sat_out": [SEAT | {"by": "clock"}],
    "came_back": [SEAT],
    "anchored": [
        SEAT | {"anchor": H},
        SEAT | {"anchor": H, "missing_hand": 3, "missing_link": H},
    ],
    "preferred": [
        SEAT | {"choices": ["chop", "runs", "show", "straddle"]},
        SEAT | {"choices": []},
    ],
    "paused": [{}],
    "resumed": [{}],
    "hand_opened": [
        {
            "hand": 1,
            "commitment": H,
            "button": 1,
            "big_blind_seat": 2,
            "seats": [
                {"seat": 1, "player": "a", "stack": 5, "state": "in", "anchor": H},
                {"seat": 2, "player": "b", "stack": 5, "state": "no_chips"},
            ],
            "misses": [{"player": "a", "hands": [1, 2]}],
            "voids": 0,
        }
        | blinds
        for blinds in (
            {},
            {"small_blind_seat": 9},
            {
                "dead_small_blind_seat": 9,
                "straddle_seat": 3,
                "last_small_blind_seat": 7,
                "last_big_blind_seat": 9,
                "departed": [{"player": "ann", "stack": 5, "at": START}],
                "seats": [
                    {
                        "seat": 1,
                        "player": "a",
                        "stack": 5,
                        "state": "waiting",
                        "choices": ["chop", "show"],
                        "owes": {"live": 2, "dead": 1},
                        "waits": True,
                        "bank_ms": 60_000,
                    },
                    {"seat": 2, "player": "b", "stack": 5, "state": "in", "bank_ms": 0},
                ],
            },
            {
                "level": {
                    "level": 2,
                    "small_blind": 50,
                    "big_blind": 100,
                    "chip_unit": 25,
                    "ante": {"kind": "big_blind", "amount": 100},
                },
                "seats": [
                    {"seat": 1, "player": "a", "stack": 5, "state": "absent", "anchor": H},
                    {"seat": 2, "player": "b", "stack": 5, "state": "in", "house": True},
                ],
            },
        )
    ],
    "hand_void": [
        {"hand": 1, "reason": "operator", "secret": H, "links": [], "missing": []},
        {"hand": 1, "reason": 'a "b" \\ c', "secret": H, "links": LINKS, "missing": [SEAT]},
    ],
    "deck_committed": [
        {"hand": 9, "links": [], "mix": H, "deck_root": H},
        {
            "hand": 9,
            "links": LINKS,
            "mix": H,
            "deck_root": H,
            "beacon": {"round": 1, "randomness": H, "signature": "00" * 48},
        },
    ],
    "posted": [
        {"seat": 1, "what": what, "amount": 2}
        for what in ("big_blind", "small_blind", "ante", "straddle", "live", "dead")
    ],
    "dealt": [
        {"hand": 1, "positions": [{"position": 0, "to": "burn"}]},
        {
            "hand": 1,
            "positions": [
                {"position": 49, "to": "seat", "seat": 10},
                {"position": 50, "to": "board", "board": 2},
                {"position": 51, "to": "burn"},
            ],
        },
    ],
    "acted": [{"seat": 1, "act": "raise", "to": 200, "by": "pre_action", "turn": 12}],
    "opened": [
        {"hand": 1, "by": "rule", "seat": 1, "cards": [CARD, CARD]},
        {"hand": 1, "by": "rule", "board": 1, "cards": [CARD]},
    ],
    "mucked": [{"hand": 1, "seat": 3, "by": "policy"}],
    "runs_agreed": [{"hand": 1, "runs": 2, "seats": [1, 10]}],
    "blinds_chopped": [{"hand": 1, "seats": [2, 3]}],
    "returned": [{"seat": 3, "amount": 10}],
    "awarded": [
        {
            "pot": 0,
            "amount": 10,
            "rake": 0,
            "board": 1,
            "winners": [
                {"seat": 1, "amount": 5},
                {"seat": 2, "amount": 5, "name": "Pair of aces", "best_five": ["As"] * 5},
            ],
        }
        | half
        for half in ({}, {"half": "high"}, {"half": "low"})
    ],
    "hand_ended": [{"hand": 1, "stacks": [{"seat": 1, "stack": 0}, {"seat": 2, "stack": 9}]}],
    "colored_up": [{"unit": 100, "stacks": [{"seat": 1, "stack": 100}]}],
    "game_closed": [
        {"reason": "operator", "stacks": []},
        {"reason": "tournament", "stacks": []},
        {"reason": "max_hands", "next": GAME, "stacks": [SEAT | {"stack": 1}]},
    ],
    "secret_revealed": [{"hand": 1, "secret": H}],
}
LINES = [
    canonical({"at": START, kind: body}) for kind, bodies in SAMPLES.items() for body in bodies
]


def test_there_is_a_sample_of_every_kind() -> None:
    assert SAMPLES.keys() == SHAPES.keys()


@pytest.mark.parametrize("line", LINES)
def test_a_line_reads_the_same_both_ways(line: bytes) -> None:
    entry = parse_entry(line)
    assert isinstance(entry, Entry)
    assert entry == parse_entry_strictly(line)
    assert {"at": entry.at, entry.kind: entry.body} == json.loads(line)


@pytest.mark.parametrize("kind", sorted(SHAPES.keys() - {"game_opened"}))
def test_the_fast_way_takes_every_kind_but_the_one_that_opens_a_game(kind: str) -> None:
    line = canonical({"at": START, kind: SAMPLES[kind][0]}).decode()
    assert re.fullmatch(line_pattern(kind), line)


@pytest.mark.parametrize("kind", SHAPES)
def test_a_field_that_is_missing_or_too_much_is_refused_by_name(kind: str) -> None:
    for body in SAMPLES[kind]:
        more = parse_entry(canonical({"at": START, kind: body | {"zz": 1}}))
        assert isinstance(more, Problem)
        assert "unknown field 'zz'" in more.reason
    body = SAMPLES[kind][0]
    for name in body:
        less = {key: value for key, value in body.items() if key != name}
        read = parse_entry(canonical({"at": START, kind: less}))
        if isinstance(read, Problem):
            assert name in read.reason


ALPHABET = sorted({*b'{}[]",:\\-+.eE0123456789abcnulATs_ \t\x7f\xe9'})


@given(st.sampled_from(LINES), st.data())
def test_a_changed_line_is_judged_the_same_both_ways(line: bytes, data: st.DataObject) -> None:
    """Also where the line itself has been read before, and most of it is known from then."""
    parse_entry(line)
    changed = bytearray(line)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed) - 1))
        how = data.draw(st.sampled_from(["replace", "insert", "delete"]))
        if how == "delete":
            del changed[at]
        elif how == "insert":
            changed.insert(at, data.draw(st.sampled_from(ALPHABET)))
        else:
            changed[at] = data.draw(st.sampled_from(ALPHABET))
    assert parse_entry(bytes(changed)) == parse_entry_strictly(bytes(changed))


TIMES = ("0", "7", "999999999999999", "00", "-1", "1.0", "", "1e3", " 1", "9007199254740992", "1 ")


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("kind", ["acted", "posted", "dealt", "returned", "awarded"])
def test_the_time_of_a_line_like_one_that_was_read_is_judged_as_any(kind: str, time: str) -> None:
    for body in SAMPLES[kind]:
        line = canonical({"at": START, kind: body})
        parse_entry(line)
        changed = line.replace(str(START).encode(), time.encode())
        assert parse_entry(changed) == parse_entry_strictly(changed)


@pytest.mark.parametrize("hand", ["1", "999999999999999", "0", "01", "-1", '"1"', "1,", ""])
def test_the_hand_of_a_dealing_like_one_that_was_read_is_judged_as_any(hand: str) -> None:
    for body in SAMPLES["dealt"]:
        line = canonical({"at": START, "dealt": body})
        parse_entry(line)
        changed = re.sub(rb'"hand":[0-9]+', f'"hand":{hand}'.encode(), line)
        assert parse_entry(changed) == parse_entry_strictly(changed)


def test_what_is_known_of_lines_that_were_read_is_bounded() -> None:
    def lines(kind: str, number: int) -> bytes:
        body = SAMPLES[kind][0]
        if kind == "dealt":
            positions = [{"position": at, "to": "burn"} for at in (number % 52, number // 52)]
            return canonical({"at": START, kind: {"hand": 1, "positions": positions}})
        return canonical(
            {"at": START, kind: body | {"to" if kind == "acted" else "amount": number}}
        )

    for kind in ("acted", "posted", "dealt"):
        for number in range(2500):
            assert isinstance(parse_entry(lines(kind, number)), Entry)
    assert len(transcript_line._known_acts) <= 2048
    assert len(transcript_line._known_lines) <= 512
    assert len(transcript_line._known_positions) <= 64


def _agree(shape: Shape, value: object) -> None:
    line = json.dumps(value, sort_keys=True, separators=(",", ":"))
    if re.fullmatch(shape.pattern, line):
        assert shape(value) is None


@given(st.integers(0, 99), st.integers(0, 99), st.integers(-5, 120))
def test_a_small_range_has_an_exact_pattern(low: int, high: int, value: int) -> None:
    low, high = sorted((low, high))
    shape = integer(low, high)
    assert (re.fullmatch(shape.pattern, str(value)) is not None) == (shape(value) is None)


@given(st.integers() | st.integers(2**53 - 5, 2**53 + 5))
def test_a_large_integer_is_never_matched_beyond_its_range(value: int) -> None:
    for shape in (integer(), integer(1), integer(5, 1_000)):
        _agree(shape, value)


@given(st.lists(st.integers(0, 12), max_size=6), st.integers(0, 4), st.integers(0, 4))
def test_a_list_has_an_exact_pattern(value: list[int], low: int, more: int) -> None:
    shape = list_of(integer(0, 9), low, low + more + 1)
    line = json.dumps(value, separators=(",", ":"))
    assert (re.fullmatch(shape.pattern, line) is not None) == (shape(value) is None)


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9)), st.booleans())
def test_an_object_has_an_exact_pattern(value: dict[str, int], paired: bool) -> None:
    digit = integer(0, 9)
    optional = {"a": digit, "c": digit, "e": digit}
    together = (("a",), ("c", "e"), ()) if paired else None
    shape = fields({"b": digit, "d": digit}, optional, together=together)
    line = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert (re.fullmatch(shape.pattern, line) is not None) == (shape(value) is None)


@given(st.text(max_size=10))
def test_plain_text_is_matched_and_escaped_text_is_left_to_the_slow_way(value: str) -> None:
    line = json.dumps(value, ensure_ascii=False)
    plain = value.isascii() and (value.isprintable() or not value) and not {*'"\\'} & {*value}
    assert (re.fullmatch(text.pattern, line) is not None) == plain
