"""Lines of the dealer's log that a client asks for, and what proves them (PROTOCOL.md section 5).

Nothing of an answer is taken on trust: the checkpoint is signed by the dealer's key, the path
leads from the line to its root, and the line is of the very game, hand and stage. Whether it is of
the lines that were received is for who follows the game to see. Co-signatures are left to whoever
has a policy: the text is kept as it came.
"""

from dataclasses import dataclass, field

from cutcard.v1 import fairness_pb2
from dealer_service.client.calls import Caller
from dealer_service.client.errors import CallRefusedError
from dealer_service.client.refusing import Reason
from dealer_service.transcript.logproof import open_log_proof, parse_log_proof
from dealer_service.transcript.note import NoteKey
from dealer_service.transcript.noted import Noted, Stage, read_noted
from dealer_service.transcript.refusal import TranscriptError

Subject = tuple[str, int, Stage]
"""A game, a hand (0 for a stage of the game's own) and a stage of it."""


@dataclass(frozen=True, slots=True)
class LogProof:
    """A line of the dealer's log, what it says, and the C2SP tlog-proof that is to be kept."""

    noted: Noted
    line: bytes = field(repr=False)
    text: str = field(repr=False)


class LogProofError(Exception):
    """A proof that does not hold: why, in one word and in words, and the text as it came."""

    def __init__(self, reason: Reason, detail: str, text: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.text = text


async def fetch_log_proof(
    caller: Caller, key: NoteKey, subject: Subject, wait: float = 0.0
) -> LogProof:
    """Ask for the proof of a game's stage and check it; a line that is to come, for `wait` seconds.

    CallRefusedError where there is none, NOT_PUBLISHED where the line is not there by then;
    LogProofError.
    """
    game, hand, stage = subject
    request = fairness_pb2.GetLogProofRequest(game=game, hand=hand, stage=stage)
    around = caller.surroundings
    until = around.monotonic() + wait
    for pause in around.waits():
        try:
            answer = await caller.call(lambda at: at.fairness.GetLogProof, request)
        except CallRefusedError as error:
            is_to_come = error.refusal.reason == "NOT_PUBLISHED"
            if not is_to_come or around.monotonic() + pause >= until:
                raise
            await around.sleep(pause)
        else:
            return check_log_proof(answer.line, answer.proof, key, subject)
    raise AssertionError  # the waits have no end


def check_log_proof(line: bytes, text: str, key: NoteKey, subject: Subject) -> LogProof:
    """Check the proof of the line of a game, hand and stage; LogProofError where it fails."""
    try:
        noted = read_noted(line)
    except TranscriptError as error:
        raise LogProofError(Reason.LINE, f"it is of no such line: {error}", text) from None
    if (noted.game.hex(), noted.hand, noted.stage) != subject:
        detail = f"a line of {noted.stage}, hand {noted.hand}, came for another that was asked for"
        raise LogProofError(Reason.LINE, detail, text)
    try:
        open_log_proof(parse_log_proof(text.encode()), line, key, key.name)
    except TranscriptError as error:
        detail = f"the dealer's log does not prove its line of {noted.stage}: {error}"
        raise LogProofError(Reason.SIGNATURE, detail, text) from None
    return LogProof(noted, line, text)
