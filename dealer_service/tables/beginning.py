"""How a game begins: by an operator, or where another one has closed (PROTOCOL.md 6.2)."""

from dealer_service.rules import closing
from dealer_service.rules.entry import GameOpened, Paused, RuleSet
from dealer_service.rules.movements import movements
from dealer_service.rules.table import evolve
from dealer_service.store.api import ChipMove, Movement
from dealer_service.tables.dealing import Dealing, allowed
from dealer_service.tables.facts import Meta
from dealer_service.tables.house import House
from dealer_service.tables.lines import encode
from dealer_service.tables.log import GameLog, Unit
from dealer_service.tables.notices import note_stages
from dealer_service.tables.values import UsedValues

SUITE = "cutcard/v1"


def open_game(house: House, rules: RuleSet, meta: Meta) -> tuple[Dealing, Unit]:
    """Open a new game under `rules`, which are valid."""
    opened = GameOpened(SUITE, house.origin, house.draw_game(), rules)
    return _begin(house, opened, meta, house.clock.now())


def open_table(
    house: House, game: str, rules: RuleSet, *, at: int, epoch: int
) -> tuple[Dealing, Unit]:
    """Open a tournament's table under its rules, at the time of the tournament's unit.

    `epoch` is that of the tournament's log.
    """
    return _begin(house, GameOpened(SUITE, house.origin, game, rules), Meta(), at, epoch)


def open_successor(closed: Dealing, unit: Unit) -> tuple[Dealing, Unit]:
    """Open the game that a closed one names, with its seats and stacks.

    `unit` is the one that closes the other, up to and with its `game_closed`. A paused game goes
    on as a paused one.
    """
    root = closed.log.tree.root().hex()
    entries = allowed(closing.open_successor(closed.state, closed.log.size, root))
    (opened,) = entries
    if not isinstance(opened, GameOpened):
        message = "a game begins with game_opened"
        raise TypeError(message)
    dealing, first = _begin(closed.house, opened, Meta(closed.meta.reference), unit.at)
    if closed.state.paused:
        dealing.take(first, Paused())
        dealing.log.sign(first)
    return dealing, first


def _begin(
    house: House, opened: GameOpened, meta: Meta, at: int, epoch: int = 1
) -> tuple[Dealing, Unit]:
    log = GameLog(house.origin, opened.game, house.signer, epoch=epoch)
    unit = log.begin(at)
    state = evolve(None, at, opened)
    log.add(unit, encode(at, opened))
    if house.published is not None:
        note_stages(unit, log, state, opened)
    unit.is_listed = True
    unit.movements += [
        Movement(
            log=opened.game,
            index=0,
            at=at,
            what=ChipMove(moved.what.value),
            player=moved.player,
            seat=moved.seat,
            amount=moved.amount,
        )
        for moved in movements(None, opened)
    ]
    log.sign(unit)
    return Dealing(house, state, log, UsedValues(), meta), unit
