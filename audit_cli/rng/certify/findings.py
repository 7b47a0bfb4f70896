"""What checking a bundle finds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Findings:
    """What was found: `faults` spoil the bundle, `notes` are to be known, `checked` was done."""

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    root: str = ""
    signer: str = ""
    trusted: bool = False
