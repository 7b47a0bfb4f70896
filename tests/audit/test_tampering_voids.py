"""Voids (T13): with their secrets, in time, before the deck, few by the operator's own reasons."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import pytest

from audit_cli.report.finding import Promise, Verdict
from dealer_service.rules.entry import Act, CloseReason, Entry, HandOpened, HandVoid, VoidReason
from tests.support.audits import broken, judge, places, tell, told, unproved
from tests.support.simulator import RULES, Cheat, Simulator
from tests.support.small_games import finish, table_of


def void(game: Simulator, reason: VoidReason, *, missing: Collection[str] = ()) -> None:
    game.wait(500)
    game.open_hand()
    game.wait(100)
    game.give_links(missing=missing)
    game.void_hand(reason)


def test_voids_within_the_rules_hold_and_their_decks_are_printed() -> None:
    """One player throws hands away: not broken, and everybody sees what it threw away."""
    game = table_of("ann", "ben", "cleo")
    void(game, VoidReason.LINK_MISSING, missing=["ben"])
    game.anchor("ben")
    void(game, VoidReason.LINK_MISSING, missing=["ben"])
    game.play_hand()
    report = judge(finish(game).game_file(), key=game.key)
    assert report.exit_status() == 0, tell(report)
    words = told(report)
    assert "hand 1 is void: link_missing, the link of ben is missing" in words
    assert "hand 1 was void, and ben has given its missing link since" in words
    assert "the deck that would have been: board" in words
    assert "would have won" in words or "would have tied" in words
    assert "missing links by player: 2 by ben" in words
    assert "re-rolls: 2 hands were void after links came (1, 2)" in words


def test_a_void_after_all_links_shows_the_deck_that_would_have_been() -> None:
    game = table_of("ann", "ben")
    void(game, VoidReason.OPERATOR)
    game.play_hand()
    report = judge(finish(game).game_file(), key=game.key)
    assert report.exit_status() == 0
    words = told(report)
    assert "hand 1 is void: operator, after links came" in words
    assert "seat 1 ann:" in words


def void_row(change: dict[str, object], reason: VoidReason = VoidReason.LINK_MISSING) -> set[str]:
    game = table_of("ann", "ben", "cleo")
    game.play_hand()
    void(game, reason, missing=["ben"] if reason is VoidReason.LINK_MISSING else [])
    game.play_hand()
    finish(game)
    transcript = game.transcript()
    one = transcript.find("hand_void")
    transcript.change(one.index, **change)
    report = judge(transcript.render(game.signer), key=game.key)
    assert report.exit_status() == 1
    assert (2, one.index) in places(report, "COMPLETE"), tell(report)
    return broken(report)


@pytest.mark.parametrize("secret", [None, ""])
def test_a_void_without_its_secret_breaks_complete(secret: str | None) -> None:
    """Whether the field is left out or empty."""
    assert void_row({"secret": secret}) == {"COMPLETE"}


def test_a_void_for_a_reason_that_is_none_breaks_complete() -> None:
    assert "COMPLETE" in void_row({"reason": "bad_cards"}, VoidReason.OPERATOR)


def test_a_void_that_names_nobody_breaks_complete() -> None:
    assert "COMPLETE" in void_row({"missing": []})


def test_a_void_that_names_another_player_breaks_complete() -> None:
    assert "COMPLETE" in void_row({"missing": [{"player": "ann", "seat": 1}]})


def test_a_void_by_the_operator_that_names_a_player_breaks_complete() -> None:
    missing = [{"player": "ann", "seat": 1}]
    assert "COMPLETE" in void_row({"missing": missing}, VoidReason.OPERATOR)


def test_a_void_before_its_time_breaks_complete() -> None:
    game = table_of("ann", "ben", "cleo")
    void(game, VoidReason.LINK_MISSING, missing=["ben"])
    game.play_hand()
    transcript = finish(game).transcript()
    one = transcript.find("hand_void")
    opened = transcript.find("hand_opened", hand=1)
    transcript.move_time(one.index, opened.at + RULES.link_ms - 1)
    report = judge(transcript.render(game.signer), key=game.key)
    assert broken(report) == {"COMPLETE"}, tell(report)
    assert places(report, "COMPLETE") == [(1, one.index)]


def test_a_void_after_its_deck_breaks_complete() -> None:
    """The dealer sees the deck, and throws it away for a reason of its own."""
    game = table_of("ann", "ben", "cleo")
    game.play_hand()
    game.play_hand()
    transcript = finish(game).transcript()
    span = transcript.span(2)
    deck_at = transcript.find("deck_committed", hand=2).index
    secret = transcript.find("secret_revealed", hand=2)
    transcript.delete(secret.index)
    for index in reversed(range(deck_at + 1, span.stop)):
        transcript.delete(index)
    body = {
        "hand": 2,
        "links": [],
        "missing": [],
        "reason": "operator",
        "secret": secret.body["secret"],
    }
    at = transcript.read(deck_at).at
    transcript.insert(deck_at + 1, at, "hand_void", body)
    report = judge(transcript.render(game.signer), key=game.key)
    assert {"COMPLETE", "ORDERED"} <= broken(report), tell(report)
    assert (2, deck_at + 1) in places(report, "COMPLETE")


def test_a_fault_of_the_dealer_is_broken_and_its_deck_is_replayed() -> None:
    game = table_of("ann", "ben", "cleo")
    game.play_hand()
    game.open_hand()
    game.give_links()
    game.commit_deck()
    game.act(Act.CALL)
    game.void_hand(VoidReason.DEALER_FAULT)
    game.play_hand()
    report = judge(finish(game).game_file(), key=game.key)
    assert broken(report) == {"COMPLETE"}, tell(report)
    assert report.verdicts()[Promise.REPLAYED] is Verdict.HOLDS
    assert [hand for hand, _ in places(report, "COMPLETE")] == [2]


def test_chips_that_are_not_as_at_a_void_hands_opening_break_complete() -> None:
    game = table_of("ann", "ben", "cleo")
    game.play_hand()
    void(game, VoidReason.OPERATOR)
    game.play_hand()
    transcript = finish(game).transcript()
    one = transcript.find("hand_opened", hand=3)
    seats = [dict(seat) for seat in one.body["seats"]]
    seats[0]["stack"] += 100
    seats[1]["stack"] -= 100
    transcript.change(one.index, seats=seats)
    report = judge(transcript.render(game.signer), key=game.key)
    assert {"COMPLETE", "PLAYED"} <= broken(report)
    assert places(report, "COMPLETE")[0] == (2, one.index)


def third_void(*, more: int = 0, reason: CloseReason | None = CloseReason.OPERATOR) -> Simulator:
    """Void three hands by the operator's own reasons, play `more` hands, close with a reason.

    The third void is made by changing what is logged.
    """
    reasons = iter([VoidReason.OPERATOR, VoidReason.HEALTH])

    def tamper(at: int, entry: Entry) -> Iterable[tuple[int, Entry]]:
        if isinstance(entry, HandVoid):
            entry = replace(entry, reason=next(reasons, VoidReason.OPERATOR), missing=())
        if isinstance(entry, HandOpened):
            entry = replace(entry, voids=min(entry.hand - 1, 3), misses=())
        yield at, entry

    game = table_of("ann", "ben", "cleo", "dan", cheat=Cheat(tamper=tamper))
    for name in ("ann", "ben", "cleo"):
        void(game, VoidReason.LINK_MISSING, missing=[name])
    for _ in range(more):
        game.play_hand()
    return game if reason is None else finish(game, reason)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (1, CloseReason.OPERATOR),
        (0, CloseReason.OPERATOR),
        (0, CloseReason.MAX_HANDS),
        # A restore closes the game right behind the hand that it voids.
        (1, CloseReason.RESTORED),
        # The game is still open, and another hand was opened all the same.
        (1, None),
    ],
)
def test_a_third_void_by_the_operators_own_reasons_breaks_complete(
    more: int, reason: CloseReason | None
) -> None:
    game = third_void(more=more, reason=reason)
    report = judge(game.game_file(), key=game.key)
    entry = [one.index for one in game.transcript().all("hand_void")][2]
    assert places(report, "COMPLETE") == [(3, entry)], tell(report)


def test_a_third_void_is_allowed_as_the_last_hand_of_a_game_closed_by_a_restore() -> None:
    game = third_void(reason=CloseReason.RESTORED)
    report = judge(game.game_file(), key=game.key)
    assert not places(report, "COMPLETE"), tell(report)


def test_a_third_void_is_open_while_the_game_may_still_close_by_a_restore() -> None:
    game = third_void(reason=None)
    report = judge(game.game_file(), key=game.key)
    assert not places(report, "COMPLETE"), tell(report)
    assert "COMPLETE" in unproved(report)


def test_a_fault_of_the_dealer_before_the_deck_is_broken_too() -> None:
    game = table_of("ann", "ben")
    game.open_hand()
    game.void_hand(VoidReason.DEALER_FAULT)
    game.play_hand()
    report = judge(finish(game).game_file(), key=game.key)
    assert broken(report) == {"COMPLETE"}, tell(report)
    assert places(report, "COMPLETE")[0][0] == 1
