"""`kill -9` at every write of a hand: the same hand goes on, with the same deck and clients."""

import asyncio
import contextlib
import os
import secrets
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import grpc.aio

from cutcard.v1 import entry_pb2, play_pb2, play_pb2_grpc
from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue, load_token_key
from dealer_service.client import Act, Choice, Dealer, HandOver, MyTurn, Seat
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.client.routes import KEEPALIVE
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.fairness.deck import Opening, verify_opening
from dealer_service.store.api import LogHead
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from dealer_service.transcript.merkle import leaf_hash, tree_root
from tests.support.audits import judge, read_checkpoint, tell
from tests.support.dying_dealer import ORIGIN
from tests.support.ports import free_port
from tests.support.service import read

ROOT = Path(__file__).parents[2]
NAMES = ("ann", "bob", "cid", "dan")
MOMENTS = ("between", "after", "before")
KILLS = 27
IMPATIENT = Surroundings(patience=Patience(attempt=5, total=120, first_wait=0.02, longest_wait=0.1))


@dataclass
class House:
    """A dealer that dies again and again, and is started again each time."""

    folder: Path
    process: asyncio.subprocess.Process
    port: int
    pid: int = 0

    @classmethod
    async def open(cls, folder: Path) -> "House":
        port = free_port()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.support.dying_dealer",
            str(folder),
            str(port),
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        return cls(folder, process, port)

    def begin(self, moment: str = "never", count: int | str = 1) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{moment} {count}\n".encode())

    async def hears(self, word: bytes) -> int:
        """Wait until the runner says a word, and give the number behind it."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            if line.startswith(word):
                return int(line.split()[1])
        message = f"the runner ended without saying {word.decode()}"
        raise AssertionError(message)

    async def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.process.wait()

    def token(self, name: str, role: Role = Role.PLAYER) -> str:
        key = load_token_key(self.folder / "token.key")
        return issue(key, name, role, ttl=3600, now=time.time(), origin=ORIGIN)

    def connect(self, name: str, role: Role = Role.PLAYER) -> Dealer:
        return Dealer.connect(
            f"127.0.0.1:{self.port}", self.token(name, role), surroundings=IMPATIENT
        )


class Witness:
    """Keeps all that a player is told, over every break, and holds it to be one history."""

    def __init__(self, house: House, name: str) -> None:
        self.house, self.name = house, name
        self.lines: dict[int, bytes] = {}
        self.notes: set[str] = set()
        self.openings: dict[tuple[int, int], bytes] = {}

    async def watch(self, game: str) -> None:
        header = (("authorization", f"Bearer {self.house.token(self.name)}"),)
        while True:
            address = f"127.0.0.1:{self.house.port}"
            async with grpc.aio.insecure_channel(address, options=KEEPALIVE) as channel:
                stub = play_pb2_grpc.PlayServiceStub(channel)
                request = play_pb2.WatchRequest(game=game)
                with contextlib.suppress(grpc.aio.AioRpcError):
                    async for message in stub.Watch(request, metadata=header, wait_for_ready=True):
                        self.hear(message)

    def hear(self, message: play_pb2.WatchResponse) -> None:
        for index, line in enumerate(message.lines, message.first):
            assert self.lines.setdefault(index, line) == line
        for one in message.openings:
            told = one.SerializeToString()
            assert self.openings.setdefault((one.hand, one.position), told) == told
        if message.checkpoint:
            self.notes.add(message.checkpoint)


def proved(lines: list[bytes], hand: int, opening: play_pb2.Opening) -> bool:
    """Say whether an opening is of the deck that the log commits to for the hand."""
    committed = [read(line)[1] for line in lines if b',"deck_committed":{' in line]
    (deck,) = [one for one in committed if one["hand"] == hand]
    card = CARD_NAMES.index(opening.card)
    own = Opening(opening.position, card, opening.salt, tuple(opening.proof))
    return verify_opening(bytes.fromhex(deck["deck_root"]), bytes.fromhex(deck["mix"]), own)


async def play(seat: Seat, hands: int, done: asyncio.Event) -> None:
    """Check or call until so many hands are over."""
    async for event in seat:
        if isinstance(event, MyTurn):
            await seat.act(Act.CALL if event.decision.call else Act.CHECK)
        if isinstance(event, HandOver) and event.hand >= hands:
            done.set()


async def test_a_hand_goes_on_through_more_than_twenty_kills(tmp_path: Path) -> None:
    rules = entry_pb2.RuleSet(turn_ms=600_000, link_ms=600_000)
    stages = await kill_through_a_hand(tmp_path, rules, KILLS)
    assert len([hand for hand, _ in stages if hand == 1]) >= 20, stages
    assert {"hand_opened", "acted", "opened"} <= {kind for _, kind in stages}


async def test_choices_banks_and_more_cards_outlive_kills_too(tmp_path: Path) -> None:
    """The openings behind the kills repeat what the players chose before them."""
    rules = entry_pb2.RuleSet(
        turn_ms=600_000,
        link_ms=600_000,
        variant="omaha_hi_lo",
        hole_cards=5,
        structure="pot_limit",
        button="dead",
        newcomers="post",
        missed_blinds="dead",
        ante=entry_pb2.AnteRule(kind="each", amount=1),
        runs=2,
        choices="at_once",
        time_bank=entry_pb2.TimeBankRule(start_ms=5_000, per_hand_ms=1_000, max_ms=60_000),
        return_ms=60_000,
    )
    stages = await kill_through_a_hand(tmp_path, rules, 9, Choice.RUNS, Choice.SHOW)
    assert {hand for hand, _ in stages} >= {1}
    (game,) = [one.log for one in heads(tmp_path / "dealer")]
    lines = [read(line) for line in read_store(tmp_path / "dealer", game)]
    opened = next(body for kind, body in lines if kind == "hand_opened" and body["hand"] == 1)
    assert [seat["choices"] for seat in opened["seats"]] == [["runs", "show"]] * len(NAMES)
    assert [seat["bank_ms"] for seat in opened["seats"]] == [6_000] * len(NAMES)
    assert opened["departed"] == []


def heads(folder: Path) -> list[LogHead]:
    store = SqliteStore(folder / "store.sqlite")
    found = list(store.heads(state=None, after=0, limit=10))
    store.close()
    return found


async def kill_through_a_hand(
    tmp_path: Path, rules: entry_pb2.RuleSet, kills: int, *choices: Choice
) -> list[tuple[int, str]]:
    """Kill the dealer so often while one hand is played, and give where each kill fell."""
    house = await House.open(tmp_path / "dealer")
    house.begin()
    house.pid = await house.hears(b"serving")
    async with contextlib.AsyncExitStack() as stack:
        operator = await stack.enter_async_context(house.connect("operator", Role.OPERATOR))
        game = (await operator.operator.open_game(rules)).game
        await operator.operator.pause(game)
        seats = []
        for name in NAMES:
            dealer = await stack.enter_async_context(house.connect(name))
            seats.append(await dealer.sit(game, stack=200, directory=tmp_path / name))
            if choices:
                await seats[-1].prefer(*choices)
        os.kill(house.pid, signal.SIGKILL)
        await house.hears(b"ended")
        house.begin(MOMENTS[0])
        done = asyncio.Event()
        stages: list[tuple[int, str]] = []
        witness = Witness(house, "ann")
        tasks = [asyncio.create_task(play(seat, 1, done)) for seat in seats]
        tasks.append(asyncio.create_task(witness.watch(game)))
        resuming = asyncio.create_task(
            operator.operator.resume(game, request_id=secrets.token_hex(8))
        )
        async with asyncio.timeout(240):
            for kill in range(1, kills + 1):
                assert await house.hears(b"ended") == -signal.SIGKILL
                stages.append(stage_of(read_store(house.folder, game)))
                house.begin("never" if kill == kills else MOMENTS[kill % 3])
            house.pid = await house.hears(b"serving")
            await resuming
            await done.wait()
            await operator.operator.close(game)
            await asyncio.gather(*tasks[:-1])
        tasks[-1].cancel()
        assert [seat.refused for seat in seats] == [None] * len(NAMES)
        records = [seat.record_path.read_bytes() for seat in seats]
        await operator.download(game, tmp_path / "game")
        content = (tmp_path / "game").read_bytes()
        key = str(await operator.key())
    os.kill(house.pid, signal.SIGTERM)
    assert await house.hears(b"ended") == 0
    await house.close()

    lines = read_store(house.folder, game)
    require_one_history(lines, witness, key, rules.hole_cards or 2)
    for record in records:
        report = judge(content, key=key, mine=record)
        assert report.exit_status() == 0, tell(report)
    journal = SignedJournal(house.folder / "signed.journal", ORIGIN, may_make=False)
    assert journal.last[game].size == len(lines)
    journal.close()
    return stages


def stage_of(lines: list[bytes]) -> tuple[int, str]:
    """Give the hand that is open and the kind of the last line."""
    entries = [read(line) for line in lines]
    opened = [body["hand"] for kind, body in entries if kind == "hand_opened"]
    ended = [body["hand"] for kind, body in entries if kind in {"hand_ended", "hand_void"}]
    return max(opened, default=0) if len(opened) > len(ended) else 0, entries[-1][0]


def read_store(folder: Path, game: str) -> list[bytes]:
    store = SqliteStore(folder / "store.sqlite")
    lines = list(store.every_line(game))
    store.close()
    return lines


def require_one_history(lines: list[bytes], witness: Witness, key: str, hole_cards: int) -> None:
    """Hold all that was ever told to stand in the log, under one deck a hand."""
    assert all(lines[index] == line for index, line in witness.lines.items())
    opened = [read(line)[1]["hand"] for line in lines if b',"hand_opened":{' in line]
    assert opened == list(range(1, len(opened) + 1))
    for note in witness.notes:
        checkpoint = read_checkpoint(note, key)
        leaves = [leaf_hash(line) for line in lines[: checkpoint.size]]
        assert checkpoint.root == tree_root(leaves)
    for (hand, _), opening in witness.openings.items():
        assert proved(lines, hand, play_pb2.Opening.FromString(opening))
    assert len([hand for hand, _ in witness.openings if hand == 1]) == hole_cards
