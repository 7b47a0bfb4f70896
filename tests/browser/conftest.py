"""A browser for each process of the tests, and a page in it that asks the page's own modules."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.support.browser import browsing, missing, write_probe


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Start Chromium once."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    with browsing(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture
def probe(shared_browser: Chrome, tmp_path: Path) -> Chrome:
    """Open the page that answers what the tests ask of single modules."""
    place = write_probe(tmp_path, Path(__file__).parent / "probe.js")
    shared_browser.get(place.as_uri())
    return shared_browser
