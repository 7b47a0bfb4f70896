"""`export`: the files of finished games, from a dealer that serves."""

import asyncio
from pathlib import Path

from audit_cli.report.finding import Promise
from dealer_service.access.roles import Role
from tests.support.absent_event import open_event, play_out, register
from tests.support.audits import judge, tell
from tests.support.commands import dealer
from tests.support.house import House, keeping_house
from tests.support.service import ORIGIN, serving


async def export(house: House, folder: Path, *words: str) -> tuple[int, str, str]:
    """Run the command beside the dealer, by a token of the dealer's own key."""
    command = ("export", folder, "--address", f"127.0.0.1:{house.dealer.port}")
    ran = await asyncio.to_thread(
        dealer,
        *command,
        "--directory",
        house.dealer.settings.directory,
        *words,
        folder=house.folder,
    )
    return ran.returncode, ran.stdout, ran.stderr


async def closed(house: House) -> str:
    """Open a game and close it."""
    operator = await house.connect("operator", Role.OPERATOR)
    game = await house.open_game(operator)
    await operator.operator.close(game)
    return game


async def test_finished_games_are_written_once_and_others_are_not(tmp_path: Path) -> None:
    async with keeping_house(tmp_path) as house:
        house.folder.mkdir()
        operator = await house.connect("operator", Role.OPERATOR)
        games = [await closed(house) for _ in range(2)]
        await house.open_game(operator)
        out = tmp_path / "out"
        status, printed, told = await export(house, out)
        assert (status, told) == (0, "cutcard-dealer: note: 2 files written, 0 were there\n")
        assert printed.splitlines() == [str(out / f"{game}.jsonl") for game in games]
        for game in games:
            await operator.download(game, tmp_path / "fetched")
            assert (out / f"{game}.jsonl").read_bytes() == (tmp_path / "fetched").read_bytes()
        games.append(await closed(house))
        status, printed, told = await export(house, out)
        assert (status, told) == (0, "cutcard-dealer: note: 1 files written, 2 were there\n")
        assert printed.splitlines() == [str(out / f"{games[-1]}.jsonl")]
        assert len(list(out.iterdir())) == 3


async def finished_event(folder: Path) -> str:
    """Let a tournament of two tables be played, by a dealer whose clock is moved by hand."""
    async with serving(folder) as service:
        event = await open_event(service)
        await register(service, event, *"abcd")
        await play_out(service, event)
    return event


async def test_a_tournament_is_one_file_with_its_tables_which_bears_it_out(tmp_path: Path) -> None:
    event = await finished_event(tmp_path / "dealer")
    async with keeping_house(tmp_path, origin=ORIGIN) as house:
        house.folder.mkdir()
        game = await closed(house)
        out = tmp_path / "out"
        status, printed, told = await export(house, out)
        assert (status, told) == (0, "cutcard-dealer: note: 2 files written, 0 were there\n")
        assert printed.splitlines() == [str(out / f"{name}.jsonl") for name in (game, event)]
        assert sorted(path.stem for path in out.iterdir()) == sorted([game, event])
        content = (out / f"{event}.jsonl").read_bytes()
        assert content.count(b'"format":"cutcard-game/1"') == 2
        report = judge(content, key=house.key, require=(Promise.LINKED, Promise.PLACED))
        assert report.exit_status() == 0, tell(report)


async def test_a_tournament_whose_table_is_not_here_any_more_is_no_half_file(
    tmp_path: Path,
) -> None:
    event = await finished_event(tmp_path / "dealer")
    async with keeping_house(tmp_path, origin=ORIGIN) as house:
        house.folder.mkdir()
        store = house.dealer._store
        assert store is not None
        assert store.archive(event)
        status, printed, told = await export(house, tmp_path / "out")
        assert (status, printed) == (1, "")
        assert "1 games are archived" in told
        assert list((tmp_path / "out").iterdir()) == []


async def test_what_is_archived_elsewhere_is_said_and_is_no_success(tmp_path: Path) -> None:
    async with keeping_house(tmp_path) as house:
        house.folder.mkdir()
        game = await closed(house)
        store = house.dealer._store
        assert store is not None
        assert store.archive(game)
        status, printed, told = await export(house, tmp_path / "out")
        assert (status, printed) == (1, "")
        assert "1 games are archived" in told


async def test_a_player_may_not_have_all(tmp_path: Path) -> None:
    async with keeping_house(tmp_path) as house:
        house.folder.mkdir()
        directory = house.dealer.settings.directory
        issued = await asyncio.to_thread(
            dealer, "token", "ann", "--role", "player", "--directory", directory,
            folder=house.folder,
        )  # fmt: skip
        file = tmp_path / "token"
        file.write_text(issued.stdout)
        status, printed, told = await export(house, tmp_path / "out", "--token-file", str(file))
        assert (status, printed) == (3, "")
        assert "ROLE_NOT_ALLOWED" in told


async def test_a_folder_that_can_not_be_made_is_said(tmp_path: Path) -> None:
    async with keeping_house(tmp_path) as house:
        house.folder.mkdir()
        (tmp_path / "file").write_text("no folder")
        status, _, told = await export(house, tmp_path / "file" / "out")
        assert status == 3
        assert "can not be made" in told
