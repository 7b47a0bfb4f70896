"""Reads what a drand network serves: its chain information, and its rounds (JSON, hex in it)."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import (
    MAX_ROUND,
    QUICKNET,
    QUICKNET_CHAIN,
    SCHEME,
    SIGNATURE_BYTES,
    Network,
    Round,
)
from dealer_service.fairness.refusal import FairnessError

MAX_BYTES: Final = 16 * 1024
"""More than any of them takes."""

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")


def read_network(content: bytes) -> Network:
    """Read chain information, as `/info` gives it; BeaconError for anything else.

    Where it tells its hash, that must be the hash of what it tells.
    """
    body = _object(content, "chain information")
    scheme = body.get("schemeID")
    if scheme != SCHEME:
        message = f"the network's scheme is {scheme!r}, and {SCHEME} alone is known"
        raise BeaconError(message)
    metadata = body.get("metadata")
    name = metadata.get("beaconID") if isinstance(metadata, dict) else body.get("beaconID")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        message = "the chain information has no beaconID, which is part of the chain's hash"
        raise BeaconError(message)
    try:
        network = Network(
            public_key=_hex(body, "public_key"),
            genesis=_number(body, "genesis_time"),
            period=_number(body, "period"),
            group_hash=_hex(body, "groupHash"),
            name=name,
        )
    except FairnessError as error:
        raise BeaconError(str(error)) from None
    told = body.get("hash")
    if told is not None and told != network.chain.hex():
        message = f"the chain information tells the hash {told!r} and has {network.chain.hex()}"
        raise BeaconError(message)
    return network


def read_round(content: bytes) -> Round:
    """Read a round, as `/public/N` gives it; BeaconError for anything else.

    Where it tells its randomness, that must be the SHA-256 of the signature.
    """
    body = _object(content, "round")
    number, signature = _number(body, "round"), _hex(body, "signature")
    if not 1 <= number <= MAX_ROUND or len(signature) != SIGNATURE_BYTES:
        message = f"a round has a number from 1 and a signature of {SIGNATURE_BYTES} bytes"
        raise BeaconError(message)
    one = Round(number, signature)
    told = body.get("randomness")
    if told is not None and told != one.randomness.hex():
        message = f"the randomness of round {number} is not the SHA-256 of its signature"
        raise BeaconError(message)
    return one


def is_network(content: bytes) -> bool:
    """Say whether JSON is chain information rather than a round."""
    return "public_key" in _object(content, "line")


def known_network(chain: str) -> Network | None:
    """Give the network of a chain hash in hex, where it is built in."""
    return QUICKNET if chain == QUICKNET_CHAIN else None


def _object(content: bytes, what: str) -> Mapping[str, Any]:
    if len(content) > MAX_BYTES:
        message = f"the {what} is longer than {MAX_BYTES} bytes"
        raise BeaconError(message)
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        message = f"the {what} is no JSON object"
        raise BeaconError(message)
    return body


def _number(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"{name} is no whole number"
        raise BeaconError(message)
    return value


def _hex(body: Mapping[str, Any], name: str) -> bytes:
    value = body.get(name)
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        message = f"{name} is no lower-case hex"
        raise BeaconError(message)
    return bytes.fromhex(value)
