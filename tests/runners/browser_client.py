"""Installs and builds the client for browsers, where something of it has changed."""

import sys

from tests.support.browser_client import built, missing


def main() -> int:
    """Give the exit status."""
    lacking = missing()
    if lacking is not None:
        sys.stderr.write(f"{lacking}\n")
        return 1
    sys.stdout.write(f"{built()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
