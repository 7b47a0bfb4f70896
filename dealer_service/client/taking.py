"""How a seat is taken: asked for once, noted on disk first, and asked for again after a crash.

The same request id is sent on every try, also by a client that was killed and started again, so
that a stack leaves the player's wallet once.
"""

from typing import Final

from cutcard.v1 import play_pb2
from dealer_service.client.calls import Caller
from dealer_service.client.disk import on_disk
from dealer_service.client.durable import FileError
from dealer_service.client.errors import CallRefusedError
from dealer_service.client.files import GameFiles
from dealer_service.client.following import HAND_SECONDS
from dealer_service.client.sent import LeaveSent, SeatAsked

REVEAL_POLICY: Final = "all_cards"


class Taking:
    """How a seat is taken: asked for once, noted first, and asked for again after a crash."""

    def __init__(self, caller: Caller, files: GameFiles, game: str) -> None:
        self._caller, self._files, self._game = caller, files, game

    async def take(self, my_seat: int, wanted: SeatAsked, *, hands: int) -> None:
        """Sit as `wanted`, with a chain for `hands` hands, or without one for 0.

        Nothing is asked for when the player sits here already by this folder's doing.
        CallRefusedError, or FileError when the player sits here by another folder's.
        """
        asked = self._asked()
        if my_seat:
            if asked is None and not self._files.sent:
                message = (
                    f"the player has seat {my_seat} already, taken by a client with another folder"
                )
                raise FileError(message)
            return
        if asked is not None:
            # The answer may be of a seat that was lost since: then it is asked for anew.
            await self._ask(asked)
            table = await self._caller.call(
                lambda at: at.play.GetTable, play_pb2.GetTableRequest(game=self._game)
            )
            if table.my_seat:
                return
        try:
            await self._ask(await self._fresh(wanted, hands))
        except CallRefusedError as error:
            if error.refusal.reason != "ANCHOR_AFTER_MISS":
                raise
            await self._ask(await self._fresh(wanted, 0))

    def _asked(self) -> SeatAsked | None:
        """Give the seat that was asked for last, unless it was left since."""
        for sent in reversed(self._files.sent):
            if isinstance(sent, LeaveSent):
                return None
            if isinstance(sent, SeatAsked):
                return sent
        return None

    async def _fresh(self, wanted: SeatAsked, hands: int) -> SeatAsked:
        around, anchor = self._caller.surroundings, ""
        if hands:
            anchor = await on_disk(self._files.new_anchor, around.entropy, hands)
        request_id = around.request_id()
        asked = SeatAsked(request_id, wanted.seat, wanted.stack, anchor, wanted.reference)
        await on_disk(self._files.note, asked)
        return asked

    async def _ask(self, asked: SeatAsked) -> None:
        request = play_pb2.TakeSeatRequest(
            request_id=asked.request_id,
            game=self._game,
            seat=asked.seat,
            stack=asked.stack,
            anchor=bytes.fromhex(asked.anchor),
            accepts_reveal=REVEAL_POLICY,
            reference=asked.reference,
        )
        # A house player's seat is taken over when the hand has ended.
        await self._caller.call(lambda at: at.play.TakeSeat, request, total=HAND_SECONDS)
