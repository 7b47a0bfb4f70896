"""A person at the page: files go in by its own fields, and what it shows is read from it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selenium.webdriver import ActionChains, Chrome

from tests.support.browser import give_files, wait_for

READ_REPORT: Final = """
    const grow = () => [...document.querySelectorAll(".report button")]
      .filter((one) => !one.hidden && /^Show [0-9,]+ more/.test(one.textContent));
    while (grow().length > 0) grow()[0].click();
    const text = (one) => one?.textContent ?? "";
    const findings = (place) => [...place.querySelectorAll(".finding")].map((one) => ({
      text: text(one.querySelector(".finding-text > span:last-child")),
      place: text(one.querySelector(".place")),
      pair: [...one.querySelectorAll(".pair dd")].map(text),
    }));
    return {
      title: text(document.querySelector("#verdict-title")),
      words: text(document.querySelector(".verdict-text")),
      damage: [...document.querySelectorAll("[aria-labelledby=damage-title] .finding")]
        .map((one) => one.textContent),
      promises: [...document.querySelectorAll(".promise")].map((one) => ({
        promise: text(one.querySelector(".code")),
        verdict: text(one.querySelector("summary .chip")).trim(),
        plain: text(one.querySelector(".promise-says")),
        means: text(one.querySelector(".means")),
        open: one.querySelector("details").open,
        findings: findings(one),
      })),
    };
"""


@dataclass(frozen=True, slots=True)
class Player:
    """A person at the page, with a folder for the files that they have."""

    driver: Chrome
    page: Path
    folder: Path

    def come(self, fragment: str = "", page: Path | None = None) -> None:
        """Open the page afresh."""
        self.driver.get("about:blank")
        self.driver.get(f"{(page or self.page).as_uri()}{fragment}")

    def keep(self, name: str, content: bytes | str) -> Path:
        """Have a file."""
        data = content.encode() if isinstance(content, str) else content
        place = self.folder / name
        place.write_bytes(data)
        return place

    def enter_key(self, key: str, field: str = "#key") -> None:
        """Type a key into its field."""
        self.driver.find_element("css selector", field).send_keys(key)

    def choose(self, *files: Path) -> None:
        """Choose files, in the first field for them."""
        give_files(self.driver, "input[type=file]", files)

    def drop(self, *files: Path) -> None:
        """Drop files on the page, as from another window."""
        dragged = {"items": [], "files": [str(one) for one in files], "dragOperationsMask": 1}
        for event in ("dragEnter", "dragOver", "drop"):
            self.driver.execute_cdp_cmd(
                "Input.dispatchDragEvent", {"type": event, "x": 200, "y": 200, "data": dragged}
            )

    def report(self) -> dict[str, Any]:
        """Wait until the check is done, and read all that the report tells."""
        wait_for(self.driver, "return document.querySelector('.report') !== null")
        return dict(self.run(READ_REPORT))

    def check(self, *files: Path, key: str | None = None, fragment: str = "") -> dict[str, Any]:
        """Come to the page, choose files, and read the report."""
        self.come(fragment)
        if key is not None:
            self.enter_key(key)
        self.choose(*files)
        return self.report()

    def wait(self, script: str, *arguments: object) -> Any:
        """Wait until a script gives something."""
        return wait_for(self.driver, script, *arguments)

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """Wait for an element, and give its text."""
        script = "return document.querySelector(arguments[0])?.textContent"
        return str(self.wait(script, selector))

    def click(self, selector: str) -> None:
        """Click on an element."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def press(self, *keys: str) -> None:
        """Press keys one after another, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def focused(self) -> str:
        """Give the name of what has the focus: its label or its text."""
        script = """
            const one = document.activeElement;
            return (one.labels?.[0] ?? one).textContent.trim() || one.id;
        """
        return str(self.run(script))

    def compare(self, mine: str, theirs: str, key: str | None = None) -> str:
        """Put two texts into the fields, compare them, and give the answer."""
        if key is not None:
            self.enter_key(key, "#compare-key")
        for selector, text in (("#note-mine", mine), ("#note-theirs", theirs)):
            # A long text is pasted, not typed.
            self.run("document.querySelector(arguments[0]).focus()", selector)
            self.driver.execute_cdp_cmd("Input.insertText", {"text": text})
        self.click(".tool-form button[type=submit]")
        return self.text(".result .answer")
