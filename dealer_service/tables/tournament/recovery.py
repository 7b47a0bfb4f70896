"""A tournament and all its tables as the store has them, made ready to go on where they stood.

They are claimed together, so that whoever owned one of them before writes to none of them; then the
tournament's log is folded from its first line, and each table that is not closed is recovered as
any game is, with its open hand's deck. Both must tell the same of every table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dealer_service.rules.tournament.folding import fold
from dealer_service.rules.tournament.state import Phase, TournamentState
from dealer_service.rules.tournament.state import Table as TableOf
from dealer_service.store.api import (
    UNFINISHED,
    LogHead,
    LogState,
    SignedAt,
    Store,
    unfinished_heads,
)
from dealer_service.store.sealing import key_of, needs_key
from dealer_service.tables.clock import going_on
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.house import House
from dealer_service.tables.log import GameLog
from dealer_service.tables.recovery import (
    CannotRecover,
    Recovered,
    guarded,
    recover_claimed,
    require_beacon,
    require_publication,
    require_whole,
)
from dealer_service.tables.tournament.conduct import Conduct
from dealer_service.tables.tournament.draws import Draws
from dealer_service.tables.tournament.facts import read_tournament_meta
from dealer_service.tables.tournament.lines import decode
from dealer_service.transcript import signer as rule
from dealer_service.transcript.merkle import leaf_hash


@dataclass(frozen=True, slots=True)
class RecoveredTournament:
    """A tournament that is ready to go on, as `Recovered`, with its tables by number."""

    conduct: Conduct
    tables: Mapping[int, Recovered]
    checkpoint: tuple[str, int]
    answered: tuple[tuple[str, str], ...]


def recover_tournament(
    house: House,
    store: Store,
    tournament: str,
    signed: Callable[[str], SignedAt | None] = lambda _: None,
    *,
    closes: bool = False,
) -> RecoveredTournament | None:
    """Take over a tournament with its tables; errors, `signed` and `closes` as in `recover`.

    None where another dealer owns it, or where it is over.
    """
    epochs = store.claim_group(tournament)
    heads = {head.log: head for head in store.group(tournament)} if epochs is not None else {}
    own = heads.get(tournament)
    if own is None or own.facts.state not in UNFINISHED:
        return None
    require_whole(own, signed(tournament))
    conduct = guarded(tournament, lambda: _read(house, store, own))
    if not closes and conduct.state.phase is not Phase.ENDING:
        # It may have no table yet that would ask for them.
        rules, whose = conduct.state.structure.rules, f"tournament {tournament}"
        require_publication(house, rules, whose)
        require_beacon(house, rules, whose)
    tables: dict[int, Recovered] = {}
    for number, table in conduct.state.tables.items():
        if table.closed:
            continue
        head = heads.get(table.game)
        if closes and head is not None and head.facts.state is LogState.LOST:
            # What was restored lacks lines of this table, and is never gone on from.
            continue
        if head is None or head.facts.state not in UNFINISHED:
            message = (
                f"table {number} of tournament {tournament} is not there to go on: start once with "
                "--accept-restore, which closes what is left"
            )
            raise CannotRecover(message)
        recovered = recover_claimed(house, store, head, signed(table.game), closes=closes)
        _require_agreement(tournament, table, recovered.dealing)
        tables[number] = recovered
    # Else a clock that was set back would let everybody wait; and all of it has one time.
    latest = max(conduct.state.at, *(one.dealing.state.at for one in tables.values()), 0)
    conduct.house = replace(house, clock=going_on(house.clock, latest))
    for one in tables.values():
        one.dealing.house = conduct.house
    last = store.last_checkpoint(tournament)
    checkpoint = (last.note, last.size) if last else ("", 0)
    return RecoveredTournament(conduct, tables, checkpoint, tuple(store.answered(tournament)))


def recover_strays(
    house: House, store: Store, signed: Mapping[str, SignedAt]
) -> tuple[Recovered, ...]:
    """Make those tables ready to be closed whose tournament's own log was lost in a restore.

    They are claimed already, with their tournament.
    """
    found: list[Recovered] = []
    for head in tuple(unfinished_heads(store)):
        if head.is_tournament or not head.facts.tournament:
            continue
        own = store.head(head.facts.tournament)
        if own is not None and own.facts.state is LogState.LOST:
            last = signed.get(head.log)
            found.append(recover_claimed(house, store, head, last, closes=True))
    return tuple(found)


def read_tournament_state(store: Store, tournament: str) -> TournamentState:
    """Fold the state of a tournament from its lines, without taking it over; CannotRecover."""
    return guarded(tournament, lambda: fold(map(decode, store.every_line(tournament))))


def _read(house: House, store: Store, head: LogHead) -> Conduct:
    lines = tuple(store.every_line(head.log))
    state = fold(map(decode, lines))
    last = head.signed
    log = GameLog(
        house.origin,
        head.log,
        house.signer,
        epoch=head.epoch,
        leaves=map(leaf_hash, lines),
        last_signed=rule.Signed(last.size, last.root) if last else None,
    )
    secrets = {one.hand: one for one in store.sealed_secrets(head.log)}
    secret = secrets.get(state.next_draw)
    if secret is None:
        message = f"the secret of draw {state.next_draw} is not in the store"
        raise CannotRecover(message)
    if key_of(secret.sealed) not in house.sealer.key_ids:
        where = f"the secret of draw {state.next_draw} of tournament {head.log}"
        raise needs_key(where, key_of(secret.sealed), house.sealer.key_ids)
    draws = Draws(house, head.log, secret)
    if not draws.opens(state.next_commitment):
        message = f"the secret of draw {state.next_draw} does not open its commitment"
        raise CannotRecover(message)
    return Conduct(house, state, log, draws, read_tournament_meta(head.facts.meta).reference)


def _require_agreement(tournament: str, told: TableOf, dealing: Dealing) -> None:
    """Raise CannotRecover where the two logs do not tell the same of a table."""
    state = dealing.state
    there = {number: (seat.player, seat.stack) for number, seat in state.seats.items()}
    same = state.hand == told.hand and (state.open is None) == (told.open is None)
    seats = told.open.seats if told.open is not None else told.seats
    if told.open is None:
        same = same and there == {n: (one.player, one.stack) for n, one in seats.items()}
    if not same:
        message = (
            f"the log of tournament {tournament} and that of its table {told.table}, game "
            f"{dealing.log.game}, do not tell the same"
        )
        raise CannotRecover(message)
