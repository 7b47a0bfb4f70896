"""The page compares checkpoints of several people, and says what a proof proves."""

import json
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from audit_cli.checks.check import ProofFile
from audit_cli.log.logproof import LogProof, parse_log_proof
from audit_cli.report.finding import Promise
from dealer_service.rules.entry import LogProof as Rule
from tests.support.audits import judge
from tests.support.browser import give_files
from tests.support.game_files import GAME, tree_root
from tests.support.published_logs import PublishedLog
from tests.support.simulator import KEY_SEED, ORIGIN, RULES, Simulator, play_game
from tests.support.told_games import new_log, proof_of, told


@cache
def played() -> Simulator:
    return play_game(seed=5, hands=3, players=3, rules=replace(RULES, log_proof=Rule.FOLLOW))


def key() -> str:
    return str(played().signer.verifier)


def game_file(folder: Path) -> Path:
    """Write the game's file."""
    place = folder / "game.jsonl"
    place.write_bytes(played().game_file())
    return place


def dealer(change: Any = None) -> PublishedLog:
    """A dealer's log that tells of another game, and of this one as `change` has it."""
    return told(new_log(ORIGIN, KEY_SEED).game(GAME, hands=2), played().transcript(), change)


def otherwise(line: dict[str, Any]) -> dict[str, Any]:
    """Give the line of hand 2's deck with another root."""
    about = line["noted"]
    if (about["stage"], about["hand"]) != ("deck_committed", 2):
        return line
    return {**line, "noted": {**about, "root": "ab" * 32}}


def leaves_of_game(size: int) -> list[bytes]:
    """Give the leaf hashes of the first lines of the game."""
    return [sha256(b"\0" + line).digest() for line in played().transcript().lines[:size]]


def note_of_game(size: int, root: bytes | None = None) -> str:
    """Sign the first lines of the game, or another root of so many."""
    signer = new_log(ORIGIN, KEY_SEED).signer
    log = f"{ORIGIN}/games/{played().transcript().game}"
    return signer.note(log, size, root or tree_root(leaves_of_game(size)))


def answer(probe: Chrome, name: str, *details: object) -> dict[str, Any]:
    """Ask the page's own module, and give its answer."""
    told = probe.execute_async_script(
        """
        const [name, details, done] = arguments;
        probe[name](...details).then((told) => done(told), (error) => done({error: error.message}));
        """,
        name,
        details,
    )
    assert isinstance(told, dict)
    return told


class TestTwoCheckpoints:
    def test_of_one_size_and_root_are_of_one_history(self, probe: Chrome) -> None:
        told = answer(probe, "compare", [note_of_game(9), note_of_game(9)], key(), False)
        assert told["verdict"] == "holds"
        assert told["fork"] is None

    def test_of_one_size_and_two_roots_are_a_fork_with_both_as_evidence(
        self, probe: Chrome
    ) -> None:
        both = [note_of_game(9), note_of_game(9, b"\1" * 32)]
        told = answer(probe, "compare", both, key(), False)
        assert told["verdict"] == "broken"
        assert "signed two histories at size 9" in told["text"]
        assert told["fork"]["notes"] == both
        assert told["fork"]["key"] == key()

    def test_of_two_sizes_say_nothing_without_the_lines(self, probe: Chrome) -> None:
        told = answer(probe, "compare", [note_of_game(9), note_of_game(12)], key(), False)
        assert told["verdict"] == "not established"
        assert "different sizes" in told["text"]

    def test_of_two_sizes_are_held_to_the_lines_of_a_loaded_game(
        self, probe: Chrome, tmp_path: Path
    ) -> None:
        give_files(probe, "#files", [game_file(tmp_path)])
        alike = answer(probe, "compare", [note_of_game(9), note_of_game(12)], key(), True)
        assert alike["verdict"] == "holds"
        other = [note_of_game(9), note_of_game(12, b"\1" * 32)]
        told = answer(probe, "compare", other, key(), True)
        assert told["verdict"] == "broken"
        assert "signed another history at size 12" in told["text"]
        assert told["fork"]["notes"][1] == other[1]
        leaves = [bytes.fromhex(leaf) for leaf in told["fork"]["leaves"]]
        assert leaves == leaves_of_game(len(leaves))

    def test_of_two_logs_have_nothing_to_compare(self, probe: Chrome) -> None:
        told = answer(probe, "compare", [note_of_game(9), dealer().note()], key(), False)
        assert told["verdict"] == "not established"
        assert "different logs" in told["text"]

    def test_of_which_one_was_changed_prove_nothing(self, probe: Chrome) -> None:
        forged = note_of_game(9).replace("\n9\n", "\n8\n")
        told = answer(probe, "compare", [note_of_game(9), forged], key(), False)
        assert told["verdict"] == "not established"
        assert any("fails" in words for words in [told["text"], *told["details"]])

    def test_prove_nothing_while_no_key_is_known(self, probe: Chrome) -> None:
        told = answer(probe, "compare", [note_of_game(9), note_of_game(9)], None, False)
        assert told["verdict"] == "not established"
        assert "no key is known" in told["text"]

    def test_are_found_in_whole_records_and_game_files_too(self, probe: Chrome) -> None:
        whole = played().game_file().decode()
        rows = whole.splitlines()
        size = next(at for at, row in enumerate(rows) if row.startswith('{"checkpoint"')) - 1
        record = json.dumps(
            {"link": {"checkpoint": note_of_game(size, b"\1" * 32), "hand": 1, "link": "ab" * 32}},
            separators=(",", ":"),
            ensure_ascii=False,
        )
        told = answer(probe, "compare", [whole, f"{{}}\n{record}\n"], key(), False)
        assert told["verdict"] == "broken"
        assert f"signed two histories at size {size}" in told["text"]
        same = answer(probe, "compare", [whole, whole], key(), False)
        assert same["verdict"] == "holds"

    def test_that_are_none_are_left_out_with_the_reason(self, probe: Chrome) -> None:
        told = answer(probe, "compare", ["hello\n", note_of_game(9)], key(), False)
        assert told["verdict"] == "not established"
        assert "without a blank line" in told["text"]

    def test_need_a_key_that_is_one(self, probe: Chrome) -> None:
        told = answer(probe, "compare", [note_of_game(9)], "x", False)
        assert told == {"error": "not a verifier key"}


def index_of(log: PublishedLog, words: bytes) -> int:
    """Give the place of the line with some words that is of the game."""
    game = played().transcript().game.encode()
    return next(n for n, line in enumerate(log.lines) if words in line and game in line)


class TestAProof:
    def test_of_a_line_that_the_loaded_game_has_holds(self, probe: Chrome, tmp_path: Path) -> None:
        log = dealer()
        index = index_of(log, b'"game_closed"')
        give_files(probe, "#files", [game_file(tmp_path)])
        for extra in (True, False):
            told = answer(probe, "checkProof", proof_of(log, index, extra=extra), key(), True)
            assert told["verdict"] == "holds", told
            assert "with the root of the entries of this file" in told["text"]
            assert told["line"] == log.lines[index].decode()
            assert told["path"][-1]["node"] == told["root"] == tree_root(log.leaves).hex()

    def test_of_another_root_is_broken(self, probe: Chrome, tmp_path: Path) -> None:
        log = dealer(otherwise)
        give_files(probe, "#files", [game_file(tmp_path)])
        told = answer(probe, "checkProof", proof_of(log, index_of(log, b"abab")), key(), True)
        assert told["verdict"] == "broken"
        assert "which the entries of this file have not" in told["text"]

    def test_of_a_game_that_is_not_loaded_says_what_the_line_tells(self, probe: Chrome) -> None:
        told = answer(probe, "checkProof", proof_of(dealer(), 0), key(), False)
        assert told["verdict"] == "holds"
        assert told["text"] == f"the dealer's log tells of game_opened of game {GAME}, at size 1"

    def test_with_a_wrong_hash_does_not_prove_its_line(self, probe: Chrome) -> None:
        log = dealer()
        place = proof_of(log, 0).replace("index 0", "index 1")
        told = answer(probe, "checkProof", place, key(), False)
        assert told["verdict"] == "broken"
        assert told["text"] == "it does not prove its line: the proof leads to another root"

    def test_without_its_line_needs_the_game(self, probe: Chrome) -> None:
        told = answer(probe, "checkProof", proof_of(dealer(), 0, extra=False), key(), False)
        assert told["verdict"] == "not established"
        assert "which line it is of is not known" in told["text"]

    def test_under_a_checkpoint_that_was_changed_is_broken(self, probe: Chrome) -> None:
        log = dealer()
        proof = proof_of(
            log,
            0,
            dealer(otherwise).note().rpartition("\n\n")[0]
            + "\n\n"
            + (log.note().rpartition("\n\n")[2]),
        )
        told = answer(probe, "checkProof", proof, key(), False)
        assert told["verdict"] == "broken"

    def test_that_is_none_is_told_so(self, probe: Chrome) -> None:
        told = answer(probe, "checkProof", "hello\n\nworld\n", key(), False)
        assert told["verdict"] == "not established"
        assert told["text"] == "this is no proof: not a proof"


@pytest.mark.parametrize("change", [None, otherwise], ids=["honest", "another_root"])
def test_an_audit_with_proofs_says_of_the_dealers_log_what_the_command_says(
    probe: Chrome, tmp_path: Path, change: Any
) -> None:
    log = dealer(change)
    proofs = [proof_of(log, number) for number in range(len(log.lines))]
    files = []
    for number, text in enumerate(proofs):
        proof = parse_log_proof(text)
        assert isinstance(proof, LogProof)
        files.append(ProofFile(f"{number}.tlog-proof", proof))
    report = judge(played().game_file(), key=key(), proofs=tuple(files))
    place = game_file(tmp_path)
    give_files(probe, "#files", [place])
    case = {
        "file": place.name,
        "key": key(),
        "records": [],
        "notes": [],
        "proofs": [{"name": f"{at}.tlog-proof", "text": text} for at, text in enumerate(proofs)],
        "required": [],
    }
    (got,) = probe.execute_async_script(
        "const [cases, done] = arguments; probe.auditCases(cases).then(done);", [case]
    )
    (consistent,) = (one for one in got["promises"] if one["promise"] == "CONSISTENT")
    want = [(one.verdict.value, one.text) for one in report.of(Promise.CONSISTENT)]
    assert [(one["verdict"], one["text"]) for one in consistent["findings"]] == want
    assert got["warnings"] == list(report.warnings)
    assert got["exit_status"] == int(report.exit_status())
    assert len(got["forks"]) == len(report.forks)
