"""A person at the browser client's table page: what is typed, clicked and read."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selenium.common.exceptions import TimeoutException
from selenium.webdriver import ActionChains, Chrome

from tests.support.browser import complaints, wait_for

_FILES_MS: Final = 20


@dataclass(frozen=True)
class TablePage:
    """The page in a browser, which saves what it downloads in a folder.

    The browser's driver waits, so that each is called in a thread while the dealer runs here.
    """

    driver: Chrome
    url: str
    downloads: Path

    async def come(self) -> None:
        """Open the page afresh."""
        await asyncio.to_thread(self._come)

    def _come(self) -> None:
        self.driver.get(self.url)
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior",
            {"behavior": "allow", "downloadPath": str(self.downloads)},
        )

    async def enter(self, **fields: str) -> None:
        """Fill in the form and take the seat."""
        await asyncio.to_thread(self._enter, fields)

    def _enter(self, fields: dict[str, str]) -> None:
        for name, value in fields.items():
            field = self.driver.find_element("id", name)
            field.clear()
            field.send_keys(value)
        self.driver.find_element("css selector", "#enter button").click()

    async def reload(self) -> None:
        """Have the browser load the page again."""
        await asyncio.to_thread(self.driver.refresh)

    async def forget(self) -> None:
        """Go away from the page, which then goes on by itself no more; what it kept stays."""
        await asyncio.to_thread(self.driver.execute_script, "sessionStorage.clear()")
        await asyncio.to_thread(self.driver.get, "about:blank")

    async def until(self, script: str, *arguments: object) -> Any:
        """Wait until a script gives something that counts as true."""
        try:
            return await asyncio.to_thread(wait_for, self.driver, script, *arguments)
        except TimeoutException:
            raise AssertionError(await self.text("body"), complaints(self.driver)) from None

    async def until_told(self, words: str, where: str = "body") -> str:
        """Wait until an element tells these words, and give all that it tells."""
        script = """
            const text = document.querySelector(arguments[0]).textContent;
            return text.includes(arguments[1]) && text;
        """
        return str(await self.until(script, where, words))

    async def text(self, where: str) -> str:
        """Give what an element tells now."""
        script = "return document.querySelector(arguments[0]).textContent"
        return str(await asyncio.to_thread(self.driver.execute_script, script, where))

    async def click(self, where: str) -> None:
        """Wait until something can be clicked, and click it."""
        await self.until(
            """
            const one = document.querySelector(arguments[0]);
            const is = one.checkVisibility() && !one.matches(":disabled");
            if (is) one.click();
            return is;
            """,
            where,
        )

    async def press(self, key: str) -> None:
        """Press a key, wherever the focus is."""
        await asyncio.to_thread(ActionChains(self.driver).send_keys(key).perform)

    async def play_on(self, until: str) -> None:
        """Check and call in each turn, until the story tells these words."""
        await self.until(
            """
            if (document.querySelector("#story").textContent.includes(arguments[0])) return true;
            const may = (id) => document.querySelector(id).checkVisibility();
            if (!document.querySelector("#acts").disabled) {
              document.querySelector(may("#check") ? "#check" : "#call").click();
            }
            return false;
            """,
            until,
        )

    async def download(self, where: str, name: str) -> Path:
        """Save a file that the page offers, and wait until it is there."""
        await self.click(where)
        place = self.downloads / name
        async with asyncio.timeout(60):
            while not place.exists():  # noqa: ASYNC110 - nothing tells of a file of the browser's
                await asyncio.sleep(_FILES_MS / 1000)
        return place
