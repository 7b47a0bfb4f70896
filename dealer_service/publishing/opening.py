"""Publishing as a dealer's settings ask for it."""

from collections.abc import Callable

from dealer_service.config import Settings
from dealer_service.observe.metrics import Metrics
from dealer_service.publishing.cosigning import Cosigning
from dealer_service.publishing.edition import CannotPublish, Edition
from dealer_service.publishing.finding import Index
from dealer_service.publishing.publication import Publication
from dealer_service.publishing.publishing import Means, Publishing
from dealer_service.store.api import DEALER_LOG, LogState, Store
from dealer_service.store.leases import leases_of
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.tables.house import Committer, Reader
from dealer_service.transcript.note import NoteSigner


def open_publishing(  # noqa: PLR0913 - what publishing is made of
    settings: Settings,
    store: Store,
    journal: SignedJournal,
    *,
    signer: NoteSigner,
    read: Reader,
    committer: Committer,
    cosigning: Cosigning,
    metrics: Metrics,
    failed: Callable[[BaseException], None],
    node: str,
) -> Publishing | None:
    """Open the publication folder; None where the settings name none.

    StoreError or OSError where the folder can not be used.
    """
    if settings.publication is None:
        return None
    publication = Publication(settings.publication)
    try:
        index = Index(settings.publication_index)
    except BaseException:
        publication.close()
        raise
    means = Means(
        signer=signer,
        read=read,
        committer=committer,
        edition=Edition(signer.verifier, publication, index),
        cosigning=cosigning,
        metrics=metrics,
        failed=failed,
        signed=lambda: journal.last.get(DEALER_LOG),
        accepts=settings.accept_restore,
        leases=leases_of(store),
        node=node,
        batch=settings.batch,
    )
    return Publishing(means)


def require_unpublished(store: Store) -> None:
    """Raise CannotPublish where the store has a log that goes on, and there is no folder."""
    head = store.head(DEALER_LOG)
    if head is not None and head.facts.state is not LogState.LOST:
        message = (
            "this dealer publishes its log, and must go on: what is missing from it is taken for "
            "hidden. Give --publication as before"
        )
        raise CannotPublish(message)
