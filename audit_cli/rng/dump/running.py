"""A generator that runs on: CTR_DRBG without reseed, asked for 65,536 bytes a request.

It begins with the seed of a hand's stream, so that its first 1,024 bytes are that hand's. Each
request is the longest that SP 800-90A allows (table 3), and the state is replaced after each, as
after every Generate (10.2.1.5.1, step 6); hand i of the stream takes bytes 1,024 i and on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from audit_cli import drbg
from audit_cli.derive import STREAM_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

REQUEST: Final = drbg.MAX_REQUEST
HANDS_A_REQUEST: Final = REQUEST // STREAM_BYTES
REQUESTS_A_BLOCK: Final = 4
"""So many are made before they are written: what fits a processor's nearest memory is fastest."""

_WRAP: Final = 2**128
_ZEROS: Final = bytes(REQUEST)
_STATE_ZEROS: Final = bytes(drbg.SEED_BYTES)


class Running:
    """The generator, and what it gives next."""

    __slots__ = ("_state",)

    def __init__(self, seed: bytes) -> None:
        self._state = drbg.instantiate(seed)

    def __repr__(self) -> str:
        """Tell nothing of the state."""
        return "Running()"

    def skip(self, requests: int) -> None:
        """Let so many requests pass."""
        for _ in range(requests):
            _, self._state = drbg.generate(self._state, REQUEST)

    def fill(self, room: memoryview) -> None:
        """Answer as many requests as there is room for, whole ones."""
        for start in range(0, len(room), REQUEST):
            state = self._state
            counter = ((int.from_bytes(state.v, "big") + 1) % _WRAP).to_bytes(16, "big")
            cipher = Cipher(algorithms.AES(state.key), modes.CTR(counter)).encryptor()
            cipher.update_into(_ZEROS, room[start : start + REQUEST])
            # The next three blocks of the same counter are what the state becomes.
            after = cipher.update(_STATE_ZEROS)
            self._state = drbg.State(after[:32], after[32:])


def running_streams(seed: bytes, skip: int) -> Iterator[NDArray[np.uint8]]:
    """Give the streams of hands `skip`, … of a running generator, (n, 1024), without end.

    Each array is overwritten by the next.
    """
    generator = Running(seed)
    requests, hands = divmod(skip, HANDS_A_REQUEST)
    generator.skip(requests)
    room = bytearray(REQUEST * REQUESTS_A_BLOCK)
    rows = np.frombuffer(room, np.uint8).reshape(-1, STREAM_BYTES)
    view = memoryview(room)
    while True:
        generator.fill(view)
        yield rows[hands:]
        hands = 0
