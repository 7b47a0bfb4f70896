"""A dealer with --witness-policy and --publication-listen: co-signed, served, and never forked."""

import asyncio
import http.client
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dealer_service.app import CannotStart, Dealer
from dealer_service.config import Settings
from dealer_service.transcript.checkpoint import open_checkpoint
from dealer_service.transcript.cosignature import cosigned
from dealer_service.transcript.note import note_signer, parse_note, parse_vkey
from dealer_service.transcript.noted import Stage
from dealer_service.transcript.policy import parse_policy
from dealer_service.transcript.tiles import TileReader
from tests.support.http_witness import HttpWitness, serving_witness
from tests.support.scraping import LOOPBACK, scrape
from tests.support.service import ORIGIN, PATIENCE, Service, seated, serving, stop


class Policy:
    """A policy file of two witnesses, both of them its quorum, that are there or away."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "witnesses.policy"
        self.witnesses = [
            HttpWitness(note_signer(f"w{number}.example", bytes([number]) * 32), None)
            for number in (1, 2)
        ]

    @contextmanager
    def serving(self, *which: int) -> Iterator[None]:
        """Serve some of them, each at the port that it had."""
        with ExitStack() as stack:
            for index in which:
                witness = self.witnesses[index]
                stack.enter_context(serving_witness(witness, port=witness.port))
            yield

    def write(self, more: str = "") -> None:
        lines = [f"witness {one.signer.name} {one.vkey} {one.url}" for one in self.witnesses]
        names = " ".join(one.signer.name for one in self.witnesses)
        self.path.write_text("\n".join([*lines, more, f"group both all {names}", "quorum both\n"]))

    def trust(self, service: Service) -> None:
        for witness in self.witnesses:
            witness.log = parse_vkey(service.key)

    def signers(self, folder: Path, service: Service) -> list[str]:
        """Give who co-signed what the publication shows."""
        note = (folder / "checkpoint").read_bytes()
        open_checkpoint(note, parse_vkey(service.key), ORIGIN)
        keys = [one.key for one in parse_policy(self.path.read_bytes()).witnesses]
        return [key.name for key in cosigned(parse_note(note), keys)]


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    policy = Policy(tmp_path)
    with policy.serving(0, 1):
        pass
    policy.write()
    return policy


def public(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "publication": folder / "public",
        "batch": 0.01,
        "witness_policy": folder / "witnesses.policy",
    } | more


async def until_published(service: Service, game: str, stage: Stage, hand: int = 0) -> None:
    publishing = service.dealer._publishing
    assert publishing is not None
    async with asyncio.timeout(PATIENCE):
        await publishing.wait_for(game, hand, stage)


async def test_what_is_published_is_co_signed_by_the_quorum(tmp_path: Path, policy: Policy) -> None:
    with policy.serving(0, 1):
        async with serving(tmp_path, **public(tmp_path, metrics=LOOPBACK)) as service:
            policy.trust(service)
            game = await service.open_game()
            bots = await seated(service, game, "ann", "bob")
            await until_published(service, game, Stage.DECK_COMMITTED, hand=1)
            await service.close_game(game)
            await until_published(service, game, Stage.GAME_REVEALED)
            await stop(bots)
            assert policy.signers(tmp_path / "public", service) == ["w1.example", "w2.example"]
            seen = await scrape(service)
    for name in ("w1.example", "w2.example"):
        asked = seen.get("cutcard_witness_requests_total", witness=name, outcome="cosigned")
        # At least the two stages that were waited for; how many others share a batch is chance.
        assert asked >= 2
    assert seen.get("cutcard_quorum_seconds_count") >= 2
    assert seen.get("cutcard_witness_seconds_count") >= 4


async def test_a_game_goes_on_while_a_witness_is_away_and_it_signs_when_it_is_back(
    tmp_path: Path, policy: Policy
) -> None:
    with policy.serving(0):
        async with serving(tmp_path, **public(tmp_path, metrics=LOOPBACK)) as service:
            policy.trust(service)
            game = await service.open_game()
            bots = await seated(service, game, "ann", "bob")
            await bots[0].until_line("hand_ended", hand=1)
            waiting = asyncio.ensure_future(until_published(service, game, Stage.GAME_REVEALED))
            await service.close_game(game)
            await stop(bots)
            with policy.serving(1):
                await waiting
                # Both have the last checkpoint, though nothing came into the log any more.
                signers = policy.signers(tmp_path / "public", service)
                assert signers == ["w1.example", "w2.example"]
            seen = await scrape(service)
    assert seen.get("cutcard_quorums_missed_total") >= 1


async def test_after_a_restart_the_log_goes_on_under_the_same_witnesses(
    tmp_path: Path, policy: Policy
) -> None:
    with policy.serving(0, 1):
        for _ in range(2):
            async with serving(tmp_path, **public(tmp_path)) as service:
                policy.trust(service)
                game = await service.open_game()
                await until_published(service, game, Stage.GAME_OPENED)
    assert all(one.seen is not None and one.seen.size >= 2 for one in policy.witnesses)


async def test_a_dealer_that_lost_all_but_its_key_signs_no_second_log(
    tmp_path: Path, policy: Policy
) -> None:
    with policy.serving(0, 1):
        async with serving(tmp_path / "a", **public(tmp_path)) as service:
            policy.trust(service)
            game = await service.open_game()
            await until_published(service, game, Stage.GAME_OPENED)
        before = [one.seen for one in policy.witnesses]
        for name in ("log.key", "sealing.key", "token.key"):
            (tmp_path / "b").mkdir(exist_ok=True)
            shutil.copy(tmp_path / "a" / name, tmp_path / "b" / name)
        shutil.rmtree(tmp_path / "public")
        with pytest.raises(CannotStart, match=r"w1\.example saw 1; w2\.example saw 1"):
            async with serving(tmp_path / "b", **public(tmp_path)):
                pass
        assert not (tmp_path / "public" / "checkpoint").exists()
        assert [one.seen for one in policy.witnesses] == before


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (None, "can not be read: No such file"),
        ("quorum nobody\n", r"line 1 of the policy"),
        ("witness w {vkey}\nquorum w\n", "that have an address are no quorum"),
        ("witness w {vkey} http://w.example\nquorum w\n", "is in the clear, and not on loopback"),
        ("log {log}\nquorum none\n", "names logs, and this dealer's is not among them"),
    ],
)
async def test_a_policy_that_can_not_be_met_keeps_the_dealer_from_starting(
    tmp_path: Path, written: str | None, said: str
) -> None:
    named = {
        "vkey": HttpWitness(note_signer("w.example", b"\x01" * 32), None).vkey,
        "log": str(note_signer("other.example", b"\x02" * 32).verifier),
    }
    if written is not None:
        (tmp_path / "witnesses.policy").write_text(written.format(**named))
    with pytest.raises(CannotStart, match=said):
        await Dealer(Settings(tmp_path / "d", ORIGIN, "127.0.0.1:0", **public(tmp_path))).start()
    assert not (tmp_path / "public" / "checkpoint").exists()


async def test_the_log_can_be_read_whole_over_http(tmp_path: Path) -> None:
    given = public(tmp_path, witness_policy=None, publication_listen=LOOPBACK)
    async with serving(tmp_path / "d", **given) as service:
        game = await service.open_game()
        await until_published(service, game, Stage.GAME_OPENED)
        port = service.dealer.publication_port

        def read(path: str) -> bytes:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", f"/{path}")
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            assert answer.status == 200, (path, content)
            return content

        def read_all() -> tuple[bytes, bytes, list[bytes]]:
            checkpoint = open_checkpoint(read("checkpoint"), parse_vkey(service.key), ORIGIN)
            reader = TileReader(checkpoint.size, read)
            return checkpoint.root, reader.root(), list(reader.lines(0, checkpoint.size))

        signed, found, lines = await asyncio.to_thread(read_all)
        assert found == signed
        assert f'"game":"{game}"'.encode() in lines[0]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.to_thread(read, "checkpoint")


async def test_nothing_is_served_unless_it_is_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path / "d", **public(tmp_path, witness_policy=None)) as service:
        assert service.dealer.publication_port == 0


async def test_an_address_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        more = public(tmp_path, witness_policy=None, publication_listen=address)
        with pytest.raises(CannotStart, match=f"can not serve the publication on {address}: "):
            async with serving(tmp_path / "d", **more):
                pass


async def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "public").write_bytes(b"a file")
    with pytest.raises(CannotStart, match=f"can not publish in {tmp_path / 'public'}: "):
        async with serving(tmp_path / "d", **public(tmp_path, witness_policy=None)):
            pass
