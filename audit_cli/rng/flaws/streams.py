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


def xorshift(seed: bytes, words: int) -> NDArray[np.uint8]:
    """F18: the 64-bit states behind V8's Math.random() (xorshift128+), 8 bytes each, low first."""
    state = tagged_hash("flaw", seed, b"F18")
    one, other = (int.from_bytes(state[at : at + 8], "little") for at in (0, 8))
    numbers = np.empty(words, dtype="<u8")
    for at in range(words):
        numbers[at] = one
        mixed = one ^ (one << 23) & _MASK
        mixed ^= mixed >> 17 ^ other ^ other >> 26
        one, other = other, mixed
    return numbers.view(np.uint8)


def mersenne(seed: bytes, words: int) -> NDArray[np.uint8]:
    """F19: the 32-bit numbers of a Mersenne Twister, MT19937, 4 bytes each, low first."""
    # Any state will do that is not all zero; PCG64 spreads the seed over its 624 words.
    spread = np.random.PCG64(int.from_bytes(tagged_hash("flaw", seed, b"F19"), "big"))
    key = spread.random_raw(312).astype("<u8").view("<u4").astype(np.uint32)
    source = np.random.MT19937()
    source.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 624}}
    return source.random_raw(words).astype("<u4").view(np.uint8)
