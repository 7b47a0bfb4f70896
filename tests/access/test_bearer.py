"""Which role a token has at a game: where it names the game, or one that the game goes on from."""

import pytest

from dealer_service.access.bearer import KEPT_GAMES, Bearer
from dealer_service.access.limits import Allowance
from dealer_service.access.roles import Caller, Role
from dealer_service.config import Limits

FIRST, SECOND, THIRD, OTHER = (f"{number:032x}" for number in range(1, 5))
ANCESTORS = {FIRST: (), SECOND: (FIRST,), THIRD: (SECOND, FIRST), OTHER: ()}


def bearer(role: Role | None, **tables: Role) -> Bearer:
    named = {"first": FIRST, "second": SECOND, "third": THIRD, "other": OTHER}
    at = {named[name]: one for name, one in tables.items()}
    return Bearer("ann", role, at, 9, Allowance(Limits()))


def role_at(who: Bearer, game: str) -> Role | None:
    caller = who.at(game) if who.knows(game) else who.learn(game, ANCESTORS[game])
    again = who.at(game)
    assert again is caller
    return caller.role if caller else None


@pytest.mark.parametrize(
    ("who", "roles"),
    [
        (bearer(Role.PLAYER), ["player"] * 4),
        (bearer(None, first=Role.PLAYER), ["player", "player", "player", None]),
        (bearer(None, second=Role.PLAYER), [None, "player", "player", None]),
        (bearer(None, third=Role.PLAYER), [None, None, "player", None]),
        (
            bearer(Role.WATCHER, first=Role.PLAYER, third=Role.AUDITOR),
            ["player", "player", "auditor", "watcher"],
        ),
        (
            bearer(Role.OPERATOR, first=Role.WATCHER),
            ["watcher", "watcher", "watcher", "operator"],
        ),
    ],
    ids=["everywhere", "first", "second", "third", "nearest", "less than elsewhere"],
)
def test_the_nearest_named_game_decides(who: Bearer, roles: list[str | None]) -> None:
    assert [role_at(who, game) for game in (FIRST, SECOND, THIRD, OTHER)] == roles


def test_a_caller_has_the_tokens_name_in_each_role() -> None:
    who = bearer(Role.WATCHER, first=Role.PLAYER)
    assert who.everywhere == who.first == Caller("ann", Role.WATCHER)
    assert who.at(FIRST) == Caller("ann", Role.PLAYER)
    assert bearer(None, first=Role.PLAYER).first == Caller("ann", Role.PLAYER)


def test_no_more_games_are_kept_than_the_bound() -> None:
    who = bearer(None, first=Role.PLAYER)
    for number in range(100, 100 + 2 * KEPT_GAMES):
        who.learn(f"{number:032x}", (FIRST,))
    assert len(who._at) == KEPT_GAMES
    assert who.at(FIRST) == Caller("ann", Role.PLAYER)
