"""What each warning and error means, and what to do about it: for whoever is woken at night.

An event of these names carries its words as `hint`; deploy/OPERATIONS.md lists them. An event
that is logged at warning or above without an entry here is a defect.
"""

from collections.abc import Mapping
from typing import Final

from structlog.typing import EventDict

HINTS: Final[Mapping[str, str]] = {
    "archive_differs": (
        "The file of a finished game is not what the store holds: the disk or somebody changed it. "
        "The store forgets nothing of the game. Move the file away, and it is written anew."
    ),
    "archive_failed": (
        "Files of finished games can not be written, such as on a full disk. Nothing is lost: the "
        "store keeps the games, and it is tried again. Make room, or mend --archive."
    ),
    "call_failed": (
        "A fault of the dealer's own answered this call with INTERNAL. Nothing was changed by it. "
        "Keep the line and report it."
    ),
    "log_lost": (
        "The store lacks lines of this game that were signed, and the restore was accepted. The "
        "game is never played on; its players' records and checkpoints tell what it was."
    ),
    "metrics_are_public": (
        "Whoever reaches this address reads how much is played and refused here, though no card, "
        "secret or name. Let a firewall admit the collector alone."
    ),
    "randomness_failed": (
        "The source of randomness fails its checks. No hand opens until it passes; hands that are "
        "dealt play on. If it stays so, move the dealer to another machine."
    ),
    "store_failed": (
        "The store or the signed journal could not be written, and the process stops. All that was "
        "acknowledged is there. Look at disk and database, then start again."
    ),
    "store_slow": (
        "Nothing has become durable for seconds, and callers wait. Look at the disk, or at the "
        "database and the network to it. Nothing that was acknowledged is in danger."
    ),
    "table_halted": (
        "A fault of the dealer's own stopped this table; the others go on. What it acknowledged is "
        "kept. Keep the line and report it; a restart takes the game up where it stands."
    ),
    "thread_failed": (
        "A thread of the dealer ended by a fault of its own. Keep the line, report it, and restart "
        "the dealer when callers wait."
    ),
}
"""By event, in words for an operator."""

_TELLS: Final = frozenset({"warning", "error", "critical"})


def add_hint(_logger: object, _name: str, event: EventDict) -> EventDict:
    """Add what to do to an event that needs somebody."""
    if event.get("level") in _TELLS:
        hint = HINTS.get(str(event.get("event")))
        if hint is not None:
            event.setdefault("hint", hint)
    return event
