"""From the dealer's values to the messages of the contract, and back."""

from collections.abc import Callable
from typing import Final

from cutcard.v1 import entry_pb2, operate_pb2, play_pb2
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.rules.entry import Act as RuleAct
from dealer_service.rules.entry import (
    BeaconRule,
    ChipsAdded,
    Entry,
    Links,
    PlayerRemoved,
    RevealRule,
    RuleSet,
    SeatLeft,
    SeatTaken,
    SeatWord,
)
from dealer_service.rules.state import HandState, Stage, list_pots
from dealer_service.rules.table_state import Phase, Seat, TableState, is_dealt_in, seat_word
from dealer_service.rules.turn import Decision, Range
from dealer_service.store.api import LogHead, StoredMovement
from dealer_service.tables.facts import read_meta
from dealer_service.tables.watchers import Batch, Message, PrivateOpenings

ACTS: Final[dict[int, RuleAct]] = {
    play_pb2.ACT_FOLD: RuleAct.FOLD,
    play_pb2.ACT_CHECK: RuleAct.CHECK,
    play_pb2.ACT_CALL: RuleAct.CALL,
    play_pb2.ACT_BET: RuleAct.BET,
    play_pb2.ACT_RAISE: RuleAct.RAISE,
}
_STREETS: Final = ("preflop", "flop", "turn", "river")

Encode = Callable[[tuple[Entry, ...], TableState, int], bytes]


# Answers to changes.


def encode_seat_taken(entries: tuple[Entry, ...], _state: TableState, size: int) -> bytes:
    """Answer TakeSeat."""
    (taken,) = entries
    seat = taken.seat if isinstance(taken, SeatTaken) else 0
    return play_pb2.TakeSeatResponse(seat=seat, size=size).SerializeToString()


def encode_seat_left(entries: tuple[Entry, ...], _state: TableState, size: int) -> bytes:
    """Answer LeaveSeat."""
    return play_pb2.LeaveSeatResponse(stack=_stack(entries), size=size).SerializeToString()


def encode_player_removed(entries: tuple[Entry, ...], _state: TableState, size: int) -> bytes:
    """Answer RemovePlayer."""
    return operate_pb2.RemovePlayerResponse(stack=_stack(entries), size=size).SerializeToString()


def encode_chips_added(entries: tuple[Entry, ...], state: TableState, size: int) -> bytes:
    """Answer AddChips."""
    (added,) = entries
    stack = state.seats[added.seat].stack if isinstance(added, ChipsAdded) else 0
    return play_pb2.AddChipsResponse(stack=stack, size=size).SerializeToString()


def encode_size(
    message: type[
        play_pb2.SitOutResponse
        | play_pb2.ComeBackResponse
        | play_pb2.AnchorResponse
        | play_pb2.ActResponse
        | play_pb2.ShowResponse
        | operate_pb2.PauseGameResponse
        | operate_pb2.ResumeGameResponse
        | operate_pb2.CloseGameResponse
    ],
) -> Encode:
    """Answer a call with the size of the log alone."""
    return lambda _entries, _state, size: message(size=size).SerializeToString()


def encode_game_opened(game: str, rules: RuleSet, size: int) -> bytes:
    """Answer OpenGame."""
    opened = operate_pb2.OpenGameResponse(game=game, rules=rules_message(rules), size=size)
    return opened.SerializeToString()


def _stack(entries: tuple[Entry, ...]) -> int | None:
    (gone,) = entries
    return gone.stack if isinstance(gone, SeatLeft | PlayerRemoved) else None


# Rules.


def rules_of(message: entry_pb2.RuleSet) -> RuleSet:
    """Read a rule set in which what is zero or empty takes the dealer's default.

    Blinds default to 1 and 2, or to each other's half and double; a seat is taken with 20 to 200
    big blinds.
    """
    small, big = message.small_blind, message.big_blind
    big = big or 2 * small or 2
    small = small or max(1, big // 2)
    return RuleSet(
        variant=message.variant or "holdem",
        structure=message.structure or "no_limit",
        seats=message.seats or 6,
        small_blind=small,
        big_blind=big,
        chip_unit=message.chip_unit or 1,
        buy_in_min=message.buy_in_min or 20 * big,
        buy_in_max=message.buy_in_max or 200 * big,
        button=message.button or "moving",
        newcomers=message.newcomers or "next_hand",
        absent=message.absent or "sit_out",
        show=message.show or "winners",
        all_in=message.all_in or "face_up",
        turn_ms=message.turn_ms or 20_000,
        link_ms=message.link_ms or 3_000,
        pause_ms=message.pause_ms,
        links=_links(message.links),
        log_proof=message.log_proof or "none",
        reveal=RevealRule(
            policy=message.reveal.policy or "all_cards",
            within_ms=message.reveal.within_ms or 60_000,
        ),
        max_hands=message.max_hands or 1_000,
        max_ms=message.max_ms or 24 * 3_600_000,
        beacon=BeaconRule(message.beacon.chain) if message.HasField("beacon") else None,
    )


def rules_message(rules: RuleSet) -> entry_pb2.RuleSet:
    """Write a rule set."""
    return entry_pb2.RuleSet(
        variant=rules.variant,
        structure=rules.structure,
        seats=rules.seats,
        small_blind=rules.small_blind,
        big_blind=rules.big_blind,
        chip_unit=rules.chip_unit,
        buy_in_min=rules.buy_in_min,
        buy_in_max=rules.buy_in_max,
        button=rules.button,
        newcomers=rules.newcomers,
        absent=rules.absent,
        show=rules.show,
        all_in=rules.all_in,
        turn_ms=rules.turn_ms,
        link_ms=rules.link_ms,
        pause_ms=rules.pause_ms,
        links=rules.links,
        log_proof=rules.log_proof,
        reveal=entry_pb2.RevealRule(policy=rules.reveal.policy, within_ms=rules.reveal.within_ms),
        max_hands=rules.max_hands,
        max_ms=rules.max_ms,
        beacon=entry_pb2.BeaconRule(chain=rules.beacon.chain) if rules.beacon else None,
    )


def _links(word: str) -> Links:
    # A word that is none of these was named as a fault of the request.
    return Links(word) if word in set(Links) else Links.OPTIONAL


# What watchers are told.


def wire(message: Message) -> bytes:
    """Serialise a message of a stream; once, however many watchers it goes to."""
    if message.wire is None:
        message.wire = (
            _batch(message) if isinstance(message, Batch) else _openings(message)
        ).SerializeToString()
    return message.wire


def decision_message(decision: Decision, deadline: int) -> play_pb2.Decision:
    """Write a turn, with the time at which the clock acts."""
    return play_pb2.Decision(
        hand=decision.hand,
        turn=decision.turn,
        seat=decision.seat,
        may_check=decision.may_check,
        call=decision.call,
        bet=_range(decision.bet),
        no_raise_because=decision.no_raise_because,
        deadline=deadline,
        **{"raise": _range(decision.raise_)},
    )


def _batch(batch: Batch) -> play_pb2.WatchResponse:
    decision = batch.decision
    return play_pb2.WatchResponse(
        first=batch.first,
        lines=batch.lines,
        proofs=[
            play_pb2.Proof(hand=one.hand, position=one.position, proof=one.proof)
            for one in batch.proofs
        ],
        checkpoint=batch.checkpoint,
        decision=decision_message(decision, batch.deadline) if decision else None,
    )


def _openings(private: PrivateOpenings) -> play_pb2.WatchResponse:
    return play_pb2.WatchResponse(
        openings=[
            play_pb2.Opening(
                hand=private.hand,
                position=one.position,
                card=CARD_NAMES[one.card],
                salt=one.salt,
                proof=one.proof,
            )
            for one in private.openings
        ]
    )


def _range(bounds: Range | None) -> play_pb2.Range | None:
    if bounds is None:
        return None
    return play_pb2.Range(**{"from": bounds.min, "to": bounds.max})


# Tables and games.


def table_message(
    state: TableState,
    size: int,
    *,
    player: str = "",
    openings: PrivateOpenings | None = None,
    decision: play_pb2.Decision | None = None,
) -> play_pb2.GetTableResponse:
    """Write a table as `player` may see it: with its own cards, and those that are open to all."""
    play = state.play
    held = next((n for n, seat in state.seats.items() if player and seat.player == player), 0)
    own = {held: [CARD_NAMES[one.card] for one in openings.openings]} if openings else {}
    return play_pb2.GetTableResponse(
        game=state.opened.game,
        phase=_phase(state),
        hand=state.hand,
        button=state.button,
        street=_STREETS[play.betting.street] if play else "",
        board=play.layout.board if play else (),
        seats=[_seat(state, number, seat, own) for number, seat in state.seats.items()],
        pots=[
            play_pb2.TablePot(amount=pot.amount, seats=pot.eligible)
            for pot in (list_pots(play) if play else ())
        ],
        decision=decision,
        my_seat=held,
        size=size,
        next=(state.closed.next or "") if state.closed else "",
    )


def _phase(state: TableState) -> str:
    if state.phase is Phase.WAITING and state.paused:
        return "paused"
    if state.play is not None and state.play.stage is Stage.PAUSE:
        return "pause"
    return str(state.phase)


def _seat(
    state: TableState, number: int, seat: Seat, own: dict[int, list[str]]
) -> play_pb2.TableSeat:
    play = state.play
    dealt_in = is_dealt_in(state, number)
    message = play_pb2.TableSeat(
        seat=number, player=seat.player, stack=seat.stack, leaving=seat.leaving
    )
    if play is not None and dealt_in:
        chair = play.chairs[play.frame.place[number]]
        shown = next((one.cards for one in play.layout.shown if one.seat == number), ())
        message.stack, message.bet = chair.stack, chair.bet
        message.state = _chair_state(play, number)
        message.cards.extend(shown or own.get(number, ()))
    else:
        word = seat_word(state.rules, seat)
        waiting = word is SeatWord.IN and state.open is not None and not dealt_in
        message.state = "waiting" if waiting else str(word)
    return message


def _chair_state(play: HandState, number: int) -> str:
    chair = play.chairs[play.frame.place[number]]
    if chair.folded:
        return "folded"
    return "all_in" if not chair.stack and play.closing is None else "in"


def summary_message(head: LogHead, rules: RuleSet | None) -> operate_pb2.GameSummary:
    """Write what lists show of a game."""
    facts = head.facts
    return operate_pb2.GameSummary(
        game=head.log,
        state=str(facts.state),
        size=head.next_index,
        signed_size=head.signed_size,
        hands=facts.hands,
        players=facts.players,
        opened_at=facts.opened_at,
        previous=facts.previous,
        next=facts.next,
        reference=read_meta(facts.meta).reference,
        rules=rules_message(rules) if rules else None,
    )


def movement_message(stored: StoredMovement) -> operate_pb2.FollowChipsResponse:
    """Write a movement of chips."""
    moved = stored.movement
    return operate_pb2.FollowChipsResponse(
        cursor=stored.cursor,
        at=moved.at,
        game=moved.log,
        index=moved.index,
        what=str(moved.what),
        player=moved.player,
        seat=moved.seat,
        amount=moved.amount,
        reference=moved.reference,
    )
