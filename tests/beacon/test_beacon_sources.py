"""Rounds come from a drand API or a growing file; what is none is told of, and never given."""

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealer_service.beacon.reading import read_network, read_round
from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import QUICKNET, QUICKNET_CHAIN
from dealer_service.beacon.sources import BeaconFile, BeaconUrl, open_source
from tests.support import drand
from tests.support.drand import Node, info, round_json, serving_drand


@pytest.fixture
def node() -> Iterator[Node]:
    with serving_drand() as running:
        yield running


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


class TestReading:
    def test_chain_information_is_known_by_its_hash(self) -> None:
        assert read_network(line(info())).chain.hex() == drand.CHAIN

    def test_a_beacons_name_may_stand_outside_the_metadata(self) -> None:
        told = info(beaconID=drand.NAME)
        del told["metadata"]
        assert read_network(line(told)).chain.hex() == drand.CHAIN

    @pytest.mark.parametrize(
        ("changed", "why"),
        [
            ({"hash": "00" * 32}, "tells the hash"),
            ({"genesis_time": drand.GENESIS + 1}, "tells the hash"),
            ({"schemeID": "pedersen-bls-chained"}, "scheme"),
            ({"schemeID": None}, "scheme"),
            ({"metadata": {}}, "beaconID"),
            ({"metadata": {"beaconID": "a b"}}, "beaconID"),
            ({"period": "3"}, "period is no whole number"),
            ({"period": True}, "period is no whole number"),
            ({"period": 0}, "from 1"),
            ({"public_key": "AB"}, "public_key is no lower-case hex"),
            ({"public_key": "ab"}, "must have 96"),
            ({"groupHash": 5}, "groupHash is no lower-case hex"),
        ],
    )
    def test_other_chain_information_is_refused(self, changed: dict[str, Any], why: str) -> None:
        with pytest.raises(BeaconError, match=why):
            read_network(line(info(**changed)))

    def test_a_round_has_number_and_signature(self) -> None:
        assert read_round(line(round_json(5))).signature == drand.sign(5)

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (b"", "no JSON object"),
            (b"[]", "no JSON object"),
            (b"[" * 10_000, "no JSON object"),
            (b'"' + b"x" * 20_000 + b'"', "longer than"),
            (line(round_json(5, round=0)), "from 1"),
            (line(round_json(5, round=5.0)), "no whole number"),
            (line(round_json(5, signature="ab")), "48 bytes"),
            (line(round_json(5, signature="AB" * 48)), "lower-case hex"),
            (line(round_json(5, randomness="00" * 32)), "not the SHA-256"),
        ],
    )
    def test_other_rounds_are_refused(self, content: bytes, why: str) -> None:
        with pytest.raises(BeaconError, match=why):
            read_round(content)


class TestUrl:
    def test_gives_the_network_and_its_rounds(self, node: Node) -> None:
        source = open_source(node.url)
        assert source.network().chain.hex() == drand.CHAIN
        found = source.read(9)
        assert found is not None
        assert (found.number, found.signature) == (9, drand.sign(9))

    def test_quicknet_is_meant_where_no_chain_is_named_and_needs_no_asking(self) -> None:
        source = BeaconUrl("https://127.0.0.1:1")
        assert (source.chain, source.network()) == (QUICKNET_CHAIN, QUICKNET)
        assert BeaconUrl(f"https://127.0.0.1:1/{QUICKNET_CHAIN}/").network() == QUICKNET

    @pytest.mark.parametrize("status", [404, 425])
    def test_a_round_may_be_not_there_yet(self, node: Node, status: int) -> None:
        node.give = lambda _: status
        assert open_source(node.url).read(9) is None

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            (round_json(8), "gives round 8 for round 9"),
            (b"no JSON", "no JSON object"),
            (b"x" * 100_000, "longer than"),
            (500, "status 500"),
            (302, "status 302"),
        ],
    )
    def test_other_answers_are_refused(self, node: Node, given: Any, why: str) -> None:
        node.give = lambda _: given
        with pytest.raises(BeaconError, match=why):
            open_source(node.url).read(9)
        assert not any("elsewhere" in path for path in node.asked)

    def test_another_networks_information_is_refused(self, node: Node) -> None:
        node.info = info(genesis_time=1, hash=None)
        with pytest.raises(BeaconError, match="tells of chain"):
            open_source(node.url).network()

    def test_a_chain_that_is_not_known_there_is_told_of(self, node: Node) -> None:
        node.info = None
        with pytest.raises(BeaconError, match="knows no chain"):
            open_source(node.url).network()

    def test_a_host_that_does_not_answer_is_told_of(self) -> None:
        with pytest.raises(BeaconError, match=r"127\.0\.0\.1 can not be read"):
            BeaconUrl("http://127.0.0.1:1").read(9)

    @pytest.mark.parametrize(
        "url",
        [
            "ftp://host/",
            "file:///etc/passwd",
            "https://",
            "https://user:secret@host/",
            "https://host/?key=secret",
            "https://host:99999/",
            "https://[::1/",
        ],
    )
    def test_a_url_that_no_rounds_may_come_from_is_refused_and_not_repeated(self, url: str) -> None:
        with pytest.raises(BeaconError, match="--beacon: a URL must be") as refused:
            open_source(url)
        assert "secret" not in str(refused.value)


class TestFile:
    def test_is_chain_information_and_rounds_that_come_later(self, tmp_path: Path) -> None:
        path = tmp_path / "rounds"
        path.write_bytes(line(info()) + line(round_json(5)))
        source = BeaconFile(path)
        assert source.network().chain.hex() == drand.CHAIN
        assert source.read(6) is None
        with path.open("ab") as file:
            whole = line(round_json(6))
            file.write(whole[:40])
            file.flush()
            assert source.read(6) is None
            file.write(whole[40:])
        found, first = source.read(6), source.read(5)
        assert found is not None
        assert first is not None
        assert (found.signature, first.signature) == (drand.sign(6), drand.sign(5))

    def test_is_read_anew_where_it_was_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "rounds"
        path.write_bytes(line(info()) + line(round_json(5)))
        source = BeaconFile(path)
        source.network()
        other = tmp_path / "new"
        other.write_bytes(line(info()) + line(round_json(6)))
        other.replace(path)
        assert source.read(6) is not None
        assert source.read(5) is None

    def test_is_read_anew_where_it_was_cut(self, tmp_path: Path) -> None:
        path = tmp_path / "rounds"
        path.write_bytes(line(info()) + line(round_json(5)))
        source = BeaconFile(path)
        source.network()
        os.truncate(path, 0)
        path.write_bytes(line(info()))
        assert source.read(5) is None

    def test_that_tells_of_another_network_later_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "rounds"
        path.write_bytes(line(info()))
        source = BeaconFile(path)
        source.network()
        with path.open("ab") as file:
            file.write(line(info(genesis_time=5, hash=None)))
        with pytest.raises(BeaconError, match="another network"):
            source.read(5)

    def test_a_bad_line_is_told_of_once_and_keeps_no_round_away(self, tmp_path: Path) -> None:
        path = tmp_path / "rounds"
        path.write_bytes(line(info()) + b"no JSON\n" + line(round_json(5)))
        source = BeaconFile(path)
        with pytest.raises(BeaconError, match="no JSON"):
            source.network()
        assert source.read(5) is not None

    @pytest.mark.parametrize("content", [b"", line(round_json(5)), b"\n\n"])
    def test_without_chain_information_is_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "rounds"
        path.write_bytes(content)
        with pytest.raises(BeaconError, match="does not begin with a line of chain information"):
            BeaconFile(path).network()

    def test_that_is_not_there_is_told_of(self, tmp_path: Path) -> None:
        with pytest.raises(BeaconError, match="can not be read: No such file"):
            BeaconFile(tmp_path / "none").network()


def test_headers_that_trickle_hold_no_round_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread reads all rounds: a place that never ends an answer must not keep it."""
    monkeypatch.setattr("dealer_service.beacon.sources.FETCH_SECONDS", 0.4)
    ended = threading.Event()

    def trickle(server: socket.socket) -> None:
        with server.accept()[0] as stream, contextlib.suppress(OSError):
            stream.recv(4096)
            stream.sendall(b"HTTP/1.1 200 OK\r\nX-More: ")
            while not ended.wait(0.01):
                stream.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=trickle, args=(server,), daemon=True)
        thread.start()
        late = threading.Timer(20, ended.set)
        late.start()
        source = BeaconUrl(f"http://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(BeaconError, match="not whole"):
            source.read(1)
        assert not ended.is_set()
        late.cancel()
        ended.set()
        thread.join()
