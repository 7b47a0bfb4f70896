"""Refusals of single calls: google.rpc.Status read into one value.

The dealer says why in an ErrorInfo (a stable reason, and every number of the message again as
metadata) and names malformed fields in a BadRequest. Where there is neither, such as for a broken
connection, the reason is the status code's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from google.rpc.status_pb2 import Status

_DETAILS: Final = "grpc-status-details-bin"
_RETRIED: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call was refused: the status code's name, a stable reason, and words for people."""

    code: str
    reason: str
    message: str
    metadata: Mapping[str, str]
    violations: tuple[tuple[str, str], ...] = ()


class CallRefusedError(Exception):
    """A call that the dealer refused, or that did not reach it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.reason}: {refusal.message}")
        self.refusal = refusal


def read_error(error: grpc.aio.AioRpcError) -> CallRefusedError:
    """Read what gRPC raised; it never fails, whatever the trailers hold."""
    code, message = error.code().name, error.details() or ""
    info, violations = _details(error)
    reason = info.reason if info is not None and info.reason else code
    metadata = dict(info.metadata) if info is not None else {}
    return CallRefusedError(Refusal(code, reason, message, MappingProxyType(metadata), violations))


def is_passing(error: grpc.aio.AioRpcError) -> bool:
    """Whether the same call may be made again: the dealer was not reached, or not in time."""
    return error.code() in _RETRIED


def _details(
    error: grpc.aio.AioRpcError,
) -> tuple[ErrorInfo | None, tuple[tuple[str, str], ...]]:
    info: ErrorInfo | None = None
    violations: tuple[tuple[str, str], ...] = ()
    for key, value in error.trailing_metadata() or ():
        if key != _DETAILS or not isinstance(value, bytes):
            continue
        try:
            for detail in Status.FromString(value).details:
                if detail.Is(ErrorInfo.DESCRIPTOR):
                    info = ErrorInfo()
                    detail.Unpack(info)
                elif detail.Is(BadRequest.DESCRIPTOR):
                    bad = BadRequest()
                    detail.Unpack(bad)
                    violations = tuple((v.field, v.description) for v in bad.field_violations)
        except DecodeError:
            continue
    return info, violations
