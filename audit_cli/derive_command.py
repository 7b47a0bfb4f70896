"""`cutcard-audit derive`: from cases to their decks, shown or as JSON, and compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.case import MAX_INPUT, parse_cases
from audit_cli.derive import StreamExhaustedError
from audit_cli.inputs import read_bounded, shown
from audit_cli.problem import Problem
from audit_cli.walkthrough import Walkthrough, derived_values, differences, show, walk

if TYPE_CHECKING:
    import argparse

DIFFERENT = 1
UNREADABLE = 3


def run(options: argparse.Namespace) -> int:
    """Derive, print, compare, and return the exit status; UsageError for a file not to be read."""
    name = options.file
    parsed = parse_cases(read_bounded(name, MAX_INPUT))
    if isinstance(parsed, Problem):
        say.error(f"{shown(name)}: {parsed}", parsed.hint)
        return UNREADABLE
    cases, listed = parsed
    walked: list[Walkthrough] = []
    for case in cases:
        try:
            walked.append(walk(case))
        except StreamExhaustedError as error:
            say.error(f"{shown(name)}: hand {case.hand:,} has no deck: {error}")
            return UNREADABLE
    values = [derived_values(entry) for entry in walked]
    if options.json:
        say.out(json.dumps(values if listed else values[0]) + "\n")
    else:
        say.out("\n".join(show(*pair) for pair in zip(walked, values, strict=True)))
    different = 0
    compared = 0
    for index, pair in enumerate(zip(walked, values, strict=True), 1):
        compared += len(pair[0].case.expect or {})
        for words in differences(*pair):
            different += 1
            say.error(f"case {index}: {words}" if listed else words)
    if different:
        say.note(f"{different} difference{'s' if different > 1 else ''}")
        return DIFFERENT
    if not options.json and compared:
        say.out(f"\nall {compared} expected values agree\n")
    return 0
