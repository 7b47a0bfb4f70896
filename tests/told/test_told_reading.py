"""Hands told from a game file: chips, cards, events, and what is not told."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from audit_cli.gamefile import Damage
from audit_cli.told.events import (
    Act,
    Acted,
    Aside,
    Awarded,
    BlindsChopped,
    BoardDealt,
    By,
    HolesDealt,
    Move,
    Posted,
    Returned,
    RunsAgreed,
    What,
)
from audit_cli.told.hand import NOT_CLOSED, Cause, Game, Hand, Untold, Void
from audit_cli.told.made import made_hand
from audit_cli.told.reading import read_games
from audit_cli.told.view import see_as
from tests.support.game_files import GameFile, canonical
from tests.support.simulator import Cheat, play_chain, play_game
from tests.support.told_houses import ALL_HOUSES, hands_of, played, told, told_house

SEEDS = (1, 2)
EVERY = [(house, seed) for house in ALL_HOUSES for seed in SEEDS]
Change = Callable[[dict[str, Any]], object]


def changed(data: bytes, kind: str, change: Change, which: int = 0) -> bytes:
    """Change the `which`-th entry of a kind; one for which `change` returns "drop" is dropped."""
    lines = data.splitlines()
    at = [index for index, line in enumerate(lines) if kind in json.loads(line)][which]
    value = json.loads(lines[at])
    if change(value[kind]) == "drop":
        del lines[at]
    else:
        lines[at] = canonical(value)
    return b"".join(line + b"\n" for line in lines)


def untold(game: Game, number: int) -> Untold:
    """Give a hand that could not be told."""
    (hand,) = [one.hand for one in game.hands if one.hand.number == number]
    assert isinstance(hand, Untold), hand
    return hand


def holes_known(game: Game) -> dict[tuple[int, str], tuple[str, ...] | None]:
    """Give the hole cards of each hand and player dealt in."""
    return {
        (hand.number, seat.player): seat.holes for hand in hands_of(game) for seat in hand.dealt_in
    }


@pytest.mark.parametrize(("house", "seed"), EVERY)
def test_every_played_hand_is_told_and_its_chips_add_up(house: str, seed: int) -> None:
    game = told_house(house, seed)
    assert not any(isinstance(one.hand, Untold) for one in game.hands)
    assert [one.hand.number for one in game.hands] == list(range(1, 26))
    for hand in hands_of(game):
        assert sum(seat.net for seat in hand.seats) == -hand.rake
        assert sum(seat.put_in for seat in hand.seats) == hand.total
        assert sum(seat.won for seat in hand.seats) == hand.total - hand.rake
        assert all(seat.net == seat.won - seat.put_in for seat in hand.seats)
        assert set(hand.order) == {seat.seat for seat in hand.seats if seat.dealt_in}
        assert sum(pot.rake for pot in hand.pots) == hand.rake


@pytest.mark.parametrize(("house", "seed"), EVERY)
def test_a_stack_follows_from_event_to_event(house: str, seed: int) -> None:
    for hand in hands_of(told_house(house, seed)):
        stacks = {seat.seat: seat.stack for seat in hand.dealt_in}
        for event in hand.events:
            if isinstance(event, (Posted, Acted)):
                stacks[event.seat] -= event.amount
                assert event.stack == stacks[event.seat]
            elif isinstance(event, Returned):
                stacks[event.seat] += event.amount
                assert event.stack == stacks[event.seat]
            elif isinstance(event, Awarded):
                for winner in event.winners:
                    stacks[winner.seat] += winner.amount
        assert stacks == {seat.seat: seat.end for seat in hand.dealt_in}


@pytest.mark.parametrize(("house", "seed"), EVERY)
def test_after_the_reveal_every_hole_card_is_known_and_no_card_twice(house: str, seed: int) -> None:
    game = told_house(house, seed)
    assert game.revealed
    for hand in hands_of(game):
        cards = [card for seat in hand.dealt_in for card in seat.holes or ()]
        assert len(cards) == len(hand.order) * hand.rules.game.hole_cards
        for board in hand.boards:
            cards += board[hand.shared :]
        cards += hand.boards[0][: hand.shared]
        assert len(set(cards)) == len(cards)


@pytest.mark.parametrize(("house", "seed"), EVERY)
def test_the_names_of_what_was_shown_are_the_log_s(house: str, seed: int) -> None:
    for hand in hands_of(told_house(house, seed)):
        for event in hand.events:
            if not isinstance(event, Awarded):
                continue
            for winner in event.winners:
                if winner.name:
                    holes = hand.seat(winner.seat).holes or ()
                    made = made_hand(hand, holes, hand.boards[event.board - 1])
                    assert winner.name == (made.low_name if event.half == "low" else made.name)


def test_boards_of_a_hand_run_twice_share_what_came_before() -> None:
    twice = [
        hand
        for house, seed in (("straddles", 1), ("straddles", 4), ("hi_lo", 3))
        for hand in hands_of(told_house(house, seed))
        if len(hand.boards) > 1
    ]
    assert {hand.shared for hand in twice} == {0, 3, 4}
    for hand in twice:
        first, second = hand.boards
        assert first[: hand.shared] == second[: hand.shared]
        assert len(first) == len(second) == 5
        at = [isinstance(event, RunsAgreed) for event in hand.events].index(True)
        before = [event for event in hand.events[:at] if isinstance(event, BoardDealt)]
        behind = [event for event in hand.events[at:] if isinstance(event, BoardDealt)]
        assert sum(len(event.cards) for event in before) == hand.shared
        assert behind[-1].whole == second


def test_chopped_blinds_go_back_and_the_antes_are_the_big_blind_s() -> None:
    chopped = [
        hand
        for house, seed in (("limit", 6), ("mississippi", 8))
        for hand in hands_of(told_house(house, seed))
        if any(isinstance(event, BlindsChopped) for event in hand.events)
    ]
    assert {len(hand.pots) for hand in chopped} == {0, 1}
    for hand in chopped:
        assert all(pot.seats == (hand.big_blind,) for pot in hand.pots)
        assert hand.boards == ((),)


def test_a_raise_is_over_the_blind_in_full() -> None:
    game = told_house("straddles", 2)
    straddled = [hand for hand in hands_of(game) if hand.straddle is not None]
    assert straddled
    for hand in straddled:
        first = next(event for event in hand.events if isinstance(event, Acted))
        assert first.facing == 2 * hand.rules.big_blind


def test_the_posts_say_which_of_them_are_bets() -> None:
    posts = [
        event
        for house, seed in EVERY
        for hand in hands_of(told_house(house, seed))
        for event in hand.events
        if isinstance(event, Posted)
    ]
    bets = {what for what in What if any(one.what is what and one.bet for one in posts)}
    assert bets == {What.SMALL_BLIND, What.BIG_BLIND, What.STRADDLE, What.LIVE}
    assert {one.what for one in posts if not one.bet} == {What.ANTE, What.DEAD}


def test_what_happens_between_hands_stands_before_the_next_one() -> None:
    game = told_house("dead_button", 1)
    moves = [aside.move for aside in game.hands[0].before]
    assert moves[:5] == [Move.SEAT_TAKEN] * 5
    inside = [event for hand in hands_of(game) for event in hand.events if isinstance(event, Aside)]
    assert inside
    assert all(aside.player for aside in inside if aside.seat)


def test_who_did_not_act_in_time_was_acted_for() -> None:
    acts = [
        event
        for hand in hands_of(told_house("dead_button", 2))
        for event in hand.events
        if isinstance(event, Acted)
    ]
    assert {event.act for event in acts if event.by is By.CLOCK} <= {Act.FOLD, Act.CHECK}
    assert any(event.by is By.CLOCK for event in acts)


def test_a_void_is_told_by_its_reason_and_who_is_missing() -> None:
    voids = [
        one.hand for house, seed in EVERY for one in told_house(house, seed).hands
        if isinstance(one.hand, Void)
    ]  # fmt: skip
    missing = [void for void in voids if void.reason == "link_missing"]
    assert missing
    assert all(void.missing for void in missing)
    assert not any(void.missing for void in voids if void.reason != "link_missing")


def test_what_happened_in_a_void_hand_stands_before_the_next_one() -> None:
    data = told_before_a_void()
    game = told(data)
    void, after = game.hands[0], game.hands[1]
    assert isinstance(void.hand, Void)
    assert [aside.move for aside in after.before] == [Move.PAUSED, Move.RESUMED]


def told_before_a_void() -> bytes:
    """Give a game whose first hand is paused in, resumed in, and void."""
    lines = play_game(seed=1, hands=2, players=3).game_file().splitlines()
    entries = [json.loads(line) for line in lines]
    opened = next(at for at, entry in enumerate(entries) if "hand_opened" in entry)
    again = dict(entries[opened])
    again["hand_opened"] = again["hand_opened"] | {"hand": 99}
    at = entries[opened]["at"]
    body = {"hand": 99, "reason": "operator", "links": [], "missing": [], "secret": "00" * 32}
    between = [
        again,
        {"at": at, "paused": {}},
        {"at": at, "resumed": {}},
        {"at": at, "hand_void": body},
    ]
    lines[opened:opened] = [canonical(entry) for entry in between]
    return b"".join(line + b"\n" for line in lines)


def test_before_the_reveal_only_shown_cards_are_known() -> None:
    game = told(played("plain", 1, reveal=False).game_file())
    assert not game.revealed
    for hand in hands_of(game):
        assert all((seat.holes is not None) == (seat.seat in hand.shown) for seat in hand.dealt_in)


def test_a_player_s_own_openings_tell_its_cards_before_the_reveal() -> None:
    simulator = played("plain", 1, reveal=False)
    known = holes_known(told(simulator.game_file(openings_of="ben")))
    whole = holes_known(told_house("plain", 1))
    mine = {key: cards for key, cards in known.items() if key[1] == "ben"}
    assert mine
    assert mine == {key: cards for key, cards in whole.items() if key[1] == "ben"}
    assert None in known.values()


def test_one_player_s_view_has_its_cards_and_those_shown() -> None:
    game = told_house("plain", 1)
    seen = see_as(game, "ben")
    for hand, whole in zip(hands_of(seen), hands_of(game), strict=True):
        assert hand.hero == "ben"
        for seat, known in zip(hand.seats, whole.seats, strict=True):
            saw = seat.player == "ben" or seat.seat in hand.shown
            assert seat.holes == (known.holes if saw else None)
        assert hand.events == whole.events


def test_one_hand_can_be_asked_for_alone() -> None:
    data = played("plain", 1).game_file()
    games = read_games(BytesIO(data), "game.jsonl", 7)
    assert not isinstance(games, Damage)
    ((one,),) = [game.hands for game in games]
    whole = told_house("plain", 1)
    assert one == next(told for told in whole.hands if told.hand.number == 7)


def test_games_that_go_on_from_each_other_are_told_one_by_one() -> None:
    chain = play_chain(seed=1, games=3, hands=2)
    data = b"".join(game.game_file() for game in chain)
    games = read_games(BytesIO(data), "chain.jsonl")
    assert not isinstance(games, Damage)
    assert [game.game for game in games] == [game.game for game in map(told, [
        game.game_file() for game in chain
    ])]  # fmt: skip
    assert all(len(hands_of(game)) == 2 for game in games)


def test_a_game_that_is_still_played_ends_with_a_hand_that_is_not_told() -> None:
    data = played("plain", 1).game_file()
    lines = data.splitlines(keepends=True)
    ended = [at for at, line in enumerate(lines) if b'"hand_ended"' in line]
    game = told(b"".join(lines[: ended[1]]))
    assert game.closed_at == NOT_CLOSED
    first, second = [one.hand for one in game.hands if not isinstance(one.hand, Void)]
    assert isinstance(first, Hand)
    assert isinstance(second, Untold)
    assert second.cause is Cause.NOT_ENDED


def test_a_deck_that_is_not_the_committed_one_is_not_told() -> None:
    data = changed(
        played("plain", 1).game_file(),
        "secret_revealed",
        lambda body: body.update(secret="11" * 32),
    )
    game = told(data)
    number = next(one.hand.number for one in game.hands if not isinstance(one.hand, Void))
    hand = untold(game, number)
    assert hand.cause is Cause.WRONG
    assert hand.reason == "the deck derived from its secret is not the committed one"
    assert len(hands_of(game)) == len(hands_of(told_house("plain", 1))) - 1


def test_a_card_that_was_opened_and_is_not_the_deck_s_is_not_told() -> None:
    def another(body: dict[str, Any]) -> None:
        body["cards"][0]["card"] = "2c" if body["cards"][0]["card"] != "2c" else "2d"

    game = told(changed(played("plain", 1).game_file(), "opened", another))
    (wrong,) = [one.hand for one in game.hands if isinstance(one.hand, Untold)]
    assert " was opened at position " in wrong.reason


def test_an_opening_of_one_s_own_that_fails_its_proof_is_not_told() -> None:
    simulator = played("plain", 1, reveal=False)
    data = changed(
        simulator.game_file(openings_of="ben"), "opening", lambda body: body.update(salt="00" * 16)
    )
    (wrong,) = [one.hand for one in told(data).hands if isinstance(one.hand, Untold)]
    assert "fails its proof" in wrong.reason


TWELVE_MORE = [{"position": 30 + at, "to": "seat", "seat": 1 + at // 2} for at in range(12)]
WRONG: dict[str, tuple[str, Change, str] | tuple[str, Change, str, int]] = {
    "a post of more than the stack": (
        "posted", lambda body: body.update(amount=10**9), "puts in 1000000000 and has"),
    "a post twice": (
        "posted", lambda body: body.update(seat=2, what="small_blind"),
        "seat 2 posts its small blind twice", 1),
    "a post of nobody": (
        "posted", lambda body: body.update(seat=10), "seat 10 is not dealt in"),
    "too few cards": (
        "dealt", lambda body: body["positions"].pop(), "is dealt 1 card, not 2"),
    "a position twice": (
        "dealt", lambda body: body["positions"][1].update(position=0), "position 0 is dealt twice"),
    "cards of nobody": (
        "dealt", lambda body: body["positions"].append({"position": 51, "to": "seat", "seat": 10}),
        "a seat that is not dealt in gets cards"),
    "a fold that pays": (
        "acted", lambda body: body.update(act="fold", to=1_000), "puts in"),
    "an act below the bet": (
        "acted", lambda body: body.update(act="raise", to=1), "facing"),
    "stacks that do not follow": (
        "hand_ended", lambda body: body["stacks"][0].update(stack=1), "ends with 1, and has"),
    "an award of other parts": (
        "awarded", lambda body: body["winners"][0].update(amount=1), "its parts are not that"),
    "an award of a board that is not there": (
        "awarded", lambda body: body.update(board=2), "a board that was not dealt"),
    "an award of another pot": (
        "awarded", lambda body: body.update(pot=7), "its pots hold"),
    "a board that is opened where it was not dealt": (
        "opened", lambda body: body["cards"][0].update(position=0), "where it was not dealt"),
    "no deck": (
        "deck_committed", lambda _body: "drop", "it ends and no hole card was dealt"),
    "hole cards twice": (
        "dealt", lambda body: body.update(positions=TWELVE_MORE),
        "hole cards are dealt a second time", 1),
    "an entry of another hand": (
        "hand_ended", lambda body: body.update(hand=77), "it names hand 77"),
    "a card at two positions": (
        "opened", lambda body: body["cards"][0].update(card=body["cards"][1]["card"]),
        "is opened at two positions"),
    "a player on two seats": (
        "hand_opened", lambda body: body["seats"][0].update(player=body["seats"][1]["player"]),
        "seats that can not play"),
    "a number that came before": (
        "hand_opened", lambda body: body.update(hand=1), "its number was another hand's", 1),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_hand_that_does_not_fit_together_is_not_told_and_says_where(what: str) -> None:
    kind, change, words = WRONG[what][:3]
    which = sum(WRONG[what][3:])
    game = told(changed(played("plain", 1).game_file(), kind, change, which))
    wrong = [one.hand for one in game.hands if isinstance(one.hand, Untold)]
    assert len(wrong) == 1
    assert wrong[0].cause is Cause.WRONG
    assert words in wrong[0].reason


def test_a_hand_in_which_another_opens_is_not_told() -> None:
    game = told(changed(played("plain", 1).game_file(), "hand_ended", lambda _body: "drop"))
    (wrong,) = [one.hand for one in game.hands if isinstance(one.hand, Untold)]
    assert "another hand opens in it" in wrong.reason


def test_a_dealer_that_deals_another_deck_is_found() -> None:
    def another(secret: bytes, mix: bytes) -> Any:
        return Cheat().derive(secret, mix[::-1])

    game = told(play_game(seed=1, hands=3, players=3, cheat=Cheat(derive=another)).game_file())
    assert {type(one.hand) for one in game.hands} == {Untold}


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"", 0, "an empty input"),
        (b"{}\n", 1, "no header"),
        (GameFile(opened=False).entry("paused").data(), 2, "does not begin with game_opened"),
        (GameFile(opened=False).data(), 1, "a game without an entry"),
        (GameFile().raw(b'{"at":9007199254740991,"paused":{}}').data(), 3, "after the year 9999"),
        (GameFile().raw(b'{"at":1,"nonsense":{}}').data(), 3, "nonsense"),
    ],
)
def test_what_is_no_game_file_is_damage_at_its_line(data: bytes, line: int, words: str) -> None:
    damage = read_games(BytesIO(data), "game.jsonl")
    assert isinstance(damage, Damage)
    assert damage.number == line
    assert words in str(damage.problem)


def test_the_story_of_a_hand_is_in_the_log_s_order() -> None:
    for hand in hands_of(told_house("straddles", 1)):
        times = [event.at for event in hand.events]
        assert times == sorted(times)
        assert sum(isinstance(event, HolesDealt) for event in hand.events) == 1
