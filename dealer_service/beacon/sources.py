"""Where rounds come from: a drand HTTP API, or a file to which somebody else appends them.

Nothing that comes from there is believed: whoever asks checks the signature. A file is text, a line
of JSON each: first the chain information, then rounds, both as the network's API gives them. It is
read on where it has grown, and anew where it was replaced.
"""

import os
import re
import urllib.error
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, Protocol

from dealer_service.beacon.reading import (
    MAX_BYTES,
    is_network,
    known_network,
    read_network,
    read_round,
)
from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import QUICKNET_CHAIN, Network, Round
from dealer_service.fetching import UNREACHED, fetch, why_unreached

FETCH_SECONDS: Final = 5.0
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""More than ten days of a network's rounds, one every three seconds."""
_NOT_YET: Final = frozenset({404, 425})
_CHAIN: Final = re.compile(r"[0-9a-f]{64}")


class Source(Protocol):
    """A place that rounds are read from; both calls block."""

    def network(self) -> Network:
        """Give whose rounds they are; BeaconError where that is not to be learned."""
        ...

    def read(self, number: int) -> Round | None:
        """Give a round, its signature unchecked; None where it is not there yet. BeaconError."""
        ...


def open_source(place: str) -> Source:
    """Give the source at a URL or in a file; BeaconError for a URL that is none."""
    return BeaconUrl(place) if "://" in place else BeaconFile(Path(place))


@dataclass(frozen=True, slots=True)
class BeaconUrl:
    """A drand HTTP API: http or https, with the chain hash at its end (else quicknet's is meant).

    `https://api.drand.sh` serves `/CHAIN/info` and `/CHAIN/public/ROUND`. Redirects are not
    followed.
    """

    url: str
    chain: str = field(init=False)
    _base: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """BeaconError for a URL that no rounds may come from."""
        if not _is_url(self.url):
            message = "--beacon: a URL must be https://HOST/… or http://HOST/…, without a user"
            raise BeaconError(message)
        base = self.url.rstrip("/")
        chain = base.rpartition("/")[2]
        if not _CHAIN.fullmatch(chain):
            chain = QUICKNET_CHAIN
            base = f"{base}/{chain}"
        object.__setattr__(self, "chain", chain)
        object.__setattr__(self, "_base", base)

    def network(self) -> Network:
        """Give the network that is built in, or what the API tells if it has the URL's hash."""
        known = known_network(self.chain)
        if known is not None:
            return known
        content = self._get("/info")
        if content is None:
            message = f"{self._host} knows no chain {self.chain}"
            raise BeaconError(message)
        network = read_network(content)
        if network.chain.hex() != self.chain:
            message = f"{self._host} tells of chain {network.chain.hex()} for {self.chain}"
            raise BeaconError(message)
        return network

    def read(self, number: int) -> Round | None:
        """Get a round, within `FETCH_SECONDS`."""
        content = self._get(f"/public/{number}")
        if content is None:
            return None
        one = read_round(content)
        if one.number != number:
            message = f"{self._host} gives round {one.number} for round {number}"
            raise BeaconError(message)
        return one

    @property
    def _host(self) -> str:
        # The URL itself may hold what is nobody else's business.
        return urllib.parse.urlsplit(self.url).hostname or ""

    def _get(self, path: str) -> bytes | None:
        try:
            return fetch(self._base + path, "application/json", MAX_BYTES, FETCH_SECONDS)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in _NOT_YET:
                return None
            message = f"{self._host} answers {path} with status {error.code}"
            raise BeaconError(message) from None
        except UNREACHED as error:
            message = f"{self._host} can not be read: {why_unreached(error)}"
            raise BeaconError(message) from None


@dataclass(slots=True)
class BeaconFile:
    """Chain information and rounds in a file, a line each; lines without an end are not there yet.

    Not for several threads at once.
    """

    path: Path
    _rounds: dict[int, Round] = field(default_factory=dict, init=False, repr=False)
    _network: Network | None = field(default=None, init=False)
    _identity: tuple[int, int] = field(default=(0, 0), init=False)
    _read: int = field(default=0, init=False)

    def network(self) -> Network:
        """Read the first line; BeaconError where it is no chain information."""
        self._read_on()
        if self._network is None:
            message = f"{self.path} does not begin with a line of chain information"
            raise BeaconError(message)
        return self._network

    def read(self, number: int) -> Round | None:
        """Give a round that stands in the file."""
        self._read_on()
        return self._rounds.get(number)

    def _read_on(self) -> None:
        try:
            with self.path.open("rb") as file:
                self._begin_anew_where_replaced(file)
                file.seek(self._read)
                content = file.read(MAX_FILE_BYTES + 1 - self._read)
        except OSError as error:
            message = f"{self.path} can not be read: {error.strerror}"
            raise BeaconError(message) from None
        if self._read + len(content) > MAX_FILE_BYTES:
            message = f"{self.path} is larger than {MAX_FILE_BYTES} bytes: begin a new file"
            raise BeaconError(message)
        for line in content.split(b"\n")[:-1]:
            # A line that is none is told of once, and does not keep those behind it away.
            self._read += len(line) + 1
            self._take(line)

    def _begin_anew_where_replaced(self, file: IO[bytes]) -> None:
        status = os.fstat(file.fileno())
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity or status.st_size < self._read:
            self._identity, self._read = identity, 0
            self._rounds = {}

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        if is_network(line):
            network = read_network(line)
            if self._network is not None and network != self._network:
                message = f"{self.path} tells of another network than it did at the start"
                raise BeaconError(message)
            self._network = network
            return
        one = read_round(line)
        self._rounds[one.number] = one


def _is_url(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        is_at_port = parts.port != 0
    except ValueError:
        return False
    named = parts.scheme in {"http", "https"} and bool(parts.hostname) and is_at_port
    return named and parts.username is None and not parts.query and not parts.fragment
