"""Ways in which a dealer could break its word, to show that the harness sees each of them."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from dealer_service import taking_stock
from dealer_service.fairness import deck
from dealer_service.store import signed_journal, sqlite
from dealer_service.store.api import Append, Appended, AppendResult, SignedAt
from dealer_service.tables import custody, recovery
from tests.chaos.faked import put


def acknowledge_early() -> None:
    """Say of units that they are written which are only written together with the next ones."""
    kind: Any = sqlite.SqliteStore
    journal: Any = signed_journal.SignedJournal
    append_all, record = kind.append_all, journal.record
    held: list[Append] = []
    known: dict[str, SignedAt] = {}

    def append_later(store: Any, appends: Sequence[Append]) -> list[AppendResult]:
        written, held[:] = list(held), list(appends)
        if written:
            append_all(store, written)
        return [Appended(tuple(1 for _ in append.movements)) for append in appends]

    def record_later(one: Any, signed: Mapping[str, SignedAt]) -> None:
        record(one, dict(known))
        known.clear()
        known.update(signed)

    put(kind, "append_all", append_later)
    put(journal, "record", record_later)


def deal_again() -> None:
    """Take another deck for the open hand at a start, and say that it is the committed one."""

    class Another(custody.Custody):
        def fix(self, mixed: bytes) -> deck.SealedDeck:
            committed = super().fix(mixed)
            self.deck = deck.derive(sha256(self.secret).digest(), mixed)
            self.faces = custody.Faces(self.deck)
            return committed

    put(recovery, "Custody", Another)


def keep_no_answers() -> None:
    """Forget what was asked: what is asked again is done again."""
    kind: Any = sqlite.SqliteStore
    append_all = kind.append_all

    def append_without(store: Any, appends: Sequence[Append]) -> list[AppendResult]:
        bare = [Append(one.logs, one.movements) for one in appends]
        results: list[AppendResult] = append_all(store, bare)
        return results

    put(kind, "append_all", append_without)


def trust_any_store() -> None:
    """Take any store for the newest one."""
    put(taking_stock, "_refuse_behind", lambda _verdicts: None)
    put(recovery, "is_behind", lambda *_given: False)


WAYS: Final[dict[str, Callable[[], None]]] = {
    "acknowledge_early": acknowledge_early,
    "deal_again": deal_again,
    "keep_no_answers": keep_no_answers,
    "trust_any_store": trust_any_store,
}
