"""The bytes of add-checkpoint (C2SP tlog-witness): what is asked, and what answers mean."""

import pytest

from dealer_service.publishing.add_checkpoint import (
    Conflict,
    Declined,
    Inconsistent,
    Signed,
    read_reply,
    write_request,
)

NOTE = (
    "example.com/log\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/log AA==\n"
)
SIZE = "text/x.tlog.size"


def test_a_request_is_the_old_size_the_proof_an_empty_line_and_the_checkpoint() -> None:
    asked = write_request(2, (bytes(32), b"\xff" * 32), NOTE)
    assert asked == (
        b"old 2\n"
        b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
        b"//////////////////////////////////////////8=\n"
        b"\n" + NOTE.encode()
    )


def test_a_request_from_nothing_has_no_proof() -> None:
    assert write_request(0, (), NOTE) == b"old 0\n\n" + NOTE.encode()


def test_a_proof_has_at_most_63_hashes() -> None:
    assert write_request(1, (bytes(32),) * 63, NOTE)
    with pytest.raises(ValueError, match="no proof leads from size 1 by 64 hashes"):
        write_request(1, (bytes(32),) * 64, NOTE)


def test_what_is_answered_with_200_is_signature_lines() -> None:
    assert read_reply(200, "text/plain", b"lines\n") == Signed(b"lines\n")


@pytest.mark.parametrize(
    ("kind", "content", "size"),
    [
        (SIZE, b"0\n", 0),
        (SIZE, b"20852014\n", 20_852_014),
        (SIZE, b"9223372036854775807\n", 2**63 - 1),
        (SIZE, b"9223372036854775808\n", None),
        (SIZE, b"007\n", None),
        (SIZE, b"-1\n", None),
        (SIZE, b"7", None),
        (SIZE, b"7\n7\n", None),
        (SIZE, b"", None),
        ("text/plain", b"7\n", None),
    ],
)
def test_a_conflict_tells_the_size_where_it_is_one(
    kind: str, content: bytes, size: int | None
) -> None:
    assert read_reply(409, kind, content) == Conflict(size)


def test_a_proof_that_does_not_hold_is_422() -> None:
    assert read_reply(422, "text/plain", b"") == Inconsistent()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (404, "it does not know this log (404)"),
        (403, "it does not trust this dealer's key (403)"),
        (302, "status 302"),
        (500, "status 500"),
        (204, "status 204"),
    ],
)
def test_every_other_status_declines(status: int, said: str) -> None:
    assert read_reply(status, "text/plain", b"") == Declined(said)


def test_what_a_witness_says_moves_no_cursor_and_is_short() -> None:
    reply = read_reply(500, "text/plain", b"\x1b[2Jno\r\nlog \xe2\x80\x94 " + b"x" * 500)
    assert isinstance(reply, Declined)
    assert reply.why.startswith("status 500: [2Jno log x")
    assert len(reply.why) <= 200
    assert reply.why.isascii()
    assert reply.why.isprintable()
