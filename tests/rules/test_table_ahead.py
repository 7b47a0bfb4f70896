"""Acts chosen before their turn: what is done of them, and when they are forgotten."""

from collections.abc import Callable

import pytest

from dealer_service.rules import ahead
from dealer_service.rules import entry as e
from dealer_service.rules.ahead import ChosenAct, PreAct
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from tests.support.simulator import Simulator


def in_play() -> Simulator:
    """Deal three in: button 1 (ann) is to act, then the small blind (ben) and the big (cleo)."""
    game = Simulator()
    for name in ("ann", "ben", "cleo"):
        game.sit(name, stack=10_000)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    return game


def last_act(game: Simulator) -> e.Acted:
    return next(one for _, one in reversed(game.log) if isinstance(one, e.Acted))


@pytest.mark.parametrize(
    ("act", "did"),
    [
        (PreAct.FOLD, e.Act.FOLD),
        (PreAct.CHECK_FOLD, e.Act.FOLD),
        (PreAct.CALL, e.Act.CALL),
        (PreAct.CALL_ANY, e.Act.CALL),
    ],
)
def test_with_chips_owed_it_folds_or_calls(act: PreAct, did: e.Act) -> None:
    game = in_play()
    game.choose_ahead("ben", act)
    game.act(e.Act.CALL)
    acted = last_act(game)
    assert (acted.seat, acted.act, acted.by, acted.turn) == (2, did, e.By.PRE_ACTION, 2)


@pytest.mark.parametrize(
    ("act", "did"),
    [
        (PreAct.FOLD, e.Act.FOLD),
        (PreAct.CHECK_FOLD, e.Act.CHECK),
        (PreAct.CHECK, e.Act.CHECK),
        (PreAct.CALL_ANY, e.Act.CHECK),
    ],
)
def test_with_nothing_owed_it_checks_unless_it_is_to_fold(act: PreAct, did: e.Act) -> None:
    game = in_play()
    game.choose_ahead("cleo", act)
    game.act(e.Act.CALL)
    game.act(e.Act.CALL)
    acted = last_act(game)
    assert (acted.seat, acted.act, acted.by) == (3, did, e.By.PRE_ACTION)


@pytest.mark.parametrize(("name", "act"), [("ben", PreAct.CHECK), ("cleo", PreAct.CALL)])
def test_what_can_not_be_done_is_forgotten(name: str, act: PreAct) -> None:
    game = in_play()
    game.choose_ahead(name, act)
    game.act(e.Act.CALL)
    if name == "cleo":
        game.act(e.Act.CALL)
    assert last_act(game).by is e.By.PLAYER
    assert game.decision is not None
    assert game.state.seats[game.decision.seat].player == name
    assert game.chosen == {}


@pytest.mark.parametrize("act", list(PreAct))
def test_a_raise_before_the_turn_makes_it_forgotten(act: PreAct) -> None:
    game = in_play()
    game.choose_ahead("ben", act)
    game.act(e.Act.RAISE, 300)
    assert last_act(game).seat == 1
    assert game.chosen == {}


def test_a_new_street_makes_it_forgotten_though_nothing_is_to_match_on_both() -> None:
    game = in_play()
    for act in (e.Act.CALL, e.Act.CALL, e.Act.CHECK):
        game.act(act)
    game.act(e.Act.CHECK)
    chosen = ahead.choose_ahead(game.state, "ben", 1, PreAct.CHECK)
    assert isinstance(chosen, ChosenAct)
    game.act(e.Act.CHECK)
    game.act(e.Act.CHECK)
    # The turn's first decision is ben's, with nothing to match as on the flop.
    assert game.decision is not None
    assert game.decision.seat == 2
    assert not ahead.is_binding(game.state, chosen)
    assert ahead.act_ahead(game.state, chosen) is None


def before_the_deck() -> Simulator:
    game = Simulator()
    game.sit("ann")
    game.sit("ben")
    game.open_hand()
    return game


def folded() -> Simulator:
    game = in_play()
    game.act(e.Act.FOLD)
    return game


REFUSED: list[tuple[Callable[[], Simulator], str, int, TableReason]] = [
    (in_play, "ann", 1, TableReason.TURN_HAS_COME),
    (in_play, "dan", 1, TableReason.NOT_SEATED),
    (in_play, "ben", 2, TableReason.HAND_NOT_OPEN),
    (before_the_deck, "ann", 1, TableReason.DECK_AWAITED),
    (folded, "ann", 1, TableReason.NO_TURN_TO_COME),
]


@pytest.mark.parametrize(("start", "player", "hand", "reason"), REFUSED)
def test_where_no_turn_is_to_come_nothing_is_chosen(
    start: Callable[[], Simulator], player: str, hand: int, reason: TableReason
) -> None:
    refused = ahead.choose_ahead(start().state, player, hand, PreAct.FOLD)
    assert isinstance(refused, Refusal)
    assert refused.reason is reason
