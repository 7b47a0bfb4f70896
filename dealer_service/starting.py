"""What every start has, whether games are dealt or hands for a laboratory."""

import asyncio

import structlog

from dealer_service.beacon.following import Following
from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.signature import open_verifier
from dealer_service.beacon.sources import open_source
from dealer_service.config import Settings
from dealer_service.exposure import find_unprotected, is_development
from dealer_service.fairness.randomness import EntropyGate
from dealer_service.fairness.refusal import FairnessError
from dealer_service.observe.tracing import TracingUnavailable
from dealer_service.rpc.outlook import Outlook
from dealer_service.tables.clock import Clock
from dealer_service.taking_stock import CannotStart

_log = structlog.get_logger("dealer")


def prove_randomness(gate: EntropyGate) -> None:
    """Open the gate to the random source by the tests of a start; CannotStart."""
    try:
        gate.test()
    except FairnessError as fault:
        message = f"no hand can be dealt on this machine: {fault}"
        raise CannotStart(message) from None


async def open_rounds(settings: Settings, clock: Clock) -> Following | None:
    """Give the rounds of the beacon that rules may name; CannotStart where there are none to have.

    None where no beacon is set.
    """
    if not settings.beacon:
        return None
    try:
        verify = open_verifier()
        source = open_source(settings.beacon)
        following = Following(await asyncio.to_thread(source.network), source, verify, clock)
        following.require_key()
    except BeaconError as error:
        message = f"the beacon can not be used: {error}"
        raise CannotStart(message) from None
    _log.info("beacon", chain=following.network.chain.hex(), name=following.network.name)
    return following


def open_outlook(settings: Settings) -> Outlook:
    """Give what is seen from outside; CannotStart where traces can not be sent."""
    try:
        return Outlook(settings)
    except TracingUnavailable as error:
        raise CannotStart(str(error)) from None


def tell_unprotected(settings: Settings) -> None:
    """Say at each start, and exactly, what is not protected; nothing where all is."""
    unprotected = find_unprotected(settings)
    if unprotected:
        event = "development_mode" if is_development(settings) else "not_protected"
        _log.warning(event, unprotected=list(unprotected))
