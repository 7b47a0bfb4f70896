"""One run: a plan played through faults, and all that was said held to how it ended."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio

from cutcard.v1 import fairness_pb2, operate_pb2
from dealer_service.access.roles import Role
from dealer_service.client.errors import CallRefusedError
from tests.chaos.fates import Fault
from tests.chaos.houses import Attend, House, Prepare, Stable
from tests.chaos.judging import Ruling, rule_forks
from tests.chaos.ledger import Ledger
from tests.chaos.people import Person
from tests.chaos.plans import Plan
from tests.chaos.runner import Order
from tests.chaos.script import Script
from tests.chaos.verdict import Final, compare, rule


@dataclass
class Straight:
    """The way to one dealer, wherever it listens now."""

    house: House

    async def open(self) -> None:
        """Make ready."""

    async def close(self) -> None:
        """Let go."""

    async def address(self, _game: str) -> str:
        """Give where it serves."""
        return await self.house.address()

    async def stream_address(self, game: str) -> str:
        """Give where it serves streams."""
        return await self.address(game)

    @property
    def came(self) -> list[str]:
        """What faults came on the way, in words."""
        return []

    async def failed(self, _game: str, address: str, _error: grpc.aio.AioRpcError) -> None:
        """Wait a moment, unless another life serves already."""
        life = self.house.life
        if life is None or f"127.0.0.1:{life.port}" == address:
            await self.house.another(0.02)

    def token(self, name: str, role: Role) -> str:
        """Make a token."""
        return self.house.token(name, role)

    def lives(self) -> int:
        """Count its starts."""
        return self.house.starts


@dataclass
class Run:
    """What a run came to: the faults that came, in words, and the ruling."""

    name: str
    faults: list[str] = field(default_factory=list)
    ruling: Ruling = field(default_factory=Ruling)
    final: Final | None = None
    folder: Path | None = None


async def rehearse(stable: Stable, plan: Plan, seed: str, folder: Path) -> Final:
    """Play a plan without any fault."""
    run = await play_through(stable, plan, seed, folder, name="undisturbed")
    if run.final is None or not run.ruling.is_clean:
        message = f"a game without faults is not clean: {run.ruling}"
        raise AssertionError(message)
    return run.final


async def play_through(
    stable: Stable,
    plan: Plan,
    seed: str,
    folder: Path,
    faults: Iterable[Fault | None] = (),
    *,
    name: str,
    undisturbed: Final | None = None,
    attend: Attend | None = None,
    prepare: Prepare | None = None,
    meanwhile: Callable[[Script, int], Awaitable[None]] | None = None,
    way_of: Callable[[House], Straight] = Straight,
    attempt: float = 10.0,
    **order: Any,
) -> Run:
    """Play a plan with one dealer whose lives have these faults, and judge what became of it."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    clock = "" if plan.is_real else str(folder / "clock")
    start = Order(str(folder / "dealer"), 0, seed, clock, **order)
    house = House(stable, start, faults, attend, prepare)
    ledger = Ledger()
    way = way_of(house)
    script = Script(plan, seed, way, ledger, house.pass_time, attempt, meanwhile)
    run = Run(name, folder=folder)
    try:
        await house.until_serving()
        await way.open()
        await script.play()
        script.meanwhile = None
        for person in (script.operator, *script.people.values()):
            person.twice = False
        await house.peace()
        run.final = await read_final(script.operator, script.games, ledger, script.people)
        await house.close()
        run.ruling = rule(ledger, run.final, house.signed)
        if undisturbed is not None:
            run.ruling.add(compare(run.final, undisturbed))
    except CallRefusedError as error:
        run.ruling.lost.append(f"a call is refused that is answered without faults: {error}")
        run.ruling.add(await _what_is_left(house, script, ledger))
    except Exception as error:  # noqa: BLE001 - whatever it was, the run did not come to its end
        run.ruling.wrong.append(f"{type(error).__name__}: {error}")
        run.ruling.add(await _what_is_left(house, script, ledger))
    finally:
        await script.close()
        await way.close()
        await house.close()
    run.faults = house.came + way.came
    return run


async def _what_is_left(house: House, script: Script, ledger: Ledger) -> Ruling:
    """Hold what was told to what can still be read, after a run that did not come to its end."""
    try:
        script.meanwhile = None
        await house.peace()
        files = await read_files(script.operator, script.games)
    except Exception as error:  # noqa: BLE001 - then there is nothing more to say
        return Ruling(wrong=[f"and nothing could be read: {type(error).__name__}: {error}"])
    return rule_forks(ledger, files, house.signed)


async def read_final(
    operator: Person, games: list[str], ledger: Ledger, people: dict[str, Person]
) -> Final:
    """Read how it ended; every call that was acknowledged is made once more."""
    answers = []
    for one in ledger.acked:
        caller = operator if one.role is Role.OPERATOR else people[one.who]
        if one.method == "GiveLink":
            answers.append(one.answer)  # a link has no request id: there is nothing to repeat
            continue
        try:
            again = await caller.ask(one.service, one.method, one.request)
        except CallRefusedError as error:
            answers.append(f"refused: {error}".encode())
        else:
            answers.append(again.SerializeToString())
    key = await operator.ask("fairness", "GetKey", fairness_pb2.GetKeyRequest())
    files = await read_files(operator, games)
    follow = operate_pb2.FollowChipsRequest(stop_at_end=True)
    moved = await operator.read("operate", "FollowChips", follow)
    movements = tuple(
        {field.name: getattr(one, field.name) for field in one.DESCRIPTOR.fields} for one in moved
    )
    return Final(key.key, files, movements, tuple(answers))


async def read_files(operator: Person, games: list[str]) -> dict[str, bytes]:
    """Read each game's file; one of which nothing is left is empty."""
    files = {}
    for game in games:
        request = fairness_pb2.GetGameFileRequest(game=game)
        try:
            parts = await operator.read("fairness", "GetGameFile", request)
        except CallRefusedError as error:
            if error.refusal.reason != "GAME_LOST":
                raise
            parts = []
        files[game] = b"".join(part.chunk for part in parts)
    return files
