"""`cutcard-audit bundle verify`: is a bundle whole, signed, and do its figures follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.given import given_key
from audit_cli.inputs import UsageError, reason, shown
from audit_cli.problem import printable
from audit_cli.rng.certify.check import check_bundle

if TYPE_CHECKING:
    import argparse

    from audit_cli.rng.certify.findings import Findings

BROKEN = 1
UNREADABLE = 3

_LONGEST = 500


def run(options: argparse.Namespace) -> int:
    """Check, print, and return the exit status; UsageError for what is no folder or no key."""
    bundle = open_bundle(options.bundle)
    trusted = None if options.key is None else given_key(options.key)
    try:
        found = check_bundle(bundle, trusted)
    except OSError as error:
        say.error(f"{shown(options.bundle)} can not be read: {reason(error)}")
        return UNREADABLE
    say.out(_as_json(found) if options.json else _in_words(found))
    return BROKEN if found.faults else 0


def open_bundle(name: str) -> Path:
    """Return the folder of a bundle. UsageError where it is no folder."""
    bundle = Path(name)
    if not bundle.is_dir():
        message = f"{shown(name)} is no folder"
        raise UsageError(message, "a bundle is the folder that `cutcard-audit certify` made")
    return bundle


def _as_json(found: Findings) -> str:
    value = {
        "checked": found.checked,
        "faults": found.faults,
        "key": found.signer,
        "key_trusted": found.trusted,
        "notes": found.notes,
        "root": found.root,
        "whole": not found.faults,
    }
    return json.dumps(value, sort_keys=True) + "\n"


def _in_words(found: Findings) -> str:
    lines = [f"  {printable(words, _LONGEST)}" for words in found.checked]
    lines += [f"  note: {printable(words, _LONGEST)}" for words in found.notes]
    if found.root:
        lines += ["", f"root {found.root}"]
    if found.signer:
        whose = "the trusted key" if found.trusted else "a key that the bundle names itself"
        lines.append(f"key  {printable(found.signer, _LONGEST)} ({whose})")
    if found.faults:
        lines += ["", f"{len(found.faults)} fault{'s' if len(found.faults) > 1 else ''}:"]
        lines += [f"  {printable(words, _LONGEST)}" for words in found.faults]
        lines.append("this bundle is not what was signed, or does not follow from its own figures")
    elif found.trusted:
        lines += ["", "whole, signed by the trusted key, and all that can be worked out follows"]
    else:
        lines += [
            "",
            "whole, and all that can be worked out follows; whose key it is, `--key` decides",
        ]
    return "\n".join(lines) + "\n"
