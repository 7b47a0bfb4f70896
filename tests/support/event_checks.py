"""What is true of every tournament that was played through the service, from what the store has."""

from collections import Counter
from collections.abc import Iterable

from dealer_service.rules.entry import (
    ChipsAdded,
    ColoredUp,
    Entry,
    GameClosed,
    GameOpened,
    HandEnded,
    HandOpened,
    HandVoid,
    PlayerRemoved,
    SeatLeft,
    SeatTaken,
)
from dealer_service.rules.table import fold as fold_table
from dealer_service.rules.table_state import Phase
from dealer_service.rules.tournament import entry as told
from dealer_service.rules.tournament.folding import fold
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.store.api import Append, Store
from dealer_service.tables.lines import decode as decode_game
from dealer_service.tables.tournament.lines import decode
from dealer_service.transcript.merkle import leaf_hash, tree_root

_AT_TABLES: dict[type, tuple[type, ...]] = {
    told.TableOpened: (GameOpened,),
    told.Seated: (SeatTaken,),
    told.Moved: (SeatLeft, SeatTaken),
    told.HandStarted: (HandOpened,),
    told.Busted: (SeatLeft,),
    told.Rebought: (ChipsAdded,),
    told.AddedOn: (ChipsAdded,),
    told.TakenOver: (SeatLeft, SeatTaken),
    told.Disqualified: (PlayerRemoved,),
    told.TableClosed: (GameClosed,),
}
"""What each entry of the tournament's is at the table, in the same unit (14.4)."""

_TABLES_OWN = {one for kinds in _AT_TABLES.values() for one in kinds} | {HandEnded, HandVoid}


def require_one_unit(tournament: str, written: Iterable[Append]) -> None:
    """Hold every unit to tell the same in the tournament's log and in its tables', at one time."""
    for append in written:
        own: list[tuple[int, told.TournamentEntry]] = []
        tables: list[tuple[int, Entry]] = []
        for change in append.logs:
            if change.log == tournament:
                own += map(decode, change.lines)
            else:
                tables += map(decode_game, change.lines)
        here = Counter(type(entry) for _, entry in tables if type(entry) in _TABLES_OWN)
        wanted = Counter(kind for _, entry in own for kind in _AT_TABLES.get(type(entry), ()))
        for _, entry in own:
            if isinstance(entry, told.HandFinished):
                wanted[HandVoid if entry.void else HandEnded] += 1
        assert here == wanted
        if own:
            assert len({at for at, _ in (*own, *tables)}) == 1
        races = [entry for _, entry in own if isinstance(entry, told.TableColoredUp)]
        colored = [entry for _, entry in tables if isinstance(entry, ColoredUp)]
        assert len(colored) == sum(bool(race.stacks) for race in races)


def require_whole(store: Store, tournament: str) -> TournamentState:
    """Hold a finished tournament to be whole: logs fold, chips and money add up, tables closed."""
    entries = [decode(line) for line in store.every_line(tournament)]
    state = fold(entries)
    placed = [entry for _, entry in entries if isinstance(entry, told.Placed)]
    names = [entry.player for entry in placed]
    assert len(names) == len(set(names)) == state.players
    assert sum(entry.prize for entry in placed) == state.pool
    closed = {entry.game: entry for _, entry in entries if isinstance(entry, told.TableClosed)}
    heads = store.group(tournament)[1:]
    assert {head.log for head in heads} == closed.keys()
    for head in heads:
        lines = list(store.every_line(head.log))
        game = [decode_game(line) for line in lines]
        assert fold_table(game).phase is Phase.REVEALED
        end = next(n for n, (_, one) in enumerate(game, 1) if isinstance(one, GameClosed))
        root = tree_root([leaf_hash(line) for line in lines[:end]])
        assert (closed[head.log].size, closed[head.log].root) == (end, root.hex())
        assert head.signed is not None
        assert head.signed.size == len(lines)
    own = store.head(tournament)
    assert own is not None
    assert own.signed is not None
    assert own.signed.size == len(entries)
    moved = [(one.movement.what.value, one.movement.amount) for one in store.movements(0, 1_000)]
    paid = sum(amount for what, amount in moved if what in {"prize", "refund"})
    taken = sum(amount for what, amount in moved if what in {"buy_in", "rebuy", "add_on"})
    fees = state.structure.fee * state.entries
    assert taken - fees == paid
    return state
