"""What a person is told of a tournament: its lobby, its log's lines, and what befalls a player."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from cutcard.v1 import tournament_pb2
from dealer_service.client import (
    Bought,
    BreakBegan,
    LevelBegan,
    MayRebuy,
    RegistrationClosed,
    SeatGiven,
    TournamentChanged,
    TournamentClosed,
    TournamentEvent,
    TournamentSummary,
    WasPlaced,
    WentOut,
)
from dealer_service.client.shapes import Entry
from dealer_service.commands.telling import plain

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}
_TEENS: Final = range(11, 14)
_OUT: Final = {
    "busted": "you have no chips left",
    "withdrawn": "your registration is taken back",
    "disqualified": "you are disqualified by the operator",
    "taken_over": "a person has taken your seat",
}
_CHANGES: Final = {
    "started": "the tournament starts",
    "registered": "you are registered",
    "reentered": "you enter again",
    "hand_for_hand_begun": "hand for hand from here on",
    "hand_for_hand_ended": "hand for hand is over",
    "deal_agreed": "the last players have made a deal",
    "stopped": "the tournament is stopped by the operator",
    "resumed": "the tournament goes on",
}
_WHY: Final = {
    "balance": ", to balance the tables",
    "break": ", as your table is broken",
    "redraw": ", by a redraw",
}


def ordinal(place: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th, 11th."""
    last = "th" if place % 100 in _TEENS else _ENDINGS.get(place % 10, "th")
    return f"{place:,}{last}"


def length(ms: int) -> str:
    """Write a time in minutes and seconds."""
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02}"


def tell_tournament(event: TournamentEvent) -> list[str] | None:  # noqa: C901, PLR0911 - one each
    """Give the lines of an event of a tournament; None for one of the table."""
    match event:
        case SeatGiven(table, seat, stack, _, why):
            moves = f"you move to table {table}, seat {seat}{_WHY.get(why, '')}"
            sits = f"you sit at table {table}, seat {seat}"
            return [f"{moves if why else sits}, with {stack:,} chips"]
        case LevelBegan(level, small, big, ante):
            return [f"level {level}: blinds {small:,}/{big:,}" + (f", ante {ante:,}" * bool(ante))]
        case BreakBegan(_, ms):
            return [f"a break of {length(ms)}"]
        case MayRebuy(ms):
            return [f"no chips: + 1 buys some within {length(ms)}"]
        case Bought(chips, stack):
            return [f"{chips:,} chips more: you have {stack:,}"]
        case WentOut(how):
            return [_OUT.get(how, "you are out")]
        case WasPlaced(place, tied, prize):
            shared = f", with {tied - 1} more" if tied > 1 else ""
            return [f"you are {ordinal(place)}{shared}: {prize:,}"]
        case RegistrationClosed(players, pool, prizes):
            paid = sum(prize > 0 for prize in prizes)
            return [f"registration is closed: {players:,} players for {pool:,}, {paid} are paid"]
        case TournamentClosed(reason):
            return [f"the tournament is over: {plain(reason)}"]
        case TournamentChanged(kind):
            return [_CHANGES[kind]] if kind in _CHANGES else []
        case _:
            return None


def tell_summary(one: TournamentSummary) -> str:
    """Write a tournament in a list, in one line."""
    reference = f"  {plain(one.reference)}" if one.reference else ""
    return (
        f"{one.tournament}  {one.state:<11}  {one.players_in:>5,} of {one.players:>5,} in, "
        f"{one.tables:>3,} tables, level {one.level:>2}  {plain(one.name)}{reference}"
    )


def tell_lobby(lobby: tournament_pb2.GetTournamentResponse) -> Iterable[str]:
    """Write a tournament's lobby, a line each."""
    summary, structure = lobby.summary, lobby.structure
    yield f"{plain(summary.name)}: {summary.state}"
    yield (
        f"  {summary.players:,} players, {summary.players_in:,} in, at most "
        f"{summary.players_max:,}; {summary.tables:,} tables"
        + ("; registration is open" if lobby.registration_open else "")
        + ("; hand for hand" if lobby.hand_for_hand else "")
    )
    level = structure.levels[max(summary.level, 1) - 1]
    yield f"  level {summary.level}: blinds {level.small_blind:,}/{level.big_blind:,}"
    yield f"  buy-in {structure.buy_in:,} + {structure.fee:,}, pool {lobby.pool:,}"
    for place, prize in enumerate(lobby.prizes, 1):
        yield f"  {ordinal(place):>6} {prize:,}"
    if lobby.HasField("deal"):
        shares = ", ".join(f"{one.player} {one.amount:,}" for one in lobby.deal.shares)
        agreed = ", ".join(lobby.deal.agreed) or "nobody"
        yield f"  a deal is proposed: {shares}; {lobby.deal.left:,} left; agreed: {agreed}"
    for player in sorted(lobby.players, key=_by_standing):
        yield f"  {_tell_player(player)}"


def _by_standing(player: tournament_pb2.TournamentPlayer) -> tuple[int, int, str]:
    return player.place, -player.stack, player.player


def _tell_player(player: tournament_pb2.TournamentPlayer) -> str:
    marks = [
        f"table {player.table}, seat {player.seat}" if player.seat else player.state,
        "deciding" if player.state == "deciding" else "",
        f"{ordinal(player.place)}, {player.prize:,}" if player.place else "",
        f"{player.reentries} re-entries" if player.reentries else "",
        f"{player.rebuys} rebuys" if player.rebuys else "",
        "add-on" if player.added_on else "",
        "of the house" if player.house else "",
    ]
    told = ", ".join(mark for mark in marks if mark)
    return f"{player.player:<20} {player.stack:>10,}  {told}"


def tell_entry(entry: Entry) -> str:
    """Write a line of a tournament's log in words; empty for what nobody need read."""
    teller = _ENTRIES.get(entry.kind)
    return "" if teller is None else plain(teller.format(**_words(entry.body)))


_ENTRIES: Final[Mapping[str, str]] = {
    "registered": "{player} registers",
    "withdrawn": "{player} withdraws",
    "started": "the tournament starts with {players} players",
    "table_opened": "table {table} opens: game {game}",
    "seated": "{player} sits at table {table}, seat {seat}, with {stack} chips",
    "moved": "{player} moves from table {from_table} to table {table}, seat {seat}: {why}",
    "table_broken": "table {table} is broken",
    "level_begun": "level {level}",
    "break_begun": "a break behind level {level}",
    "hand_started": "table {table}: hand {hand}, level {level}",
    "busted": "{player} is out at table {table}, hand {hand}",
    "reentered": "{player} enters again",
    "rebought": "{player} buys {chips} chips again",
    "added_on": "{player} buys the add-on of {chips} chips",
    "taken_over": "{player} takes the seat of {house_player}: table {table}, seat {seat}",
    "disqualified": "{player} is disqualified",
    "registration_closed": "registration is closed: {players} players, pool {pool}",
    "hand_for_hand_begun": "hand for hand",
    "hand_for_hand_ended": "hand for hand is over",
    "deal_agreed": "a deal is made, {left} are left to play for",
    "placed": "{player} is {place}: {prize}",
    "stopped": "stopped by the operator",
    "resumed": "it goes on",
    "tournament_closed": "the tournament is over: {reason}",
}


def _words(body: Mapping[str, Any]) -> dict[str, str]:
    told = {
        name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in body.items()
    }
    if "place" in body:
        told["place"] = ordinal(body["place"])
    return told
