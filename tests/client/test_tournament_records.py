"""A player's records of all its tables, beside the event's files: its links are in every deck.

What a tournament does at a table, seats, leaving and chips, is no act that the player did not send
(PROTOCOL.md, NOT_MINE); what it does not do there is.
"""

from pathlib import Path

from audit_cli.report.finding import ExitStatus, Promise
from dealer_service.access.roles import Role
from dealer_service.client import SeatGiven, WasPlaced
from dealer_service.tables.clock import SystemClock
from tests.support.audits import judge, tell
from tests.support.service import serving
from tests.support.tournament_players import dealer, play_all, structure


async def test_a_player_audits_the_event_with_its_records_of_several_tables(tmp_path: Path) -> None:
    async with serving(tmp_path / "dealer", clock=SystemClock()) as service:
        async with dealer(service, "operator", Role.OPERATOR) as operator:
            tournament = (await operator.tournaments.open(structure(5))).tournament
            names = [f"p{number}" for number in range(5)]
            players = await play_all(service, tournament, tmp_path, *names)
            (winner,) = [one for one in players if one.of(WasPlaced)[0].place == 1]
            view = winner.contest.view
            games = [table.game for _, table in sorted(view.tables.items())]
            files = []
            for log in (tournament, *games):
                name = tmp_path / f"{log}.jsonl"
                await operator.download(log, name)
                files.append(name.read_bytes())
        seats = {one.game for one in winner.of(SeatGiven)}
        folder = tmp_path / winner.contest.player
        records = [(folder / f"{game}.{folder.name}.record").read_bytes() for game in seats]
        report = judge(
            b"".join(files),
            key=service.key,
            mine=tuple(records),
            require=(Promise.PLACED, Promise.LINKED),
        )
        assert report.exit_status() is ExitStatus.HOLDS, tell(report)
        assert Promise.PLAYER_MIXED in report.asked
