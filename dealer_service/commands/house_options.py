"""What the options of `bots` say of its players: their tokens, levels, and how long they think.

Tokens are of a file, or of the dealer's own key, for the role house.
"""

import argparse
import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from dealer_service.access.roles import Role
from dealer_service.bots.level import Level
from dealer_service.client.bearer import TokenSource
from dealer_service.commands.connecting import read_claims
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import TokenOffice

MIXED = "mixed"
_TOKEN_SECONDS = 30 * 24 * 3600


def levels_of(word: str) -> tuple[Level, ...]:
    """Give the levels that a word names: one, or all of them in turn."""
    return tuple(Level) if word == MIXED else (Level(word),)


def pondering(options: argparse.Namespace) -> Callable[[], Awaitable[None]]:
    """Give how players think before they act: about as long as `--pace` says."""
    mood = random.Random(options.seed)  # noqa: S311 - how long a house player thinks

    async def ponder() -> None:
        await asyncio.sleep(options.pace * (0.5 + mood.random()))

    return ponder


@dataclass(frozen=True, slots=True)
class Token:
    """Whose token, and where it comes from, also when it has expired."""

    name: str
    source: TokenSource = field(repr=False)


def operators(options: argparse.Namespace) -> list[Token]:
    """Give operators' tokens; Failure."""
    if options.tokens is None:
        return [_issued(TokenOffice(options.directory), options.names, Role.OPERATOR)]
    return _of_file(options.tokens, Role.OPERATOR)


def players(options: argparse.Namespace) -> Iterator[Token]:
    """Give house players' tokens, those of the dealer's own key without end; Failure.

    A file may have players' tokens instead, behind those of the house: nobody makes way for them.
    """
    if options.tokens is None:
        office = TokenOffice(options.directory)
        return (_issued(office, f"{options.names}-{n}", Role.HOUSE) for n in count(1))
    found = _of_file(options.tokens, Role.HOUSE) + _of_file(options.tokens, Role.PLAYER)
    if not found:
        message = f"--tokens {options.tokens} has no player's token"
        raise Failure(message, "put one on each line", status=Exit.USAGE)
    return iter(found)


def _issued(office: TokenOffice, name: str, role: Role) -> Token:
    return Token(name, partial(office.issue, name, role, _TOKEN_SECONDS))


def _of_file(path: Path, wanted: Role) -> list[Token]:
    try:
        tokens = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        message = f"--tokens {path} can not be read: {error}"
        raise Failure(message, status=Exit.USAGE) from None
    claims = [read_claims(token) for token in tokens]
    return [
        Token(name, partial(_read_again, path, name, role))
        for name, role in claims
        if role == wanted
    ]


def _read_again(path: Path, name: str, role: str) -> str:
    """Give the token of a file that is for one name and role; ValueError where none is."""
    for token in path.read_text(encoding="utf-8").split():
        with suppress(Failure):
            if read_claims(token) == (name, role):
                return token
    message = f"there is no token for {name} any more"
    raise ValueError(message)
