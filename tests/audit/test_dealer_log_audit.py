"""What an audit makes of the dealer's log: honest, silent, and telling something else."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from audit_cli.checks.check import ProofFile, Publication
from audit_cli.checks.quorum import find_quorum
from audit_cli.log.logproof import LogProof, parse_log_proof
from audit_cli.log.policy import Policy, parse_policy
from audit_cli.note import Note, VerifierKey, parse_note, parse_vkey
from audit_cli.report.finding import ExitStatus, Promise, Report, Verdict
from audit_cli.report.render import render_fork, render_text
from dealer_service.rules.entry import LogProof as Rule
from tests.support.audits import broken, judge, tell, unproved
from tests.support.audits import told as noticed
from tests.support.game_files import GAME, tree_root
from tests.support.published_logs import PublishedLog
from tests.support.simulator import KEY_SEED, ORIGIN, RULES, Simulator, play_game
from tests.support.told_games import (
    WITNESSES,
    Change,
    cosigned,
    dealer_log_line,
    files_of,
    new_log,
    policy_text,
    proof_of,
    told,
)

FOLLOWED = replace(RULES, log_proof=Rule.FOLLOW)


@cache
def honest() -> Simulator:
    return play_game(seed=5, hands=3, players=3, rules=FOLLOWED)


def key() -> str:
    return str(honest().signer.verifier)


def dealer(change: Change | None = None, *, others: bool = True) -> PublishedLog:
    """A log that tells of another game, and of the honest one as `change` has it."""
    log = new_log(ORIGIN, KEY_SEED)
    if others:
        log.game(GAME, hands=2)
    return told(log, honest().transcript(), change)


def policy(text: str | None = None) -> Policy:
    read = parse_policy(text or policy_text())
    assert isinstance(read, Policy)
    return read


def proof_file(text: str) -> ProofFile:
    proof = parse_log_proof(text)
    assert isinstance(proof, LogProof)
    return ProofFile("a.tlog-proof", proof)


def audited(folder: Path, log: PublishedLog, note: str | None = None, **more: Any) -> Report:
    """Audit the honest game with a published log."""
    data = more.pop("data", None) or honest().transcript().render(honest().signer)
    fetch = files_of(log, folder, note)
    return judge(data, key=key(), dealer_log=Publication("the folder", fetch), **more)


def verdict(report: Report, promise: Promise) -> Verdict:
    return report.verdicts()[promise]


def test_an_honest_log_is_consistent(tmp_path: Path) -> None:
    report = audited(tmp_path, dealer())
    assert broken(report) == unproved(report) == set(), tell(report)
    assert verdict(report, Promise.CONSISTENT) is Verdict.HOLDS
    assert verdict(report, Promise.WITNESSED) is Verdict.NOT_APPLICABLE
    assert "2 games, 5 hands" in noticed(report)


def test_a_quorum_of_witnesses_is_named_with_its_times(tmp_path: Path) -> None:
    log = dealer()
    report = audited(tmp_path, log, cosigned(log.note(), 1, 3), policy=policy())
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    (finding,) = report.of(Promise.WITNESSED)
    assert "w1 (2026-01-01 00:01:40Z), w3 (2026-01-01 00:01:40Z)" in finding.text


@pytest.mark.parametrize(
    ("numbers", "text", "reason"),
    [
        ((1,), policy_text(), "quorum most is not reached; co-signed: w1"),
        ((), policy_text(), "co-signed: none"),
        ((1, 2, 3), policy_text("quorum none"), "asks for no witness"),
        (
            (1, 2, 3),
            policy_text(log=new_log("other.example", bytes(32)).signer.vkey),
            "does not list",
        ),
    ],
)
def test_without_a_quorum_nothing_is_witnessed(
    tmp_path: Path, numbers: tuple[int, ...], text: str, reason: str
) -> None:
    log = dealer()
    report = audited(tmp_path, log, cosigned(log.note(), *numbers), policy=policy(text))
    assert unproved(report) == {"WITNESSED"}
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED
    assert reason in tell(report)


def test_a_false_cosignature_of_a_known_witness_refuses_the_note(tmp_path: Path) -> None:
    log = dealer()
    other = cosigned(log.note(1), 3).removeprefix(log.note(1))
    report = audited(tmp_path, log, cosigned(log.note(), 1, 2) + other, policy=policy())
    assert unproved(report) == {"WITNESSED"}
    assert "does not hold" in tell(report)


def test_a_policy_without_a_log_is_asked_for_and_not_established() -> None:
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), policy=policy())
    assert unproved(report) == {"WITNESSED"}


def _another_root(line: dict[str, Any]) -> dict[str, Any]:
    noted = line["noted"]
    if (noted["hand"], noted["stage"]) == (2, "deck_committed"):
        return line | {"noted": noted | {"root": "ab" * 32}}
    return line


def _another_time(line: dict[str, Any]) -> dict[str, Any]:
    noted = line["noted"]
    return line | {"at": line["at"] + ((noted["hand"], noted["stage"]) == (2, "hand_opened"))}


def _another_size(line: dict[str, Any]) -> dict[str, Any]:
    noted = line["noted"]
    size = noted["size"] + (noted["stage"] == "game_closed")
    return line | {"noted": noted | {"size": size}}


def _of_later_hands_alone(line: dict[str, Any]) -> dict[str, Any] | None:
    noted = line["noted"]
    return None if noted["hand"] == 1 or noted["stage"] == "game_opened" else line


def _a_hand_left_out(line: dict[str, Any]) -> dict[str, Any] | None:
    return None if line["noted"]["hand"] == 2 else line


@pytest.mark.parametrize(
    ("change", "reason", "forks"),
    [
        (_another_root, "deck_committed of hand 2 of another history", 1),
        (_another_time, "another time of hand_opened of hand 2", 0),
        (_another_size, "game_closed of another history", 1),
        (_a_hand_left_out, "leaves out 2 lines of this game (hand_opened of hand 2", 0),
    ],
)
def test_a_dealer_that_keeps_two_books_breaks_consistent(
    tmp_path: Path, change: Change, reason: str, forks: int
) -> None:
    report = audited(tmp_path, dealer(change))
    assert broken(report) == {"CONSISTENT"}
    assert reason in tell(report)
    assert len(report.forks) == forks
    assert report.exit_status() is ExitStatus.BROKEN


def test_the_evidence_of_another_history_is_the_line_with_its_path(tmp_path: Path) -> None:
    log = dealer(_another_root)
    (fork,) = audited(tmp_path, log).forks
    (shown,) = fork.noted
    text = proof_of(log, shown.index, fork.notes[1])
    proof = parse_log_proof(text)
    assert isinstance(proof, LogProof)
    assert shown.proof == proof.path
    assert shown.line.encode() == log.lines[shown.index]
    assert '"noted"' in render_fork(fork)


def test_two_lines_for_one_stage_are_a_fork(tmp_path: Path) -> None:
    log = dealer()
    first = next(n for n, line in enumerate(log.lines) if b'"deck_committed"' in line)
    log.raw(log.lines[first].replace(b'"size":3', b'"size":99'))
    report = audited(tmp_path, log)
    assert broken(report) == {"CONSISTENT"}
    (fork,) = report.forks
    assert [one.index for one in fork.noted] == [first, len(log.lines) - 1]


def test_a_second_line_of_an_open_game_is_found_too(tmp_path: Path) -> None:
    log = dealer()
    log.noted("game_opened", 0, "ab" * 16).noted("hand_opened", 1, "ab" * 16)
    log.noted("hand_opened", 1, "ab" * 16)
    report = audited(tmp_path, log)
    assert broken(report) == {"CONSISTENT"}
    assert "two lines for hand_opened of hand 1" in tell(report)


def test_two_lines_for_one_stage_behind_the_reveal_are_a_fork_too(tmp_path: Path) -> None:
    log = dealer()
    log.noted("hand_opened", 99).noted("hand_opened", 99)
    report = audited(tmp_path, log)
    assert broken(report) == {"CONSISTENT"}
    (fork,) = report.forks
    assert [one.index for one in fork.noted] == [len(log.lines) - 2, len(log.lines) - 1]


def test_games_that_were_never_revealed_are_listed_and_break_nothing(tmp_path: Path) -> None:
    log = dealer()
    log.noted("game_opened", 0, "ab" * 16).hand(1, "ab" * 16)
    report = audited(tmp_path, log)
    assert report.exit_status() is ExitStatus.HOLDS
    assert "1 were opened and are not revealed" in noticed(report)
    assert f"game {'ab' * 16}: open, 1 hand" in noticed(report)


def test_a_hand_of_the_log_that_a_whole_file_has_not_breaks_complete(tmp_path: Path) -> None:
    log = dealer()
    log.noted("hand_opened", 4, honest().game.hex(), size=1_000)
    report = audited(tmp_path, log)
    assert broken(report) == {"COMPLETE", "CONSISTENT"}


def test_a_file_that_ends_early_leaves_later_hands_open(tmp_path: Path) -> None:
    cut = honest().transcript()
    cut.cut(cut.span(2)[-1] + 1)
    cut.checkpoints.append(len(cut.lines))
    report = audited(tmp_path, dealer(), data=cut.render(honest().signer))
    assert broken(report) == set()
    assert "COMPLETE" in unproved(report)
    assert "the dealer's log has hand_opened of hand 3" in tell(report)


def test_a_revealed_game_without_a_secret_breaks_bound(tmp_path: Path) -> None:
    cut = honest().transcript()
    last = cut.find("secret_revealed", hand=3).index
    cut.delete(last)
    cut.checkpoints = sorted({*cut.checkpoints, len(cut.lines)})

    def early(line: dict[str, Any]) -> dict[str, Any]:
        noted = line["noted"]
        revealed = noted["stage"] == "game_revealed"
        return line | {"noted": noted | {"size": noted["size"] - revealed}}

    report = audited(tmp_path, dealer(early), data=cut.render(honest().signer))
    assert "BOUND" in broken(report)


def test_lines_that_are_not_there_yet_are_not_established(tmp_path: Path) -> None:
    log = dealer()
    while len(log.lines) > 12:
        log.lines.pop()
    report = audited(tmp_path, log, cosigned(log.note(), 1, 2), policy=policy())
    assert broken(report) == set()
    assert unproved(report) == {"CONSISTENT", "WITNESSED"}


def test_rules_that_promise_no_line_leave_nothing_broken(tmp_path: Path) -> None:
    game = play_game(seed=6, hands=2, players=3)
    log = new_log(ORIGIN, KEY_SEED).game(GAME)
    report = audited(tmp_path, log, data=game.transcript().render(game.signer))
    assert (broken(report), unproved(report)) == (set(), {"CONSISTENT"})
    assert "the rules promise none" in tell(report)


def test_witnesses_of_an_older_checkpoint_vouch_for_what_it_covers(tmp_path: Path) -> None:
    log = dealer()
    note = cosigned(log.note(12), 1, 2)
    report = audited(tmp_path, log, outside=[note], policy=policy())
    assert unproved(report) == {"WITNESSED"}
    left = len(log.lines) - 12
    assert f"{left} lines of this game not witnessed" in tell(report)
    whole = audited(tmp_path, log, outside=[cosigned(log.note(), 1, 2)], policy=policy())
    assert verdict(whole, Promise.WITNESSED) is Verdict.HOLDS


def test_a_quorum_is_reached_with_the_last_witness_that_it_needs() -> None:
    log = dealer()
    note = log.note()
    for witness, time in zip(WITNESSES, (30, 10, 20), strict=True):
        note += witness.cosign(note, time)
    key = parse_vkey(log.signer.vkey)
    assert isinstance(key, VerifierKey)
    parsed = parse_note(note)
    assert isinstance(parsed, Note)
    quorum = find_quorum(policy(), key, parsed)
    assert quorum == ({"w1": 30, "w2": 10, "w3": 20}, 20)


def test_lines_that_no_rule_promises_may_be_left_out(tmp_path: Path) -> None:
    game = play_game(seed=6, hands=2, players=3)
    log = told(new_log(ORIGIN, KEY_SEED), game.transcript(), _a_hand_left_out)
    report = audited(tmp_path, log, data=game.transcript().render(game.signer))
    assert (broken(report), unproved(report)) == (set(), {"CONSISTENT"})


def test_a_game_that_was_open_when_the_log_began_has_its_later_lines(tmp_path: Path) -> None:
    game = play_game(seed=6, hands=2, players=3)
    log = told(new_log(ORIGIN, KEY_SEED), game.transcript(), _of_later_hands_alone)
    report = audited(tmp_path, log, data=game.transcript().render(game.signer))
    assert (broken(report), unproved(report)) == (set(), {"CONSISTENT"})


def test_where_the_rules_promise_it_the_opening_may_not_be_left_out(tmp_path: Path) -> None:
    log = told(new_log(ORIGIN, KEY_SEED), honest().transcript(), _of_later_hands_alone)
    assert broken(audited(tmp_path, log)) == {"CONSISTENT"}


def test_of_two_files_of_one_game_either_may_bring_the_lines() -> None:
    log = dealer()
    game = honest().transcript()
    line = dealer_log_line(log, _indexes(log), cosigned(log.note(), 1, 2))
    data = game.render(honest().signer, also=[line]) + game.render(honest().signer)
    report = judge(data, key=key(), policy=policy())
    assert verdict(report, Promise.WITNESSED) is Verdict.HOLDS, tell(report)
    cut = honest().transcript()
    cut.cut(cut.span(2)[-1] + 1)
    cut.checkpoints.append(len(cut.lines))
    some = dealer_log_line(log, _indexes(log)[:5], cosigned(log.note(), 1, 2))
    rest = dealer_log_line(log, _indexes(log)[5:], cosigned(log.note(), 1, 2))
    data = cut.render(honest().signer, also=[some]) + game.render(honest().signer, also=[rest])
    report = judge(data, key=key(), policy=policy())
    assert verdict(report, Promise.WITNESSED) is Verdict.HOLDS, tell(report)


# What its server sends is not believed.


def test_a_log_that_can_not_be_read_is_not_established(tmp_path: Path) -> None:
    log = dealer()
    fetch = files_of(log, tmp_path)
    (tmp_path / "tile" / "entries" / f"000.p/{len(log.lines)}").unlink()
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), dealer_log=Publication("it", fetch))
    assert broken(report) == set()
    assert unproved(report) == {"CONSISTENT", "COMPLETE"}
    assert "no such file" in tell(report)


@pytest.mark.parametrize("file", ["tile/0/000.p", "tile/entries/000.p"])
def test_a_server_that_changes_a_byte_proves_nothing(tmp_path: Path, file: str) -> None:
    log = dealer()
    fetch = files_of(log, tmp_path)
    path = tmp_path / file / str(len(log.lines))
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)
    game = honest().transcript().render(honest().signer)
    report = judge(game, key=key(), dealer_log=Publication("it", fetch))
    assert (broken(report), unproved(report)) == (set(), {"CONSISTENT", "COMPLETE"})


def test_a_log_of_another_key_is_not_the_dealers(tmp_path: Path) -> None:
    log = told(new_log(ORIGIN, bytes(32)), honest().transcript())
    report = audited(tmp_path, log)
    assert broken(report) == set()
    assert "no good signature" in tell(report)


def test_a_checkpoint_of_a_game_is_not_one_of_the_dealers_log(tmp_path: Path) -> None:
    log = dealer()
    note = log.signer.note(f"{ORIGIN}/games/{GAME}", len(log.lines), tree_root(log.leaves))
    report = audited(tmp_path, log, note)
    assert (broken(report), unproved(report)) == (set(), {"CONSISTENT", "COMPLETE"})
    assert "of another log" in tell(report)


# Checkpoints of the dealer's log from other people.


def test_an_older_checkpoint_from_another_player_agrees(tmp_path: Path) -> None:
    log = dealer()
    report = audited(tmp_path, log, outside=[log.note(7)])
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


@pytest.mark.parametrize("size", [7, 8, 16])
def test_a_checkpoint_of_another_history_is_proved_a_fork(tmp_path: Path, size: int) -> None:
    log, other = dealer(), dealer(_another_root, others=False)
    other.raw(b"x").raw(b"y").raw(b"z").raw(b"a").raw(b"b").raw(b"c").raw(b"d").raw(b"e")
    report = audited(tmp_path, log, outside=[other.note(size)])
    assert broken(report) == {"CONSISTENT"}
    (fork,) = report.forks
    assert fork.notes[0] == other.note(size)
    assert (fork.prefix_root is None) == (size == len(log.lines))


def test_a_larger_checkpoint_has_nothing_to_compare_with(tmp_path: Path) -> None:
    log = dealer()
    later = log.copy().raw(b"a later line")
    report = audited(tmp_path, log, outside=[later.note()])
    assert (broken(report), unproved(report)) == (set(), {"CONSISTENT"})


def test_two_players_who_compare_notes_find_a_fork() -> None:
    log, other = dealer(), dealer(_another_root)
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), outside=[log.note(), other.note()])
    assert broken(report) == {"CONSISTENT"}
    (fork,) = report.forks
    assert fork.notes == (log.note(), other.note())
    alike = judge(data, key=key(), outside=[log.note(), cosigned(log.note(), 1)])
    assert alike.exit_status() is ExitStatus.HOLDS, tell(alike)
    alone = judge(data, key=key(), outside=[log.note()])
    assert unproved(alone) == {"CONSISTENT"}


# Lines in the file, and proofs beside it.


def _indexes(log: PublishedLog) -> list[int]:
    return [n for n, line in enumerate(log.lines) if honest().game.hex().encode() in line]


def test_lines_of_the_file_are_witnessed_without_the_log() -> None:
    log = dealer()
    line = dealer_log_line(log, _indexes(log), cosigned(log.note(), 1, 2))
    data = honest().transcript().render(honest().signer, also=[line])
    report = judge(data, key=key(), policy=policy())
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    assert verdict(report, Promise.WITNESSED) is Verdict.HOLDS


def test_without_the_last_root_a_game_is_not_witnessed() -> None:
    log = dealer()
    line = dealer_log_line(log, _indexes(log)[:-1], cosigned(log.note(), 1, 2))
    data = honest().transcript().render(honest().signer, also=[line])
    report = judge(data, key=key(), policy=policy())
    assert unproved(report) == {"WITNESSED"}
    assert "1 line of this game not witnessed (game_revealed)" in tell(report)


def test_lines_of_the_file_that_tell_otherwise_break_consistent() -> None:
    log = dealer(_another_root)
    data = honest().transcript().render(honest().signer, also=[dealer_log_line(log, _indexes(log))])
    report = judge(data, key=key())
    assert broken(report) == {"CONSISTENT"}
    assert len(report.forks) == 1


def test_a_line_of_another_game_says_nothing_of_this_one() -> None:
    log = dealer()
    line = dealer_log_line(log, [0, *_indexes(log)], cosigned(log.note(), 1, 2))
    data = honest().transcript().render(honest().signer, also=[line])
    report = judge(data, key=key(), policy=policy())
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


def test_a_checkpoint_with_extension_lines_is_none_of_the_dealers() -> None:
    log = dealer()
    text = log.note().partition("\n\n")[0] + "\nmore\n"
    note = cosigned(f"{text}\n{log.signer.sign(text)}", 1, 2)
    files = tuple(proof_file(proof_of(log, n, note)) for n in _indexes(log))
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), proofs=files, policy=policy())
    assert unproved(report) == {"CONSISTENT", "WITNESSED"}


def test_a_line_with_a_wrong_path_proves_nothing() -> None:
    log = dealer()
    note = cosigned(log.note(), 1, 2)
    line = dealer_log_line(log, _indexes(log), note).replace(b'"proof":["', b'"proof":["00', 1)
    wrong = line.replace(b'["00', b'["', 1)
    first = wrong.index(b'"proof":["') + 10
    wrong = (
        wrong[:first] + (b"0" if wrong[first : first + 1] != b"0" else b"1") + wrong[first + 1 :]
    )
    data = honest().transcript().render(honest().signer, also=[wrong])
    report = judge(data, key=key(), policy=policy())
    assert (broken(report), unproved(report)) == (set(), {"WITNESSED"})
    assert "is not proved" in tell(report)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"dealer_log":{}}', "checkpoint"),
        (b'{"dealer_log":{"checkpoint":"x","lines":[{"index":0,"line":"","proof":[]}]}}', "note"),
    ],
)
def test_a_malformed_line_is_not_of_this_format(line: bytes, reason: str) -> None:
    data = honest().transcript().render(honest().signer, also=[line])
    report = judge(data, key=key())
    assert report.exit_status() is ExitStatus.UNREADABLE
    assert reason in report.damage[0].reason


@pytest.mark.parametrize("extra", [True, False])
def test_a_proof_is_of_a_line_that_the_entries_tell(extra: bool) -> None:
    log = dealer()
    note = cosigned(log.note(), 1, 2)
    files = tuple(proof_file(proof_of(log, n, note, extra=extra)) for n in _indexes(log))
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), proofs=files, policy=policy())
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    some = judge(data, key=key(), proofs=files[2:4], policy=policy())
    assert unproved(some) == {"WITNESSED"}
    assert verdict(some, Promise.CONSISTENT) is Verdict.HOLDS


def test_a_proof_of_another_line_is_ignored_with_a_warning() -> None:
    log = dealer()
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), proofs=(proof_file(proof_of(log, 0)),))
    assert unproved(report) == {"CONSISTENT"}
    assert any("of no line of these games" in words for words in report.warnings)


def test_a_proof_of_a_line_that_lies_breaks_consistent() -> None:
    log = dealer(_another_root)
    index = next(n for n, line in enumerate(log.lines) if b"ab" * 32 in line)
    data = honest().transcript().render(honest().signer)
    report = judge(data, key=key(), proofs=(proof_file(proof_of(log, index)),))
    assert broken(report) == {"CONSISTENT"}


def test_a_game_without_a_hand_is_revealed_with_its_close(tmp_path: Path) -> None:
    game = play_game(seed=8, hands=0, players=2, rules=FOLLOWED)
    log = told(new_log(ORIGIN, KEY_SEED), game.transcript())
    note = cosigned(log.note(), 2, 3)
    data = game.transcript().render(game.signer)
    report = audited(tmp_path, log, note, data=data, policy=policy())
    assert broken(report) == set(), tell(report)
    assert verdict(report, Promise.WITNESSED) is Verdict.HOLDS, tell(report)


def test_the_report_tells_who_vouches(tmp_path: Path) -> None:
    log = dealer()
    report = audited(tmp_path, log, cosigned(log.note(), 1, 2), policy=policy())
    text = render_text(report, colour=False)
    assert "WITNESSED     holds" in text
    assert "co-signed by w1" in text
