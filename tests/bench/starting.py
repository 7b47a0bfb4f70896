"""`start`: how long `cutcard-dealer serve` takes, from its process to SERVING.

It is started as an operator starts it, with TLS and a store in which games stand in the middle of
their hands: imports, the checks of the random source, keys, the store's own check and the recovery
of the games are all in it. Asked is the health service, over TLS. The yardstick is a second.
"""

import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.bench import driving, serving
from tests.bench.figure import Figure, Goal
from tests.bench.processes import process
from tests.support.certificates import Authority

START: Final = Goal("start", "s", "s", "lower", 1.0)
_LOOK_SECONDS: Final = 0.002
_MOST_SECONDS: Final = 60.0
_SERVING: Final = health_pb2.HealthCheckResponse.SERVING


def measure(*, quick: bool = False) -> Figure:
    """Measure how long a dealer takes to serve, with games to take up."""
    tables, seconds, rounds = (4, 0.3, 2) if quick else (64, 3.0, 7)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        acts = _fill(folder, tables, seconds)
        authority = Authority()
        authority.issue().write(folder / "tls")
        taken = tuple(_start(folder, authority.pem) for _ in range(rounds))
    remark = f"with TLS; its store has {tables} games of {acts} acts together to take up"
    return Figure(START, taken, (1.0,) * rounds, remark)


def _fill(folder: Path, tables: int, seconds: float) -> int:
    """Play at tables for some time, and stop in the middle of hands; the acts that were made."""
    names = (*driving.PLAYERS, driving.OPERATOR)
    dealer = partial(serving.serve_dealer, place=serving.Place(folder), players=names)
    with process(dealer) as server:
        port, tokens = server.recv()
        acting = partial(driving.call_acts, ports=(port,), tokens=tokens, tables=tables)
        with process(acting) as callers:
            callers.recv()
            callers.send(seconds)
            pace: driving.Pace = callers.recv()
    return pace.calls


def _start(folder: Path, authority: bytes) -> float:
    """Start a dealer and stop it; the seconds until it said SERVING."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "dealer_service", "serve"),
        *("--directory", str(folder), "--listen", f"127.0.0.1:{port}", "--drain", "0s"),
        *("--tls-cert", str(folder / "tls/cert.pem"), "--tls-key", str(folder / "tls/key.pem")),
        *("--log-level", "error"),
    ]
    began = time.monotonic()
    with subprocess.Popen(command) as dealer:
        try:
            _await_serving(dealer, port, authority)
            return time.monotonic() - began
        finally:
            dealer.send_signal(signal.SIGTERM)


def _await_serving(dealer: "subprocess.Popen[bytes]", port: int, authority: bytes) -> None:
    end = time.monotonic() + _MOST_SECONDS
    while not _listens(port):
        if dealer.poll() is not None or time.monotonic() > end:
            message = "the dealer did not start"
            raise ConnectionError(message)
        time.sleep(_LOOK_SECONDS)
    trusting = grpc.ssl_channel_credentials(authority)
    with grpc.secure_channel(f"localhost:{port}", trusting) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        ask = partial(check, health_pb2.HealthCheckRequest(), timeout=_MOST_SECONDS)
        while ask(wait_for_ready=True).status != _SERVING:
            time.sleep(_LOOK_SECONDS)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
