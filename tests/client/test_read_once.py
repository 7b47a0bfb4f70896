"""What several players of one process read of a log is read once, and judged no less."""

import pytest

from dealer_service.client.read_once import open_checkpoint, read_line
from dealer_service.client.refusing import ProtocolBreach
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.ed25519 import signing_key
from dealer_service.transcript.note import NoteSigner
from dealer_service.transcript.refusal import TranscriptError

LINE = b'{"at":5,"paused":{}}'
ORIGIN = "localhost/games/" + "ab" * 16


def test_a_line_is_read_once_at_each_place() -> None:
    assert read_line(3, LINE) is read_line(3, LINE)
    assert read_line(4, LINE).index == 4


def test_a_line_that_can_not_be_read_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ProtocolBreach):
            read_line(3, b"{}")


def test_a_checkpoint_is_good_for_its_own_key_and_log_alone() -> None:
    signer, other = (NoteSigner("localhost", signing_key(bytes([n]) * 32)) for n in (1, 2))
    note = sign_checkpoint(Checkpoint(ORIGIN, 1, bytes(32)), signer).encode()
    assert open_checkpoint(note, signer.verifier, ORIGIN) is open_checkpoint(
        note, signer.verifier, ORIGIN
    )
    with pytest.raises(TranscriptError):
        open_checkpoint(note, other.verifier, ORIGIN)
    with pytest.raises(TranscriptError):
        open_checkpoint(note, signer.verifier, "localhost/games/" + "cd" * 16)
    forged = note.replace(b"\n1\n", b"\n2\n")
    with pytest.raises(TranscriptError):
        open_checkpoint(forged, signer.verifier, ORIGIN)
