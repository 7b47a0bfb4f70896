"""What a command line asks of a run; None wherever it leaves a choice to the plan that is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError
from audit_cli.rng.plan import Kind
from audit_cli.rng.remote import where
from audit_cli.rng.running.pool import cores

if TYPE_CHECKING:
    import argparse

    from audit_cli.rng.remote import Where

_SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose hands, and how many: `kind` and what belongs to it, a preset, or a number of decks."""

    kind: Kind | None = None
    secret: bytes | None = field(default=None, repr=False)
    file: str | None = None
    place: Where | None = None
    preset: str | None = None
    hands: int | None = None


def read_asked(options: argparse.Namespace) -> Asked:
    """Read a command line. UsageError for what contradicts itself, or can not be read."""
    decks: str | None = getattr(options, "decks", None)
    named = {
        Kind.LAB: options.secret is not None,
        Kind.SYSTEM: bool(options.system),
        Kind.DEALER: options.dealer is not None,
        Kind.HANDS: options.hands is not None,
        Kind.DECKS: decks is not None,
    }
    kinds = [kind for kind, given in named.items() if given]
    if len(kinds) > 1:
        message = "hands come from one place: name one of --secret, --system, --dealer, --hands"
        raise UsageError(message + (", --decks" if hasattr(options, "decks") else ""))
    if options.preset is not None and options.count is not None:
        message = "--preset and --count both say how many decks: leave one out"
        raise UsageError(message)
    kind = kinds[0] if kinds else None
    return Asked(
        kind=kind,
        secret=None if options.secret is None else read_secret(options.secret),
        file=options.hands if kind is Kind.HANDS else decks,
        place=where(options, options.dealer) if kind is Kind.DEALER else None,
        preset=options.preset,
        hands=options.count,
    )


def read_workers(options: argparse.Namespace) -> int:
    """Return the number of processes: one for each core, where none is given. UsageError."""
    workers: int | None = options.workers
    if workers is not None and workers < 1:
        message = f"--workers is a number of processes, at least 1, not {workers}"
        raise UsageError(message)
    return workers or cores()


def read_secret(text: str) -> bytes:
    """Return the secret that `--secret` gives in hex. UsageError where it is none of 32 bytes."""
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != _SECRET_BYTES:
        message = "--secret is 64 hex digits, 32 bytes"
        raise UsageError(message, "leave it out for a fresh one, which the results tell")
    return secret
