"""One hash of the programs that derive, count and judge, the same wherever they are installed."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import audit_cli
from audit_cli.hashing import framed


@cache
def hash_code() -> str:
    """Return SHA-256, in hex, over path and content of every source of the audit, by path.

    Line ends are LF, whatever the installation made of them.
    """
    root = Path(audit_cli.__path__[0])
    total = sha256()
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        total.update(framed(path.relative_to(root).as_posix().encode()))
        total.update(framed(path.read_bytes().replace(b"\r\n", b"\n")))
    return total.hexdigest()
