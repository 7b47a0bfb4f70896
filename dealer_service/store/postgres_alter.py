"""Changes of a PostgreSQL store that are no appends: of secrets, of finished and of lost logs."""

from collections.abc import Sequence
from typing import Final

from dealer_service.store.api import LogState, LostLog, SealedSecret
from dealer_service.store.postgres_change import Changes, Transaction
from dealer_service.store.postgres_write import COUNT_LOGS, NEW_LOGS

_RESEAL: Final = (
    "UPDATE secrets SET sealed = %s"
    " WHERE log = (SELECT id FROM logs WHERE log = %s) AND hand = %s AND sealed = %s"
)
_LOSE: Final = (
    "UPDATE logs SET state = 'lost', epoch = epoch + 1, owner = '', incarnation = 0,"
    " signed_size = %s, signed_root = %s WHERE log = %s"
)
_FIND: Final = "SELECT id, state FROM logs WHERE log = %s FOR UPDATE"
_ARCHIVE: Final = (
    "UPDATE logs SET state = 'archived', epoch = epoch + 1, owner = '', incarnation = 0"
    " WHERE id = %s"
)
_OF_LOG: Final = ("lines", "checkpoints", "secrets", "spent")


def reseal(
    changes: Changes, log: str, old: SealedSecret, new: SealedSecret, patience: float
) -> bool:
    """Put a hand's secret under another key."""

    def reseal(begun: Transaction) -> bool:
        (written,) = begun.run((_RESEAL, (new.sealed, log, old.hand, old.sealed)))
        if written.rowcount == 0:
            begun.give_up()
        return written.rowcount == 1

    return changes.change(reseal, patience)


def archive(changes: Changes, log: str, patience: float) -> bool:
    """Forget all of a revealed log but its head and its movements."""

    def archive(begun: Transaction) -> bool:
        (found,) = begun.run((_FIND, (log,)))
        row = found.fetchone()
        if row is None or row[1] != LogState.REVEALED:
            begun.give_up()
            return row is not None and row[1] == LogState.ARCHIVED
        number = row[:1]
        begun.run(
            (_ARCHIVE, number),
            *((f"DELETE FROM {table} WHERE log = %s", number) for table in _OF_LOG),  # noqa: S608 - a table's own name
            ("DELETE FROM answers WHERE scope = %s", (log,)),
        )
        return True

    return changes.change(archive, patience)


def mark_lost(changes: Changes, lost: Sequence[LostLog], patience: float) -> None:
    """Set logs to lost with what was last signed for each; unknown ones are made."""

    def lose(begun: Transaction) -> None:
        for one in lost:
            (found,) = begun.run((_FIND, (one.log,)))
            if found.fetchone() is None:
                (counted,) = begun.run((COUNT_LOGS, (1, 1)))
                row = counted.fetchone()
                assert row is not None
                begun.run((NEW_LOGS, ("", 0, [row[0] + 1], [one.log], [0])))
            begun.run((_LOSE, (one.signed.size, one.signed.root, one.log)))

    changes.change(lose, patience)
