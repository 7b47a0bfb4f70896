"""The honest game of the flaw bank, and what the verifier says of it when its dealer changes it."""

from importlib import resources

from audit_cli.report.finding import Promise
from audit_cli.rng.flaws import games_changed
from audit_cli.rng.flaws.games_changed import (
    CARD_HAND,
    REWRITTEN_HAND,
    RIVER_HAND,
    broken,
    card_swapped,
    honest,
    rewritten,
    river_swapped,
    verify,
)
from tests.support.simulator import KEY_SEED, play_game

FILE = resources.files("audit_cli.rng.flaws") / "games" / "honest.game"


def test_the_honest_game_is_the_simulators() -> None:
    assert play_game(seed=32, hands=5, players=3).game_file() == FILE.read_bytes()
    assert games_changed.KEY_SEED == KEY_SEED


def test_it_is_written_and_signed_again_byte_for_byte() -> None:
    assert honest().render() == FILE.read_bytes()


def test_nothing_is_wrong_with_it() -> None:
    report = verify(honest(), outside=honest().note(len(honest().lines)))
    assert (int(report.exit_status()), broken(report)) == (0, {})


def test_a_swapped_river_is_found_in_its_hand_by_the_commitment_alone() -> None:
    assert broken(verify(river_swapped())) == {Promise.REPLAYED: {RIVER_HAND}}


def test_a_swapped_card_is_found_in_its_hand_by_the_commitment_alone() -> None:
    assert broken(verify(card_swapped())) == {Promise.REPLAYED: {CARD_HAND}}


def test_a_rewritten_log_holds_together() -> None:
    assert rewritten().find("deck_committed", REWRITTEN_HAND) != honest().find(
        "deck_committed", REWRITTEN_HAND
    )
    assert int(verify(rewritten()).exit_status()) == 0


def test_a_kept_checkpoint_proves_that_a_log_was_rewritten() -> None:
    report = verify(rewritten(), outside=honest().note(len(honest().lines)))
    assert broken(report) == {Promise.CONSISTENT: {None}}
    assert len(report.forks) == 1


def test_a_checkpoint_from_before_the_rewritten_hand_proves_nothing() -> None:
    first = next(size for size in honest().sizes if size > 1)
    assert b'"hand":2' not in b"".join(honest().lines[:first])
    assert broken(verify(rewritten(), outside=honest().note(first))) == {}
