"""Amounts as command lines write them: 1000, 64k, 10M, 1e6; k, M, G and T are powers of ten."""

from __future__ import annotations

import argparse
import re
from typing import Final

_AMOUNT: Final = re.compile(r"([0-9]{1,18})(?:e([0-9]{1,2}))?([kMGT]?)")
_LETTERS: Final = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_MOST: Final = 2**63 - 1


def amount(text: str) -> int:
    """Read an amount, 1 or more. ArgumentTypeError for text that is none."""
    match = _AMOUNT.fullmatch(text.replace("_", ""))
    value = 0
    if match is not None:
        value = int(match[1]) * 10 ** int(match[2] or 0) * _LETTERS[match[3]]
    if not 0 < value <= _MOST:
        message = f"{text[:40]!a} is no amount: give a number such as 1000, 64k, 10M or 246G"
        raise argparse.ArgumentTypeError(message)
    return value


def amount_or_none(text: str) -> int:
    """Read an amount, 0 or more. ArgumentTypeError for text that is none."""
    return 0 if text == "0" else amount(text)
