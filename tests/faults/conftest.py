"""A dealer that runs, for the tests that need no more of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.service import Service, serving


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as running:
        yield running
