"""Acts, clocks and absences at a table (sections 9.5 and 9.6)."""

from dealer_service.rules import entry as e
from dealer_service.rules import play
from dealer_service.rules.refusal import HandReason, Refusal
from dealer_service.rules.table_reason import TableReason
from tests.support.simulator import RULES, Simulator, granted, passive


def in_play() -> Simulator:
    """Three players; ann, on the button, is first to act."""
    game = Simulator()
    for name in ("ann", "ben", "cleo"):
        game.sit(name, stack=10_000)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    return game


def why(answer: object) -> object:
    assert isinstance(answer, Refusal), answer
    return answer.reason


def test_an_act_names_its_hand_and_turn() -> None:
    state = in_play().state
    assert play.act(state, "ann", 1, 1, e.Act.CALL) == (
        e.Acted(1, e.Act.CALL, 100, e.By.PLAYER, 1),
    )
    assert why(play.act(state, "ann", 2, 1, e.Act.CALL)) is TableReason.HAND_NOT_OPEN
    assert why(play.act(state, "ann", 1, 2, e.Act.CALL)) is HandReason.WRONG_TURN
    assert why(play.act(state, "ben", 1, 1, e.Act.CALL)) is HandReason.NOT_YOUR_TURN
    assert why(play.act(state, "dan", 1, 1, e.Act.CALL)) is TableReason.NOT_SEATED


def test_nobody_acts_before_the_deck_is_fixed() -> None:
    game = Simulator()
    game.sit("ann")
    game.sit("ben")
    game.open_hand()
    assert why(play.act(game.state, "ann", 1, 1, e.Act.FOLD)) is TableReason.DECK_AWAITED


def test_the_clock_folds_for_who_owes_and_sits_it_out() -> None:
    game = in_play()
    due = play.turn_deadline(game.state)
    assert due == game.now + RULES.turn_ms
    refused = play.clock(game.state, due - 1)
    assert why(refused) is TableReason.CLOCK_RUNS
    assert play.clock(game.state, due) == (
        e.Acted(1, e.Act.FOLD, 0, e.By.CLOCK, 1),
        e.SatOut(1, "ann", e.By.CLOCK),
    )


def test_the_clock_checks_where_nothing_is_owed() -> None:
    game = in_play()
    for _ in range(2):
        game.act(e.Act.CALL)
    assert game.decision is not None
    (acted, _) = granted(play.clock(game.state, game.decision.deadline))
    assert (acted.seat, acted.act) == (3, e.Act.CHECK)


def test_the_clock_sits_nobody_out_twice() -> None:
    game = in_play()
    game.sit_out("ann")
    assert game.decision is not None
    entries = granted(play.clock(game.state, game.decision.deadline))
    assert entries == (e.Acted(1, e.Act.FOLD, 0, e.By.CLOCK, 1),)


def test_no_clock_runs_while_nobody_is_to_act() -> None:
    game = Simulator()
    assert why(play.clock(game.state, game.now)) is TableReason.CLOCK_RUNS
    assert play.turn_deadline(game.state) is None


def test_an_act_may_come_later_than_its_clock() -> None:
    game = in_play()
    game.wait(RULES.turn_ms + 1)
    game.act(e.Act.CALL)
    assert game.decision is not None
    assert game.decision.seat == 2


def test_the_dealer_acts_at_once_for_who_left() -> None:
    game = in_play()
    game.leave("ben")
    game.act(e.Act.CALL)
    _, acted = game.log[-1]
    assert acted == e.Acted(2, e.Act.FOLD, 50, e.By.ABSENT, 2)
    assert game.decision is not None
    assert game.decision.seat == 3


def test_who_leaves_in_its_own_turn_is_acted_for_at_once() -> None:
    game = in_play()
    game.remove("ann")
    game.settle()
    assert game.log[-1][1] == e.Acted(1, e.Act.FOLD, 0, e.By.ABSENT, 1)


def test_who_left_acts_no_more() -> None:
    game = in_play()
    game.leave("ann")
    assert why(play.act(game.state, "ann", 1, 1, e.Act.CALL)) is TableReason.NOT_SEATED
    assert why(play.show(game.state, "ann", 1, game.cards)) is TableReason.NOT_SEATED


def test_an_absent_player_plays_on_to_the_showdown() -> None:
    """What is free is checked for it, and its hand can win."""
    game = in_play()
    game.act(e.Act.CALL)
    game.act(e.Act.CALL)
    game.leave("cleo")
    game.settle()
    game.play_out(choose=passive)
    by = [one.by for _, one in game.log if isinstance(one, e.Acted) and one.seat == 3]
    assert by == [e.By.ABSENT] * 4
    game.end_hand()
    assert game.state.open is None


def test_a_hand_ends_when_the_pause_behind_the_last_pot_is_over() -> None:
    game = in_play()
    assert play.end_time(game.state) is None
    assert why(play.end_hand(game.state, game.now)) is TableReason.NO_HAND_OPEN
    game.play_out(choose=passive)
    paid = game.now
    assert play.end_time(game.state) == paid + RULES.pause_ms
    refused = play.end_hand(game.state, paid + RULES.pause_ms - 1)
    assert why(refused) is TableReason.CLOCK_RUNS
    (ended,) = granted(play.end_hand(game.state, paid + RULES.pause_ms))
    assert sum(one.stack for one in ended.stacks) == 30_000


def test_the_pause_runs_from_the_last_pot_whatever_comes_in_it() -> None:
    game = in_play()
    for _ in range(2):
        game.act(e.Act.FOLD)
    paid = game.now
    game.wait(500)
    game.show("ann")
    game.sit_out("ben")
    assert play.end_time(game.state) == paid + RULES.pause_ms


def test_a_hand_is_shown_in_the_pause_and_once() -> None:
    game = in_play()
    assert why(play.show(game.state, "ann", 1, game.cards)) is HandReason.NOT_SHOWING_TIME
    for _ in range(2):
        game.act(e.Act.FOLD)
    (shown,) = granted(play.show(game.state, "ann", 1, game.cards))
    assert (shown.seat, shown.by) == (1, e.By.PLAYER)
    assert [one.position for one in shown.cards] == [2, 5]
    game.show("ann")
    assert why(play.show(game.state, "ann", 1, game.cards)) is HandReason.ALREADY_SHOWN
    assert why(play.show(game.state, "ann", 2, game.cards)) is TableReason.HAND_NOT_OPEN


def test_settling_folds_just_what_it_gives() -> None:
    game = Simulator()
    game.sit("ann")
    game.sit("ben")
    before = game.state
    entries, after = play.settle(before, game.now, ())
    assert (entries, after) == ((), before)
