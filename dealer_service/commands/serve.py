"""`cutcard-dealer serve`: the service itself, from its settings to its exit status."""

import argparse
import asyncio
import os

from dealer_service.access.refusal import AccessError
from dealer_service.app import CannotStart, Dealer
from dealer_service.certification import Certification
from dealer_service.commands import say
from dealer_service.commands.collecting import collect_seldom
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import find_log_key
from dealer_service.commands.loops import on_signals, run_loop
from dealer_service.commands.open_files import mind_open_files
from dealer_service.commands.privacy import keep_memory_private
from dealer_service.commands.serving import read_settings
from dealer_service.config import DEFAULT_ORIGIN, SettingError, Settings
from dealer_service.exposure import find_faults, is_elsewhere
from dealer_service.fairness.refusal import FairnessError
from dealer_service.observe import logs
from dealer_service.store.refusal import StoreError

_CANNOT_START = (CannotStart, StoreError, AccessError, FairnessError, OSError)


def run(options: argparse.Namespace) -> int:
    """Serve until a signal or a failure; the exit status. Failure where it can not start."""
    keep_memory_private()
    try:
        settings = read_settings(options, _find_origin(options))
    except SettingError as error:
        raise Failure(str(error), status=Exit.USAGE) from None
    _require_safe(settings)
    logs.configure(options.log_format, options.log_level)
    mind_open_files()
    collect_seldom()
    return run_loop(_certify(settings) if settings.certify else _serve(settings))


def _require_safe(settings: Settings) -> None:
    """Name all that is wrong or missing at once; Failure."""
    faults = find_faults(settings, os.environ)
    wrong = list(faults.settings)
    if not settings.origin:
        wrong.append("the first start needs the dealer's name, which is in all its logs for ever")
    if not wrong and not faults.keys:
        return
    hints = []
    if not settings.origin:
        hints.append("--origin dealer.example.com, or such, names a dealer")
    if faults.keys:
        hints.append(
            "`cutcard-dealer keys` makes keys: a dealer makes its own only on loopback, and only "
            "for a store of its own"
        )
    status = Exit.USAGE if wrong else Exit.CANNOT_START
    raise Failure("; ".join((*wrong, *faults.keys)), "; ".join(hints), status=status)


async def _serve(settings: Settings) -> int:
    dealer = Dealer(settings)
    asked = asyncio.Event()
    # A signal in the middle of the start is kept until what was begun can be let go.
    on_signals(asked.set)
    try:
        await dealer.start()
    except _CANNOT_START as error:
        raise Failure(_say_why(error, settings)) from None
    if asked.is_set():
        await dealer.stop()
        return Exit.DONE
    try:
        await dealer.serve()
    except Exception as error:  # noqa: BLE001 - whatever it was, it is said and logged above
        say.error(
            f"the dealer stopped, because it failed: {error}",
            "what the store holds is whole: start again when the cause is gone",
        )
        return Exit.FAILED
    return Exit.DONE


async def _certify(settings: Settings) -> int:
    say.warning(
        "certification mode: this dealer deals no games, and tells the secret of every hand to "
        "whoever has a token of an operator or an auditor"
    )
    certification = Certification(settings)
    asked = asyncio.Event()
    on_signals(asked.set)
    try:
        await certification.start()
    except _CANNOT_START as error:
        raise Failure(_say_why(error, settings)) from None
    if asked.is_set():
        await certification.stop()
    else:
        await certification.serve()
    return Exit.DONE


def _find_origin(options: argparse.Namespace) -> str:
    """Give the origin: the log key's, else the one given, else on loopback a default, or none."""
    directory, given = options.directory, options.origin
    key = find_log_key(directory, options.log_key or "")
    if key is not None:
        if given not in {None, key.name}:
            message = f"the dealer in {directory} is {key.name!r} for ever, and not {given!r}"
            hint = "leave --origin out, or name a new --directory for a new dealer"
            raise Failure(message, hint)
        return key.name
    if given is not None:
        return str(given)
    # Faults of the address are found with all others.
    return "" if is_elsewhere(options.listen) else DEFAULT_ORIGIN


def _say_why(error: Exception, settings: Settings) -> str:
    # Without a number it is not the system's own, and says what can not be done.
    if isinstance(error, OSError) and error.errno is not None:
        where = error.filename or settings.directory
        return f"can not use {where}: {error.strerror}"
    return str(error)
