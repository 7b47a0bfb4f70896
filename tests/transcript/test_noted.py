"""The lines of the dealer's log are written and read as the protocol's vectors have them."""

import json
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from cutcard.v1 import entry_pb2
from dealer_service.transcript.noted import OF_A_HAND, Noted, Stage, read_noted, write_noted
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import vectors

VECTORS = vectors("dealer_log.json")
LINE = Noted(1_767_225_600_000, bytes(range(16)), 3, Stage.DECK_COMMITTED, 40, bytes(range(32)))

NOTED = st.builds(
    lambda stage, hand, **rest: Noted(stage=stage, hand=hand if stage in OF_A_HAND else 0, **rest),
    stage=st.sampled_from(Stage),
    hand=st.integers(1, 2**53 - 1),
    at=st.integers(0, 2**53 - 1),
    game=st.binary(min_size=16, max_size=16),
    size=st.integers(1, 2**53 - 1),
    root=st.binary(min_size=32, max_size=32),
)


def changed(**fields: object) -> bytes:
    value: dict[str, Any] = json.loads(write_noted(LINE))
    value["noted"] |= fields
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def reason_of(line: bytes) -> Reason:
    with pytest.raises(TranscriptError) as refused:
        read_noted(line)
    return refused.value.reason


@pytest.mark.parametrize("case", VECTORS["noted"], ids=lambda case: f"{case['at']}{case['stage']}")
def test_each_line_of_the_vectors_is_written_and_read(case: dict[str, Any]) -> None:
    noted = Noted(
        at=case["at"],
        game=bytes.fromhex(case["game"]),
        hand=case["hand"],
        stage=Stage(case["stage"]),
        size=case["size"],
        root=bytes.fromhex(case["root"]),
    )
    assert write_noted(noted) == case["line"].encode()
    assert read_noted(case["line"].encode()) == noted


@given(noted=NOTED)
def test_a_protobuf_library_reads_the_line(noted: Noted) -> None:
    line = write_noted(noted).decode("ascii")
    read = json_format.Parse(line, entry_pb2.DealerLogEntry())
    assert (read.at, read.noted.hand, read.noted.size) == (noted.at, noted.hand, noted.size)
    assert (read.noted.game, read.noted.root) == (noted.game.hex(), noted.root.hex())
    assert read.noted.stage == noted.stage


def test_every_stage_is_in_the_vectors() -> None:
    assert {case["stage"] for case in VECTORS["noted"]} == set(Stage)


@given(noted=NOTED)
def test_every_line_is_read_as_it_was_written(noted: Noted) -> None:
    assert read_noted(write_noted(noted)) == noted


def test_two_lines_of_one_stage_of_a_hand_have_one_subject() -> None:
    later = replace(LINE, at=LINE.at + 1, size=41, root=bytes(32))
    assert later.subject == LINE.subject
    assert replace(LINE, stage=Stage.HAND_VOID).subject != LINE.subject
    assert replace(LINE, hand=4).subject != LINE.subject
    assert replace(LINE, game=bytes(16)).subject != LINE.subject


@pytest.mark.parametrize(
    "fields",
    [
        {"stage": "hand_ended"},
        {"stage": 1},
        {"stage": "game_opened"},
        {"stage": "hand_opened", "hand": 0},
        {"hand": "3"},
        {"hand": True},
        {"size": 0},
        {"size": "40"},
        {"game": "00" * 15},
        {"game": "0" * 31},
        {"game": "0g" * 16},
        {"game": "AB" * 16},
        {"game": 7},
        {"root": "00" * 33},
        {"root": ""},
        {"more": 1},
    ],
    ids=str,
)
def test_a_line_of_another_shape_is_refused(fields: dict[str, object]) -> None:
    assert reason_of(changed(**fields)) is Reason.NOTED_MALFORMED


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b'{"at":1,"noted":[]}',
        b'{"at":1,"noted":{}}',
        b'{"at":1}',
        write_noted(LINE).replace(b'"at":1767225600000', b'"at":"1"'),
        write_noted(LINE)[:-1] + b',"z":1}',
        b'{"acted":{},' + write_noted(LINE)[1:],
    ],
)
def test_a_line_that_is_no_noted_line_is_refused(line: bytes) -> None:
    assert reason_of(line) is Reason.NOTED_MALFORMED


def test_a_line_that_is_not_canonical_is_refused() -> None:
    assert reason_of(write_noted(LINE) + b" ") is Reason.LINE_NOT_CANONICAL
    assert reason_of(write_noted(LINE)[:-1]) is Reason.LINE_NOT_JSON


@pytest.mark.parametrize(
    "fields",
    [
        {"game": bytes(15)},
        {"root": bytes(31)},
        {"at": -1},
        {"at": 2**53},
        {"size": 0},
        {"size": 2**53},
        {"hand": 0},
        {"hand": 2**53},
        {"stage": Stage.GAME_CLOSED},
    ],
    ids=str,
)
def test_what_can_be_no_line_is_not_written(fields: dict[str, Any]) -> None:
    with pytest.raises(TranscriptError) as refused:
        write_noted(replace(LINE, **fields))
    assert refused.value.reason is Reason.NOTED_MALFORMED
