"""The discrete Fourier transform test: SP 800-22 section 2.6."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.fft import rfft

from audit_cli.rng.raw.figure import Figure

if TYPE_CHECKING:
    from audit_cli.rng.raw.figure import Bits

#: The variance of N_1 divided by n/2. The squared moduli add up to a constant (Parseval), so that
#: they are not independent: what their sum explains of each is taken off p (1 - p).
EXACT_VARIANCE: Final = 0.95 * 0.05 - (0.05 * math.log(20)) ** 2
#: The document's: n 0.95 0.05 / 4.
PRINTED_VARIANCE: Final = 0.95 * 0.05 / 2


def spectral(bits: Bits, variance: float = EXACT_VARIANCE) -> Figure:
    """2.6: how many of n/2 moduli stay below the 95 % height; counts are (N_1,)."""
    n = len(bits)
    transform = rfft(bits.astype(np.float64) * 2 - 1)[: n // 2]
    power = transform.real**2 + transform.imag**2
    below = int(np.count_nonzero(power < n * math.log(20)))
    d = (below - 0.95 * n / 2) / math.sqrt(n / 2 * variance)
    return Figure(d, math.erfc(abs(d) / math.sqrt(2)), (below,))
