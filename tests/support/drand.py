"""A drand network of the tests' own: it signs any round, by a key that everybody may know.

`serving_drand` serves it over HTTP as a drand node does, with what a test wants of it: rounds that
are not there yet, answers that are wrong. Its signatures are made by py-ecc, and checked by the
product with another library.
"""

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from dealer_service.rules.entry import BeaconRound
from tests.support.known_answers import known_answers
from tests.support.running import running

SECRET = 0x0C0FFEE_BEAC04_0C0FFEE
DST = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
HASH: Any = hashlib.sha256  # what py-ecc calls it with is typed as its result
GENESIS = 1_767_000_000
PERIOD = 3
SCHEME = "bls-unchained-g1-rfc9380"
NAME = "cutcard-tests"
GROUP_HASH = hashlib.sha256(b"the group of the tests").digest()


PUBLIC_KEY = bytes.fromhex(
    "881186665c04f80d2c82195d3103c55f9836ff0e145ec69bc29379880ad5dff9"
    "1e8495e59e514b96264939db96c7788f1555b1d363baa91138797d3d23511158"
    "6d1463aed737c0bc3d9a863a17f0f9951bedd074094a1a7ad2212495b0241ead"
)
"""That of `SECRET`, which `public_key` works out."""
CHAIN = hashlib.sha256(
    PERIOD.to_bytes(4, "big")
    + GENESIS.to_bytes(8, "big")
    + PUBLIC_KEY
    + GROUP_HASH
    + NAME.encode("ascii")
).hexdigest()


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Give py-ecc the depth that it asks for, and take it back.

    Importing it raises the interpreter's limit for good, beyond what the stack holds: what then
    nests too deeply ends the process, where it should be an error.
    """
    limit = sys.getrecursionlimit()
    try:
        import py_ecc  # noqa: F401, PLC0415

        sys.setrecursionlimit(100_000)
        yield
    finally:
        sys.setrecursionlimit(limit)


@deep_recursion()
def public_key(secret: int) -> bytes:
    """Work out the public key of a secret one."""
    from py_ecc.bls.point_compression import compress_G2  # noqa: PLC0415
    from py_ecc.optimized_bls12_381.optimized_curve import G2, multiply  # noqa: PLC0415

    return b"".join(int(part).to_bytes(48, "big") for part in compress_G2(multiply(G2, secret)))


@cache
@deep_recursion()
def sign(number: int, secret: int = SECRET) -> bytes:
    """Sign a round's number."""
    # It takes most of a second to import, and few tests need it.
    from py_ecc.bls.hash_to_curve import hash_to_G1  # noqa: PLC0415
    from py_ecc.bls.point_compression import compress_G1  # noqa: PLC0415
    from py_ecc.optimized_bls12_381.optimized_curve import multiply  # noqa: PLC0415

    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    point = multiply(hash_to_G1(message, DST, HASH), secret)
    return int(compress_G1(point)).to_bytes(48, "big")


def info(**changed: Any) -> dict[str, Any]:
    """Give the chain information, as a node tells it."""
    return {
        "public_key": PUBLIC_KEY.hex(),
        "period": PERIOD,
        "genesis_time": GENESIS,
        "hash": CHAIN,
        "groupHash": GROUP_HASH.hex(),
        "schemeID": SCHEME,
        "metadata": {"beaconID": NAME},
    } | changed


def round_json(number: int, **changed: Any) -> dict[str, Any]:
    """Give a round, as a node tells it."""
    signature = sign(number)
    return {
        "round": number,
        "randomness": hashlib.sha256(signature).hexdigest(),
        "signature": signature.hex(),
    } | changed


def round_after(at: int) -> int:
    """Count the rounds, one by one, to the first that is due six seconds after `at` or later."""
    wanted = at + 6000
    number = max(1, (wanted // 1000 - GENESIS) // PERIOD - 2)
    while 1000 * (GENESIS + PERIOD * (number - 1)) < wanted:
        number += 1
    return number


def due_at(number: int) -> int:
    """Give the time of a round in milliseconds."""
    return 1000 * (GENESIS + PERIOD * (number - 1))


def entry_of(number: int, signature: bytes) -> BeaconRound:
    """Give a round as it is logged."""
    return BeaconRound(number, hashlib.sha256(signature).hexdigest(), signature.hex())


def drawn(opened_at: int) -> BeaconRound:
    """Give the round of a hand that opened then, as it is logged."""
    number = round_after(opened_at)
    return entry_of(number, sign(number))


def quicknet() -> dict[str, Any]:
    """Load what the real network has published."""
    data: dict[str, Any] = known_answers("drand_quicknet.json")
    return data


@dataclass
class Node:
    """A drand node: `give(number)` is what it tells of a round, None where it is not there."""

    port: int = 0
    info: dict[str, Any] | None = field(default_factory=info)
    give: Callable[[int], dict[str, Any] | bytes | int | None] = round_json
    asked: list[str] = field(default_factory=list)
    heard: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{CHAIN}"


@contextmanager
def serving_drand() -> Iterator[Node]:
    """Serve the network on a free port of loopback."""
    node = Node()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            node.asked.append(self.path)
            told: dict[str, Any] | bytes | int | None = None
            prefix = f"/{CHAIN}/public/"
            if self.path == f"/{CHAIN}/info":
                told = node.info
            elif self.path.startswith(prefix):
                told = node.give(int(self.path.removeprefix(prefix)))
            status = told if isinstance(told, int) else 404 if told is None else 200
            content = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if status == 302:
                self.send_header("Location", f"http://127.0.0.1:{node.port}/elsewhere")
            self.end_headers()
            self.wfile.write(content)
            node.heard.set()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    node.port = server.server_address[1]
    with running(server):
        yield node
