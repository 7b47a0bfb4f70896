"""One token for all tests of this folder, each with keys of its own."""

import os
from collections.abc import Iterator
from itertools import count

import pytest

from tests.support.tokens import SoftToken


@pytest.fixture(scope="session")
def token(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftToken]:
    made = SoftToken(tmp_path_factory.mktemp("hsm"), "dealer")
    before = os.environ.get("SOFTHSM2_CONF")
    os.environ |= made.environ
    yield made
    if before is None:
        del os.environ["SOFTHSM2_CONF"]
    else:
        os.environ["SOFTHSM2_CONF"] = before


_NUMBERS = count(1)


@pytest.fixture
def name() -> str:
    """Give a name that no key of the token has yet."""
    return f"key-{next(_NUMBERS)}"
