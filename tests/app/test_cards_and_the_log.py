"""By `before_cards`, cards wait for the log as it is really published, and for its witnesses."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dealer_service.transcript.checkpoint import open_checkpoint
from dealer_service.transcript.cosignature import cosigned, witness_key
from dealer_service.transcript.note import note_signer, parse_note, parse_vkey
from dealer_service.transcript.noted import Noted, Stage, read_noted
from dealer_service.transcript.tiles import TileReader
from tests.support.audits import judge, tell
from tests.support.http_witness import HttpWitness, serving_witness
from tests.support.nodes import sharing
from tests.support.service import ORIGIN, Bot, Service, seated, serving, waiting

UNHURRIED = 0.4
"""Seconds of a batch that dealing, which takes some milliseconds, can not come up to."""


@pytest.fixture
def witness() -> HttpWitness:
    return HttpWitness(note_signer("w.example", b"\x01" * 32), None)


def public(folder: Path, name: str = "public", **more: Any) -> dict[str, Any]:
    return {"publication": folder / name, "batch": 0.01} | more


@contextmanager
def there(folder: Path, witness: HttpWitness) -> Iterator[Path]:
    """Serve the witness, and give the file of the policy that asks for it."""
    with serving_witness(witness, port=witness.port):
        policy = folder / "witnesses.policy"
        policy.write_text(f"witness w {witness.vkey} {witness.url}\nquorum w\n")
        yield policy


def shown(folder: Path, service: Service) -> list[Noted]:
    """Read what the folder shows the world at this moment."""
    note = (folder / "checkpoint").read_bytes()
    size = open_checkpoint(note, parse_vkey(service.key), ORIGIN).size
    reader = TileReader(size, lambda path: (folder / path).read_bytes())
    return [read_noted(line) for line in reader.lines(0, size)]


def decks(folder: Path, service: Service, game: str) -> list[int]:
    """List the hands of a game whose decks the folder shows."""
    return [
        one.hand
        for one in shown(folder, service)
        if one.game.hex() == game and one.stage.value == Stage.DECK_COMMITTED.value
    ]


async def test_when_a_card_is_dealt_the_world_can_see_its_deck(tmp_path: Path) -> None:
    given = public(tmp_path, batch=UNHURRIED)
    async with serving(tmp_path, **given) as service:
        game = await service.open_game(log_proof="before_cards")
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until_line("dealt", hand=1)
        assert decks(tmp_path / "public", service, game) == [1]


async def test_by_follow_cards_wait_for_no_witness(tmp_path: Path, witness: HttpWitness) -> None:
    with there(tmp_path, witness) as policy:
        pass
    async with serving(tmp_path, **public(tmp_path, witness_policy=policy)) as service:
        game = await service.open_game(log_proof="follow")
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until_line("dealt", hand=1)
        publishing = service.dealer._publishing
        assert publishing is not None
        assert await publishing.proof(game, 1, Stage.DECK_COMMITTED) is None


async def test_cards_wait_for_the_quorum_of_the_policy(
    tmp_path: Path, witness: HttpWitness
) -> None:
    with there(tmp_path, witness) as policy:
        given = public(tmp_path, witness_policy=policy)
        async with serving(tmp_path, **given) as service:
            witness.log = parse_vkey(service.key)
            witness.release.clear()
            game = await service.open_game(log_proof="before_cards", max_hands=1)
            ann, _ = await seated(service, game, "ann", "bob")
            await ann.until_line("deck_committed", hand=1)
            # The witness has been asked to sign, and does not answer.
            await ann.until_given(lambda: witness.asked)
            await service.settled(game)
            assert service.table(game).awaits_log
            assert ann.find("dealt") is None
            witness.release.set()
            await ann.until_line("dealt", hand=1)
            note = parse_note((tmp_path / "public" / "checkpoint").read_bytes())
            assert len(cosigned(note, [witness_key(witness.signer)])) == 1
            await ann.until_over()
            report = judge(await service.file(game), key=service.key)
            assert report.exit_status() == 0, tell(report)


async def test_cards_that_wait_are_dealt_after_a_restart_when_the_witness_is_back(
    tmp_path: Path, witness: HttpWitness
) -> None:
    with there(tmp_path, witness) as policy:
        pass
    given = public(tmp_path, witness_policy=policy)
    async with serving(tmp_path, **given) as service:
        game = await service.open_game(log_proof="before_cards")
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until_line("deck_committed", hand=1)
        assert service.table(game).awaits_log
        witness.log = parse_vkey(service.key)
        before = await service.lines(game)
    with there(tmp_path, witness):
        async with serving(tmp_path, **given) as service:
            again = Bot(service, "ann", policy=waiting)
            again.seat = ann.seat
            again.watch(game)
            await again.until_line("dealt", hand=1)
            assert decks(tmp_path / "public", service, game) == [1]
            assert (await service.lines(game))[: len(before)] == before


@pytest.mark.parametrize("name", ["a", "b"])
async def test_cards_wait_at_every_node_whichever_writes_the_log(tmp_path: Path, name: str) -> None:
    async with sharing(tmp_path) as nodes:
        for node in ("a", "b"):
            await nodes.start(node, **public(tmp_path, f"public-{node}"))
        service = nodes.services[name]
        game = await service.open_game(log_proof="before_cards")
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until_line("dealt", hand=1)
        assert decks(tmp_path / f"public-{name}", service, game) == [1]


async def test_cards_that_wait_at_a_node_that_dies_are_dealt_by_another(
    tmp_path: Path, witness: HttpWitness
) -> None:
    with there(tmp_path, witness) as policy:
        pass
    async with sharing(tmp_path) as nodes:
        for node in ("a", "b"):
            given = public(tmp_path, f"public-{node}", witness_policy=policy)
            await nodes.start(node, **given)
        a, b = nodes.services["a"], nodes.services["b"]
        witness.log = parse_vkey(a.key)
        game = await a.open_game(log_proof="before_cards")
        ann, _ = await seated(a, game, "ann", "bob", policy=waiting)
        await ann.until_line("deck_committed", hand=1)
        before = await a.lines(game)
        nodes.kill("a")
        await nodes.lease()
        assert b.table(game).awaits_log
        assert await b.lines(game) == before
        with there(tmp_path, witness):
            other = Bot(b, "ann", policy=waiting)
            other.seat = ann.seat
            other.watch(game)
            await other.until_line("dealt", hand=1)
            assert decks(tmp_path / "public-b", b, game) == [1]
