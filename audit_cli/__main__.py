"""`python -m audit_cli` is the same command as `cutcard-audit`."""

import sys

from audit_cli.cli import main

if __name__ == "__main__":
    sys.exit(main())
