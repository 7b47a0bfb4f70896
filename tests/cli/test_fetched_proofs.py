"""`fetch --log-proofs`: what proves that the dealer's log tells of a game, for the audit."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from audit_cli.cli import main as audit
from dealer_service.access.roles import Role
from dealer_service.client import Act, MyTurn, Seat
from dealer_service.tables.published import LineProof
from tests.support.commands import dealer
from tests.support.house import House, keeping_house
from tests.support.service import PATIENCE


async def fetch(house: House, game: str, *words: str) -> tuple[int, list[str], str]:
    """Run the command beside the dealer, by a token of the dealer's own key."""
    house.folder.mkdir(exist_ok=True)
    ran = await asyncio.to_thread(
        dealer,
        "fetch",
        game,
        *("--address", f"127.0.0.1:{house.dealer.port}", "--log-proofs", "proofs"),
        *("--directory", house.dealer.settings.directory),
        *words,
        folder=house.folder,
    )
    return ran.returncode, ran.stdout.splitlines(), ran.stderr


async def play_a_game(house: House) -> str:
    """Play one hand, and on to the game's end."""
    operator = await house.connect("op", Role.OPERATOR)
    rules = {"log_proof": "before_cards", "max_hands": 1, "pause_ms": 0}
    game = await house.open_game(operator, **rules)
    seats = [
        await (await house.connect(name)).sit(game, stack=10_000, directory=house.folder / name)
        for name in ("ann", "bob")
    ]
    await operator.operator.resume(game)
    await asyncio.gather(*(play_until_over(seat, game) for seat in seats))
    return game


async def play_until_over(seat: Seat, game: str) -> None:
    async for event in seat:
        if isinstance(event, MyTurn):
            await seat.act(Act.CHECK if event.decision.may_check else Act.FOLD)
        if seat.game != game:
            break
    await seat.close()


def public(folder: Path) -> dict[str, Any]:
    return {"publication": folder / "log", "batch": 0.02}


async def test_each_stage_has_its_proof_and_the_audit_takes_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.timeout(PATIENCE), keeping_house(tmp_path, **public(tmp_path)) as house:
        game = await play_a_game(house)
        status, printed, told = await fetch(house, game)
        assert (status, told) == (0, "")
        file, *proofs = printed
        assert proofs == [
            f"proofs/{game}{stage}.tlog-proof"
            for stage in (
                ".game_opened",
                ".1.hand_opened",
                ".1.deck_committed",
                ".game_closed",
                ".game_revealed",
            )
        ]
        given = [word for proof in proofs for word in ("--log-proof", str(house.folder / proof))]
        capsys.readouterr()
        words = ["--key", house.key, "--require", "CONSISTENT", *given]
        status = audit(["verify", str(house.folder / file), *words])
        assert status == 0, capsys.readouterr().out


async def test_what_the_log_lacks_is_counted_and_is_no_success(tmp_path: Path) -> None:
    async with keeping_house(tmp_path) as house:
        operator = await house.connect("op", Role.OPERATOR)
        game = await house.open_game(operator)
    async with keeping_house(tmp_path, **public(tmp_path)) as house:
        operator = await house.connect("op", Role.OPERATOR)
        await operator.operator.close(game)
        status, printed, told = await fetch(house, game)
        assert status == 1
        assert printed[1:] == [
            f"proofs/{game}.game_closed.tlog-proof",
            f"proofs/{game}.game_revealed.tlog-proof",
        ]
        assert "the dealer's log lacks 1 of what the file tells" in told


async def test_a_log_that_says_anything_else_is_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping_house(tmp_path, **public(tmp_path)) as house:
        operator = await house.connect("op", Role.OPERATOR)
        game = await house.open_game(operator)
        other = await house.open_game(operator)
        publishing = house.dealer._publishing
        assert publishing is not None
        honest = publishing.proof

        async def lie(_game: str, hand: int, stage: Any) -> LineProof | None:
            return await honest(other, hand, stage)

        monkeypatch.setattr(publishing, "proof", lie)
        status, _, told = await fetch(house, game)
        assert status == 3
        assert "this is evidence against the dealer" in told
        assert (house.folder / "proofs" / f"{game}.game_opened.tlog-proof").exists()


async def test_a_dealer_that_publishes_no_log_says_so(tmp_path: Path) -> None:
    async with keeping_house(tmp_path) as house:
        operator = await house.connect("op", Role.OPERATOR)
        game = await house.open_game(operator)
        status, _, told = await fetch(house, game)
        assert status == 3
        assert "NO_DEALER_LOG" in told
