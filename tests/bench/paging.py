"""`page_hands`: a long game checked by the page in a real browser, beside its own hashing.

The game is that of `verify_hands`. What counts is the time from choosing the file until the page
shows its verdict; the yardstick are digests that WebCrypto gives one page, some hundred in flight.
"""

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from selenium.webdriver import Chrome

from audit_cli.page.assembling import assemble, read_sources
from tests.bench.figure import Figure, Goal, measure_in_turn
from tests.bench.verifying import game_file
from tests.support.browser import browsing, give_files, wait_for

GOAL: Final = Goal(
    "page_hands", "hands/s", "SHA-256 digests of 64 bytes/s by WebCrypto", "higher", 0.001
)
HANDS: Final = 1_000
QUICK_HANDS: Final = 20
DIGESTS: Final = 100_000
AT_ONCE: Final = 500


def measure(*, quick: bool = False) -> Figure:
    """Measure hands a second."""
    hands = QUICK_HANDS if quick else HANDS
    digests = DIGESTS // 20 if quick else DIGESTS
    with (
        game_file(hands) as path,
        TemporaryDirectory() as folder,
        browsing(Path(folder)) as driver,
    ):
        page = Path(folder) / "page.html"
        page.write_text(assemble(read_sources()), encoding="utf-8")
        seconds: list[float] = []

        def own() -> float:
            seconds.append(check(driver, page, path))
            return hands / seconds[-1]

        figure = measure_in_turn(GOAL, own, lambda: hash_many(driver, digests), 2 if quick else 3)
    remark = f"{hands} six-player hands in {min(seconds):.1f} to {max(seconds):.1f} s"
    return replace(figure, remark=remark)


def check(driver: Chrome, page: Path, path: Path) -> float:
    """Have the page check a file, all of which must hold but its signer; gives seconds."""
    driver.get("about:blank")
    driver.get(page.as_uri())
    wait_for(driver, "return document.querySelector('input[type=file]')")
    began = time.perf_counter()
    give_files(driver, "input[type=file]", [path])
    title = wait_for(driver, "return document.getElementById('verdict-title')?.textContent")
    took = time.perf_counter() - began
    assert "whose game" in title, title
    return took


def hash_many(driver: Chrome, count: int) -> float:
    """Hash 64 bytes again and again in the page; gives digests a second."""
    seconds: float = driver.execute_async_script(
        """
        const [count, atOnce, done] = arguments;
        const run = async () => {
          const bytes = new Uint8Array(64);
          const began = performance.now();
          for (let made = 0; made < count; made += atOnce) {
            await Promise.all(
              Array.from({length: atOnce}, () => crypto.subtle.digest("SHA-256", bytes)));
          }
          return (performance.now() - began) / 1000;
        };
        run().then(done);
        """,
        count,
        AT_ONCE,
    )
    return count / seconds
