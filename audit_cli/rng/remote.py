"""A running dealer, asked over gRPC: fresh hands in certification mode, or its finished games.

The one part of certification that needs `grpc`; it is imported when a dealer is called. A token
goes out under TLS alone, or to this machine. What a dealer says is not believed here: whoever takes
hands from it derives them again (`collect_command`).
"""

from __future__ import annotations

import ipaddress
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.inputs import UsageError, read_bounded, shown
from audit_cli.problem import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from numpy.typing import NDArray

SECRET_BYTES: Final = 32

_FINISHED: Final = ("revealed", "archived")
_PAGE: Final = 1_000
_MOST_TOKEN: Final = 8_192
_MOST_CA: Final = 1_048_576
_SECONDS: Final = 30.0
_NOT_ONE_GAME: Final = "the dealer's hands are not numbered one after another in one game"
# A batch of hands, or a part of a game file, is far smaller; a dealer that is gone without a word
# is noticed within a minute.
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", 4 * 1_048_576),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)
# A proxy that the environment names would read what goes to this machine in the clear.
_NO_PROXY: Final = ("grpc.enable_http_proxy", 0)


class RemoteError(Exception):
    """The dealer can not be reached, or refuses; the text says why, `reason` in one word."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Where:
    """How a dealer is reached: its address, the CA that is trusted (PEM), the bearer token."""

    address: str
    token: str = field(repr=False)
    ca: bytes | None = None
    insecure: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """What a dealer in certification mode says of itself; `most_hands` of a call is 1 or more."""

    origin: str
    key: str
    version: str
    rng_core: int
    fingerprint: str
    known_answers: tuple[str, ...]
    source: str
    most_hands: int


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Some hands as the dealer told them: `hand` to `hand + count - 1` of one game.

    `secrets`, `commitments`, `mixes` and `roots` are (n, 32) uint8, `decks` (n, 52), `used` (n,).
    """

    origin: str
    game: bytes
    hand: int
    secrets: NDArray[np.uint8] = field(repr=False)
    commitments: NDArray[np.uint8] = field(repr=False)
    mixes: NDArray[np.uint8] = field(repr=False)
    decks: NDArray[np.uint8] = field(repr=False)
    roots: NDArray[np.uint8] = field(repr=False)
    used: NDArray[np.uint16] = field(repr=False)

    @property
    def count(self) -> int:
        """How many hands these are."""
        return len(self.decks)


def where(options: argparse.Namespace, address: str) -> Where:
    """Read how the dealer at "HOST:PORT" is reached: --ca, --token, --insecure. UsageError."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit():
        message = f"{shown(address)} is no address: give HOST:PORT"
        raise UsageError(message)
    if options.insecure and options.ca:
        message = "--insecure speaks without TLS and --ca is for TLS: leave one out"
        raise UsageError(message)
    if options.insecure and not _is_here(host.strip("[]")):
        message = f"{shown(address)} is not this machine, and a token must not go in the clear"
        raise UsageError(message, "leave --insecure out; --ca FILE names whom to trust")
    if not options.token:
        message = "a dealer asks for a token: give --token FILE"
        raise UsageError(message, "`cutcard-dealer token lab --role auditor` prints one")
    token = read_bounded(options.token, _MOST_TOKEN).decode("ascii", "replace").strip()
    if not token or not token.isprintable() or not token.isascii() or len(token) > _MOST_TOKEN:
        message = f"{shown(options.token)} holds no token"
        raise UsageError(message)
    ca = read_bounded(options.ca, _MOST_CA) if options.ca else None
    return Where(address, token, ca, bool(options.insecure))


class Remote:
    """A dealer that is called; `connected` makes one. Every method raises RemoteError."""

    def __init__(self, channel: Any, token: str) -> None:  # noqa: ANN401 - grpc's own, untyped here
        self._channel = channel
        self._metadata = (("authorization", f"Bearer {token}"),)

    def __repr__(self) -> str:
        """Tell nothing of the token."""
        return "Remote()"

    def describe(self) -> Described:
        """Ask a dealer in certification mode which generator it is."""
        from cutcard.v1 import certify_pb2, certify_pb2_grpc  # noqa: PLC0415  (grpc is optional)

        stub: Any = certify_pb2_grpc.CertifyServiceStub(self._channel)
        said = self._ask(stub.Describe, certify_pb2.DescribeRequest())
        return Described(
            origin=said.origin,
            key=said.key,
            version=said.version,
            rng_core=said.rng_core,
            fingerprint=said.fingerprint,
            known_answers=tuple(said.known_answers),
            source=said.source,
            most_hands=max(1, said.most_hands),
        )

    def hands(self, count: int) -> Iterator[Told]:
        """Give `count` fresh hands, at most `most_hands` of its description, some at a time."""
        from cutcard.v1 import certify_pb2, certify_pb2_grpc  # noqa: PLC0415  (grpc is optional)

        stub: Any = certify_pb2_grpc.CertifyServiceStub(self._channel)
        due = 1
        game = b""
        for message in self._stream(stub.DealHands, certify_pb2.DealHandsRequest(count=count)):
            told = _read_hands(message, due)
            if game not in {b"", told.game}:
                raise RemoteError(_NOT_ONE_GAME, "MALFORMED")
            game = told.game
            due += told.count
            if due - 1 > count:
                words = f"the dealer gave more than the {count:,} hands that it was asked for"
                raise RemoteError(words, "MALFORMED")
            yield told
        if due - 1 != count:
            message = f"the dealer ended after {due - 1:,} of {count:,} hands"
            raise RemoteError(message, "CUT_SHORT")

    def finished_games(self) -> Iterator[str]:
        """Give the IDs of all games that are revealed, the dealer's order within each state."""
        from cutcard.v1 import operate_pb2, operate_pb2_grpc  # noqa: PLC0415  (grpc is optional)

        stub: Any = operate_pb2_grpc.OperateServiceStub(self._channel)
        for state in _FINISHED:
            token = ""
            while True:
                asked = operate_pb2.ListGamesRequest(state=state, page_size=_PAGE, page_token=token)
                said = self._ask(stub.ListGames, asked)
                for one in said.games:
                    yield one.game
                token = said.next_page_token
                if not token:
                    break

    def game_file(self, game: str) -> Iterator[bytes]:
        """Give a game's file in chunks; `reason` GAME_ARCHIVED where it stands elsewhere alone."""
        from cutcard.v1 import fairness_pb2, fairness_pb2_grpc  # noqa: PLC0415  (grpc is optional)

        stub: Any = fairness_pb2_grpc.FairnessServiceStub(self._channel)
        asked = fairness_pb2.GetGameFileRequest(game=game)
        for message in self._stream(stub.GetGameFile, asked):
            yield message.chunk

    def verifier_key(self) -> str:
        """Give the dealer's verifier key, as it tells it itself."""
        from cutcard.v1 import fairness_pb2, fairness_pb2_grpc  # noqa: PLC0415  (grpc is optional)

        stub: Any = fairness_pb2_grpc.FairnessServiceStub(self._channel)
        key: str = self._ask(stub.GetKey, fairness_pb2.GetKeyRequest()).key
        return key

    def _ask(self, method: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own, untyped here
        import grpc  # noqa: PLC0415  (optional)

        try:
            return method(request, metadata=self._metadata, timeout=_SECONDS)
        except grpc.RpcError as error:
            raise _explained(error) from None

    def _stream(self, method: Any, request: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
        import grpc  # noqa: PLC0415  (optional)

        call = method(request, metadata=self._metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise _explained(error) from None
        finally:
            # Whoever stops reading leaves nothing behind at the dealer.
            call.cancel()


@contextmanager
def connected(place: Where) -> Iterator[Remote]:
    """Give a dealer to call, until the block ends. UsageError where `grpc` is not installed."""
    try:
        import grpc  # noqa: PLC0415  (optional)

        import cutcard.v1.certify_pb2_grpc  # noqa: F401, PLC0415  (what it needs is optional, too)
    except ModuleNotFoundError as missing:
        message = f"a dealer is called with {missing.name}, which is not installed"
        raise UsageError(message, "install the extra: pip install 'cutcard[dealer]'") from None
    if place.insecure:
        channel = grpc.insecure_channel(place.address, (*_OPTIONS, _NO_PROXY))
    else:
        trusted = grpc.ssl_channel_credentials(place.ca)
        channel = grpc.secure_channel(place.address, trusted, _OPTIONS)
    with channel:
        yield Remote(channel, place.token)


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_hands(message: Any, due: int) -> Told:  # noqa: ANN401 - a message of an optional package
    """Read a batch whose first hand must be `due`; RemoteError for one of another form."""
    hands = message.hands
    try:
        game = bytes.fromhex(message.game)
    except ValueError:
        game = b""
    if (
        len(game) != 16
        or not message.origin.isascii()
        or not hands
        or [one.hand for one in hands] != list(range(due, due + len(hands)))
    ):
        raise RemoteError(_NOT_ONE_GAME, "MALFORMED")
    return Told(
        origin=message.origin,
        game=game,
        hand=due,
        secrets=_rows([one.secret for one in hands], SECRET_BYTES),
        commitments=_rows([one.commitment for one in hands], SECRET_BYTES),
        mixes=_rows([one.mix for one in hands], SECRET_BYTES),
        decks=_rows([one.cards for one in hands], DECK_SIZE),
        roots=_rows([one.deck_root for one in hands], SECRET_BYTES),
        used=np.array([min(one.bytes_used, 0xFFFF) for one in hands], np.uint16),
    )


def _rows(values: list[bytes], size: int) -> NDArray[np.uint8]:
    if any(len(one) != size for one in values):
        words = f"the dealer told a value that has not {size} bytes"
        raise RemoteError(words, "MALFORMED")
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), size)


def _explained(error: Any) -> RemoteError:  # noqa: ANN401 - grpc's own, untyped here
    """Say what a call came to, with the stable reason that the dealer gave."""
    code = error.code().name
    reason = _reason(error) or code
    words = printable(error.details() or "", 300)
    if code == "UNIMPLEMENTED":
        words = "it has no such service: is it running in certification mode (`serve --certify`)?"
    return RemoteError(f"the dealer: {words} ({reason})", reason)


def _reason(error: Any) -> str:  # noqa: ANN401 - grpc's own, untyped here
    from google.rpc import error_details_pb2, status_pb2  # noqa: PLC0415  (optional)

    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    if not isinstance(details, bytes):
        return ""
    status = status_pb2.Status()
    try:
        status.ParseFromString(details)
        for one in status.details:
            info = error_details_pb2.ErrorInfo()
            if one.Unpack(info):
                return printable(info.reason, 64)
    except ValueError:  # DecodeError is one
        return ""
    return ""
