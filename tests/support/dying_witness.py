"""Runs the audit's command line as a witness that dies of SIGKILL at a step of keeping.

Called as `python -m tests.support.dying_witness STEP ARGUMENT...`: `before` anything is written,
`within` the unit that is written, or `after` it is on disk and nothing is answered yet.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from audit_cli.cli import main
from audit_cli.witness.state import State

STEPS = ("before", "within", "after")


def die_at(step: str) -> None:
    """Have the process killed at the first checkpoint that it keeps."""

    def dying(whole: Any) -> Any:
        def killed(self: State, *arguments: Any) -> Any:
            if step != "before":
                whole(self, *arguments)
            os.kill(os.getpid(), signal.SIGKILL)

        return killed

    for name in ("_keep",) if step == "within" else ("keep_latest", "keep_refused"):
        setattr(State, name, dying(getattr(State, name)))


if __name__ == "__main__":
    die_at(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
