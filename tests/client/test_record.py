"""A player's record is as PROTOCOL.md section 10 says, on disk before what it tells of is sent."""

import json
from pathlib import Path

import pytest

from dealer_service.client.durable import FileError
from dealer_service.client.files import GameFiles
from dealer_service.client.record import Record
from dealer_service.client.refusing import Evidence, Reason, Refused
from dealer_service.client.sent import (
    ActSent,
    AnchorSent,
    ChipsSent,
    ComeBackSent,
    LeaveSent,
    LinkSent,
    SeatAsked,
    Sent,
    ShowSent,
    SitOutSent,
    from_line,
    to_line,
)
from dealer_service.client.verifier import LinkDue
from dealer_service.transcript.canonical import Text, decode
from dealer_service.transcript.note import NoteKey, note_signer

KEY: NoteKey = note_signer("dealer.example.net", bytes(range(32))).verifier
GAME = "ab" * 16
NOTE = "dealer.example.net/games/x\n1\nAA==\n\n\u2014 dealer.example.net AAAA\n"
EVIDENCE = Evidence((b'{"at":1}',), ((1, NOTE),))
REFUSED = Refused(GAME, Reason.MIX, "the mix is \u00e4nother", EVIDENCE)


def record(folder: Path, *, game: str = GAME) -> Record:
    return Record(folder / "record", game=game, key=str(KEY), origin=KEY.name, player="ann")


def files(folder: Path) -> GameFiles:
    return GameFiles(folder, KEY, GAME, "ann")


def lines(path: Path) -> list[object]:
    return [decode(line, Text.UNICODE) for line in path.read_bytes().splitlines()]


def test_a_record_has_the_form_of_section_10(tmp_path: Path) -> None:
    held = record(tmp_path)
    held.anchor("aa" * 32)
    held.link(1, "bb" * 32, NOTE)
    held.checkpoint(NOTE)
    held.missed(1)
    held.refused(REFUSED)
    assert lines(tmp_path / "record") == [
        {
            "format": "cutcard-record/1",
            "game": GAME,
            "key": str(KEY),
            "origin": "dealer.example.net",
            "player": "ann",
        },
        {"anchor": {"anchor": "aa" * 32}},
        {"link": {"checkpoint": NOTE, "hand": 1, "link": "bb" * 32}},
        {"checkpoint": NOTE},
        {"missed": {"hand": 1}},
        {"refused": {"detail": "the mix is \u00e4nother", "reason": "MIX"}},
    ]


def test_a_record_goes_on_after_a_restart(tmp_path: Path) -> None:
    held = record(tmp_path)
    held.anchor("aa" * 32)
    held.link(1, "bb" * 32, NOTE)
    held.close()
    again = record(tmp_path)
    assert dict(again.links) == {1: "bb" * 32}
    assert again.anchors == {"aa" * 32}
    again.anchor("aa" * 32)
    again.link(1, "bb" * 32, NOTE)
    assert len(lines(tmp_path / "record")) == 3


def test_a_record_holds_one_link_a_hand(tmp_path: Path) -> None:
    held = record(tmp_path)
    held.link(1, "bb" * 32, NOTE)
    with pytest.raises(FileError, match="a hand has one"):
        held.link(1, "cc" * 32, NOTE)


def test_a_record_of_another_game_is_refused(tmp_path: Path) -> None:
    record(tmp_path).close()
    with pytest.raises(FileError, match="another dealer key"):
        record(tmp_path, game="cd" * 16)


def test_half_a_line_is_cut_off(tmp_path: Path) -> None:
    record(tmp_path).close()
    whole = (tmp_path / "record").read_bytes()
    (tmp_path / "record").write_bytes(whole + b'{"anchor":{"anch')
    held = record(tmp_path)
    held.missed(2)
    assert lines(tmp_path / "record")[1:] == [{"missed": {"hand": 2}}]


ALL_SENT: list[Sent] = [
    SeatAsked("request-1", 2, 500, "aa" * 32, "ref"),
    AnchorSent("request-2", "aa" * 32, 3, "bb" * 32),
    LinkSent(4, "cc" * 32),
    ActSent("request-3", 4, 5, "raise", 600),
    ShowSent("request-4", 4),
    SitOutSent("request-5"),
    ComeBackSent("request-6"),
    ChipsSent("request-7", 100),
    LeaveSent("request-8"),
]


@pytest.mark.parametrize("sent", ALL_SENT, ids=lambda sent: type(sent).__name__)
def test_what_was_sent_is_read_back(sent: Sent) -> None:
    assert from_line(to_line(sent)) == sent


@pytest.mark.parametrize(
    "line",
    [{}, {"act": 1}, {"cheat": {}}, {"show": {"hand": "1", "request_id": "x"}}, {"show": {}}],
    ids=str,
)
def test_what_no_client_sends_is_not_read(line: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"sends no|fields of one|unpack"):
        from_line(line)  # type: ignore[arg-type]


def test_a_restarted_client_knows_what_it_had_sent(tmp_path: Path) -> None:
    held = files(tmp_path)
    for sent in ALL_SENT:
        held.note(sent)
    held.close()
    assert files(tmp_path).sent == ALL_SENT


def test_an_anchor_is_in_the_record_before_it_is_sent(tmp_path: Path) -> None:
    held = files(tmp_path)
    held.note(AnchorSent("request-2", "aa" * 32))
    held.note(SeatAsked("request-3", 0, 5, "bb" * 32))
    held.note(SeatAsked("request-4", 0, 5, ""))
    assert held.record.anchors == {"aa" * 32, "bb" * 32}


@pytest.mark.parametrize("lost", ["sent", "record", "both"])
def test_a_client_killed_before_a_link_is_noted_everywhere_gives_the_same(
    tmp_path: Path, lost: str
) -> None:
    """Chain, record and journal are written in this order, each on disk before the next."""
    held = files(tmp_path)
    anchor = held.new_anchor(lambda _: bytes(range(32)), 5)
    paths = [tmp_path / f"{GAME}.ann.{name}" for name in ("record", "sent")]
    before = {path: path.read_bytes() for path in paths}
    due = LinkDue(1, anchor, NOTE)
    sent = held.note_link(due)
    held.close()
    for path in paths:
        if lost == "both" or path.suffix == f".{lost}":
            path.write_bytes(before[path])
    again = files(tmp_path)
    assert again.note_link(due) == sent
    assert [each for each in again.sent if isinstance(each, LinkSent)] == [sent]
    assert dict(again.record.links) == {1: sent.link if isinstance(sent, LinkSent) else ""}


def test_no_secret_of_the_chain_is_in_record_or_journal(tmp_path: Path) -> None:
    held = files(tmp_path)
    seed = bytes(range(32))
    anchor = held.new_anchor(lambda _: seed, 5)
    held.note_link(LinkDue(1, anchor, NOTE))
    for name in ("record", "sent"):
        assert seed.hex() not in (tmp_path / f"{GAME}.ann.{name}").read_text()


def test_a_client_that_can_not_have_all_files_holds_none(tmp_path: Path) -> None:
    held = files(tmp_path)
    with pytest.raises(FileError, match="another client"):
        files(tmp_path)
    held.close()
    (tmp_path / f"{GAME}.ann.sent").write_text("damaged\n")
    with pytest.raises(FileError, match="damaged"):
        files(tmp_path)
    (tmp_path / f"{GAME}.ann.sent").write_text("")
    files(tmp_path).close()


def test_the_evidence_is_written_whole_for_its_owner(tmp_path: Path) -> None:
    path = files(tmp_path).write_evidence(REFUSED)
    assert path.stat().st_mode & 0o077 == 0
    first, refused, line, note = (json.loads(each) for each in path.read_text().splitlines())
    assert first["format"] == "cutcard-evidence/1"
    assert refused["refused"]["reason"] == "MIX"
    assert (line, note) == ({"line": '{"at":1}'}, {"checkpoint": NOTE})


def test_a_game_that_was_refused_is_not_come_back_to(tmp_path: Path) -> None:
    held = files(tmp_path)
    held.record.refused(REFUSED)
    held.close()
    for _ in range(2):
        with pytest.raises(FileError, match="left this game: MIX"):
            files(tmp_path)


def test_no_link_is_in_a_repr() -> None:
    """It is nobody's until it is logged."""
    assert "cc" * 32 not in repr(LinkSent(4, "cc" * 32))
    assert "bb" * 32 not in repr(AnchorSent("request-2", "aa" * 32, 3, "bb" * 32))
