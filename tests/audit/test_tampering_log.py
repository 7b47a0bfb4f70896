"""A dealer who changes its log and signs it again: which promise is named, and where.

Each row changes an honest game of twelve hands and gives the hand and entry at which the first of
its promises has to be found broken. All other promises keep being reported, and hold.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import pytest

from audit_cli.report.finding import ALWAYS_ASKED, Promise, Verdict
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.fairness.deck import derive
from tests.support.audits import broken, judge, places, tell, unproved
from tests.support.simulator import Habits, Simulator, play_game
from tests.support.transcripts import Found, Transcript

Place = tuple[int | None, int | None]
Tamper = Callable[[Transcript], Place]


class Row(NamedTuple):
    """A change, and the promises that it breaks, the first of them at the place it returns.

    Promises behind a bar are not established, as what they rest on is gone.
    """

    promises: str
    tamper: Tamper


@cache
def honest() -> Simulator:
    """A game of four players and twelve hands with what the rows need."""
    game = play_game(seed=11, hands=12, players=4, habits=Habits(show=0.4))
    transcript = game.transcript()
    for kind in ("mucked", "returned"):
        transcript.find(kind)
    return game


def rows() -> dict[str, Row]:
    """Every row by its name."""
    return {
        name.removeprefix("_row_").replace("_", " "): Row(function.__doc__ or "", function)
        for name, function in globals().items()
        if name.startswith("_row_")
    }


def first_seat(body: dict[str, Any]) -> bool:
    return "seat" in body


def of_board(body: dict[str, Any]) -> bool:
    return "board" in body


def hands(game: Transcript) -> dict[int, list[Found]]:
    """The lines of each hand, by its number."""
    found: dict[int, list[Found]] = {}
    inside = 0
    for one in game.all():
        if one.kind == "hand_opened":
            inside = one.body["hand"]
        if one.kind in {"secret_revealed", "game_closed"}:
            break
        if inside:
            found.setdefault(inside, []).append(one)
    return found


def find_hand(game: Transcript, *kinds: str, without: str = "") -> tuple[int, list[Found]]:
    """The first hand from the second on that has lines of these kinds and none of another."""
    for number, lines in hands(game).items():
        have = {one.kind for one in lines}
        if number > 1 and have.issuperset(kinds) and without not in have:
            return number, lines
    message = f"no hand has {kinds} and no {without}"
    raise LookupError(message)


def one_of(lines: list[Found], kind: str, where: Callable[[dict[str, Any]], bool] = bool) -> Found:
    return next(one for one in lines if one.kind == kind and where(one.body))


def true_card(hand: int, position: int) -> dict[str, Any]:
    """A position of a deck as an honest opening shows it."""
    deal = honest().deals[hand]
    assert deal.mix is not None
    sealed = derive(deal.secret, deal.mix)
    return {
        "card": CARD_NAMES[sealed.cards[position]],
        "position": position,
        "salt": sealed.salts[position].hex(),
    }


# ORDERED


def _row_deck_behind_the_first_card(game: Transcript) -> Place:
    """ORDERED"""
    deck = game.find("deck_committed", hand=3)
    posted, dealt = deck.index, game.find("dealt", hand=3).index
    game.delete(deck.index)
    game.insert(dealt, deck.at, "deck_committed", deck.body)
    game.checkpoints = [size for size in game.checkpoints if not posted < size <= dealt + 1]
    return 3, posted


def _row_no_checkpoint_between_deck_and_card(game: Transcript) -> Place:
    """ORDERED"""
    deck, dealt = (game.find(kind, hand=4).index for kind in ("deck_committed", "dealt"))
    game.checkpoints = [size for size in game.checkpoints if not deck < size <= dealt]
    return 4, dealt


def _row_time_goes_back(game: Transcript) -> Place:
    """ORDERED"""
    deck = game.find("deck_committed", hand=5)
    game.move_time(deck.index, game.read(deck.index - 1).at - 1)
    return 5, deck.index


def _row_a_second_deck(game: Transcript) -> Place:
    """ORDERED PLAYER-MIXED"""
    deck = game.find("deck_committed", hand=5)
    game.insert(deck.index + 1, deck.at, deck.kind, deck.body)
    return 5, deck.index + 1


def _row_a_reveal_out_of_order(game: Transcript) -> Place:
    """ORDERED"""
    first = game.find("secret_revealed", hand=4).index
    game.swap(first, first + 1)
    return 4, first + 1


def _row_a_reveal_twice(game: Transcript) -> Place:
    """ORDERED"""
    one = game.find("secret_revealed", hand=4)
    game.insert(one.index + 1, one.at, one.kind, one.body)
    return 4, one.index + 1


def _row_something_behind_the_reveal(game: Transcript) -> Place:
    """ORDERED"""
    game.insert(len(game.lines), game.read(-1).at, "paused", {})
    game.checkpoints.append(len(game.lines))
    return None, len(game.lines) - 1


def _row_chips_added_in_a_hand(game: Transcript) -> Place:
    """ORDERED"""
    one = game.find("acted", hand=6)
    body = {"amount": 1, "player": "ann", "seat": 1}
    game.insert(one.index, one.at, "chips_added", body)
    return 6, one.index


def _row_an_anchor_of_a_player_dealt_in(game: Transcript) -> Place:
    """ORDERED PLAYER-MIXED"""
    one = game.find("acted", hand=6)
    body = {"anchor": "ab" * 32, "player": "ann", "seat": 1}
    game.insert(one.index, one.at, "anchored", body)
    return 6, one.index


def _row_dealt_of_another_hand(game: Transcript) -> Place:
    """ORDERED"""
    one = game.find("dealt", hand=6)
    game.change(one.index, hand=7)
    return 7, one.index


# DEALT


def _row_a_position_skipped(game: Transcript) -> Place:
    """DEALT"""
    one = game.find("dealt", hand=2)
    positions = [dict(item) for item in one.body["positions"]]
    for item in positions[2:]:
        item["position"] += 1
    hand, entry = 2, one.index
    game.change(entry, positions=positions)
    # What was shown of the hand would now be elsewhere; a hand without a show is enough.
    return hand, entry


def _row_two_seats_swapped(game: Transcript) -> Place:
    """DEALT"""
    hand, lines = find_hand(game, "dealt", without="opened")
    one = one_of(lines, "dealt")
    positions = [dict(item) for item in one.body["positions"]]
    positions[0]["seat"], positions[1]["seat"] = positions[1]["seat"], positions[0]["seat"]
    game.change(one.index, positions=positions)
    return hand, one.index


def _row_a_burn_left_out(game: Transcript) -> Place:
    """DEALT"""
    _, lines = find_hand(game, "opened")
    boards = [one for one in lines if one.kind == "dealt"]
    hand = boards[1].body["hand"]
    game.change(boards[1].index, positions=boards[1].body["positions"][1:])
    return hand, boards[1].index


def _row_a_card_dealt_to_a_burn(game: Transcript) -> Place:
    """DEALT"""
    hand, lines = find_hand(game, "dealt", without="opened")
    one = one_of(lines, "dealt")
    positions = [dict(item) for item in one.body["positions"]]
    positions[-1] = {"position": positions[-1]["position"], "to": "burn"}
    game.change(one.index, positions=positions)
    return hand, one.index


def _row_a_burn_opened(game: Transcript) -> Place:
    """DEALT"""
    hand, lines = find_hand(game, "opened")
    flop = one_of(lines, "opened", of_board)
    burn = flop.body["cards"][0]["position"] - 1
    cards = [true_card(hand, burn), *flop.body["cards"][:2]]
    game.change(flop.index, cards=cards)
    return hand, flop.index


def _row_a_hole_card_opened_as_the_board(game: Transcript) -> Place:
    """DEALT"""
    hand, lines = find_hand(game, "opened", without="mucked")
    if any(first_seat(one.body) for one in lines if one.kind == "opened"):
        hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    cards = [true_card(hand, 0), *flop.body["cards"][1:]]
    game.change(flop.index, cards=cards)
    return hand, flop.index


# REPLAYED


def uncontested_hand(game: Transcript) -> tuple[int, list[Found]]:
    """A hand that saw a flop and no showdown."""
    for number, lines in hands(game).items():
        opened = [one for one in lines if one.kind == "opened"]
        if number > 1 and opened and all(map(of_board, (one.body for one in opened))):
            return number, lines
    raise LookupError


def _row_an_opening_of_the_hand_before(game: Transcript) -> Place:
    """REPLAYED"""
    hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    cards = [true_card(hand - 1, card["position"]) for card in flop.body["cards"]]
    game.change(flop.index, cards=cards)
    return hand, flop.index


def _row_another_card_with_the_true_salt(game: Transcript) -> Place:
    """REPLAYED"""
    hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    cards = [dict(card) for card in flop.body["cards"]]
    shown = {card["card"] for card in cards}
    cards[1]["card"] = next(name for name in CARD_NAMES if name not in shown)
    game.change(flop.index, cards=cards)
    return hand, flop.index


def _row_another_salt_with_the_true_card(game: Transcript) -> Place:
    """REPLAYED"""
    hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    cards = [dict(card) for card in flop.body["cards"]]
    cards[2]["salt"] = "00" * 16
    game.change(flop.index, cards=cards)
    return hand, flop.index


def _row_one_card_at_two_positions(game: Transcript) -> Place:
    """REPLAYED PLAYED"""
    hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    cards = [dict(card) for card in flop.body["cards"]]
    cards[1]["card"] = cards[0]["card"]
    game.change(flop.index, cards=cards)
    return hand, flop.index


def _row_a_position_opened_twice_with_two_values(game: Transcript) -> Place:
    """REPLAYED PLAYED"""
    hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    cards = [dict(card) for card in flop.body["cards"]]
    shown = {card["card"] for card in cards}
    cards[0]["card"] = next(name for name in CARD_NAMES if name not in shown)
    game.insert(flop.index + 1, flop.at, flop.kind, flop.body | {"cards": cards})
    return hand, flop.index + 1


def _row_another_mix(game: Transcript) -> Place:
    """REPLAYED"""
    one = game.find("deck_committed", hand=3)
    game.change(one.index, mix="11" * 32)
    return 3, one.index


def _row_another_root(game: Transcript) -> Place:
    """REPLAYED"""
    one = game.find("deck_committed", hand=3)
    game.change(one.index, deck_root="11" * 32)
    return 3, one.index


# BOUND


def _row_another_commitment(game: Transcript) -> Place:
    """BOUND REPLAYED"""
    one = game.find("hand_opened", hand=8)
    game.change(one.index, commitment="22" * 32)
    return 8, game.find("secret_revealed", hand=8).index


def _row_a_secret_missing(game: Transcript) -> Place:
    """BOUND | REPLAYED COMPLETE"""
    game.delete(game.find("secret_revealed", hand=8).index)
    return 8, game.find("hand_opened", hand=8).index


def _row_one_secret_for_two_hands(game: Transcript) -> Place:
    """BOUND REPLAYED"""
    one, other = (game.find("secret_revealed", hand=hand) for hand in (8, 9))
    game.change(other.index, secret=one.body["secret"])
    return 9, other.index


# COMPLETE


def _row_a_hand_left_out(game: Transcript) -> Place:
    """COMPLETE PLAYED PLAYER-MIXED"""
    reveal = game.find("secret_revealed", hand=11).index
    game.delete(reveal)
    span = game.span(11)
    for index in reversed(span):
        game.delete(index)
    return 11, span.start


def _row_two_hands_left_out(game: Transcript) -> Place:
    """COMPLETE PLAYED PLAYER-MIXED"""
    for hand in (8, 7):
        game.delete(game.find("secret_revealed", hand=hand).index)
        span = game.span(hand)
        for index in reversed(span):
            game.delete(index)
    return 7, span.start


def _row_a_hands_number_that_goes_back(game: Transcript) -> Place:
    """COMPLETE BOUND REPLAYED"""
    spans = {2: game.span(2), 3: game.span(3)}
    for hand, span in spans.items():
        for index in span:
            if "hand" in game.read(index).body:
                game.change(index, hand=5 - hand)
    return 2, spans[2].start


def _row_a_number_twice(game: Transcript) -> Place:
    """COMPLETE BOUND REPLAYED ORDERED"""
    opened = game.span(6).start
    for index in game.span(6):
        if "hand" in game.read(index).body:
            game.change(index, hand=5)
    return 5, opened


def _row_an_end_left_out(game: Transcript) -> Place:
    """COMPLETE ORDERED PLAYED"""
    end = game.span(6)[-1]
    game.delete(end)
    return 6, game.find("hand_opened", hand=7).index


def _row_a_hand_open_when_the_game_closes(game: Transcript) -> Place:
    """COMPLETE ORDERED PLAYED"""
    game.delete(game.span(12)[-1])
    return 12, game.find("game_closed").index


# PLAYER-MIXED


def _row_a_link_that_does_not_fit(game: Transcript) -> Place:
    """PLAYER-MIXED REPLAYED"""
    one = game.find("deck_committed", hand=12)
    links = [dict(link) for link in one.body["links"]]
    links[1]["link"] = "33" * 32
    game.change(one.index, links=links)
    return 12, one.index


def _row_another_anchor_frozen(game: Transcript) -> Place:
    """PLAYER-MIXED"""
    one = game.find("hand_opened", hand=4)
    seats = [dict(seat) for seat in one.body["seats"]]
    seats[2]["anchor"] = "44" * 32
    game.change(one.index, seats=seats)
    return 4, one.index


def _row_no_anchor_frozen(game: Transcript) -> Place:
    """PLAYER-MIXED"""
    one = game.find("hand_opened", hand=4)
    seats = [dict(seat) for seat in one.body["seats"]]
    del seats[2]["anchor"]
    game.change(one.index, seats=seats)
    return 4, one.index


def _row_an_anchor_twice(game: Transcript) -> Place:
    """PLAYER-MIXED"""
    one = game.find("seat_taken", where=lambda body: body["player"] == "ben")
    game.change(one.index, anchor=game.find("seat_taken").body["anchor"])
    return None, one.index


def _row_a_frozen_anchor_without_its_link(game: Transcript) -> Place:
    """PLAYER-MIXED REPLAYED"""
    one = game.find("deck_committed", hand=12)
    game.change(one.index, links=one.body["links"][:-1])
    return 12, one.index


# PLAYED


def _row_a_pot_paid_with_a_chip_more(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("awarded", hand=7)
    winners = [dict(winner) for winner in one.body["winners"]]
    winners[0]["amount"] += 1
    game.change(one.index, winners=winners)
    return 7, one.index


def _row_a_pot_paid_to_another_seat(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("awarded", hand=7)
    winners = [dict(winner) for winner in one.body["winners"]]
    winners[0]["seat"] = winners[0]["seat"] % 4 + 1
    game.change(one.index, winners=winners)
    return 7, one.index


def _row_rake_is_taken(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("awarded", hand=7)
    winners = [dict(winner) for winner in one.body["winners"]]
    winners[0]["amount"] -= 5
    game.change(one.index, winners=winners, rake=5)
    return 7, one.index


def shown_award(game: Transcript) -> tuple[int, Found]:
    one = game.find("awarded", where=lambda body: "name" in body["winners"][0])
    hand = max(
        game.find("hand_opened", hand=n).body["hand"]
        for n in range(1, 13)
        if game.find("hand_opened", hand=n).index < one.index
    )
    return hand, one


def _row_a_winning_hand_named_otherwise(game: Transcript) -> Place:
    """PLAYED"""
    hand, one = shown_award(game)
    winners = [dict(winner) for winner in one.body["winners"]]
    winners[0]["name"] = "Royal flush"
    game.change(one.index, winners=winners)
    return hand, one.index


def _row_another_best_five(game: Transcript) -> Place:
    """PLAYED"""
    hand, one = shown_award(game)
    winners = [dict(winner) for winner in one.body["winners"]]
    winners[0]["best_five"] = list(reversed(winners[0]["best_five"]))
    game.change(one.index, winners=winners)
    return hand, one.index


def _row_a_winning_hand_without_its_name(game: Transcript) -> Place:
    """PLAYED"""
    hand, one = shown_award(game)
    winners = [{"amount": w["amount"], "seat": w["seat"]} for w in one.body["winners"]]
    game.change(one.index, winners=winners)
    return hand, one.index


def _row_an_act_out_of_turn(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3)
    game.change(one.index, seat=one.body["seat"] % 4 + 1)
    return 3, one.index


def _row_a_check_where_chips_are_owed(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3, where=lambda body: body["act"] in {"fold", "call"})
    game.change(one.index, act="check", to=0)
    return 3, one.index


def _row_a_raise_below_the_minimum(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3)
    game.change(one.index, act="raise", to=150)
    return 3, one.index


def _row_a_bet_above_the_stack(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3)
    game.change(one.index, act="raise", to=10_000_000)
    return 3, one.index


def _row_a_call_of_less(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", where=lambda body: body["act"] == "call")
    hand = next(number for number in hands(game) if one.index in game.span(number))
    game.change(one.index, to=one.body["to"] - 1)
    return hand, one.index


def _row_another_turn_number(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3)
    game.change(one.index, turn=2)
    return 3, one.index


def _row_the_clock_acts_early(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3, where=lambda body: body["act"] in {"fold", "check"})
    seat = one.body["seat"]
    game.change(one.index, by="clock")
    player = next(s for s in game.find("hand_opened", hand=3).body["seats"] if s["seat"] == seat)
    sat_out = {"by": "clock", "player": player["player"], "seat": seat}
    game.insert(one.index + 1, one.at, "sat_out", sat_out)
    back = {"player": player["player"], "seat": seat}
    game.insert(one.index + 2, one.at, "came_back", back)
    return 3, one.index


def _row_a_present_player_acts_as_absent(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("acted", hand=3, where=lambda body: body["act"] in {"fold", "check"})
    game.change(one.index, by="absent")
    return 3, one.index


def _row_a_player_sits_out_by_a_clock_that_did_not_act(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=5)
    game.insert(one.index, one.at, "sat_out", {"by": "clock", "player": "ann", "seat": 1})
    game.insert(one.index + 1, one.at, "came_back", {"player": "ann", "seat": 1})
    return None, one.index


def _row_the_uncalled_bet_kept(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("returned")
    hand = next(number for number in hands(game) if one.index in game.span(number))
    game.delete(one.index)
    return hand, one.index


def _row_less_of_the_uncalled_bet_returned(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("returned")
    hand = next(number for number in hands(game) if one.index in game.span(number))
    game.change(one.index, amount=one.body["amount"] - 1)
    return hand, one.index


def _row_a_small_blind_of_less(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("posted", hand=4)
    game.change(one.index, amount=one.body["amount"] - 1)
    return 4, one.index


def _row_the_blinds_posted_in_the_other_order(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("posted", hand=4)
    game.swap(one.index, one.index + 1)
    return 4, one.index


def _row_the_button_one_seat_off(game: Transcript) -> Place:
    """PLAYED DEALT"""
    one = game.find("hand_opened", hand=5)
    game.change(one.index, button=one.body["button"] % 4 + 1)
    return 5, one.index


def _row_the_blinds_at_other_seats(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=5)
    swapped = (one.body["big_blind_seat"], one.body["small_blind_seat"])
    game.change(one.index, small_blind_seat=swapped[0], big_blind_seat=swapped[1])
    return 5, one.index


def _row_a_dead_small_blind(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=5)
    game.change(one.index, small_blind_seat=None)
    return 5, one.index


def _row_a_ready_player_left_out(game: Transcript) -> Place:
    """PLAYED DEALT PLAYER-MIXED REPLAYED"""
    one = game.find("hand_opened", hand=5)
    seats = [dict(seat) for seat in one.body["seats"]]
    seats[3]["state"] = "sitting_out"
    game.change(one.index, seats=seats)
    return 5, one.index


def _row_a_stack_changed_between_hands(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=12)
    seats = [dict(seat) for seat in one.body["seats"]]
    seats[0]["stack"] += 1
    game.change(one.index, seats=seats)
    return 12, one.index


def _row_a_player_renamed(game: Transcript) -> Place:
    """PLAYED PLAYER-MIXED REPLAYED"""
    one = game.find("hand_opened", hand=12)
    seats = [dict(seat) for seat in one.body["seats"]]
    seats[0]["player"] = "mallory"
    game.change(one.index, seats=seats)
    return 12, one.index


def _row_misses_made_up(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=12)
    game.change(one.index, misses=[{"hands": [3], "player": "ann"}])
    return 12, one.index


def _row_voids_made_up(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=12)
    game.change(one.index, voids=1)
    return 12, one.index


def _row_the_hand_ends_with_other_stacks(game: Transcript) -> Place:
    """PLAYED"""
    end = game.span(12)[-1]
    stacks = [dict(item) for item in game.read(end).body["stacks"]]
    stacks[0]["stack"] += 10
    stacks[1]["stack"] -= 10
    game.change(end, stacks=stacks)
    return 12, end


def _row_the_game_closes_with_other_stacks(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("game_closed")
    stacks = [dict(item) for item in one.body["stacks"]]
    stacks[0]["stack"] -= 1
    game.change(one.index, stacks=stacks)
    return None, one.index


def _row_a_seat_taken_twice(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=5)
    body = {"player": "zoe", "seat": 1, "stack": 5_000}
    game.insert(one.index, one.at, "seat_taken", body)
    return None, one.index


def _row_a_buy_in_below_the_least(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("seat_taken", where=lambda body: body["player"] == "ben")
    game.change(one.index, stack=1_999)
    return None, one.index


def _row_a_hand_opens_while_paused(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("hand_opened", hand=5)
    game.insert(one.index, one.at, "paused", {})
    game.insert(len(game.lines) - 13, game.find("game_closed").at, "resumed", {})
    return 5, one.index + 1


def _row_a_losing_hand_shown_as_by_policy(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("mucked")
    hand, seat = one.body["hand"], one.body["seat"]
    order = [item["seat"] for item in game.find("dealt", hand=hand).body["positions"]]
    cards = [true_card(hand, at) for at, to in enumerate(order) if to == seat]
    body = {"by": "policy", "cards": cards, "hand": hand, "seat": seat}
    game.put(one.index, one.at, "opened", body)
    return hand, one.index


def _row_a_muck_by_the_player(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("mucked")
    game.change(one.index, by="player")
    return one.body["hand"], one.index


def _row_a_showdown_left_out(game: Transcript) -> Place:
    """PLAYED"""
    one = game.find("opened", where=first_seat)
    hand = one.body["hand"]
    game.delete(one.index)
    return hand, one.index


def _row_a_board_never_opened(game: Transcript) -> Place:
    """PLAYED"""
    hand, lines = uncontested_hand(game)
    flop = one_of(lines, "opened", of_board)
    game.delete(flop.index)
    return hand, flop.index


ROWS = rows()


@pytest.mark.parametrize("name", ROWS)
def test_the_audit_names_the_promise_and_points_at_hand_and_entry(name: str) -> None:
    row = ROWS[name]
    game = honest()
    transcript = game.transcript()
    hand, entry = row.tamper(transcript)
    report = judge(transcript.render(game.signer), key=game.key)
    promises, opens = (names.split() for names in f"{row.promises}|".split("|")[:2])
    assert broken(report) == set(promises), tell(report)
    assert unproved(report) == set(opens), tell(report)
    assert places(report, promises[0])[0] == (hand, entry), tell(report)
    assert report.exit_status() == 1
    verdicts = report.verdicts()
    for promise in ALWAYS_ASKED | {Promise.SIGNED}:
        if promise.value not in {*promises, *opens}:
            assert verdicts[promise] is Verdict.HOLDS, tell(report)


def test_the_game_of_the_rows_is_honest_before_they_change_it() -> None:
    game = honest()
    assert judge(game.game_file(), key=game.key).exit_status() == 0
