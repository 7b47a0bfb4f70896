"""Reads a Compose file as the Compose Specification has it; unknown keys and wrong types are said.

    python -m tests.runners.compose deploy/compose/compose.yaml

It runs where the tools of `make lint-deploy` are. What the file refers to is looked at by
tests/deploy/test_compose.py.
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml
from compose_spec import PyCompose  # type: ignore[import-not-found]  # of other tools


def main(arguments: list[str]) -> int:
    """Read each file; 1 where one is not as it should be."""
    status = 0
    for path in arguments:
        # Merge keys are YAML's own, and gone when it is read.
        content: Any = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        try:
            read = PyCompose.from_json(json.dumps(content))
        except ValueError as error:
            sys.stderr.write(f"{path}: {error}\n")
            status = 1
        else:
            sys.stdout.write(f"{path}: {len(read.services or {})} services\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
