"""What a node has: games alone, and tournaments, each with all of its tables.

Both are taken over, stopped and let go of in the same way. A table of a tournament is never
handled alone: who has one of its logs has all of them.
"""

from collections.abc import Callable

from dealer_service.store.api import SignedAt, Store
from dealer_service.tables.floor import Floor
from dealer_service.tables.house import House
from dealer_service.tables.recovery import Recovered, recover
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.recovery import RecoveredTournament, recover_tournament
from dealer_service.tables.tournament.tournament import Tournament

Owned = Table | Tournament
"""What is had as one; its `game` is the name by which it is claimed and released."""


def find_owned(floor: Floor) -> tuple[Owned, ...]:
    """Give all that runs at a floor."""
    alone = (table for table in floor.tables if table.host is None)
    return (*alone, *floor.tournaments)


def tables_of(owned: Owned) -> tuple[Table, ...]:
    """Give a game's table, or all tables of a tournament."""
    return tuple(owned.tables.values()) if isinstance(owned, Tournament) else (owned,)


def running(floor: Floor, name: str) -> Owned | None:
    """Give what runs under a name; None where it is a table of a tournament, or nothing."""
    tournament = floor.running_tournament(name)
    if tournament is not None:
        return tournament
    table = floor.running(name)
    return table if table is not None and table.host is None else None


def remove(floor: Floor, owned: Owned) -> None:
    """Have a game, or a tournament with its tables, no longer."""
    if isinstance(owned, Tournament):
        floor.remove_tournament(owned)
    else:
        floor.remove(owned)


def place(floor: Floor, recovered: Recovered | RecoveredTournament) -> Owned:
    """Give what was recovered its place; it is still to be started."""
    if isinstance(recovered, RecoveredTournament):
        return floor.place_tournament(recovered)
    return floor.place(recovered)


def recover_owned(
    house: House,
    store: Store,
    name: str,
    signed: Callable[[str], SignedAt | None],
    *,
    closes: bool = False,
) -> Recovered | RecoveredTournament | None:
    """Take over a game or a tournament, and make it ready to go on; blocks.

    `signed` gives what this dealer's journal knows of a log. Raises and gives None as
    `recovery.recover`.
    """
    head = store.head(name)
    if head is not None and head.is_tournament:
        return recover_tournament(house, store, name, signed, closes=closes)
    return recover(house, store, name, signed(name), closes=closes)
