"""What a start finds in the store, held against all that was signed.

A dealer that has its store to itself compares it with its own journal. Where dealers share a store
a start does the same, and a node that saw a later state of the store does not join it either. With
`--accept-restore` the games are closed, and for that all that any node may have signed has to be
known:

- no other node may live: it would go on signing while this one judges;
- the journals of all nodes are needed, for each knows only what it signed itself. Which nodes
  there were say the store, this node's memory of it, and the journals. A log may have been taken
  over by any of them after the backup was made;
- where a journal is missing, every log that was going on is lost: that it is whole can not be
  shown, and closing it would sign a second history of it if it is not.

The dealer's own log is held against the journals as the games are, and lost as they are; where it
is whole it just goes on.

Other nodes remember the store's later state as well, and are started with `--accept-restore` once,
too. When others live by then and this node's own journal holds nothing that the store lacks, the
restore was accepted already, and it just joins them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from dealer_service.config import Settings
from dealer_service.membership import Membership
from dealer_service.store.api import DEALER_LOG, UNFINISHED, LogHead, LostLog, SignedAt, Store
from dealer_service.store.restore import Standing, Verdict, compare, lost_logs, merge
from dealer_service.store.signed_journal import Journalled, SignedJournal, read_journal
from dealer_service.transcript.merkle import Tree, leaf_hash

_log = structlog.get_logger("dealer")


class CannotStart(Exception):  # noqa: N818 - says what the dealer can not do
    """Why the dealer does not start; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Stock:
    """How far each log was signed by those whose journals are known.

    `closes` says that a restore was accepted: every game is closed that is not lost.
    """

    signed: Mapping[str, SignedAt]
    closes: bool


def take_stock(
    settings: Settings, store: Store, heads: Sequence[LogHead], journal: SignedJournal
) -> Stock:
    """Judge the store of one dealer, and mark what is lost. CannotStart."""
    verdicts = compare(journal.last, heads)
    if not settings.accept_restore:
        _refuse_behind(verdicts)
        return Stock(journal.last, closes=False)
    _lose(store, lost_logs(verdicts, partial(_root_at, store)))
    return Stock(journal.last, closes=True)


def take_shared_stock(
    settings: Settings,
    store: Store,
    heads: Sequence[LogHead],
    journal: SignedJournal,
    membership: Membership,
) -> Stock:
    """Judge a store that dealers share, for a node that has joined, and mark what is lost.

    CannotStart, or StoreError where the journal of another node can not be read.
    """
    if not settings.accept_restore:
        _refuse_behind(compare(journal.last, heads))
        return Stock(journal.last, closes=False)
    given = [_read_of_node(settings, path) for path in settings.cluster.journals]
    signed, apart = merge([journal.last, *(one.last for one in given)])
    verdicts = compare(signed, heads)
    if others := membership.others():
        own = compare(journal.last, heads)
        if membership.lacks_journal or _behind(own):
            message = (
                f"a restore can be accepted only while no other node lives, and {', '.join(others)}"
                " does: stop every node, then start one with --accept-restore and the journals of "
                "the others"
            )
            raise CannotStart(message)
        return Stock(journal.last, closes=False)
    missing = membership.missing(frozenset[str]().union(*(one.nodes for one in given)))
    unproved = frozenset(head.log for head in heads if head.facts.state in UNFINISHED)
    if missing:
        games_lost = len(unproved - {DEALER_LOG})
        _log.error("journals_missing", nodes=sorted(missing), games_lost=games_lost)
    lost = lost_logs(verdicts, partial(_root_at, store), apart | unproved if missing else apart)
    _lose(store, lost)
    return Stock(signed, closes=True)


def _read_of_node(settings: Settings, path: Path) -> Journalled:
    journal = read_journal(path, settings.origin)
    if not journal.nodes:
        message = f"the signed journal {path} is of no node of a shared store"
        raise CannotStart(message)
    return journal


def _behind(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [one for one in verdicts if one.standing is Standing.STORE_BEHIND]


def _refuse_behind(verdicts: Sequence[Verdict]) -> None:
    behind = _behind(verdicts)
    if not behind:
        return
    named = ", ".join(
        f"{_named(one.log)} (has {_count(one.next_index, 'line')}, signed to "
        f"{one.journal.size if one.journal else 0})"
        for one in behind[:5]
    )
    message = (
        f"the store lacks lines that were signed, in {_count(len(behind), 'log')}: "
        f"{named}. Bring "
        "back the newest store; or start once with --accept-restore, which voids open "
        "hands, closes the games that are whole, and lists the others as lost"
    )
    raise CannotStart(message)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _named(log: str) -> str:
    return "the dealer's own log" if log == DEALER_LOG else log


def _lose(store: Store, lost: Sequence[LostLog]) -> None:
    if not lost:
        return
    store.mark_lost(lost)
    for one in lost:
        if one.log == DEALER_LOG:
            _log.error("dealer_log_lost", signed_size=one.signed.size)
        else:
            _log.error("log_lost", game=one.log, signed_size=one.signed.size)


def _root_at(store: Store, log: str, size: int) -> bytes:
    tree = Tree()
    for line in store.every_line(log):
        if tree.size == size:
            break
        tree.append(leaf_hash(line))
    return tree.root(size)
