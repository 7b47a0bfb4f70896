"""Runs a module as `python -m` does, under a limit that the operating system holds.

`python limited.py RLIMIT_AS 1000000 MODULE ARGUMENT …`. A limit that is set between fork and exec
is set in a copy of the test's own process, which gRPC's threads do not survive.
"""

import resource
import runpy
import sys
from pathlib import Path


def main(name: str, most: str, module: str, *arguments: str) -> None:
    resource.setrlimit(getattr(resource, name), (int(most), int(most)))
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def limited(name: str, most: int) -> list[str]:
    """Give the beginning of a command whose process is limited; the module's name comes next."""
    return [sys.executable, __file__, name, str(most)]


if __name__ == "__main__":
    main(*sys.argv[1:])
