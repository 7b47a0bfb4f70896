"""Refusals of single calls: google.rpc.Status read into one value.

The dealer says why in an ErrorInfo (a stable reason, and every number of the message again as
metadata), names malformed fields in a BadRequest, and says in a RetryInfo when to call again who
asked for too much. Where there is neither, such as for a broken
connection, the reason is the status code's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

DETAILS: Final = "grpc-status-details-bin"
"""The trailer that holds a refusal's google.rpc.Status."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call was refused: the status code's name, a stable reason, and words for people.

    `retry_after` is how many seconds to wait before the same call, None where nothing is said.
    """

    code: str
    reason: str
    message: str
    metadata: Mapping[str, str]
    violations: tuple[tuple[str, str], ...] = ()
    retry_after: float | None = None


class CallRefusedError(Exception):
    """A call that the dealer refused, or that did not reach it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.reason}: {refusal.message}")
        self.refusal = refusal


def read_error(error: grpc.aio.AioRpcError) -> CallRefusedError:
    """Read what gRPC raised; it never fails, whatever the trailers hold."""
    code, message = error.code().name, error.details() or ""
    info, violations, retry_after = _details(error)
    reason = info.reason if info is not None and info.reason else code
    metadata = dict(info.metadata) if info is not None else {}
    told = Refusal(code, reason, message, MappingProxyType(metadata), violations, retry_after)
    return CallRefusedError(told)


def _details(
    error: grpc.aio.AioRpcError,
) -> tuple[ErrorInfo | None, tuple[tuple[str, str], ...], float | None]:
    info: ErrorInfo | None = None
    violations: tuple[tuple[str, str], ...] = ()
    retry_after: float | None = None
    for key, value in error.trailing_metadata() or ():
        if key != DETAILS or not isinstance(value, bytes):
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
                elif detail.Is(RetryInfo.DESCRIPTOR):
                    retry = RetryInfo()
                    detail.Unpack(retry)
                    retry_after = max(0.0, retry.retry_delay.ToMilliseconds() / 1000)
        except DecodeError:
            continue
    return info, violations, retry_after
