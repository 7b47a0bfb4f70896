"""The mix: one hash over the dealer's commitment, every player's link and the beacon.

Protocol section 3.6. The deck is derived from the hand's secret under the mix, so nobody who
lacks one of the links can know the deck, and the dealer cannot choose it after committing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from dealer_service.fairness.commitment import (
    LINK_BYTES,
    game_bytes,
    hand_bytes,
    labelled_hash,
    origin_bytes,
    player_bytes,
    u8,
    u64,
)
from dealer_service.fairness.refusal import FairnessError, Reason, require_length, require_range

BEACON_BYTES: Final = 32
MAX_SEAT: Final = 255


@dataclass(frozen=True, slots=True)
class Link:
    """One seat's 32 bytes for one hand; hidden from repr, as it may not be logged yet."""

    seat: int
    player: str
    link: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Beacon:
    """A round of a public randomness beacon: its chain (32 bytes), number and 32 bytes."""

    chain: bytes
    round: int
    randomness: bytes


def mix(  # noqa: PLR0913 - these are the inputs of the hash, in its order
    origin: str,
    game: bytes,
    hand: int,
    commitment: bytes,
    links: Iterable[Link],
    *,
    beacon: Beacon | None = None,
) -> bytes:
    """Hash the hand's inputs to 32 bytes; links may come in any order and are taken by seat.

    FairnessError for a bad name, number or length, SEAT_TWICE or PLAYER_TWICE where two links
    share a seat or a player.
    """
    require_length("the commitment", commitment, 32)
    ordered = sorted(links, key=lambda link: link.seat)
    _require_distinct(ordered)
    parts = [origin_bytes(origin), game_bytes(game), hand_bytes(hand), commitment]
    parts.append(u8(len(ordered)))
    for link in ordered:
        parts += (u8(link.seat), player_bytes(link.player), link.link)
    parts += _beacon_parts(beacon)
    return labelled_hash("mix", *parts)


def _require_distinct(links: list[Link]) -> None:
    seats: set[int] = set()
    players: set[str] = set()
    for link in links:
        require_range("a link's seat", link.seat, 1, MAX_SEAT)
        require_length(f"the link of seat {link.seat}", link.link, LINK_BYTES)
        if link.seat in seats:
            message = f"seat {link.seat} has two links; a seat gives one a hand"
            raise FairnessError(Reason.SEAT_TWICE, message)
        if link.player in players:
            message = f"the player in seat {link.seat} has two links; a player gives one a hand"
            raise FairnessError(Reason.PLAYER_TWICE, message)
        seats.add(link.seat)
        players.add(link.player)


def _beacon_parts(beacon: Beacon | None) -> tuple[bytes, ...]:
    if beacon is None:
        return (u8(0),)
    require_length("the beacon's chain", beacon.chain, BEACON_BYTES)
    require_length("the beacon's randomness", beacon.randomness, BEACON_BYTES)
    return (u8(1), beacon.chain, u64(beacon.round), beacon.randomness)
