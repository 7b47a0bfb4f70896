"""Each method has its roles, and what has none is refused."""

import pytest

from cutcard.v1 import fairness_pb2, operate_pb2, play_pb2
from dealer_service.access.refusal import Reason
from dealer_service.access.roles import METHODS, Caller, Role, refuse_call

PLAYER = Caller("anna", Role.PLAYER)
OPERATOR = Caller("house", Role.OPERATOR)
WATCHING = {"/cutcard.v1.PlayService/GetTable", "/cutcard.v1.PlayService/Watch"}


def test_the_table_lists_every_method_of_the_contract() -> None:
    services = [
        module.DESCRIPTOR.services_by_name.values()
        for module in (play_pb2, operate_pb2, fairness_pb2)
    ]
    methods = {
        f"/{service.full_name}/{method.name}"
        for group in services
        for service in group
        for method in service.methods
    }
    assert set(METHODS) == methods


@pytest.mark.parametrize("method", METHODS)
def test_who_may_call_what(method: str) -> None:
    """Changes at a seat are the player's, the game's are the operator's, and looking is both's."""
    plays = "PlayService" in method or "FairnessService" in method
    operates = "OperateService" in method or "FairnessService" in method or method in WATCHING
    assert (refuse_call(PLAYER, method) is None) == plays
    assert (refuse_call(OPERATOR, method) is None) == operates


@pytest.mark.parametrize("method", ["/cutcard.v1.PlayService/Cheat", "", "/Act", "Act"])
def test_a_method_that_is_not_in_the_table_is_refused(method: str) -> None:
    for caller in (PLAYER, OPERATOR):
        refusal = refuse_call(caller, method)
        assert refusal is not None
        assert refusal.reason is Reason.ROLE_NOT_ALLOWED


def test_a_refusal_says_which_role_may() -> None:
    refusal = refuse_call(PLAYER, "/cutcard.v1.OperateService/CloseGame")
    assert refusal is not None
    assert refusal.reason is Reason.ROLE_NOT_ALLOWED
    assert refusal.reason.permission
    assert dict(refusal.metadata) == {
        "method": "CloseGame",
        "role": "player",
        "allowed": "operator",
    }


def test_health_needs_no_role() -> None:
    assert refuse_call(PLAYER, "/grpc.health.v1.Health/Check") is None
