"""A game's file, and behind it short other histories of the game under the same key."""

from hashlib import sha256

from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from tests.support.simulator import Simulator
from tests.support.transcripts import dump


def forked_file(game: Simulator, forks: int) -> bytes:
    """Give the game's file with so many other histories, each of one signed line."""
    header, *_ = game.game_file().splitlines()
    parts = [game.game_file()]
    for at in range(forks):
        line = dump({"at": at, "paused": {}})
        root = sha256(b"\0" + line).digest()
        checkpoint = Checkpoint(f"{game.origin}/games/{game.game.hex()}", 1, root)
        note = sign_checkpoint(checkpoint, game.signer)
        parts.append(b"\n".join([header, line, dump({"checkpoint": note}), b""]))
    return b"".join(parts)
