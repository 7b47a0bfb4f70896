"""F18 and F19: generators whose decks look well, and whose next number anybody can work out.

They are linear over GF(2): every bit is the XOR of some bits of the state. No test of decks sees
that; the linear complexity of one bit of each number is at most the size of the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.hashing import tagged_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How many bits of state each has, which its complexity does not exceed.
XORSHIFT_BITS: Final = 128
MERSENNE_BITS: Final = 19_937

_MASK: Final = (1 << 64) - 1


def xorshift(seed: bytes, count: int) -> NDArray[np.uint8]:
    """F18: the top bit of each of `count` numbers of V8's Math.random(): xorshift128+'s state."""
    state = tagged_hash("flaw", seed, b"F18")
    one, other = (int.from_bytes(state[at : at + 8], "little") for at in (0, 8))
    bits = np.empty(count, dtype=np.uint8)
    for at in range(count):
        bits[at] = one >> 63
        mixed = one ^ (one << 23) & _MASK
        mixed ^= mixed >> 17 ^ other ^ other >> 26
        one, other = other, mixed
    return bits


def mersenne(seed: bytes, count: int) -> NDArray[np.uint8]:
    """F19: the top bit of each of `count` numbers of a Mersenne Twister, MT19937."""
    source = np.random.MT19937()
    key = np.frombuffer(tagged_hash("flaw", seed, b"F19"), "<u4")
    # Any state will do that is not all zero; 624 words of it are spread from the seed by PCG64.
    words = np.random.PCG64(int.from_bytes(key.tobytes(), "little")).random_raw(312)
    spread = words.astype("<u8").view("<u4").astype(np.uint32)
    source.state = {"bit_generator": "MT19937", "state": {"key": spread, "pos": 624}}
    bits: NDArray[np.uint8] = (source.random_raw(count) >> np.uint64(31)).astype(np.uint8)
    return bits
