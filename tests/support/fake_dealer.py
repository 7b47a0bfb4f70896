"""A dealer in the test's own process: real grpc.aio servicers over a simulated table.

The table is the simulator's, and so are its log and signatures; what is missing is the store, the
clocks and the reveal. The test says when hands open and end. Calls can be made to fail before or
after their effect, streams to break, and every request that came is kept.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import grpc
import grpc.aio
import jwt

from cutcard.v1 import (
    fairness_pb2,
    fairness_pb2_grpc,
    operate_pb2,
    operate_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
)
from dealer_service.client.message import Message
from dealer_service.rpc.convert import PRE_ACTS
from dealer_service.rpc.errors import abort, status_of
from dealer_service.rules import ahead, entropy, opening, play, seating
from dealer_service.rules.entry import Act, Choice, RuleSet, VoidReason
from dealer_service.rules.hand import Decision
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_state import Phase, is_dealt_in, seat_of
from dealer_service.transcript.note import note_signer
from tests.support.simulator import KEY_SEED, ORIGIN, RULES, START, Simulator
from tests.support.streams import Stream, stream_of

QUICK = replace(RULES, pause_ms=0, link_ms=0, max_hands=50)
ACTS = {
    play_pb2.ACT_FOLD: Act.FOLD,
    play_pb2.ACT_CHECK: Act.CHECK,
    play_pb2.ACT_CALL: Act.CALL,
    play_pb2.ACT_BET: Act.BET,
    play_pb2.ACT_RAISE: Act.RAISE,
}
Tamper = Callable[[str, Message], Message]
"""tamper(player, message): what is told in its place."""

_Answer = TypeVar("_Answer")


def token_for(player: str) -> str:
    """Make a token that only this dealer takes: it looks at nothing but the subject."""
    return jwt.encode({"sub": player}, "k" * 32, algorithm="HS256")


@dataclass(slots=True)
class Fault:
    """What becomes of the next call of a method: lost before or after its effect.

    With a `reason` it is refused for that, as a dealer does it.
    """

    code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE
    after: bool = False
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Table:
    """One game of the dealer."""

    simulator: Simulator
    next: str = ""
    before: Simulator | None = None


@dataclass(slots=True)
class Faults:
    """What is to go wrong."""

    calls: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    tamper: Tamper | None = None


class FakeDealer(
    play_pb2_grpc.PlayServiceServicer,
    fairness_pb2_grpc.FairnessServiceServicer,
    operate_pb2_grpc.OperateServiceServicer,
):
    """The servicers and the test's levers; `address` is where it listens.

    One that is made `beside` another has the same tables. `elsewhere` names, by game, the address
    that calls are sent to; `tokens` are those that calls came under, by method.
    """

    def __init__(self, beside: "FakeDealer | None" = None) -> None:
        self.signer = note_signer(ORIGIN, KEY_SEED)
        self.tables: dict[str, Table] = {} if beside is None else beside.tables
        self.elsewhere: dict[str, str] = {}
        self.tokens: dict[str, list[str]] = defaultdict(list)
        self.faults = Faults()
        self.requests: dict[str, list[Any]] = defaultdict(list)
        self.watching: dict[str, int] = defaultdict(int)
        self.chips: list[operate_pb2.FollowChipsResponse] = []
        self.address = ""
        self._answers: dict[str, Any] = {} if beside is None else beside._answers
        self._changed: asyncio.Condition = (
            asyncio.Condition() if beside is None else beside._changed
        )
        self._breaks = 0
        self._started: float = time.monotonic() if beside is None else beside._started
        self._server: grpc.aio.Server | None = None

    async def start(
        self, address: str = "127.0.0.1:0", credentials: grpc.ServerCredentials | None = None
    ) -> None:
        """Listen on a free port, or on the one that it had; over TLS with credentials."""
        server = grpc.aio.server()
        play_pb2_grpc.add_PlayServiceServicer_to_server(self, server)
        fairness_pb2_grpc.add_FairnessServiceServicer_to_server(self, server)
        operate_pb2_grpc.add_OperateServiceServicer_to_server(self, server)
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
        await server.start()
        self.address = f"127.0.0.1:{port}"
        self._server = server

    async def stop(self) -> None:
        """Stop at once; streams break."""
        assert self._server is not None
        await self._server.stop(None)

    def open_table(self, seed: int = 1, rules: RuleSet = QUICK) -> Simulator:
        """Open a game."""
        simulator = Simulator(seed=seed, rules=rules, signer=self.signer)
        simulator.checkpoint()
        self.tables[simulator.state.opened.game] = Table(simulator)
        return simulator

    async def tell(self) -> None:
        """Let the watchers see what has changed."""
        async with self._changed:
            self._changed.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; looked at after every change."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(holds), 20)

    async def break_streams(self) -> None:
        """Break every stream that is open."""
        self._breaks += 1
        await self.tell()

    # The test's levers.

    async def open_hand(self, simulator: Simulator) -> None:
        """Open a hand; its deck is committed when the last link has come."""
        self.tick(simulator)
        simulator.open_hand()
        if not opening.links_missing(simulator.state, simulator.links):
            simulator.commit_deck()
        await self.tell()

    async def void_hand(self, simulator: Simulator, reason: VoidReason) -> None:
        """End the open hand without a deck."""
        self.tick(simulator)
        deal = simulator.deals[simulator.state.hand]
        simulator._do(
            opening.void_hand(
                simulator.state, simulator.now, reason, deal.secret.hex(), simulator.links
            )
        )
        simulator.deals[deal.hand] = replace(deal, void=True)
        simulator.checkpoint()
        await self.tell()

    async def end_hand(self, simulator: Simulator) -> None:
        """End the hand when all is paid."""
        self.tick(simulator)
        simulator.end_hand()
        await self.tell()

    async def change(self, simulator: Simulator, what: Callable[[], object]) -> None:
        """Do anything to a table, sign, and tell."""
        self.tick(simulator)
        what()
        simulator.checkpoint()
        await self.tell()

    async def succeed(self, simulator: Simulator) -> Simulator:
        """Close a game and open the one that goes on from it, without anybody's anchor."""
        self.tick(simulator)
        after = simulator.succeed(anchored=False)
        after.checkpoint()
        game = after.state.opened.game
        self.tables[game] = Table(after, before=simulator)
        self.tables[simulator.state.opened.game].next = game
        await self.tell()
        return after

    def tick(self, simulator: Simulator) -> None:
        """Let the table's clock be the wall's."""
        elapsed = int((time.monotonic() - self._started) * 1000)
        simulator.now = max(simulator.now, START + elapsed)

    # PlayService.

    async def TakeSeat(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            anchor = request.anchor.hex() or None
            entries = seating.take_seat(
                simulator.state,
                simulator.now,
                seat=request.seat,
                player=player,
                stack=request.stack,
                anchor=anchor,
                accepts_reveal=request.accepts_reveal,
                past=simulator.values,
            )
            await self._log(simulator, entries, context)
            seat = seat_of(simulator.state, player) or 0
            return play_pb2.TakeSeatResponse(seat=seat, size=len(simulator.lines))

        return await self._answer("TakeSeat", request, context, effect)

    async def LeaveSeat(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            entries = seating.leave_seat(simulator.state, player)
            await self._log(simulator, entries, context)
            assert not isinstance(entries, Refusal)
            stack = getattr(entries[0], "stack", None)
            return play_pb2.LeaveSeatResponse(stack=stack, size=len(simulator.lines))

        return await self._answer("LeaveSeat", request, context, effect)

    async def AddChips(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            entries = seating.add_chips(simulator.state, player, request.amount)
            await self._log(simulator, entries, context)
            seat = seat_of(simulator.state, player)
            assert seat is not None
            stack = simulator.state.seats[seat].stack
            return play_pb2.AddChipsResponse(stack=stack, size=len(simulator.lines))

        return await self._answer("AddChips", request, context, effect)

    async def SitOut(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            await self._log(simulator, seating.sit_out(simulator.state, player), context)
            return play_pb2.SitOutResponse(size=len(simulator.lines))

        return await self._answer("SitOut", request, context, effect)

    async def ComeBack(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            await self._log(simulator, seating.come_back(simulator.state, player), context)
            return play_pb2.ComeBackResponse(size=len(simulator.lines))

        return await self._answer("ComeBack", request, context, effect)

    async def Anchor(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            seat = seat_of(simulator.state, player)
            if seat is not None:
                await self.until(lambda: not is_dealt_in(simulator.state, seat))
            hand = request.missing_hand if request.HasField("missing_hand") else None
            link = request.missing_link.hex() if request.HasField("missing_link") else None
            entries = entropy.log_anchor(
                simulator.state,
                player,
                request.anchor.hex(),
                hand,
                link,
                next_link=simulator.next_link,
                past=simulator.values,
            )
            await self._log(simulator, entries, context)
            return play_pb2.AnchorResponse(size=len(simulator.lines))

        return await self._answer("Anchor", request, context, effect)

    async def GiveLink(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            accepted = entropy.accept_link(
                simulator.state,
                player,
                request.hand,
                request.link.hex(),
                simulator.links,
                next_link=simulator.next_link,
                past=simulator.values,
            )
            if isinstance(accepted, Refusal):
                await _refuse(accepted, context)
            elif accepted not in simulator.links:
                simulator.links[accepted] = request.link.hex()
                simulator.values.hold(request.link.hex())
                if not opening.links_missing(simulator.state, simulator.links):
                    self.tick(simulator)
                    simulator.commit_deck()
                    simulator.checkpoint()
            return play_pb2.GiveLinkResponse()

        return await self._answer("GiveLink", request, context, effect)

    async def Act(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            turn = (request.hand, request.turn, ACTS[request.act])
            entries = play.act(simulator.state, player, *turn, to=request.to)
            await self._log(simulator, entries, context)
            return play_pb2.ActResponse(size=len(simulator.lines))

        return await self._answer("Act", request, context, effect)

    async def Show(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            entries = play.show(simulator.state, player, request.hand, simulator.cards)
            await self._log(simulator, entries, context)
            return play_pb2.ShowResponse(size=len(simulator.lines))

        return await self._answer("Show", request, context, effect)

    async def Prefer(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            choices = [Choice(word) for word in request.choices]
            await self._log(simulator, seating.prefer(simulator.state, player, choices), context)
            return play_pb2.PreferResponse(size=len(simulator.lines))

        return await self._answer("Prefer", request, context, effect)

    async def PreSelect(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            act = PRE_ACTS[request.act]
            simulator.chosen.pop(player, None)
            if act is not None:
                chosen = ahead.choose_ahead(simulator.state, player, request.hand, act)
                if isinstance(chosen, Refusal):
                    await _refuse(chosen, context)
                else:
                    simulator.chosen[player] = chosen
            return play_pb2.PreSelectResponse()

        return await self._answer("PreSelect", request, context, effect)

    async def GetTable(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, player: str) -> Any:
            return play_pb2.GetTableResponse(
                game=request.game,
                my_seat=seat_of(simulator.state, player) or 0,
                size=len(simulator.lines),
                next=self.tables[request.game].next,
            )

        return await self._answer("GetTable", request, context, effect)

    async def GetStatistics(self, request: Any, context: Any) -> Any:  # noqa: N802
        async def effect(simulator: Simulator, _player: str) -> Any:
            return play_pb2.GetStatisticsResponse(people_only=True, size=len(simulator.lines))

        return await self._answer("GetStatistics", request, context, effect)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        player = _player(context)
        self._note("Watch", request, context)
        await self._fail("Watch", context, after=False)
        table = await self._table(request.game, context)
        breaks, index = self._breaks, getattr(request, "from")
        self.watching[player] += 1
        try:
            while True:
                for response in self._told(table, player, index):
                    index = max(index, response.first + len(response.lines))
                    yield response
                if table.simulator.state.phase is Phase.REVEALED:
                    return
                await self._wait_for(partial(self._has_news, table, index, breaks))
                if self._breaks != breaks:
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "the stream was cut")
        finally:
            self.watching[player] -= 1

    def _has_news(self, table: Table, index: int, breaks: int) -> bool:
        return self._breaks != breaks or len(table.simulator.lines) > index

    def _told(self, table: Table, player: str, first: int) -> list[Any]:
        stream: Stream = stream_of(table.simulator, player)
        told = [message for _, message in stream.messages(first)]
        if self.faults.tamper is not None:
            told = [self.faults.tamper(player, message) for message in told]
        responses = [_response(message) for message in told]
        due = table.simulator.decision
        lines = [response for response in responses if response.lines]
        if due is not None and lines:
            lines[-1].decision.CopyFrom(_decision(due))
        return responses

    # FairnessService and OperateService.

    async def GetKey(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests["GetKey"].append(request)
        await self._fail("GetKey", context, after=False)
        return fairness_pb2.GetKeyResponse(origin=ORIGIN, key=str(self.signer.verifier))

    async def ListEntries(self, request: Any, context: Any) -> Any:  # noqa: N802
        table = await self._table(request.game, context)
        lines = table.simulator.lines[getattr(request, "from") :][: request.limit or 100]
        return fairness_pb2.ListEntriesResponse(lines=lines, size=len(table.simulator.lines))

    async def GetGameFile(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        table = await self._table(request.game, context)
        content = table.simulator.game_file()
        half = len(content) // 2
        yield fairness_pb2.GetGameFileResponse(chunk=content[:half])
        await self._fail("GetGameFile", context, after=False)
        yield fairness_pb2.GetGameFileResponse(chunk=content[half:])

    async def GetLogProof(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._table(request.game, context)
        await abort(context, status_of("NO_DEALER_LOG", "this dealer publishes no log", {}))

    async def OpenGame(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._note("OpenGame", request, context)
        await self._fail("OpenGame", context, after=False)
        return operate_pb2.OpenGameResponse(game="ab" * 16, rules=request.rules, size=1)

    async def ListGames(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._fail("ListGames", context, after=False)
        page = int(request.page_token or 0)
        games = [operate_pb2.GameSummary(game=f"{page * 2 + i:032x}", state="open") for i in (0, 1)]
        following = str(page + 1) if page < 2 else ""
        return operate_pb2.ListGamesResponse(games=games, next_page_token=following)

    async def FollowChips(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        self._note("FollowChips", request, context)
        for each in self.chips:
            if each.cursor > request.after:
                yield each
                await self._fail("FollowChips", context, after=False)

    async def GetCheckpoint(self, request: Any, context: Any) -> Any:  # noqa: N802
        table = await self._table(request.game, context)
        return fairness_pb2.GetCheckpointResponse(checkpoint=table.simulator.checkpoint())

    GetInclusionProof = GetConsistencyProof = None  # type: ignore[assignment]
    GetGame = PauseGame = ResumeGame = CloseGame = RemovePlayer = None  # type: ignore[assignment]
    VoidHand = Session = None  # type: ignore[assignment]

    # How calls are answered.

    async def _answer(
        self,
        method: str,
        request: Any,
        context: Any,
        effect: Callable[[Simulator, str], Awaitable[_Answer]],
    ) -> _Answer:
        self._note(method, request, context)
        await self.tell()
        await self._fail(method, context, after=False)
        table = await self._table(request.game, context)
        request_id = getattr(request, "request_id", "")
        known = self._answers.get(request_id) if request_id else None
        answer = known or await effect(table.simulator, _player(context))
        if request_id:
            self._answers[request_id] = answer
        await self.tell()
        await self._fail(method, context, after=True)
        result: _Answer = answer
        return result

    async def _fail(self, method: str, context: Any, *, after: bool) -> None:
        faults = self.faults.calls[method]
        if faults and faults[0].after == after:
            fault = faults.pop(0)
            words = "the test lets this call fail"
            if fault.reason:
                await abort(context, status_of(fault.reason, words, fault.metadata, fault.code))
            await context.abort(fault.code, words)

    def _note(self, method: str, request: Any, context: Any) -> None:
        self.requests[method].append(request)
        self.tokens[method].append(_token(context))

    async def _table(self, game: str, context: Any) -> Table:
        if game in self.elsewhere:
            words = "another node deals this game"
            where = {"owner": self.elsewhere[game], "node": "another"}
            await abort(context, status_of("GAME_ELSEWHERE", words, where))
        table = self.tables.get(game)
        if table is None:
            await abort(context, status_of("NO_SUCH_GAME", "no such game", {"game": game}))
            raise AssertionError
        return table

    async def _log(self, simulator: Simulator, entries: Any, context: Any) -> None:
        if isinstance(entries, Refusal):
            await _refuse(entries, context)
        self.tick(simulator)
        simulator.append(*entries)
        if simulator.state.open and simulator.cards and simulator.deals[simulator.state.hand].mix:
            simulator.settle()
        simulator.checkpoint()

    async def _wait_for(self, holds: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(holds)


async def _refuse(refusal: Refusal, context: Any) -> None:
    numbers = {name: str(value) for name, value in refusal.numbers.items()}
    await abort(context, status_of(str(refusal.reason), refusal.message, numbers))


def _token(context: Any) -> str:
    header: str = dict(context.invocation_metadata())["authorization"]
    return header.removeprefix("Bearer ")


def _player(context: Any) -> str:
    claims = jwt.decode(_token(context), options={"verify_signature": False})
    return str(claims["sub"])


def _response(message: Message) -> Any:
    return play_pb2.WatchResponse(
        first=message.first,
        lines=message.lines,
        proofs=[
            play_pb2.Proof(hand=p.hand, position=p.position, proof=p.proof) for p in message.proofs
        ],
        checkpoint=message.checkpoint,
        openings=[
            play_pb2.Opening(
                hand=o.hand, position=o.position, card=o.card, salt=o.salt, proof=o.proof
            )
            for o in message.openings
        ],
    )


def _decision(due: Decision) -> Any:
    decision = play_pb2.Decision(
        hand=due.hand,
        turn=due.turn,
        seat=due.seat,
        may_check=due.may_check,
        call=due.call or 0,
        deadline=due.deadline,
        call_to=due.call_to,
        bank_ms=due.bank_ms,
        presets=[play_pb2.Preset(name=p.name, to=p.to, cost=p.cost) for p in due.presets],
    )
    for name, bounds in (("bet", due.bet), ("raise", due.raise_)):
        if bounds is not None:
            span = play_pb2.Range(to=bounds.max, **{"from": bounds.min})
            getattr(decision, name).CopyFrom(span)
    return decision
