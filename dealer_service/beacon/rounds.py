"""Rounds of a public randomness beacon: a drand network, and which of its rounds a hand mixes in.

PROTOCOL.md section 2. A network is known by its chain hash alone, which the rules of a game name:
whatever says what the network's key and times are is believed when it gives that hash. Whether a
round's signature is the network's is checked elsewhere; here is what follows from it.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from dealer_service.fairness.refusal import FairnessError, Reason, require_length, require_range

SCHEME: Final = "bls-unchained-g1-rfc9380"
"""The one scheme that is known: no round before is signed, signatures in G1, hashed by RFC 9380."""
PUBLIC_KEY_BYTES: Final = 96
SIGNATURE_BYTES: Final = 48
GROUP_HASH_BYTES: Final = 32
LEAD_MS: Final = 6_000
"""A hand's round is the first that is due so long after its opening, or later."""
MAX_ROUND: Final = 2**53 - 1
"""As any number of a log."""
_MAX_TIME: Final = 2**40
_MAX_PERIOD: Final = 24 * 3600
_DEFAULT_NAME: Final = "default"
_INFINITY: Final = 0x40


@dataclass(frozen=True, slots=True)
class Round:
    """A round's number and the network's signature of it (48 bytes: a point of G1)."""

    number: int
    signature: bytes

    @property
    def randomness(self) -> bytes:
        """SHA-256 of the signature, 32 bytes."""
        return hashlib.sha256(self.signature).digest()


@dataclass(frozen=True, slots=True)
class Network:
    """A drand network: `genesis` in seconds since 1970, `period` in seconds, `name` its beaconID.

    FairnessError BAD_LENGTH or BAD_NUMBER for what can be no network's.
    """

    public_key: bytes
    genesis: int
    period: int
    group_hash: bytes
    name: str

    def __post_init__(self) -> None:
        """Refuse what no network has; a key that is no point at all is found by its first use."""
        require_length("the network's public key", self.public_key, PUBLIC_KEY_BYTES)
        require_length("the network's group hash", self.group_hash, GROUP_HASH_BYTES)
        require_range("the network's period", self.period, 1, _MAX_PERIOD)
        require_range("the network's genesis", self.genesis, 0, _MAX_TIME)
        if self.public_key[0] & _INFINITY:
            message = "the network's public key is the point at infinity, which signs everything"
            raise FairnessError(Reason.BAD_NUMBER, message)

    @property
    def chain(self) -> bytes:
        """The chain hash, 32 bytes, over all that the network is (drand's `Info.Hash`)."""
        name = b"" if self.name == _DEFAULT_NAME else self.name.encode()
        parts = (self.period.to_bytes(4, "big"), self.genesis.to_bytes(8, "big"))
        return hashlib.sha256(b"".join((*parts, self.public_key, self.group_hash, name))).digest()

    def due_at(self, number: int) -> int:
        """Give the time in milliseconds at which a round is due; round 1 is at the genesis."""
        return 1000 * (self.genesis + self.period * (number - 1))

    def first_due(self, at: int) -> int:
        """Give the first round that is due at the time `at` in milliseconds, or later."""
        since = at - 1000 * self.genesis
        return 1 if since <= 0 else 1 - (-since // (1000 * self.period))

    def round_of(self, opened_at: int) -> int:
        """Give the round that a hand mixes in which opened at that time, in milliseconds."""
        return self.first_due(opened_at + LEAD_MS)


QUICKNET: Final = Network(
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
"""The League of Entropy's quicknet, as drand-client 1.4.2 has it in lib/defaults.ts."""
QUICKNET_CHAIN: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
"""Its chain hash, as its operators publish it."""
