"""Between a tournament's entries and the lines of its log, both ways (PROTOCOL.md 14.4).

`encode` writes the line of an entry and `decode` reads it, as `tables.plans` says.
"""

from typing import Final

from dealer_service.rules.tournament.entry import (
    TOURNAMENT_KINDS,
    Registered,
    Structure,
    TournamentEntry,
)
from dealer_service.tables.lines import EXCEPTIONS, FIELDS, RULES
from dealer_service.tables.plans import Format, Lines, hex_of, integer, make_lines, printable, text
from dealer_service.tables.plans import true as only_true

__all__ = ["decode", "encode"]

_AMOUNT: Final = integer(0)
_COUNT: Final = integer(1)
_PLAYERS: Final = integer(2, 10_000)

_FIELDS: Final = {
    **FIELDS,
    "break_ms": _AMOUNT,
    "buy_in": _AMOUNT,
    "chips": _COUNT,
    "cost": _AMOUNT,
    "decide_ms": _AMOUNT,
    "draw": _COUNT,
    "draw_commitment": hex_of(32),
    "entrant": _COUNT,
    "entries": _AMOUNT,
    "fee": _AMOUNT,
    "from_seat": integer(1, 10),
    "from_table": _COUNT,
    "guarantee": _AMOUNT,
    "hand_for_hand": _AMOUNT,
    "house_player": text("[A-Za-z0-9._-]{1,64}", "1 to 64 of A-Z a-z 0-9 . _ -"),
    "left": _AMOUNT,
    "length": _COUNT,
    "levels": integer(1, 100),
    "max_stack": _AMOUNT,
    "most": _AMOUNT,
    "next_commitment": hex_of(32),
    "order": _COUNT,
    "place": _COUNT,
    # Of the whole field, and not of a table.
    "players": _AMOUNT,
    "players_max": _PLAYERS,
    "players_min": _PLAYERS,
    "points": _AMOUNT,
    "pool": _AMOUNT,
    "prize": _AMOUNT,
    "prizes": _AMOUNT,
    "redraw": _COUNT,
    "reentries": _AMOUNT,
    "removed": _AMOUNT,
    "shares": integer(0, 10_000),
    "tied": _COUNT,
}

_EXCEPTIONS: Final = {
    **EXCEPTIONS,
    (Registered, "house"): only_true(),
    (Structure, "name"): printable(64),
}

_LINES: Final[Lines[TournamentEntry]] = make_lines(
    Format(TOURNAMENT_KINDS, _FIELDS, _EXCEPTIONS, RULES)
)
encode: Final = _LINES.encode
decode: Final = _LINES.decode
