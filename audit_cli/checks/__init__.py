"""The checks of an audit, one module for each promise, and the shape that they share.

`CHECKS` is the whole list: a check that is added there takes part in every audit. A check sees
only entries that a good checkpoint covers, each once and in order, and hands each finding to the
function that it was made with. It reports once more, in `conclude`, what holds and why.
"""

from __future__ import annotations

from audit_cli.checks.check import Check, CheckMaker, Emit, Request
from audit_cli.checks.consistent import Consistent
from audit_cli.checks.log import GameLog
from audit_cli.checks.signed import SignedBy

CHECKS: tuple[CheckMaker, ...] = (SignedBy, Consistent, GameLog)

__all__ = ["CHECKS", "Check", "CheckMaker", "Emit", "Request"]
