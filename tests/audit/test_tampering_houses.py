"""A dealer who bends a structure or a house option is found out, and told where."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from audit_cli.report.finding import Verdict
from dealer_service.rules.entry import Act, Choice, ChoicesCount, RuleSet
from dealer_service.rules.hand import Decision
from tests.support.audits import assert_told, broken, judge, tell
from tests.support.house_games import find, hand_of
from tests.support.simulator import HOUSES, RULES, Move, Simulator
from tests.support.transcripts import Found, Transcript


def contested(body: dict[str, Any]) -> bool:
    return "name" in body["winners"][0]


# Rake.


def test_rake_without_a_flop_is_told() -> None:
    game, transcript, award = _without_flop()
    winner = award.body["winners"][0]
    paid = [winner | {"amount": winner["amount"] - 10}]
    transcript.change(award.index, rake=10, winners=paid)
    assert_told(game, transcript, award.index, "another pot is awarded")


def _without_flop() -> tuple[Simulator, Transcript, Found]:
    game, transcript, _ = find("mississippi", "awarded")
    for award in transcript.all("awarded"):
        _, lines = hand_of(transcript, award.index)
        opened = any(one.kind == "opened" and "board" in one.body for one in lines)
        if not opened and award.body["amount"] > 20:
            return game, transcript, award
    message = "every hand has a flop"
    raise LookupError(message)


@pytest.mark.parametrize("more", [1, -1])
def test_rake_above_or_below_its_rate_is_told(more: int) -> None:
    game, transcript, award = find(
        "mississippi", "awarded", lambda body: body["rake"] > 1 and len(body["winners"]) == 1
    )
    winner = award.body["winners"][0]
    transcript.change(
        award.index,
        rake=award.body["rake"] + more,
        winners=[winner | {"amount": winner["amount"] - more}],
    )
    assert_told(game, transcript, award.index, "another pot is awarded")


def test_rake_that_stays_on_the_table_is_told_at_the_end_of_the_hand() -> None:
    game, transcript, award = find("mississippi", "awarded", lambda body: body["rake"] > 0)
    _, lines = hand_of(transcript, award.index)
    end = lines[-1]
    stacks = end.body["stacks"]
    kept = [stacks[0] | {"stack": stacks[0]["stack"] + award.body["rake"]}, *stacks[1:]]
    transcript.change(end.index, stacks=kept)
    assert_told(game, transcript, end.index, "the hand ends with other stacks")


# Structures.


def raise_on(_: Simulator, due: Decision) -> Move:
    """Raise as long as it is offered, else call."""
    if due.raise_ is not None:
        return Act.RAISE, due.raise_.min
    return (Act.CHECK, 0) if due.may_check else (Act.CALL, 0)


def table(rules: RuleSet, *names: str) -> Simulator:
    game = Simulator(seed=5, rules=rules)
    for name in names:
        game.sit(name, stack=10_000)
    return game


def ended(game: Simulator) -> Transcript:
    game.close()
    game.reveal()
    assert judge(game.game_file(), key=game.key).exit_status() == 0
    return game.transcript()


def test_a_raise_above_the_cap_is_told() -> None:
    game = table(HOUSES["limit"], "ann", "ben", "cleo")
    game.play_hand(choose=raise_on)
    transcript = ended(game)
    last = transcript.find("acted", where=lambda body: body["to"] == 400 and body["act"] == "raise")
    call = transcript.read(last.index + 1)
    assert call.body["act"] == "call"
    transcript.change(call.index, act="raise", to=500)
    assert_told(game, transcript, call.index, "an act that is not open to the seat")
    assert "capped at 4 bets" in tell(judge(transcript.render(game.signer), key=game.key))


@pytest.mark.parametrize(("house", "more"), [("limit", 50), ("omaha", 10_000)])
def test_a_bet_of_another_size_than_the_structure_allows_is_told(house: str, more: int) -> None:
    game, transcript, raised = find(house, "acted", lambda body: body["act"] == "raise")
    transcript.change(raised.index, to=raised.body["to"] + more)
    assert_told(game, transcript, raised.index, "an act that is not open to the seat")


# Posts.


def test_a_straddle_that_is_refused_is_told() -> None:
    game, transcript, opened = find(
        "straddles", "hand_opened", lambda body: "straddle_seat" in body
    )
    transcript.change(opened.index, straddle_seat=None)
    assert_told(game, transcript, opened.index, "another seat straddles than by its choice")


def test_a_straddle_that_nobody_chose_is_told() -> None:
    def wanted(body: dict[str, Any]) -> bool:
        return "straddle_seat" not in body and len(_in(body)) > 3

    game, transcript, opened = find("mississippi", "hand_opened", wanted)
    body = opened.body
    free = _in(body) - {body["big_blind_seat"], body.get("small_blind_seat")}
    transcript.change(opened.index, straddle_seat=min(free))
    assert_told(game, transcript, opened.index, "another seat straddles than by its choice")


def _in(body: dict[str, Any]) -> set[int]:
    return {seat["seat"] for seat in body["seats"] if seat["state"] == "in"}


@pytest.mark.parametrize(
    ("house", "what"),
    [
        ("dead_button", "ante"),
        ("dead_button", "dead"),
        ("straddles", "live"),
        ("mississippi", "ante"),
        ("straddles", "straddle"),
    ],
)
def test_a_post_of_another_amount_or_left_out_is_told(house: str, what: str) -> None:
    game, transcript, post = find(house, "posted", lambda body: body["what"] == what)
    transcript.change(post.index, amount=post.body["amount"] - 1)
    assert_told(game, transcript, post.index, "something is posted otherwise")
    transcript = game.transcript()
    transcript.delete(post.index)
    report = judge(transcript.render(game.signer), key=game.key)
    assert "PLAYED" in broken(report)


def test_a_dead_post_that_comes_back_is_told() -> None:
    """Dead money is nobody's bet: what is returned is the uncalled bet alone."""
    game, transcript, _ = find("dead_button", "posted", lambda body: body["what"] == "dead")
    for post in transcript.all("posted"):
        _, lines = hand_of(transcript, post.index)
        returned = [one for one in lines if one.kind == "returned"]
        if post.body["what"] == "dead" and returned:
            break
    else:
        message = "no hand with a dead post returns a bet"
        raise LookupError(message)
    one = returned[0]
    transcript.change(one.index, amount=one.body["amount"] + post.body["amount"])
    assert_told(game, transcript, one.index, "another bet is returned")


# Between hands.


def change_seat(transcript: Transcript, opened: Found, seat: int, **fields: object) -> None:
    """Change what an opening tells of a seat; None takes a field out."""
    seats = []
    for told in opened.body["seats"]:
        changed = told | fields if told["seat"] == seat else told
        seats.append({name: value for name, value in changed.items() if value is not None})
    transcript.change(opened.index, seats=seats)


def test_a_button_that_is_dead_and_moved_on_is_told() -> None:
    """With a dead button it stands where the small blind stood, whoever sits there."""
    game, transcript, opened = find(
        "dead_button", "hand_opened", lambda body: body["button"] not in _in(body)
    )
    transcript.change(opened.index, button=min(_in(opened.body)))
    assert_told(game, transcript, opened.index, "the button is at another seat")


def test_a_small_blind_that_is_no_longer_dead_is_told() -> None:
    game, transcript, opened = find(
        "dead_button", "hand_opened", lambda body: "dead_small_blind_seat" in body
    )
    free = min(_in(opened.body) - {opened.body["big_blind_seat"]})
    transcript.change(opened.index, dead_small_blind_seat=None, small_blind_seat=free)
    assert_told(game, transcript, opened.index, "the blinds are at other seats")


@pytest.mark.parametrize(
    ("house", "state", "name"),
    [
        ("dead_button", "sitting_out", "owes"),
        ("straddles", "in", "owes"),
        ("mississippi", "sitting_out", "waits"),
        ("dead_button", "in", "choices"),
        ("omaha", "in", "bank_ms"),
    ],
)
def test_a_state_that_an_opening_does_not_repeat_is_told(house: str, state: str, name: str) -> None:
    def wanted(body: dict[str, Any]) -> bool:
        return bool(_seat_with(body, state, name))

    game, transcript, opened = find(house, "hand_opened", wanted)
    seat = _seat_with(opened.body, state, name)
    change_seat(transcript, opened, seat, **{name: None})
    text = f"an opening tells seat {seat} otherwise than the log before it"
    assert_told(game, transcript, opened.index, text)


def _seat_with(body: dict[str, Any], state: str, name: str) -> int:
    return next(
        (told["seat"] for told in body["seats"] if told["state"] == state and name in told), 0
    )


def test_a_newcomer_who_does_not_wait_is_told() -> None:
    game, transcript, opened = find(
        "mississippi",
        "hand_opened",
        lambda body: any(told["state"] == "waiting" for told in body["seats"]),
    )
    seat = next(told["seat"] for told in opened.body["seats"] if told["state"] == "waiting")
    change_seat(transcript, opened, seat, state="in", waits=None)
    text = f"an opening tells seat {seat} otherwise than the log before it"
    assert_told(game, transcript, opened.index, text)


def test_the_last_blinds_told_otherwise_are_told() -> None:
    game, transcript, opened = find(
        "dead_button", "hand_opened", lambda body: "last_big_blind_seat" in body
    )
    seat = opened.body["last_big_blind_seat"] % 10 + 1
    transcript.change(opened.index, last_big_blind_seat=seat)
    assert_told(game, transcript, opened.index, "an opening tells the last blinds otherwise")


def leave_and_return(stack: int, after_ms: int) -> tuple[Simulator, Transcript]:
    """Leave with 10,000 and take a seat again so much later, with another stack."""
    game = table(replace(RULES, return_ms=600_000), "ann", "ben", "cleo")
    game.play_hand(choose=lambda _simulator, due: _give_up(due))
    stays = game.state.seats[3].stack
    game.leave("cleo")
    game.wait(1_000)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    game.play_out(choose=lambda _simulator, due: _give_up(due))
    game.end_hand()
    game.now += after_ms
    game.sit("cleo", stack=stays)
    game.play_hand(choose=lambda _simulator, due: _give_up(due))
    transcript = ended(game)
    taken = [one for one in transcript.all("seat_taken") if one.body["player"] == "cleo"][1]
    transcript.change(taken.index, stack=stack)
    return game, transcript


def _give_up(due: Decision) -> Move:
    return (Act.CHECK, 0) if due.may_check else (Act.FOLD, 0)


def test_a_return_with_less_is_told() -> None:
    game, transcript = leave_and_return(2_000, 1_000)
    taken = [one for one in transcript.all("seat_taken") if one.body["player"] == "cleo"][1]
    text = "a player comes back with another stack than it may"
    assert_told(game, transcript, taken.index, text)


def test_behind_the_window_a_return_with_less_is_as_anybodys() -> None:
    game, transcript = leave_and_return(2_000, 700_000)
    report = judge(transcript.render(game.signer), key=game.key)
    texts = [one.text for one in report.findings if one.verdict is Verdict.BROKEN]
    assert "a player comes back with another stack than it may" not in texts


def test_who_left_and_is_not_listed_is_told() -> None:
    game, transcript, opened = find(
        "straddles", "hand_opened", lambda body: bool(body.get("departed"))
    )
    transcript.change(opened.index, departed=[])
    text = "an opening tells otherwise who may not come back with less"
    assert_told(game, transcript, opened.index, text)


# The time bank.


def test_a_bank_that_is_not_spent_is_told() -> None:
    rules = HOUSES["omaha"]
    assert rules.time_bank is not None
    game = table(rules, "ann", "ben", "cleo")
    game.open_hand()
    game.give_links()
    game.commit_deck()
    first = game.decision
    assert first is not None
    game.now = game.now + rules.turn_ms + 2_000
    game.play_out(choose=lambda _simulator, due: _give_up(due))
    game.end_hand()
    game.play_hand(choose=lambda _simulator, due: _give_up(due))
    transcript = ended(game)
    opened = transcript.find("hand_opened", hand=2)
    banks = {told["seat"]: told["bank_ms"] for told in opened.body["seats"]}
    assert banks[first.seat] < rules.time_bank.max_ms
    change_seat(transcript, opened, first.seat, bank_ms=rules.time_bank.start_ms)
    text = f"an opening tells seat {first.seat} otherwise than the log before it"
    assert_told(game, transcript, opened.index, text)


def test_a_clock_that_acts_before_the_bank_is_over_is_told() -> None:
    rules = HOUSES["omaha"]
    assert rules.time_bank is not None
    game = table(rules, "ann", "ben", "cleo")
    game.play_hand(choose=lambda _simulator, _due: None)
    transcript = ended(game)
    timed = transcript.find("acted", where=lambda body: body["by"] == "clock")
    transcript.move_time(timed.index, timed.at - 1)
    assert_told(game, transcript, timed.index, "the clock acts before its time")


# Two boards.


def all_in(_: Simulator, due: Decision) -> Move:
    offer = due.raise_ or due.bet
    if offer is not None:
        return (Act.RAISE if due.raise_ else Act.BET), offer.max
    return (Act.CHECK, 0) if due.may_check else (Act.CALL, 0)


def run_out(*, choices: tuple[Choice, ...] = (), at_once: bool = True) -> Simulator:
    """Play two all-in hands of which each player has chosen so."""
    count = ChoicesCount.AT_ONCE if at_once else ChoicesCount.BEFORE_LINKS
    game = table(replace(RULES, runs=2, choices=count), "ann", "ben")
    for name in ("ann", "ben"):
        if choices:
            game.prefer(name, *choices)
    game.play_hand(choose=all_in)
    return game


def test_two_boards_without_the_consent_of_all_are_told() -> None:
    game = run_out()
    transcript = ended(game)
    shown = [one for one in transcript.all("opened") if "seat" in one.body][-1]
    agreed = {"hand": 1, "runs": 2, "seats": [1, 2]}
    transcript.insert(shown.index + 1, shown.at, "runs_agreed", agreed)
    assert_told(game, transcript, shown.index + 1, "it is run twice, and not all")


def test_two_boards_that_are_refused_are_told() -> None:
    game = run_out(choices=(Choice.RUNS,))
    transcript = ended(game)
    agreed = transcript.find("runs_agreed")
    transcript.delete(agreed.index)
    assert_told(game, transcript, agreed.index, "dealt where something else is due")


def test_an_agreement_that_leaves_one_out_is_told() -> None:
    game = run_out(choices=(Choice.RUNS,), at_once=False)
    transcript = ended(game)
    agreed = transcript.find("runs_agreed")
    transcript.change(agreed.index, seats=[1])
    assert_told(game, transcript, agreed.index, "others agree to run it twice")


def test_a_second_board_that_skips_a_burn_breaks_dealt() -> None:
    game = run_out(choices=(Choice.RUNS,))
    transcript = ended(game)
    second = transcript.find(
        "dealt", where=lambda body: any(one.get("board") == 2 for one in body["positions"])
    )
    cards = [one for one in second.body["positions"] if one["to"] == "board"]
    burn = second.body["positions"][0]["position"]
    skipped = [one | {"position": burn + at} for at, one in enumerate(cards)]
    transcript.change(second.index, positions=skipped)
    text = "positions did not go out by the rule"
    assert_told(game, transcript, second.index, text, "DEALT")


def test_an_odd_unit_of_the_second_board_is_told() -> None:
    game = run_out(choices=(Choice.RUNS,))
    transcript = ended(game)
    first, second = transcript.all("awarded")[:2]
    assert (first.body["board"], second.body["board"]) == (1, 2)
    for award, more in ((first, -1), (second, 1)):
        winner = award.body["winners"][0]
        paid = [winner | {"amount": winner["amount"] + more}, *award.body["winners"][1:]]
        transcript.change(award.index, amount=award.body["amount"] + more, winners=paid)
    assert_told(game, transcript, first.index, "another pot is awarded")


def test_an_agreement_that_is_told_again_and_again_is_told() -> None:
    game = run_out(choices=(Choice.RUNS,))
    transcript = ended(game)
    agreed = transcript.find("runs_agreed")
    for _ in range(40):
        transcript.insert(agreed.index + 1, agreed.at, agreed.kind, agreed.body)
    text = "runs_agreed where something else is due"
    assert_told(game, transcript, agreed.index + 1, text)
    assert broken(judge(transcript.render(game.signer), key=game.key)) == {"PLAYED"}


# Halves and Omaha hands.


def test_a_low_half_that_is_paid_without_a_low_is_told() -> None:
    game, transcript, award = find(
        "hi_lo",
        "awarded",
        lambda body: contested(body) and "half" not in body and len(body["winners"]) == 1,
    )
    winner, amount = award.body["winners"][0], award.body["amount"] - award.body["rake"]
    low = amount // 2
    transcript.change(
        award.index,
        half="high",
        amount=award.body["amount"] - low,
        winners=[winner | {"amount": amount - low}],
    )
    half = award.body | {"half": "low", "amount": low, "rake": 0}
    half["winners"] = [winner | {"amount": low}]
    transcript.insert(award.index + 1, award.at, "awarded", half)
    assert_told(game, transcript, award.index, "another pot is awarded")


def test_a_low_that_is_given_to_the_high_is_told() -> None:
    game, transcript, low = find("hi_lo", "awarded", lambda body: body.get("half") == "low")
    high = transcript.read(low.index - 1)
    assert high.body["half"] == "high"
    winners = [winner | {"amount": 0} for winner in high.body["winners"]]
    winners[0]["amount"] = low.body["amount"]
    transcript.change(low.index, winners=winners)
    report = judge(transcript.render(game.signer), key=game.key)
    assert "PLAYED" in broken(report)


def test_a_hand_of_three_hole_cards_is_told() -> None:
    game, transcript, award = find("omaha", "awarded", contested)
    winner = award.body["winners"][0]
    _, lines = hand_of(transcript, award.index)
    holes = next(
        [card["card"] for card in one.body["cards"]]
        for one in lines
        if one.kind == "opened" and one.body.get("seat") == winner["seat"]
    )
    kept = [card for card in winner["best_five"] if card not in holes][:2]
    winner = winner | {"best_five": [*holes[:3], *kept]}
    transcript.change(award.index, winners=[winner, *award.body["winners"][1:]])
    text = f"the winning hand of seat {winner['seat']} is named otherwise"
    assert_told(game, transcript, award.index, text)


def test_an_omaha_hand_that_is_not_shown_whole_is_told() -> None:
    game, transcript, shown = find(
        "omaha", "opened", lambda body: body["by"] != "player" and "seat" in body
    )
    transcript.change(shown.index, cards=shown.body["cards"][:3])
    assert_told(game, transcript, shown.index, "not all cards of a hand are opened")


# Showing.


def shown_by_policy(body: dict[str, Any]) -> bool:
    return body["by"] == "policy" and "seat" in body


def put_muck(transcript: Transcript, shown: Found) -> None:
    muck = {"hand": shown.body["hand"], "seat": shown.body["seat"], "by": "policy"}
    transcript.put(shown.index, shown.at, "mucked", muck)


def test_a_muck_where_all_are_shown_is_told() -> None:
    game, transcript, _ = find("mississippi", "opened", shown_by_policy)
    shown = [one for one in transcript.all("opened") if shown_by_policy(one.body)]
    second = next(
        one
        for before, one in pairwise(shown)
        if before.index + 1 == one.index and transcript.read(one.index + 1).body.get("pot") == 0
    )
    put_muck(transcript, second)
    assert_told(game, transcript, second.index, "a hand is mucked where all are shown")


def test_a_muck_of_the_first_hand_is_told() -> None:
    game, transcript, shown = find("dead_button", "opened", shown_by_policy)
    put_muck(transcript, shown)
    text = "a hand is mucked that nobody who showed can beat"
    assert_told(game, transcript, shown.index, text)


def test_a_hand_that_is_shown_as_by_choice_and_was_not_chosen_is_told() -> None:
    game = table(RULES, "ann", "ben")
    game.prefer("ann", Choice.SHOW)
    game.prefer("ben", Choice.SHOW)
    for _ in range(6):
        game.play_hand(
            choose=lambda _simulator, due: (Act.CHECK, 0) if due.may_check else (Act.CALL, 0)
        )
    transcript = ended(game)
    shown = next(
        one
        for one in transcript.all("opened")
        if one.body["by"] == "player" and transcript.read(one.index + 1).kind != "hand_ended"
    )
    changed = transcript.copy()
    put_muck(changed, shown)
    assert_told(game, changed, shown.index, "a hand is mucked whose player has chosen to show")
    transcript.change(shown.index, by="policy")
    assert_told(game, transcript, shown.index, "a hand is opened by another")


# Chopping.


def fold_to_blinds(*, chop: bool) -> Simulator:
    rules = replace(RULES, chop="blinds", choices=ChoicesCount.AT_ONCE)
    game = table(rules, "ann", "ben", "cleo")
    for name in ("ann", "ben", "cleo"):
        if chop:
            game.prefer(name, Choice.CHOP)
    game.play_hand(choose=lambda _simulator, due: _give_up(due))
    return game


def test_blinds_chopped_without_consent_are_told() -> None:
    game = fold_to_blinds(chop=False)
    transcript = ended(game)
    small = transcript.find("hand_opened").body["small_blind_seat"]
    fold = transcript.find("acted", where=lambda body: body["seat"] == small)
    transcript.put(fold.index, fold.at, "blinds_chopped", {"hand": 1, "seats": [2, 3]})
    text = "the blinds are chopped, and not by the choice of both"
    assert_told(game, transcript, fold.index, text)


def test_a_chop_that_is_refused_is_told() -> None:
    game = fold_to_blinds(chop=True)
    transcript = ended(game)
    chopped = transcript.find("blinds_chopped")
    acts = transcript.all("acted")
    fold = {"seat": 2, "act": "fold", "to": 50, "by": "player", "turn": len(acts) + 1}
    transcript.put(chopped.index, chopped.at, "acted", fold)
    assert_told(game, transcript, chopped.index, "an act where both blinds have chosen to chop")


@pytest.mark.parametrize("more", [1, -1])
def test_a_chopped_blind_that_comes_back_otherwise_is_told(more: int) -> None:
    game = fold_to_blinds(chop=True)
    transcript = ended(game)
    back = transcript.find("returned")
    transcript.change(back.index, amount=back.body["amount"] + more)
    assert_told(game, transcript, back.index, "another bet is returned")


# Choices.


def test_choices_out_of_order_are_told() -> None:
    game, transcript, choice = find(
        "mississippi", "preferred", lambda body: len(body["choices"]) > 1
    )
    transcript.change(choice.index, choices=choice.body["choices"][::-1])
    text = "standing choices do not stand in rising order, each once"
    assert_told(game, transcript, choice.index, text)


def test_a_choice_after_the_opening_does_not_count_before_the_links() -> None:
    """A friend who knows the deck can not agree once it is fixed."""
    game = table(replace(RULES, runs=2, choices=ChoicesCount.BEFORE_LINKS), "ann", "ben")
    game.open_hand()
    for name in ("ann", "ben"):
        game.prefer(name, Choice.RUNS)
    game.give_links()
    game.commit_deck()
    game.play_out(choose=all_in)
    game.end_hand()
    transcript = ended(game)
    assert not transcript.all("runs_agreed")
    shown = [one for one in transcript.all("opened") if "seat" in one.body][-1]
    agreed = {"hand": 1, "runs": 2, "seats": [1, 2]}
    transcript.insert(shown.index + 1, shown.at, "runs_agreed", agreed)
    assert_told(game, transcript, shown.index + 1, "it is run twice, and not all")
