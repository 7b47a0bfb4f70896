"""What a dealer opens that is of no game yet: each once, and had when it is durable."""

from collections.abc import Callable
from functools import partial

from dealer_service.fairness.refusal import FairnessError
from dealer_service.store.api import (
    AlreadyAnswered,
    Answer,
    Append,
    LogAppend,
    RequestIdReused,
)
from dealer_service.tables.house import House
from dealer_service.tables.refused import ServiceReason, refused
from dealer_service.tables.requests import Pending, Request, Requests, reused
from dealer_service.tables.written import Written, fault_of, refusal_of, store_failed

Opening = tuple[LogAppend, bytes, Callable[[], None]]
"""What is written of a thing that opens, the answer, and what has it from then on."""
Begin = Callable[[], Opening]


class Founding:
    """Opens games and tournaments; with a `refusal`, none any more."""

    def __init__(self, house: House, requests: Requests) -> None:
        self.house = house
        self.requests = requests
        self.refusal: Exception | None = None

    async def once(self, request: Request, begin: Begin) -> bytes:
        """Write what is opened, once, and have it when it is durable; Refused."""
        known = await self.requests.repeated(request)
        if known is not None:
            return known
        if self.refusal is not None:
            raise self.refusal
        answer = self.requests.begin(request)
        try:
            change, body, follow = begin()
            stored = Answer(
                self.requests.scope, request.caller, request.request_id, request.digest, body
            )
            written = self.house.committer.submit(Append((change,), (), stored))
        except Exception as fault:  # noqa: BLE001 - whatever it was, the request is not left open
            self.requests.forget(request)
            answer.set_exception(_judge(fault))
        else:
            written.add_done_callback(partial(self._opened, follow, request, answer, body))
        return await answer

    def _opened(
        self,
        follow: Callable[[], None],
        request: Request,
        answer: Pending,
        body: bytes,
        written: Written,
    ) -> None:
        told = written.result() if not written.cancelled() and not written.exception() else None
        if isinstance(told, AlreadyAnswered):
            # Another dealer, or this one before it started again, opened the game.
            self.requests.answered(request)
            if not answer.done():
                answer.set_result(told.body)
            return
        if isinstance(told, RequestIdReused):
            self.requests.forget(request)
            if not answer.done():
                answer.set_exception(reused())
            return
        if fault_of(written) is not None:
            self.requests.forget(request)
            if not answer.done():
                answer.set_exception(store_failed())
            return
        follow()
        self.requests.answered(request)
        if not answer.done():
            answer.set_result(body)


def _judge(fault: Exception) -> Exception:
    """Say what a caller is told of a fault before anything was written."""
    if isinstance(fault, FairnessError):
        message = "the source of randomness fails, and no game opens without: call again later"
        return refused(ServiceReason.RANDOMNESS_FAILED, message)
    return refusal_of(fault) or fault
