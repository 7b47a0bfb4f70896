"""Every field of every request has a rule: one that is added without a rule fails here."""

import re
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from cutcard.v1 import certify_pb2, fairness_pb2, operate_pb2, play_pb2, tournament_pb2
from dealer_service.rpc.validate import _RULES, _TOGETHER, Malformed, validate
from tests.support.every_call import CERTIFY, EVERY
from tests.support.service import Service, refusal

REQUESTS: dict[str, type[Message]] = {
    method.input_type.name: GetMessageClass(method.input_type)
    for module in (play_pb2, operate_pb2, tournament_pb2, fairness_pb2, certify_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    # What a session brings is judged as the calls that it carries.
    if not method.client_streaming
}
GOOD: dict[str, Message] = {
    name: one
    for one in (*EVERY.values(), *CERTIFY.values())
    if (name := type(one).DESCRIPTOR.name) in REQUESTS
}
BAD: dict[int, Any] = {
    FieldDescriptor.TYPE_STRING: "?\x00" * 100,
    FieldDescriptor.TYPE_BYTES: bytes(33),
    FieldDescriptor.TYPE_UINT32: 2**32 - 1,
    FieldDescriptor.TYPE_UINT64: 2**64 - 1,
    FieldDescriptor.TYPE_ENUM: 99,
}
"""For each type a value that no field of a request may have; of a truth value any will do."""


def paths(kind: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the path of every field, those of fields that are messages included."""
    for field in kind.fields:
        path = (*before, field.name)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            yield from paths(field.message_type, path)
        elif field.type != FieldDescriptor.TYPE_BOOL:
            yield path


def put_bad(message: Any, path: tuple[str, ...]) -> None:
    """Give the field at a path a value that it may not have."""
    name, *rest = path
    field = message.DESCRIPTOR.fields_by_name[name]
    value = getattr(message, name)
    if rest:
        put_bad(value.add() if field.is_repeated else value, tuple(rest))
    elif field.is_repeated:
        value.append(BAD[field.type])
    else:
        setattr(message, name, BAD[field.type])


LEAVES = [
    (name, path) for name, kind in sorted(REQUESTS.items()) for path in paths(kind.DESCRIPTOR)
]


def test_every_request_has_its_rules() -> None:
    ruled = {kind.DESCRIPTOR.name for kind in _RULES}
    assert ruled == REQUESTS.keys() == GOOD.keys()


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_every_field_has_a_rule(name: str) -> None:
    kind = REQUESTS[name]
    ruled = [field for field, _ in _RULES[kind]]
    together = list(_TOGETHER[kind].fields) if kind in _TOGETHER else []
    missing = set(kind.DESCRIPTOR.fields_by_name) - {*ruled, *together}
    assert missing == set()
    assert len(set(ruled)) == len(ruled)


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_a_request_of_the_right_form_passes(name: str) -> None:
    validate(GOOD[name])


@pytest.mark.parametrize(
    ("name", "path"), LEAVES, ids=[".".join((name, *path)) for name, path in LEAVES]
)
def test_a_field_that_is_malformed_is_named(name: str, path: tuple[str, ...]) -> None:
    request = type(GOOD[name])()
    request.CopyFrom(GOOD[name])
    put_bad(request, path)
    with pytest.raises(Malformed) as caught:
        validate(request)
    # Which item of a list it is stands in brackets.
    named = {re.sub(r"\[\d+\]", "", one.field) for one in caught.value.violations}
    begins = ".".join(path[:2])
    assert any(field == begins or field.startswith(f"{begins}.") for field in named), named


WHOLES = {"OpenGameRequest", "OpenTournamentRequest", "ProposeDealRequest", "AgreeToDealRequest"}
"""Requests of which a field is a message."""


@pytest.mark.parametrize("name", sorted({name for name, _ in LEAVES} - WHOLES))
def test_all_malformed_fields_are_named_at_once(name: str) -> None:
    request = REQUESTS[name]()
    expected = {path[0] for other, path in LEAVES if other == name}
    for path in expected:
        put_bad(request, (path,))
    with pytest.raises(Malformed) as caught:
        validate(request)
    assert {violation.field for violation in caught.value.violations} == expected


async def test_a_rule_set_and_the_fields_beside_it_are_judged_at_once(service: Service) -> None:
    """Also a rule set in which everything is wrong has room in an answer."""
    request = operate_pb2.OpenGameRequest()
    for name, path in LEAVES:
        if name == "OpenGameRequest":
            put_bad(request, path)
    told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
    assert told.code is grpc.StatusCode.INVALID_ARGUMENT
    named = {field.split(".")[0] for field, _ in told.violations}
    assert named == {"request_id", "reference", "rules"}
    assert len(told.violations) > 30
