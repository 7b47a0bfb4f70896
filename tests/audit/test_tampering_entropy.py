"""Anchors after a missed link (protocol 2), records of several games, and cards of other hands."""

from collections.abc import Iterable
from dataclasses import replace
from secrets import token_hex
from typing import Any

import pytest

from dealer_service.rules.entry import Anchored, CloseReason, Entry, HandOpened, VoidReason
from tests.support.audits import broken, judge, places, tell
from tests.support.simulator import Cheat, Simulator, play_chain, play_game
from tests.support.transcripts import Transcript


def after_a_miss(*, misses: int = 1, anchored: bool = True) -> Simulator:
    """Let ben miss links, and log a new anchor behind each miss; three sit, nobody has left."""
    game = Simulator(seed=5)
    for name in ("ann", "ben", "cleo"):
        game.sit(name)
    for number in range(misses):
        if number:
            game.anchor("ben")
        game.wait(500)
        game.open_hand()
        game.give_links(missing=["ben"])
        game.void_hand(VoidReason.LINK_MISSING)
    if anchored and misses == 1:
        game.anchor("ben")
    return game


def finished(game: Simulator) -> Transcript:
    game.play_hand()
    game.close(CloseReason.OPERATOR)
    game.reveal()
    return game.transcript()


def with_anchor(game: Transcript, **fields: Any) -> int:
    """Log one more anchor of ben, on a chain that nobody knows, where the last hand opens."""
    opened = game.all("hand_opened")[-1]
    body = {"anchor": token_hex(32), "player": "ben", "seat": 2, **fields}
    game.insert(opened.index, opened.at, "anchored", body)
    seats = [
        one | ({"anchor": body["anchor"]} if one["player"] == "ben" else {})
        for one in opened.body["seats"]
    ]
    game.change(opened.index + 1, seats=seats)
    return opened.index


def assert_player_mixed(simulator: Simulator, game: Transcript, entry: int) -> None:
    report = judge(game.render(simulator.signer), key=simulator.key)
    assert report.exit_status() == 1
    assert entry in [at for _, at in places(report, "PLAYER-MIXED")], tell(report)


def test_an_anchor_with_its_missing_link_holds() -> None:
    simulator = after_a_miss()
    report = judge(finished(simulator).render(simulator.signer), key=simulator.key)
    assert not broken(report), tell(report)


def test_an_anchor_without_the_missing_link_breaks_player_mixed() -> None:
    simulator = after_a_miss(anchored=False)
    game = finished(simulator)
    assert_player_mixed(simulator, game, with_anchor(game))


def test_a_further_anchor_behind_a_given_missing_link_breaks_player_mixed() -> None:
    """A missing link is given once: no anchor comes without one, and none comes with it again."""
    simulator = after_a_miss()
    game = finished(simulator)
    plain, again = game.copy(), game.copy()
    assert_player_mixed(simulator, plain, with_anchor(plain))
    given = game.find("anchored").body
    repeated = {name: given[name] for name in ("missing_hand", "missing_link")}
    assert_player_mixed(simulator, again, with_anchor(again, **repeated))


def test_an_anchor_behind_a_second_miss_breaks_player_mixed_with_its_link_too() -> None:
    simulator = after_a_miss(misses=2)
    link = simulator.clients["ben"].owed
    game = finished(simulator)
    entry = with_anchor(game, missing_hand=2, missing_link=link)
    assert_player_mixed(simulator, game, entry)


def test_a_missing_link_of_another_hand_breaks_player_mixed() -> None:
    simulator = after_a_miss(anchored=False)
    link = simulator.clients["ben"].owed
    game = finished(simulator)
    entry = with_anchor(game, missing_hand=3, missing_link=link)
    assert_player_mixed(simulator, game, entry)


def test_a_missing_link_that_does_not_fit_breaks_player_mixed() -> None:
    simulator = after_a_miss(anchored=False)
    game = finished(simulator)
    entry = with_anchor(game, missing_hand=1, missing_link=token_hex(32))
    assert_player_mixed(simulator, game, entry)


def test_a_missing_link_of_a_player_who_missed_none_breaks_player_mixed() -> None:
    simulator = after_a_miss(anchored=False)
    game = finished(simulator)
    fields = {"missing_hand": 1, "missing_link": token_hex(32), "player": "ann", "seat": 1}
    assert_player_mixed(simulator, game, with_anchor(game, **fields))


def test_misses_outlast_leaving() -> None:
    """Ben leaves and sits again without an anchor; the dealer logs one for it all the same."""

    def tamper(at: int, entry: Entry) -> Iterable[tuple[int, Entry]]:
        if isinstance(entry, HandOpened) and entry.hand == 2:
            anchor = token_hex(32)
            yield at, Anchored(2, "ben", anchor, None, None)
            seats = tuple(
                replace(one, anchor=anchor) if one.player == "ben" else one for one in entry.seats
            )
            entry = replace(entry, seats=seats)
        yield at, entry

    game = Simulator(seed=5, cheat=Cheat(tamper=tamper))
    for name in ("ann", "ben", "cleo"):
        game.sit(name)
    game.wait(500)
    game.open_hand()
    game.give_links(missing=["ben"])
    game.void_hand(VoidReason.LINK_MISSING)
    game.leave("ben")
    game.sit("ben", seat=2)
    report = judge(finished(game).render(game.signer), key=game.key)
    assert (1, game.transcript().find("anchored").index) in places(report, "PLAYER-MIXED")


# Records.


def test_the_records_of_a_chain_of_games_are_taken_together() -> None:
    games = play_chain(seed=4, games=2, hands=3, players=3)
    data = b"".join(game.game_file() for game in games)
    records = tuple(game.record("ann") for game in games)
    for mine in (records, b"".join(records)):
        report = judge(data, key=games[0].key, mine=mine)
        assert report.exit_status() == 0, tell(report)


def test_a_game_of_the_chain_without_a_record_is_not_established() -> None:
    games = play_chain(seed=4, games=2, hands=3, players=3)
    data = b"".join(game.game_file() for game in games)
    report = judge(data, key=games[0].key, mine=games[0].record("ann"))
    assert report.exit_status() == 4
    assert "3 hands dealt ann in, and there is no record of the game" in tell(report)


def test_the_records_of_two_players_are_each_compared() -> None:
    game = play_game(seed=4, hands=3, players=3)
    ann, ben = game.record("ann"), game.record("ben")
    assert judge(game.game_file(), key=game.key, mine=(ann, ben)).exit_status() == 0
    # What ben sent in the last hand, as ann's own: it is not what the log has of ann.
    mixed_up = b"\n".join([*ann.split(b"\n")[:-2], ben.split(b"\n")[-2], b""])
    report = judge(game.game_file(), key=game.key, mine=(mixed_up, ben))
    assert broken(report) == {"PLAYER-MIXED"}
    assert "the logged link of ann is not of its record" in tell(report)


# Cards of other hands.


@pytest.mark.parametrize("renumbered", [False, True])
def test_cards_of_another_hand_in_a_hand_break_replayed(renumbered: bool) -> None:
    """T9, whether the opening keeps its hand's number or takes that of where it stands."""
    simulator = play_game(seed=11, hands=8, players=3)
    game = simulator.transcript()
    boards = [
        one for one in game.all("opened") if "board" in one.body and len(one.body["cards"]) == 3
    ]
    one, other = next((a, b) for a in boards for b in boards if a.body["hand"] != b.body["hand"])
    hand = other.body["hand"] if renumbered else one.body["hand"]
    game.change(other.index, hand=hand, cards=one.body["cards"])
    report = judge(game.render(simulator.signer), key=simulator.key)
    found = places(report, "REPLAYED")
    assert (other.body["hand"], other.index) in found, tell(report)
