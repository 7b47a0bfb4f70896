"""`cutcard-dealer migrate`: says which steps the store lacks, and takes them."""

import argparse
from typing import Final

from dealer_service.commands import say
from dealer_service.commands.failure import Exit, Failure
from dealer_service.config import Settings
from dealer_service.store.opening import find_lacking, migrate
from dealer_service.store.refusal import StoreError

_PATIENCE_SECONDS: Final = 10.0


def run(options: argparse.Namespace) -> int:
    """Migrate; Failure where the store can not be or is not ours."""
    path = Settings(options.directory).store
    try:
        lacking = find_lacking(options.store, path, _PATIENCE_SECONDS)
        if not lacking.steps:
            say.out(f"{lacking.shown} is of version {lacking.version}: nothing to do")
            return Exit.DONE
        say.out(f"{lacking.shown} is of version {lacking.version} and lacks:")
        for step in lacking.steps:
            say.out(f"  {step.version}: {step.words}")
        if options.dry_run:
            return Exit.DONE
        migrate(options.store, path, _PATIENCE_SECONDS)
    except StoreError as error:
        raise Failure(str(error)) from None
    say.out(f"done: it is of version {lacking.steps[-1].version}")
    return Exit.DONE
