"""Whether the store still holds all that was signed, told by the signed journal.

A store ahead of the journal is what a crash between the two leaves. One behind it was restored
from a backup, or is another store: the dealer does not start on it unless the operator accepts
that. Then a log which still has the lines up to its last signed size, with the root that was
signed, can be closed; any other is lost: never appended to or signed again (protocol section 6).

Where dealers share a store, each has a journal of what it signed itself, and any of them may have
signed any log: so all journals together say how far a log was signed. Where one is missing, no
log that was going on can be proved whole, for its lines behind the backup may be just those that
this one knows of. All such logs are lost then, rather than that one of them is forked.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from hashlib import sha256
from typing import Final

from dealer_service.store.api import LogHead, LostLog, SignedAt

_NOTHING: Final = SignedAt(0, sha256(b"").digest())
"""Nothing signed: the root of no lines (RFC 6962 2.1)."""


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


def merge(
    journals: Iterable[Mapping[str, SignedAt]],
) -> tuple[dict[str, SignedAt], frozenset[str]]:
    """Give how far each log was signed by several journals, and the logs that two tell apart.

    Those have two roots at one size, which no journal of one store should: they are lost.
    """
    merged: dict[str, SignedAt] = {}
    apart = set()
    for journal in journals:
        for log, signed in journal.items():
            known = merged.setdefault(log, signed)
            if signed.size > known.size:
                merged[log] = signed
            elif signed.size == known.size and signed.root != known.root:
                apart.add(log)
    return merged, frozenset(apart)


def lost_logs(
    verdicts: Iterable[Verdict],
    root_at: Callable[[str, int], bytes],
    unproved: Container[str] = (),
) -> tuple[LostLog, ...]:
    """Give the logs that do not reach their last signed size and root, to be marked as lost.

    `root_at` gives the Merkle root of a log's first lines in the store. `unproved` are lost too,
    whatever they reach.
    """
    lost = []
    for verdict in verdicts:
        journal, store = verdict.journal, verdict.store
        if verdict.log in unproved:
            known = [signed for signed in (journal, store) if signed is not None]
            lost.append(LostLog(verdict.log, max(known, key=_size, default=_NOTHING)))
        elif (
            verdict.standing is Standing.STORE_BEHIND
            and journal is not None
            and not _reaches(verdict, journal, root_at)
        ):
            lost.append(LostLog(verdict.log, journal))
    return tuple(lost)


def _size(signed: SignedAt) -> int:
    return signed.size


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
