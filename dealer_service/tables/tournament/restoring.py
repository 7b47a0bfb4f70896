"""How a tournament closes after an accepted restore: no hand of it is dealt any more.

An open hand is void, by the operator before its deck and by a fault of the dealer after it; then
every table closes as restored, and last the tournament (PROTOCOL.md 14.10).
"""

from collections.abc import Mapping

from dealer_service.rules.entry import CloseReason, VoidReason
from dealer_service.rules.table_state import Phase
from dealer_service.rules.tournament.directing import close_restored
from dealer_service.store.api import SignedAt
from dealer_service.tables.dealing import allowed
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.tournament import Tournament


async def close_tournament(tournament: Tournament, signed: Mapping[str, SignedAt]) -> None:
    """Close a tournament that was recovered to be closed, and is not started.

    `signed` is what the journal knows; a checkpoint that the store lacks is signed again first.
    """
    conduct = tournament.conduct
    last = signed.get(tournament.game)
    if last is not None and last.size > tournament.standing.checkpoint_size:
        joint = tournament.begin()
        conduct.log.sign(joint.own, last.size)
        tournament.submit(joint)
    tables = dict(sorted(tournament.tables.items()))
    for table in tables.values():
        sign_again(table, signed)
        void_open_hand(table)
    for number in tables:
        joint = tournament.begin()
        joint.close_table(number, CloseReason.RESTORED)
        tournament.submit(joint)
    joint = tournament.begin()
    joint.log(allowed(close_restored(conduct.state, joint.at, conduct.draws.show())))
    tournament.submit(joint)
    await tournament.stop()


def sign_again(table: Table, signed: Mapping[str, SignedAt]) -> None:
    """Sign what the journal knows as signed, where the store lacks the checkpoint."""
    last = signed.get(table.game)
    if last is not None and last.size > table.standing.checkpoint_size:
        unit = table.dealing.begin_unit()
        table.dealing.log.sign(unit, last.size)
        table.submit(unit)


def void_open_hand(table: Table) -> None:
    """Void the hand that is open, if one is."""
    dealing = table.dealing
    if dealing.state.phase is Phase.LINKS:
        table.submit(dealing.void_hand(VoidReason.OPERATOR, restoring=True))
    elif dealing.state.phase is Phase.PLAYING:
        table.submit(dealing.void_hand(VoidReason.DEALER_FAULT))
