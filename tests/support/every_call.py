"""Every call of the contract with a request of the right form, for tests that hold of all.

`EVERY` is what a dealer of games answers; `CERTIFY` is what one in certification mode does.
"""

from typing import Any, Final

from cutcard.v1 import (
    certify_pb2,
    fairness_pb2,
    operate_pb2,
    play_pb2,
    tournament_entry_pb2,
    tournament_pb2,
)
from tests.support.service import Service

GAME: Final = "0123456789abcdef0123456789abcdef"
_ID: Final = "request-0001"
_SHARES: Final = [
    tournament_entry_pb2.Share(player="ann", amount=7),
    tournament_entry_pb2.Share(player="bob", amount=3),
]

PLAY: Final[dict[str, Any]] = {
    "TakeSeat": play_pb2.TakeSeatRequest(
        request_id=_ID, game=GAME, stack=200, accepts_reveal="all_cards"
    ),
    "LeaveSeat": play_pb2.LeaveSeatRequest(request_id=_ID, game=GAME),
    "AddChips": play_pb2.AddChipsRequest(request_id=_ID, game=GAME, amount=1),
    "SitOut": play_pb2.SitOutRequest(request_id=_ID, game=GAME),
    "ComeBack": play_pb2.ComeBackRequest(request_id=_ID, game=GAME),
    "Anchor": play_pb2.AnchorRequest(request_id=_ID, game=GAME, anchor=bytes(32)),
    "GiveLink": play_pb2.GiveLinkRequest(game=GAME, hand=1, link=bytes(32)),
    "Act": play_pb2.ActRequest(request_id=_ID, game=GAME, hand=1, turn=1, act=play_pb2.ACT_FOLD),
    "Show": play_pb2.ShowRequest(request_id=_ID, game=GAME, hand=1),
    "Prefer": play_pb2.PreferRequest(request_id=_ID, game=GAME, choices=["show"]),
    "PreSelect": play_pb2.PreSelectRequest(game=GAME, hand=1, act=play_pb2.PRE_ACT_NONE),
    "Register": tournament_pb2.RegisterRequest(
        request_id=_ID, tournament=GAME, accepts_reveal="all_cards"
    ),
    "Withdraw": tournament_pb2.WithdrawRequest(request_id=_ID, tournament=GAME),
    "Rebuy": tournament_pb2.RebuyRequest(request_id=_ID, tournament=GAME),
    "DeclineRebuy": tournament_pb2.DeclineRebuyRequest(request_id=_ID, tournament=GAME),
    "AddOn": tournament_pb2.AddOnRequest(request_id=_ID, tournament=GAME),
    "AgreeToDeal": tournament_pb2.AgreeToDealRequest(
        request_id=_ID, tournament=GAME, shares=_SHARES
    ),
    "ProposeDeal": tournament_pb2.ProposeDealRequest(
        request_id=_ID, tournament=GAME, shares=_SHARES
    ),
}
"""What a player calls."""

SHARED: Final[dict[str, Any]] = {
    "GetTable": play_pb2.GetTableRequest(game=GAME),
    "GetStatistics": play_pb2.GetStatisticsRequest(game=GAME),
    "Watch": play_pb2.WatchRequest(game=GAME),
    "Session": play_pb2.SessionRequest(),
    "ListTournaments": tournament_pb2.ListTournamentsRequest(),
    "GetTournament": tournament_pb2.GetTournamentRequest(tournament=GAME),
    "WatchTournament": tournament_pb2.WatchTournamentRequest(tournament=GAME),
    "GetKey": fairness_pb2.GetKeyRequest(),
    "GetCheckpoint": fairness_pb2.GetCheckpointRequest(game=GAME),
    "ListEntries": fairness_pb2.ListEntriesRequest(game=GAME),
    "GetInclusionProof": fairness_pb2.GetInclusionProofRequest(game=GAME),
    "GetConsistencyProof": fairness_pb2.GetConsistencyProofRequest(game=GAME, from_size=1),
    "GetGameFile": fairness_pb2.GetGameFileRequest(game=GAME),
    "GetLogProof": fairness_pb2.GetLogProofRequest(game=GAME, stage="game_opened"),
}
"""What every role calls."""

OPERATE: Final[dict[str, Any]] = {
    "OpenGame": operate_pb2.OpenGameRequest(request_id=_ID),
    "ListGames": operate_pb2.ListGamesRequest(),
    "GetGame": operate_pb2.GetGameRequest(game=GAME),
    "PauseGame": operate_pb2.PauseGameRequest(request_id=_ID, game=GAME),
    "ResumeGame": operate_pb2.ResumeGameRequest(request_id=_ID, game=GAME),
    "CloseGame": operate_pb2.CloseGameRequest(request_id=_ID, game=GAME),
    "VoidHand": operate_pb2.VoidHandRequest(request_id=_ID, game=GAME, hand=1),
    "RemovePlayer": operate_pb2.RemovePlayerRequest(request_id=_ID, game=GAME, player="ann"),
    "FollowChips": operate_pb2.FollowChipsRequest(stop_at_end=True),
    "OpenTournament": tournament_pb2.OpenTournamentRequest(request_id=_ID),
    "StopTournament": tournament_pb2.StopTournamentRequest(request_id=_ID, tournament=GAME),
    "ResumeTournament": tournament_pb2.ResumeTournamentRequest(request_id=_ID, tournament=GAME),
    "CancelTournament": tournament_pb2.CancelTournamentRequest(request_id=_ID, tournament=GAME),
    "Disqualify": tournament_pb2.DisqualifyRequest(request_id=_ID, tournament=GAME, player="ann"),
}
"""What an operator calls, and the reading of it an auditor."""

CERTIFY: Final[dict[str, Any]] = {
    "Describe": certify_pb2.DescribeRequest(),
    "DealHands": certify_pb2.DealHandsRequest(count=1),
}

EVERY: Final[dict[str, Any]] = PLAY | SHARED | OPERATE
STREAMS: Final = frozenset({"Watch", "Session", "WatchTournament", "GetGameFile", "FollowChips"})
OF_A_GAME: Final = {name: one for name, one in EVERY.items() if hasattr(one, "game")}
OF_A_TOURNAMENT: Final = {name: one for name, one in EVERY.items() if hasattr(one, "tournament")}
CHANGES: Final = {name: one for name, one in OF_A_GAME.items() if hasattr(one, "request_id")}


def invoke(service: Service, method: str, request: Any, header: Any) -> Any:
    """Make a call and give what it is waited for; a stream is read to its end."""
    stub = next(
        stub
        for stub in (service.play, service.operate, service.fair, service.tournaments)
        if hasattr(stub, method)
    )
    # What a session is sent is a stream, too.
    sent = iter((request,)) if method == "Session" else request
    call = getattr(stub, method)(sent, metadata=header)
    return _drain(call) if method in STREAMS else call


async def _drain(stream: Any) -> list[Any]:
    return [message async for message in stream]
