"""The cutoffs of an entropy source's health tests, from alpha and entropy (SP 800-90B 4.4)."""

from __future__ import annotations

from math import comb


def repetition_cutoff(alpha_log2: int, bits: int) -> int:
    """Return the cutoff of the repetition count test: 1 + ceil(-log2(alpha) / H) (90B 4.4.1)."""
    return 1 - alpha_log2 // bits


def proportion_cutoff(alpha_log2: int, bits: int, window: int) -> int:
    """Return the cutoff of the adaptive proportion test, exactly (90B 4.4.2).

    1 + the least c with P(X <= c) >= 1 - alpha, X binomial of `window` trials at 2^-`bits`.
    """
    q = 2**bits
    # P(X > c) <= alpha, multiplied by q^window 2^-alpha_log2, is about whole numbers.
    above, bound = q**window - (q - 1) ** window, q**window
    c = 0
    while (above << -alpha_log2) > bound:
        c += 1
        above -= comb(window, c) * (q - 1) ** (window - c)
    return 1 + c
