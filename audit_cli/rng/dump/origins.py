"""Where dumped hands come from, and what of each a level shows, as arrays of one row a hand."""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count as counting
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from audit_cli import drbg
from audit_cli.hashing import hkdf
from audit_cli.rng.counting.tables import BOARD, HOLES
from audit_cli.rng.dump.running import running_streams
from audit_cli.rng.engines.drawing import DECK_INFO
from audit_cli.rng.engines.messages import (
    COMMIT_HAND,
    COMMIT_MESSAGE,
    COMMIT_SECRET,
    FIRST_EXPAND,
    MIX_COMMITMENT,
    MIX_HAND,
    MIX_MESSAGE,
    SECOND_EXPAND,
    SECRET_INDEX,
    secret_message,
)
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.fresh import SYSTEM, dealer_hands, system_seeds
from audit_cli.rng.hands_file import read_header
from audit_cli.rng.lab import commit_lab, hand_mix, hand_secret
from audit_cli.rng.sources import HandsFile, read_hands

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from audit_cli.rng.hands import Engine, Hands
    from audit_cli.rng.remote import Remote

    Rows = NDArray[np.uint8]

BATCH: Final = 4_096
BEGUN_WITH: Final = "one fresh secret of the operating system"

# Six seats of hold'em: seat s has positions s and s + 6; burns are left out (protocol 4).
GAME_POSITIONS: Final = (*(place for hole in HOLES for place in hole), *BOARD)


class Origin(Protocol):
    """Gives hands in their order, `skip` of them left out first; None for `count` is all it has."""

    @property
    def has(self) -> int | None:
        """How many hands it has; None where there is no end."""

    def told(self) -> dict[str, Any]:
        """Return what the sidecar says of it."""

    def streams(self, engine: Engine, skip: int, count: int | None) -> Iterator[Rows]:
        """Give the bytes of the hands' generators, (n, 1024)."""

    def hands(self, engine: Engine, skip: int, count: int | None) -> Iterator[Hands]:
        """Give the hands, with their draws."""


@dataclass(frozen=True, slots=True)
class OfLab:
    """The laboratory's hands of one secret."""

    secret: bytes = field(repr=False)
    has: int | None = None

    def told(self) -> dict[str, Any]:
        """Return what the sidecar says: what commits to the secret, not the secret."""
        return {"kind": "lab", "secret_commitment": commit_lab(self.secret).hex()}

    def streams(self, engine: Engine, skip: int, count: int | None) -> Iterator[Rows]:
        """Give the bytes of the hands' generators, without shuffling where that costs time."""
        for first, size in _parts(skip, count):
            if engine.name == "numba":
                streams = engine.lab(self.secret, first, size, streams=True).streams
                assert streams is not None
                yield streams
            else:
                yield engine.expand(_lab_seeds(self.secret, first, size))

    def hands(self, engine: Engine, skip: int, count: int | None) -> Iterator[Hands]:
        """Give the hands."""
        for first, size in _parts(skip, count):
            yield engine.lab(self.secret, first, size)


@dataclass(frozen=True, slots=True)
class OfSystem:
    """Hands with a fresh secret of the operating system each."""

    has: int | None = None

    def told(self) -> dict[str, Any]:
        """Return what the sidecar says."""
        return {"kind": "system", "from": SYSTEM}

    def streams(self, engine: Engine, skip: int, count: int | None) -> Iterator[Rows]:
        """Give the bytes of the hands' generators."""
        for _, size in _parts(skip, count):
            yield engine.expand(_seeds(*system_seeds(size)))

    def hands(self, engine: Engine, skip: int, count: int | None) -> Iterator[Hands]:
        """Give the hands."""
        for first, size in _parts(skip, count):
            yield engine.derive(first, *system_seeds(size))


@dataclass(frozen=True, slots=True)
class OfDealer:
    """Hands of a dealer in certification mode, each derived again."""

    remote: Remote
    has: int | None = None

    def told(self) -> dict[str, Any]:
        """Return what the sidecar says: what the dealer says of itself."""
        said = self.remote.describe()
        return {
            "kind": "dealer",
            "origin": said.origin,
            "key": said.key,
            "version": said.version,
            "rng_core": said.rng_core,
            "fingerprint": said.fingerprint,
        }

    def streams(self, engine: Engine, skip: int, count: int | None) -> Iterator[Rows]:
        """Give the bytes of the hands' generators."""
        for secrets, mixes in self._told(skip, count):
            yield engine.expand(_seeds(secrets, mixes))

    def hands(self, engine: Engine, skip: int, count: int | None) -> Iterator[Hands]:
        """Give the hands."""
        first = 0
        for secrets, mixes in self._told(skip, count):
            yield engine.derive(first, secrets, mixes)
            first += len(secrets)

    def _told(self, skip: int, count: int | None) -> Iterator[tuple[Rows, Rows]]:
        for _, size in _parts(skip, count, self.remote.describe().most_hands):
            for records in dealer_hands(self.remote, size):
                yield records.secrets, records.mixes


@dataclass(frozen=True, slots=True)
class OfFile:
    """Collected hands, each derived again."""

    path: Path

    @property
    def has(self) -> int | None:
        """How many hands the file holds."""
        return read_header(self.path).count

    def told(self) -> dict[str, Any]:
        """Return what the sidecar says: what the file says of itself, and its hash."""
        header = read_header(self.path)
        return {
            "kind": "hands",
            "origin": header.origin,
            "from": header.source,
            "sha256": hash_file(self.path),
        }

    def streams(self, engine: Engine, skip: int, count: int | None) -> Iterator[Rows]:
        """Give the bytes of the hands' generators."""
        for hands in self._read(engine, skip, count, streams=True):
            assert hands.streams is not None
            yield hands.streams

    def hands(self, engine: Engine, skip: int, count: int | None) -> Iterator[Hands]:
        """Give the hands."""
        return self._read(engine, skip, count, streams=False)

    def _read(
        self, engine: Engine, skip: int, count: int | None, *, streams: bool
    ) -> Iterator[Hands]:
        has = read_header(self.path).count
        source = HandsFile(str(self.path), has)
        for first, size in _parts(skip, has - skip if count is None else count):
            yield read_hands(source, engine, first, size, streams=streams)


@dataclass(frozen=True, slots=True)
class Continuous:
    """One generator that runs on, begun with the seed of a hand; hands take 1,024 bytes each."""

    seed: bytes = field(repr=False)
    began: dict[str, Any] = field(repr=False)
    has: int | None = None

    def told(self) -> dict[str, Any]:
        """Return what the sidecar says."""
        return self.began

    def streams(self, engine: Engine, skip: int, count: int | None) -> Iterator[Rows]:
        """Give its bytes; each array is overwritten by the next."""
        del engine
        left = count
        for rows in running_streams(self.seed, skip):
            yield rows if left is None else rows[:left]
            if left is not None:
                left -= len(rows)
                if left <= 0:
                    return

    def hands(self, engine: Engine, skip: int, count: int | None) -> Iterator[Hands]:
        """Give hands shuffled by its bytes."""
        first = skip
        for rows in self.streams(engine, skip, count):
            yield engine.deal(first, rows)
            first += len(rows)


def continuous(secret: bytes | None) -> Continuous:
    """Begin a running generator as hand 0 of a laboratory's secret, or of a fresh one (None)."""
    own = os.urandom(32) if secret is None else hand_secret(secret, 0)
    seed = hkdf(own, hand_mix(0, own), DECK_INFO, drbg.SEED_BYTES)
    began = {"kind": "system", "from": BEGUN_WITH} if secret is None else OfLab(secret).told()
    return Continuous(seed, began)


def shown(hands: Hands, level: str) -> Rows:
    """Return what a level shows of hands, one row each: `scaled`, `deck` or `game`."""
    if level == "scaled":
        assert hands.draws is not None
        return hands.draws
    return hands.decks if level == "deck" else hands.decks[:, GAME_POSITIONS]


def _parts(skip: int, count: int | None, most: int = BATCH) -> Iterator[tuple[int, int]]:
    """Split hands `skip`, … into batches of a first hand and a size."""
    if count is None:
        for first in counting(skip, most):
            yield first, most
        return
    for first in range(skip, skip + count, most):
        yield first, min(most, skip + count - first)


def _seeds(secrets: Rows, mixes: Rows) -> Rows:
    """Return the seeds of the hands' generators, (n, 48)."""
    pairs = zip(map(bytes, secrets), map(bytes, mixes), strict=True)
    return _rows([hkdf(secret, mix, DECK_INFO, drbg.SEED_BYTES) for secret, mix in pairs])


def _lab_seeds(secret: bytes, first: int, count: int) -> Rows:
    """Return the seeds of a laboratory's hands, what is the same for all of them made once."""
    of_secret = secret_message(secret)[: SECRET_INDEX.start]
    commit = COMMIT_MESSAGE[: COMMIT_HAND.start]
    commit_rest = COMMIT_MESSAGE[COMMIT_HAND.stop : COMMIT_SECRET.start]
    mix = MIX_MESSAGE[: MIX_HAND.start]
    mix_rest = MIX_MESSAGE[MIX_HAND.stop : MIX_COMMITMENT.start]
    mix_end = MIX_MESSAGE[MIX_COMMITMENT.stop :]
    second = SECOND_EXPAND[32:]
    digest_of = hmac.digest
    seeds = []
    for index in range(first, first + count):
        own = sha256(of_secret + index.to_bytes(8, "big")).digest()
        hand = (index + 1).to_bytes(8, "big")
        commitment = sha256(commit + hand + commit_rest + own).digest()
        mixed = sha256(mix + hand + mix_rest + commitment + mix_end).digest()
        key = digest_of(mixed, own, "sha256")
        block = digest_of(key, FIRST_EXPAND, "sha256")
        seeds.append(block + digest_of(key, block + second, "sha256")[:16])
    return _rows(seeds)


def _rows(seeds: list[bytes]) -> Rows:
    return np.frombuffer(b"".join(seeds), np.uint8).reshape(len(seeds), drbg.SEED_BYTES)
