"""Whether a round is the network's: its BLS signature, checked by drand-verify, an extra.

drand-verify panics on a public key that is no point, by an exception that is no `Exception`;
lengths are looked at before it is asked (`Network`), and the rest is caught here.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import MAX_ROUND, SIGNATURE_BYTES, Network, Round

Verify = Callable[[Network, Round], bool]
"""verify(network, round): whether the signature is the network's for that number."""

_INFINITY: Final = 0x40


def open_verifier() -> Verify:
    """Give what checks signatures; BeaconError where the extra is not installed."""
    verify = find_verifier()
    if verify is None:
        message = "a beacon's signatures can not be checked: install cutcard[beacon]"
        raise BeaconError(message)
    return verify


def find_verifier() -> Verify | None:
    """Give what checks signatures; None where the extra is not installed."""
    try:
        import drand_verify  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    return partial(_verify, drand_verify.verify_bls_unchained_g1_rfc9380)


def _verify(check: Callable[[int, str, str], Any], network: Network, one: Round) -> bool:
    signature = one.signature
    if len(signature) != SIGNATURE_BYTES or not 1 <= one.number <= MAX_ROUND:
        return False
    if signature[0] & _INFINITY:
        return False
    try:
        randomness = check(one.number, signature.hex(), network.public_key.hex())
    except ValueError:
        return False
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        message = f"the public key of the network {network.name!r} is no point of its curve"
        raise BeaconError(message) from None
    return bool(randomness == one.randomness.hex())
