"""Plays a plan from beginning to end against whoever deals, one call after another.

What comes next follows from what the dealer has answered, and so from what is durable: after
every break the same calls are made again until they are answered, and the game is the same one.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.access.roles import Role
from dealer_service.client.errors import CallRefusedError
from tests.chaos.asides import CHAINED, request_of
from tests.chaos.houses import GaveUpError
from tests.chaos.ledger import Ledger
from tests.chaos.people import Bank, Person, Ready, Way, closing
from tests.chaos.plans import HOUR, Aside, Hand, Plan, choose
from tests.support.service import read

COVER: Final = 200
"""Milliseconds after which a line is under a checkpoint."""
TOP_UP: Final = 2_500
"""The chips of somebody who had none left."""
_ROUNDS: Final = 2_000
_LOOKS: Final = 500
_BETWEEN: Final = {"paused", "closed", "revealed"}
"""Between hands, or behind the last one."""


@dataclass
class Script:
    """One plan being played: `games` are those that it has opened, `pass_time` moves all clocks.

    `meanwhile` is awaited before each step, with the step's number, for a fault of the harness's
    own.
    """

    plan: Plan
    seed: str
    way: Way
    ledger: Ledger
    pass_time: Callable[[int], None]
    attempt: float = 10.0
    meanwhile: Callable[["Script", int], Awaitable[None]] | None = None
    games: list[str] = field(default_factory=list)
    people: dict[str, Person] = field(default_factory=dict)
    steps: int = 0
    rail: Person | None = None
    """Somebody who watches every game without a seat."""

    def __post_init__(self) -> None:
        self.operator = Person(self.way, self.ledger, "operator", Role.OPERATOR, self.attempt)
        banker = Person(self.way, self.ledger, "banker", Role.OPERATOR, self.attempt)
        self.bank = Bank(banker)
        self._asked: Counter[str] = Counter()
        self._missed: dict[str, tuple[int, bytes]] = {}
        self._giving: dict[str, asyncio.Task[None]] = {}
        self._waiting: list[asyncio.Task[None]] = []
        self._away = ""
        self.enough = asyncio.Event()

    async def play(self) -> None:
        """Play the whole plan, and see every game revealed."""
        await self._open()
        for number, hand in enumerate(self.plan.hands, 1):
            if number > 1:
                await self._top_up()
                await self._resume()
            await self._play_hand(hand)
            await self._follow_on()
            for aside in hand.after:
                await self._do(aside)
        await self._operate("CloseGame", operate_pb2.CloseGameRequest, reference="the end")
        rail = [] if self.rail is None else [self.rail]
        for person in (*self.people.values(), *rail):
            for game in self.games:
                if game in person.sizes:
                    await person.at_the_end(game)

    async def play_until_enough(self) -> bool:
        """Play until `enough` is set, and say whether that was before the plan's end."""
        playing = asyncio.create_task(self.play())
        enough = asyncio.create_task(self.enough.wait())
        await asyncio.wait({playing, enough}, return_when=asyncio.FIRST_COMPLETED)
        for one in (playing, enough):
            one.cancel()
        await asyncio.gather(playing, enough, return_exceptions=True)
        return self.enough.is_set()

    async def close(self) -> None:
        """Let everybody go."""
        for task in (*self._waiting, *self._giving.values()):
            task.cancel()
        await asyncio.gather(*self._waiting, *self._giving.values(), return_exceptions=True)
        await self.bank.close()
        rail = [] if self.rail is None else [self.rail]
        await closing(self.operator, *self.people.values(), *rail)

    @property
    def game(self) -> str:
        """The game that is played now."""
        return self.games[-1]

    def _enter(self, game: str) -> None:
        self.games.append(game)
        if self.rail is not None:
            self.rail.watch(game)

    # The game's course.

    async def _open(self) -> None:
        request = operate_pb2.OpenGameRequest(
            request_id=self._id("operator", "OpenGame"),
            rules=self.plan.rules,
            reference=f"{self.plan.name}.{self.seed}",
        )
        await self._step()
        answer = await self.operator.call("operate", "OpenGame", request)
        self._enter(answer.game)
        await self._operate("PauseGame", operate_pb2.PauseGameRequest)
        for name, stack in self.plan.players.items():
            await self._do(Aside(name, "take_seat", stack))
        for name, words in self.plan.choices.items():
            await self._do(Aside(name, "prefer", words=words))
        await self._resume()

    async def _top_up(self) -> None:
        """Let everybody buy in again who has lost everything."""
        for one in (await self._table()).seats:
            if not one.stack:
                await self._do(Aside(one.player, "add_chips", TOP_UP))

    async def _resume(self) -> None:
        await self._operate("ResumeGame", operate_pb2.ResumeGameRequest)

    async def _follow_on(self) -> None:
        """Go on in the game that goes on from this one, if this was its last hand."""
        table = await self._table()
        if table.hand < (self.plan.rules.max_hands or table.hand + 1):
            return
        table = await self._until(lambda one: one.next)
        self._enter(table.next)
        seated = [one.player for one in table.seats if one.player]
        for name in seated:
            self.people[name].watch(table.next)
        # The first hand waits for everybody's anchor, and for nothing else.
        for name in seated:
            await self._do(Aside(name, "anchor"))

    async def _play_hand(self, hand: Hand) -> None:
        table = await self._until(lambda one: one.phase in {"links", "playing"})
        number = table.hand
        await self._give_links(number, hand.style)
        if hand.style == "voided":
            await self._operate("PauseGame", operate_pb2.PauseGameRequest)
            await self._operate(
                "VoidHand", operate_pb2.VoidHandRequest, hand=number, ready=self._links_are_there
            )
        elif hand.style == "missed":
            await self._operate("PauseGame", operate_pb2.PauseGameRequest)
        else:
            await self._play_turns(hand)
        await self._until(lambda one: one.phase in _BETWEEN, passing=HOUR)
        await asyncio.gather(*self._giving.values())

    async def _give_links(self, number: int, style: str) -> None:
        opened, size = await self._opening(number)
        anchored = [one for one in opened["seats"] if one["state"] == "in" and "anchor" in one]
        silent = anchored[-1]["player"] if style in {"voided", "missed"} else ""
        if style == "missed":
            missed = self.people[silent]
            self._missed[silent] = (number, missed.link_before(anchored[-1]["anchor"]))
        await self._step()
        # Links are logged together with what ends the wait for them: so long these calls wait.
        self._giving = {
            one["player"]: asyncio.create_task(
                self._give_link(
                    self.people[one["player"]], number, one["anchor"], size, silent=bool(silent)
                )
            )
            for one in anchored
            if one["player"] != silent and not (silent and self.plan.is_real)
        }
        if not silent:
            await asyncio.gather(*self._giving.values())

    async def _links_are_there(self) -> None:
        """Return when the dealer that lives now has every link that is being given."""
        request = play_pb2.GetTableRequest(game=self.game)
        while True:
            lives = self.way.lives()
            giving = [self.people[name] for name, task in self._giving.items() if not task.done()]
            there = [await one.is_under_way("GiveLink", request) for one in giving]
            if all(there) and lives == self.way.lives():
                return

    async def _give_link(
        self, person: Person, number: int, anchor: str, size: int, *, silent: bool
    ) -> None:
        await person.until(lambda one: size in one.notes[self.game])
        link = person.link_before(anchor)
        note = person.notes[self.game][size]
        person.note(self.game, {"link": {"checkpoint": note, "hand": number, "link": link.hex()}})
        request = play_pb2.GiveLinkRequest(game=self.game, hand=number, link=link)
        try:
            await person.call("play", "GiveLink", request)
        except CallRefusedError as error:
            # The void that logged it is durable, and the answer was lost with the dealer.
            if not silent or error.refusal.reason != "HAND_NOT_OPEN":
                raise

    async def _opening(self, number: int) -> tuple[dict[str, Any], int]:
        """Give the line that opens a hand, and the log's size with it."""
        watcher = next(one for one in self.people.values() if self.game in one.sizes)
        found: list[tuple[dict[str, Any], int]] = []

        def see(_: Person) -> bool:
            for index, lines in self.ledger.lines.get(self.game, {}).items():
                for line in lines:
                    if b',"hand_opened":{' in line and read(line)[1]["hand"] == number:
                        found.append((read(line)[1], index + 1))
                        return True
            return False

        await watcher.until(see)
        return found[0]

    async def _play_turns(self, hand: Hand) -> None:
        await self._operate("PauseGame", operate_pb2.PauseGameRequest)
        during = dict(hand.during)
        while True:
            table = await self._table()
            if table.phase == "pause":
                await self._show(table, hand)
            if table.phase != "playing":
                break
            decision = table.decision
            if asides := during.pop(decision.turn, ()):
                for aside in asides:
                    if aside.what == "add_chips":
                        self._waiting.append(asyncio.create_task(self._do(aside)))
                    else:
                        await self._do(aside)
                continue
            if decision.turn == hand.away:
                (self._away,) = [one.player for one in table.seats if one.seat == decision.seat]
                await self._until(
                    lambda one, turn=decision.turn: one.decision.turn != turn,  # type: ignore[misc]
                    passing=5 * HOUR,
                )
                continue
            if decision.turn % 3 == 0:
                self.pass_time(COVER)
            await self._act(table, hand)
        await self._until(lambda one: one.phase in _BETWEEN, passing=HOUR)
        await asyncio.gather(*self._waiting)
        self._waiting.clear()

    async def _act(self, table: play_pb2.GetTableResponse, hand: Hand) -> None:
        (name,) = [one.player for one in table.seats if one.seat == table.decision.seat]
        act, to = choose(self.seed, hand.style, table.decision)
        request = play_pb2.ActRequest(
            request_id=self._id(name, "Act"),
            game=self.game,
            hand=table.hand,
            turn=table.decision.turn,
            act=act,  # type: ignore[arg-type]
            to=to,
        )
        await self._step()
        await self.people[name].call("play", "Act", request)

    async def _show(self, table: play_pb2.GetTableResponse, hand: Hand) -> None:
        if not hand.shows:
            return
        # Not as one who sees its own cards in any case.
        for one in (await self._table("operator")).seats:
            if one.state in {"in", "all_in"} and not one.cards:
                request = play_pb2.ShowRequest(
                    request_id=self._id(one.player, "Show"), game=self.game, hand=table.hand
                )
                await self._step()
                await self.people[one.player].call("play", "Show", request)

    # Single calls.

    async def _do(self, aside: Aside) -> None:
        await self._step()
        if aside.what == "remove":
            await self._operate(
                "RemovePlayer",
                operate_pb2.RemovePlayerRequest,
                player=aside.who,
                reference=f"removed.{aside.who}",
            )
            return
        if aside.who == "away":
            aside = replace(aside, who=self._away)
        person = self._person(aside.who)
        request_id = self._id(aside.who, aside.what)
        if aside.what == "take_seat":
            person.watch(self.game)
        sits_unlinked = aside.what == "take_seat" and person.name in self.plan.unlinked
        has_chain = aside.what in CHAINED and not sits_unlinked
        anchor = self._anchor(person) if has_chain else b""
        missed = self._missed.get(person.name)
        method, request = request_of(aside, self.game, request_id, anchor, missed)
        await person.call("play", method, request)

    async def _operate(
        self, method: str, kind: Any, ready: Ready | None = None, **fields: Any
    ) -> None:
        await self._step()
        request = kind(request_id=self._id("operator", method), game=self.game, **fields)
        await self.operator.call("operate", method, request, ready)

    def _person(self, name: str) -> Person:
        if name not in self.people:
            self.people[name] = Person(self.way, self.ledger, name, attempt=self.attempt)
        return self.people[name]

    def _anchor(self, person: Person) -> bytes:
        number = self._id(person.name, "chain")
        seed = sha256(f"{self.seed} {self.game} {number}".encode()).digest()
        return person.new_anchor(self.game, seed)

    def _id(self, who: str, what: str) -> str:
        """Name a request by who asks what for the how manieth time."""
        self._asked[f"{who} {what}"] += 1
        return f"{self.plan.name}.{who}.{what}.{self._asked[f'{who} {what}']}"

    async def _table(self, whose: str = "ann") -> Any:
        """Look at the table as somebody who sits at it, whom its owner alone answers."""
        request = play_pb2.GetTableRequest(game=self.game)
        return await self.people.get(whose, self.operator).ask("play", "GetTable", request)

    async def _until(self, see: Callable[[Any], object], *, passing: int = 0) -> Any:
        """Look at the table until it is as it must become by itself, or as time passes.

        A dealer that starts again lets its clocks begin anew: then time has to pass again; and so
        it has for a clock that was set only after time had passed, behind the dealer's answer.
        """
        lives = -1
        for look in range(1, _ROUNDS):
            table = await self._table()
            if see(table):
                return table
            if passing and (lives != self.way.lives() or look % _LOOKS == 0):
                lives = self.way.lives()
                await self._links_are_there()
                self.pass_time(passing)
        message = f"game {self.game} stands still in phase {table.phase}, hand {table.hand}"
        raise GaveUpError(message)

    async def _step(self) -> None:
        self.steps += 1
        if self.meanwhile is not None:
            await self.meanwhile(self, self.steps)
