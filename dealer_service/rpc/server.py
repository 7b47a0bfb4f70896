"""The gRPC server: the services of a dealer of games or of one to be certified, and about them.

Health and reflection are told by every server. A dealer of games has no CertifyService at all, and
one that is certified has nothing else.
"""

import socket
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import grpc
from grpc_health.v1 import health as grpc_health
from grpc_health.v1 import health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from cutcard.v1 import certify_pb2, fairness_pb2, operate_pb2, play_pb2, tournament_pb2
from dealer_service.config import Tls, split_address
from dealer_service.observe.metrics import Metrics
from dealer_service.rpc.calls import Door
from dealer_service.rpc.certify import Certify
from dealer_service.rpc.fairness import Fairness
from dealer_service.rpc.health import (
    CERTIFY,
    FAIRNESS,
    OPERATE,
    PLAY,
    TOURNAMENT,
    Ailment,
    Health,
)
from dealer_service.rpc.operate import Operate
from dealer_service.rpc.play import Play
from dealer_service.rpc.session import Sessions
from dealer_service.rpc.statistics import Statistics
from dealer_service.rpc.tls import server_credentials
from dealer_service.rpc.tournaments import Tournaments
from dealer_service.rpc.watch import Watch
from dealer_service.rpc.watch_tournament import WatchTournament
from dealer_service.tables.archive import Archive
from dealer_service.tables.floor import Floor

MAX_REQUEST_BYTES: Final = 64 * 1024
MAX_METADATA_BYTES: Final = 8 * 1024
MAX_STREAMS_OF_A_CONNECTION: Final = 1_000
"""Calls and streams at a time; whoever stands before many callers has one for all in a session."""

OPTIONS: Final[Sequence[tuple[str, int]]] = (
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.so_reuseport", 0),
    ("grpc.max_concurrent_streams", MAX_STREAMS_OF_A_CONNECTION),
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # An answer to a ping has so long; gRPC waits a minute otherwise, whatever the line above says.
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.max_ping_strikes", 0),
)

_Methods = dict[str, Any]
"""What each method is asked with, and what answers it."""

Services = Mapping[str, grpc.GenericRpcHandler]
"""Handlers by the name of their service."""


def _why_not_bound(address: str) -> str:
    """Give the system's word for why an address can not be taken, which gRPC keeps; "" for none."""
    place = split_address(address)
    try:
        with socket.socket(socket.AF_INET6 if ":" in place[0] else socket.AF_INET) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(place)
    except OSError as error:
        return error.strerror or str(error)
    return ""


class Server:
    """The server, its address and its health."""

    def __init__(self, services: Services, health: Health, metrics: Metrics) -> None:
        # Nothing that goes to a seat alone is ever compressed: its size would tell of its content.
        self._server = grpc.aio.server(options=OPTIONS, compression=grpc.Compression.NoCompression)
        self._health = health
        self._metrics = metrics
        self._server.add_generic_rpc_handlers(tuple(services.values()))
        health_pb2_grpc.add_HealthServicer_to_server(health, self._server)
        names = (*services, grpc_health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    def listen(self, address: str, tls: Tls | None = None) -> int:
        """Take "host:port", by TLS or in the clear, and give the port.

        OSError where that is taken, AccessError for certificates that can not be shown.
        """
        try:
            if tls is None:
                return self._server.add_insecure_port(address)
            return self._server.add_secure_port(address, server_credentials(tls, self._taken))
        except RuntimeError as error:
            message = f"can not listen on {address}: {_why_not_bound(address) or error}"
            raise OSError(message) from error

    def _taken(self, expires: datetime) -> None:
        self._metrics.set_certificate(expires.timestamp())

    async def start(self) -> None:
        """Take calls."""
        await self._server.start()
        self._health.recover(Ailment.STARTING)

    async def stop(self, grace: float) -> None:
        """Take no more calls, and give those under way `grace` seconds."""
        self._health.ail(Ailment.STOPPING)
        await self._server.stop(grace)


def game_services(floor: Floor, door: Door, sessions: Sessions) -> Services:
    """Give what a dealer of games serves."""
    return {
        PLAY: _play(door, sessions, Play(floor), Statistics(floor), Watch(floor)),
        OPERATE: _operate(door, Operate(floor)),
        TOURNAMENT: _tournaments(door, Tournaments(floor), WatchTournament(floor)),
        FAIRNESS: _fairness(door, Fairness(floor, Archive(floor.house))),
    }


def certifying_services(certify: Certify, door: Door) -> Services:
    """Give what a dealer serves that is to be certified."""
    unary = {"Describe": (certify_pb2.DescribeRequest, certify.describe)}
    streaming = {"DealHands": (certify_pb2.DealHandsRequest, certify.deal_hands)}
    return {CERTIFY: _service(door, CERTIFY, unary, streaming)}


def _play(
    door: Door, sessions: Sessions, play: Play, statistics: Statistics, watch: Watch
) -> grpc.GenericRpcHandler:
    unary: _Methods = {
        "TakeSeat": (play_pb2.TakeSeatRequest, play.take_seat),
        "LeaveSeat": (play_pb2.LeaveSeatRequest, play.leave_seat),
        "AddChips": (play_pb2.AddChipsRequest, play.add_chips),
        "SitOut": (play_pb2.SitOutRequest, play.sit_out),
        "ComeBack": (play_pb2.ComeBackRequest, play.come_back),
        "Anchor": (play_pb2.AnchorRequest, play.anchor),
        "GiveLink": (play_pb2.GiveLinkRequest, play.give_link),
        "Act": (play_pb2.ActRequest, play.act),
        "Show": (play_pb2.ShowRequest, play.show),
        "Prefer": (play_pb2.PreferRequest, play.prefer),
        "PreSelect": (play_pb2.PreSelectRequest, play.pre_select),
        "GetTable": (play_pb2.GetTableRequest, play.get_table),
        "GetStatistics": (play_pb2.GetStatisticsRequest, statistics.get_statistics),
    }
    streaming: _Methods = {"Watch": (play_pb2.WatchRequest, watch.watch)}
    session = {"Session": sessions.handler(PLAY, unary, streaming)}
    return _service(door, PLAY, unary, streaming, session)


def _operate(door: Door, operate: Operate) -> grpc.GenericRpcHandler:
    unary = {
        "OpenGame": (operate_pb2.OpenGameRequest, operate.open_game),
        "ListGames": (operate_pb2.ListGamesRequest, operate.list_games),
        "GetGame": (operate_pb2.GetGameRequest, operate.get_game),
        "PauseGame": (operate_pb2.PauseGameRequest, operate.pause_game),
        "ResumeGame": (operate_pb2.ResumeGameRequest, operate.resume_game),
        "CloseGame": (operate_pb2.CloseGameRequest, operate.close_game),
        "VoidHand": (operate_pb2.VoidHandRequest, operate.void_hand),
        "RemovePlayer": (operate_pb2.RemovePlayerRequest, operate.remove_player),
    }
    streaming = {"FollowChips": (operate_pb2.FollowChipsRequest, operate.follow_chips)}
    return _service(door, OPERATE, unary, streaming)


def _tournaments(
    door: Door, tournaments: Tournaments, watch: WatchTournament
) -> grpc.GenericRpcHandler:
    unary = {
        "OpenTournament": (tournament_pb2.OpenTournamentRequest, tournaments.open_tournament),
        "ListTournaments": (tournament_pb2.ListTournamentsRequest, tournaments.list_tournaments),
        "GetTournament": (tournament_pb2.GetTournamentRequest, tournaments.get_tournament),
        "Register": (tournament_pb2.RegisterRequest, tournaments.register),
        "Withdraw": (tournament_pb2.WithdrawRequest, tournaments.withdraw),
        "Rebuy": (tournament_pb2.RebuyRequest, tournaments.rebuy),
        "DeclineRebuy": (tournament_pb2.DeclineRebuyRequest, tournaments.decline_rebuy),
        "AddOn": (tournament_pb2.AddOnRequest, tournaments.add_on),
        "ProposeDeal": (tournament_pb2.ProposeDealRequest, tournaments.propose_deal),
        "AgreeToDeal": (tournament_pb2.AgreeToDealRequest, tournaments.agree_to_deal),
        "StopTournament": (tournament_pb2.StopTournamentRequest, tournaments.stop_tournament),
        "ResumeTournament": (
            tournament_pb2.ResumeTournamentRequest,
            tournaments.resume_tournament,
        ),
        "CancelTournament": (
            tournament_pb2.CancelTournamentRequest,
            tournaments.cancel_tournament,
        ),
        "Disqualify": (tournament_pb2.DisqualifyRequest, tournaments.disqualify),
    }
    streaming = {"WatchTournament": (tournament_pb2.WatchTournamentRequest, watch.watch)}
    return _service(door, TOURNAMENT, unary, streaming)


def _fairness(door: Door, fairness: Fairness) -> grpc.GenericRpcHandler:
    unary = {
        "GetKey": (fairness_pb2.GetKeyRequest, fairness.get_key),
        "GetCheckpoint": (fairness_pb2.GetCheckpointRequest, fairness.get_checkpoint),
        "ListEntries": (fairness_pb2.ListEntriesRequest, fairness.list_entries),
        "GetInclusionProof": (
            fairness_pb2.GetInclusionProofRequest,
            fairness.get_inclusion_proof,
        ),
        "GetConsistencyProof": (
            fairness_pb2.GetConsistencyProofRequest,
            fairness.get_consistency_proof,
        ),
        "GetLogProof": (fairness_pb2.GetLogProofRequest, fairness.get_log_proof),
    }
    streaming = {"GetGameFile": (fairness_pb2.GetGameFileRequest, fairness.get_game_file)}
    return _service(door, FAIRNESS, unary, streaming)


def _service(
    door: Door,
    name: str,
    unary: _Methods,
    streaming: _Methods,
    others: "Mapping[str, grpc.RpcMethodHandler[Any, Any]] | None" = None,
) -> grpc.GenericRpcHandler:
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = dict(others or {})
    for method, (request, run) in unary.items():
        handlers[method] = door.unary(f"/{name}/{method}", request, run)
    for method, (request, run) in streaming.items():
        handlers[method] = door.streaming(f"/{name}/{method}", request, run)
    return grpc.method_handlers_generic_handler(name, handlers)
