"""Measures what the committer wrote, and traces it where traces are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dealer_service.observe.metrics import Metrics
from dealer_service.observe.tracing import Tracing


class Batch(Protocol):
    """A batch that is durable, in the committer's words; times are of `time.perf_counter`."""

    @property
    def queued(self) -> Sequence[tuple[float, object]]:
        """When each unit was submitted, and its mark."""
        ...

    @property
    def began(self) -> float:
        """When its write began."""
        ...

    @property
    def stored(self) -> float:
        """When the store had it."""
        ...

    @property
    def synced(self) -> float | None:
        """When the signed journal had it; None where nothing was signed."""
        ...


@dataclass(frozen=True, slots=True)
class Witness:
    """The committer's witness."""

    metrics: Metrics
    tracing: Tracing | None

    def mark(self) -> object:
        """Remember the call that a unit is of."""
        return None if self.tracing is None else self.tracing.mark()

    def written(self, batch: Batch) -> None:
        """Take note of a batch."""
        ends = batch.stored if batch.synced is None else batch.synced
        self.metrics.written(
            [ends - queued for queued, _ in batch.queued],
            len(batch.queued),
            batch.stored - batch.began,
            None if batch.synced is None else batch.synced - batch.stored,
        )
        if self.tracing is not None:
            marks = [mark for _, mark in batch.queued]
            self.tracing.commit(marks, batch.began, batch.stored, batch.synced)
