"""Each method has its roles, and what has none is refused."""

import pytest
from google.protobuf.descriptor import MethodDescriptor

from cutcard.v1 import certify_pb2, fairness_pb2, operate_pb2, play_pb2, tournament_pb2
from dealer_service.access.refusal import Reason
from dealer_service.access.roles import METHODS, Method, Role
from tests.support.kinds_of_calls import CERTIFYING, COLUMNS


def called(*kinds: str) -> set[str]:
    return {method for kind in kinds for method in COLUMNS[kind]}


CHANGES_OF_PLAYERS = called("plays")
WATCHING = called("looks", "key", "carries")
BOOKS = called("reads game", "reads all") | {*CERTIFYING}
CHANGES_OF_OPERATORS = called("runs", "opens")
OF_BOTH = called("proposes")

MAY_CALL = {
    Role.PLAYER: CHANGES_OF_PLAYERS | WATCHING | OF_BOTH,
    Role.HOUSE: CHANGES_OF_PLAYERS | WATCHING | OF_BOTH,
    Role.WATCHER: WATCHING,
    Role.OPERATOR: WATCHING | BOOKS | CHANGES_OF_OPERATORS | OF_BOTH,
    Role.AUDITOR: WATCHING | BOOKS,
}


def described() -> dict[str, MethodDescriptor]:
    """Give every method of the contract by its path."""
    return {
        f"/{service.full_name}/{method.name}": method
        for module in (play_pb2, operate_pb2, tournament_pb2, fairness_pb2, certify_pb2)
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def test_the_table_lists_every_method_of_the_contract() -> None:
    assert METHODS.keys() == described().keys()


@pytest.mark.parametrize("role", Role)
def test_who_may_call_what(role: Role) -> None:
    may = {method.name for method in METHODS.values() if method.refuse(role) is None}
    assert may == MAY_CALL[role]


def test_a_method_is_of_a_game_when_its_request_names_one() -> None:
    of_game = {path for path, method in METHODS.items() if method.of_game}
    names_one = {
        path
        for path, method in described().items()
        if {"game", "tournament"} & set(method.input_type.fields_by_name)
    }
    assert of_game == names_one


def test_a_method_changes_something_when_players_or_operators_alone_may_call_it() -> None:
    changes = {method.name for method in METHODS.values() if method.changes}
    assert changes == CHANGES_OF_PLAYERS | CHANGES_OF_OPERATORS | OF_BOTH
    repeatable = {
        path.rpartition("/")[2]
        for path, method in described().items()
        if "request_id" in method.input_type.fields_by_name
    }
    # A link makes its call repeatable by itself, and what is chosen ahead is not logged.
    assert changes == repeatable | {"GiveLink", "PreSelect"}


def test_what_players_change_no_operator_does_and_the_other_way() -> None:
    players, operators = frozenset({Role.PLAYER, Role.HOUSE}), frozenset({Role.OPERATOR})
    for method in METHODS.values():
        if method.changes and method.name not in OF_BOTH:
            assert method.roles in {players, operators}


def test_a_player_of_the_house_may_what_a_person_may() -> None:
    for method in METHODS.values():
        assert (Role.PLAYER in method.roles) == (Role.HOUSE in method.roles)


def method_named(name: str) -> Method:
    return next(method for method in METHODS.values() if method.name == name)


def test_a_refusal_says_which_role_may() -> None:
    refusal = method_named("GetGame").refuse(Role.PLAYER)
    assert refusal is not None
    assert refusal.reason is Reason.ROLE_NOT_ALLOWED
    assert dict(refusal.metadata) == {
        "method": "GetGame",
        "role": "player",
        "allowed": "auditor or operator",
    }


def test_a_call_about_no_one_game_says_that_it_needs_a_role() -> None:
    refusal = method_named("OpenGame").refuse_roleless()
    assert refusal.reason is Reason.ROLE_NOT_ALLOWED
    assert "claim `role` is operator" in refusal.message
