"""What a dealer does not start on: each with a clear reason, and nothing changed."""

import sqlite3
from pathlib import Path

import pytest

from dealer_service.app import CannotStart, Dealer
from dealer_service.commands.failure import Exit
from dealer_service.config import SettingError, Settings
from dealer_service.store.refusal import Reason, StoreError
from tests.support.commands import dealer
from tests.support.service import ORIGIN, Bot, seated, serving, stop, waiting


def keys(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.glob("*.key")}


async def refused(folder: Path, origin: str = ORIGIN) -> StoreError:
    """Start where it must not be possible, and give the error."""
    before = keys(folder)
    with pytest.raises(StoreError) as caught:
        async with serving(folder, origin=origin):
            pass
    assert keys(folder) == before
    return caught.value


async def test_a_directory_in_which_another_dealer_runs(tmp_path: Path) -> None:
    """Whatever the store is: what stands in the directory is one dealer's."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        error = await refused(tmp_path)
        assert error.reason is Reason.DIRECTORY_IN_USE
        assert str(tmp_path) in str(error)
        # The first one goes on as if nothing had happened.
        await service.pause(game)
    async with serving(tmp_path) as service:
        assert (await service.summary(game)).state == "paused"


async def test_a_store_of_another_version(tmp_path: Path) -> None:
    async with serving(tmp_path):
        pass
    connection = sqlite3.connect(tmp_path / "store.sqlite")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    error = await refused(tmp_path)
    assert error.reason is Reason.STORE_OTHER_VERSION
    assert "999" in str(error)


async def test_a_damaged_store(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        for _ in range(20):
            await service.open_game()
    path = tmp_path / "store.sqlite"
    content = bytearray(path.read_bytes())
    content[5000:9000] = bytes(4000)
    path.write_bytes(content)
    error = await refused(tmp_path)
    assert error.reason is Reason.STORE_DAMAGED
    assert path.read_bytes() == content


async def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"these are my holiday photographs " * 100)
    with pytest.raises(StoreError) as caught:
        async with serving(tmp_path):
            pass
    assert caught.value.reason in {Reason.STORE_NOT_OURS, Reason.KEY_FILE_MISSING}


async def test_another_origin(tmp_path: Path) -> None:
    async with serving(tmp_path):
        pass
    error = await refused(tmp_path, "dealer.example.net")
    assert error.reason is Reason.KEY_OF_ANOTHER_ORIGIN


@pytest.mark.parametrize("name", ["log.key", "sealing.key"])
async def test_a_key_that_is_gone(tmp_path: Path, name: str) -> None:
    async with serving(tmp_path):
        pass
    (tmp_path / name).unlink()
    with pytest.raises(StoreError) as caught:
        async with serving(tmp_path):
            pass
    assert caught.value.reason is Reason.KEY_FILE_MISSING
    assert not (tmp_path / name).exists()


async def test_a_damaged_journal(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        await service.open_game()
    journal = tmp_path / "signed.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + b"00000000 1:" + b"0" * 64 + b":x\n" + b"".join(lines[1:]))
    assert (await refused(tmp_path)).reason is Reason.JOURNAL_DAMAGED


async def test_a_sealed_secret_that_is_another_hands(tmp_path: Path) -> None:
    """An open hand goes on under its own secret or not at all."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        bots = await seated(service, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        await stop(bots)
    connection = sqlite3.connect(tmp_path / "store.sqlite")
    (sealed,) = connection.execute("SELECT sealed FROM secrets").fetchone()
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    connection.execute("UPDATE secrets SET sealed = ?", (changed,))
    connection.commit()
    connection.close()
    error = await refused(tmp_path)
    assert error.reason is Reason.SEAL_BROKEN
    assert "hand 1" in str(error)


async def test_an_open_hand_without_its_secret(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game()
        bots = await seated(service, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        await stop(bots)
    connection = sqlite3.connect(tmp_path / "store.sqlite")
    connection.execute("DELETE FROM secrets")
    connection.commit()
    connection.close()
    with pytest.raises(CannotStart, match=rf"{game}.*hand 1 is not in the store.*backup"):
        async with serving(tmp_path):
            pass


@pytest.mark.parametrize(
    "line",
    [
        b"no line",
        b'{"at":5,"i":1,"hand_ended":{"hand":1}}',
        b'{"at":5,"i":1,"paused":{"by":"operator","why":""}}',
    ],
)
async def test_a_log_that_does_not_fit_together(tmp_path: Path, line: bytes) -> None:
    """The command says which game it is and what to do, and changes nothing."""
    async with serving(tmp_path) as service:
        broken = await service.open_game()
        await service.pause(broken)
    connection = sqlite3.connect(tmp_path / "store.sqlite")
    connection.execute("UPDATE lines SET line = ? WHERE idx = 1", (line,))
    connection.commit()
    before = connection.execute("SELECT * FROM lines").fetchall()
    connection.close()
    with pytest.raises(CannotStart, match=f"the log of game {broken} does not fit together"):
        async with serving(tmp_path):
            pass
    connection = sqlite3.connect(tmp_path / "store.sqlite")
    assert connection.execute("SELECT * FROM lines").fetchall() == before
    connection.close()
    said = dealer("serve", "--directory", tmp_path, "--listen", "127.0.0.1:0", folder=tmp_path)
    assert said.returncode == Exit.CANNOT_START
    assert broken in said.stderr
    assert "bring back its newest backup" in said.stderr
    assert "Traceback" not in said.stderr


async def test_an_address_that_the_world_could_listen_in_on(tmp_path: Path) -> None:
    dealer = Dealer(Settings(tmp_path, ORIGIN, "0.0.0.0:0"))
    with pytest.raises(SettingError, match="allow-plaintext"):
        await dealer.start()


async def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """What was opened is let go of again: the next start finds everything free."""
    async with serving(tmp_path / "one") as service:
        settings = Settings(tmp_path / "two", ORIGIN, f"127.0.0.1:{service.dealer.port}")
        dealer = Dealer(settings)
        with pytest.raises(OSError, match=r"."):
            await dealer.start()
        async with serving(tmp_path / "two") as other:
            assert await other.open_game()


async def test_a_dealer_stops_and_starts_without_losing_anything(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game()
        await service.pause(game)
        ann = await Bot(service, "ann").sit(game)
        lines = await service.lines(game)
        await ann.stop()
    for _ in range(3):
        async with serving(tmp_path) as service:
            assert await service.lines(game) == lines
            assert (await service.summary(game)).players == 1
