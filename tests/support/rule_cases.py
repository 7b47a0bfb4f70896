"""The rule cases of `tests/data/cases/rules.yaml`, whose header says what each field means."""

from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).parents[1] / "data/cases/rules.yaml"

CASES: list[dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))["cases"]
