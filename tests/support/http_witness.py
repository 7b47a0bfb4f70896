"""A witness over HTTP, as small as C2SP tlog-witness has it, that a test can make misbehave."""

import base64
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dealer_service.transcript.checkpoint import Checkpoint, open_checkpoint
from dealer_service.transcript.cosignature import sign_cosignature, witness_key
from dealer_service.transcript.merkle import verify_consistency
from dealer_service.transcript.note import NoteKey, NoteSigner, open_note
from dealer_service.transcript.refusal import TranscriptError
from tests.support.certificates import Issued
from tests.support.running import running, secure


@dataclass(frozen=True)
class Reply:
    """What is answered: a status, its type and its content."""

    status: int
    content: bytes = b""
    kind: str = "text/plain; charset=utf-8"


@dataclass
class HttpWitness:
    """Its key, the log that it knows, and what it saw of it last.

    `answer` may be replaced; `release` holds every answer back while it is not set.
    """

    signer: NoteSigner
    log: NoteKey | None
    seen: Checkpoint | None = None
    asked: list[bytes] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    scheme: str = "http"
    paths: list[str] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    answer: Callable[[bytes], Reply] | None = None

    def __post_init__(self) -> None:
        self.release.set()
        self.sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    def drop_connections(self) -> None:
        """End the connections that callers keep, as a restart does."""
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.sockets.clear()

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}/witness/"

    @property
    def vkey(self) -> str:
        return str(witness_key(self.signer))

    def reply(self, body: bytes) -> Reply:
        """Answer add-checkpoint by the specification, or as a test has it."""
        with self._lock:
            self.asked.append(body)
        if self.answer is not None:
            return self.answer(body)
        with self._lock:
            return self.judge(body)

    def judge(self, body: bytes) -> Reply:
        head, _, note = body.partition(b"\n\n")
        first, *lines = head.split(b"\n")
        old, proof = int(first.removeprefix(b"old ")), [base64.b64decode(one) for one in lines]
        if self.log is None or not note.startswith(self.log.name.encode() + b"\n"):
            return Reply(404, b"unknown log\n")
        try:
            checkpoint = open_checkpoint(note, self.log, self.log.name)
        except TranscriptError:
            return Reply(403, b"unknown key\n")
        return self.judge_proof(old, proof, checkpoint, open_note(note, (self.log,)).text)

    def judge_proof(self, old: int, proof: list[bytes], checkpoint: Checkpoint, text: str) -> Reply:
        size, root = (self.seen.size, self.seen.root) if self.seen else (0, b"")
        conflict = Reply(409, b"%d\n" % size, "text/x.tlog.size")
        extends = (
            verify_consistency(old, checkpoint.size, proof, root, checkpoint.root)
            if old
            else not proof
        )
        if old > checkpoint.size:
            return Reply(400)
        if old != size or (old == checkpoint.size > 0 and root != checkpoint.root):
            return conflict
        if not extends:
            return Reply(422)
        self.seen = checkpoint
        return Reply(200, sign_cosignature(text, int(time.time()), self.signer).line().encode())


@contextmanager
def serving_witness(
    witness: HttpWitness, issued: Issued | None = None, folder: Path | None = None, port: int = 0
) -> Iterator[HttpWitness]:
    """Serve on loopback, on a free port unless one is given; with a certificate over https."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            witness.connections += 1
            witness.sockets.append(self.request)
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            witness.paths.append(self.path)
            reply = witness.reply(body)
            witness.release.wait(30)
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Content-Length", str(len(reply.content)))
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: Any) -> None:
            pass

    server = Server(("127.0.0.1", port), Handler)
    if issued is not None:
        assert folder is not None
        secure(server, issued, folder)
        witness.scheme = "https"
    witness.port = server.server_address[1]
    with running(server):
        try:
            yield witness
        finally:
            witness.release.set()
