"""FairnessService: lines, checkpoints, proofs and the game file, of games open and over."""

from collections.abc import AsyncGenerator
from typing import Final

from cutcard.v1 import fairness_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc.delay import Delay
from dealer_service.tables.archive import Archive
from dealer_service.tables.floor import Floor
from dealer_service.tables.refused import no_dealer_log, not_published
from dealer_service.transcript.noted import Stage

_LINES: Final = 100
_ANSWER_BYTES: Final = 1024 * 1024
"""An answer has fewer lines than were asked for rather than more bytes."""


class Fairness:
    """What anybody may check."""

    def __init__(self, floor: Floor, archive: Archive) -> None:
        self._house = floor.house
        self._archive = archive
        self._delay = Delay(floor)

    async def get_key(self, _caller: Caller, _asked: fairness_pb2.GetKeyRequest) -> bytes:
        """Give the verifier key."""
        key = str(self._house.signer.verifier)
        message = fairness_pb2.GetKeyResponse(origin=self._house.origin, key=key)
        return message.SerializeToString()

    async def get_checkpoint(
        self, caller: Caller, asked: fairness_pb2.GetCheckpointRequest
    ) -> bytes:
        """Give the newest checkpoint."""
        past = await self._delay.past(caller, asked.game)
        note, _ = await self._archive.checkpoint(asked.game, past)
        return fairness_pb2.GetCheckpointResponse(checkpoint=note).SerializeToString()

    async def list_entries(self, caller: Caller, asked: fairness_pb2.ListEntriesRequest) -> bytes:
        """Give lines."""
        first: int = getattr(asked, "from")
        past = await self._delay.past(caller, asked.game)
        lines, size = await self._archive.lines(asked.game, first, asked.limit or _LINES, past)
        total, count = 0, 0
        for line in lines:
            total += len(line)
            if count and total > _ANSWER_BYTES:
                break
            count += 1
        message = fairness_pb2.ListEntriesResponse(first=first, lines=lines[:count], size=size)
        return message.SerializeToString()

    async def get_inclusion_proof(
        self, caller: Caller, asked: fairness_pb2.GetInclusionProofRequest
    ) -> bytes:
        """Prove that a line is in the log."""
        past = await self._delay.past(caller, asked.game)
        leaf, size, proof = await self._archive.inclusion(asked.game, asked.index, asked.size, past)
        message = fairness_pb2.GetInclusionProofResponse(leaf_hash=leaf, size=size, proof=proof)
        return message.SerializeToString()

    async def get_consistency_proof(
        self, caller: Caller, asked: fairness_pb2.GetConsistencyProofRequest
    ) -> bytes:
        """Prove that the log only grew."""
        past = await self._delay.past(caller, asked.game)
        size, proof = await self._archive.consistency(
            asked.game, asked.from_size, asked.to_size, past
        )
        message = fairness_pb2.GetConsistencyProofResponse(to_size=size, proof=proof)
        return message.SerializeToString()

    async def get_log_proof(self, caller: Caller, asked: fairness_pb2.GetLogProofRequest) -> bytes:
        """Prove that a stage of a game stands in the dealer's log."""
        await self._house.head(asked.game)
        past = await self._delay.past(caller, asked.game)
        if self._house.published is None:
            raise no_dealer_log()
        found = await self._house.published.proof(asked.game, asked.hand, Stage(asked.stage))
        if found is None or (past is not None and found.size > past.size):
            raise not_published()
        message = fairness_pb2.GetLogProofResponse(line=found.line, proof=found.text)
        return message.SerializeToString()

    async def get_game_file(
        self, caller: Caller, asked: fairness_pb2.GetGameFileRequest
    ) -> AsyncGenerator[bytes, None]:
        """Send the game file."""
        past = await self._delay.past(caller, asked.game)
        async for chunk in self._archive.game_file(asked.game, past):
            yield fairness_pb2.GetGameFileResponse(chunk=chunk).SerializeToString()
