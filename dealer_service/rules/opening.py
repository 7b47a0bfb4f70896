"""When a hand opens, with what, and how it gets its deck or ends void (sections 2, 6.2, 7, 8)."""

from collections.abc import Mapping

from dealer_service.rules.entry import (
    BeaconRound,
    DeckCommitted,
    HandLevel,
    HandOpened,
    HandVoid,
    LoggedLink,
    MissingLink,
    VoidReason,
)
from dealer_service.rules.lineup import line_up, next_opening
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import (
    FREE_VOIDS,
    MAX_FREE_VOIDS,
    OpenHand,
    Phase,
    TableState,
)


def may_open_hand(state: TableState, at: int) -> Refusal | None:
    """Say why no hand can open at the time `at`; None when one can.

    After MAX_HANDS and MAX_TIME no hand ever opens again: the game is to be closed.
    AWAITING_ANCHORS ends by itself at the time `until`.
    """
    refused = _refuse_opening(state, at)
    if refused is None and line_up(state) is None:
        return _too_few()
    return refused


def _too_few() -> Refusal:
    message = "a hand needs two seats that are in"
    return Refusal(TableReason.TOO_FEW_PLAYERS, message, {"seats": 2})


def _refuse_opening(  # noqa: PLR0911 - a return for each reason
    state: TableState, at: int
) -> Refusal | None:
    """Say why no hand can open at the time `at`, whoever is dealt in; None when one can."""
    rules = state.rules
    if state.closed is not None:
        return Refusal(TableReason.GAME_CLOSED, "the game has closed")
    if state.open is not None:
        message = f"hand {state.hand} is open"
        return Refusal(TableReason.HAND_OPEN, message, {"hand": state.hand})
    if state.hand >= rules.max_hands:
        message = f"the game has had its {rules.max_hands} hands"
        return Refusal(TableReason.MAX_HANDS, message, {"max_hands": rules.max_hands})
    if at > state.opened_at + rules.max_ms:
        message = f"the game has run for its {rules.max_ms} ms"
        return Refusal(TableReason.MAX_TIME, message, {"max_ms": rules.max_ms})
    if state.voids > MAX_FREE_VOIDS:
        message = "the game was restored behind its last hand and is to be closed"
        return Refusal(TableReason.RESTORED, message, {"voids": state.voids})
    if state.paused:
        return Refusal(TableReason.PAUSED, "the game is paused")
    until = state.opened_at + rules.link_ms
    if state.hand == 0 and state.awaited and at < until:
        message = f"{len(state.awaited)} carried players have not anchored yet"
        numbers = {"players": len(state.awaited), "until": until}
        return Refusal(TableReason.AWAITING_ANCHORS, message, numbers)
    return None


def open_hand(
    state: TableState,
    at: int,
    commitment: str,
    *,
    level: HandLevel | None = None,
    button: int | None = None,
) -> tuple[HandOpened] | Refusal:
    """Open the next hand at the time `at` with the dealer's commitment to its secret.

    At a tournament's table, and there alone, `level` is what it is played by, and `button` may name
    a seat dealt in that has the button in the table's first hand.
    """
    refused = _refuse_opening(state, at)
    if refused is not None:
        return refused
    opened = next_opening(state, at, commitment, level=level, button=button)
    if opened is None:
        return _too_few()
    return _refuse_terms(state, level, button) or (opened,)


def _refuse_terms(state: TableState, level: HandLevel | None, button: int | None) -> Refusal | None:
    """Refuse a level or a button that the rules do not leave open."""
    is_tournament = state.rules.tournament is not None
    if (level is not None) != is_tournament:
        message = "a hand has a level exactly at a tournament's table"
        return Refusal(TableReason.LEVEL_NOT_BY_RULE, message)
    if button is None:
        return None
    numbers = {"button": button, "last_hand": state.hand}
    if not is_tournament or state.hand:
        message = "the button is given in the first hand of a tournament's table alone"
        return Refusal(TableReason.BUTTON_NOT_BY_RULE, message, numbers)
    lineup = line_up(state)
    if lineup is None or button not in lineup.dealt_in:
        message = f"seat {button} is not dealt in: the button goes to a seat that is"
        return Refusal(TableReason.BUTTON_NOT_BY_RULE, message, numbers)
    return None


def links_missing(state: TableState, links: Mapping[int, str]) -> tuple[int, ...]:
    """List the seats, rising, whose link the open hand still lacks; none outside its links."""
    if state.open is None or state.phase is not Phase.LINKS:
        return ()
    return tuple(seat for seat in state.open.frozen if seat not in links)


def links_deadline(state: TableState) -> int | None:
    """Give the time from which the open hand may be void for missing links."""
    if state.open is None or state.phase is not Phase.LINKS:
        return None
    return state.open.at + state.rules.link_ms


def commit_deck(
    state: TableState,
    links: Mapping[int, str],
    *,
    mix: str,
    deck_root: str,
    beacon: BeaconRound | None = None,
) -> tuple[DeckCommitted] | Refusal:
    """Fix the open hand's deck once the link of every frozen anchor has come."""
    opened = _awaiting_links(state)
    if isinstance(opened, Refusal):
        return opened
    lacking = links_missing(state, links)
    if lacking:
        message = f"{len(lacking)} links have not come"
        return Refusal(TableReason.LINKS_MISSING, message, {"missing": len(lacking)})
    if (beacon is None) != (state.rules.beacon is None):
        message = "a deck has a beacon's round exactly where the rules name a beacon"
        return Refusal(TableReason.BEACON_NOT_BY_RULE, message)
    committed = DeckCommitted(
        hand=state.hand,
        links=_logged(opened, links),
        beacon=beacon,
        mix=mix,
        deck_root=deck_root,
    )
    return (committed,)


def void_by_operator(
    state: TableState, at: int, hand: int, secret: str, links: Mapping[int, str]
) -> tuple[HandVoid] | Refusal:
    """End the hand of that number for the operator, before its deck is committed."""
    if state.closed is not None:
        return Refusal(TableReason.GAME_CLOSED, "the game has closed")
    if state.open is None or state.hand != hand:
        message = f"hand {hand} is not open, and only an open hand can be void"
        return Refusal(TableReason.HAND_NOT_OPEN, message, {"hand": hand, "last_hand": state.hand})
    return void_hand(state, at, VoidReason.OPERATOR, secret, links)


def void_hand(  # noqa: PLR0911, PLR0913 - a return for each reason, and what a void shows
    state: TableState,
    at: int,
    reason: VoidReason,
    secret: str,
    links: Mapping[int, str],
    *,
    restoring: bool = False,
) -> tuple[HandVoid] | Refusal:
    """End the open hand without playing it, showing its secret and the links that came.

    `restoring` allows one void more than two of the dealer's own, for a game that closes next.
    """
    opened = state.open
    if opened is None:
        return Refusal(TableReason.NO_HAND_OPEN, "no hand is open", {"last_hand": state.hand})
    fault = reason is VoidReason.DEALER_FAULT
    if state.phase is Phase.PLAYING and not fault:
        message = f"the deck of hand {state.hand} is committed: only a dealer's fault ends it now"
        return Refusal(TableReason.DECK_COMMITTED, message, {"hand": state.hand})
    if reason in FREE_VOIDS:
        allowed = MAX_FREE_VOIDS + restoring
        if state.voids >= allowed:
            message = f"a game has at most {allowed} voids of the dealer's own"
            return Refusal(
                TableReason.TOO_MANY_VOIDS, message, {"voids": state.voids, "allowed": allowed}
            )
        if reason is VoidReason.NO_BEACON and state.rules.beacon is None:
            return Refusal(TableReason.NO_BEACON_RULE, "the rules of this game name no beacon")
    missing: tuple[int, ...] = ()
    if reason is VoidReason.LINK_MISSING:
        missing = links_missing(state, links)
        until = opened.at + state.rules.link_ms
        if not missing:
            return Refusal(TableReason.NO_LINK_MISSING, "every link has come")
        if at < until:
            message = f"links have time until {until}"
            return Refusal(TableReason.LINKS_HAVE_TIME, message, {"until": until})
    frozen = opened.frozen
    void = HandVoid(
        hand=state.hand,
        reason=reason,
        secret=secret,
        links=_logged(opened, links) if state.phase is Phase.LINKS else (),
        missing=tuple(MissingLink(seat, frozen[seat].player) for seat in missing),
    )
    return (void,)


def _awaiting_links(state: TableState) -> OpenHand | Refusal:
    if state.open is None or state.phase is not Phase.LINKS:
        message = "no hand waits for its deck"
        return Refusal(TableReason.NO_HAND_OPEN, message, {"last_hand": state.hand})
    return state.open


def _logged(opened: OpenHand, links: Mapping[int, str]) -> tuple[LoggedLink, ...]:
    return tuple(LoggedLink(seat, links[seat]) for seat in opened.frozen if seat in links)
