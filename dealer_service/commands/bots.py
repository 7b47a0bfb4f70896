"""`cutcard-dealer bots`: fills a table, or a tournament, with house players."""

import argparse

from dealer_service.commands.filling import fill
from dealer_service.commands.loops import run_loop
from dealer_service.commands.seating import fill_table


def run(options: argparse.Namespace) -> int:
    """Let house players play to the end, or until a signal."""
    return run_loop(fill_table(options) if options.tournament is None else fill(options))
