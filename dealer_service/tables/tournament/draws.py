"""A tournament's draws: each secret is drawn and committed to one draw ahead (PROTOCOL.md 14.2).

At rest and in memory a secret is sealed; it is opened for the draw that uses it, whose line shows
it. What a draw gives is decided by the secret and the list alone.
"""

from dealer_service.fairness.draw import draw_commitment, draw_order, opens_draw_commitment
from dealer_service.fairness.randomness import draw_secret
from dealer_service.rules.tournament.step import DrawnOrder, Wanted
from dealer_service.store.api import SealedSecret
from dealer_service.tables.house import House


class Draws:
    """The draw that comes next: its number, its commitment, and its secret, sealed."""

    __slots__ = ("_house", "_next", "_tournament")

    def __init__(self, house: House, tournament: str, next_draw: SealedSecret) -> None:
        self._house = house
        self._tournament = bytes.fromhex(tournament)
        self._next = next_draw

    def opens(self, commitment: str) -> bool:
        """Say whether the next draw's secret is the one that a commitment is to."""
        number, secret = self._next.hand, self._secret()
        origin = self._house.origin
        return opens_draw_commitment(
            bytes.fromhex(commitment), origin, self._tournament, number, secret
        )

    def draw(self, wanted: Wanted) -> tuple[DrawnOrder, SealedSecret]:
        """Make the next draw, and give the sealed secret of the one behind it.

        Nothing has changed before `made`. FairnessError without randomness.
        """
        behind, commitment = draw_ahead(self._house, self._tournament, self._next.hand + 1)
        number, secret = self._next.hand, self._secret()
        origin = self._house.origin
        order = draw_order(
            origin,
            self._tournament,
            number,
            secret,
            draw_commitment(origin, self._tournament, number, secret),
            wanted.items,
        )
        return DrawnOrder(secret.hex(), order, commitment), behind

    def made(self, behind: SealedSecret) -> None:
        """Go on to the draw behind the one that was made."""
        self._next = behind

    def show(self) -> str:
        """Give the secret that no draw uses any more, in hex."""
        return self._secret().hex()

    def _secret(self) -> bytes:
        return self._house.sealer.unseal(self._tournament, self._next.hand, self._next.sealed)


def draw_ahead(house: House, tournament: bytes, draw: int) -> tuple[SealedSecret, str]:
    """Draw the secret of a draw and commit to it: sealed, and the commitment in hex.

    FairnessError without randomness.
    """
    secret = draw_secret(house.entropy)
    commitment = draw_commitment(house.origin, tournament, draw, secret)
    return SealedSecret(draw, house.sealer.seal(tournament, draw, secret)), commitment.hex()
