"""The beacon's round in a deck, as a client sees it, where the rules of the game name a beacon.

PROTOCOL.md section 2. The randomness must be the hash of the signature. Of a network that the
client knows (quicknet is built in), the round must besides be the one that the opening asks for,
and the signature the network's where the extra `beacon` is installed to check it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dealer_service.beacon.rounds import QUICKNET, Network, Round
from dealer_service.beacon.signature import Verify, find_verifier

NETWORKS: Final = (QUICKNET,)
"""The networks that a client knows by itself."""

DATED_SECONDS: Final = 5.0
"""No link is given to an opening that is further from the client's own clock than this."""


@dataclass(frozen=True, slots=True)
class BeaconRule:
    """The chain (32 bytes) that the rules name, and what the client knows of its network."""

    chain: bytes
    network: Network | None = None
    verify: Verify | None = None


def beacon_rule(
    chain: bytes,
    networks: Sequence[Network] = NETWORKS,
    find: Callable[[], Verify | None] = find_verifier,
) -> BeaconRule:
    """Give the rule of a game that names `chain`."""
    network = next((one for one in networks if one.chain == chain), None)
    return BeaconRule(chain, network, None if network is None else find())


def find_fault(rule: BeaconRule, opened_at: int, logged: Mapping[str, Any]) -> str:
    """Say what is wrong with a logged round of a hand that opened then; nothing where it is right.

    `opened_at` is in milliseconds since 1970.
    """
    one = Round(logged["round"], bytes.fromhex(logged["signature"]))
    if logged["randomness"] != one.randomness.hex():
        return "the beacon's randomness is not the hash of its signature"
    if rule.network is None:
        return ""
    due = rule.network.round_of(opened_at)
    if one.number != due:
        return f"the beacon's round is {one.number}, and the opening asks for round {due}"
    if rule.verify is not None and not rule.verify(rule.network, one):
        return f"the signature of round {one.number} is not that of the beacon"
    return ""


def is_dated(opened_at: int, now: float) -> bool:
    """Say whether an opening (milliseconds) is of now (seconds), by the client's own clock.

    A beacon's round is known to all when it is out: an opening that tells an earlier time than
    its own could have been made for it.
    """
    return abs(opened_at / 1000 - now) <= DATED_SECONDS
