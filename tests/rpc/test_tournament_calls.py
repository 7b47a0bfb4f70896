"""TournamentService: what players, operators and whoever looks on may call, over the wire."""

import asyncio
import re
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import fairness_pb2, operate_pb2, play_pb2, tournament_pb2
from dealer_service.access.roles import Caller, Role
from dealer_service.rpc.watch_tournament import WatchTournament
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.tables import watchers
from dealer_service.tables.refused import Refused
from dealer_service.transcript.checkpoint import log_origin, open_checkpoint
from tests.support.scraping import LOOPBACK, scrape
from tests.support.service import Bot, Service, fresh_id, refusal, serving, waiting, watching
from tests.support.service import read as read_line
from tests.support.tournament_calls import Event, structure


def test_the_contract_tells_of_every_reason_of_a_tournament() -> None:
    proto = Path(__file__).parents[2] / "proto" / "cutcard" / "v1" / "tournament.proto"
    words = set(re.findall(r"[A-Z_]+", proto.read_text(encoding="utf-8")))
    assert set(TournamentReason) <= words


def kinds(told: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [kind for kind, _ in told]


class TestOpenTournament:
    async def test_fills_what_is_left_out_with_the_dealers_defaults(self, service: Service) -> None:
        request = tournament_pb2.OpenTournamentRequest(request_id=fresh_id())
        answer = await service.tournaments.OpenTournament(request, metadata=service.operator)
        whole = answer.structure
        assert (whole.players_max, whole.rules.seats, whole.stack) == (9, 9, 10_000)
        assert (whole.rules.absent, whole.rules.newcomers, whole.rules.button) == (
            "dealt_in",
            "by_position",
            "dead",
        )
        assert whole.rules.big_blind == whole.levels[0].big_blind == 100
        assert answer.size == 1
        opened, body = (await service.entries(answer.tournament))[0]
        assert opened == "tournament_opened"
        assert body["structure"]["levels"][0]["big_blind"] == 100

    async def test_opens_one_for_one_request_id(self, service: Service) -> None:
        request = tournament_pb2.OpenTournamentRequest(
            request_id="open-it-once", structure=structure()
        )
        answers = [
            await service.tournaments.OpenTournament(request, metadata=service.operator)
            for _ in range(2)
        ]
        assert answers[0] == answers[1]
        request.structure.stack = 400
        told = await refusal(service.tournaments.OpenTournament(request, metadata=service.operator))
        assert told.reason == "REQUEST_ID_REUSED"

    async def test_names_every_fault_of_a_structure_at_once(self, service: Service) -> None:
        made = structure(name="\n", ties="none", players_min=5)
        made.start.kind = "soon"
        made.rules.tournament.table = 1
        made.rules.log_proof = "follow"
        request = tournament_pb2.OpenTournamentRequest(request_id=fresh_id(), structure=made)
        told = await refusal(service.tournaments.OpenTournament(request, metadata=service.operator))
        assert told.code is grpc.StatusCode.INVALID_ARGUMENT
        assert {field for field, _ in told.violations} >= {
            "structure.name",
            "structure.ties",
            "structure.start.kind",
            "structure.players_min",
            "structure.rules.tournament",
        }

    async def test_promises_no_rule_that_this_dealer_does_not_keep(self, service: Service) -> None:
        made = structure()
        made.rules.log_proof = "follow"
        request = tournament_pb2.OpenTournamentRequest(request_id=fresh_id(), structure=made)
        told = await refusal(service.tournaments.OpenTournament(request, metadata=service.operator))
        assert [field for field, _ in told.violations] == ["structure.rules.log_proof"]


class TestListTournaments:
    async def test_lists_page_by_page_apart_from_games_and_by_state(self, service: Service) -> None:
        game = await service.open_game()
        events = [await Event.open(service, structure(), f"ref {n}") for n in range(3)]
        await events[1].call("CancelTournament")
        listed, token = [], ""
        while True:
            request = tournament_pb2.ListTournamentsRequest(page_size=2, page_token=token)
            answer = await service.tournaments.ListTournaments(request, metadata=service.operator)
            listed += list(answer.tournaments)
            token = answer.next_page_token
            if not token:
                break
        assert [one.tournament for one in listed] == [one.id for one in events]
        assert [one.reference for one in listed] == ["ref 0", "ref 1", "ref 2"]
        assert [one.state for one in listed] == ["registering", "closed", "registering"]
        request = tournament_pb2.ListTournamentsRequest(state="closed")
        answer = await service.tournaments.ListTournaments(request, metadata=service.operator)
        assert [one.tournament for one in answer.tournaments] == [events[1].id]
        games = await service.operate.ListGames(
            operate_pb2.ListGamesRequest(), metadata=service.operator
        )
        assert [one.game for one in games.games] == [game]

    async def test_a_page_of_one_state_is_full_whatever_lies_between(
        self, service: Service
    ) -> None:
        events = [await Event.open(service, structure()) for _ in range(5)]
        for one in events[1:3]:
            await one.register("ann")
            await one.register("bob", "cat")
        request = tournament_pb2.ListTournamentsRequest(state="registering", page_size=2)
        answer = await service.tournaments.ListTournaments(request, metadata=service.operator)
        assert [one.tournament for one in answer.tournaments] == [events[0].id, events[3].id]
        request.page_token = answer.next_page_token
        answer = await service.tournaments.ListTournaments(request, metadata=service.operator)
        assert [one.tournament for one in answer.tournaments] == [events[4].id]
        assert not answer.next_page_token

    async def test_the_operators_reference_is_nobody_elses(self, service: Service) -> None:
        event = await Event.open(service, structure(), "ours")
        header = service.header("ann")
        answer = await service.tournaments.ListTournaments(
            tournament_pb2.ListTournamentsRequest(), metadata=header
        )
        assert answer.tournaments[0].reference == ""
        assert (await event.lobby("ann")).summary.reference == ""
        assert (await event.lobby()).summary.reference == "ours"


class TestEntering:
    async def test_a_player_registers_withdraws_and_keeps_its_number(
        self, service: Service
    ) -> None:
        event = await Event.open(service, structure())
        await event.register("ann", reference="wallet-7")
        await event.register("bob", anchors=True)
        assert (await refusal(event.call(
            "Register", "ann", accepts_reveal="all_cards"
        ))).reason == "REGISTERED_ALREADY"  # fmt: skip
        await event.call("Withdraw", "ann", reference="back")
        again = await event.call("Register", "ann", accepts_reveal="all_cards")
        assert again.entrant == 1
        told = await event.watch(until="withdrawn")
        assert [body for kind, body in told if kind == "registered"][:2] == [
            {"anchors": False, "entrant": 1, "player": "ann"},
            {"anchors": True, "entrant": 2, "player": "bob"},
        ]
        moved = [(one.game, one.what, one.amount, one.reference) for one in await service.chips()]
        assert moved == [
            (event.id, "buy_in", 11, "wallet-7"),
            (event.id, "buy_in", 11, ""),
            (event.id, "refund", 11, "back"),
            (event.id, "buy_in", 11, ""),
        ]

    async def test_the_reveal_is_accepted_by_name(self, service: Service) -> None:
        event = await Event.open(service, structure())
        told = await refusal(event.call("Register", "ann"))
        assert told.reason == "REVEAL_NOT_ACCEPTED"

    async def test_a_player_of_the_house_is_marked_and_makes_way_for_a_person(
        self, service: Service
    ) -> None:
        event = await Event.open(service, structure(take_over=True))
        await event.register("bot-1", "bot-2", role=Role.HOUSE)
        await event.register("ann")
        await event.sit(waiting)
        entering = asyncio.create_task(event.register("bob", reference="bob-1"))
        for bot in event.bots:
            bot.policy = lambda _bot, decision: (
                (play_pb2.ACT_CHECK, 0) if decision.may_check else (play_pb2.ACT_FOLD, 0)
            )
            if bot.decision is not None and bot.decision.seat == bot.seat:
                bot._decide(bot.decision)
        await asyncio.wait_for(entering, 30)
        players = await event.players()
        assert {name: one.house for name, one in players.items()} == {
            "bot-1": True,
            "bot-2": True,
            "ann": False,
            "bob": False,
        }
        assert players["bob"].state == "playing"
        (gone,) = [name for name, one in players.items() if one.state == "out"]
        assert gone.startswith("bot-")
        told = await event.watch(until="taken_over")
        assert kinds(told)[kinds(told).index("taken_over") - 1] == "registered"
        chips = [(one.what, one.player, one.reference) for one in await service.chips()]
        assert chips[-2:] == [("buy_in", "bob", "bob-1"), ("refund", gone, "")]
        await event.stop()


class TestPlaying:
    async def test_a_tournament_is_played_to_its_end_and_told_to_it(self, service: Service) -> None:
        event = await Event.open(service, structure())
        await event.register("ann", "bob", "cat")
        lobby = await event.lobby()
        assert lobby.summary.state == "running"
        assert (lobby.summary.players, lobby.summary.players_in, lobby.summary.tables) == (3, 3, 1)
        assert (lobby.pool, sum(lobby.prizes), lobby.registration_open) == (30, 30, False)
        assert {one.state for one in lobby.players} == {"playing"}
        assert lobby.level_ends_at == service.clock.now() + 600_000
        await event.sit()
        told = await event.watch()
        assert kinds(told)[0] == "tournament_opened"
        assert kinds(told)[-1] == "tournament_closed"
        players = await event.players()
        assert sum(one.prize for one in players.values()) == 30
        assert {one.state for one in players.values()} == {"out"}
        assert (await event.lobby()).summary.state == "closed"
        assert [one.what for one in await service.chips()][-1] == "tournament_closed"
        assert (await refusal(event.register("fay"))).reason == "GAME_OVER"
        # Who comes when all is over is told the same.
        assert await event.watch(3) == told[3:]
        await event.stop()

    async def test_its_tables_take_no_seats_chips_nor_orders(self, service: Service) -> None:
        event = await Event.open(service, structure())
        await event.register("ann", "bob", "cat")
        game = (await event.players())["ann"].game
        calls: list[tuple[Any, Any, str]] = [
            (service.play.TakeSeat, play_pb2.TakeSeatRequest(
                game=game, stack=200, accepts_reveal="all_cards"), "eve"),
            (service.play.LeaveSeat, play_pb2.LeaveSeatRequest(game=game), "ann"),
            (service.play.AddChips, play_pb2.AddChipsRequest(game=game, amount=1), "ann"),
            (service.operate.PauseGame, operate_pb2.PauseGameRequest(game=game), ""),
            (service.operate.ResumeGame, operate_pb2.ResumeGameRequest(game=game), ""),
            (service.operate.CloseGame, operate_pb2.CloseGameRequest(game=game), ""),
            (service.operate.VoidHand, operate_pb2.VoidHandRequest(game=game, hand=1), ""),
            (service.operate.RemovePlayer, operate_pb2.RemovePlayerRequest(
                game=game, player="ann"), ""),
        ]  # fmt: skip
        for call, request, who in calls:
            request.request_id = fresh_id()
            header = service.header(who) if who else service.operator
            told = await refusal(call(request, metadata=header))
            assert (type(request).__name__, told.reason) == (
                type(request).__name__,
                "TOURNAMENT_TABLE",
            )

    async def test_hands_wait_while_it_is_stopped_and_it_may_be_cancelled_then(
        self, service: Service
    ) -> None:
        event = await Event.open(service, structure())
        assert (await refusal(event.call("StopTournament"))).reason == "NOT_STARTED"
        await event.register("ann", "bob", "cat")
        await event.call("StopTournament")
        assert (await event.lobby()).summary.state == "stopped"
        assert (await refusal(event.call("StopTournament"))).reason == "STOPPED_ALREADY"
        assert (await refusal(event.call("CancelTournament"))).reason == "HAND_OPEN"
        await event.sit()
        await event.watch(until="hand_finished")
        if (await event.lobby()).summary.state == "stopped":
            await event.call("CancelTournament")
            assert (await event.lobby()).summary.state in {"ending", "closed"}
        told = await event.watch()
        assert told[-1][1]["reason"] in {"cancelled", "finished"}
        # Lists tell of it as the lobby does, so that an export finds it.
        request = tournament_pb2.ListTournamentsRequest(state="closed")
        listed = await service.tournaments.ListTournaments(request, metadata=service.operator)
        assert [one.tournament for one in listed.tournaments] == [event.id]
        await event.stop()

    async def test_a_player_is_disqualified_when_its_hand_has_ended(self, service: Service) -> None:
        event = await Event.open(service, structure(stack=100_000))
        await event.register("ann", "bob", "cat")
        out = asyncio.create_task(event.call("Disqualify", player="ann"))
        folding: Any = lambda _bot, decision: (  # noqa: E731
            (play_pb2.ACT_CHECK, 0) if decision.may_check else (play_pb2.ACT_FOLD, 0)
        )
        await event.sit(folding)
        await asyncio.wait_for(out, 30)
        told = await event.watch(until="disqualified")
        assert kinds(told)[kinds(told).index("disqualified") - 1] == "hand_finished"
        assert (await event.players())["ann"].state == "out"
        await event.stop()


class TestDeals:
    async def test_the_last_players_agree_on_one(self, service: Service) -> None:
        event = await Event.open(service, structure(deals=True))
        await event.register("ann", "bob", "cat")
        await event.call("StopTournament")
        shares = [{"player": name, "amount": 10} for name in ("ann", "bob", "cat")]
        wrong = [{"player": "ann", "amount": 40}, {"player": "bob", "amount": 1}]
        refused = await refusal(event.call("ProposeDeal", "ann", shares=wrong))
        assert refused.reason == "DEAL_DOES_NOT_ADD_UP"
        proposed = await event.call("ProposeDeal", shares=shares)
        assert list(proposed.deal.agreed) == []
        proposed = await event.call("ProposeDeal", "ann", shares=shares)
        assert list(proposed.deal.agreed) == ["ann"]
        agreed = await event.call("AgreeToDeal", "bob", shares=shares)
        assert (agreed.made, list(agreed.deal.agreed)) == (False, ["ann", "bob"])
        assert list((await event.lobby()).deal.agreed) == ["ann", "bob"]
        refused = await refusal(event.call("AgreeToDeal", "cat", shares=shares[:2]))
        assert refused.reason == "NO_DEAL_NOW"
        last = asyncio.create_task(event.call("AgreeToDeal", "cat", shares=shares))
        await event.sit(lambda _bot, decision: (
            (play_pb2.ACT_CHECK, 0) if decision.may_check else (play_pb2.ACT_FOLD, 0)
        ))  # fmt: skip
        made = await asyncio.wait_for(last, 30)
        assert (made.made, list(made.deal.agreed)) == (True, ["ann", "bob", "cat"])
        told = await event.watch()
        assert "deal_agreed" in kinds(told)
        players = await event.players()
        assert {one.prize for one in players.values()} == {10}
        await event.stop()


class TestWatching:
    async def test_a_stream_goes_on_from_any_line_and_no_further(self, service: Service) -> None:
        event = await Event.open(service, structure())
        await event.register("ann")
        assert kinds(await event.watch(1, until="registered")) == ["registered"]
        told = await refusal(event.watch(9))
        assert (told.reason, told.metadata["size"]) == ("NO_SUCH_LINE", "2")

    async def test_a_slow_watcher_is_ended_with_the_index_to_go_on_from(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watchers, "MAX_BACKLOG", 2)
        event = await Event.open(service, structure(9, seats=9))
        watch = WatchTournament(service.dealer.floor)
        asked = tournament_pb2.WatchTournamentRequest(tournament=event.id)
        lines: list[bytes] = []
        async with aclosing(watch.watch(Caller("eve", Role.PLAYER), asked)) as stream:
            read = tournament_pb2.WatchTournamentResponse.FromString
            lines += read(await anext(stream)).lines
            for number in range(5):
                await event.register(f"player-{number}")

            async def read_on() -> None:
                async for message in stream:
                    lines.extend(read(message).lines)

            with pytest.raises(Refused) as caught:
                await read_on()
        assert caught.value.refusal.reason == "WATCHED_TOO_SLOWLY"
        resume = caught.value.refusal.numbers["resume"]
        assert len(lines) == resume
        monkeypatch.undo()
        rest = await event.watch(resume, until="registered")
        told = [read_line(line) for line in lines] + rest
        assert told == (await service.entries(event.id))[: len(told)]
        running = service.dealer.floor.running_tournament(event.id)
        assert running is not None
        assert len(running.audience) <= 1

    async def test_a_game_is_no_tournament_and_a_tournament_no_game(self, service: Service) -> None:
        event = await Event.open(service, structure())
        game = await service.open_game()
        none = Event(service, game)
        of_none: list[Any] = [
            none.lobby(),
            none.watch(),
            none.register("ann"),
            none.call("StopTournament"),
        ]
        for call in of_none:
            assert (await refusal(call)).reason == "NO_SUCH_TOURNAMENT"
        header = service.header("ann")
        bot = Bot(service, "ann")
        bot.game = event.id
        calls: list[Any] = [
            bot.table(),
            service.play.GetStatistics(
                play_pb2.GetStatisticsRequest(game=event.id), metadata=header
            ),
            service.play.Watch(watching(event.id), metadata=header).read(),
            bot.sit(event.id, watch=False),
            service.pause(event.id),
            service.summary(event.id),
        ]
        for number, call in enumerate(calls):
            assert (number, (await refusal(call)).reason) == (number, "NO_SUCH_GAME")

    async def test_a_tournament_that_is_over_is_no_game_either(self, service: Service) -> None:
        event = await Event.open(service, structure())
        await event.call("CancelTournament")
        call = service.play.Watch(watching(event.id), metadata=service.header("ann")).read()
        assert (await refusal(call)).reason == "NO_SUCH_GAME"

    async def test_what_proves_a_game_proves_a_tournament(self, service: Service) -> None:
        event = await Event.open(service, structure())
        await event.register("ann", "bob", "cat")
        await event.sit()
        told = await event.watch()
        header = service.header("eve", Role.WATCHER)
        lines = await service.lines(event.id)
        assert len(lines) == len(told)
        request = fairness_pb2.GetCheckpointRequest(game=event.id)
        note = (await service.fair.GetCheckpoint(request, metadata=header)).checkpoint
        key = service.dealer.keys.signer.verifier
        origin = log_origin(key.name, bytes.fromhex(event.id))
        assert open_checkpoint(note.encode(), key, origin).size == len(lines)
        asked = fairness_pb2.GetInclusionProofRequest(game=event.id, index=2)
        assert (await service.fair.GetInclusionProof(asked, metadata=header)).size == len(lines)
        between = fairness_pb2.GetConsistencyProofRequest(game=event.id, from_size=2)
        assert (await service.fair.GetConsistencyProof(between, metadata=header)).proof
        file = await service.file(event.id)
        assert file.startswith(b'{"format":"cutcard-tournament/1",')
        for line in lines:
            assert line in file
        await event.stop()

    async def test_a_token_for_a_tournament_is_one_for_its_tables(self, service: Service) -> None:
        event = await Event.open(service, structure())
        await event.register("ann", "bob", "cat")
        game = (await event.players())["ann"].game
        header = service.header("eve", None, tables={event.id: Role.WATCHER})
        asked = play_pb2.GetTableRequest(game=game)
        assert (await service.play.GetTable(asked, metadata=header)).game == game
        lobby = tournament_pb2.GetTournamentRequest(tournament=event.id)
        answer = await service.tournaments.GetTournament(lobby, metadata=header)
        assert answer.summary.tournament == event.id
        other = await service.open_game()
        told = await refusal(
            service.play.GetTable(play_pb2.GetTableRequest(game=other), metadata=header)
        )
        assert told.reason == "TABLE_NOT_ALLOWED"


async def test_tournaments_are_measured(tmp_path: Any) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        one, other = [await Event.open(service, structure()) for _ in range(2)]
        await one.register("ann", "bob", "cat")
        await other.register("ann")
        seen = await scrape(service)
        assert seen.get("cutcard_tournaments", state="running") == 1
        assert seen.get("cutcard_tournaments", state="registering") == 1
        assert seen.get("cutcard_tournament_players") == 4


@pytest.mark.parametrize("method", ["Rebuy", "DeclineRebuy", "AddOn"])
async def test_what_the_structure_does_not_sell_is_not_bought(
    service: Service, method: str
) -> None:
    event = await Event.open(service, structure())
    await event.register("ann", "bob", "cat")
    told = await refusal(event.call(method, "ann"))
    assert told.reason in {"NO_REBUY", "NO_ADD_ON", "NOTHING_TO_DECIDE"}
    assert (await refusal(event.call(method, "eve"))).code is grpc.StatusCode.FAILED_PRECONDITION
