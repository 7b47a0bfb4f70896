"""Stands between a store and its server, and cuts the line at a chosen word of the talk."""

import contextlib
import socket
import threading
from enum import Enum, auto


class Lost(Enum):
    """What gets lost when the line is cut."""

    REQUEST = auto()
    REPLY = auto()


class CutProxy:
    """Forwards connections to a port; `cut_at` ends one at the n-th thing that a client says."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._guard = threading.Lock()
        self._left: int | None = None
        self._lost = Lost.REQUEST
        self.has_cut = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listener.getsockname()[1]
        return port

    def cut_at(self, word: int, lost: Lost) -> None:
        """Cut once, at the word that comes after so many."""
        with self._guard:
            self._left, self._lost = word, lost
            self.has_cut.clear()

    def spare(self) -> None:
        """Cut nothing any more."""
        with self._guard:
            self._left = None

    def close(self) -> None:
        """Take no further connection."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                mute = threading.Event()
                for work in (
                    lambda c=client, s=server, m=mute: self._ask(c, s, m),
                    lambda c=client, s=server, m=mute: _answer(c, s, m),
                ):
                    threading.Thread(target=work, daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, mute: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while said := client.recv(1 << 16):
                is_cut, lost = self._is_cut()
                if is_cut and lost is Lost.REPLY:
                    mute.set()
                if not is_cut or lost is Lost.REPLY:
                    server.sendall(said)
                if is_cut and lost is Lost.REQUEST:
                    break
        _end(client, server)

    def _is_cut(self) -> tuple[bool, Lost]:
        with self._guard:
            if self._left is None:
                return False, self._lost
            self._left -= 1
            if self._left >= 0:
                return False, self._lost
            self._left = None
            self.has_cut.set()
            return True, self._lost


def _answer(client: socket.socket, server: socket.socket, mute: threading.Event) -> None:
    """Pass on what the server says; once it is mute, its next words end the line."""
    with contextlib.suppress(OSError):
        while said := server.recv(1 << 16):
            if mute.is_set():
                break
            client.sendall(said)
    _end(client, server)


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
