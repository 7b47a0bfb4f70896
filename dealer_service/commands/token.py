"""`cutcard-dealer token`: prints a token for a role, everywhere or at games, and nothing else."""

import argparse

from dealer_service.access.roles import Role
from dealer_service.commands import say
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import TokenOffice


def run(options: argparse.Namespace) -> int:
    """Print the token alone on standard output."""
    office = TokenOffice(options.directory, options.log_key or "")
    role = Role(options.role) if options.role else None
    if role is None and not options.table:
        message = "a token needs --role, or --table for each game that it is for"
        raise Failure(message, status=Exit.USAGE)
    say.out(office.issue(options.name, role, options.ttl, dict(options.table)))
    return Exit.DONE
