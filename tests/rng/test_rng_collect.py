"""`rng collect`: hands of the operating system and of a dealer in certification mode, all kept."""

import asyncio
import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import numpy as np
import pytest

from audit_cli.cli import main
from audit_cli.derive import derive_deck
from audit_cli.inputs import UsageError
from audit_cli.rng import collect_command, fresh, remote
from audit_cli.rng.fresh import DealerDiffersError, dealer_hands, require_derived
from audit_cli.rng.remote import Described, RemoteError, Told, Where, where
from cutcard.v1 import certify_pb2
from dealer_service.fairness.deck import derive_shown
from dealer_service.rpc import certify, validate
from tests.support.certificates import Authority
from tests.support.certifying import Certifying, certifying
from tests.support.service import Service, calling, seated, serving, stop

RECORD = 116


def options_for(service: Certifying, folder: Path, *more: str) -> list[str]:
    token = folder / "token"
    token.write_text(service.token() + "\n")
    return ["--dealer", service.address, "--insecure", "--token", str(token), *more]


async def audit(*words: str) -> int:
    """Run the command in a thread: the dealer is in this one's loop."""
    return await asyncio.to_thread(main, list(words))


def records(path: Path) -> tuple[dict[str, Any], list[bytes]]:
    head, _, rest = path.read_bytes().partition(b"\n")
    assert len(rest) % RECORD == 0
    return json.loads(head), [rest[at : at + RECORD] for at in range(0, len(rest), RECORD)]


def require_decks(rows: list[bytes]) -> None:
    for row in rows:
        assert row[64:] == bytes(derive_deck(row[:32], row[32:64]).cards)


def test_hands_of_the_operating_system_derive_and_differ(tmp_path: Path) -> None:
    path = tmp_path / "hands"
    assert main(["rng", "collect", "--system", "--count", "20", "--out", str(path)]) == 0
    header, rows = records(path)
    require_decks(rows)
    assert len({row[:32] for row in rows}) == len({row[64:] for row in rows}) == 20
    assert (header["count"], header["origin"]) == (20, "lab")
    assert "operating system" in header["from"]


def test_a_collection_that_stopped_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hands"
    monkeypatch.setattr(fresh, "BATCH", 4)
    whole = fresh.system_hands

    def stopping(*given: Any) -> Iterator[Any]:
        yield next(whole(*given))
        raise KeyboardInterrupt

    command = ["rng", "collect", "--system", "--count", "10", "--out", str(path)]
    monkeypatch.setattr(collect_command, "system_hands", stopping)
    assert main(command) == 130
    _, before = records(path)
    assert len(before) == 4
    monkeypatch.setattr(collect_command, "system_hands", whole)
    assert main(command) == 0
    _, rows = records(path)
    assert rows[:4] == before
    assert len(rows) == 10
    require_decks(rows)


async def test_a_dealers_hands_are_kept_and_say_whose_they_are(tmp_path: Path) -> None:
    path = tmp_path / "hands"
    async with certifying(tmp_path / "d") as service:
        live = options_for(service, tmp_path)
        count = certify.BATCH + 3
        command = ("rng", "collect", *live, "--count", str(count), "--out", str(path))
        assert await audit(*command) == 0
        header, rows = records(path)
        assert len(rows) == count
        require_decks(rows)
        assert header["origin"] == "dealer.example.com/certify"
        assert service.dealer.keys is not None
        assert str(service.dealer.keys.signer.verifier) in header["from"]
        # A file that is finished is left alone.
        before = path.read_bytes()
        assert await audit(*command) == 0
        assert path.read_bytes() == before


async def test_more_than_a_call_gives_takes_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certify, "MAX_HANDS", 3)
    assert validate.MAX_HANDS > 3
    path = tmp_path / "hands"
    async with certifying(tmp_path / "d") as service:
        live = options_for(service, tmp_path)
        assert await audit("rng", "collect", *live, "--count", "8", "--out", str(path)) == 0
    _, rows = records(path)
    assert len(rows) == 8
    require_decks(rows)


async def test_a_dealers_hands_are_dumped(tmp_path: Path) -> None:
    async with certifying(tmp_path / "d") as service:
        live = options_for(service, tmp_path, "--out", str(tmp_path / "out"))
        dump = ("rng", "dump", *live, "--level", "deck", "--count", "5")
        assert await audit(*dump) == 0
    written = (tmp_path / "out").read_bytes()
    decks = {written[at : at + 52] for at in range(0, len(written), 52)}
    assert len(decks) == 5
    assert all(sorted(deck) == list(range(52)) for deck in decks)
    told = json.loads((tmp_path / "out.json").read_text())["origin"]
    assert (told["kind"], told["origin"]) == ("dealer", "dealer.example.com/certify")
    assert told["fingerprint"]


async def test_over_tls_whom_to_trust_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    authority = Authority()
    tls = authority.issue().write(tmp_path / "tls")
    ca = tmp_path / "ca.pem"
    ca.write_bytes(authority.pem)
    async with certifying(tmp_path / "d", tls=tls) as service:
        token = tmp_path / "token"
        token.write_text(service.token())
        live = ["--dealer", f"localhost:{service.dealer.port}", "--token", str(token)]
        collect = ["rng", "collect", *live, "--count", "2", "--out", str(tmp_path / "hands")]
        assert await audit(*collect, "--ca", str(ca)) == 0
        other = tmp_path / "other.pem"
        other.write_bytes(Authority("other").pem)
        collect[-1] = str(tmp_path / "none")
        assert await audit(*collect, "--ca", str(other)) == 3
    assert "UNAVAILABLE" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


async def test_in_the_clear_nothing_goes_by_a_proxy_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is at the proxy's address, so that what went there would not arrive."""
    async with certifying(tmp_path / "d") as service:
        for name in ("grpc_proxy", "https_proxy", "http_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        for name in ("no_grpc_proxy", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        live = options_for(service, tmp_path)
        out = ("--count", "2", "--out", str(tmp_path / "hands"))
        assert await audit("rng", "collect", *live, *out) == 0


async def test_a_dealer_of_games_is_told_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path / "d") as service:
        token = tmp_path / "token"
        token.write_text(service.operator[0][1].removeprefix("Bearer "))
        live = ["--dealer", service.address, "--insecure", "--token", str(token)]
        path = tmp_path / "hands"
        assert await audit("rng", "collect", *live, "--count", "2", "--out", str(path)) == 3
    assert "serve --certify" in capsys.readouterr().err
    assert not path.exists()


async def test_a_token_that_is_not_let_in_is_told_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with certifying(tmp_path / "d") as service:
        live = options_for(service, tmp_path)
        (tmp_path / "token").write_text("x.y.z")
        out = ("--count", "2", "--out", str(tmp_path / "hands"))
        assert await audit("rng", "collect", *live, *out) == 3
    assert "TOKEN_INVALID" in capsys.readouterr().err


async def test_nobody_at_the_address_is_status_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with certifying(tmp_path / "d") as service:
        live = options_for(service, tmp_path)
    out = ("--count", "2", "--out", str(tmp_path / "hands"))
    assert await audit("rng", "collect", *live, *out) == 3
    assert "UNAVAILABLE" in capsys.readouterr().err


async def told_by(folder: Path, count: int) -> Told:
    async with certifying(folder) as service:
        place = Where(service.address, service.token(), insecure=True)

        def ask() -> Told:
            with remote.connected(place) as dealer:
                (told,) = dealer.hands(count)
                return told

        return await asyncio.to_thread(ask)


def changed(rows: Any, at: int) -> Any:
    copy = rows.copy()
    copy[at, 0] ^= 1
    return copy


def swapped(rows: Any, at: int) -> Any:
    copy = rows.copy()
    copy[at, [3, 4]] = copy[at, [4, 3]]
    return copy


def one_more(used: Any, at: int) -> Any:
    copy = used.copy()
    copy[at] += 1
    return copy


FORGED: dict[str, tuple[str, Any]] = {
    "secrets": ("commitment", changed),
    "commitments": ("commitment", changed),
    "mixes": ("mix", changed),
    "decks": ("deck", swapped),
    "used": ("number of bytes used", one_more),
    "roots": ("root", changed),
}


async def test_a_hand_that_its_secret_does_not_give_is_named(tmp_path: Path) -> None:
    told = await told_by(tmp_path, 3)
    require_derived(told)
    for name, (what, forge) in FORGED.items():
        forged = replace(told, **{name: forge(getattr(told, name), 1)})
        with pytest.raises(DealerDiffersError, match=f"^hand 2 of game [0-9a-f]{{32}}: its {what}"):
            require_derived(forged)
    for other in (replace(told, hand=2), replace(told, game=bytes(16)), replace(told, origin="x")):
        with pytest.raises(DealerDiffersError, match="commitment"):
            require_derived(other)


async def test_hands_that_do_not_derive_are_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dealer whose deck is another than the one of its secret, from its third hand on."""
    sealed = derive_shown

    def rigged(secret: bytes, mix: bytes) -> Any:
        ceremony, deck = sealed(secret, mix)
        rigged.calls += 1  # type: ignore[attr-defined]
        if rigged.calls < 3:  # type: ignore[attr-defined]
            return ceremony, deck
        return ceremony, replace(deck, cards=deck.cards[::-1])

    rigged.calls = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(certify, "derive_shown", rigged)
    path = tmp_path / "hands"
    async with certifying(tmp_path / "d") as service:
        live = options_for(service, tmp_path)
        assert await audit("rng", "collect", *live, "--count", "4", "--out", str(path)) == 1
    assert "hand 3 of game" in capsys.readouterr().err
    assert records(path)[1] == []


class Scripted:
    """A dealer that describes itself and then gives what it was told to."""

    def __init__(self, *batches: Told, origin: str = "dealer.example.com/certify") -> None:
        self.batches, self.origin = batches, origin

    def describe(self) -> Described:
        return Described(self.origin, "key", "0", 1, "", (), "", 1_000_000)

    def hands(self, _count: int) -> Iterator[Told]:
        yield from self.batches


async def test_batches_are_given_one_by_one(tmp_path: Path) -> None:
    told = await told_by(tmp_path, 3)
    scripted: Any = Scripted(told, told)
    assert [len(one.decks) for one in dealer_hands(scripted, 6)] == [3, 3]


async def test_hands_of_another_origin_than_the_described_one_are_refused(tmp_path: Path) -> None:
    told = await told_by(tmp_path, 3)
    scripted: Any = Scripted(told, origin="dealer.example.com")
    with pytest.raises(DealerDiffersError, match="its origin is not what the dealer describes"):
        next(dealer_hands(scripted, 3))


def test_a_dealer_that_would_give_no_hands_is_asked_for_one_at_a_time() -> None:
    class Stub(remote.Remote):
        def _ask(self, _method: Any, _request: Any) -> Any:
            return certify_pb2.DescribeResponse(most_hands=0)

    assert Stub(grpc.insecure_channel("127.0.0.1:1"), "t").describe().most_hands == 1


def message(**changed_fields: Any) -> Any:
    """Give an answer as the wire gives it, of two hands of the right form."""
    sizes = {"secret": 32, "commitment": 32, "mix": 32, "cards": 52, "deck_root": 32}
    hands = [
        SimpleNamespace(hand=one, bytes_used=170, **{name: bytes(n) for name, n in sizes.items()})
        for one in (1, 2)
    ]
    fields = {"game": "0" * 32, "origin": "lab", "hands": hands}
    return SimpleNamespace(**fields | changed_fields)


def test_an_answer_of_the_right_form_is_read() -> None:
    told = remote._read_hands(message(), 1)
    assert (told.count, told.hand, told.game) == (2, 1, bytes(16))
    assert told.used.tolist() == [170, 170]


@pytest.mark.parametrize("game", ["", "0" * 30, "0" * 34, "z" * 32])
def test_a_game_that_is_none_is_refused(game: str) -> None:
    with pytest.raises(RemoteError, match="in one game"):
        remote._read_hands(message(game=game), 1)


@pytest.mark.parametrize(
    ("asked", "words"), [(1, "gave more than the 1 "), (3, "ended after 2 of 3")]
)
def test_more_and_fewer_hands_than_were_asked_for_are_refused(asked: int, words: str) -> None:
    class Stub(remote.Remote):
        def _stream(self, _method: Any, _request: Any) -> Iterator[Any]:
            yield message()

    with pytest.raises(RemoteError, match=words):
        list(Stub(grpc.insecure_channel("127.0.0.1:1"), "t").hands(asked))


def test_hands_of_two_games_in_one_call_are_refused() -> None:
    class Stub(remote.Remote):
        def _stream(self, _method: Any, _request: Any) -> Iterator[Any]:
            yield message()
            later = message(game="1" * 32)
            for hand in later.hands:
                hand.hand += 2
            yield later

    with pytest.raises(RemoteError, match="in one game"):
        list(Stub(grpc.insecure_channel("127.0.0.1:1"), "t").hands(4))


def test_hands_out_of_order_are_refused() -> None:
    answer = message()
    for due in (0, 2):
        with pytest.raises(RemoteError, match="not numbered"):
            remote._read_hands(answer, due)
    answer.hands[1].hand = 3
    with pytest.raises(RemoteError, match="not numbered"):
        remote._read_hands(answer, 1)
    with pytest.raises(RemoteError, match="not numbered"):
        remote._read_hands(message(hands=[]), 1)


@pytest.mark.parametrize("name", ["secret", "commitment", "mix", "cards", "deck_root"])
def test_a_value_of_another_length_is_refused(name: str) -> None:
    answer = message()
    setattr(answer.hands[1], name, bytes(31))
    with pytest.raises(RemoteError, match=r"has not (32|52) bytes"):
        remote._read_hands(answer, 1)


def live(**given: Any) -> Namespace:
    return Namespace(**{"ca": None, "token": None, "insecure": False} | given)


@pytest.mark.parametrize("address", ["", "here", ":1", "a:", "a:b", "a:1²"])
def test_what_is_no_address_is_refused(address: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("t")
    with pytest.raises(UsageError, match="HOST:PORT"):
        where(live(token=str(token)), address)


@pytest.mark.parametrize("address", ["dealer.example.com:1", "10.0.0.1:1", "0.0.0.0:1", "[::]:1"])
def test_a_token_does_not_leave_this_machine_in_the_clear(tmp_path: Path, address: str) -> None:
    token = tmp_path / "token"
    token.write_text("t")
    with pytest.raises(UsageError, match="must not go in the clear"):
        where(live(token=str(token), insecure=True), address)
    assert where(live(token=str(token)), address).insecure is False


@pytest.mark.parametrize("address", ["127.0.0.1:1", "localhost:1", "[::1]:1", "127.9.9.9:1"])
def test_on_this_machine_it_may(tmp_path: Path, address: str) -> None:
    token = tmp_path / "token"
    token.write_text(" t\n")
    place = where(live(token=str(token), insecure=True), address)
    assert (place.token, place.insecure) == ("t", True)
    assert "'t'" not in repr(place)


@pytest.mark.parametrize("content", ["", "\n", "a b\nc", "é", "x" * 9000])
def test_a_file_without_a_token_is_refused(tmp_path: Path, content: str) -> None:
    token = tmp_path / "token"
    token.write_text(content)
    with pytest.raises(UsageError, match="holds no token"):
        where(live(token=str(token)), "127.0.0.1:1")


def test_tls_and_the_clear_are_not_both(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave one out"):
        where(live(insecure=True, ca=str(tmp_path / "ca")), "127.0.0.1:1")


@pytest.mark.parametrize("given", [[], ["--system", "--dealer", "127.0.0.1:1"]])
def test_whose_hands_are_collected_is_said_once(given: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "hands")
    assert main(["rng", "collect", *given, "--count", "1", "--out", out]) == 2


async def test_finished_games_and_their_files_are_read_of_a_dealer_of_games(
    tmp_path: Path,
) -> None:
    """What the monitor reads."""
    async with serving(tmp_path) as service:
        games = {await finished(service) for _ in range(2)}
        still_open = await service.open_game()
        token = service.operator[0][1].removeprefix("Bearer ")
        place = Where(service.address, token, insecure=True)

        def ask() -> tuple[dict[str, bytes], str]:
            with remote.connected(place) as dealer:
                files = {game: b"".join(dealer.game_file(game)) for game in dealer.finished_games()}
                return files, dealer.verifier_key()

        files, key = await asyncio.to_thread(ask)
        assert files.keys() == games
        assert still_open not in files
        assert files == {game: await service.file(game) for game in games}
        assert key == service.key


async def finished(service: Service) -> str:
    """Play one hand, and close the game, which reveals it."""
    game = await service.open_game()
    await service.pause(game)
    bots = await seated(service, game, "ann", "bob", policy=calling)
    await service.resume(game)
    await bots[0].until_line("hand_opened", hand=1)
    await service.pause(game)
    await bots[0].until_line("hand_ended", hand=1)
    await service.close_game(game)
    await bots[0].until_over()
    await stop(bots)
    return game


def test_arrays_are_hidden_in_a_repr() -> None:
    told = remote._read_hands(message(), 1)
    assert "array" not in repr(told)
    assert isinstance(told.secrets, np.ndarray)
