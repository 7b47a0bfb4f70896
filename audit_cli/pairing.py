"""The signatures of a beacon: drand-verify says whether one holds, where that is installed.

It is an optional extra; this is the one module that imports it, when a signature is to be checked.
It panics on a public key that is no point of the curve, by an exception that is no `Exception`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit_cli.beacon import Network

    Verify = Callable[[Network, int, bytes], bool]

SIGNATURE_BYTES = 48
EXTRA = 'pip install "cutcard[beacon]"'
_INFINITY = 0x40


def load() -> Verify | None:
    """Return verify(network, round, signature); None where the extra is not installed."""
    try:
        from drand_verify import (  # noqa: PLC0415  (an optional extra, for this alone)
            verify_bls_unchained_g1_rfc9380,
        )
    except ImportError:
        return None

    def verify(network: Network, number: int, signature: bytes) -> bool:
        """Say whether the network signed that round so; False for what is no signature."""
        if len(signature) != SIGNATURE_BYTES or signature[0] & _INFINITY or number < 1:
            return False
        try:
            found = verify_bls_unchained_g1_rfc9380(
                number, signature.hex(), network.public_key.hex()
            )
        except ValueError:
            return False
        except BaseException as error:
            if type(error).__name__ == "PanicException":
                return False
            raise
        return bool(found == sha256(signature).hexdigest())

    return verify
