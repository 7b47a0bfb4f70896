"""`kill -9` at every unit of a whole tournament, of its own log and of its tables', and failures.

Five play at two tables, so that there are moves, a broken table, prizes and tables that close. Each
call is made until it is answered; in the end each is made once more, every file is audited
together with the others, and each prize is paid once.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final

from google.protobuf.message import Message

from cutcard.v1 import entry_pb2, operate_pb2, play_pb2, tournament_entry_pb2, tournament_pb2
from dealer_service.access.roles import Role
from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, Straight, read_files
from tests.chaos.fates import FAIL, Fault
from tests.chaos.houses import House
from tests.chaos.judging import Ruling, read_log, rule_forks, rule_signed
from tests.chaos.kills import MOMENTS
from tests.chaos.ledger import Ledger
from tests.chaos.people import Person, closing, fields_of
from tests.chaos.plans import HOUR, choose
from tests.chaos.runner import Order
from tests.support.audits import judge, tell
from tests.support.ports import free_port

NAMES: Final = ("ann", "bob", "cid", "dan", "eve")
BUY_IN: Final = 1_000
FEE: Final = 50

FAILED: Final = (
    Fault("append_all", "before", how=FAIL),
    Fault("append_all", "after", how=FAIL),
)

STRUCTURE: Final = tournament_entry_pb2.Structure(
    name="Last one in",
    rules=entry_pb2.RuleSet(seats=3, pause_ms=1, turn_ms=HOUR),
    stack=300,
    players_max=len(NAMES),
    payout=tournament_entry_pb2.PayoutRule(
        kind="shares",
        unit=1,
        tables=[tournament_entry_pb2.ShareTable(players=2, shares=[7_000, 3_000])],
    ),
    buy_in=BUY_IN,
    fee=FEE,
)


async def tournaments(bench: Bench) -> AsyncIterator[Run]:
    """Kill at each moment of each unit, and let each write fail once."""
    for name, faults in (MOMENTS | {"failed": FAILED}).items():
        if name == "store" or not bench.quick:
            yield await play_event(bench, f"tournaments-{name}", cycle(faults))


async def play_event(bench: Bench, name: str, faults: Iterable[Fault | None]) -> Run:
    """Play a tournament with one dealer whose lives have these faults, and judge it."""
    folder = bench.folder / name
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    way = Straight(House(bench.stable, Order(str(folder / "dealer"), free_port(), ""), faults))
    run, event = Run(name, folder=folder), Event(way, bench.seed)
    try:
        await way.open()
        await event.play()
        await way.peace()
        run.ruling = await event.rule()
    except Exception as error:  # noqa: BLE001 - whatever it was, the run did not come to its end
        run.ruling.wrong.append(f"{type(error).__name__}: {error}")
    finally:
        await closing(event.operator, *event.people.values())
        await way.close()
    run.faults += way.came
    return run


@dataclass
class Event:
    """One tournament, and all who call for it."""

    way: Straight
    seed: str
    ledger: Ledger = field(default_factory=Ledger)
    tournament: str = ""

    def __post_init__(self) -> None:
        self.operator = Person(self.way, self.ledger, "operator", Role.OPERATOR)
        self.people = {name: Person(self.way, self.ledger, name) for name in NAMES}

    async def play(self) -> None:
        """Open it, let everybody register, and act at every table until it is over."""
        opened = await self._call(
            self.operator,
            "OpenTournament",
            tournament_pb2.OpenTournamentRequest,
            structure=STRUCTURE,
        )
        self.tournament = opened.tournament
        for person in self.people.values():
            await self._call(
                person,
                "Register",
                tournament_pb2.RegisterRequest,
                tournament=self.tournament,
                accepts_reveal="all_cards",
            )
        while (lobby := await self._lobby()).summary.state != "closed":
            for table in lobby.tables:
                if table.in_hand:
                    await self._act(table.game)

    async def rule(self) -> Ruling:
        """Hold what was said to what is there in the end."""
        lobby, signed = await self._lobby(), self.way.signed
        logs = [self.tournament, *(table.game for table in lobby.tables)]
        files = await read_files(self.operator, logs)
        ruling = rule_forks(self.ledger, files, signed)
        ruling.add(
            rule_signed(self.ledger, {log: read_log(one) for log, one in files.items()}, signed)
        )
        report = judge(b"".join(files.values()))
        if report.exit_status() != 0:
            ruling.wrong.append(f"the audit ends with {report.exit_status()}: {tell(report)}")
        for one in self.ledger.acked:
            caller = self.people.get(one.who, self.operator)
            again = await caller.ask(one.service, one.method, one.request)
            if again.SerializeToString() != one.answer:
                ruling.lost.append(f"{one.method} of {one.who} is answered otherwise when repeated")
        ruling.lost += await self._money(lobby)
        return ruling

    async def _money(self, lobby: Any) -> list[str]:
        follow = operate_pb2.FollowChipsRequest(stop_at_end=True)
        told = await self.operator.read("operate", "FollowChips", follow)
        moved = [(one["what"], one["player"], one["amount"]) for one in map(fields_of, told)]
        wanted = Counter(("buy_in", name, BUY_IN + FEE) for name in NAMES)
        wanted.update(("prize", one.player, one.prize) for one in lobby.players if one.prize)
        found = Counter(one for one in moved if one[0] in {"buy_in", "prize", "refund"})
        return [] if found == wanted else [f"money moved as {found}, and {wanted} is due"]

    async def _act(self, game: str) -> None:
        at = await self.operator.ask("play", "GetTable", play_pb2.GetTableRequest(game=game))
        if not at.HasField("decision"):
            return
        turn = at.decision
        (name,) = [one.player for one in at.seats if one.seat == turn.seat]
        act, to = choose(self.seed, "mixed" if turn.hand % 3 else "shoving", turn)
        request = play_pb2.ActRequest(
            request_id=self._id(), game=game, hand=turn.hand, turn=turn.turn, to=to
        )
        request.act = play_pb2.Act.ValueType(act)
        await self.people[name].call("play", "Act", request)

    async def _lobby(self) -> Any:
        request = tournament_pb2.GetTournamentRequest(tournament=self.tournament)
        return await self.operator.ask("tournaments", "GetTournament", request)

    async def _call(self, who: Person, method: str, make: type[Message], **given: Any) -> Any:
        return await who.call("tournaments", method, make(request_id=self._id(), **given))

    def _id(self) -> str:
        """Give an id that no other call of this run has."""
        return f"{len(self.ledger.acked) + 1:032x}"
