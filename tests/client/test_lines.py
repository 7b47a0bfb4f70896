"""The client reads exactly the shapes of the contract: no field more, none less."""

import json
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor

from cutcard.v1 import entry_pb2
from dealer_service.client.lines import read_line
from dealer_service.client.refusing import ProtocolBreach, Reason
from tests.support.simulator import HOUSE_LIFE, HOUSES, LIVELY, play_chain, play_game
from tests.support.tournament_tables import play_table
from tests.support.transcripts import dump

ENTRY = entry_pb2.Entry.DESCRIPTOR
KINDS: dict[str, Any] = {f.name: f.message_type for f in ENTRY.oneofs_by_name["kind"].fields}
OPTIONAL_LISTS = {("Winner", "best_five"), ("SeatState", "choices"), ("HandOpened", "departed")}


def lively_lines() -> dict[str, list[bytes]]:
    """Collect honest lines of every kind that a simulated table logs."""
    lines: dict[str, list[bytes]] = {}
    games = [play_game(seed=seed, hands=12, habits=LIVELY) for seed in range(4)]
    games += play_chain(seed=1, games=2, hands=2)
    games += [
        play_game(seed=3, hands=15, players=players, habits=HOUSE_LIFE, rules=rules)
        for rules in HOUSES.values()
        for players in (2, 5)
    ]
    games += [play_table(seed=seed) for seed in range(3)]
    for game in games:
        for line in game.lines:
            (kind,) = json.loads(line).keys() - {"at"}
            lines.setdefault(kind, []).append(line)
    return lines


LINES = lively_lines()


def objects(value: dict[str, Any], shape: Any) -> list[tuple[dict[str, Any], Any]]:
    """Give every object of a body with its message type."""
    found = [(value, shape)]
    for name, member in value.items():
        field = shape.fields_by_name[name]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in member if isinstance(member, list) else [member]:
                found += objects(each, field.message_type)
    return found


def test_every_kind_is_simulated() -> None:
    assert LINES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_line_is_read(kind: str) -> None:
    for index, line in enumerate(LINES[kind]):
        entry = read_line(index, line)
        assert (entry.kind, entry.index) == (kind, index)
        assert entry.body == json.loads(line)[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_more_or_less_is_refused(kind: str) -> None:
    """At every depth: each field that the contract does not call optional, and one unknown."""
    for line in LINES[kind][:3]:
        count = len(objects(json.loads(line)[kind], KINDS[kind]))
        for number in range(count):
            value = json.loads(line)
            body, shape = objects(value[kind], KINDS[kind])[number]
            body["zzz"] = 0
            refuse(value)
            for name in list(shape.fields_by_name):
                value = json.loads(line)
                body, _ = objects(value[kind], KINDS[kind])[number]
                # A field that holds a message has presence also where it is required.
                presence = shape.fields_by_name[name].has_presence
                optional = presence or (shape.name, name) in OPTIONAL_LISTS
                if not optional or name in {"rules", "reveal"}:
                    del body[name]
                    refuse(value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [None, -1, 1.5, "", "\u00e9", [], {}, [None], True, 2**53])
def test_a_value_of_another_type_is_refused(kind: str, wrong: object) -> None:
    line = LINES[kind][0]
    for name, honest in json.loads(line)[kind].items():
        if wrong == [] and isinstance(honest, list):
            continue
        value = json.loads(line)
        value[kind][name] = wrong
        refuse(value)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"at":1}',
        b'{"at":1,"paused":{},"resumed":{}}',
        b'{"paused":{}}',
        b'{"at":1,"burned":{}}',
        b'{"at":-1,"paused":{}}',
        b'{"at":1,"paused":[]}',
        b'{"at": 1,"paused":{}}',
        b'{"paused":{},"at":1}',
        b'{"at":1,"paused":{}}\n',
        b"\xff",
        b'{"at":1,"paused":{"a":' + b"[" * 40 + b"]" * 40 + b"}}",
        b'{"at":1,"paused":{"a":"' + b"a" * 70_000 + b'"}}',
    ],
    ids=lambda line: line[:30].decode("latin-1"),
)
def test_what_is_no_line_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolBreach) as breach:
        read_line(0, line)
    assert breach.value.reason is Reason.LINE


def refuse(value: object) -> None:
    with pytest.raises(ProtocolBreach) as breach:
        read_line(0, dump(value))
    assert breach.value.reason is Reason.LINE, value
