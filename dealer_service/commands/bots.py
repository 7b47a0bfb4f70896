"""`cutcard-dealer bots`: fills a table with house players, of a game that runs or of a new one."""

import argparse
import asyncio
import random
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cutcard.v1 import entry_pb2
from dealer_service.access.roles import Role
from dealer_service.bots.house import play_all, seat_players
from dealer_service.bots.level import Level
from dealer_service.bots.player import Ending, HousePlayer, Manner, Stay
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.bearer import TokenSource
from dealer_service.commands import say
from dealer_service.commands.connecting import connect, explained, read_claims
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import TokenOffice
from dealer_service.commands.loops import on_signals, run_loop

NEW = "new"
MIXED = "mixed"
_USUAL_SEATS = 6
_MOST_SEATS = 10
_PAUSE = 3  # times as long as a house player thinks
_TOKEN_SECONDS = 30 * 24 * 3600


def run(options: argparse.Namespace) -> int:
    """Seat house players and let them play to the end, or until a signal."""
    return run_loop(_play(options))


async def _play(options: argparse.Namespace) -> int:
    async with AsyncExitStack() as stack:
        with explained():
            players = await _seat(options, stack)
        if not players:
            say.note("the table is full: no house player sat down")
            return Exit.DONE
        stays = await _play_until_told(players)
    return _tell(stays)


async def _play_until_told(players: list[HousePlayer]) -> list[Stay]:
    """Play to the end; the first signal lets all leave, the second does not wait for it."""
    playing = asyncio.ensure_future(play_all(players))
    leaving: list[asyncio.Task[None]] = []

    def interrupt() -> None:
        if leaving:
            playing.cancel()
        else:
            leaving.append(asyncio.create_task(_leave(players)))

    on_signals(interrupt)
    try:
        return await playing
    except asyncio.CancelledError:
        message = "gone without waiting: the dealer plays on for those that have left"
        raise Failure(message, status=Exit.INTERRUPTED) from None
    finally:
        for each in leaving:
            each.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)


async def _seat(options: argparse.Namespace, stack: AsyncExitStack) -> list[HousePlayer]:
    operators, tokens = _tokens(options)
    game: str = options.game
    if game == NEW:
        if not operators:
            message = f"--tokens {options.tokens} has no operator's token, which opens a game"
            raise Failure(message, "name a game that is open by --game ID", status=Exit.USAGE)
        operator = await stack.enter_async_context(connect(options, operators[0].source))
        game = await _open_game(operator, options)
        say.out(game)
    first = await stack.enter_async_context(connect(options, tokens[0].source))
    rules = await first.rules(game)
    table = await first.table(game)
    taken = {seat.player for seat in table.seats}
    # Who sat here before goes on in its seat; so they come first.
    tokens.sort(key=lambda token: token.name not in taken)
    own = [token.name in taken for token in tokens].count(True)
    free = rules["seats"] - len(table.seats) + own
    wanted = min(options.seats or free, free, len(tokens))
    if wanted == 0:
        return []
    if options.seats and wanted < options.seats:
        say.warning(f"{wanted} of {options.seats} house players can sit at this table")
    dealers = [first]
    others = [connect(options, token.source) for token in tokens[1:wanted]]
    dealers += [await stack.enter_async_context(dealer) for dealer in others]
    fair_stack = max(rules["buy_in_min"], min(100 * rules["big_blind"], rules["buy_in_max"]))
    manner = Manner(options.stack or fair_stack, options.rebuys, options.hands)
    mood = random.Random(options.seed)  # noqa: S311 - how long a house player thinks

    async def ponder() -> None:
        await asyncio.sleep(options.pace * (0.5 + mood.random()))

    return await seat_players(
        dealers,
        game,
        options.records,
        manner,
        levels=levels_of(options.level),
        seed=options.seed,
        ponder=ponder,
    )


def levels_of(word: str) -> tuple[Level, ...]:
    """Give the levels that a word names: one, or all of them in turn."""
    return tuple(Level) if word == MIXED else (Level(word),)


@dataclass(frozen=True, slots=True)
class _Token:
    """Whose token, and where it comes from, also when it has expired."""

    name: str
    source: TokenSource = field(repr=False)


def _tokens(options: argparse.Namespace) -> tuple[list[_Token], list[_Token]]:
    """Give operators' and players' tokens: from the file, or of the dealer's own key."""
    if options.tokens is None:
        office = TokenOffice(options.directory)

        def issued(name: str, role: Role) -> _Token:
            return _Token(name, partial(office.issue, name, role, _TOKEN_SECONDS))

        names = [f"{options.names}-{number}" for number in range(1, _MOST_SEATS + 1)]
        players = [issued(name, Role.PLAYER) for name in names]
        return [issued(options.names, Role.OPERATOR)], players
    by_role: dict[str, list[_Token]] = {"operator": [], "player": []}
    for token in _read_lines(options.tokens):
        name, role = read_claims(token)
        source = partial(_read_again, options.tokens, name, role)
        by_role.setdefault(role, []).append(_Token(name, source))
    if not by_role["player"]:
        message = f"--tokens {options.tokens} has no player's token"
        raise Failure(message, "put one on each line", status=Exit.USAGE)
    return by_role["operator"], by_role["player"]


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        message = f"--tokens {path} can not be read: {error}"
        raise Failure(message, status=Exit.USAGE) from None


def _read_again(path: Path, name: str, role: str) -> str:
    """Give the token of a file that is for one name and role; ValueError where none is."""
    for token in path.read_text(encoding="utf-8").split():
        with suppress(Failure):
            if read_claims(token) == (name, role):
                return token
    message = f"there is no token for {name} any more"
    raise ValueError(message)


async def _open_game(operator: Dealer, options: argparse.Namespace) -> str:
    small, big = options.blinds
    seats = max(options.seats or 0, _USUAL_SEATS)
    # Where players take their time, so does the table, for everybody to see what was shown.
    pause = round(_PAUSE * 1000 * options.pace)
    rules = entry_pb2.RuleSet(
        seats=seats,
        small_blind=small,
        big_blind=big,
        pause_ms=pause,
        watch_delay_ms=1000 * options.watch_delay,
    )
    return (await operator.operator.open_game(rules)).game


async def _leave(players: list[HousePlayer]) -> None:
    for player in players:
        try:
            await player.leave()
        except CallRefusedError as error:
            say.warning(f"{player.seat.player} could not leave: {error}")


def _tell(stays: list[Stay]) -> int:
    for stay in stays:
        why = f": {stay.detail}" if stay.detail else ""
        say.note(f"{stay.player} played {stay.hands} hands; {stay.ending}{why}")
    bad = {Ending.REFUSED, Ending.FAILED}
    return Exit.FAILED if any(stay.ending in bad for stay in stays) else Exit.DONE
