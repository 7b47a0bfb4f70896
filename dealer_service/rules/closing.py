"""How a game closes, goes on in another, and reveals (sections 6.2 and 7)."""

from collections.abc import Mapping

from dealer_service.rules.entry import (
    CarriedSeat,
    CloseReason,
    GameClosed,
    GameOpened,
    Previous,
    SecretRevealed,
)
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import (
    MAX_FREE_VOIDS,
    Phase,
    TableState,
    may_close_by,
    player_stacks,
    secrets_due,
)


def close_game(
    state: TableState, reason: CloseReason, next_game: str | None = None
) -> tuple[GameClosed] | Refusal:
    """Close a game between hands: every seat is cashed out, or carried to `next_game`.

    A tournament's table closes with its tournament alone, or when it was restored.
    """
    if state.closed is not None:
        return Refusal(TableReason.GAME_CLOSED, "the game has closed already")
    if reason not in may_close_by(state.rules) or (state.rules.tournament and next_game):
        message = f"it closes by {' or '.join(sorted(may_close_by(state.rules)))} alone"
        return Refusal(TableReason.TOURNAMENT_TABLE, message)
    if state.phase is not Phase.WAITING:
        message = f"a game closes between hands: wait until hand {state.hand} has ended"
        return Refusal(TableReason.HAND_OPEN, message, {"hand": state.hand})
    if state.voids > MAX_FREE_VOIDS and reason is not CloseReason.RESTORED:
        message = 'after a third void of the dealer\'s own a game closes as "restored"'
        return Refusal(TableReason.RESTORED, message, {"voids": state.voids})
    return (GameClosed(reason, player_stacks(state), next_game),)


def open_successor(state: TableState, size: int, root: str) -> tuple[GameOpened] | Refusal:
    """Open the game that a closed one names, with the same rules, seats and stacks.

    `size` and `root` are those of the closed game's log up to and with its `game_closed`.
    """
    closed = state.closed
    if closed is None or closed.next is None:
        message = "only a closed game that names the next one goes on"
        return Refusal(TableReason.NO_SUCCESSOR, message)
    previous = Previous(
        game=state.opened.game,
        size=size,
        root=root,
        button=state.button,
        button_stays=state.button_stays,
        seats=tuple(
            CarriedSeat(
                number,
                seat.player,
                seat.stack,
                seat.sitting_out,
                seat.anchor is not None,
                house=seat.house or None,
            )
            for number, seat in state.seats.items()
        ),
    )
    before = state.opened
    return (GameOpened(before.suite, before.origin, closed.next, before.rules, previous),)


def reveal(state: TableState, secrets: Mapping[int, str]) -> tuple[SecretRevealed, ...] | Refusal:
    """Reveal the secrets, by hand, of all hands that are still to be revealed."""
    if state.phase is Phase.REVEALED:
        return ()
    if state.phase is not Phase.CLOSED:
        return Refusal(TableReason.GAME_RUNNING, "secrets are revealed when the game has closed")
    due = secrets_due(state)
    lacking = [hand for hand in due if hand not in secrets]
    if lacking:
        message = f"the secret of hand {lacking[0]} is not known"
        return Refusal(TableReason.SECRET_UNKNOWN, message, {"hand": lacking[0]})
    return tuple(SecretRevealed(hand, secrets[hand]) for hand in due)


def reveal_deadline(state: TableState) -> int | None:
    """Give the latest time of a closed game's last reveal."""
    if state.phase is not Phase.CLOSED:
        return None
    return state.closed_at + state.rules.reveal.within_ms
