"""`cutcard-audit fingerprint`: which core the installed dealer has, and whether it was certified.

Nothing of the dealer is imported or run: its sources are read and hashed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit_cli import say
from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.certify.core import read_core
from audit_cli.rng.certify.evidence import CORE, read_object
from audit_cli.rng.certify.installed import site_path
from audit_cli.rng.certify.manifest import MANIFEST, Manifest, parse_manifest
from audit_cli.rng.certify.sources import differences
from audit_cli.rng.file_hash import hash_file

if TYPE_CHECKING:
    import argparse

ANOTHER = 1
UNREADABLE = 3


class _UnreadableError(Exception):
    """What is to be compared can not be read: exit status 3."""


def run(options: argparse.Namespace) -> int:
    """Hash, compare, print, and return the exit status; UsageError for folders that are none."""
    try:
        path = site_path(options.site)
    except NotADirectoryError:
        message = f"--site {shown(options.site)}: no such folder"
        raise UsageError(message) from None
    try:
        certified = None if options.bundle is None else _certified(Path(options.bundle))
        core = read_core(path)
    except (OSError, SyntaxError, _UnreadableError) as error:
        words = reason(error) if isinstance(error, OSError) else str(error)
        say.error(f"the core can not be compared: {words}")
        return UNREADABLE
    if core is None:
        say.error("no dealer is installed here", "`--site DIR` names the folder of its packages")
        return UNREADABLE
    found = core.sources
    told: dict[str, Any] = {
        "fingerprint": found.fingerprint,
        "release": core.release,
        "version": core.version,
        "files": {each.path: each.sha256 for each in found.files},
    }
    different: tuple[str, ...] = ()
    if certified is not None:
        different = differences(certified["hashes"], found)
        told["certified"] = certified["hashes"]["fingerprint"]
        told["differences"] = list(different)
        told["same"] = not different
    if options.json:
        say.out(json.dumps(told, sort_keys=True) + "\n")
    else:
        say.out(_in_words(told, compared=certified is not None))
    return ANOTHER if different else 0


def _certified(bundle: Path) -> dict[str, Any]:
    """Return the bundle's hash list, if it is the one that its manifest names."""
    if not bundle.is_dir():
        message = f"--bundle {shown(str(bundle))}: no such folder"
        raise UsageError(message)
    manifest = parse_manifest((bundle / MANIFEST).read_bytes())
    if not isinstance(manifest, Manifest):
        raise _UnreadableError(str(manifest))
    named = {entry.path: entry.sha256 for entry in manifest.entries}
    if CORE not in named:
        message = "the bundle has no hash list: no dealer was installed where it was made"
        raise _UnreadableError(message)
    if hash_file(bundle / CORE) != named[CORE]:
        message = f"{CORE} is not the file that the manifest names (`bundle verify` says more)"
        raise _UnreadableError(message)
    try:
        read = read_object(bundle, CORE)
    except ValueError as error:
        raise _UnreadableError(str(error)) from None
    if read is None:
        message = f"{CORE} is gone"
        raise _UnreadableError(message)
    return read


def _in_words(told: dict[str, Any], *, compared: bool) -> str:
    number = told["version"]
    lines = [f"{digest}  {path}" for path, digest in told["files"].items()]
    which = f"version {number}" if number else "of no version that it names"
    release = f", of cutcard {told['release']}" if told["release"] else ""
    lines += ["", f"fingerprint {told['fingerprint']} ({which}{release})"]
    if compared:
        lines.append(f"certified   {told['certified']}")
        lines += [f"  {words}" for words in told["differences"]]
        lines.append("the same" if told["same"] else "another core than the one that was certified")
    return "\n".join(lines) + "\n"
