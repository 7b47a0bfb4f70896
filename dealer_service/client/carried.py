"""PlayService at one node, all of whose calls one stream carries: for many players of a backend.

It has the methods of the generated stub, and each answers, refuses and ends as the stub's does, so
that nothing else of the client knows of it. The stream is opened when it is first needed, and again
after a break. Beyond the calls that one stream has room for there is another.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Generic, TypeVar, cast

import grpc.aio
from google.protobuf.message import Message

from cutcard.v1 import play_pb2_grpc
from cutcard.v1.play_pb2 import (
    ActRequest,
    ActResponse,
    AddChipsRequest,
    AddChipsResponse,
    AnchorRequest,
    AnchorResponse,
    ComeBackRequest,
    ComeBackResponse,
    GetStatisticsRequest,
    GetStatisticsResponse,
    GetTableRequest,
    GetTableResponse,
    GiveLinkRequest,
    GiveLinkResponse,
    LeaveSeatRequest,
    LeaveSeatResponse,
    PreferRequest,
    PreferResponse,
    PreSelectRequest,
    PreSelectResponse,
    ShowRequest,
    ShowResponse,
    SitOutRequest,
    SitOutResponse,
    TakeSeatRequest,
    TakeSeatResponse,
    WatchRequest,
)
from dealer_service.client.bearer import Bearer
from dealer_service.client.lane import CarriedWatch, Lane

_Request = TypeVar("_Request", bound=Message)
_Response = TypeVar("_Response")
_Metadata = tuple[tuple[str, str], ...]

_AUTHORIZATION: Final = "authorization"


class _Unary(Generic[_Request, _Response]):
    """A call with one answer."""

    __slots__ = ("_kind", "_lane")

    def __init__(self, lane: Callable[[], Lane], kind: str) -> None:
        self._lane, self._kind = lane, kind

    async def __call__(
        self,
        request: _Request,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as the stub has it
        metadata: _Metadata | None = None,
    ) -> _Response:
        """Make the call; AioRpcError."""
        answer = await self._lane().ask(self._kind, request, _header(metadata), timeout)
        return cast("_Response", answer)


class CarriedPlay:
    """The stub; `bearer` is whose the stream itself is, `wall` gives the seconds since 1970."""

    def __init__(
        self, channel: grpc.aio.Channel, bearer: Bearer, wall: Callable[[], float]
    ) -> None:
        self._stub = play_pb2_grpc.PlayServiceStub(channel)
        self._bearer, self._wall = bearer, wall
        self._lanes: list[Lane] = []
        lane = self._lane
        self.TakeSeat: _Unary[TakeSeatRequest, TakeSeatResponse] = _Unary(lane, "take_seat")
        self.LeaveSeat: _Unary[LeaveSeatRequest, LeaveSeatResponse] = _Unary(lane, "leave_seat")
        self.AddChips: _Unary[AddChipsRequest, AddChipsResponse] = _Unary(lane, "add_chips")
        self.SitOut: _Unary[SitOutRequest, SitOutResponse] = _Unary(lane, "sit_out")
        self.ComeBack: _Unary[ComeBackRequest, ComeBackResponse] = _Unary(lane, "come_back")
        self.Anchor: _Unary[AnchorRequest, AnchorResponse] = _Unary(lane, "anchor")
        self.GiveLink: _Unary[GiveLinkRequest, GiveLinkResponse] = _Unary(lane, "give_link")
        self.Act: _Unary[ActRequest, ActResponse] = _Unary(lane, "act")
        self.Show: _Unary[ShowRequest, ShowResponse] = _Unary(lane, "show")
        self.Prefer: _Unary[PreferRequest, PreferResponse] = _Unary(lane, "prefer")
        self.PreSelect: _Unary[PreSelectRequest, PreSelectResponse] = _Unary(lane, "pre_select")
        self.GetTable: _Unary[GetTableRequest, GetTableResponse] = _Unary(lane, "get_table")
        self.GetStatistics: _Unary[GetStatisticsRequest, GetStatisticsResponse] = _Unary(
            lane, "get_statistics"
        )

    def Watch(  # noqa: N802 - as the stub has it
        self, request: WatchRequest, *, metadata: _Metadata | None = None
    ) -> CarriedWatch:
        """Begin a watch; it is read as the stub's is."""
        return self._lane().watch(request, _header(metadata))

    async def close(self) -> None:
        """End every stream, and all that is under way."""
        lanes, self._lanes = self._lanes, []
        await asyncio.gather(*(lane.close() for lane in lanes))

    def _lane(self) -> Lane:
        """Give a stream with room; who watches one game is mostly on one stream, and told once."""
        for lane in self._lanes:
            if lane.has_room:
                return lane
        lane = Lane(self._stub, self._bearer, self._wall, self._forget, self._spare)
        self._lanes.append(lane)
        return lane

    def _forget(self, lane: Lane) -> None:
        if lane in self._lanes:
            self._lanes.remove(lane)

    def _spare(self, lane: Lane) -> None:
        """End a stream that carries nothing while there is another."""
        if len(self._lanes) > 1 and lane in self._lanes:
            self._lanes.remove(lane)
            lane.drop()


def _header(metadata: _Metadata | None) -> str:
    for name, value in metadata or ():
        if name == _AUTHORIZATION:
            return value
    return ""
