"""A dealer that runs, for every test of the wire."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.service import Service, serving


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as running:
        yield running
