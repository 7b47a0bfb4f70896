"""`cutcard-dealer keys`: makes, shows and changes the dealer's keys, and never prints a secret."""

import argparse
import os
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Final

from dealer_service.access.refusal import AccessError
from dealer_service.commands import say
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import find_log_key
from dealer_service.config import Settings
from dealer_service.fairness.randomness import EntropyGate, operating_system
from dealer_service.fairness.refusal import FairnessError
from dealer_service.keys import log_key_place, make_keys, rotate_sealing_key, sealing_key_places
from dealer_service.store.key_uri import KeyFile
from dealer_service.store.keyring import open_sealing_key, read_log_key
from dealer_service.store.refusal import Reason, StoreError

_MISSING: Final = (
    "name the dealer's own directory by --directory; a new dealer's keys are made by "
    "`cutcard-dealer keys make`"
)


def run(options: argparse.Namespace) -> int:
    """Do what is asked for; the exit status. Failure where it can not be."""
    gate = EntropyGate(operating_system, nullcontext())
    try:
        gate.test()
        return {"make": _make, "show": _show, "rotate-sealing": _rotate}[options.action](
            options, gate
        )
    except (StoreError, AccessError, FairnessError) as error:
        missing = isinstance(error, StoreError) and error.reason is Reason.KEY_FILE_MISSING
        raise Failure(str(error), _MISSING if missing else "") from None
    except OSError as error:
        message = f"can not use {options.directory}: {error.strerror}"
        raise Failure(message) from None


def _make(options: argparse.Namespace, gate: EntropyGate) -> int:
    origin = options.origin
    if origin is None:
        there = find_log_key(options.directory, options.log_key or "")
        if there is None:
            message = "a log key is of one dealer's name for ever, and none is given"
            raise Failure(message, "such as --origin dealer.example.com", status=Exit.USAGE)
        origin = there.name
    settings = _settings(options, origin)
    make_keys(settings, gate)
    for line in _describe(settings, gate):
        say.out(line)
    return Exit.DONE


def _show(options: argparse.Namespace, gate: EntropyGate) -> int:
    for line in _describe(_settings(options, ""), gate):
        say.out(line)
    return Exit.DONE


def _rotate(options: argparse.Namespace, gate: EntropyGate) -> int:
    settings = _settings(options, "")
    rotate_sealing_key(settings, gate)
    for line in _describe_sealing(settings, gate):
        say.out(line)
    say.note(
        "start the dealer again with these keys; when its log says sealing_key_can_be_removed, "
        "and no backup needs it, the old one can go"
    )
    return Exit.DONE


def _settings(options: argparse.Namespace, origin: str) -> Settings:
    return Settings(
        options.directory,
        origin,
        log_key_uri=options.log_key or "",
        sealing_key_uris=tuple(options.sealing_key),
    )


def _describe(settings: Settings, gate: EntropyGate) -> Iterator[str]:
    place = log_key_place(settings)
    yield f"log key      {place}  {read_log_key(place).verifier}"
    yield from _describe_sealing(settings, gate)
    token = settings.token_key
    yield f"token key    {KeyFile(token)}{'' if token.exists() else '  missing'}"


def _describe_sealing(settings: Settings, gate: EntropyGate) -> Iterator[str]:
    does = "seals"
    for place in sealing_key_places(settings):
        cipher = open_sealing_key(place, gate, first_start=False, environ=dict(os.environ))
        yield f"sealing key  {place}  {cipher.key_id.hex()}  {does}"
        does = "opens"
