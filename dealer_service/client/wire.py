"""From the messages of play.proto to the client's own values."""

from typing import Final

from cutcard.v1 import play_pb2
from dealer_service.client.message import (
    CardOpening,
    CardProof,
    Decision,
    Message,
    Preset,
    Span,
)

ACTS: Final = {
    "fold": play_pb2.ACT_FOLD,
    "check": play_pb2.ACT_CHECK,
    "call": play_pb2.ACT_CALL,
    "bet": play_pb2.ACT_BET,
    "raise": play_pb2.ACT_RAISE,
}
PRE_ACTS: Final = {
    "none": play_pb2.PRE_ACT_NONE,
    "check_fold": play_pb2.PRE_ACT_CHECK_FOLD,
    "check": play_pb2.PRE_ACT_CHECK,
    "call": play_pb2.PRE_ACT_CALL,
    "call_any": play_pb2.PRE_ACT_CALL_ANY,
    "fold": play_pb2.PRE_ACT_FOLD,
}


def watch_request(game: str, first: int) -> play_pb2.WatchRequest:
    """Ask for a game's lines from index `first` on."""
    return play_pb2.WatchRequest(game=game, **{"from": first})


def read_message(response: play_pb2.WatchResponse) -> Message:
    """Read one message of the stream."""
    return Message(
        response.first,
        tuple(response.lines),
        tuple(CardProof(p.hand, p.position, tuple(p.proof)) for p in response.proofs),
        response.checkpoint,
        read_decision(response.decision) if response.HasField("decision") else None,
        tuple(
            CardOpening(o.hand, o.position, o.card, o.salt, tuple(o.proof))
            for o in response.openings
        ),
    )


def read_decision(decision: play_pb2.Decision) -> Decision:
    """Read a turn."""
    return Decision(
        hand=decision.hand,
        turn=decision.turn,
        seat=decision.seat,
        may_check=decision.may_check,
        call=decision.call,
        bet=_span(decision.bet) if decision.HasField("bet") else None,
        raise_to=_span(getattr(decision, "raise")) if decision.HasField("raise") else None,
        no_raise_because=decision.no_raise_because,
        deadline=decision.deadline,
        call_to=decision.call_to,
        bank_ms=decision.bank_ms,
        presets=tuple(Preset(one.name, one.to, one.cost) for one in decision.presets),
    )


def _span(span: play_pb2.Range) -> Span:
    return Span(getattr(span, "from"), span.to)
