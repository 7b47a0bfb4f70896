"""Which role may call which method: one table, and whatever is not in it is refused.

A player plays and an operator operates; each may watch, look at a table and ask for proofs. The
two never overlap in what they change, so that an operator's token can not act for a seat and a
player's can not open, pause or close a game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from dealer_service.access.refusal import AccessRefusal, Reason


@unique
class Role(StrEnum):
    """What a token's bearer is."""

    PLAYER = "player"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the token's subject (for a player its name at every table) and its role."""

    name: str
    role: Role


_PLAYER = frozenset({Role.PLAYER})
_OPERATOR = frozenset({Role.OPERATOR})
_BOTH = frozenset(Role)


def _methods(service: str, roles: frozenset[Role], *names: str) -> dict[str, frozenset[Role]]:
    return {f"/cutcard.v1.{service}/{name}": roles for name in names}


METHODS: Final[Mapping[str, frozenset[Role]]] = {
    **_methods(
        "PlayService",
        _PLAYER,
        "TakeSeat",
        "LeaveSeat",
        "AddChips",
        "SitOut",
        "ComeBack",
        "Anchor",
        "GiveLink",
        "Act",
        "Show",
        "Prefer",
        "PreSelect",
    ),
    **_methods("PlayService", _BOTH, "GetTable", "Watch"),
    **_methods(
        "FairnessService",
        _BOTH,
        "GetKey",
        "GetCheckpoint",
        "ListEntries",
        "GetInclusionProof",
        "GetConsistencyProof",
        "GetGameFile",
    ),
    **_methods(
        "OperateService",
        _OPERATOR,
        "OpenGame",
        "ListGames",
        "GetGame",
        "PauseGame",
        "ResumeGame",
        "CloseGame",
        "VoidHand",
        "RemovePlayer",
        "FollowChips",
    ),
}

# What answers without a token: whether the service is up, and the shape of its public calls.
OPEN_METHODS: Final = frozenset(
    {
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/List",
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    }
)


def refuse_call(caller: Caller, method: str) -> AccessRefusal | None:
    """Say why `caller` may not call `method` ("/package.Service/Method"); None when it may."""
    if method in OPEN_METHODS:
        return None
    roles = METHODS.get(method)
    if roles is None:
        message = "no role may call this method"
        return AccessRefusal(Reason.ROLE_NOT_ALLOWED, message)
    if caller.role in roles:
        return None
    allowed = " or ".join(sorted(roles))
    name = method.rpartition("/")[2]
    message = f"{name} is for the role {allowed}, and this token is for the role {caller.role}"
    metadata = (("method", name), ("role", str(caller.role)), ("allowed", allowed))
    return AccessRefusal(Reason.ROLE_NOT_ALLOWED, message, metadata)
