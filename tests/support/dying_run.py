"""Runs the audit's command line, and dies of SIGKILL at the file that it would write next.

Called as `python -m tests.support.dying_run NTH WHEN ARGUMENT...`: at the NTH file, WHEN it is
written beside its place (`before` it gets its name) or there (`after`).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from audit_cli.cli import main


def die_at(nth: int, *, after: bool) -> None:
    """Have the process killed at the nth renaming of a file."""
    replace = Path.replace
    count = 0

    def dying(self: Path, target: str | Path) -> Path:
        nonlocal count
        count += 1
        done = replace(self, target) if count < nth or after else Path(target)
        if count >= nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    Path.replace = dying  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    die_at(int(sys.argv[1]), after=sys.argv[2] == "after")
    sys.exit(main(sys.argv[3:]))
