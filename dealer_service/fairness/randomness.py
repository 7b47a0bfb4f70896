"""The only door to the operating system's random source, and the gate in that door.

Everything else in the dealer takes bytes, or an `Entropy`, as an argument. The dealer's is an
`EntropyGate`: it opens when the known-answer tests and the start-up tests have passed, tests every
byte that it gives (`health`), and shuts at the first answer that is short, comes again or fails a
test. What was shut opens only by passing all the tests of a start again; until then whoever asks
is refused at once, and no hand opens.
"""

import os
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha256
from typing import Final, NoReturn

from dealer_service.fairness.commitment import GAME_BYTES, SECRET_BYTES
from dealer_service.fairness.health import BEGIN, STARTUP_SAMPLES, Failing, follow
from dealer_service.fairness.known_answers import require_known_answers
from dealer_service.fairness.refusal import FairnessError, Reason

Entropy = Callable[[int], bytes]

REMEMBERED: Final = 4096
"""So many of the last answers may not come again."""

_COMPARED: Final = 12
_DIGEST_BYTES: Final = 12
_BEFORE_THE_TESTS: Final = "the random source has not been tested yet"


def operating_system(count: int) -> bytes:
    """Give `count` fresh bytes of the operating system's generator.

    OSError where it can not be read, NotImplementedError where there is none.
    """
    return os.urandom(count)


class EntropyGate:
    """An `Entropy` that gives the bytes of a source as long as they pass every test.

    Calls may come from several threads where `lock` is one. `told` is called with the fault, in
    the thread that met it, once each time the gate shuts. The gate keeps no answer: of the last
    ones it has digests, cut short, and the two bytes that `health` needs.
    """

    def __init__(
        self,
        source: Entropy,
        lock: AbstractContextManager[object],
        told: Callable[[FairnessError], None] = lambda _: None,
    ) -> None:
        self._source = source
        self._lock = lock
        self._told = told
        self._progress = BEGIN
        self._order: deque[bytes] = deque()
        self._recent: set[bytes] = set()
        self._fault: FairnessError | None = _failed(_BEFORE_THE_TESTS)

    @property
    def is_open(self) -> bool:
        """Whether the source passed every test so far."""
        return self._fault is None

    def __call__(self, count: int) -> bytes:
        """Give `count` fresh bytes; FairnessError ENTROPY_FAILED while the gate is shut."""
        with self._lock:
            if self._fault is not None:
                # A new one each time: an error gathers tracebacks.
                raise FairnessError(self._fault.reason, str(self._fault))
            try:
                return self._draw(count)
            except FairnessError as fault:
                self._fault = fault
                self._told(fault)
                raise

    def test(self) -> None:
        """Open the gate by the tests of a start, or raise the FairnessError of what fails.

        The known answers come first, then the first 1,024 samples (SP 800-90B 4.3), in answers as
        long as a hand's secret, of which none is handed out.
        """
        with self._lock:
            try:
                require_known_answers()
                self._progress = BEGIN
                for _ in range(STARTUP_SAMPLES // SECRET_BYTES):
                    self._draw(SECRET_BYTES)
            except FairnessError as fault:
                self._fault = fault
                raise
            self._fault = None

    def _draw(self, count: int) -> bytes:
        try:
            drawn = self._source(count)
        except (OSError, NotImplementedError) as error:
            why = getattr(error, "strerror", None) or str(error)
            _refuse(f"the random source can not be read: {why}")
        if len(drawn) != count:
            _refuse(f"the random source gave {len(drawn)} bytes where {count} were asked for")
        progress = follow(self._progress, drawn)
        if isinstance(progress, Failing):
            _refuse(f"the random source fails its health test: {progress}")
        self._progress = progress
        if count >= _COMPARED:
            self._require_new(sha256(drawn).digest()[:_DIGEST_BYTES])
        return drawn

    def _require_new(self, digest: bytes) -> None:
        if digest in self._recent:
            _refuse("the random source gave an answer again that it gave before")
        if len(self._order) == REMEMBERED:
            self._recent.remove(self._order.popleft())
        self._order.append(digest)
        self._recent.add(digest)


def draw_secret(entropy: Entropy) -> bytes:
    """Draw a fresh 32-byte secret for one hand (protocol section 3.1).

    FairnessError ENTROPY_FAILED when the source gives another number of bytes.
    """
    return _exactly(entropy, SECRET_BYTES)


def draw_game(entropy: Entropy) -> bytes:
    """Draw the 16 bytes that name a new game (protocol section 2)."""
    return _exactly(entropy, GAME_BYTES)


def _exactly(entropy: Entropy, count: int) -> bytes:
    drawn = entropy(count)
    if len(drawn) != count:
        _refuse(f"the random source gave {len(drawn)} bytes where {count} were asked for")
    return drawn


def _failed(message: str) -> FairnessError:
    return FairnessError(Reason.ENTROPY_FAILED, message)


def _refuse(message: str) -> NoReturn:
    raise _failed(message)
