"""`python -m dealer_service` is the same command as `cutcard-dealer`."""

import sys

from dealer_service.cli import main

if __name__ == "__main__":
    sys.exit(main())
