"""`cutcard-dealer key`: prints the verifier key of the dealer's logs, and nothing else."""

import argparse

from dealer_service.commands import say
from dealer_service.commands.failure import Exit
from dealer_service.commands.keeping import verifier_key


def run(options: argparse.Namespace) -> int:
    """Print the key alone on standard output."""
    say.out(verifier_key(options.directory, options.log_key or ""))
    return Exit.DONE
