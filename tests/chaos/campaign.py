"""One run: a plan played through faults, and all that was said held to how it ended."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import grpc.aio

from cutcard.v1 import fairness_pb2, operate_pb2
from dealer_service.access.roles import Role
from dealer_service.client.errors import CallRefusedError
from tests.chaos.fates import Fault
from tests.chaos.houses import Attend, House, Prepare, Stable
from tests.chaos.judging import Ruling, SignedAt, rule_forks
from tests.chaos.ledger import Ledger
from tests.chaos.people import Person, Way, fields_of
from tests.chaos.plans import Plan
from tests.chaos.runner import Order
from tests.chaos.script import Script
from tests.chaos.verdict import Final, compare, rule
from tests.support.ports import free_port


class Course(Way, Protocol):
    """The way to dealers that a run has to itself: it ends them, too."""

    async def open(self) -> None:
        """Return when somebody serves."""
        ...

    async def peace(self) -> None:
        """Let no more faults come, and return when everybody serves."""
        ...

    async def close(self) -> None:
        """End the dealers."""
        ...

    @property
    def came(self) -> list[str]:
        """What faults came, in words."""
        ...

    @property
    def signed(self) -> set[SignedAt]:
        """All that any journal ever held as signed."""
        ...


@dataclass
class Straight:
    """The way to one dealer, wherever it listens now."""

    house: House

    async def open(self) -> None:
        """Return when it serves."""
        await self.house.until_serving()

    async def peace(self) -> None:
        """Let no more faults come to it."""
        await self.house.peace()

    async def close(self) -> None:
        """End it."""
        await self.house.close()

    async def address(self, _game: str) -> str:
        """Give where it serves."""
        return await self.house.address()

    async def stream_address(self, game: str, _name: str) -> str:
        """Give where it serves streams."""
        return await self.address(game)

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

    @property
    def came(self) -> list[str]:
        """What faults came, in words."""
        return self.house.came

    @property
    def signed(self) -> set[SignedAt]:
        """All that its journal ever held as signed."""
        return self.house.signed


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
    start = Order(str(folder / "dealer"), free_port(), seed, clock, **order)
    house = House(stable, start, faults, attend=attend, prepare=prepare)
    way = way_of(house)
    script = Script(plan, seed, way, Ledger(), house.pass_time, attempt, meanwhile)
    return await play(Run(name, folder=folder), script, way, undisturbed)


async def play(run: Run, script: Script, way: Course, undisturbed: Final | None) -> Run:
    """Play a script over its way to the end, and judge what became of it."""
    ledger = script.ledger
    try:
        await way.open()
        await script.play()
        await _calm(script, way)
        run.final = await read_final(script.operator, script.games, ledger, script.people)
        moved = run.final.movements
        await script.bank.settle(moved[-1]["cursor"] if moved else 0)
        await way.close()
        run.ruling = rule(ledger, run.final, way.signed)
        if undisturbed is not None:
            run.ruling.add(compare(run.final, undisturbed))
    except CallRefusedError as error:
        run.ruling.lost.append(f"a call is refused that is answered without faults: {error}")
        run.ruling.add(await _what_is_left(script, way))
    except Exception as error:  # noqa: BLE001 - whatever it was, the run did not come to its end
        run.ruling.wrong.append(f"{type(error).__name__}: {error}")
        run.ruling.add(await _what_is_left(script, way))
    finally:
        await script.close()
        await way.close()
    run.faults += way.came
    return run


async def _calm(script: Script, way: Course) -> None:
    script.meanwhile = None
    for person in (script.operator, *script.people.values()):
        person.twice = False
    await way.peace()


async def _what_is_left(script: Script, way: Course) -> Ruling:
    """Hold what was told to what can still be read, after a run that did not come to its end."""
    try:
        await _calm(script, way)
        files = await read_files(script.operator, script.games)
    except Exception as error:  # noqa: BLE001 - then there is nothing more to say
        return Ruling(wrong=[f"and nothing could be read: {type(error).__name__}: {error}"])
    return rule_forks(script.ledger, files, way.signed)


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
    return Final(key.key, files, tuple(map(fields_of, moved)), tuple(answers))


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
