"""Reads the protocol's vectors and the public known answers, by file name."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_TESTS = Path(__file__).parent.parent


@cache
def vectors(name: str) -> Any:
    """Give the content of proto/vectors/`name`."""
    return json.loads((_TESTS.parent / "proto" / "vectors" / name).read_bytes())


@cache
def known_answers(name: str) -> Any:
    """Give the content of tests/data/kat/`name`."""
    return json.loads((_TESTS / "data" / "kat" / name).read_bytes())
