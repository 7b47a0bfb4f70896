"""Which games a game goes on from: a token that is good for one of these is good for it, too.

So is one for its tournament, where it is a table of one.
"""

from functools import partial
from typing import Final

from dealer_service.store.api import Store
from dealer_service.tables.house import House

MAX_ANCESTORS: Final = 1_000
"""So many are looked at; a game that goes on for longer needs a new token in between."""


async def ancestors(house: House, game: str) -> tuple[str, ...] | None:
    """Give the games that a game goes on from, the nearest first; None where there is no such game.

    Of a tournament's table that is the tournament, which stands for a game.
    What is given for a game never changes.
    """
    return await house.read(partial(_ancestors, game=game))


def _ancestors(store: Store, *, game: str) -> tuple[str, ...] | None:
    head = store.head(game)
    if head is None:
        return None
    found = [head.owned_as] if head.owned_as != game else []
    while head is not None and head.facts.previous and len(found) < MAX_ANCESTORS:
        found.append(head.facts.previous)
        head = store.head(head.facts.previous)
    return tuple(found)
