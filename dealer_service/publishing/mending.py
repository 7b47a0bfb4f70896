"""What a restored store lacks of the dealer's log, brought back from the publication folder.

A folder is not of the store's backup. What it shows is signed by the dealer's own key, so that its
lines are as good as the store's: with them the log is whole again, and goes on. Without, it would
be lost for ever, and the dealer's name with it.
"""

import hmac
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

import structlog

from dealer_service.publishing.edition import CannotPublish, Edition
from dealer_service.publishing.growing import Growth
from dealer_service.publishing.sequencing import FIRST_EPOCH, write_line
from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    Appended,
    LogAppend,
    LogState,
    Store,
    StoredNotice,
)

_PAGE: Final = 2_048
_ALL: Final = 2**31

_log = structlog.get_logger("publishing")


def mend(store: Store, edition: Edition) -> None:
    """Append what the folder shows and the store lacks; nothing where the two do not fit. Blocks.

    Notices that came back with the store, and whose lines are among these, wait no longer.
    CannotPublish where the folder is another dealer's; StoreError, OSError.
    """
    is_whole, head = edition.load(), store.head(DEALER_LOG)
    have = 0 if head is None else head.next_index
    shown = edition.shown
    if shown is None or not is_whole or have >= shown.size:
        return
    if head is not None and head.facts.state is LogState.LOST:
        return
    growth = Growth()
    for page in _pages(chain(store.every_line(DEALER_LOG), edition.lines(have, shown.size))):
        growth.add(page)
    if not hmac.compare_digest(growth.root(), shown.root):
        return
    epoch = FIRST_EPOCH if head is None else store.claim(DEALER_LOG)
    if epoch is None:
        return
    waiting = {write_line(one.log, one.notice): one for one in store.notices(_ALL)}
    at = have
    for page in _pages(edition.lines(have, shown.size)):
        _append(store, LogAppend(DEALER_LOG, at, epoch, page), waiting)
        at += len(page)
    _log.warning("dealer_log_mended", lines=at - have, size=at)


def _append(store: Store, change: LogAppend, waiting: dict[bytes, StoredNotice]) -> None:
    noticed = tuple(waiting.pop(line).id for line in change.lines if line in waiting)
    (result,) = store.append_all([Append((change,), noticed=noticed)])
    if not isinstance(result, Appended):
        message = f"the dealer's log could not be made whole: {type(result).__name__}"
        raise CannotPublish(message)


def _pages(lines: Iterator[bytes]) -> Iterator[tuple[bytes, ...]]:
    while page := tuple(islice(lines, _PAGE)):
        yield page
