"""What the dealer's log is told of a game, and the proofs of its lines that callers get."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from audit_cli.merkle import leaf_hash, root_of
from cutcard.v1 import entry_pb2, fairness_pb2, operate_pb2
from dealer_service.access.roles import Role
from dealer_service.client.stages import stages_of
from dealer_service.store.api import Notice
from dealer_service.transcript.logproof import open_log_proof, parse_log_proof
from dealer_service.transcript.note import parse_vkey
from dealer_service.transcript.noted import Stage, read_noted, write_noted
from tests.support.absent_event import open_event, play_out, register
from tests.support.published_by_hand import ByHand, line_of, noticed, publishing
from tests.support.service import (
    Bot,
    Service,
    fresh_id,
    read,
    refusal,
    seated,
    serving,
    time_of,
    waiting,
)


@pytest.fixture
def board() -> ByHand:
    return ByHand()


@pytest.fixture
async def publisher(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Service]:
    async with publishing(tmp_path / "publisher", monkeypatch, board) as running:
        yield running


async def notices(service: Service, game: str) -> list[Notice]:
    stored = await service.dealer.floor.house.read(noticed)
    return [one.notice for one in stored if one.log == game]


async def ask(
    service: Service, game: str, hand: int, stage: str, role: Role = Role.PLAYER
) -> fairness_pb2.GetLogProofResponse:
    request = fairness_pb2.GetLogProofRequest(game=game, hand=hand, stage=stage)
    return await service.fair.GetLogProof(request, metadata=service.header("ann", role))


async def void(service: Service, game: str, hand: int) -> None:
    request = operate_pb2.VoidHandRequest(request_id=fresh_id(), game=game, hand=hand)
    await service.operate.VoidHand(request, metadata=service.operator)


class TestNotices:
    async def test_tell_each_stage_of_a_game_with_the_log_as_it_was_then(
        self, publisher: Service
    ) -> None:
        game = await publisher.open_game(max_hands=2)
        ann, _ = await seated(publisher, game, "ann", "bob")
        await ann.until_over()
        told = await notices(publisher, game)
        assert [(one.hand, one.stage.value) for one in told] == [
            (0, "game_opened"),
            (1, "hand_opened"),
            (1, "deck_committed"),
            (2, "hand_opened"),
            (2, "deck_committed"),
            (0, "game_closed"),
            (0, "game_revealed"),
        ]
        lines = await publisher.lines(game)
        leaves = [leaf_hash(line) for line in lines]
        for one in told:
            last = lines[one.size - 1]
            assert one.root == root_of(leaves[: one.size])
            assert one.at == time_of(last)
            expected = "secret_revealed" if one.stage is Stage.GAME_REVEALED else one.stage.value
            assert read(last)[0] == expected
        assert told[-1].size == len(lines)

    async def test_tell_a_void_hand(self, publisher: Service) -> None:
        game = await publisher.open_game()
        bob = Bot(publisher, "bob")
        bob.gives_links = False
        await bob.sit(game)
        await seated(publisher, game, "ann")
        await bob.until_line("hand_opened", hand=1)
        await void(publisher, game, 1)
        told = await notices(publisher, game)
        assert [(one.hand, one.stage.value) for one in told][:3] == [
            (0, "game_opened"),
            (1, "hand_opened"),
            (1, "hand_void"),
        ]

    async def test_are_what_a_client_works_out_from_the_lines(self, publisher: Service) -> None:
        game = await publisher.open_game(max_hands=3)
        bob = Bot(publisher, "bob")
        bob.gives_links = False
        await bob.sit(game)
        (ann,) = await seated(publisher, game, "ann")
        await bob.until_line("hand_opened", hand=1)
        bob.gives_links = True
        await void(publisher, game, 1)
        await ann.until_over()
        stored = await publisher.dealer.floor.house.read(noticed)
        expected = [line_of(one.log, one.notice) for one in stored if one.log == game]
        worked_out = stages_of(game, await publisher.lines(game))
        assert [write_noted(one) for one in worked_out] == expected
        assert len(expected) == 9

    async def test_tell_a_game_without_hands_as_revealed_when_it_closes(
        self, publisher: Service
    ) -> None:
        game = await publisher.open_game()
        size = await publisher.close_game(game)
        told = await notices(publisher, game)
        assert [one.stage for one in told] == [
            Stage.GAME_OPENED,
            Stage.GAME_CLOSED,
            Stage.GAME_REVEALED,
        ]
        assert [one.size for one in told] == [1, size, size]
        assert told[1].root == told[2].root

    async def test_tell_the_game_that_goes_on_from_another(self, publisher: Service) -> None:
        game = await publisher.open_game(max_hands=1)
        ann, _ = await seated(publisher, game, "ann", "bob")
        await ann.until_over()
        after = (await publisher.summary(game)).next
        (first, *_) = await notices(publisher, after)
        assert (first.hand, first.stage, first.size) == (0, Stage.GAME_OPENED, 1)

    async def test_are_none_of_a_dealer_that_publishes_no_log(self, service: Service) -> None:
        game = await service.open_game(max_hands=1)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        assert await service.dealer.floor.house.read(noticed) == ()

    async def test_begin_in_the_middle_of_a_game_where_publishing_does(
        self, tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "dealer"
        async with serving(folder) as service:
            game = await service.open_game(max_hands=1)
        async with publishing(folder, monkeypatch, board) as service:
            ann, _ = await seated(service, game, "ann", "bob")
            await ann.until_over()
            told = await notices(service, game)
        assert [one.stage for one in told] == [
            Stage.HAND_OPENED,
            Stage.DECK_COMMITTED,
            Stage.GAME_CLOSED,
            Stage.GAME_REVEALED,
        ]

    async def test_tell_of_a_tournament_its_beginning_and_its_end_at_one_size(
        self, publisher: Service
    ) -> None:
        event = await open_event(publisher)
        await register(publisher, event, *"abcd")
        await play_out(publisher, event)
        lines = await publisher.lines(event)
        leaves = [leaf_hash(line) for line in lines]
        told = await notices(publisher, event)
        assert [(one.hand, one.stage.value, one.size) for one in told] == [
            (0, "game_opened", 1),
            (0, "game_closed", len(lines)),
            (0, "game_revealed", len(lines)),
        ]
        for one in told:
            assert one.root == root_of(leaves[: one.size])
            assert one.at == time_of(lines[one.size - 1])
        games = [body["game"] for kind, body in map(read, lines) if kind == "table_opened"]
        for game in games:
            stages = [one.stage.value for one in await notices(publisher, game)]
            assert (stages[0], *stages[-2:]) == ("game_opened", "game_closed", "game_revealed")


class TestRules:
    @pytest.mark.parametrize("rule", ["follow", "before_cards"])
    async def test_that_promise_a_log_are_refused_where_none_is_published(
        self, service: Service, rule: str
    ) -> None:
        told = await refusal(service.open_game(log_proof=rule))
        assert told.code is grpc.StatusCode.INVALID_ARGUMENT
        assert told.violations == [
            ("rules.log_proof", "must be none: this dealer publishes no log of its own")
        ]

    @pytest.mark.parametrize("rule", ["none", "follow", "before_cards"])
    async def test_are_all_taken_where_one_is(self, publisher: Service, rule: str) -> None:
        game = await publisher.open_game(log_proof=rule)
        _, opened = (await publisher.entries(game))[0]
        assert opened["rules"]["log_proof"] == rule

    async def test_go_over_to_the_game_that_goes_on(self, publisher: Service) -> None:
        game = await publisher.open_game(max_hands=1, log_proof="before_cards")
        ann, _ = await seated(publisher, game, "ann", "bob")
        await ann.until_over()
        after = (await publisher.summary(game)).next
        _, opened = (await publisher.entries(after))[0]
        assert opened["rules"]["log_proof"] == "before_cards"


class TestGetLogProof:
    async def test_proves_a_line_of_the_game_s_own_log(self, publisher: Service) -> None:
        game = await publisher.open_game(max_hands=1)
        ann, _ = await seated(publisher, game, "ann", "bob")
        await ann.until_over()
        key = parse_vkey(publisher.key)
        leaves = [leaf_hash(line) for line in await publisher.lines(game)]
        for one in await notices(publisher, game):
            answer = await ask(publisher, game, one.hand, one.stage)
            proof = parse_log_proof(answer.proof.encode())
            open_log_proof(proof, answer.line, key, publisher.dealer.settings.origin)
            line = read_noted(answer.line)
            assert (line.game.hex(), line.hand, line.stage) == (game, one.hand, one.stage.value)
            assert line.root == root_of(leaves[: line.size])

    @pytest.mark.parametrize("role", list(Role))
    async def test_is_for_everybody_at_the_table(self, publisher: Service, role: Role) -> None:
        game = await publisher.open_game()
        assert (await ask(publisher, game, 0, "game_opened", role)).line

    async def test_has_nothing_before_the_line_is_published(
        self, publisher: Service, board: ByHand
    ) -> None:
        board.holds = True
        game = await publisher.open_game()
        told = await refusal(ask(publisher, game, 0, "game_opened"))
        assert (told.code, told.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_PUBLISHED")
        await board.let_out(game, 0, Stage.GAME_OPENED)
        assert (await ask(publisher, game, 0, "game_opened")).proof

    async def test_has_nothing_of_a_stage_that_never_came(self, publisher: Service) -> None:
        game = await publisher.open_game()
        told = await refusal(ask(publisher, game, 7, "hand_opened"))
        assert told.reason == "NOT_PUBLISHED"

    async def test_is_refused_by_a_dealer_that_publishes_no_log(self, service: Service) -> None:
        game = await service.open_game()
        told = await refusal(ask(service, game, 0, "game_opened"))
        assert (told.code, told.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION,
            "NO_DEALER_LOG",
        )

    async def test_of_a_game_that_there_is_not_is_refused(self, publisher: Service) -> None:
        told = await refusal(ask(publisher, "0" * 32, 0, "game_opened"))
        assert told.reason == "NO_SUCH_GAME"

    @pytest.mark.parametrize(
        ("hand", "stage", "told"),
        [
            (0, "hand_opened", "must be at least 1 with hand_opened"),
            (0, "hand_void", "must be at least 1 with hand_void"),
            (1, "game_closed", "must be 0 with game_closed, which is of no hand"),
        ],
    )
    async def test_asks_for_a_hand_where_the_stage_has_one(
        self, publisher: Service, hand: int, stage: str, told: str
    ) -> None:
        game = await publisher.open_game()
        refused = await refusal(ask(publisher, game, hand, stage))
        assert refused.violations == [("hand", told)]

    async def test_tells_those_later_whom_the_rules_tell_later(self, publisher: Service) -> None:
        request = operate_pb2.OpenGameRequest(
            request_id=fresh_id(), rules=entry_pb2.RuleSet(watch_delay_ms=60_000)
        )
        opened = await publisher.operate.OpenGame(request, metadata=publisher.operator)
        publisher.advance(61_000)
        await seated(publisher, opened.game, "ann", "bob", policy=waiting)
        assert (await ask(publisher, opened.game, 1, "hand_opened")).line
        told = await refusal(ask(publisher, opened.game, 1, "hand_opened", Role.WATCHER))
        assert told.reason == "NOT_PUBLISHED"
