"""Lines of the dealer's log that a client asks for: proved, and of the lines that it received."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue
from dealer_service.client import (
    Act,
    CallRefusedError,
    CaughtUp,
    Dealer,
    LogProof,
    LogProofError,
    MyTurn,
    Reason,
    Refused,
    Seat,
    Spectator,
    Stage,
)
from dealer_service.client.log_proof import check_log_proof
from dealer_service.tables.published import LineProof
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.ed25519 import signing_key
from dealer_service.transcript.logproof import write_log_proof
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteSigner
from dealer_service.transcript.noted import Noted, write_noted
from tests.support.audits import judge, tell
from tests.support.house import keeping_house
from tests.support.published_by_hand import ByHand, publishing
from tests.support.service import ORIGIN, PATIENCE, Service, seated, waiting

GAME = "0123456789abcdef0123456789abcdef"
SIGNER = NoteSigner(ORIGIN, signing_key(bytes(range(32))))
OPENED = Noted(7, bytes.fromhex(GAME), 0, Stage.GAME_OPENED, 1, bytes(32))


def proof_of(line: bytes, signer: NoteSigner = SIGNER) -> str:
    """Prove a line as the second of a log of three."""
    tree = Tree([leaf_hash(b"one"), leaf_hash(line), leaf_hash(b"three")])
    note = sign_checkpoint(Checkpoint(ORIGIN, 3, tree.root()), signer)
    return write_log_proof(1, tree.inclusion(1), note)


def check(line: bytes, text: str, *, hand: int = 0, stage: Stage = Stage.GAME_OPENED) -> LogProof:
    return check_log_proof(line, text, SIGNER.verifier, (GAME, hand, stage))


class Forged(ByHand):
    """It proves, under the dealer's own key, lines that are not those of the game."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    async def proof(self, game: str, hand: int, stage: Stage) -> LineProof:
        assert self._house is not None
        line = write_noted(Noted(7, bytes.fromhex(game), hand, stage, self._size, bytes(32)))
        return LineProof(line, self._size, proof_of(line, self._house.signer))


@asynccontextmanager
async def watching(
    folder: Path, patch: pytest.MonkeyPatch, board: ByHand
) -> AsyncIterator[tuple[Service, Spectator]]:
    """Watch a game of two seats that has just opened, all that there is of it received."""
    async with publishing(folder, patch, board) as service:
        game = await service.open_game()
        key, now = service.dealer.keys.token, time.time()
        token = issue(key, "eve", Role.WATCHER, ttl=3600, now=now, origin=ORIGIN)
        async with (
            asyncio.timeout(PATIENCE),
            Dealer.connect(service.address, token, key=service.key) as dealer,
        ):
            spectator = await dealer.watch(game)
            async for event in spectator:
                if isinstance(event, CaughtUp):
                    break
            yield service, spectator


class TestCheck:
    def test_takes_a_line_that_its_proof_leads_to(self) -> None:
        line = write_noted(OPENED)
        assert check(line, proof_of(line)).noted == OPENED

    @pytest.mark.parametrize(
        "other",
        [
            replace(OPENED, game=bytes(16)),
            replace(OPENED, stage=Stage.GAME_CLOSED),
            replace(OPENED, hand=1, stage=Stage.HAND_OPENED),
        ],
        ids=["another game", "another stage", "a hand's"],
    )
    def test_refuses_a_line_of_something_else(self, other: Noted) -> None:
        line = write_noted(other)
        with pytest.raises(LogProofError) as caught:
            check(line, proof_of(line))
        assert caught.value.reason is Reason.LINE

    def test_refuses_what_is_no_line(self) -> None:
        with pytest.raises(LogProofError) as caught:
            check(b"{}", proof_of(b"{}"))
        assert caught.value.reason is Reason.LINE

    def test_refuses_a_proof_of_another_line(self) -> None:
        with pytest.raises(LogProofError) as caught:
            check(write_noted(OPENED), proof_of(write_noted(replace(OPENED, at=8))))
        assert caught.value.reason is Reason.SIGNATURE
        assert caught.value.text.startswith("c2sp.org/tlog-proof@v1")

    def test_refuses_a_checkpoint_of_another_key(self) -> None:
        line = write_noted(OPENED)
        other = NoteSigner(ORIGIN, signing_key(bytes(32)))
        with pytest.raises(LogProofError) as caught:
            check(line, proof_of(line, other))
        assert caught.value.reason is Reason.SIGNATURE

    @pytest.mark.parametrize("text", ["", "c2sp.org/tlog-proof@v1\nindex 0\n\n", "\ud7ff"])
    def test_refuses_what_is_no_proof(self, text: str) -> None:
        with pytest.raises(LogProofError):
            check(write_noted(OPENED), text)

    def test_holds_the_log_to_the_name_of_the_key(self) -> None:
        line = write_noted(OPENED)
        tree = Tree([leaf_hash(line)])
        note = sign_checkpoint(Checkpoint(f"{ORIGIN}/games/{GAME}", 1, tree.root()), SIGNER)
        with pytest.raises(LogProofError):
            check(line, write_log_proof(0, (), note))


class TestFollowing:
    async def test_a_line_of_the_lines_received_is_given(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with watching(tmp_path, monkeypatch, ByHand()) as (service, spectator):
            proved = await spectator.log_proof(Stage.GAME_OPENED)
            assert proved.noted.size == 1
            assert spectator.refused is None
            with pytest.raises(CallRefusedError, match="NOT_PUBLISHED"):
                await spectator.log_proof(Stage.HAND_OPENED, 1)
            await seated(service, spectator.game, "ann", "bob", policy=waiting)
            again = await spectator.log_proof(Stage.HAND_OPENED, 1)
            assert again.noted.hand == 1

    async def test_a_line_that_is_to_come_is_asked_for_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        board = ByHand(holds=True)
        async with watching(tmp_path, monkeypatch, board) as (_, spectator):
            asking = asyncio.create_task(spectator.log_proof(Stage.GAME_OPENED, wait=PATIENCE))
            await board.until_missed(spectator.game, 0, Stage.GAME_OPENED)
            assert not asking.done()
            await board.let_out(spectator.game, 0, Stage.GAME_OPENED)
            assert (await asking).noted.size == 1

    async def test_a_line_of_other_lines_ends_the_game_with_the_proof_as_evidence(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with watching(tmp_path, monkeypatch, Forged(1)) as (_, spectator):
            with pytest.raises(CallRefusedError, match="another root"):
                await spectator.log_proof(Stage.GAME_OPENED)
            events = [event async for event in spectator]
            assert isinstance(events[-1], Refused)
            assert events[-1].reason is Reason.ROOT
            assert events[-1].evidence.proof.startswith("c2sp.org/tlog-proof@v1")
            with pytest.raises(CallRefusedError, match="the client left the game"):
                await spectator.log_proof(Stage.GAME_OPENED)

    async def test_a_line_ahead_of_the_stream_is_held_to_it_when_that_has_come(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with watching(tmp_path, monkeypatch, Forged(3)) as (service, spectator):
            assert (await spectator.log_proof(Stage.GAME_OPENED)).noted.size == 3
            await seated(service, spectator.game, "ann", "bob", policy=waiting)
            events = [event async for event in spectator]
            assert isinstance(events[-1], Refused)
            assert events[-1].reason is Reason.ROOT


class TestAgainstAPublishingDealer:
    async def test_cards_wait_for_the_log_and_each_line_is_proved(self, tmp_path: Path) -> None:
        given = {"publication": tmp_path / "log", "batch": 0.02}
        async with asyncio.timeout(PATIENCE), keeping_house(tmp_path, **given) as house:
            operator = await house.connect("op", Role.OPERATOR)
            rules = {"log_proof": "before_cards", "max_hands": 2, "pause_ms": 0}
            game = await house.open_game(operator, **rules)
            seats: list[Seat] = []
            for name in ("ann", "bob"):
                dealer = await house.connect(name)
                seats.append(await dealer.sit(game, stack=10_000, directory=house.folder / name))
            await operator.operator.resume(game)
            await asyncio.gather(*(play_until_over(seat, game) for seat in seats))
            ann = await house.connect("ann")
            told = [
                (await ann.log_proof(game, stage, hand, wait=PATIENCE)).noted
                for hand, stage in (
                    (0, Stage.GAME_OPENED),
                    (1, Stage.HAND_OPENED),
                    (1, Stage.DECK_COMMITTED),
                    (2, Stage.DECK_COMMITTED),
                    (0, Stage.GAME_CLOSED),
                )
            ]
            assert [one.size for one in told] == sorted(one.size for one in told)
            path = tmp_path / "game.jsonl"
            await ann.download(game, path)
            report = judge(path.read_bytes(), key=house.key)
            assert report.exit_status() == 0, tell(report)


async def play_until_over(seat: Seat, game: str) -> None:
    """Check or fold until the game is followed by another, and close the seat."""
    async for event in seat:
        if isinstance(event, MyTurn):
            await seat.act(Act.CHECK if event.decision.may_check else Act.FOLD)
        if seat.game != game:
            break
    await seat.close()
