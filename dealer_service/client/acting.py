"""What a player may do at the table that it plays at now, each noted on disk before it is sent."""

from collections.abc import Callable, Collection
from enum import StrEnum, unique

from cutcard.v1 import play_pb2
from dealer_service.client.calls import Caller
from dealer_service.client.errors import CallRefusedError, Refusal
from dealer_service.client.following import Following
from dealer_service.client.message import Decision
from dealer_service.client.sent import (
    ActSent,
    ComeBackSent,
    PreferSent,
    PreSelectSent,
    ShowSent,
    SitOutSent,
)
from dealer_service.client.wire import ACTS, PRE_ACTS


@unique
class Act(StrEnum):
    """What a seat may do in its turn."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


@unique
class PreAct(StrEnum):
    """What may be chosen before one's turn comes."""

    NONE = "none"
    CHECK_FOLD = "check_fold"
    CHECK = "check"
    CALL = "call"
    CALL_ANY = "call_any"
    FOLD = "fold"


class Acting:
    """The acts of a player at the game that `current` gives, which may be another each time.

    `current` raises CallRefusedError where the player has no table.
    """

    def __init__(self, caller: Caller, current: Callable[[], Following]) -> None:
        self._caller = caller
        self._current = current

    async def act(self, act: Act, to: int = 0, *, decision: Decision | None = None) -> None:
        """Act on the turn that stands, or on the one given; `to` is a bet's or raise's total."""
        following = self._current()
        turn = decision or following.viewer.decision
        own = following.own
        if turn is None or own is None or turn.seat != own.seat:
            message = "it is not the player's turn"
            raise CallRefusedError(Refusal("FAILED_PRECONDITION", "NO_TURN", message, {}))
        total = to if act in {Act.BET, Act.RAISE} else 0
        sent = ActSent(self._request_id(), turn.hand, turn.turn, str(act), total)
        await following.note(sent)
        request = play_pb2.ActRequest(
            request_id=sent.request_id,
            game=following.game,
            hand=turn.hand,
            turn=turn.turn,
            act=ACTS[sent.act],
            to=total,
        )
        await self._caller.call(lambda at: at.play.Act, request)

    async def pre_select(self, act: PreAct, hand: int | None = None) -> None:
        """Choose an act for the player's next turn, or take it back by `none`."""
        following = self._current()
        sent = PreSelectSent(hand or following.verifier.hand, str(act))
        await following.note(sent)
        request = play_pb2.PreSelectRequest(
            game=following.game, hand=sent.hand, act=PRE_ACTS[sent.act]
        )
        await self._caller.call(lambda at: at.play.PreSelect, request)

    async def prefer(self, choices: Collection[str], at: Following | None = None) -> None:
        """Set all standing choices, where the player plays now or at another game of its own."""
        following = at or self._current()
        rising = sorted({str(choice) for choice in choices})
        sent = PreferSent(self._request_id(), " ".join(rising))
        await following.note(sent)
        request = play_pb2.PreferRequest(
            request_id=sent.request_id, game=following.game, choices=rising
        )
        await self._caller.call(lambda node: node.play.Prefer, request)

    async def show(self, hand: int | None = None) -> None:
        """Show all hole cards when the pots are paid and before the hand ends."""
        following = self._current()
        sent = ShowSent(self._request_id(), hand or following.verifier.hand)
        await following.note(sent)
        request = play_pb2.ShowRequest(
            request_id=sent.request_id, game=following.game, hand=sent.hand
        )
        await self._caller.call(lambda at: at.play.Show, request)

    async def sit_out(self) -> None:
        """Be dealt in no more from the next hand on, or play on as absent."""
        following, request_id = self._current(), self._request_id()
        await following.note(SitOutSent(request_id))
        request = play_pb2.SitOutRequest(request_id=request_id, game=following.game)
        await self._caller.call(lambda at: at.play.SitOut, request)

    async def come_back(self) -> None:
        """Be dealt in, and act oneself, again from the next hand on."""
        following, request_id = self._current(), self._request_id()
        await following.note(ComeBackSent(request_id))
        request = play_pb2.ComeBackRequest(request_id=request_id, game=following.game)
        await self._caller.call(lambda at: at.play.ComeBack, request)

    def _request_id(self) -> str:
        return self._caller.surroundings.request_id()
