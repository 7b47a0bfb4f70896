"""Writes a dealer's log as a publication of tiles, and serves one over HTTP, from first principles.

Nothing here is the dealer's code or the audit's: leaves, roots, proofs, tiles and signatures are
made by their definitions (RFC 6962 2.1, C2SP tlog-tiles), so that both can be tested against it.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.support.game_files import GAME, START, Signer, canonical, tree_root
from tests.support.running import running

WIDTH = 256


def index_path(index: int) -> str:
    """Write a tile's index in groups of three digits, all but the last behind an x."""
    groups = [f"{index % 1000:03}"]
    while index >= 1000:
        index //= 1000
        groups.append(f"x{index % 1000:03}")
    return "/".join(reversed(groups))


def consistency_proof(leaves: list[bytes], first: int) -> list[bytes]:
    """Give the proof from the first leaves to all, by the recursive definition (RFC 6962 2.1.2)."""

    def within(first: int, part: list[bytes], *, whole: bool) -> list[bytes]:
        if first == len(part):
            return [] if whole else [tree_root(part)]
        split = 1 << (len(part) - 1).bit_length() - 1
        if first <= split:
            return [*within(first, part[:split], whole=whole), tree_root(part[split:])]
        return [*within(first - split, part[split:], whole=False), tree_root(part[:split])]

    return within(first, leaves, whole=True) if 0 < first <= len(leaves) else []


@dataclass
class PublishedLog:
    """A dealer's log in the making."""

    signer: Signer = field(default_factory=Signer)
    lines: list[bytes] = field(default_factory=list)
    _sizes: dict[str, int] = field(default_factory=dict)

    @property
    def leaves(self) -> list[bytes]:
        return [sha256(b"\0" + line).digest() for line in self.lines]

    def copy(self) -> "PublishedLog":
        """Give another log of the same key that begins alike: what a fork grows from."""
        return PublishedLog(self.signer, list(self.lines), dict(self._sizes))

    def noted(self, stage: str, hand: int = 0, game: str = GAME, **fields: Any) -> "PublishedLog":
        """Add a line, a second after the one before; the transcript grows by one entry a line."""
        size = self._sizes.get(game, 0) + 1
        about: dict[str, Any] = {
            "game": game,
            "hand": hand,
            "root": sha256(f"{game}{size}".encode()).hexdigest(),
            "size": size,
            "stage": stage,
        }
        at = fields.pop("at", START + 1_000 * len(self.lines))
        about |= fields
        self._sizes[game] = about["size"]
        return self.raw(canonical({"at": at, "noted": about}))

    def raw(self, line: bytes) -> "PublishedLog":
        """Add a line as it is."""
        self.lines.append(line)
        return self

    def hand(self, hand: int, game: str = GAME, *, void: bool = False) -> "PublishedLog":
        """Add a hand: opened and committed, or opened and void."""
        self.noted("hand_opened", hand, game)
        return self.noted("hand_void" if void else "deck_committed", hand, game)

    def game(self, game: str = GAME, hands: int = 2, *, voids: int = 0) -> "PublishedLog":
        """Add a whole game, its first hands void."""
        self.noted("game_opened", 0, game)
        for hand in range(1, hands + 1):
            self.hand(hand, game, void=hand <= voids)
        return self.noted("game_closed", 0, game).noted("game_revealed", 0, game)

    def note(self, size: int | None = None) -> str:
        """Give the signed checkpoint of the first `size` lines, or of all."""
        leaves = self.leaves[:size]
        return self.signer.note(self.signer.name, len(leaves), tree_root(leaves))

    def asks(self, old: int, size: int | None = None, note: str | None = None) -> bytes:
        """Give the body of an add-checkpoint request."""
        proof = consistency_proof(self.leaves[:size], old)
        lines = [f"old {old}", *(b64encode(one).decode() for one in proof), ""]
        return "".join(f"{one}\n" for one in lines).encode() + (note or self.note(size)).encode()

    def publish(self, folder: Path, note: str | None = None) -> Path:
        """Write all tiles, bundles and the checkpoint of the log as it is."""
        count = len(self.lines)
        for first in range(0, count, WIDTH):
            some = self.lines[first : first + WIDTH]
            bundle = b"".join(len(one).to_bytes(2, "big") + one for one in some)
            _write(folder, f"tile/entries/{_name(first // WIDTH, len(some))}", bundle)
        level, hashes = 0, self.leaves
        while hashes:
            for first in range(0, len(hashes), WIDTH):
                some_hashes = hashes[first : first + WIDTH]
                name = f"tile/{level}/{_name(first // WIDTH, len(some_hashes))}"
                _write(folder, name, b"".join(some_hashes))
            whole = range(0, len(hashes) - WIDTH + 1, WIDTH)
            hashes = [tree_root(hashes[first : first + WIDTH]) for first in whole]
            level += 1
        _write(folder, "checkpoint", (note or self.note()).encode())
        return folder


def _name(index: int, width: int) -> str:
    return index_path(index) + ("" if width == WIDTH else f".p/{width}")


def _write(folder: Path, name: str, content: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def check_cosignature(line: str, note: str, name: str, public: bytes) -> int:
    """Hold a line of a co-signature (type 0x04) to the note it is for; its time in seconds."""
    dash, signer, encoded = line.removesuffix("\n").split(" ")
    data = b64decode(encoded, validate=True)
    key_id = sha256(name.encode() + b"\n\x04" + public).digest()[:4]
    assert (dash, signer, data[:4], len(data)) == ("\N{EM DASH}", name, key_id, 76)
    time = int.from_bytes(data[4:12], "big")
    text = note[: note.rindex("\n\n") + 1]
    message = f"cosignature/v1\ntime {time}\n{text}".encode()
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(data[12:], message)
    except InvalidSignature:
        raise AssertionError(line) from None
    return time


@dataclass
class Site:
    """A folder that is served: its address, what was asked for, and what a test changes."""

    folder: Path
    port: int = 0
    asked: list[str] = field(default_factory=list)
    answer: Callable[[str], tuple[int, bytes, dict[str, str]] | None] = lambda _: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving_folder(folder: Path) -> Iterator[Site]:
    """Serve a folder's files on a free port of loopback, as any static web server does."""
    site = Site(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            status, content, headers = site.answer(self.path) or self._file()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _file(self) -> tuple[int, bytes, dict[str, str]]:
            path = site.folder / self.path.lstrip("/")
            if not path.is_file():
                return 404, b"no such file\n", {}
            return 200, path.read_bytes(), {}

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.port = server.server_address[1]
    with running(server):
        yield site
