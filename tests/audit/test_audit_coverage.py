"""Only entries under a good checkpoint of the key are judged; a bad one breaks SIGNED."""

import io

import pytest

from audit_cli import coverage
from audit_cli.coverage import Ended, Judged, cover
from audit_cli.gamefile import Line, read_game_file
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.report.finding import Finding, Promise, Verdict
from tests.support.game_files import GAME, ORIGIN, RULES, GameFile, Signer

OTHER = Signer(seed=bytes(32))


def judged(file: GameFile, trusted: Signer | None = None) -> list[Judged]:
    key = None if trusted is None else parse_vkey(trusted.vkey)
    assert key is None or isinstance(key, VerifierKey)
    return list(cover(read_game_file(io.BytesIO(file.data()), "test"), key))


def kinds(items: list[Judged]) -> list[str]:
    return [item.kind for item in items if isinstance(item, Line)]


def findings(items: list[Judged]) -> list[Finding]:
    found = [item for item in items if isinstance(item, Finding)]
    assert all((f.promise, f.verdict) == (Promise.SIGNED, Verdict.BROKEN) for f in found)
    return found


def ended(items: list[Judged]) -> Ended:
    return next(item for item in items if isinstance(item, Ended))


def test_entries_behind_the_last_checkpoint_are_not_judged() -> None:
    file = GameFile().checkpoint().entry("paused").checkpoint().entry("resumed").entry("paused")
    items = judged(file)
    assert kinds(items) == ["game_opened", "paused"]
    end = ended(items)
    assert (end.entries, end.covered, end.checkpoints) == (4, 2, 2)
    assert (end.unsigned, end.first_unsigned) == ({"resumed": 1, "paused": 1}, 6)
    assert findings(items) == []


def test_without_a_checkpoint_nothing_is_judged() -> None:
    items = judged(GameFile().entry("paused"))
    assert kinds(items) == []
    assert ended(items).covered == 0


def test_checkpoints_of_a_key_that_is_not_trusted_cover_nothing() -> None:
    items = judged(GameFile().checkpoint(), OTHER)
    assert kinds(items) == []
    assert findings(items) == []


def test_the_trusted_key_counts_and_not_the_one_in_the_file() -> None:
    file = GameFile(key=OTHER.vkey).checkpoint()
    assert kinds(judged(file, Signer())) == ["game_opened"]
    assert kinds(judged(file)) == []


def _bad(note: str) -> GameFile:
    return GameFile().checkpoint(note).entry("paused").checkpoint()


def test_a_failing_signature_breaks_signed_and_covers_nothing() -> None:
    good = GameFile().note()
    bad = good[:-12] + ("A" if good[-12] != "A" else "B") + good[-11:]
    items = judged(_bad(bad))
    (finding,) = findings(items)
    assert (finding.game, finding.line) == (GAME, 3)
    assert "signature" in finding.text
    assert kinds(items) == ["game_opened", "paused"]


def test_a_bad_signature_beside_a_good_one_breaks_signed() -> None:
    good = GameFile().note()
    both = good + Signer().sign("something else\n")
    (finding,) = findings(judged(_bad(both)))
    assert "signature" in finding.text


def test_another_root_breaks_signed() -> None:
    file = GameFile()
    (finding,) = findings(judged(_bad(file.signer.note(file.log, 1, bytes(32)))))
    assert finding.expected == bytes(32).hex()
    assert finding.found == file.leaves[0].hex()


@pytest.mark.parametrize("size", [0, 2])
def test_another_size_breaks_signed(size: int) -> None:
    file = GameFile()
    (finding,) = findings(judged(_bad(file.signer.note(file.log, size, file.leaves[0]))))
    assert finding.found == f"size {size}"


@pytest.mark.parametrize("log", [ORIGIN, f"{ORIGIN}/games/{'00' * 16}", f"other/games/{GAME}"])
def test_another_log_breaks_signed(log: str) -> None:
    file = GameFile()
    (finding,) = findings(judged(_bad(file.signer.note(log, 1, file.leaves[0]))))
    assert finding.found == log


@pytest.mark.parametrize("field", [{"game": "00" * 16}, {"origin": "elsewhere.example"}])
def test_game_opened_names_the_header_s_origin_and_game(field: dict[str, str]) -> None:

    names = {"suite": "cutcard/v1", "origin": ORIGIN, "game": GAME, "rules": RULES} | field
    file = GameFile(opened=False).entry("game_opened", **names).checkpoint()
    (finding,) = findings(judged(file))
    assert (finding.found, finding.line) == (next(iter(field.values())), 2)


def test_the_key_of_the_header_has_the_origin_s_name() -> None:
    signer = Signer(name="elsewhere.example")
    (finding,) = findings(judged(GameFile(signer).checkpoint()))
    assert finding.found == "elsewhere.example"


def test_a_trusted_key_of_another_origin_breaks_signed() -> None:
    """A dealer's key signs for its own origin and no other."""
    elsewhere = Signer(name="elsewhere.example")
    file = GameFile(elsewhere, key=Signer().vkey).checkpoint()
    items = judged(file, elsewhere)
    (finding,) = findings(items)
    assert (finding.expected, finding.found) == (ORIGIN, "elsewhere.example")
    assert kinds(items) == []


def test_a_damaged_entry_is_passed_on_in_its_place() -> None:
    items = judged(GameFile().raw(b"junk").checkpoint())
    assert kinds(items) == ["game_opened", ""]


def test_what_is_held_back_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "MAX_HELD", 2_000)
    file = GameFile().checkpoint()
    for _ in range(200):
        file.entry("paused")
    items = judged(file.checkpoint())
    assert kinds(items) == ["game_opened"]
    assert ended(items).unsigned == {"paused": 200}
