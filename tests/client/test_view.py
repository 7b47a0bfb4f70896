"""The view keeps the table's books: the same stacks, bets, cards and pots as the rules."""

from collections.abc import Iterator

import pytest

from dealer_service.client.events import tell
from dealer_service.client.lines import Entry, read_line
from dealer_service.client.message import CardOpening
from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.client.view import Pot, SeatView, TableView, Viewer, layers
from dealer_service.rules.entry import Act
from tests.support.simulator import LIVELY, Simulator, play_game, script


def entries(simulator: Simulator) -> Iterator[Entry]:
    return (read_line(index, line) for index, line in enumerate(simulator.lines))


def viewed(simulator: Simulator, player: str | None = "ann") -> Iterator[tuple[Entry, TableView]]:
    """Give the view after each line."""
    viewer = Viewer(simulator.state.opened.game, player)
    for entry in entries(simulator):
        viewer.apply(entry)
        yield entry, viewer.table()


@pytest.mark.parametrize("seed", range(6))
def test_no_chip_appears_or_is_lost_within_a_hand(seed: int) -> None:
    simulator = play_game(seed=seed, hands=15, players=6, habits=LIVELY)
    total = 0
    for entry, view in viewed(simulator):
        chips = sum(seat.stack for seat in view.seats) + view.pot
        if entry.kind == "hand_opened":
            total = chips
        elif entry.kind == "seat_taken":
            total += entry.body["stack"]
        elif entry.kind in {"seat_left", "player_removed"}:
            total -= entry.body.get("stack", 0)
        elif entry.kind in {"posted", "acted", "dealt", "opened", "returned", "awarded"}:
            assert chips == total, entry


def test_who_looks_at_every_line_sees_what_one_sees_who_looks_for_the_first_time() -> None:
    simulator = play_game(seed=3, hands=2, players=4, habits=LIVELY)
    told = list(viewed(simulator))
    for size in range(1, len(told) + 1):
        viewer = Viewer(simulator.state.opened.game, "ann")
        for entry, _ in told[:size]:
            viewer.apply(entry)
        assert viewer.table() == told[size - 1][1]
        assert viewer.table() is viewer.table()


@pytest.mark.parametrize("seed", range(6))
def test_pots_are_paid_as_they_were_seen(seed: int) -> None:
    """What is awarded is what lay in that pot; the highest is paid first."""
    simulator = play_game(seed=seed, hands=15, players=6, habits=LIVELY)
    before: TableView | None = None
    awards = 0
    for entry, view in viewed(simulator):
        if entry.kind == "awarded":
            assert before is not None
            pot = before.pots[entry.body["pot"]]
            assert entry.body["pot"] == len(before.pots) - 1
            assert pot.amount == entry.body["amount"]
            assert {winner["seat"] for winner in entry.body["winners"]} <= set(pot.seats)
            awards += 1
        before = view
    assert awards > 10


@pytest.mark.parametrize("seed", range(6))
def test_stacks_are_those_that_the_next_opening_repeats(seed: int) -> None:
    simulator = play_game(seed=seed, hands=15, players=6, habits=LIVELY)
    before: dict[int, tuple[str, int]] = {}
    for entry, view in viewed(simulator):
        if entry.kind == "hand_opened":
            stated = {s["seat"]: (s["player"], s["stack"]) for s in entry.body["seats"]}
            assert before == stated
        before = {seat.seat: (seat.player, seat.stack) for seat in view.seats}


@pytest.mark.parametrize("seed", range(3))
def test_every_line_can_be_told(seed: int) -> None:
    simulator = play_game(seed=seed, hands=15, players=6, habits=LIVELY)
    silent = {"game_opened", "deck_committed", "dealt", "secret_revealed"}
    for entry, view in viewed(simulator):
        assert (tell(entry, view) is None) == (entry.kind in silent), entry.kind


def test_streets_and_boards() -> None:
    simulator = Simulator(seed=7)
    for name in ("ann", "ben"):
        simulator.sit(name)
    simulator.play_hand(choose=script(*[(Act.CALL, 0), (Act.CHECK, 0)], *[(Act.CHECK, 0)] * 6))
    seen = []
    for _, view in viewed(simulator):
        if (view.street, len(view.board)) not in seen:
            seen.append((view.street, len(view.board)))
    deals = [("", 0), ("preflop", 0), ("flop", 0), ("flop", 3)]
    assert seen == [*deals, ("turn", 3), ("turn", 4), ("river", 4), ("river", 5), ("", 5)]


def test_own_cards_are_seen_by_nobody_else() -> None:
    simulator = Simulator(seed=7)
    for name in ("ann", "ben"):
        simulator.sit(name)
    simulator.open_hand()
    simulator.give_links()
    simulator.commit_deck()
    viewer = Viewer(simulator.state.opened.game, "ann")
    for entry in entries(simulator):
        viewer.apply(entry)
    viewer.open_own(CardOpening(1, 1, "As", bytes(16), ()))
    viewer.open_own(CardOpening(1, 3, "Kd", bytes(16), ()))
    viewer.open_own(CardOpening(2, 3, "2c", bytes(16), ()))
    view = viewer.table()
    assert view.cards == ("As", "Kd")
    assert {seat.player: seat.cards for seat in view.seats} == {"ann": ("As", "Kd"), "ben": ()}


def seat(number: int, paid: int, state: str) -> SeatView:
    return SeatView(number, f"p{number}", 0, paid=paid, state=state)


@pytest.mark.parametrize(
    ("seats", "pots"),
    [
        ([], ()),
        ([(1, 50, "in"), (2, 100, "in")], (Pot(100, (1, 2)), Pot(50, (2,)))),
        ([(1, 100, "all_in"), (2, 100, "in")], (Pot(200, (1, 2)),)),
        (
            [(1, 50, "all_in"), (2, 100, "in"), (3, 100, "in")],
            (Pot(150, (1, 2, 3)), Pot(100, (2, 3))),
        ),
        ([(1, 70, "folded"), (2, 100, "in"), (3, 100, "in")], (Pot(270, (2, 3)),)),
        ([(1, 150, "folded"), (2, 100, "in"), (3, 100, "in")], (Pot(350, (2, 3)),)),
        (
            [(1, 30, "all_in"), (2, 60, "folded"), (3, 90, "in"), (4, 90, "in")],
            (Pot(120, (1, 3, 4)), Pot(150, (3, 4))),
        ),
    ],
)
def test_pots_are_layers_at_the_totals_of_live_seats(
    seats: list[tuple[int, int, str]], pots: tuple[Pot, ...]
) -> None:
    assert layers([seat(*each) for each in seats]) == pots


def test_an_entry_of_a_seat_that_nobody_has_is_a_breach() -> None:
    simulator = Simulator(seed=7)
    viewer = Viewer(simulator.state.opened.game, None)
    with pytest.raises(ProtocolBreach) as breach:
        viewer.apply(Entry(5, 0, "posted", {"seat": 3, "what": "small_blind", "amount": 1}))
    assert breach.value.reason is Reason.LINE
