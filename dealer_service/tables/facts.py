"""What the store keeps beside a game's lines, for lists and for the operator's wallet.

References are the callers' own and are not published, so they are no part of the transcript.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dealer_service.rules.table_state import Phase, TableState
from dealer_service.store.api import LogFacts, LogState


@dataclass(frozen=True, slots=True)
class Meta:
    """The operator's reference of a game, and those of players whose cash-out is still to come."""

    reference: str = ""
    leaving: Mapping[str, str] = field(default_factory=dict, hash=False)

    def with_leaving(self, player: str, reference: str) -> "Meta":
        """Remember the reference of a player that leaves when the hand ends."""
        return replace(self, leaving={**self.leaving, player: reference})

    def without_leaving(self, player: str) -> "Meta":
        """Forget a player that has left."""
        rest = {name: text for name, text in self.leaving.items() if name != player}
        return replace(self, leaving=rest)


def facts_of(state: TableState, meta: Meta) -> LogFacts:
    """Give what lists want to know of a game, from its state."""
    previous = state.opened.previous
    return LogFacts(
        state=_log_state(state),
        meta=write_meta(meta),
        opened_at=state.opened_at,
        hands=state.hand,
        players=len(state.seats),
        previous=previous.game if previous else "",
        next=(state.closed.next or "") if state.closed else "",
        tournament=state.rules.tournament.tournament if state.rules.tournament else "",
    )


def write_meta(meta: Meta) -> bytes:
    """Write the meta as JSON."""
    value = {"leaving": dict(meta.leaving), "reference": meta.reference}
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode("ascii")


def read_meta(content: bytes) -> Meta:
    """Read what `write_meta` wrote; nothing gives the empty meta."""
    if not content:
        return Meta()
    value = json.loads(content)
    return Meta(value["reference"], value["leaving"])


def _log_state(state: TableState) -> LogState:
    if state.phase is Phase.REVEALED:
        return LogState.REVEALED
    if state.phase is Phase.CLOSED:
        return LogState.CLOSED
    return LogState.PAUSED if state.paused else LogState.OPEN
