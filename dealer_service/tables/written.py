"""What became of a unit that was sent to the store, and what callers are told when it failed."""

import asyncio

from dealer_service.store.api import Appended, AppendResult, Conflict, Fenced, LogLost
from dealer_service.store.commit import CommitClosed, StoreFailed
from dealer_service.tables.refused import Refused, ServiceReason, refused

Written = asyncio.Future[AppendResult]


class Overtaken(Exception):  # noqa: N818 - what became of the unit
    """The log went on without this dealer: another one owns it, or it was set to lost."""


def fault_of(written: Written) -> BaseException | None:
    """Say what kept a unit from being written; None when it is durable."""
    if written.cancelled():
        return asyncio.CancelledError()
    error = written.exception()
    if error is not None:
        return error
    result = written.result()
    if isinstance(result, Appended):
        return None
    if isinstance(result, Conflict | Fenced | LogLost):
        return Overtaken(f"the store refused a unit: {type(result).__name__}")
    return RuntimeError(f"the store refused a unit: {type(result).__name__}")


def store_failed() -> Refused:
    """Build the refusal of what the store could not take."""
    message = "the store takes nothing more: call again when the dealer has restarted"
    return refused(ServiceReason.STORE_FAILED, message)


def refusal_of(fault: BaseException) -> Refused | None:
    """Say what a caller is told of a fault, where that is the store's."""
    return store_failed() if isinstance(fault, StoreFailed | CommitClosed) else None
