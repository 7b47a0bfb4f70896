"""Whether the store still holds all that was signed, told by the signed journal.

A store ahead of the journal is what a crash between the two leaves. One behind it was restored
from a backup, or is another store: the dealer does not start on it unless the operator accepts
that. Then a log which still has the lines up to its last signed size, with the root that was
signed, can be closed; any other is lost: never appended to or signed again (protocol section 6).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

from dealer_service.store.api import LogHead, LostLog, SignedAt


@unique
class Standing(StrEnum):
    """How the store's record of a log compares with the journal's."""

    EQUAL = "equal"
    STORE_AHEAD = "store_ahead"
    STORE_BEHIND = "store_behind"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A log's standing, what each of the two last knew as signed, and the lines in the store."""

    log: str
    standing: Standing
    journal: SignedAt | None
    store: SignedAt | None
    next_index: int


def compare(journal: Mapping[str, SignedAt], heads: Iterable[LogHead]) -> tuple[Verdict, ...]:
    """Compare every log of both; the same size with another root counts as behind."""
    verdicts = []
    unseen = dict(journal)
    for head in heads:
        known = unseen.pop(head.log, None)
        verdicts.append(
            Verdict(head.log, _standing(known, head.signed), known, head.signed, head.next_index)
        )
    verdicts.extend(
        Verdict(log, Standing.STORE_BEHIND, known, None, 0) for log, known in unseen.items()
    )
    return tuple(verdicts)


def is_behind(journal: SignedAt | None, store: SignedAt | None) -> bool:
    """Say whether the store lacks what the journal knows as signed for a log."""
    return _standing(journal, store) is Standing.STORE_BEHIND


def lost_logs(
    verdicts: Iterable[Verdict], root_at: Callable[[str, int], bytes]
) -> tuple[LostLog, ...]:
    """Give the logs that do not reach their last signed size and root, to be marked as lost.

    `root_at` gives the Merkle root of a log's first lines in the store.
    """
    return tuple(
        LostLog(verdict.log, verdict.journal)
        for verdict in verdicts
        if verdict.standing is Standing.STORE_BEHIND
        and verdict.journal is not None
        and not _reaches(verdict, verdict.journal, root_at)
    )


def _standing(journal: SignedAt | None, store: SignedAt | None) -> Standing:
    if journal == store:
        return Standing.EQUAL
    if journal is None:
        return Standing.STORE_AHEAD
    if store is None or store.size <= journal.size:
        return Standing.STORE_BEHIND
    return Standing.STORE_AHEAD


def _reaches(verdict: Verdict, journal: SignedAt, root_at: Callable[[str, int], bytes]) -> bool:
    if verdict.next_index < journal.size:
        return False
    return root_at(verdict.log, journal.size) == journal.root
