"""Runs the audit's command line as a monitor that dies of SIGKILL at a step of keeping.

Called as `python -m tests.support.dying_watch STEP ARGUMENT...`: when the new tip is on disk and no
line is read (`tip`), within a lot that is read (`lot`), behind the first lot (`next`), or when
evidence stands in a file and that is not kept yet (`evidence`).
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from audit_cli.cli import main
from audit_cli.watch import following
from audit_cli.watch.state import State

STEPS = ("tip", "lot", "next", "evidence")


def _dying(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(step: str) -> None:
    """Have the process killed at a step."""
    if step == "evidence":
        State.is_written = _dying  # type: ignore[method-assign, assignment]
        return
    if step == "lot":
        State.keep_leaves = _dying  # type: ignore[method-assign, assignment]
        return
    name, owner = ("keep_tip", State) if step == "tip" else ("_take", following)
    whole = getattr(owner, name)

    def then_dying(*arguments: Any) -> None:
        whole(*arguments)
        _dying()

    setattr(owner, name, then_dying)


if __name__ == "__main__":
    die_at(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
