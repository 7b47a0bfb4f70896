"""What is asked of a tournament: decided at once, or at the end of the hand that it waits for.

A change has its answer when its unit is durable. One that only an open hand stands in the way of
waits, in the order of asking, and is decided again when a hand has ended.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament.entering import Answer as Decided
from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.store.api import Answer
from dealer_service.tables.part import Then
from dealer_service.tables.refused import Refused, ServiceReason, moving, refused
from dealer_service.tables.requests import Pending, Request, Requests
from dealer_service.tables.table import MOST_WAITING
from dealer_service.tables.tournament.conduct import Conduct
from dealer_service.tables.tournament.joint import Joint
from dealer_service.tables.written import Overtaken, store_failed

Decide = Callable[[TournamentState, int], Decided]
"""decide(state, at): the entries of the time `at` that a change makes, or why it is refused."""
Encode = Callable[[tuple[TournamentEntry, ...], TournamentState, int], bytes]
"""encode(entries, the state behind them, the log's size): the answer's bytes."""


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody asked for; `waits` says of a refusal that a hand's end may lift it."""

    request: Request
    answer: Pending = field(repr=False)
    decide: Decide
    encode: Encode
    reference: str
    waits: Callable[[Refusal], bool]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A change that waits for the end of a table's hand; for that of all where `table` is 0."""

    change: Change
    table: int


class Changes:
    """The changes of one tournament.

    `begin()` begins a unit, and `write(joint, answer, then)` sends one, with what is due then.
    """

    __slots__ = ("_begin", "_conduct", "_requests", "_waiting", "_write")

    def __init__(
        self,
        conduct: Conduct,
        requests: Requests,
        begin: Callable[[], Joint],
        write: Callable[[Joint, Answer, Then], None],
    ) -> None:
        self._conduct = conduct
        self._requests = requests
        self._begin = begin
        self._write = write
        self._waiting: deque[_Waiting] = deque()

    @property
    def tables(self) -> frozenset[int]:
        """The tables at whose hands' ends changes wait; 0 stands for all."""
        return frozenset(one.table for one in self._waiting)

    def take_waiting(self) -> list[Change]:
        """Give all that waits, in its order, to be made now or to wait again."""
        waiting = [one.change for one in self._waiting]
        self._waiting.clear()
        return waiting

    def make(self, change: Change) -> None:
        """Decide a change now; it may come to wait."""
        joint = self._begin()
        try:
            entries = change.decide(self._conduct.state, joint.at)
        except Exception as fault:  # noqa: BLE001 - deciding changes nothing, so only this one fails
            self._refuse(change, fault)
            return
        if isinstance(entries, Refusal):
            self._put_off(change, entries)
            return
        joint.log(entries, change.reference)
        body = change.encode(entries, self._conduct.state, self._conduct.log.size)
        request = change.request
        scope = self._requests.scope
        stored = Answer(scope, request.caller, request.request_id, request.digest, body)
        self._write(joint, stored, partial(self._answered, change, body))

    def end(self, refusal: Refused) -> None:
        """Let go of all that waits."""
        for change in self.take_waiting():
            if not change.answer.done():
                change.answer.set_exception(refusal)

    def _put_off(self, change: Change, refusal: Refusal) -> None:
        if not change.waits(refusal):
            self._refuse(change, Refused(refusal))
        elif len(self._waiting) >= MOST_WAITING:
            message = f"{MOST_WAITING} changes wait for a hand's end already: ask when it is over"
            numbers = {"waiting": MOST_WAITING}
            self._refuse(change, refused(ServiceReason.TOO_MANY_WAITING, message, numbers))
        else:
            self._waiting.append(_Waiting(change, refusal.numbers.get("table", 0)))

    def _refuse(self, change: Change, fault: Exception) -> None:
        self._requests.forget(change.request)
        if not change.answer.done():
            change.answer.set_exception(fault)

    def _answered(self, change: Change, body: bytes, fault: BaseException | None) -> None:
        if fault is None:
            self._requests.answered(change.request)
            if not change.answer.done():
                change.answer.set_result(body)
            return
        overtaken = self._conduct.house.is_shared and isinstance(fault, Overtaken)
        self._refuse(change, moving() if overtaken else store_failed())
