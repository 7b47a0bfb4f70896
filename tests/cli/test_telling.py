"""What a person at the table is told."""

import pytest

from dealer_service.client import (
    Acted,
    AnchorNotLogged,
    BetReturned,
    BlindsChopped,
    BoardOpened,
    CardsDealt,
    CaughtUp,
    ChoicesNotSet,
    Decision,
    Disconnected,
    Event,
    Evidence,
    GameClosed,
    HandOver,
    HandStarted,
    HandVoided,
    LinkNotGiven,
    Mucked,
    MyTurn,
    Posted,
    Pot,
    PotAwarded,
    PotWinner,
    Reason,
    Refused,
    RunsAgreed,
    SeatView,
    Shown,
    Span,
    TableChanged,
    TableView,
)
from dealer_service.commands.telling import Paint, Teller, plain, show_table

RULES = {"small_blind": 50, "big_blind": 100}
TURN = Decision(3, 7, 2, may_check=False, call=300, bet=None, raise_to=Span(600, 9_700),
                no_raise_because="", deadline=0)  # fmt: skip
VIEW = TableView(
    game="00" * 16,
    hand=3,
    button=1,
    street="flop",
    board=("Qh", "7s", "2c"),
    seats=(
        SeatView(1, "ann", 9_400, bet=300, state="in"),
        SeatView(2, "ben", 9_700, state="in", cards=("As", "Kd")),
        SeatView(4, "cat", 0, state="all_in"),
    ),
    pots=(Pot(900, (1, 2, 4)), Pot(300, (1, 2))),
    seat=2,
    cards=("As", "Kd"),
    decision=TURN,
    rules=RULES,
)
PLAIN = Paint(colour=False)


@pytest.fixture
def teller() -> Teller:
    """Return a teller that knows who sits where."""
    teller = Teller(PLAIN)
    teller.tell(HandStarted(3, VIEW))
    return teller


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (HandStarted(3, VIEW), ["", "hand 3, blinds 50/100, ann on the button"]),
        (Posted(1, "small_blind", 50), ["  ann: small blind 50"]),
        (CardsDealt(3, ("As", "Kd")), ["  your cards: As Kd"]),
        (Acted(3, 1, 2, "raise", 600, "player"), ["  ben (you): raises to 600"]),
        (Acted(3, 1, 1, "call", 600, "player"), ["  ann: calls, 600 in all"]),
        (Acted(3, 1, 1, "fold", 0, "clock"), ["  ann: folds (by the clock)"]),
        (Acted(3, 1, 1, "check", 0, "absent"), ["  ann: checks (absent)"]),
        (BoardOpened(3, ("9d",), ("Qh", "7s", "2c", "9d")), ["  turn: Qh 7s 2c 9d"]),
        (Shown(1, ("Qs", "Qd"), "policy"), ["  ann: shows Qs Qd"]),
        (Mucked(4, "policy"), ["  cat: mucks"]),
        (BoardOpened(3, ("9d",), ("Qh", "7s", "2c", "9d"), 2), ["  second turn: Qh 7s 2c 9d"]),
        (RunsAgreed(2, (1, 2)), ["  all agree: the rest of the board is dealt twice"]),
        (BlindsChopped((1, 2)), ["  the blinds are chopped"]),
        (Acted(3, 1, 1, "fold", 0, "pre_action"), ["  ann: folds (chosen ahead)"]),
        (
            PotAwarded(0, 500, (PotWinner(1, 480, "", ()),), rake=20, board=2, half="low"),
            ["  rake 20", "  ann: 480 of the low half of the pot on the second board"],
        ),
        (
            ChoicesNotSet("no seat"),
            ["what you prefer is not set in the game that goes on: no seat"],
        ),
        (BetReturned(2, 1_200), ["  ben (you): 1,200 goes back"]),
        (
            PotAwarded(1, 300, (PotWinner(1, 300, "Pair of queens", ("Qs", "Qh", "As")),)),
            ["  ann: 300 of side pot 1 with Pair of queens (Qs Qh As)"],
        ),
        (PotAwarded(0, 900, (PotWinner(2, 900, "", ()),)), ["  ben (you): 900 of the pot"]),
        (HandOver(3, {}, VIEW), ["  chips: ann 9,400, ben 9,700, cat 0"]),
        (TableChanged("sat_out", 4, "cat", VIEW), ["  cat: sits out"]),
        (TableChanged("anchored", 4, "cat", VIEW), []),
        (TableChanged("paused", 0, "", VIEW), ["  the game is paused by the operator"]),
        (CaughtUp("00" * 16, VIEW), []),
        (Disconnected("gone"), ["  not connected, trying again: gone"]),
        (LinkNotGiven(3, "SPENT"), ["your randomness is not in hand 3: SPENT"]),
        (AnchorNotLogged("no"), ["you play on without adding randomness: no"]),
        (
            HandVoided(3, "link_missing", ("ben",), blamed=True),
            [
                "hand 3 is void, no chip moved: link_missing (ben)",
                "  it calls your link missing, which was sent: your record says so",
            ],
        ),
        (
            GameClosed("aa", "max_hands", "bb", {}),
            ["game aa is closed: max_hands", "  it goes on in bb, in the same seats"],
        ),
        (
            Refused("aa", Reason.MIX, "hand 3", Evidence((), ())),
            ["THE DEALER BROKE THE PROTOCOL (MIX): hand 3"],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_event_has_its_words(teller: Teller, event: Event, lines: list[str]) -> None:
    assert teller.tell(event) == lines


def test_a_turn_tells_cards_board_pot_chips_and_what_may_be_typed(teller: Teller) -> None:
    assert teller.tell(MyTurn(TURN, VIEW)) == [
        "  your cards As Kd, board Qh 7s 2c, pot 1,200, your chips 9,700",
        "your turn: f fold, c call 300, r raise to 600 up to 9,700",
    ]


def test_the_table_shows_seats_bets_board_pots_and_whose_turn_it_is() -> None:
    assert show_table(VIEW, PLAIN) == [
        "hand 3, flop",
        "   1 ann                  9,400  button, bet 300",
        "   2 ben                  9,700  you, to act",
        "   4 cat                      0  all_in",
        "  board Qh 7s 2c",
        "  pot 900",
        "  side pot 1 300",
        "  your cards As Kd",
    ]


def test_no_words_of_the_dealer_move_a_cursor(teller: Teller) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07\r\n\u202eboo"
    events: list[Event] = [
        Disconnected(hostile),
        LinkNotGiven(3, hostile),
        AnchorNotLogged(hostile),
        Refused("aa", Reason.LINE, hostile, Evidence((), ())),
        PotAwarded(0, 1, (PotWinner(1, 1, hostile, ()),)),
        Posted(1, hostile, 5),
    ]
    for event in events:
        for line in teller.tell(event):
            assert line.isascii()
            assert line.isprintable()
    assert plain("plain ~ text") == "plain ~ text"


def test_colour_is_only_where_it_was_asked_for() -> None:
    assert Paint(colour=True).cards(("Ah", "Ks")) == "\x1b[31mAh\x1b[0m Ks"
    assert Paint(colour=False).cards(("Ah", "Ks")) == "Ah Ks"
    assert Paint(colour=False).bold("x") == Paint(colour=False).dim("x") == "x"
