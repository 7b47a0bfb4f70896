"""The rule cases of `tests/data/cases/rules.yaml`, whose header says what each field means."""

from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).parents[1] / "data/cases/rules.yaml"

# The loader in C, where it is: the other takes half a second, in each process of the tests.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CASES: list[dict[str, Any]] = yaml.load(_FILE.read_bytes(), _LOADER)["cases"]
