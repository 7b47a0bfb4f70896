"""A table folded from its entries (PROTOCOL.md sections 6 to 8)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules import entry as e
from dealer_service.rules import opening
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.table import evolve, fold, fold_from
from dealer_service.rules.table_state import Phase, TableState, seat_of, seat_word, secrets_due
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    LIVELY,
    RULES,
    Simulator,
    granted,
    play_chain,
    play_game,
)

BYTES = "ab" * 32


def lively(seed: int, hands: int = 12) -> Simulator:
    return play_game(seed=seed, hands=hands, players=4, habits=LIVELY, unanchored=seed % 2)


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_folding_the_whole_log_gives_the_running_state(seed: int) -> None:
    game = lively(seed)
    assert fold(game.log) == game.state


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_folding_from_any_opening_gives_the_same_state(seed: int) -> None:
    """Only the hands that were void before it come from elsewhere."""
    game = lively(seed)
    void: list[int] = []
    for index, (at, entry) in enumerate(game.log):
        if isinstance(entry, e.HandOpened):
            opened_at, opened = game.log[0]
            assert isinstance(opened, e.GameOpened)
            rest = game.log[index:]
            assert fold_from(opened_at, opened, rest, tuple(void)) == game.state
            # And at the opening itself, before anything of the hand is known.
            first = fold_from(opened_at, opened, [(at, entry)], tuple(void))
            assert first == fold(game.log[: index + 1])
        if isinstance(entry, e.HandVoid):
            void.append(entry.hand)


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_house_option_folds_from_any_opening(house: str, players: int) -> None:
    """Choices, debts, waiting, banks, blinds and who left all stand in the openings."""
    game = play_game(
        seed=players, hands=12, players=players, habits=HOUSE_LIFE, rules=HOUSES[house]
    )
    opened_at, opened = game.log[0]
    assert isinstance(opened, e.GameOpened)
    assert fold(game.log) == game.state
    void: list[int] = []
    for index, (at, entry) in enumerate(game.log):
        if isinstance(entry, e.HandOpened):
            first = fold_from(opened_at, opened, [(at, entry)], tuple(void))
            assert first == fold(game.log[: index + 1])
            assert fold_from(opened_at, opened, game.log[index:], tuple(void)) == game.state
        if isinstance(entry, e.HandVoid):
            void.append(entry.hand)


def test_a_game_that_goes_on_folds_from_its_openings_too() -> None:
    game = play_chain(games=2, hands=6, habits=LIVELY)[-1]
    (opened_at, opened), *_ = game.log
    assert isinstance(opened, e.GameOpened)
    openings = [i for i, (_, entry) in enumerate(game.log) if isinstance(entry, e.HandOpened)]
    void = [entry.hand for _, entry in game.log if isinstance(entry, e.HandVoid)]
    for index in openings:
        before = tuple(hand for hand in void if hand < openings.index(index) + 1)
        assert fold_from(opened_at, opened, game.log[index:], before) == game.state


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_chips_only_move_between_seats_and_wallets(seed: int) -> None:
    """A hand gives its seats together just what they brought."""
    game = lively(seed)
    state: TableState | None = None
    for at, entry in game.log:
        before, state = state, evolve(state, at, entry)
        if isinstance(entry, e.HandEnded) and before is not None:
            brought = sum(before.seats[one.seat].stack for one in entry.stacks)
            assert sum(one.stack for one in entry.stacks) == brought


@settings(max_examples=40)
@given(st.integers(0, 40), st.data())
def test_a_log_with_a_line_taken_out_or_twice_does_not_fold(seed: int, data: st.DataObject) -> None:
    """Except for lines that stand alone: asides which nothing later repeats."""
    game = lively(seed, hands=4)
    index = data.draw(st.integers(0, len(game.log) - 2))
    entry = game.log[index][1]
    twice = [*game.log[: index + 1], *game.log[index:]]
    # Whether a value is new is judged where it comes in.
    if not isinstance(entry, e.Anchored):
        with pytest.raises(ImpossibleEntry):
            fold(twice)
    alone = (e.Paused, e.Resumed, e.SatOut, e.CameBack, e.Anchored, e.Opened)
    if not isinstance(entry, alone):
        with pytest.raises(ImpossibleEntry):
            fold([*game.log[:index], *game.log[index + 1 :]])


def waiting() -> Simulator:
    """Three players between hands: ann in seat 1, ben in 2, cleo without an anchor in 5."""
    game = Simulator()
    game.sit("ann", stack=10_000)
    game.sit("ben", stack=10_000)
    game.sit("cleo", stack=20_000, seat=5, anchored=False)
    return game


def awaiting_links() -> Simulator:
    game = waiting()
    game.open_hand()
    return game


def in_play() -> Simulator:
    game = awaiting_links()
    game.give_links()
    game.commit_deck()
    return game


def paused() -> Simulator:
    game = waiting()
    game.pause()
    return game


def closed() -> Simulator:
    game = waiting()
    game.play_hand()
    game.play_hand()
    game.close()
    return game


IMPOSSIBLE: list[tuple[str, Any, e.Entry]] = [
    ("a second game_opened", waiting, e.GameOpened("cutcard/v1", "a", "0" * 32, RULES)),
    ("a taken seat", waiting, e.SeatTaken(1, "dan", 5_000)),
    ("a second seat", waiting, e.SeatTaken(3, "ann", 5_000)),
    ("a seat beyond the table", waiting, e.SeatTaken(11, "dan", 5_000)),
    ("a small buy-in", waiting, e.SeatTaken(3, "dan", 1_999)),
    ("a great buy-in", waiting, e.SeatTaken(3, "dan", 20_001)),
    ("a leaver of another seat", waiting, e.SeatLeft(2, "ann", 10_000)),
    ("a leaver of an empty seat", waiting, e.SeatLeft(3, "ann", 10_000)),
    ("a leaver with other chips", waiting, e.SeatLeft(1, "ann", 9_999)),
    ("a leaver without chips", waiting, e.SeatLeft(1, "ann")),
    ("chips of a leaver in the hand", awaiting_links, e.SeatLeft(1, "ann", 10_000)),
    ("too many chips", waiting, e.ChipsAdded(1, "ann", 10_001)),
    ("no chips", waiting, e.ChipsAdded(1, "ann", 0)),
    ("chips inside a hand", awaiting_links, e.ChipsAdded(1, "ann", 1)),
    ("coming back while in", waiting, e.CameBack(1, "ann")),
    ("an anchor of a player dealt in", awaiting_links, e.Anchored(1, "ann", BYTES)),
    ("a missing link that was not", waiting, e.Anchored(1, "ann", BYTES, 1, BYTES)),
    ("resuming what runs", waiting, e.Resumed()),
    ("pausing twice", paused, e.Paused()),
    ("a void without a hand", waiting, e.HandVoid(1, e.VoidReason.OPERATOR, BYTES, (), ())),
    ("a void of another hand", awaiting_links, e.HandVoid(2, e.VoidReason.OPERATOR, BYTES, (), ())),
    (
        "a missing link before its time",
        awaiting_links,
        e.HandVoid(
            1,
            e.VoidReason.LINK_MISSING,
            BYTES,
            (),
            (e.MissingLink(1, "ann"), e.MissingLink(2, "ben")),
        ),
    ),
    (
        "somebody missing in a void of the operator",
        awaiting_links,
        e.HandVoid(1, e.VoidReason.OPERATOR, BYTES, (), (e.MissingLink(1, "ann"),)),
    ),
    (
        "a link of a seat without an anchor",
        awaiting_links,
        e.HandVoid(1, e.VoidReason.OPERATOR, BYTES, (e.LoggedLink(5, BYTES),), ()),
    ),
    ("a void behind the deck", in_play, e.HandVoid(1, e.VoidReason.HEALTH, BYTES, (), ())),
    ("a deck without links", awaiting_links, e.DeckCommitted(1, (), BYTES, BYTES)),
    (
        "a second deck",
        in_play,
        e.DeckCommitted(1, (e.LoggedLink(1, BYTES), e.LoggedLink(2, BYTES)), BYTES, BYTES),
    ),
    ("an act between hands", waiting, e.Acted(1, e.Act.CHECK, 0, e.By.PLAYER, 1)),
    ("an end in mid-hand", in_play, e.HandEnded(1, (e.SeatStack(1, 1), e.SeatStack(2, 1)))),
    ("an end between hands", waiting, e.HandEnded(1, ())),
    ("closing in a hand", in_play, e.GameClosed(e.CloseReason.OPERATOR, ())),
    ("closing with other stacks", waiting, e.GameClosed(e.CloseReason.OPERATOR, ())),
    ("revealing in a running game", waiting, e.SecretRevealed(1, BYTES)),
    ("revealing out of order", closed, e.SecretRevealed(2, BYTES)),
    ("a seat in a closed game", closed, e.SeatTaken(3, "dan", 5_000)),
    ("a pause in a closed game", closed, e.Paused()),
]


@pytest.mark.parametrize(("name", "start", "entry"), IMPOSSIBLE, ids=[one[0] for one in IMPOSSIBLE])
def test_an_entry_that_can_not_stand_there_is_refused(
    name: str, start: Any, entry: e.Entry
) -> None:
    game = start()
    with pytest.raises(ImpossibleEntry):
        evolve(game.state, game.now + 10_000 * ("before" not in name), entry)


CHANGED_OPENINGS: list[tuple[str, dict[str, Any]]] = [
    ("hand", {"hand": 2}),
    ("button", {"button": 2}),
    ("small blind", {"small_blind_seat": None}),
    ("big blind", {"big_blind_seat": 1}),
    ("seats", {"seats": ()}),
    ("misses", {"misses": (e.Miss("ann", (1,)),)}),
    ("voids", {"voids": 1}),
]


@pytest.mark.parametrize(("name", "change"), CHANGED_OPENINGS, ids=lambda one: str(one)[:12])
def test_an_opening_repeats_the_very_state_before_it(name: str, change: dict[str, Any]) -> None:
    game = waiting()
    (honest,) = granted(opening.open_hand(game.state, game.now, BYTES))
    assert evolve(game.state, game.now, honest).phase is Phase.LINKS, name
    with pytest.raises(ImpossibleEntry):
        evolve(game.state, game.now, replace(honest, **change))


def test_time_does_not_go_back() -> None:
    game = waiting()
    with pytest.raises(ImpossibleEntry):
        evolve(game.state, game.now - 1, e.Paused())


@pytest.mark.parametrize("entry", [e.Paused(), e.SeatTaken(1, "ann", 5_000)])
def test_a_log_begins_with_its_game(entry: e.Entry) -> None:
    with pytest.raises(ImpossibleEntry):
        evolve(None, 1, entry)
    with pytest.raises(ImpossibleEntry):
        fold([])


def test_folding_from_the_middle_begins_at_an_opening() -> None:
    game = waiting()
    opened_at, opened = game.log[0]
    assert isinstance(opened, e.GameOpened)
    with pytest.raises(ImpossibleEntry):
        fold_from(opened_at, opened, game.log[1:], ())
    with pytest.raises(ImpossibleEntry):
        fold_from(opened_at, opened, [], ())


def test_a_seat_word_is_the_first_that_is_true() -> None:
    """Section 6.3's order: sitting_out, no_chips, no_anchor, in."""
    seat = waiting().state.seats[5]
    required = replace(RULES, links=e.Links.REQUIRED)
    assert seat_word(RULES, seat) is e.SeatWord.IN
    assert seat_word(required, seat) is e.SeatWord.NO_ANCHOR
    assert seat_word(required, replace(seat, stack=0)) is e.SeatWord.NO_CHIPS
    out = replace(seat, stack=0, sitting_out=True)
    assert seat_word(required, out) is e.SeatWord.SITTING_OUT


def test_a_leaver_in_mid_hand_keeps_its_seat_until_the_hand_has_ended() -> None:
    game = in_play()
    game.leave("cleo")
    assert seat_of(game.state, "cleo") == 5
    assert game.state.seats[5].leaving
    game.settle()
    game.play_out()
    game.end_hand()
    assert seat_of(game.state, "cleo") is None


def test_a_leaver_while_links_are_awaited_goes_when_the_hand_is_void() -> None:
    game = awaiting_links()
    game.leave("cleo")
    game.void_hand(e.VoidReason.OPERATOR)
    assert seat_of(game.state, "cleo") is None
    assert game.moved[-1].amount == 20_000


def test_a_void_gives_the_links_that_came_as_anchors_and_takes_the_others() -> None:
    game = awaiting_links()
    old = game.state.seats[1].anchor
    game.give_links(missing=["ben"])
    link = game.links[1]
    game.void_hand(e.VoidReason.LINK_MISSING)
    assert game.state.seats[1].anchor == link != old
    assert game.state.seats[2].anchor is None
    assert game.state.misses == {"ben": (1,)}
    assert game.state.voids == 0
    assert game.state.void_hands == (1,)


def test_after_two_misses_a_player_anchors_no_more() -> None:
    game = waiting()
    for _ in range(2):
        game.open_hand()
        game.give_links(missing=["ben"])
        game.void_hand(e.VoidReason.LINK_MISSING)
        last = game.state
        if last.misses["ben"] == (1,):
            game.anchor("ben")
    with pytest.raises(ImpossibleEntry):
        evolve(last, game.now, e.Anchored(2, "ben", BYTES, 2, BYTES))


def test_a_void_by_the_operator_is_counted_and_blames_nobody() -> None:
    game = awaiting_links()
    anchor = game.state.seats[1].anchor
    game.void_hand(e.VoidReason.OPERATOR)
    assert game.state.voids == 1
    assert game.state.misses == {}
    assert game.state.seats[1].anchor == anchor


def test_a_fault_behind_the_deck_gives_every_chip_back() -> None:
    game = in_play()
    game.act(e.Act.CALL)
    game.void_hand(e.VoidReason.DEALER_FAULT)
    assert [seat.stack for seat in game.state.seats.values()] == [10_000, 10_000, 20_000]
    assert game.state.phase is Phase.WAITING


def test_a_third_void_of_the_dealers_own_is_the_last_hand_of_a_restored_game() -> None:
    game = waiting()
    for restoring in (False, False, True):
        game.open_hand()
        game.void_hand(e.VoidReason.OPERATOR, restoring=restoring)
    state, now = game.state, game.now
    with pytest.raises(ImpossibleEntry):
        evolve(state, now, opening_of(state))
    stacks = tuple(e.PlayerStack(n, s.player, s.stack) for n, s in state.seats.items())
    with pytest.raises(ImpossibleEntry):
        evolve(state, now, e.GameClosed(e.CloseReason.OPERATOR, stacks))
    last = evolve(state, now, e.GameClosed(e.CloseReason.RESTORED, stacks))
    assert last.phase is Phase.REVEALED


def opening_of(state: TableState) -> e.HandOpened:
    seats = tuple(
        e.SeatState(n, s.player, s.stack, e.SeatWord.IN, s.anchor) for n, s in state.seats.items()
    )
    return e.HandOpened(state.hand + 1, BYTES, 1, 5, seats, (), state.voids, 2)


def test_secrets_are_revealed_in_order_and_nothing_comes_behind_the_last() -> None:
    game = closed()
    assert secrets_due(game.state) == (1, 2)
    game.reveal()
    assert secrets_due(game.state) == ()
    assert game.state.phase is Phase.REVEALED
    with pytest.raises(ImpossibleEntry):
        evolve(game.state, game.now, e.SecretRevealed(2, BYTES))


def test_a_void_hand_has_nothing_left_to_reveal() -> None:
    game = awaiting_links()
    game.void_hand(e.VoidReason.HEALTH)
    game.close()
    assert game.state.phase is Phase.REVEALED
