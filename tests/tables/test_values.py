"""Which values of a game were ever used, and what was missed (section 2)."""

from dealer_service.rules import entry as e
from dealer_service.tables.values import Fingerprints, UsedValues
from tests.support.simulator import LIVELY, play_game


def test_every_anchor_and_link_of_a_log_was_used() -> None:
    game = play_game(seed=2, hands=40, players=4, habits=LIVELY)
    logged: list[str] = []
    for _, entry in game.log:
        if isinstance(entry, e.SeatTaken) and entry.anchor:
            logged.append(entry.anchor)
        if isinstance(entry, e.Anchored):
            logged += [entry.anchor, *([entry.missing_link] if entry.missing_link else [])]
        if isinstance(entry, e.DeckCommitted | e.HandVoid):
            logged += [one.link for one in entry.links]
    values = UsedValues()
    for _, entry in game.log:
        values.note(entry)
    assert all(values.was_used(value) for value in logged)
    # The rules let no value in twice.
    assert len(logged) == len(set(logged))


def test_a_value_that_was_never_logged_is_new() -> None:
    assert not UsedValues().was_used("ab" * 32)


def test_a_link_for_the_open_hand_is_used_before_it_is_logged() -> None:
    values = UsedValues()
    values.hold("ab" * 32)
    assert values.was_used("ab" * 32)


def test_a_missed_anchor_is_the_one_that_the_hand_froze() -> None:
    game = play_game(hands=2, players=2, close=False)
    game.open_hand()
    frozen = game.state.seats[2].anchor
    game.give_links(missing=["ben"])
    game.void_hand(e.VoidReason.LINK_MISSING)
    assert game.values.missed_anchor(3, "ben") == frozen
    assert game.values.missed_anchor(3, "ann") is None
    assert game.values.missed_anchor(2, "ben") is None


def test_fingerprints_hold_what_was_added_and_no_more_than_that() -> None:
    fingerprints = Fingerprints()
    texts = [f"{number:064x}" for number in range(3_000)]
    for text in texts[::2]:
        fingerprints.add(text)
        fingerprints.add(text)
    assert all(text in fingerprints for text in texts[::2])
    assert not any(text in fingerprints for text in texts[1::2])


def test_a_value_of_a_long_game_takes_few_bytes() -> None:
    fingerprints = Fingerprints()
    for number in range(6_000):
        fingerprints.add(f"{number:064x}")
    assert fingerprints._slots.itemsize * len(fingerprints._slots) <= 32 * 6_000
