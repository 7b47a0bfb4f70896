"""From the dealer's values to the messages of the contract, and back."""

from collections.abc import Callable, Sequence
from typing import Final

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.rpc.convert_rules import rules_message
from dealer_service.rules.ahead import PreAct
from dealer_service.rules.entry import Act as RuleAct
from dealer_service.rules.entry import (
    ChipsAdded,
    Entry,
    PlayerRemoved,
    RuleSet,
    SeatLeft,
    SeatTaken,
    SeatWord,
)
from dealer_service.rules.position_names import name_positions
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
PRE_ACTS: Final[dict[int, PreAct | None]] = {
    play_pb2.PRE_ACT_NONE: None,
    play_pb2.PRE_ACT_CHECK_FOLD: PreAct.CHECK_FOLD,
    play_pb2.PRE_ACT_CHECK: PreAct.CHECK,
    play_pb2.PRE_ACT_CALL: PreAct.CALL,
    play_pb2.PRE_ACT_CALL_ANY: PreAct.CALL_ANY,
    play_pb2.PRE_ACT_FOLD: PreAct.FOLD,
}
_PRE_ACT_WORDS: Final = {act: word for word, act in PRE_ACTS.items()}
_STREETS: Final = ("preflop", "flop", "turn", "river")

Encode = Callable[[tuple[Entry, ...], TableState, int], bytes]


# Answers to changes.


def encode_seat_taken(entries: tuple[Entry, ...], _state: TableState, size: int) -> bytes:
    """Answer TakeSeat; before it a house player may have been removed."""
    taken = entries[-1]
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
        | play_pb2.PreferResponse
        | operate_pb2.PauseGameResponse
        | operate_pb2.ResumeGameResponse
        | operate_pb2.CloseGameResponse
        | operate_pb2.VoidHandResponse
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
        bank_ms=decision.bank_ms,
        call_to=decision.call_to,
        presets=[
            play_pb2.Preset(name=one.name, to=one.to, cost=one.cost) for one in decision.presets
        ],
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


def table_message(  # noqa: PLR0913 - what a table is told of
    state: TableState,
    size: int,
    *,
    player: str = "",
    openings: PrivateOpenings | None = None,
    decision: play_pb2.Decision | None = None,
    pre_act: PreAct | None = None,
) -> play_pb2.GetTableResponse:
    """Write a table as `player` may see it: with its own cards, and those that are open to all."""
    play = state.play
    held = next((n for n, seat in state.seats.items() if player and seat.player == player), 0)
    own = {held: [CARD_NAMES[one.card] for one in openings.openings]} if openings else {}
    names = name_positions(play.frame) if play else {}
    return play_pb2.GetTableResponse(
        game=state.opened.game,
        phase=_phase(state),
        hand=state.hand,
        button=state.button,
        street=_STREETS[play.betting.street] if play else "",
        board=play.layout.board if play else (),
        second_board=(play.layout.second or ()) if play else (),
        seats=[
            _seat(state, number, seat, own.get(number, ()), names.get(number, ""))
            for number, seat in state.seats.items()
        ],
        pots=[
            play_pb2.TablePot(amount=pot.amount, seats=pot.eligible)
            for pot in (list_pots(play) if play else ())
        ],
        decision=decision,
        my_seat=held,
        size=size,
        next=(state.closed.next or "") if state.closed else "",
        pre_act=play_pb2.PreAct.ValueType(_PRE_ACT_WORDS[pre_act]),
    )


def _phase(state: TableState) -> str:
    if state.phase is Phase.WAITING and state.paused:
        return "paused"
    if state.play is not None and state.play.stage is Stage.PAUSE:
        return "pause"
    return str(state.phase)


def _seat(
    state: TableState, number: int, seat: Seat, own: Sequence[str], position: str
) -> play_pb2.TableSeat:
    play = state.play
    dealt_in = is_dealt_in(state, number)
    message = play_pb2.TableSeat(
        seat=number,
        player=seat.player,
        stack=seat.stack,
        leaving=seat.leaving,
        position=position,
        choices=seat.choices,
        house=seat.house,
    )
    if seat.owes is not None:
        message.owes_live, message.owes_dead = seat.owes.live, seat.owes.dead
    if play is not None and dealt_in:
        chair = play.chairs[play.frame.place[number]]
        shown = next((one.cards for one in play.layout.shown if one.seat == number), ())
        message.stack, message.bet = chair.stack, chair.bet
        message.state = _chair_state(play, number, leaving=seat.leaving)
        message.cards.extend(shown or own)
    else:
        word = seat_word(state.rules, seat)
        if word is SeatWord.ABSENT:
            word = SeatWord.SITTING_OUT
        waiting = word is SeatWord.IN and state.open is not None
        message.state = "waiting" if waiting else str(word)
    return message


def _chair_state(play: HandState, number: int, *, leaving: bool) -> str:
    chair = play.chairs[play.frame.place[number]]
    if chair.folded:
        return "folded"
    if not chair.stack and play.closing is None:
        return "all_in"
    return "absent" if number in play.marks.absent and not leaving else "in"


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
        tournament=facts.tournament,
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
