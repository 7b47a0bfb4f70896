"""Which role may call which method: one table, and whatever is not in it is refused.

A player plays, and one of the house's own likewise; an operator operates; a watcher looks at tables
and asks for proofs, and an auditor sees besides which games there are and where chips moved. What a
player changes and what an operator changes never overlap, so that an operator's token can not act
for a seat and a player's can not open, pause or close a game (a deal among the last players of a
tournament may be proposed by both, and is agreed to by players alone); watchers and auditors change
nothing. Of a dealer that is certified, operators and auditors have its hands. gRPC's own services,
health and reflection, are not in it: they answer without a token.
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
    HOUSE = "house"
    WATCHER = "watcher"
    OPERATOR = "operator"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the token's subject (for a player its name at every table) and its role.

    The role is the one that the bearer has in this call: of the game that it is about.
    """

    name: str
    role: Role

    @property
    def plays(self) -> bool:
        """Whether it may have a seat: a person, or a player of the house's own."""
        return self.role in PLAYERS

    @property
    def is_house(self) -> bool:
        """Whether it is a player of the house's own."""
        return self.role is Role.HOUSE

    @property
    def keeps(self) -> bool:
        """Whether it may see what an operator noted for itself."""
        return self.role in KEEPERS


@dataclass(frozen=True, slots=True)
class Method:
    """A method, the roles that may call it, and whether it is about one game and changes it.

    A tournament stands for a game.
    """

    path: str
    roles: frozenset[Role]
    of_game: bool
    changes: bool

    @property
    def name(self) -> str:
        """The method's name, without its service."""
        return self.path.rpartition("/")[2]

    def refuse(self, role: Role) -> AccessRefusal | None:
        """Say why a role may not call; None when it may."""
        if role in self.roles:
            return None
        allowed = " or ".join(sorted(self.roles))
        message = f"{self.name} is for the role {allowed}, and this token is for the role {role}"
        metadata = (("method", self.name), ("role", str(role)), ("allowed", allowed))
        return AccessRefusal(Reason.ROLE_NOT_ALLOWED, message, metadata)

    def refuse_roleless(self) -> AccessRefusal:
        """Say that a bearer of roles at tables alone may not call what is about no one game."""
        allowed = " or ".join(sorted(self.roles))
        message = (
            f"{self.name} is about no one game: it needs a token whose claim `role` is {allowed}"
        )
        metadata = (("method", self.name), ("allowed", allowed))
        return AccessRefusal(Reason.ROLE_NOT_ALLOWED, message, metadata)


TABLE_NOT_ALLOWED: Final = AccessRefusal(
    Reason.TABLE_NOT_ALLOWED,
    "the token is neither for this game nor for one that it goes on from",
)

PLAYERS: Final = frozenset({Role.PLAYER, Role.HOUSE})
KEEPERS: Final = frozenset({Role.OPERATOR, Role.AUDITOR})
_OPERATOR: Final = frozenset({Role.OPERATOR})
_ALL: Final = frozenset(Role)


def _methods(
    service: str, roles: frozenset[Role], *names: str, of_game: bool = True, changes: bool = False
) -> tuple[Method, ...]:
    return tuple(Method(f"/cutcard.v1.{service}/{name}", roles, of_game, changes) for name in names)


_TABLE: Final = (
    *_methods(
        "PlayService",
        PLAYERS,
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
        changes=True,
    ),
    *_methods("PlayService", _ALL, "GetTable", "GetStatistics", "Watch"),
    *_methods("PlayService", _ALL, "Session", of_game=False),
    *_methods("FairnessService", _ALL, "GetKey", of_game=False),
    *_methods(
        "FairnessService",
        _ALL,
        "GetCheckpoint",
        "ListEntries",
        "GetInclusionProof",
        "GetConsistencyProof",
        "GetGameFile",
        "GetLogProof",
    ),
    *_methods("OperateService", _OPERATOR, "OpenGame", of_game=False, changes=True),
    *_methods(
        "OperateService",
        _OPERATOR,
        "PauseGame",
        "ResumeGame",
        "CloseGame",
        "VoidHand",
        "RemovePlayer",
        changes=True,
    ),
    *_methods("OperateService", KEEPERS, "GetGame"),
    *_methods("OperateService", KEEPERS, "ListGames", "FollowChips", of_game=False),
    *_methods("TournamentService", _OPERATOR, "OpenTournament", of_game=False, changes=True),
    *_methods(
        "TournamentService",
        _OPERATOR,
        "StopTournament",
        "ResumeTournament",
        "CancelTournament",
        "Disqualify",
        changes=True,
    ),
    *_methods(
        "TournamentService",
        PLAYERS,
        "Register",
        "Withdraw",
        "Rebuy",
        "DeclineRebuy",
        "AddOn",
        "AgreeToDeal",
        changes=True,
    ),
    *_methods("TournamentService", PLAYERS | _OPERATOR, "ProposeDeal", changes=True),
    *_methods("TournamentService", _ALL, "GetTournament", "WatchTournament"),
    *_methods("TournamentService", _ALL, "ListTournaments", of_game=False),
    *_methods("CertifyService", KEEPERS, "Describe", "DealHands", of_game=False),
)

METHODS: Final[Mapping[str, Method]] = {method.path: method for method in _TABLE}
