"""The dealer in certification mode as a process: no store, no games, and hands that are told.

A laboratory certifies the code that deals, so this is that code: the same gate to the same source,
the same functions from a secret to a sealed deck, behind the same access. What differs is that the
secrets are told. Hence nothing of a game is near it: it opens no store and no sealing key, it does
not start where the settings name what a dealer of games has or where one was, no dealer of games
starts where it was, and its hands are committed under an origin that no game has. It says what it
is at its start, in its log and in its health.
"""

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

import structlog

from dealer_service.access.gate import Gate
from dealer_service.access.key_sources import JwkKeys, OwnKeys, open_token_keys
from dealer_service.config import CERTIFY_SUFFIX, Settings
from dealer_service.exposure import require_safe
from dealer_service.fairness.known_answers import KNOWN_ANSWERS
from dealer_service.fairness.randomness import Entropy, operating_system
from dealer_service.keys import CertifyingKeys, open_certifying_keys
from dealer_service.rng_core import find_core
from dealer_service.rpc.admission import Admission
from dealer_service.rpc.calls import Door
from dealer_service.rpc.certify import About, Certify
from dealer_service.rpc.outlook import Outlook
from dealer_service.rpc.server import Server, certifying_services
from dealer_service.starting import open_outlook, prove_randomness, tell_unprotected
from dealer_service.store.directory import DirectoryLock, write_durably
from dealer_service.tables.clock import Clock, SystemClock
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.tournament import Tournament
from dealer_service.tables.vigil import Vigil

_SOURCE: Final = "the operating system's generator (getrandom), a fresh read for each secret"
_MARK: Final = b"A dealer in certification mode has its keys here: no games are dealt by them.\n"

_log = structlog.get_logger("dealer")


@dataclass(frozen=True, slots=True)
class _NoHouse:
    """What the vigil needs of a house, where there is none."""

    clock: Clock
    outlook: Outlook = field(repr=False)

    def unhealthy(self, fault: BaseException) -> None:
        """Tell that the source fails."""
        self.outlook.unhealthy(fault)

    def healthy(self) -> None:
        """Tell that it is well again."""
        self.outlook.healthy()


@dataclass(frozen=True, slots=True)
class _NoTables:
    """A floor without tables and tournaments."""

    house: _NoHouse
    tables: Sequence[Table] = ()
    tournaments: Sequence[Tournament] = ()


class Certification:
    """A dealer that is certified. `start` it, then `serve` until a signal, or `stop` it."""

    def __init__(
        self,
        settings: Settings,
        *,
        entropy: Entropy = operating_system,
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.port = 0
        self.keys: CertifyingKeys | None = None
        self._vigil = Vigil(entropy)
        self._clock = clock or SystemClock()
        self._executor = ThreadPoolExecutor(1, "dealing")
        self._stopping = asyncio.Event()
        self._lock: DirectoryLock | None = None
        self._outlook: Outlook | None = None
        self._certify: Certify | None = None
        self._server: Server | None = None
        self._token_keys: OwnKeys | JwkKeys | None = None

    async def start(self) -> None:
        """Test the source, and serve. CannotStart, or SettingError, where it can not.

        What was opened is let go of again when starting fails.
        """
        try:
            await self._start()
        except BaseException:
            await self._let_go()
            raise

    async def _start(self) -> None:
        settings = self.settings
        require_safe(settings, os.environ)
        self._lock = DirectoryLock(settings.directory)
        write_durably(settings.certified, _MARK)
        self._outlook = outlook = open_outlook(settings)
        core = find_core()
        prove_randomness(self._vigil.gate)
        self.keys = keys = open_certifying_keys(settings, self._vigil.gate)
        about = About(
            origin=settings.origin + CERTIFY_SUFFIX,
            verifier=str(keys.signer.verifier),
            version=version("cutcard"),
            rng_core=core.number,
            fingerprint=core.fingerprint,
            known_answers=KNOWN_ANSWERS,
            source=_SOURCE,
        )
        self._certify = certify = Certify(about, self._vigil.gate, self._executor)
        self._token_keys = token_keys = await asyncio.to_thread(
            open_token_keys, settings.tokens, keys.token_key, settings.origin
        )
        limits = settings.limits
        gate = Gate(token_keys, limits)
        admission = Admission(gate, time.time, _no_ancestors, proxies=limits.proxies)
        services = certifying_services(certify, Door(admission, outlook.sight))
        self._server = server = Server(services, outlook.health, outlook.metrics)
        self.port = server.listen(settings.address, settings.tls)
        self._vigil.begin(_NoTables(_NoHouse(self._clock, outlook)))
        outlook.begin_certifying()
        await server.start()
        tell_unprotected(settings)
        _log.warning(
            "certification_mode",
            address=settings.address,
            port=self.port,
            origin=about.origin,
            key=about.verifier,
            deals_games=False,
            rng_core=core.number,
            fingerprint=core.fingerprint,
        )

    async def serve(self) -> None:
        """Serve until a signal."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        await self._stopping.wait()
        await self.stop()

    async def stop(self) -> None:
        """Deal no more hands, and let go of everything."""
        _log.info("stopping")
        self._vigil.end()
        if self._certify is not None:
            self._certify.is_over = True
        if self._server is not None:
            await self._server.stop(self.settings.grace)
        await self._let_go()
        _log.info("stopped")

    @property
    def metrics_port(self) -> int:
        """The port at which metrics are served; 0 where they are not."""
        return self._outlook.port if self._outlook is not None else 0

    async def _let_go(self) -> None:
        if self._token_keys is not None:
            self._token_keys.close()
        if self._outlook is not None:
            await self._outlook.close()
        self._executor.shutdown()
        if self._lock is not None:
            self._lock.close()


async def _no_ancestors(_game: str) -> None:
    """Say that there is no such game, whichever it is."""
