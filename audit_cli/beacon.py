"""A drand network as its chain hash names it, and the round of a hand (protocol 2).

What a network serves of itself is believed when it gives the chain hash that the rules of a game
name. Quicknet's is built in.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256

from audit_cli.problem import Problem, printable

SCHEME = "bls-unchained-g1-rfc9380"
MAX_INFO = 16 * 1024
_LEAD = 6_000
_SIZES = {"public_key": 96, "groupHash": 32}
_RANGES = (("period", 1, 24 * 3600), ("genesis_time", 0, 2**40))
_INFINITY = 0x40
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class Network:
    """A drand network: genesis in seconds since 1970, period in seconds, name its beaconID."""

    public_key: bytes
    genesis: int
    period: int
    group_hash: bytes
    name: str

    @property
    def chain(self) -> str:
        """The chain hash, in hex."""
        hashed = sha256(self.period.to_bytes(4, "big") + self.genesis.to_bytes(8, "big"))
        hashed.update(self.public_key)
        hashed.update(self.group_hash)
        if self.name != "default":
            hashed.update(self.name.encode("ascii"))
        return hashed.hexdigest()

    def time_of(self, number: int) -> int:
        """Return when a round is due, in milliseconds since 1970; the first is at the genesis."""
        return 1000 * (self.genesis + (number - 1) * self.period)

    def round_of(self, opened_at: int) -> int:
        """Return the first round due six seconds after an opening (in milliseconds), or later."""
        since = opened_at + _LEAD - 1000 * self.genesis
        whole, rest = divmod(since, 1000 * self.period)
        return max(1, whole + (2 if rest else 1))


# The League of Entropy's quicknet, as drand-client 1.4.2 has it in lib/defaults.ts.
QUICKNET = Network(
    public_key=bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
        "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
        "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    genesis=1_692_803_367,
    period=3,
    group_hash=bytes.fromhex("f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"),
    name="quicknet",
)


def parse_network(data: bytes) -> Network | Problem:
    """Read chain information as a drand network serves it (`/info`)."""
    try:
        body = json.loads(data) if len(data) <= MAX_INFO else None
    except (ValueError, RecursionError):
        body = None
    if type(body) is not dict:
        return Problem("no chain information", "a drand network serves it as JSON at /info")
    metadata = body.get("metadata")
    name = (metadata if type(metadata) is dict else body).get("beaconID")
    wrong = _find_wrong(body, name)
    if wrong is not None:
        return Problem(f"chain information {wrong}")
    network = Network(
        bytes.fromhex(body["public_key"]),
        body["genesis_time"],
        body["period"],
        bytes.fromhex(body["groupHash"]),
        str(name),
    )
    told = body.get("hash", network.chain)
    if told != network.chain:
        shown = printable(str(told))
        return Problem(f"chain information that has the hash {network.chain}, and tells {shown}")
    return network


def _find_wrong(body: dict[str, object], name: object) -> str | None:
    if body.get("schemeID") != SCHEME:
        return f"of another scheme than {SCHEME}"
    if type(name) is not str or not _NAME.fullmatch(name):
        return "without a beaconID"
    for part, size in _SIZES.items():
        value = body.get(part)
        if type(value) is not str or not re.fullmatch(f"(?:[0-9a-f]{{2}}){{{size}}}", value):
            return f"whose {part} is not {size} bytes in lower-case hex"
    for part, low, high in _RANGES:
        number = body.get(part)
        if type(number) is not int or not low <= number <= high:
            return f"whose {part} is no whole number from {low} to {high}"
    if bytes.fromhex(str(body["public_key"]))[0] & _INFINITY:
        return "whose public_key signs everything"
    return None
