"""A real browser without a screen: Debian's Chromium, driven by its own driver."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from selenium import webdriver
from selenium.webdriver import Chrome
from selenium.webdriver.support.ui import WebDriverWait

from audit_cli.page.assembling import bundle, policy_of, read_sources

PATIENCE_S: Final = 120
"""A test that waits longer than this hangs: it says nothing about speed."""

DESKTOP: Final = (1280, 900)
PHONE: Final = (360, 740)

_FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
)
_AXE: Final = Path(__file__).parent.parent / "data" / "axe" / "axe.min.js"
_STANDARDS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def missing() -> str | None:
    """Say what is not on this machine; None where all is."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return "Chromium is not installed (chromium, chromium-driver)"
    return None


@contextmanager
def browsing(folder: Path, *flags: str) -> Iterator[Chrome]:
    """Start a browser whose profile is new and lies in a folder; end it after."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*_FLAGS, f"--user-data-dir={folder / 'profile'}", *flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(str(shutil.which("chromedriver")))
    driver = Chrome(options=options, service=service)
    driver.set_script_timeout(PATIENCE_S)
    driver.set_page_load_timeout(PATIENCE_S)
    try:
        yield driver
    finally:
        driver.quit()


def resize(driver: Chrome, size: tuple[int, int]) -> None:
    """Make the page's own area so many pixels wide and high."""
    width, height = size
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
    )


def prefer(driver: Chrome, **features: str) -> None:
    """Have the page see what a person prefers, such as prefers_color_scheme="dark"."""
    named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": named})


def wait_for(driver: Chrome, script: str, *arguments: object) -> Any:
    """Wait until a script gives something that counts as true, and give it."""
    waiting = WebDriverWait(driver, PATIENCE_S, poll_frequency=0.02)
    return waiting.until(lambda one: one.execute_script(script, *arguments))


def complaints(driver: Chrome) -> list[str]:
    """Give what the browser's console was told since the last time, but for mere information."""
    return [
        one["message"] for one in _log(driver, "browser") if one["level"] not in ("INFO", "DEBUG")
    ]


def requests_of(driver: Chrome) -> list[str]:
    """Give the addresses that were asked for since the last time, files and data apart."""
    found = []
    for one in _log(driver, "performance"):
        message = json.loads(one["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
    return [url for url in found if not url.startswith(("file:", "data:", "blob:", "chrome:"))]


def _log(driver: Chrome, name: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = driver.execute("getLog", {"type": name})["value"]
    return told


def find_barriers(driver: Chrome) -> list[str]:
    """Give what axe-core finds on the page as it stands, by WCAG 2.2 A and AA: a line each."""
    if driver.execute_script("return window.axe === undefined"):
        driver.execute_script(_AXE.read_text(encoding="utf-8"))
    found = driver.execute_async_script(
        """
        const [standards, done] = arguments;
        axe.run(document, {runOnly: {type: "tag", values: standards}}).then(
          (result) => done(result.violations.map((one) => [
            one.id, one.help, one.nodes.map((node) => [node.html, node.failureSummary])])),
          (error) => done([["axe", String(error), []]]));
        """,
        list(_STANDARDS),
    )
    return [f"{name}: {text}: {nodes}" for name, text, nodes in found]


def write_probe(folder: Path, source: Path) -> Path:
    """Write a page that runs one module of the tests above the page's own modules.

    The module imports them as if it lay beside `worker.js`; it runs under the page's policy.
    """
    sources: Mapping[str, str] = {
        **read_sources(),
        "probe.js": source.read_text(encoding="utf-8"),
    }
    script = bundle(sources, "probe.js")
    html = (
        '<!doctype html><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy_of(script, "")}">'
        f'<title>probe</title><input type="file" id="files" multiple><script>{script}</script>'
    )
    place = folder / "probe.html"
    place.write_text(html, encoding="utf-8")
    return place


def give_files(driver: Chrome, selector: str, paths: Sequence[Path]) -> None:
    """Choose files in a page's field for files."""
    driver.find_element("css selector", selector).send_keys("\n".join(map(str, paths)))
