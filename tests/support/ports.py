"""Ports for servers that end and start again at the same place."""

import contextlib
import secrets
import socket
from typing import Final

_GIVEN: Final = range(20_000, 32_768)
"""Below those that systems give to whoever asks for any: of these none is lost by chance."""

_claims: list[socket.socket] = []


def free_port() -> int:
    """Give a port of loopback that stays ours while nobody listens at it.

    A port that the system chose is anybody's again when its server ends, and another test's dealer
    may have it before the next start. One that is given here is claimed until this process ends:
    by a UDP socket, which is in the way of no server, and which no other test can bind too.
    """
    while True:
        port = secrets.choice(_GIVEN)
        claim = socket.socket(type=socket.SOCK_DGRAM)
        with contextlib.suppress(OSError), socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            claim.bind(("127.0.0.1", port))
            _claims.append(claim)
            return port
        claim.close()
