"""A dealer's witnesses, each a real one over HTTP: quorums, conflicts, deadlines, forks."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from dealer_service.config import SettingError
from dealer_service.publishing.asking import Pace
from dealer_service.publishing.cosigning import Cosigning, SeenLater
from dealer_service.publishing.witnesses import Witnesses, read_policy
from dealer_service.transcript.checkpoint import Checkpoint, open_checkpoint, sign_checkpoint
from dealer_service.transcript.cosignature import cosigned, sign_cosignature
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteSigner, note_signer, parse_note
from dealer_service.transcript.policy import Policy, parse_policy
from tests.support.certificates import Authority
from tests.support.http_witness import HttpWitness, Reply, serving_witness

ORIGIN = "dealer.example.com"
PATIENT = Pace(patience=30.0, linger=30.0, first=0.01, longest=0.02)
"""Nothing here may depend on speed: who is waited for is waited for long."""

CONTENT = Pace(patience=30.0, linger=0.0, first=0.01, longest=0.02)
"""As long for a quorum, and for nobody else."""


class Log:
    """A dealer's log: its key, and the tree over as many lines as are asked for."""

    def __init__(self, seed: int = 7, name: str = "line") -> None:
        self.signer = note_signer(ORIGIN, bytes([seed]) * 32)
        self.tree = Tree(leaf_hash(f"{name} {number}".encode()) for number in range(1000))
        self.proved: list[tuple[int, int]] = []

    def note(self, size: int) -> str:
        return sign_checkpoint(self.checkpoint(size), self.signer)

    def checkpoint(self, size: int) -> Checkpoint:
        return Checkpoint(ORIGIN, size, self.tree.root(size))

    def prove(self, size: int) -> Callable[[int], tuple[bytes, ...]]:
        def prove(old: int) -> tuple[bytes, ...]:
            self.proved.append((old, size))
            return self.tree.consistency(old, size)

        return prove


@dataclass
class Measured:
    """What was measured."""

    outcomes: list[tuple[str, str]] = field(default_factory=list)
    quorums: list[bool] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def witness_asked(self, witness: str, outcome: str, seconds: float) -> None:
        assert seconds >= 0
        self.outcomes.append((witness, str(outcome)))
        self.told.set()

    def quorum_sought(self, seconds: float, *, found: bool) -> None:
        assert seconds >= 0
        self.quorums.append(found)

    async def until(self, *outcome: str) -> None:
        """Wait until a witness was asked with this outcome."""
        while outcome not in self.outcomes:
            self.told.clear()
            await asyncio.wait_for(self.told.wait(), 30)


class Running:
    """Some witnesses w1, w2, … that serve, and a dealer's log that they know."""

    def __init__(self, stack: ExitStack, count: int) -> None:
        self.log = Log()
        self.measured = Measured()
        self.stack = stack
        self.witnesses = [
            stack.enter_context(serving_witness(self.new_witness(number)))
            for number in range(1, count + 1)
        ]

    def new_witness(self, number: int) -> HttpWitness:
        name = f"witness.example/w{number}"
        return HttpWitness(note_signer(name, bytes([number]) * 32), self.log.signer.verifier)

    def policy(self, threshold: str, *more: str) -> Policy:
        names = [f"w{number}" for number, _ in enumerate(self.witnesses, 1)]
        lines = [
            f"witness {name} {witness.vkey} {witness.url}"
            for name, witness in zip(names, self.witnesses, strict=True)
        ]
        group = [f"group g {threshold} {' '.join(names)}", "quorum g"]
        return parse_policy("\n".join([*lines, *more, *group, ""]).encode())

    @asynccontextmanager
    async def asking(
        self, threshold: str = "all", pace: Pace = PATIENT
    ) -> AsyncIterator[Witnesses]:
        asked = Witnesses(self.policy(threshold), self.log.signer, self.measured, pace=pace)
        try:
            yield asked
        finally:
            for witness in self.witnesses:
                witness.release.set()
            await asked.close()

    def signers(self, note: str) -> set[str]:
        """Open a note as anybody does, and name who co-signed it."""
        open_checkpoint(note.encode(), self.log.signer.verifier, ORIGIN)
        policy = self.policy("any")
        names = {witness.key: witness.name for witness in policy.witnesses}
        return {names[key] for key in cosigned(parse_note(note.encode()), names)}


@pytest.fixture
def two() -> Iterator[Running]:
    with ExitStack() as stack:
        yield Running(stack, 2)


@pytest.fixture
def three() -> Iterator[Running]:
    with ExitStack() as stack:
        yield Running(stack, 3)


async def gather(asked: Cosigning, log: Log, size: int) -> str:
    return await asyncio.wait_for(asked.gather(log.note(size), size, log.prove(size)), 60)


class TestGathering:
    async def test_a_checkpoint_comes_back_co_signed_by_all(self, two: Running) -> None:
        async with two.asking() as asked:
            note = await gather(asked, two.log, 5)
            assert note.startswith(two.log.note(5))
            assert two.signers(note) == {"w1", "w2"}
            assert asked.is_satisfied(note)
            assert not asked.is_satisfied(two.log.note(5))
        assert two.measured.quorums == [True]
        assert sorted(two.measured.outcomes) == [("w1", "cosigned"), ("w2", "cosigned")]
        assert [witness.paths for witness in two.witnesses] == [["/witness/add-checkpoint"]] * 2

    async def test_a_later_one_is_proved_from_what_each_signed_last(self, two: Running) -> None:
        async with two.asking() as asked:
            for size in (3, 8, 300, 300, 301):
                note = await gather(asked, two.log, size)
                assert asked.is_satisfied(note)
        bodies = [body.partition(b"\n")[0] for body in two.witnesses[0].asked]
        assert bodies == [b"old 0", b"old 3", b"old 8", b"old 300"]

    async def test_one_connection_is_kept(self, two: Running) -> None:
        async with two.asking() as asked:
            for size in range(1, 9):
                await gather(asked, two.log, size)
        assert [witness.connections for witness in two.witnesses] == [1, 1]

    async def test_a_witness_that_knows_another_size_is_proved_to_from_there(
        self, two: Running
    ) -> None:
        two.witnesses[0].seen = two.log.checkpoint(4)
        async with two.asking() as asked:
            assert asked.is_satisfied(await gather(asked, two.log, 9))
        assert (4, 9) in two.log.proved

    async def test_a_witness_that_lost_its_state_is_begun_with_anew(self, two: Running) -> None:
        async with two.asking() as asked:
            await gather(asked, two.log, 5)
            two.witnesses[0].seen = None
            assert asked.is_satisfied(await gather(asked, two.log, 9))

    async def test_a_witness_that_has_the_very_checkpoint_signs_it_again(
        self, two: Running
    ) -> None:
        two.witnesses[0].seen = two.log.checkpoint(9)
        async with two.asking() as asked:
            assert asked.is_satisfied(await gather(asked, two.log, 9))

    async def test_what_stands_in_the_note_already_is_asked_for_once_more_and_kept(
        self, two: Running
    ) -> None:
        async with two.asking() as asked:
            note = await gather(asked, two.log, 5)
            again = await asyncio.wait_for(asked.gather(note, 5, two.log.prove(5)), 60)
            assert again == note
        assert len(two.witnesses[0].asked) == 1

    async def test_a_co_signature_in_the_note_that_does_not_hold_is_left_out(
        self, two: Running
    ) -> None:
        of_another = sign_cosignature("another text\n", 1, two.witnesses[0].signer).line()
        broken = two.log.note(5) + of_another
        async with two.asking() as asked:
            assert not asked.is_satisfied(broken)
            note = await asyncio.wait_for(asked.gather(broken, 5, two.log.prove(5)), 60)
            assert asked.is_satisfied(note)
            assert of_another not in note

    async def test_lines_of_other_keys_in_an_answer_are_left_out(self, two: Running) -> None:
        first = two.witnesses[0]

        def with_another(body: bytes) -> Reply:
            honest = first.judge(body)
            text = parse_note(body.partition(b"\n\n")[2]).text
            stranger = note_signer("stranger.example", b"\x09" * 32)
            lines = sign_cosignature(text, 1, stranger).line().encode() + honest.content
            return Reply(200, lines)

        first.answer = with_another
        async with two.asking() as asked:
            note = await gather(asked, two.log, 5)
            assert asked.is_satisfied(note)
            assert "stranger" not in note

    async def test_witnesses_are_asked_over_tls(
        self, two: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        authority = Authority()
        (tmp_path / "ca.pem").write_bytes(authority.pem)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        secure = two.new_witness(3)
        two.stack.enter_context(serving_witness(secure, authority.issue(), tmp_path / "tls"))
        two.witnesses.append(secure)
        async with two.asking() as asked:
            assert two.signers(await gather(asked, two.log, 5)) == {"w1", "w2", "w3"}

    async def test_a_certificate_of_nobody_known_is_no_answer(
        self, two: Running, tmp_path: Path
    ) -> None:
        secure = two.new_witness(3)
        issued = Authority().issue()
        two.stack.enter_context(serving_witness(secure, issued, tmp_path / "tls"))
        two.witnesses.append(secure)
        async with two.asking() as asked:
            assert two.signers(await gather(asked, two.log, 5)) == {"w1", "w2"}
        assert secure.asked == []

    async def test_no_proxy_of_the_environment_is_used(
        self, two: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        async with two.asking() as asked:
            assert asked.is_satisfied(await gather(asked, two.log, 5))


class TestQuorums:
    async def test_two_of_three_are_enough_while_one_hangs(self, three: Running) -> None:
        three.witnesses[0].release.clear()
        async with three.asking("2", CONTENT) as asked:
            note = await gather(asked, three.log, 5)
            assert three.signers(note) == {"w2", "w3"}
            assert asked.is_satisfied(note)

    async def test_what_comes_late_is_there_when_it_is_gathered_again(self, three: Running) -> None:
        three.witnesses[0].release.clear()
        async with three.asking("2", CONTENT) as asked:
            note = await gather(asked, three.log, 5)
            three.witnesses[0].release.set()
            await three.measured.until("w1", "cosigned")
            assert three.signers(asked.add_late(note)) == {"w1", "w2", "w3"}
            again = await asyncio.wait_for(asked.gather(note, 5, three.log.prove(5)), 60)
            assert again == asked.add_late(note) == asked.add_late(again)
            other = three.log.note(6)
            assert asked.add_late(other) == other

    async def test_a_witness_that_does_not_answer_is_waited_for_once_alone(
        self, two: Running
    ) -> None:
        two.witnesses[0].release.clear()
        async with two.asking() as asked:
            gathering = asyncio.ensure_future(gather(asked, two.log, 5))
            await two.measured.until("w2", "cosigned")
            asked._pace = Pace(patience=0.0)
            asked._changed.set()
            note = await gathering
            assert not asked.is_satisfied(note)
            assert two.signers(note) == {"w2"}
            # Whoever was waited for from now on would be waited for longer than the test may take.
            asked._pace = Pace(patience=1000.0, linger=1000.0)
            for size in range(6, 10):
                assert two.signers(await gather(asked, two.log, size)) == {"w2"}
        assert two.measured.quorums == [False] * 5

    async def test_one_that_was_away_signs_the_newest_when_it_is_back(self, two: Running) -> None:
        absent = two.new_witness(3)
        with serving_witness(absent):
            two.witnesses.append(absent)
        async with two.asking() as asked:
            assert two.signers(await gather(asked, two.log, 5)) == {"w1", "w2"}
            note = await gather(asked, two.log, 6)
            assert not asked.is_satisfied(note)
            with serving_witness(absent, port=absent.port):
                await two.measured.until("w3", "cosigned")
                assert asked.is_satisfied(await gather(asked, two.log, 6))
                assert asked.is_satisfied(await gather(asked, two.log, 7))
        assert absent.seen == two.log.checkpoint(7)

    async def test_a_connection_that_ended_meanwhile_is_made_anew(self, two: Running) -> None:
        async with two.asking() as asked:
            await gather(asked, two.log, 5)
            for witness in two.witnesses:
                witness.drop_connections()
            assert asked.is_satisfied(await gather(asked, two.log, 6))
        assert [witness.connections for witness in two.witnesses] == [2, 2]

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (Reply(404), "declined"),
            (Reply(403), "declined"),
            (Reply(500), "declined"),
            (Reply(307), "declined"),
            (Reply(409, b"what?\n"), "declined"),
            (Reply(422), "declined"),
            (Reply(200), "invalid"),
            (Reply(200, b"no signature line\n"), "invalid"),
            (Reply(200, b"\xff\n"), "invalid"),
            (Reply(200, "— stranger.example AAAAAAA=\n".encode()), "invalid"),
            (Reply(200, b"x" * 70_000), "unanswered"),
        ],
        ids=lambda one: f"{one.status}-{one.content[:8]!r}" if isinstance(one, Reply) else one,
    )
    async def test_what_is_no_co_signature_counts_for_nothing_and_holds_nobody_up(
        self, two: Running, answer: Reply, outcome: str
    ) -> None:
        two.witnesses[0].answer = lambda _: answer
        async with two.asking() as asked:
            note = await gather(asked, two.log, 5)
            assert two.signers(note) == {"w2"}
            assert not asked.is_satisfied(note)
            two.witnesses[0].answer = None
            await two.measured.until("w1", "cosigned")
            assert asked.is_satisfied(await gather(asked, two.log, 5))
        assert ("w1", outcome) in two.measured.outcomes

    async def test_a_co_signature_of_another_text_counts_for_nothing(self, two: Running) -> None:
        signer = two.witnesses[0].signer
        other = sign_cosignature("another text\n", 1, signer).line().encode()
        two.witnesses[0].answer = lambda _: Reply(200, other)
        async with two.asking() as asked:
            assert two.signers(await gather(asked, two.log, 5)) == {"w2"}

    async def test_another_key_of_the_same_name_counts_for_nothing(self, two: Running) -> None:
        policy = two.policy("all")
        two.witnesses[0].signer = note_signer("witness.example/w1", b"\x63" * 32)
        asked = Witnesses(policy, two.log.signer, two.measured, pace=PATIENT)
        note = await gather(asked, two.log, 5)
        assert two.signers(note) == {"w2"}
        assert not asked.is_satisfied(note)
        await asked.close()

    async def test_tiles_that_can_not_be_read_are_tried_again(self, two: Running) -> None:
        two.witnesses[0].seen = two.log.checkpoint(3)
        faults = [OSError("a disk that fails")]

        def prove(old: int) -> tuple[bytes, ...]:
            if faults:
                raise faults.pop()
            return two.log.tree.consistency(old, 5)

        async with two.asking() as asked:
            note = await asyncio.wait_for(asked.gather(two.log.note(5), 5, prove), 60)
            # The one that is asked again may have signed as well by then.
            assert "w2" in two.signers(note)
            await two.measured.until("w1", "cosigned")
        assert ("w1", "unproved") in two.measured.outcomes

    async def test_without_a_quorum_all_that_are_well_are_still_asked(self, two: Running) -> None:
        lines = two.policy("all")
        policy = Policy(lines.logs, lines.witnesses, lines.groups, "none")
        asked = Witnesses(policy, two.log.signer, two.measured, pace=PATIENT)
        assert asked.is_satisfied(two.log.note(5))
        note = await gather(asked, two.log, 5)
        await two.measured.until("w1", "cosigned")
        await two.measured.until("w2", "cosigned")
        note = await gather(asked, two.log, 5)
        assert two.signers(note) == {"w1", "w2"}
        await asked.close()


class TestForks:
    async def test_a_witness_that_saw_more_stops_the_signing(self, two: Running) -> None:
        two.witnesses[1].seen = two.log.checkpoint(50)
        async with two.asking() as asked:
            with pytest.raises(SeenLater, match=r"has 5 lines here.*w2: it saw 50 lines"):
                await gather(asked, two.log, 5)
        assert ("w2", "seen_later") in two.measured.outcomes
        assert two.witnesses[1].seen == two.log.checkpoint(50)

    async def test_so_does_one_that_saw_another_log_of_that_size(self, two: Running) -> None:
        two.witnesses[1].seen = Log(name="fork").checkpoint(5)
        async with two.asking() as asked:
            with pytest.raises(SeenLater, match="w2: what it saw of 5 lines is of another log"):
                await gather(asked, two.log, 5)
        assert ("w2", "seen_another") in two.measured.outcomes

    async def test_and_one_that_saw_another_log_of_a_smaller_size(self, two: Running) -> None:
        two.witnesses[0].seen = Log(name="fork").checkpoint(4)
        async with two.asking() as asked:
            with pytest.raises(SeenLater, match="w1: what it saw of 4 lines is of another log"):
                await gather(asked, two.log, 5)

    async def test_even_where_others_are_a_quorum(self, three: Running) -> None:
        three.witnesses[2].seen = three.log.checkpoint(50)
        async with three.asking("any") as asked:
            with contextlib.suppress(SeenLater):
                await gather(asked, three.log, 5)
            await three.measured.until("w3", "seen_later")
            with pytest.raises(SeenLater):
                await gather(asked, three.log, 5)
            with pytest.raises(SeenLater):
                asked.add_late(three.log.note(5))

    async def test_what_another_dealer_brought_it_is_no_alarm(self, two: Running) -> None:
        """The log was taken over, and this dealer rests, while a witness was about to answer."""
        slow = two.witnesses[1]
        slow.seen = two.log.checkpoint(50)
        slow.release.clear()
        with capture_logs() as logs:
            async with two.asking("any", CONTENT) as asked:
                await gather(asked, two.log, 5)
                asked.rest()
                slow.release.set()
                await two.measured.until("w2", "seen_later")
                assert asked.is_satisfied(await gather(asked, two.log, 60))
                await two.measured.until("w2", "cosigned")
        assert "witness_knows_another_log" not in {each["event"] for each in logs}

    async def test_a_log_that_grew_past_it_is_signed_again(self, two: Running) -> None:
        two.witnesses[1].seen = two.log.checkpoint(50)
        async with two.asking() as asked:
            with pytest.raises(SeenLater):
                await gather(asked, two.log, 5)
            assert asked.is_satisfied(await gather(asked, two.log, 60))


class TestTheQuestionAtTheStart:
    async def test_each_says_what_it_saw(self, three: Running) -> None:
        three.witnesses[0].seen = three.log.checkpoint(7)
        three.witnesses[2].log = None
        async with three.asking() as asked:
            assert await asked.find_sizes() == {"w1": 7, "w2": 0, "w3": None}
            await asked.question(7)
        assert three.witnesses[0].seen == three.log.checkpoint(7)

    async def test_one_that_saw_more_keeps_the_dealer_from_signing(self, two: Running) -> None:
        two.witnesses[1].seen = two.log.checkpoint(7)
        async with two.asking() as asked:
            with pytest.raises(SeenLater, match=r"has 6 lines here.*w2 saw 7"):
                await asked.question(6)

    async def test_who_is_away_says_nothing(self, two: Running) -> None:
        absent = two.new_witness(3)
        with serving_witness(absent):
            two.witnesses.append(absent)
        async with two.asking() as asked:
            await asked.question(0)
            assert await asked.find_sizes() == {"w1": 0, "w2": 0, "w3": None}

    async def test_what_was_said_saves_the_first_conflict(self, two: Running) -> None:
        two.witnesses[0].seen = two.log.checkpoint(7)
        async with two.asking() as asked:
            await asked.question(9)
            await gather(asked, two.log, 9)
        first_lines = [body.partition(b"\n")[0] for body in two.witnesses[0].asked]
        assert first_lines == [b"old 0", b"old 7"]


class TestPolicies:
    def test_witnesses_without_an_address_must_not_be_needed(self) -> None:
        with ExitStack() as stack:
            running = Running(stack, 2)
            named = running.new_witness(3)
            more = f"witness w3 {named.vkey}"
            Witnesses(running.policy("all", more), running.log.signer, Measured())
            policy = parse_policy(f"{more}\nquorum w3\n".encode())
            with pytest.raises(SettingError, match="that have an address are no quorum"):
                Witnesses(policy, running.log.signer, Measured())

    def test_where_logs_are_named_this_one_is_among_them(self, two: Running) -> None:
        def policy(key: NoteSigner) -> Policy:
            return two.policy("all", f"log {key.verifier}")

        Witnesses(policy(two.log.signer), two.log.signer, Measured())
        with pytest.raises(SettingError, match=r"is not among them: log dealer\.example\.com\+"):
            Witnesses(policy(Log(seed=8).signer), two.log.signer, Measured())

    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("http://witness.example/", "is in the clear, and not on loopback"),
            ("ftp://witness.example/", "is no address of a witness"),
            ("https://", "is no address of a witness"),
            ("https://me@witness.example/", "is no address of a witness"),
            ("https://witness.example/?a", "is no address of a witness"),
            ("https://witness.example/#a", "is no address of a witness"),
            ("https://witness.example:0/", "is no address of a witness"),
            ("https://witness.example:x/", "is no address of a witness"),
            ("https://witness.example/é", "is no address of a witness"),
        ],
    )
    def test_an_address_that_nothing_may_be_posted_to_is_refused(self, url: str, said: str) -> None:
        log = Log()
        witness = HttpWitness(note_signer("w.example", b"\x01" * 32), None)
        policy = parse_policy(f"witness w {witness.vkey} {url}\nquorum w\n".encode())
        with pytest.raises(SettingError, match=said):
            Witnesses(policy, log.signer, Measured())

    def test_in_the_clear_where_that_is_allowed(self) -> None:
        witness = HttpWitness(note_signer("w.example", b"\x01" * 32), None)
        policy = parse_policy(f"witness w {witness.vkey} http://w.example\nquorum w\n".encode())
        Witnesses(policy, Log().signer, Measured(), allow_plaintext=True)

    def test_a_file_that_is_none_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "policy"
        with pytest.raises(SettingError, match="policy can not be read: No such file"):
            read_policy(path)
        path.write_bytes(b"quorum w\n")
        with pytest.raises(SettingError, match=r"--witness-policy .*policy: line 1"):
            read_policy(path)
        path.write_bytes(b"quorum none\n")
        assert read_policy(path) == Policy((), (), (), "none")
