"""`cutcard-dealer token`: prints a token for a player or an operator, and nothing else."""

import argparse

from dealer_service.access.roles import Role
from dealer_service.commands import say
from dealer_service.commands.failure import Exit
from dealer_service.commands.keeping import TokenOffice


def run(options: argparse.Namespace) -> int:
    """Print the token alone on standard output."""
    office = TokenOffice(options.directory)
    say.out(office.issue(options.name, Role(options.role), options.ttl))
    return Exit.DONE
