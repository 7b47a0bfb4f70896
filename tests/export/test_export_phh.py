"""PHH: PokerKit reads back what is written, and plays it to the stacks that the hand ended with."""

import inspect
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pokerkit
import pytest

from audit_cli.export import phh
from audit_cli.export.money import CHIPS, Money
from audit_cli.export.phh import bind_phh, bind_phhs, write_phh
from audit_cli.problem import Problem
from audit_cli.told.events import Act, Acted, Awarded, BoardDealt, Mucked, Shown
from audit_cli.told.hand import Game, Hand, Tournament
from audit_cli.told.view import see_as
from dealer_service.rules.entry import Act as Move
from dealer_service.rules.entry import (
    Choice,
    ChoicesCount,
    Limits,
    MissedBlinds,
    Newcomers,
    RuleSet,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
)
from tests.support.exported_games import ALL_HOUSES, nothing_to_win, tell, told_games
from tests.support.simulator import RULES, Choose, Simulator, passive, play_game, script
from tests.support.told_houses import hands_of, told_hand
from tests.support.told_tournaments import told_table

ALL_IN, FOLD, CHECK, CALL = (Move.RAISE, 20_000), (Move.FOLD, 0), (Move.CHECK, 0), (Move.CALL, 0)


def replay(text: str, rake: int) -> list[int]:
    """Let PokerKit play a hand again; its stacks at the end. Rake is taken from the main pot.

    What is written is all that is done: PokerKit, which mends a history by checks, added none.
    """

    def take(amount: int, _: Any) -> tuple[int, int]:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        # PokerKit asks pot by pot, main pot first, while it makes the list of them.
        taken = sum(pot.raked_amount for pot in frame.f_back.f_locals["pots"])
        part = min(rake - taken, amount)
        return part, amount - part

    with warnings.catch_warnings():
        # It warns of a fold that nothing asked for, which the protocol allows.
        warnings.simplefilter("ignore")
        history = pokerkit.HandHistory.loads(text)
        history.rake = cast("Any", take)
        *_, state = history
    assert not state.status
    checks = [one for one in state.operations if isinstance(one, pokerkit.CheckingOrCalling)]
    assert len(checks) == sum(action.split()[1] == "cc" for action in history.actions)
    return list(state.stacks)


def ends(hand: Hand) -> list[int]:
    return [seat.end for seat in hand.dealt_in]


def written(game: Game, hand: Hand) -> dict[str, Any]:
    text = write_phh(game, hand, CHIPS)
    assert isinstance(text, str), text
    assert replay(text, hand.rake) == ends(hand)
    return tomllib.loads(text)


def pairs_of(house: str) -> Iterator[tuple[Game, Hand]]:
    for game in told_games(house):
        for hand in hands_of(game):
            yield game, hand


def write_plainly(hand: Hand) -> str:
    """Write a hand without asking how it would be played again."""
    places = {seat: place for place, seat in enumerate(hand.order)}
    words = {Act.FOLD: "f", Act.CHECK: "cc", Act.CALL: "cc"}
    actions = [phh._deal(hand, place) for place in range(len(hand.order))]
    paid = False
    for event in hand.events:
        if isinstance(event, Acted):
            word = words.get(event.act, f"cbr {event.to}")
            actions.append(f"p{places[event.seat] + 1} {word}")
        elif isinstance(event, BoardDealt):
            actions.append(f"d db {''.join(event.cards)}")
        elif isinstance(event, Shown) and not paid:
            actions.append(f"p{places[event.seat] + 1} sm {''.join(event.cards)}")
        elif isinstance(event, Mucked):
            actions.append(f"p{places[event.seat] + 1} sm")
        elif isinstance(event, Awarded):
            paid = True
    code = phh._code(hand.rules)
    assert code is not None
    fields = phh._required(hand, code, phh._start(hand, code), actions)
    return "".join(f"{name} = {phh._toml(value)}\n" for name, value in fields.items())


@pytest.mark.parametrize("house", ALL_HOUSES)
def test_pokerkit_plays_every_written_hand_to_its_stacks(house: str) -> None:
    for game, hand in pairs_of(house):
        text = write_phh(game, hand, CHIPS)
        if isinstance(text, str):
            assert replay(text, hand.rake) == ends(hand), text


@pytest.mark.parametrize("house", ALL_HOUSES)
def test_a_hand_that_is_left_out_would_be_played_otherwise(house: str) -> None:
    for game, hand in pairs_of(house):
        problem = write_phh(game, hand, CHIPS)
        if isinstance(problem, Problem) and problem.reason.startswith("played again"):
            try:
                stacks = replay(write_plainly(hand), hand.rake)
            except (ValueError, AssertionError):
                continue
            assert stacks != ends(hand), problem


def test_most_hands_are_written() -> None:
    """Of every house with a code; what the others miss is named one by one above."""
    for house in ("plain", "dead_button", "straddles", "limit", "omaha", "posts", "omaha_four"):
        texts = [write_phh(game, hand, CHIPS) for game, hand in pairs_of(house)]
        assert sum(isinstance(text, str) for text in texts) > len(texts) * 2 // 3, house


def test_fields_tell_where_and_when_and_who() -> None:
    game = tell(play_game(seed=4, hands=1, players=3))
    (hand,) = hands_of(game)
    fields = written(game, hand)
    assert fields["variant"] == "NT"
    assert fields["min_bet"] == 100
    assert fields["venue"] == game.origin
    assert fields["table"] == game.game
    assert fields["hand"] == 1
    assert fields["time_zone"] == "UTC"
    assert (fields["year"], fields["month"], fields["day"]) == (2026, 1, 1)
    assert fields["seats"] == list(hand.order)
    assert fields["players"] == [hand.seat(seat).player for seat in hand.order]
    assert fields["winnings"] == [hand.seat(seat).won for seat in hand.order]
    assert "_rake" not in fields


def test_pokerkit_reads_what_it_wrote_itself_from_our_text() -> None:
    game = tell(play_game(seed=4, hands=1, players=3))
    text = write_phh(game, hands_of(game)[0], CHIPS)
    assert isinstance(text, str)
    ours = pokerkit.HandHistory.loads(text)
    assert pokerkit.HandHistory.loads(ours.dumps()) == ours


def test_hands_of_a_game_are_tables_of_one_file() -> None:
    game = tell(play_game(seed=4, hands=5, players=3))
    texts = [write_phh(game, hand, CHIPS) for hand in hands_of(game)]
    whole = bind_phhs([text for text in texts if isinstance(text, str)])
    histories = list(pokerkit.HandHistory.loads_all(whole))
    assert [history.hand for history in histories] == [1, 2, 3, 4, 5]


def test_one_hand_is_a_file_without_tables() -> None:
    game = tell(play_game(seed=4, hands=2, players=3))
    one, other = (write_phh(game, hand, CHIPS) for hand in hands_of(game))
    assert isinstance(one, str)
    assert isinstance(other, str)
    assert pokerkit.HandHistory.loads(bind_phh([one])).hand == 1
    assert len(list(pokerkit.HandHistory.loads_all(bind_phh([one, other])))) == 2


def one_hand(
    rules: RuleSet = RULES,
    *,
    stacks: Sequence[int] = (5_000, 5_000, 5_000),
    choose: Choose = passive,
    before: Sequence[tuple[str, Choice]] = (),
) -> tuple[Game, Hand]:
    """Play one hand: seat 1 has the button."""
    simulator = Simulator(seed=9, rules=rules)
    for name, stack in zip(("ann", "ben", "cleo", "dan"), stacks, strict=False):
        simulator.sit(name, stack=stack)
    for name, choice in before:
        simulator.prefer(name, choice)
    simulator.play_hand(choose=choose)
    simulator.close()
    simulator.reveal()
    game = tell(simulator)
    return game, hands_of(game)[0]


def reason(rules: RuleSet, **how: Any) -> str:
    problem = write_phh(*one_hand(rules, **how), CHIPS)
    assert isinstance(problem, Problem), problem
    return problem.reason


def test_a_hand_run_twice_is_left_out() -> None:
    rules = replace(RULES, runs=2, choices=ChoicesCount.AT_ONCE)
    both = [("ann", Choice.RUNS), ("ben", Choice.RUNS), ("cleo", Choice.RUNS)]
    acts = script((Move.RAISE, 5_000), CALL, FOLD)
    assert reason(rules, choose=acts, before=both) == "PHH has no second board"


def test_chopped_blinds_are_left_out() -> None:
    rules = replace(RULES, chop="blinds", choices=ChoicesCount.AT_ONCE)
    both = [("ben", Choice.CHOP), ("cleo", Choice.CHOP)]
    assert reason(rules, choose=script(FOLD), before=both) == "PHH has no act that chops blinds"


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (
            replace(
                ALL_HOUSES["omaha_four"], variant=RULES.variant, hole_cards=None, buy_in_min=2_000
            ),
            "pot-limit hold'em",
        ),
        (
            replace(ALL_HOUSES["omaha_four"], hole_cards=5, buy_in_min=2_000, seats=7),
            "pot-limit Omaha of 5 hole cards",
        ),
        (ALL_HOUSES["hi_lo"], "pot-limit Omaha hi-lo of 5 hole cards"),
        (
            replace(
                ALL_HOUSES["omaha_four"],
                structure=Structure.NO_LIMIT,
                pot_small_blind=None,
                buy_in_max=9_000,
            ),
            "no-limit Omaha of 4 hole cards",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_game_without_a_code_is_named(rules: RuleSet, name: str) -> None:
    stacks = (2_000, 2_000, 2_000)
    assert reason(rules, stacks=stacks) == f"PHH has no code for {name}"


def test_a_straddle_whose_turn_comes_late_is_left_out() -> None:
    """It is not the button's, so that the turns go round otherwise (9.2)."""
    straddle = StraddleRule(StraddleKind.MISSISSIPPI, StraddleRaise.BIG_BLIND)
    rules = replace(RULES, straddle=straddle, choices=ChoicesCount.AT_ONCE)
    at = [("dan", Choice.STRADDLE)]
    said = reason(rules, stacks=(5_000,) * 4, before=at)
    assert said == "played again from PHH, it would be the turn of p4, not of p1"


@pytest.mark.parametrize("kind", [StraddleKind.UNDER_THE_GUN, StraddleKind.BUTTON])
def test_other_straddles_are_forced_bets(kind: StraddleKind) -> None:
    rules = replace(
        RULES, straddle=StraddleRule(kind, StraddleRaise.DOUBLE), choices=ChoicesCount.AT_ONCE
    )
    names = ("ann", "ben", "cleo", "dan")
    game, hand = one_hand(
        rules, stacks=(5_000,) * 4, before=[(name, Choice.STRADDLE) for name in names]
    )
    late = kind is StraddleKind.BUTTON
    expected = [50, 100, 0, 200] if late else [50, 100, 200, 0]
    assert written(game, hand)["blinds_or_straddles"] == expected


def test_a_call_of_more_than_a_short_blind_is_left_out() -> None:
    said = reason(replace(RULES, buy_in_min=10), stacks=(2_000, 2_000, 30))
    assert said == "played again from PHH, p3 would call to 50, not 100"


def test_heads_up_forced_bets_are_listed_button_first() -> None:
    game, hand = one_hand(stacks=(5_000, 5_000))
    fields = written(game, hand)
    assert fields["blinds_or_straddles"] == [50, 100]
    assert fields["players"][-1] == hand.seat(hand.button).player


def test_rake_is_in_the_finishing_stacks_and_told_apart() -> None:
    game, hand = next(pair for pair in pairs_of("units") if pair[1].rake)
    fields = written(game, hand)
    assert fields["_rake"] == hand.rake
    assert sum(fields["starting_stacks"]) == sum(fields["finishing_stacks"]) + hand.rake


def test_posts_are_blinds_below_zero_and_dead_antes() -> None:
    rules = replace(RULES, newcomers=Newcomers.POST, missed_blinds=MissedBlinds.DEAD)
    simulator = Simulator(seed=2, rules=rules)
    for name in ("ann", "ben", "cleo", "dan", "eve"):
        simulator.sit(name, stack=5_000)
    simulator.play_hand(choose=passive)
    simulator.sit_out("dan")
    for _ in range(3):
        simulator.play_hand(choose=passive)
    simulator.come_back("dan")
    simulator.play_hand(choose=passive)
    simulator.close()
    simulator.reveal()
    game = tell(simulator)
    hand = hands_of(game)[-1]
    fields = written(game, hand)
    place = fields["players"].index("dan")
    assert fields["blinds_or_straddles"][place] == -100
    assert fields["antes"][place] == 50
    assert fields["ante_trimming_status"] is False


def test_antes_of_each_are_trimmed() -> None:
    _, hand = pair = next(pairs_of("dead_button"))
    assert hand.rules.ante == ("each", 10)
    assert written(*pair)["ante_trimming_status"] is True


def test_cards_that_the_view_does_not_have_are_unseen() -> None:
    game, _ = one_hand(choose=script(FOLD, FOLD))
    seen = see_as(game, "ann")
    deals = written(seen, hands_of(seen)[0])["actions"][:3]
    assert sorted(deal.endswith(" ????") for deal in deals) == [False, True, True]
    assert written(seen, hands_of(seen)[0])["_hero"] == "ann"


def test_time_that_ran_out_is_a_commentary() -> None:
    game, hand = one_hand(choose=script(None, FOLD))
    assert any(act.endswith("# time ran out") for act in written(game, hand)["actions"])


def show_in_pause(name: str, choose: Choose) -> list[str]:
    simulator = Simulator(seed=9, rules=RULES)
    for player in ("ann", "ben", "cleo"):
        simulator.sit(player, stack=5_000)
    simulator.play_hand(choose=choose, in_pause=lambda table: table.show(name))
    simulator.close()
    simulator.reveal()
    game = tell(simulator)
    actions: list[str] = written(game, hands_of(game)[0])["actions"]
    return actions


def test_a_winner_alone_may_show() -> None:
    assert show_in_pause("cleo", script(FOLD, FOLD))[-1].startswith("p2 sm ")


def test_what_a_folded_player_shows_is_a_commentary() -> None:
    assert show_in_pause("ann", script(FOLD, FOLD))[-1].startswith("# p3 shows ")


def test_what_a_folded_player_shows_is_one_where_nothing_is_won_too() -> None:
    actions = written(*nothing_to_win())["actions"]
    assert "shows" in actions[-1]


def test_a_tournament_tells_its_name_level_and_table() -> None:
    game, hand = one_hand()
    hand = replace(hand, tournament=Tournament("7", "Sunday", 1_000, 100, "EUR", 3, 2))
    fields = written(game, hand)
    assert (fields["event"], fields["level"], fields["table"]) == ("Sunday", 3, 2)


def test_pokerkit_plays_a_tournament_s_hands_to_their_stacks() -> None:
    played = 0
    for hand in hands_of(told_table()):
        text = write_phh(told_table(), hand, CHIPS)
        if isinstance(text, str):
            played += 1
            assert replay(text, hand.rake) == ends(hand), text
    assert played > 10


@pytest.mark.parametrize(
    ("money", "told"),
    [
        (CHIPS, {}),
        (Money("USD", 1), {"currency": "USD"}),
        (Money("USD", 100), {"_currency": "USD", "_chips_per_unit": 100}),
    ],
)
def test_amounts_are_whole_chips_whatever_they_are_worth(
    money: Money, told: dict[str, Any]
) -> None:
    game, hand = one_hand()
    text = write_phh(game, hand, money)
    assert isinstance(text, str)
    fields = tomllib.loads(text)
    names = ("currency", "_currency", "_chips_per_unit")
    assert {name: fields[name] for name in names if name in fields} == told
    assert fields["starting_stacks"] == [5_000, 5_000, 5_000]


def test_fixed_limit_has_two_bets() -> None:
    rules = replace(
        RULES,
        structure=Structure.FIXED_LIMIT,
        limits=Limits(100, 200, 4, uncapped_heads_up=False),
    )
    fields = written(*one_hand(rules))
    assert (fields["variant"], fields["small_bet"], fields["big_bet"]) == ("FT", 100, 200)
    assert "min_bet" not in fields


GOLDEN = Path(__file__).parents[1] / "data" / "exports" / "phh"
CASES = {
    "dead_posted_beside_a_small_blind": ("dead_button", 2, 4, ""),
    "fixed_limit_and_a_muck": ("limit", 3, 17, ""),
    "pot_limit_omaha_seen_by_one_player": ("omaha", 3, 22, "dan"),
    "many_side_pots": ("straddles", 3, 17, ""),
    "side_pots_with_rake": ("mississippi", 1, 20, ""),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hand_is_written_so(name: str) -> None:
    game, hand = told_hand(*CASES[name])
    assert write_phh(game, hand, CHIPS) == (GOLDEN / f"{name}.phh").read_text()
    written(game, hand)
