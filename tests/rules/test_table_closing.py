"""How a game closes, goes on in another and reveals (sections 6.2 and 7)."""

from itertools import pairwise

import pytest

from dealer_service.rules import closing
from dealer_service.rules import entry as e
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from tests.support.simulator import RULES, Refused, Simulator, granted, play_chain, play_game

ROOT = "ab" * 32
NEXT = "0f" * 16


def played() -> Simulator:
    return play_game(hands=3, players=3, close=False)


def why(answer: object) -> object:
    assert isinstance(answer, Refusal), answer
    return answer.reason


def test_closing_lists_every_seat_with_its_stack() -> None:
    game = played()
    (entry,) = granted(closing.close_game(game.state, e.CloseReason.OPERATOR))
    assert [(one.seat, one.player, one.stack) for one in entry.stacks] == [
        (number, seat.player, seat.stack) for number, seat in game.state.seats.items()
    ]
    assert entry.next is None


def test_a_game_closes_between_hands_and_once() -> None:
    game = played()
    game.open_hand()
    assert why(closing.close_game(game.state, e.CloseReason.OPERATOR)) is TableReason.HAND_OPEN
    game.void_hand(e.VoidReason.OPERATOR)
    game.close()
    assert why(closing.close_game(game.state, e.CloseReason.OPERATOR)) is TableReason.GAME_CLOSED


def test_after_a_third_void_a_game_closes_as_restored() -> None:
    game = Simulator()
    game.sit("ann")
    game.sit("ben")
    for restoring in (False, False, True):
        game.open_hand()
        game.void_hand(e.VoidReason.HEALTH, restoring=restoring)
    assert why(closing.close_game(game.state, e.CloseReason.MAX_TIME)) is TableReason.RESTORED
    assert granted(closing.close_game(game.state, e.CloseReason.RESTORED))


def test_the_next_game_opens_with_seats_stacks_and_button_of_this_one() -> None:
    game = played()
    game.sit_out("cleo")
    game.sit("dan", stack=3_000, anchored=False)
    game.close(e.CloseReason.MAX_HANDS, next_game=NEXT)
    (opened,) = granted(closing.open_successor(game.state, 77, ROOT))
    seats = game.state.seats
    assert opened == e.GameOpened(
        "cutcard/v1",
        game.origin,
        NEXT,
        RULES,
        e.Previous(
            game=game.state.opened.game,
            size=77,
            root=ROOT,
            button=game.state.button,
            button_stays=False,
            seats=(
                e.CarriedSeat(1, "ann", seats[1].stack, False, True),
                e.CarriedSeat(2, "ben", seats[2].stack, False, True),
                e.CarriedSeat(3, "cleo", seats[3].stack, True, True),
                e.CarriedSeat(4, "dan", 3_000, False, False),
            ),
        ),
    )


def test_a_game_that_had_no_hand_has_no_button_to_carry() -> None:
    game = Simulator()
    game.sit("ann")
    game.close(next_game=NEXT)
    (opened,) = granted(closing.open_successor(game.state, 3, ROOT))
    assert opened.previous is not None
    assert opened.previous.button == 0


def test_only_a_closed_game_that_names_the_next_goes_on() -> None:
    game = played()
    assert why(closing.open_successor(game.state, 1, ROOT)) is TableReason.NO_SUCCESSOR
    game.close()
    assert why(closing.open_successor(game.state, 1, ROOT)) is TableReason.NO_SUCCESSOR


def test_anchors_misses_and_numbers_begin_anew_in_the_next_game() -> None:
    first = Simulator()
    first.sit("ann")
    first.sit("ben")
    first.open_hand()
    first.give_links(missing=["ben"])
    first.void_hand(e.VoidReason.LINK_MISSING)
    after = first.succeed(anchored=False)
    assert after.state.hand == 0
    assert after.state.misses == {}
    assert [seat.anchor for seat in after.state.seats.values()] == [None, None]
    # ben had no anchor left, so that nobody waits for it.
    assert after.state.awaited == {"ann"}


def test_who_sat_out_sits_out_in_the_next_game() -> None:
    game = played()
    game.sit_out("ann")
    assert game.succeed().state.seats[1].sitting_out


def test_secrets_come_for_every_hand_that_was_not_void_in_order() -> None:
    game = played()
    game.open_hand()
    game.void_hand(e.VoidReason.HEALTH)
    game.play_hand()
    game.close()
    secrets = {hand: f"{hand:064x}" for hand in range(1, 6)}
    assert granted(closing.reveal(game.state, secrets)) == tuple(
        e.SecretRevealed(hand, f"{hand:064x}") for hand in (1, 2, 3, 5)
    )
    del secrets[2]
    assert why(closing.reveal(game.state, secrets)) is TableReason.SECRET_UNKNOWN


def test_a_reveal_that_was_cut_off_goes_on_where_it_stopped() -> None:
    game = played()
    game.close()
    secrets = {hand: deal.secret.hex() for hand, deal in game.deals.items()}
    first, *rest = granted(closing.reveal(game.state, secrets))
    game.append(first)
    assert granted(closing.reveal(game.state, secrets)) == tuple(rest)
    game.append(*rest)
    assert closing.reveal(game.state, secrets) == ()


def test_nothing_is_revealed_while_the_game_runs() -> None:
    assert why(closing.reveal(played().state, {})) is TableReason.GAME_RUNNING


def test_the_last_reveal_has_a_latest_time() -> None:
    game = played()
    assert closing.reveal_deadline(game.state) is None
    game.close()
    assert closing.reveal_deadline(game.state) == game.now + RULES.reveal.within_ms
    game.reveal()
    assert closing.reveal_deadline(game.state) is None


def test_a_chain_of_games_names_its_links_both_ways() -> None:
    games = play_chain(games=3, hands=2)
    for before, after in pairwise(games):
        previous = after.state.opened.previous
        assert previous is not None
        assert before.state.closed is not None
        assert before.state.closed.next == after.state.opened.game
        assert previous.game == before.state.opened.game
        assert previous.root == before.tree.root(previous.size).hex()
        closed = before.log[previous.size - 1][1]
        assert isinstance(closed, e.GameClosed)


def test_the_simulator_refuses_what_the_rules_refuse() -> None:
    game = played()
    with pytest.raises(Refused):
        game.reveal()
