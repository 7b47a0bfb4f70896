"""No line of a tournament is too long, whatever structure it is played by (section 5, 14.3)."""

from dataclasses import replace

from dealer_service.rules.entry import AnteKind, AnteRule
from dealer_service.rules.tournament.entering import MOST_NAMES, register
from dealer_service.rules.tournament.entry import (
    Drawn,
    DrawWhat,
    Level,
    PayoutKind,
    PayoutRule,
    RegistrationClosed,
    ShareTable,
    Structure,
    TournamentEntry,
    TournamentOpened,
)
from dealer_service.rules.tournament.prizes import prizes_of
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.structure import (
    MOST_LEVELS,
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_REDRAWS,
    find_faults,
)
from dealer_service.tables.tournament.lines import encode
from tests.support.tournament_desk import BEGUN, Desk, reason_of, structure

HEX = "ff" * 32
MOST = 2**53 - 1


def length(entry: TournamentEntry) -> int:
    return len(encode(BEGUN, entry))


def longest(payout: PayoutRule, buy_in: int = 0) -> Structure:
    """Give a structure of the longest lists and numbers, with that payout."""
    unit = 10**12
    ante = AnteRule(AnteKind.BIG_BLIND, unit)
    levels = (Level(unit, 2 * unit, 10**9, MOST, MOST, ante),) * MOST_LEVELS
    plain = structure()
    rules = replace(plain.rules, small_blind=unit, big_blind=2 * unit, chip_unit=10**9, ante=ante)
    return replace(
        plain,
        name="x" * 64,
        rules=rules,
        stack=10**9,
        levels=levels,
        players_max=MOST_PLAYERS,
        redraw=tuple(range(MOST_PLAYERS, MOST_PLAYERS - MOST_REDRAWS, -1)),
        payout=payout,
        buy_in=buy_in,
        fee=buy_in,
        guarantee=buy_in * 10**6,
    )


def test_a_structure_without_fault_fits_into_a_line() -> None:
    shares = (203, *[200] * 48, 197)
    tables = tuple(ShareTable(MOST_PLAYERS - 99 + number, shares) for number in range(100))
    for played in (
        longest(PayoutRule(PayoutKind.SHARES, unit=MOST, tables=tables), 10**9),
        longest(PayoutRule(PayoutKind.POINTS, points=(MOST_POINTS,) * 2_500)),
    ):
        assert find_faults(played) == ()
        opened = TournamentOpened("cutcard/v1", "x" * 64, "ff" * 16, played, HEX)
        assert length(opened) <= 65_535


def test_the_prizes_of_any_pool_fit_into_a_line() -> None:
    satellite = longest(PayoutRule(PayoutKind.SATELLITE, prize=MOST // 10_000), 10**9)
    many = (ShareTable(1, (4,) * 2_500),)
    shares = longest(PayoutRule(PayoutKind.SHARES, unit=1, tables=many), 10**9)
    points = longest(PayoutRule(PayoutKind.POINTS, points=(MOST_POINTS,) * 2_500))
    for played in (satellite, shares, points):
        assert find_faults(played) == ()
        prizes = prizes_of(played, MOST, MOST_PLAYERS)
        assert len(prizes) >= 2_500
        closed = RegistrationClosed(MOST_PLAYERS, 10**6, MOST, prizes)
        assert length(closed) <= 65_535


def test_a_draw_of_all_players_fits_into_a_line() -> None:
    order = tuple(range(MOST_NAMES, MOST_NAMES - MOST_PLAYERS, -1))
    drawn = Drawn(10**6, DrawWhat.REDRAW, HEX, order, HEX)
    assert length(drawn) <= 65_535


def test_no_more_names_register_than_a_draw_can_tell() -> None:
    desk = Desk(structure(), ("a",))
    one = desk.state.entrants["a"]
    names = {f"p{number}": one for number in range(MOST_NAMES)}
    answer = register(
        replace(desk.state, entrants=names),
        desk.now,
        "new",
        anchors=False,
        house=False,
        accepts_reveal="all_cards",
    )
    assert reason_of(answer) is TournamentReason.TOURNAMENT_FULL
