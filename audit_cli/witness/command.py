"""`cutcard-audit witness`: serves a witness until it is told to end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.given import given_key
from audit_cli.inputs import UsageError, read_bounded, shown
from audit_cli.serving import ending, parse_address, serving
from audit_cli.witness.service import Witness
from audit_cli.witness.state import opened_state

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from audit_cli.note import VerifierKey

_MAX_LOGS = 1024 * 1024


def run(options: argparse.Namespace) -> int:
    """Serve, and return the exit status; UsageError where the command line is wrong."""
    address = parse_address(options.listen)
    keys = _keys(options.log, options.logs)
    if not keys and not options.show_key:
        message = "no log to witness"
        raise UsageError(message, "give the verifier key of each: --log VKEY, or --logs FILE")
    with opened_state(Path(options.state), options.name) as (state, signer):
        if options.show_key:
            say.out(f"{signer.key.text}\n")
            return 0
        witness = Witness(state, signer, keys, lambda: int(time.time()))
        with ending() as ended, serving(address, witness.site()) as url:
            say.note(f"{signer.key.text} witnesses {', '.join(map(shown, keys))}")
            say.note(f"serving on {url}")
            ended.wait()
            witness.close()
    return 0


def _keys(given: Sequence[str], file: str | None) -> dict[str, list[VerifierKey]]:
    """Return the key of each log by its origin line, which is the key's name.

    A log has one key for ever, so that what it signs can be held against it.
    """
    texts = [("--log", text) for text in given]
    if file is not None:
        data = read_bounded(file, _MAX_LOGS)
        if len(data) > _MAX_LOGS:
            message = f"--logs {shown(file)}: larger than any list of logs"
            raise UsageError(message)
        lines = data.decode("utf-8", "replace").split("\n")
        texts += [
            (f"--logs {shown(file)}, line {number}", line.strip())
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
    keys: dict[str, list[VerifierKey]] = {}
    for source, text in texts:
        key = given_key(text, source)
        if keys.setdefault(key.name, [key]) != [key]:
            message = f"{source}: another key of {shown(key.name)} than the one before"
            raise UsageError(message, "a log has one key for ever: a new key has a new name")
    return keys
