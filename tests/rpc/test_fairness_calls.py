"""What anybody may check: lines, checkpoints, proofs and the game file, of games open and over."""

import json

import grpc
import pytest

from audit_cli.merkle import leaf_hash, root_of, verify_consistency, verify_inclusion
from cutcard.v1 import fairness_pb2
from dealer_service.access.roles import Role
from tests.support.audits import judge, read_checkpoint, tell, unproved
from tests.support.service import Service, listing, read, refusal, seated, waiting


@pytest.fixture
async def game(service: Service) -> str:
    """Play a game of three hands to its end."""
    opened = await service.open_game(max_hands=3)
    ann, _ = await seated(service, opened, "ann", "bob")
    await ann.until_over()
    return opened


async def newest(service: Service, game: str) -> str:
    request = fairness_pb2.GetCheckpointRequest(game=game)
    return (await service.fair.GetCheckpoint(request, metadata=service.operator)).checkpoint


async def test_the_key_is_the_one_that_signs(service: Service, game: str) -> None:
    request = fairness_pb2.GetKeyRequest()
    answer = await service.fair.GetKey(request, metadata=service.header("ann"))
    assert answer.origin == service.dealer.settings.origin
    checkpoint = read_checkpoint(await newest(service, game), answer.key)
    assert checkpoint.origin == f"{answer.origin}/games/{game}"


async def test_the_newest_checkpoint_is_of_all_lines_of_a_game_that_is_over(
    service: Service, game: str
) -> None:
    lines = await service.lines(game)
    checkpoint = read_checkpoint(await newest(service, game), service.key)
    assert checkpoint.size == len(lines)
    assert checkpoint.root == root_of([leaf_hash(line) for line in lines])


class TestListEntries:
    async def test_gives_lines_from_any_index_on(self, service: Service, game: str) -> None:
        lines = await service.lines(game)
        request = listing(game, 5, 3)
        answer = await service.fair.ListEntries(request, metadata=service.header("ann"))
        assert (answer.first, list(answer.lines), answer.size) == (5, lines[5:8], len(lines))

    async def test_gives_none_at_the_end_and_refuses_beyond(
        self, service: Service, game: str
    ) -> None:
        size = len(await service.lines(game))
        request = listing(game, size)
        answer = await service.fair.ListEntries(request, metadata=service.operator)
        assert not answer.lines
        request = listing(game, size + 1)
        told = await refusal(service.fair.ListEntries(request, metadata=service.operator))
        assert (told.code, told.reason) == (grpc.StatusCode.NOT_FOUND, "NO_SUCH_LINE")
        assert told.metadata == {"size": str(size)}


class TestProofs:
    @pytest.mark.parametrize("size", [1, 2, 7, 20, 0])
    async def test_every_line_is_proved_to_be_in_the_tree(
        self, service: Service, game: str, size: int
    ) -> None:
        lines = await service.lines(game)
        leaves = [leaf_hash(line) for line in lines]
        for index in range(size or len(lines)):
            request = fairness_pb2.GetInclusionProofRequest(game=game, index=index, size=size)
            answer = await service.fair.GetInclusionProof(request, metadata=service.operator)
            assert answer.size == (size or len(lines))
            assert answer.leaf_hash == leaves[index]
            root = root_of(leaves[: answer.size])
            fault = verify_inclusion(index, answer.size, leaves[index], answer.proof, root)
            assert fault is None

    async def test_the_log_is_proved_to_have_only_grown(self, service: Service, game: str) -> None:
        leaves = [leaf_hash(line) for line in await service.lines(game)]
        for old, new in ((1, 2), (3, 7), (8, 20), (1, 0), (len(leaves), 0)):
            request = fairness_pb2.GetConsistencyProofRequest(game=game, from_size=old, to_size=new)
            answer = await service.fair.GetConsistencyProof(request, metadata=service.operator)
            assert answer.to_size == (new or len(leaves))
            roots = root_of(leaves[:old]), root_of(leaves[: answer.to_size])
            assert verify_consistency(old, answer.to_size, *roots, answer.proof) is None

    async def test_a_line_or_a_size_that_is_not_there_is_refused(
        self, service: Service, game: str
    ) -> None:
        size = len(await service.lines(game))
        fair, header = service.fair, service.operator
        inclusion = fairness_pb2.GetInclusionProofRequest
        consistency = fairness_pb2.GetConsistencyProofRequest
        told = await refusal(
            fair.GetInclusionProof(inclusion(game=game, index=5, size=5), metadata=header)
        )
        assert (told.reason, told.metadata["size"]) == ("NO_SUCH_LINE", "5")
        told = await refusal(
            fair.GetInclusionProof(inclusion(game=game, size=size + 1), metadata=header)
        )
        assert (told.code, told.reason) == (grpc.StatusCode.OUT_OF_RANGE, "NO_SUCH_SIZE")
        told = await refusal(
            fair.GetConsistencyProof(
                consistency(game=game, from_size=9, to_size=8), metadata=header
            )
        )
        assert (told.reason, told.metadata) == ("NO_SUCH_SIZE", {"from": "1", "to": "8"})


class TestGameFile:
    async def test_of_a_whole_game_holds_every_promise(self, service: Service, game: str) -> None:
        content = await service.file(game)
        report = judge(content, key=service.key)
        assert report.exit_status() == 0, tell(report)

    async def test_has_every_line_byte_for_byte(self, service: Service, game: str) -> None:
        lines = (await service.file(game)).split(b"\n")
        assert lines[-1] == b""
        header = json.loads(lines[0])
        assert header == {
            "format": "cutcard-game/1",
            "game": game,
            "key": service.key,
            "origin": service.dealer.settings.origin,
        }
        told = [line for line in lines[1:-1] if not line.startswith(b'{"checkpoint"')]
        assert told == await service.lines(game)
        notes = [json.loads(line) for line in lines[1:-1] if line.startswith(b'{"checkpoint"')]
        assert all(read_checkpoint(note["checkpoint"], service.key) for note in notes)

    async def test_of_an_open_game_ends_at_the_last_checkpoint(self, service: Service) -> None:
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, 3)
        size = len(await service.lines(game))
        content = await service.file(game)
        lines = content.splitlines()
        assert lines[-1].startswith(b'{"checkpoint"')
        end = read_checkpoint(json.loads(lines[-1])["checkpoint"], service.key).size
        assert end < size
        assert read(lines[-2]) == (await service.entries(game))[end - 1]
        report = judge(content, key=service.key)
        assert not report.damage
        assert unproved(report) == {"BOUND", "REPLAYED", "COMPLETE"}
        service.advance(200)
        await service.settled(game)
        lines = (await service.file(game)).splitlines()
        assert read_checkpoint(json.loads(lines[-1])["checkpoint"], service.key).size == size

    async def test_of_games_that_go_on_from_one_another_holds_as_a_chain(
        self, service: Service, game: str
    ) -> None:
        after = (await service.summary(game)).next
        await service.settled(after)
        await service.close_game(after)
        content = await service.file(game) + await service.file(after)
        report = judge(content, key=service.key)
        assert report.exit_status() == 0, tell(report)

    async def test_is_for_players_too(self, service: Service, game: str) -> None:
        request = fairness_pb2.GetGameFileRequest(game=game)
        header = service.header("eve", Role.PLAYER)
        content = b"".join(
            [one.chunk async for one in service.fair.GetGameFile(request, metadata=header)]
        )
        assert content == await service.file(game)
