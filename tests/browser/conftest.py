"""A browser for each process of the tests, and a page in it that asks the page's own modules."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from audit_cli.page.assembling import assemble, read_sources
from tests.support.browser import (
    DESKTOP,
    browsing,
    complaints,
    missing,
    prefer,
    requests_of,
    resize,
    write_probe,
)
from tests.support.page_player import Player


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Start Chromium once."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    with browsing(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture(scope="session")
def written_probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page that answers what the tests ask of single modules."""
    return write_probe(tmp_path_factory.mktemp("probe"), Path(__file__).parent / "probe.js")


@pytest.fixture
def probe(shared_browser: Chrome, written_probe: Path) -> Chrome:
    """Open that page afresh."""
    shared_browser.get(written_probe.as_uri())
    return shared_browser


@pytest.fixture(scope="session")
def written_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page, without a game in it."""
    place = tmp_path_factory.mktemp("page") / "cutcard.html"
    place.write_text(assemble(read_sources()), encoding="utf-8")
    return place


@pytest.fixture
def player(shared_browser: Chrome, written_page: Path, tmp_path: Path) -> Iterator[Player]:
    """A player at a desk; after the test nothing was asked for, and nothing complained of."""
    complaints(shared_browser)
    requests_of(shared_browser)
    resize(shared_browser, DESKTOP)
    prefer(shared_browser)
    yield Player(shared_browser, written_page, tmp_path)
    prefer(shared_browser)
    assert complaints(shared_browser) == []
    assert requests_of(shared_browser) == []
