"""Health by service, as grpc.health.v1 tells it: what each still does when something ails.

The dealer as a whole (""), PlayService and TournamentService serve while hands are dealt.
OperateService serves as long as games can be listed, paused and closed, without randomness too;
FairnessService as long as the store can be read. A dealer in certification mode deals no games and
says so here: of all that it knows by name CertifyService alone serves, and the dealer as a whole
does not. Nothing here waits for a caller: who watches and does not read is told when it reads
again.
"""

from collections.abc import Mapping
from enum import Enum, auto, unique
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dealer_service.observe.metrics import Metrics
from dealer_service.tables.house import News

MOST_WATCHING: Final = 1_000
"""Anybody may watch the health, so the number of those who do is bounded."""

DEALER: Final = ""
PLAY: Final = "cutcard.v1.PlayService"
OPERATE: Final = "cutcard.v1.OperateService"
TOURNAMENT: Final = "cutcard.v1.TournamentService"
FAIRNESS: Final = "cutcard.v1.FairnessService"
CERTIFY: Final = "cutcard.v1.CertifyService"

_Status = health_pb2.HealthCheckResponse.ServingStatus


@unique
class Ailment(Enum):
    """What may be wrong with a dealer."""

    STARTING = auto()
    DRAINING = auto()
    STOPPING = auto()
    RANDOMNESS = auto()
    STORE_WRITES = auto()
    STORE_READS = auto()
    LEASE = auto()
    CERTIFYING = auto()


_ENDS: Final[Mapping[str, frozenset[Ailment]]] = {
    DEALER: frozenset(Ailment),
    PLAY: frozenset(Ailment),
    OPERATE: frozenset(Ailment) - {Ailment.RANDOMNESS, Ailment.DRAINING},
    TOURNAMENT: frozenset(Ailment),
    FAIRNESS: frozenset(
        {Ailment.STARTING, Ailment.STOPPING, Ailment.STORE_READS, Ailment.CERTIFYING}
    ),
}
"""What makes each service stop serving."""

_ENDS_CERTIFYING: Final[Mapping[str, frozenset[Ailment]]] = {
    **_ENDS,
    CERTIFY: frozenset({Ailment.STARTING, Ailment.STOPPING, Ailment.RANDOMNESS}),
}


class Health(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # it ships without types
    """The health of a dealer; it begins as one that is starting."""

    def __init__(self, metrics: Metrics, *, certifies: bool = False) -> None:
        self._metrics = metrics
        self._ends = _ENDS_CERTIFYING if certifies else _ENDS
        self._ailments = {Ailment.STARTING} | ({Ailment.CERTIFYING} if certifies else set())
        self._news = News()
        self._watching = 0
        self._tell()

    @property
    def ailments(self) -> frozenset[Ailment]:
        """What is wrong now."""
        return frozenset(self._ailments)

    def ail(self, ailment: Ailment) -> bool:
        """Note that something is wrong, and say whether that is new."""
        if ailment in self._ailments:
            return False
        self._ailments.add(ailment)
        self._tell()
        return True

    def recover(self, ailment: Ailment) -> bool:
        """Note that something is well again, and say whether that is new."""
        if ailment not in self._ailments:
            return False
        self._ailments.discard(ailment)
        self._tell()
        return True

    def serves(self, service: str) -> bool:
        """Say whether a service serves; KeyError for one that is none."""
        return not self._ailments & self._ends[service]

    def all(self) -> dict[str, bool]:
        """Say for each service whether it serves; the whole dealer first."""
        return {name.rpartition(".")[2] or "dealer": self.serves(name) for name in self._ends}

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802, ANN401 - gRPC's own
        """Give a service's status; NOT_FOUND for one that is none."""
        if request.service not in self._ends:
            await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service")
        return health_pb2.HealthCheckResponse(status=self._status(request.service))

    async def List(self, request: Any, context: Any) -> Any:  # noqa: N802, ANN401 - gRPC's own
        """Give the status of every service."""
        del request, context
        statuses = {
            name: health_pb2.HealthCheckResponse(status=self._status(name)) for name in self._ends
        }
        return health_pb2.HealthListResponse(statuses=statuses)

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: N802, ANN401 - gRPC's own
        """Tell a service's status now and whenever it changes, until the dealer stops."""
        if self._watching >= MOST_WATCHING:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many watch the health")
        self._watching += 1
        try:
            told = None
            while True:
                seen = self._news.count
                status = self._status(request.service)
                if status != told:
                    await context.write(health_pb2.HealthCheckResponse(status=status))
                    told = status
                if Ailment.STOPPING in self._ailments:
                    return
                await self._news.after(seen)
        finally:
            self._watching -= 1

    def _status(self, service: str) -> int:
        if service not in self._ends:
            return int(_Status.SERVICE_UNKNOWN)
        return int(_Status.SERVING if self.serves(service) else _Status.NOT_SERVING)

    def _tell(self) -> None:
        for name, serves in self.all().items():
            self._metrics.set_serving(name, serving=serves)
        self._news.tell()
