"""Game files that somebody else changed, or that end early: format, signatures, forks, tails."""

from collections.abc import Callable
from functools import cache

import pytest

from audit_cli.report.finding import Promise, Verdict
from dealer_service.transcript.note import note_signer
from tests.support.audits import broken, judge, places, tell, unproved
from tests.support.forked_files import forked_file
from tests.support.simulator import ORIGIN, Simulator, play_game
from tests.support.transcripts import Transcript, dump

ALWAYS = {"BOUND", "REPLAYED", "ORDERED", "DEALT", "COMPLETE", "PLAYED"}


@cache
def honest() -> Simulator:
    return play_game(seed=11, hands=6, players=4)


# T8, T18, T19: not of this format.


def _change_card(**fields: object) -> Callable[[Transcript], int]:
    def change(transcript: Transcript) -> int:
        one = transcript.find("opened")
        cards = [dict(card) for card in one.body["cards"]]
        cards[0].update(fields)
        transcript.change(one.index, cards=cards)
        return one.index

    return change


def _replace(old: bytes, new: bytes, kind: str = "acted") -> Callable[[Transcript], int]:
    def change(transcript: Transcript) -> int:
        one = transcript.find(kind)
        assert old in transcript.lines[one.index]
        transcript.lines[one.index] = transcript.lines[one.index].replace(old, new, 1)
        return one.index

    return change


def _change(kind: str, **fields: object) -> Callable[[Transcript], int]:
    def change(transcript: Transcript) -> int:
        one = transcript.find(kind)
        transcript.change(one.index, **fields)
        return one.index

    return change


NOT_OF_THIS_FORMAT: dict[str, Callable[[Transcript], int]] = {
    "position 52": _change_card(position=52),
    "card 1s": _change_card(card="1s"),
    "a salt of 15 bytes": _change_card(salt="00" * 15),
    "upper-case hex": _change_card(salt="AA" * 16),
    "suite cutcard/v0": _change("game_opened", suite="cutcard/v0"),
    "an unknown field": _change("acted", note="x"),
    "a missing field": _change("acted", turn=None),
    "an unknown kind": _replace(b'"acted"', b'"actex"'),
    "a key twice": _replace(b'"seat":', b'"seat":1,"seat":'),
    "a fraction": _replace(b'"turn":1}', b'"turn":1.0}'),
    "an exponent": _replace(b'"turn":1}', b'"turn":1e2}'),
    "2^53": _change("acted", to=2**53),
    "keys out of order": _replace(b'{"acted":', b'{"zcted":'),
    "a needless escape": _replace(b'"act":', b'"\\u0061ct":'),
    "a space": _replace(b'"act":', b'"act": '),
    "a null": _replace(b'"turn":1', b'"turn":null'),
    "a negative amount": _replace(b'"to":', b'"to":-'),
    "true for a number": _replace(b'"turn":1', b'"turn":true'),
    "a seat of 11": _change("acted", seat=11),
    "a word that is none": _change("acted", act="shove"),
    "a hand of 0": _change("hand_opened", hand=0),
    "an eleventh link": _change("deck_committed", links=[{"link": "00" * 32, "seat": 1}] * 11),
    "seat and board": _change("opened", seat=1, board=1),
    "neither seat nor board": _change("opened", seat=None, board=None),
    "a missing link without its hand": _replace(
        b'"stack"', b'"missing_link":"00","stack"', "seat_taken"
    ),
    "a line over 64 KiB": _change("hand_opened", commitment="0" * 70_000),
    "a character outside ASCII": _replace(b'"ann"', '"änn"'.encode(), "seat_taken"),
}


@pytest.mark.parametrize("name", NOT_OF_THIS_FORMAT)
def test_a_line_that_is_not_of_this_format_exits_3_with_its_line(name: str) -> None:
    """Signed anew by the dealer, so that only the form is at fault."""
    transcript = honest().transcript()
    index = NOT_OF_THIS_FORMAT[name](transcript)
    report = judge(transcript.render(honest().signer), key=honest().key)
    assert report.exit_status() == 3
    before = sum(1 for size in transcript.checkpoints if size <= index)
    assert report.damage[0].line == 2 + index + before
    assert report.damage[0].reason
    assert not broken(report), tell(report)


def test_the_other_hands_are_judged_beside_an_unreadable_line() -> None:
    transcript = honest().transcript()
    _replace(b'"act":', b'"act": ')(transcript)
    end = transcript.span(5)[-1]
    stacks = [dict(item) for item in transcript.read(end).body["stacks"]]
    stacks[0]["stack"] += 7
    transcript.change(end, stacks=stacks)
    report = judge(transcript.render(honest().signer), key=honest().key)
    assert report.exit_status() == 3
    assert places(report, "PLAYED")[0] == (5, end), tell(report)


# T9: openings of others behind the transcript.


def test_own_openings_hold_by_their_proofs() -> None:
    game = play_game(seed=5, hands=3, players=3)
    report = judge(game.game_file(openings_of="ben"), key=game.key)
    assert report.exit_status() == 0
    assert "6 own openings" in report.of(Promise.REPLAYED)[0].text


@pytest.mark.parametrize("seed", [6, 7])
def test_openings_of_another_game_break_replayed(seed: int) -> None:
    """T9."""
    game, other = (play_game(seed=n, hands=3, players=3) for n in (5, seed))
    transcript = game.transcript()
    transcript.openings = other.openings("ben")
    report = judge(transcript.render(game.signer), key=game.key)
    assert broken(report) == {"REPLAYED"}, tell(report)


def test_an_opening_of_another_hand_breaks_replayed_and_one_of_a_burn_breaks_dealt() -> None:
    game = play_game(seed=5, hands=3, players=3)
    transcript = game.transcript()
    transcript.openings = [game.openings("ben")[0] | {"hand": 2}]
    assert broken(judge(transcript.render(game.signer), key=game.key)) == {"REPLAYED"}
    transcript.openings = game._open(game.deals[1], [6])
    assert broken(judge(transcript.render(game.signer), key=game.key)) == {"DEALT"}


def _inner_node(game: Simulator) -> dict[str, object]:
    """An inner node presented as a leaf can not even be written: an opening names card and salt."""
    opening = game.openings("ben")[0]
    return opening | {"proof": opening["proof"][1:]}


BAD_PROOFS: dict[str, Callable[[Simulator], dict[str, object]]] = {
    "one hash too many": lambda game: (
        game.openings("ben")[0] | {"proof": [*game.openings("ben")[0]["proof"], "00" * 32]}
    ),
    "one hash too few": _inner_node,
    "no hash": lambda game: game.openings("ben")[0] | {"proof": []},
    "another position": lambda game: game.openings("ben")[0] | {"position": 4},
    "six hashes for position 51": lambda game: game.openings("ben")[0] | {"position": 51},
    "another card": lambda game: (
        game.openings("ben")[0]
        | {"card": "2c" if game.openings("ben")[0]["card"] != "2c" else "2d"}
    ),
    "a hand that never was": lambda game: game.openings("ben")[0] | {"hand": 99},
}


@pytest.mark.parametrize("name", BAD_PROOFS)
def test_an_opening_that_its_proof_does_not_prove_breaks_replayed(name: str) -> None:
    """T10."""
    game = play_game(seed=5, hands=3, players=3)
    transcript = game.transcript()
    transcript.openings = [BAD_PROOFS[name](game)]
    report = judge(transcript.render(game.signer), key=game.key)
    assert "REPLAYED" in broken(report), tell(report)
    assert report.of(Promise.REPLAYED)[0].line == transcript.render(game.signer).count(b"\n")


def test_own_openings_of_what_is_not_signed_are_not_established() -> None:
    """A file that ends in mid-hand: its dealing is under no checkpoint yet, or no line is."""
    game = honest().transcript(openings_of="ann")
    last = game.all("deck_committed")[-1]
    game.cut(last.index + 6)
    game.checkpoints = [size for size in game.checkpoints if size <= last.index + 1]
    dealt = [one["hand"] for one in game.openings]
    assert last.body["hand"] in dealt
    report = judge(game.render(honest().signer), key=honest().key)
    assert not broken(report), tell(report)
    assert {"DEALT", "REPLAYED", "COMPLETE"} <= unproved(report)
    game.checkpoints = [size for size in game.checkpoints if size <= last.index]
    assert not broken(judge(game.render(honest().signer), key=honest().key))
    game.checkpoints = []
    report = judge(game.render(honest().signer), key=honest().key)
    assert report.exit_status() == 4, tell(report)


def test_own_openings_under_another_trusted_key_establish_nothing() -> None:
    data = honest().game_file(openings_of="ann")
    report = judge(data, key=Simulator(signer=note_signer(ORIGIN, bytes(32))).key)
    assert report.exit_status() == 4, tell(report)


def test_a_proof_of_more_than_63_hashes_is_not_of_this_format() -> None:
    game = play_game(seed=5, hands=3, players=3)
    transcript = game.transcript()
    transcript.openings = [game.openings("ben")[0] | {"proof": ["00" * 32] * 64}]
    assert judge(transcript.render(game.signer), key=game.key).exit_status() == 3


# T16: signatures.


def test_a_line_changed_without_the_key_breaks_signed_and_judges_what_is_still_covered() -> None:
    game = honest()
    data = game.game_file().split(b"\n")
    index = next(
        n for n, line in enumerate(data) if b'"hand_opened":' in line and b'"hand":4' in line
    )
    data[index] = data[index].replace(b'"voids":0', b'"voids":1')
    report = judge(b"\n".join(data), key=game.key)
    assert "SIGNED" in broken(report)
    assert report.exit_status() == 1
    assert report.games[0].signed < report.games[0].entries
    assert report.verdicts()[Promise.DEALT] is Verdict.HOLDS


def test_a_bad_signature_of_the_known_key_beside_a_good_one_breaks_signed() -> None:
    game = honest()

    def spoil(size: int, note: str) -> str:
        line = note.rstrip("\n").rpartition("\n")[2]
        head, _, tail = line.rpartition(" ")
        flipped = tail[:20] + ("A" if tail[20] != "A" else "B") + tail[21:]
        return f"{note}{head} {flipped}\n" if size == len(game.lines) else note

    data = game.transcript().render(game.signer, rewrite=spoil)
    assert broken(judge(data, key=game.key)) == {"SIGNED"}


def test_a_signature_line_with_half_a_character_escaped_exits_3() -> None:
    """What JSON readers and writers take for text, and UTF-8 has no bytes for."""
    game = honest()
    data = game.game_file().splitlines(keepends=True)
    index = next(at for at, line in enumerate(data) if line.startswith(b'{"checkpoint"'))
    stranger = '\\n\u2014 \\ud800 AAAAAAAA\\n"}\n'.encode()
    data[index] = data[index].removesuffix(b'\\n"}\n') + stranger
    report = judge(b"".join(data), key=game.key)
    assert report.exit_status() == 3
    assert (report.damage[0].line, "a needless escape" in report.damage[0].reason) == (
        index + 1,
        True,
    )


def test_another_trusted_key_establishes_nothing() -> None:
    game = honest()
    other = note_signer(game.origin, bytes(32))
    report = judge(game.game_file(), key=str(other.verifier))
    assert report.exit_status() == 4
    assert unproved(report) == ALWAYS | {"SIGNED"}


def test_a_file_without_any_checkpoint_establishes_nothing() -> None:
    transcript = honest().transcript()
    transcript.checkpoints = []
    report = judge(transcript.render(honest().signer), key=honest().key)
    assert report.exit_status() == 4
    assert unproved(report) == ALWAYS | {"SIGNED"}
    assert set(report.verdicts().values()) == {Verdict.NOT_ESTABLISHED}


def test_a_header_of_another_game_breaks_signed() -> None:
    game = honest()
    data = game.transcript().render(game.signer, header={"game": "00" * 16})
    assert "SIGNED" in broken(judge(data, key=game.key))


# T11: forks.


def test_a_note_of_the_same_log_is_consistent() -> None:
    game = honest()
    notes = [game.transcript().note(game.signer, size) for size in (1, 9, len(game.lines))]
    report = judge(game.game_file(), key=game.key, outside=notes)
    assert report.exit_status() == 0
    assert Promise.CONSISTENT in report.asked


@pytest.mark.parametrize("size", [None, 20])
def test_a_note_of_another_history_breaks_consistent_and_is_kept_as_evidence(
    size: int | None,
) -> None:
    game = honest()
    other = game.transcript()
    other.change(other.find("seat_taken").index, stack=2_222)
    note = other.note(game.signer, size)
    report = judge(game.game_file(), key=game.key, outside=[note])
    assert broken(report) == {"CONSISTENT"}
    (fork,) = report.forks
    assert note in fork.notes
    assert bool(fork.leaves) == (size is not None)


def test_a_note_beyond_the_file_is_not_established() -> None:
    game = honest()
    cut = game.transcript()
    cut.cut(cut.checkpoints[-3])
    report = judge(
        cut.render(game.signer), key=game.key, outside=[game.transcript().note(game.signer)]
    )
    assert "CONSISTENT" in unproved(report)
    assert not broken(report)


def test_a_note_that_does_not_verify_is_ignored_with_a_warning() -> None:
    game = honest()
    other = note_signer(game.origin, bytes(32))
    report = judge(game.game_file(), key=game.key, outside=[game.transcript().note(other)])
    assert not broken(report)
    assert any("ignored" in warning for warning in report.warnings)


# T12, T20: tails.


@pytest.mark.parametrize("size", range(1, 120, 7))
def test_a_file_that_just_ends_is_judged_as_far_as_it_goes(size: int) -> None:
    game = honest()
    transcript = game.transcript()
    transcript.cut(size)
    transcript.checkpoints = [*(s for s in transcript.checkpoints if s < size), size]
    report = judge(transcript.render(game.signer), key=game.key)
    assert not broken(report), tell(report)
    assert report.exit_status() == 4
    assert "COMPLETE" in unproved(report)


def test_entries_behind_the_last_checkpoint_prove_nothing() -> None:
    game = honest()
    transcript = game.transcript()
    transcript.checkpoints = transcript.checkpoints[:-1]
    report = judge(transcript.render(game.signer), key=game.key)
    assert report.exit_status() == 4
    assert not broken(report)
    assert {"BOUND", "REPLAYED", "COMPLETE", "SIGNED"} <= unproved(report)
    assert any("unsigned" in one.text for one in report.of(Promise.COMPLETE))


def test_a_lie_behind_the_last_checkpoint_breaks_nothing() -> None:
    game = honest()
    transcript = game.transcript()
    transcript.checkpoints = transcript.checkpoints[:-1]
    data = transcript.render(game.signer, also=[dump({"at": 1, "hand_ended": {"hand": 1}})])
    report = judge(data, key=game.key)
    assert not broken(report)


def test_without_a_trusted_key_signed_is_not_established_where_it_is_required() -> None:
    report = judge(honest().game_file(), require=[Promise.SIGNED])
    assert report.exit_status() == 4


def test_what_does_not_apply_is_not_established_where_it_is_required() -> None:
    for promise in (Promise.BEACON_MIXED, Promise.WITNESSED):
        report = judge(honest().game_file(), key=honest().key, require=[promise])
        assert report.exit_status() == 4


def test_a_bare_file_key_judges_everything_but_signed() -> None:
    report = judge(honest().game_file())
    assert report.exit_status() == 0


def test_many_forks_of_one_game_keep_the_evidence_of_a_few() -> None:
    """Each needs the hash of every line of the longer history."""
    game = play_game(seed=1, hands=2, players=2)
    report = judge(forked_file(game, 30))
    assert len(places(report, "CONSISTENT")) == 30
    assert len(report.forks) == 10
    assert any("the evidence of 10 is kept" in words for words in report.warnings)
