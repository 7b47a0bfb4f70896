"""The one map from refusals to gRPC status.

Every refusal leaves as google.rpc.Status with exactly one ErrorInfo (a stable reason, the domain
of this API, and every number of the message in its metadata); beside it stand a BadRequest for
malformed fields, and a RetryInfo where it says when to call again. What nobody foresaw leaves as
INTERNAL without a word of its inside.
"""

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from dealer_service.rpc.validate import Malformed

DOMAIN: Final = "cutcard.v1"
_DETAILS: Final = "grpc-status-details-bin"

_Code = grpc.StatusCode

_CODES: Final[Mapping[str, grpc.StatusCode]] = {
    "TOKEN_MISSING": _Code.UNAUTHENTICATED,
    "TOKEN_INVALID": _Code.UNAUTHENTICATED,
    "TOKEN_EXPIRED": _Code.UNAUTHENTICATED,
    "TOKEN_NOT_YET_VALID": _Code.UNAUTHENTICATED,
    "WRONG_AUDIENCE": _Code.UNAUTHENTICATED,
    "WRONG_ISSUER": _Code.UNAUTHENTICATED,
    "TOKEN_KEYS_UNREAD": _Code.UNAVAILABLE,
    "ROLE_NOT_ALLOWED": _Code.PERMISSION_DENIED,
    "TABLE_NOT_ALLOWED": _Code.PERMISSION_DENIED,
    "RATE_LIMITED": _Code.RESOURCE_EXHAUSTED,
    "TOO_MANY_STREAMS": _Code.RESOURCE_EXHAUSTED,
    "NO_SUCH_GAME": _Code.NOT_FOUND,
    "NO_SUCH_TOURNAMENT": _Code.NOT_FOUND,
    "NO_SUCH_LINE": _Code.NOT_FOUND,
    "NO_CHECKPOINT_YET": _Code.NOT_FOUND,
    "NOT_PUBLISHED": _Code.NOT_FOUND,
    "NO_SUCH_SIZE": _Code.OUT_OF_RANGE,
    "REQUEST_ID_REUSED": _Code.ALREADY_EXISTS,
    "TOO_MANY_WAITING": _Code.RESOURCE_EXHAUSTED,
    "READ_TOO_SLOWLY": _Code.RESOURCE_EXHAUSTED,
    "WATCHED_TOO_SLOWLY": _Code.RESOURCE_EXHAUSTED,
    "GAME_ELSEWHERE": _Code.UNAVAILABLE,
    "GAME_MOVING": _Code.UNAVAILABLE,
    "GAME_OPENING": _Code.UNAVAILABLE,
    "RANDOMNESS_FAILED": _Code.UNAVAILABLE,
    "STORE_FAILED": _Code.UNAVAILABLE,
    "STOPPING": _Code.UNAVAILABLE,
    "TABLE_HALTED": _Code.UNAVAILABLE,
    "GAME_LOST": _Code.DATA_LOSS,
}
"""Reasons that are not FAILED_PRECONDITION, which a refusal by the rules is."""


def status_of(
    reason: str,
    message: str,
    metadata: Mapping[str, str],
    code: grpc.StatusCode | None = None,
) -> status_pb2.Status:
    """Build the status of one refusal; without a code, that follows from the reason."""
    code = code or _CODES.get(reason, _Code.FAILED_PRECONDITION)
    status = _status(code, message, reason, metadata)
    if "retry_after_ms" in metadata:
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(int(metadata["retry_after_ms"]))
        _add_detail(status, error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def status_of_malformed(fault: Malformed) -> status_pb2.Status:
    """Build the status of a malformed request, with a BadRequest that names every field."""
    status = _status(_Code.INVALID_ARGUMENT, str(fault), "MALFORMED_REQUEST", {})
    violations = [
        error_details_pb2.BadRequest.FieldViolation(field=v.field, description=v.description)
        for v in fault.violations
    ]
    _add_detail(status, error_details_pb2.BadRequest(field_violations=violations))
    return status


def status_of_unforeseen() -> status_pb2.Status:
    """Build the status for a fault of the dealer: no word of what went wrong inside."""
    message = "the dealer failed to answer; nothing was changed unless a later answer says so"
    return _status(_Code.INTERNAL, message, "DEALER_FAULT", {})


def code_of(status: status_pb2.Status) -> grpc.StatusCode:
    """Give a status's code."""
    return next(code for code in grpc.StatusCode if code.value[0] == status.code)


async def abort(
    context: "grpc.aio.ServicerContext[Any, Any]", status: status_pb2.Status
) -> NoReturn:
    """End a call with a status and its details."""
    details = ((_DETAILS, status.SerializeToString()),)
    await context.abort(code_of(status), status.message, details)
    raise AssertionError  # abort never returns


def _status(
    code: grpc.StatusCode, message: str, reason: str, metadata: Mapping[str, str]
) -> status_pb2.Status:
    status = status_pb2.Status(code=code.value[0], message=message)
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=dict(metadata))
    _add_detail(status, info)
    return status


def _add_detail(
    status: status_pb2.Status,
    detail: Message,
) -> None:
    packed = any_pb2.Any()
    packed.Pack(detail)
    status.details.append(packed)
