"""What a dealer counts and measures, for Prometheus: one object with a registry of its own.

No label has values without bound: none is a game, a caller or a node, and nothing here is of a
card or a secret. What is counted as it happens costs a microsecond or two; sizes that are only of
interest when somebody asks are set just before (`tables/measuring.py`). Every name stands in
deploy/OPERATIONS.md.
"""

import platform
import time
from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from dealer_service.observe.incidents import WARNINGS
from dealer_service.observe.spreads import Spread, Spreads

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_CALL_SECONDS: Final = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0
)  # fmt: skip
_WRITE_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_LOG_SECONDS: Final = (0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 30.0, 300.0)
_PUBLISH_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_BATCH_UNITS: Final = (1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """The measurements of one dealer; a method for each thing that happens.

    Times are in seconds. Methods may be called from any thread, but each that measures how long
    something took from one alone.
    """

    def __init__(self, version: str = "") -> None:
        # When a counter began is of no use to anybody, and doubles what is sent.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._beaten_at: float | None = None
        self._add_play()
        self._add_calls()
        self._add_streams()
        self._add_store()
        self._add_cluster()
        self._add_health()
        self._add_archive()
        self._add_publishing()
        info = Info("cutcard_build", "The version that runs.", registry=self.registry)
        info.info({"version": version, "python": platform.python_version()})
        ProcessCollector(registry=self.registry)
        self.registry.register(WARNINGS)

    def text(self) -> bytes:
        """Give all of it in Prometheus' text format."""
        return generate_latest(self.registry)

    # What is played.

    def _add_play(self) -> None:
        self._hands = self._count(
            "hands", "Hands that ended: played, or void, by the reason that the log gives.", "end"
        )
        self._acts = self._count("acts", "Acts in turn, by what was done and by whom.", "act", "by")
        self._end_of: dict[str, Counter] = {}
        self._act_of: dict[tuple[str, str], Counter] = {}
        self._games = self._size(
            "games", "Games at this node: open, paused, closed (not yet revealed), halted.", "state"
        )
        self.players = self._size("players", "Seats taken at this node's games.")
        self._tournaments = self._size(
            "tournaments",
            "Tournaments at this node: registering, running, break, stopped, ending, halted.",
            "state",
        )
        self.tournament_players = self._size(
            "tournament_players", "Players that are in this node's tournaments."
        )
        self.held = self._size(
            "tables_held", "Tables whose cards wait until their deck stands in the dealer's log."
        )
        self._log_wait = self._spread(
            "log_wait_seconds",
            "How long cards waited until their deck stood in the dealer's log.",
            _LOG_SECONDS,
        )

    def hand_ended(self, end: str) -> None:
        """Count a hand: "played", or why it is void."""
        child = self._end_of.get(end)
        if child is None:
            child = self._end_of[end] = self._hands.labels(end)
        child.inc()

    def acted(self, act: str, by: str) -> None:
        """Count an act in turn."""
        child = self._act_of.get((act, by))
        if child is None:
            child = self._act_of[act, by] = self._acts.labels(act, by)
        child.inc()

    def waited_for_log(self, seconds: float) -> None:
        """Measure how long a hand's cards waited for the dealer's log."""
        self._log_wait.observe(seconds)

    def set_games(self, games: Mapping[str, int]) -> None:
        """Set how many games are in each state."""
        for state, count in games.items():
            self._games.labels(state).set(count)

    def set_tournaments(self, tournaments: Mapping[str, int]) -> None:
        """Set how many tournaments are in each state."""
        for state, count in tournaments.items():
            self._tournaments.labels(state).set(count)

    # What is asked.

    def _add_calls(self) -> None:
        self._calls = Spreads(
            "cutcard_call_seconds",
            "Calls with one answer, from when they came to their answer, by method and status.",
            ("method", "status"),
            _CALL_SECONDS,
            self.registry,
        )
        self._refusals = self._count(
            "refusals", "Calls and streams refused, by method and reason.", "method", "reason"
        )

    def called(self, method: str, status: str, seconds: float) -> None:
        """Count a call with one answer ("PlayService/Act", "OK") and its length."""
        self._calls.of(method, status).observe(seconds)

    def refused(self, method: str, reason: str) -> None:
        """Count a refusal by its stable reason."""
        self._refusals.labels(method, reason).inc()

    # What is watched.

    def _add_streams(self) -> None:
        self._streams = self._size("streams", "Streams under way, by method.", "method")
        self._streams_ended = self._count(
            "streams_ended", "Streams that ended, by method and status.", "method", "status"
        )
        self.watchers = self._size("watchers", "Watchers of this node's games and tournaments.")
        self.backlog_messages = self._size(
            "watch_backlog_messages", "Messages that wait for the watcher that is furthest behind."
        )
        self.backlog_bytes = self._size(
            "watch_backlog_bytes", "Bytes that wait for the watcher that has most to read."
        )
        self.backlog_age = self._size(
            "watch_backlog_age_seconds", "How long the oldest message waits for its watcher."
        )

    def stream_began(self, method: str) -> None:
        """Count a stream in."""
        self._streams.labels(method).inc()

    def stream_ended(self, method: str, status: str) -> None:
        """Count a stream out."""
        self._streams.labels(method).dec()
        self._streams_ended.labels(method, status).inc()

    # What is written.

    def _add_store(self) -> None:
        self._append = self._spread(
            "append_seconds",
            "Units of a game, from when they were queued until they were durable.",
            _WRITE_SECONDS,
        )
        self._batch = self._spread(
            "append_batch_units", "Units that were written in one go.", _BATCH_UNITS
        )
        self._write = self._spread(
            "store_write_seconds", "Batches, from when the store took them to durable there.",
            _WRITE_SECONDS,
        )  # fmt: skip
        self._sync = self._spread(
            "journal_sync_seconds",
            "Writes of the signed journal, until they were on disk.",
            _WRITE_SECONDS,
        )
        self.store_failures = self._count(
            "store_failures", "Failures of the store or the signed journal that end the process."
        )
        self.appends_waiting = self._size(
            "appends_waiting", "Units that are queued and not durable yet."
        )

    def written(self, waits: Iterable[float], units: int, write: float, sync: float | None) -> None:
        """Measure a batch that is durable: each unit's wait, the store's and the journal's time.

        `sync` is None where nothing was signed.
        """
        observe = self._append.observe
        for wait in waits:
            observe(wait)
        self._batch.observe(units)
        self._write.observe(write)
        if sync is not None:
            self._sync.observe(sync)

    # The dealer among others.

    def _add_cluster(self) -> None:
        self.takeovers = self._count(
            "takeovers", "Games that were taken over from a node that left or died."
        )
        self.fencings = self._count(
            "fencings", "Games that another node took over while this one still had them."
        )
        self._beat_age = self._size(
            "beat_age_seconds", "Since the lease was last renewed; 0 for a dealer alone."
        )

    def beaten(self) -> None:
        """Note that the lease was renewed just now."""
        self._beaten_at = time.monotonic()

    # Health.

    def _add_health(self) -> None:
        self._serving = self._size(
            "serving", "1 where a service says SERVING to health checks, else 0.", "service"
        )
        self.entropy_healthy = self._size(
            "entropy_healthy", "1 while the source of randomness passes its checks, else 0."
        )
        self.entropy_healthy.set(1)
        self.entropy_failures = self._count(
            "entropy_failures", "Draws that the source of randomness failed."
        )
        self.halted = self._count("tables_halted", "Tables that a fault of the dealer halted.")
        self.loop_lag = self._size(
            "loop_lag_seconds", "How long the event loop took to come to this look at it."
        )
        self._certificate_expires = self._size(
            "certificate_expires_seconds",
            "When the TLS certificate in use runs out, in seconds since 1970; 0 without TLS.",
        )
        self._disk_free = self._size(
            "disk_free_bytes",
            "Bytes that the dealer may still write, by what they are for.",
            "place",
        )
        self._disk_size = self._size(
            "disk_size_bytes", "Bytes of that disk in all, by what they are for.", "place"
        )

    def set_serving(self, service: str, *, serving: bool) -> None:
        """Set what a service says to health checks; "dealer" is the whole."""
        self._serving.labels(service).set(serving)

    def set_certificate(self, expires: float) -> None:
        """Set when the certificate in use runs out, in seconds since 1970."""
        self._certificate_expires.set(expires)

    def set_disk(self, place: str, free: int, size: int) -> None:
        """Set how much of a disk is free, and how large it is, in bytes."""
        self._disk_free.labels(place).set(free)
        self._disk_size.labels(place).set(size)

    # Finished games.

    def _add_archive(self) -> None:
        self.filed = self._count("archive_files", "Files of finished games that were written.")
        self.archive_failures = self._count(
            "archive_failures", "Files of finished games that could not be written or did not hold."
        )
        self.archive_pending = self._size(
            "archive_pending", "Finished games whose file is still to be written, when last seen."
        )
        self.forgotten = self._count(
            "archive_forgotten", "Finished games that the store forgot, as their file holds them."
        )

    # The dealer's log.

    def _add_publishing(self) -> None:
        self.log_lines = self._size(
            "log_lines", "Lines of the dealer's log that this dealer's folder shows to the world."
        )
        self.log_owned = self._size(
            "log_owned", "1 while this dealer is the one that writes the dealer's log, else 0."
        )
        self.publish_failures = self._count(
            "publish_failures", "Times that the dealer's log could not be published, so far."
        )
        self._noted = self._count(
            "log_notices", "Notices of games that came into the dealer's log."
        )
        self._publish = self._spread(
            "publish_seconds",
            "Batches of the dealer's log, from when they were begun until they were published.",
            _PUBLISH_SECONDS,
        )

        self._witnesses = self._count(
            "witness_requests",
            "Times that a witness was asked to co-sign, by its name in the policy and the outcome.",
            "witness",
            "outcome",
        )
        self._witness = self._spread(
            "witness_seconds", "How long witnesses took to answer.", _PUBLISH_SECONDS
        )
        self._quorum = self._spread(
            "quorum_seconds",
            "How long checkpoints of the dealer's log waited for co-signatures.",
            _PUBLISH_SECONDS,
        )
        self.quorums_missed = self._count(
            "quorums_missed", "Checkpoints that were first shown without a quorum's co-signatures."
        )

    def witness_asked(self, witness: str, outcome: str, seconds: float) -> None:
        """Count a question to a witness, by what came of it, and its length."""
        self._witnesses.labels(witness, outcome).inc()
        self._witness.observe(seconds)

    def quorum_sought(self, seconds: float, *, found: bool) -> None:
        """Measure how long a checkpoint waited for co-signatures; count where that was in vain."""
        self._quorum.observe(seconds)
        if not found:
            self.quorums_missed.inc()

    def published(self, notices: int, seconds: float) -> None:
        """Measure a batch of the dealer's log that the world can see."""
        self._noted.inc(notices)
        self._publish.observe(seconds)

    def measure_now(self) -> None:
        """Set what depends on the time alone."""
        if self._beaten_at is not None:
            self._beat_age.set(time.monotonic() - self._beaten_at)

    def _count(self, name: str, words: str, *labels: str) -> Counter:
        return Counter(f"cutcard_{name}", words, labels, registry=self.registry)

    def _size(self, name: str, words: str, *labels: str) -> Gauge:
        return Gauge(f"cutcard_{name}", words, labels, registry=self.registry)

    def _spread(self, name: str, words: str, bounds: tuple[float, ...]) -> Spread:
        return Spreads(f"cutcard_{name}", words, (), bounds, self.registry).of()
