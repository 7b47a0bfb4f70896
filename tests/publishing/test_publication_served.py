"""The publication over HTTP: what is served, under which headers, and what is not."""

import contextlib
import gzip
import http.client
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_service.publishing.serving import PublicationServer, find_page

CHECKPOINT = "dealer.example.com\n1\nroot\n\n— dealer.example.com sig\n".encode()
BUNDLE = b"\x00\x03abc" * 40
FOR_EVER = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture
def folder(place: Path) -> Path:
    """A publication, with other things beside and in it."""
    folder = place / "publication"
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in {
        "checkpoint": CHECKPOINT,
        "tile/0/000": bytes(8192),
        "tile/0/x001/x234/067": b"deep",
        "tile/0/001.p/8": bytes(256),
        "tile/63/000.p/255": b"high",
        "tile/entries/000": BUNDLE,
        "tile/entries/001.p/8": BUNDLE,
        ".drafts/1": b"half written",
        "index.sqlite": b"not of the publication",
        "tile/0/notes": b"not of the publication",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (place / "log.key").write_bytes(b"secret")
    return folder


@pytest.fixture(scope="module")
def port(place: Path) -> Iterator[int]:
    server = PublicationServer("127.0.0.1", 0, place / "publication")
    yield server.port
    server.close()


@pytest.fixture
def served(port: int, folder: Path) -> Iterator[http.client.HTTPConnection]:  # noqa: ARG001
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    yield connection
    connection.close()


def ask(
    served: http.client.HTTPConnection, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    served.request(method, path, headers=named)
    answer = served.getresponse()
    return answer.status, dict(answer.headers), answer.read()


def test_the_checkpoint_is_text_that_is_asked_for_anew(
    served: http.client.HTTPConnection, folder: Path
) -> None:
    status, headers, content = ask(served, "/checkpoint")
    assert (status, content) == (200, CHECKPOINT)
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache"
    (folder / "checkpoint").write_bytes(b"newer\n")
    assert ask(served, "/checkpoint")[2] == b"newer\n"


@pytest.mark.parametrize(
    "path",
    ["/tile/0/000", "/tile/0/x001/x234/067", "/tile/0/001.p/8", "/tile/63/000.p/255"],
)
def test_tiles_are_bytes_to_be_kept(
    served: http.client.HTTPConnection, folder: Path, path: str
) -> None:
    status, headers, content = ask(served, path, Accept_Encoding="gzip")
    assert (status, content) == (200, (folder / path[1:]).read_bytes())
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Cache-Control"] == FOR_EVER
    assert "Content-Encoding" not in headers


@pytest.mark.parametrize("path", ["/tile/entries/000", "/tile/entries/001.p/8"])
@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("br;q=1.0, GZIP;q=0.8, identity", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("identity", False),
        ("", False),
    ],
)
def test_bundles_are_packed_for_who_takes_that(
    served: http.client.HTTPConnection, path: str, accepted: str, packed: bool
) -> None:
    status, headers, content = ask(served, path, Accept_Encoding=accepted)
    assert status == 200
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Cache-Control"] == FOR_EVER
    assert headers["Vary"] == "Accept-Encoding"
    assert (headers.get("Content-Encoding") == "gzip") == packed
    assert (gzip.decompress(content) if packed else content) == BUNDLE
    assert (len(content) < len(BUNDLE)) == packed


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "",
        "/checkpoint/",
        "/checkpoint/../../log.key",
        "/../log.key",
        "/tile/0/../../../log.key",
        "/%2e%2e/log.key",
        "/tile/0/notes",
        "/.drafts/1",
        "/index.sqlite",
        "//checkpoint",
        "/tile",
        "/tile/0",
        "/tile/0/001.p",
        "/tile/0/x001",
        "/tile/0/0",
        "/tile/00/000",
        "/tile/64/000",
        "/tile/0/001.p/0",
        "/tile/0/001.p/08",
        "/tile/0/001.p/256",
        "/tile/0/000\n",
        "/tile/0/\u0660\u0660\u0660",
        "/tile/0/" + "x000/" * 40 + "000",
    ],
)
def test_nothing_else_is_there(folder: Path, path: str) -> None:
    page = find_page(folder, path, takes_gzip=False)
    assert page.status == 404
    assert page.keeping == "no-cache"


def test_a_tile_that_is_not_there_yet_may_be_asked_for_again(
    served: http.client.HTTPConnection, folder: Path
) -> None:
    status, headers, _ = ask(served, "/tile/0/002.p/1")
    assert (status, headers["Cache-Control"]) == (404, "no-cache")
    (folder / "tile/0/002.p").mkdir()
    (folder / "tile/0/002.p/1").write_bytes(bytes(32))
    assert ask(served, "/tile/0/002.p/1")[0] == 200


def test_head_gives_the_same_without_the_content(served: http.client.HTTPConnection) -> None:
    _, whole, _ = ask(served, "/tile/0/000")
    status, headers, content = ask(served, "/tile/0/000", "HEAD")
    assert (status, content) == (200, b"")
    assert {**headers, "Date": ""} == {**whole, "Date": ""}
    assert ask(served, "/checkpoint")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(
    served: http.client.HTTPConnection, folder: Path, method: str
) -> None:
    status, _, _ = ask(served, "/checkpoint", method)
    assert status == 501
    assert (folder / "checkpoint").read_bytes() == CHECKPOINT


def test_a_connection_is_kept_but_for_a_request_with_a_body(
    served: http.client.HTTPConnection,
) -> None:
    served.connect()
    kept = served.sock
    assert [ask(served, path)[0] for path in ("/checkpoint", "/nothing")] == [200, 404]
    assert served.sock is kept
    served.request("GET", "/checkpoint", body=b"GET /tile/0/000 HTTP/1.1\r\n\r\n")
    answer = served.getresponse()
    assert answer.read() == CHECKPOINT
    assert answer.headers["Connection"] == "close"
    assert served.sock is None


def test_a_reader_that_hangs_up_disturbs_nobody(served: http.client.HTTPConnection) -> None:
    for _ in range(5):
        with socket.create_connection((served.host, served.port), timeout=30) as rude:
            rude.sendall(b"GET /tile/0/000 HTTP/1.1\r\n")
    assert ask(served, "/checkpoint")[0] == 200


def test_a_request_that_trickles_takes_nobodys_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then is no request; so many of these would keep all others out."""
    monkeypatch.setattr("dealer_service.publishing.serving.SECONDS", 0.2)
    server = PublicationServer("127.0.0.1", 0, folder)
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=0.02) as trickling:
            trickling.sendall(b"GET /checkpoint HTTP/1.1\r\nX-More: ")
            is_ended = False
            with contextlib.suppress(ConnectionError):
                for _ in range(1000):
                    trickling.sendall(b"x")
                    with contextlib.suppress(TimeoutError):
                        is_ended = trickling.recv(4096) == b""
                    if is_ended:
                        break
                else:
                    pytest.fail("it is still read")
    finally:
        server.close()
