"""A hand on the page: the table step by step, each card's proof, and the deck's journey."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.keys import Keys

from audit_cli.derive import CARDS, Deck, derive_deck
from audit_cli.page.assembling import Embedded, assemble, read_sources
from dealer_service.fairness import deck
from dealer_service.fairness.deck import SealedDeck
from tests.support.browser import (
    DESKTOP,
    PHONE,
    complaints,
    find_barriers,
    prefer,
    resize,
    wait_for,
)
from tests.support.simulator import (
    HOUSE_LIFE,
    HOUSES,
    LIVELY,
    Cheat,
    Simulator,
    play_game,
)

RANKS: Final = (*map(str, range(2, 11)), "jack", "queen", "king", "ace")
SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
SPOKEN: Final = dict(
    zip(CARDS, (f"{rank} of {suit}" for rank in RANKS for suit in SUITS), strict=True)
)

CHOOSY: Final = replace(HOUSE_LIFE, prefer=0.9)


def other_deck(secret: bytes, mix: bytes) -> SealedDeck:
    """Seal another deck than the secret and the mix make."""
    return deck.derive(secret, bytes(reversed(mix)))


GAMES: Final[dict[str, Callable[[], Simulator]]] = {
    "plain": lambda: play_game(seed=3, hands=5, players=6, habits=LIVELY),
    "two boards": lambda: play_game(
        seed=4,
        hands=14,
        players=5,
        habits=CHOOSY,
        rules=HOUSES["hi_lo"],
    ),
    "antes and straddles": lambda: play_game(
        seed=0, hands=8, players=3, habits=CHOOSY, rules=HOUSES["mississippi"]
    ),
    "open": lambda: play_game(seed=9, hands=2, players=4, close=False),
    "no key": lambda: play_game(seed=5, hands=1, players=3),
    "other deck": lambda: play_game(seed=2, hands=1, players=3, cheat=Cheat(derive=other_deck)),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that shows a game, in the browser."""

    driver: Chrome
    address: str
    entries: list[dict[str, Any]]

    def open(self, hand: int, step: int | None = None) -> None:
        """Show a hand, at a step or where the page begins."""
        place = f"#hand={hand}" if step is None else f"#hand={hand}&step={step}"
        before = self.driver.current_url
        if before.startswith(self.address) and f"#hand={hand}" not in before:
            self.run("location.hash = arguments[0]", place)
        else:
            self.driver.get("about:blank")
            self.driver.get(self.address + place)
        wait_for(
            self.driver,
            """
            const title = document.querySelector("#hand-title")?.textContent;
            return title === arguments[0] && document.querySelector(".table .seat") !== null;
            """,
            f"Hand {hand}",
        )

    def of_hand(self, hand: int, kind: str) -> list[dict[str, Any]]:
        """Give the bodies of one kind between a hand's opening and its end."""
        found, inside = [], False
        for entry in self.entries:
            if "hand_opened" in entry:
                inside = entry["hand_opened"]["hand"] == hand
            if inside and kind in entry:
                found.append(entry[kind])
            if "hand_ended" in entry or "hand_void" in entry:
                inside = False
        return found

    def hand_with(self, kind: str) -> int:
        """Give the first hand that has an entry of a kind."""
        return int(next(one[kind]["hand"] for one in self.entries if kind in one))

    def ended(self) -> list[int]:
        """Give the hands that were played to their end."""
        return [one["hand_ended"]["hand"] for one in self.entries if "hand_ended" in one]

    def deck(self, hand: int) -> Deck:
        """Derive a hand's deck as the audit does."""
        (committed,) = self.of_hand(hand, "deck_committed")
        (secret,) = [
            one["secret_revealed"]["secret"]
            for one in self.entries
            if one.get("secret_revealed", {}).get("hand") == hand
        ]
        return derive_deck(bytes.fromhex(secret), bytes.fromhex(committed["mix"]))

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """Give the text of an element."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def click(self, selector: str) -> None:
        """Click on an element, wherever it is."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def press(self, key: str) -> None:
        """Press a key, wherever the focus is."""
        ActionChains(self.driver).send_keys(key).perform()

    def step(self) -> tuple[int, int]:
        """Give the number of the step that is shown, and how many there are."""
        step, count = self.text(".stage .playback-place").split(" / ")
        return int(step), int(count)

    def labels(self, selector: str) -> list[str]:
        """Give what the cards that lie there are called, in order."""
        script = """
            return [...document.querySelectorAll(arguments[0])].filter((card) => !card.hidden)
              .map((card) => card.getAttribute("aria-label"));
        """
        return list(self.run(script, selector))

    def prove(self, number: int) -> dict[str, str]:
        """Open the proof of a card on the table, by its number, read it and close it."""
        self.run(
            "[...document.querySelectorAll('.table .card')].filter((card) => !card.hidden)"
            "[arguments[0]].click()",
            number,
        )
        wait_for(self.driver, "return document.querySelector('.proof-steps') !== null")
        told = self.run(
            """
            const text = (one) => document.querySelector(one)?.textContent ?? "";
            const values = [...document.querySelectorAll(".proof-values > div")]
              .map((pair) => [...pair.children].map((one) => one.textContent));
            return {verdict: text(".proof-verdict"), title: text(".proof-title"),
              ...Object.fromEntries(values)};
            """
        )
        self.press(Keys.ESCAPE)
        wait_for(self.driver, "return document.querySelector('dialog') === null")
        return dict(told)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, bytes]]:
    """Put the pages together that show the games, as far as they were asked for."""
    return {"": (tmp_path_factory.mktemp("pages"), b"")}


@pytest.fixture
def show(
    shared_browser: Chrome, pages: dict[str, tuple[Path, bytes]]
) -> Iterator[Callable[[str], Shown]]:
    """Give what shows a game by its name; the console must stay silent over the test."""
    complaints(shared_browser)
    resize(shared_browser, DESKTOP)

    def named(name: str) -> Shown:
        if name not in pages:
            played = GAMES[name]()
            data = played.game_file()
            place = pages[""][0] / f"{name.replace(' ', '-')}.html"
            key = None if name == "no key" else played.key
            html = assemble(read_sources(), Embedded("game.jsonl", data, key))
            place.write_text(html, encoding="utf-8")
            pages[name] = (place, data)
        place, data = pages[name]
        entries = [one for one in map(json.loads, data.splitlines()) if "at" in one]
        return Shown(shared_browser, place.as_uri(), entries)

    yield named
    assert complaints(shared_browser) == []


COUNT_CHIPS: Final = """
    const number = (text) => Number((text.match(/[0-9,]+/) ?? ["0"])[0].replaceAll(",", ""));
    const sum = (all) => [...all].reduce((total, one) => total + number(one.textContent), 0);
    const steps = [];
    for (let step = 1; step <= arguments[0]; step += 1) {
      steps.push({
        step,
        words: document.querySelector(".step-words").textContent,
        stacks: sum(document.querySelectorAll(".seat-stack")),
        bets: sum(document.querySelectorAll(".seat-bet")),
        pot: number(document.querySelector(".middle-pot").textContent),
      });
      document.querySelector(".playback-next").click();
    }
    return steps;
"""


@pytest.mark.parametrize("name", ["plain", "two boards", "antes and straddles"])
def test_no_step_of_a_hand_makes_or_loses_a_chip(show: Callable[[str], Shown], name: str) -> None:
    """Stacks and pot are what the stacks were at the opening, less the rake that was taken."""
    shown = show(name)
    for hand in shown.ended():
        shown.open(hand, 1)
        (opened,) = shown.of_hand(hand, "hand_opened")
        rake = sum(one["rake"] for one in shown.of_hand(hand, "awarded"))
        begun = sum(seat["stack"] for seat in opened["seats"])
        steps = shown.run(COUNT_CHIPS, shown.step()[1])
        for chips in steps:
            assert begun - chips["stacks"] - chips["pot"] in {0, rake}, (hand, chips)
            assert chips["bets"] <= chips["pot"], (hand, chips)
        (ended,) = shown.of_hand(hand, "hand_ended")
        stacks = {one["seat"]: one["stack"] for one in ended["stacks"]}
        idle = sum(one["stack"] for one in opened["seats"] if one["seat"] not in stacks)
        assert steps[-1]["stacks"] == sum(stacks.values()) + idle


def test_cards_lie_face_down_until_the_reveal_shows_all_of_them(
    show: Callable[[str], Shown],
) -> None:
    shown = show("two boards")
    for hand in shown.ended()[:4]:
        shown.open(hand)
        held = shown.labels(".seat .card")
        assert held
        assert all(label.startswith("Face down: ") for label in held)
        shown.click(".playback-last")
        shown.click(".show-all input")
        cards = shown.deck(hand).cards
        expected: list[str] = []
        for dealt in shown.of_hand(hand, "dealt"):
            expected += [
                f"{SPOKEN[CARDS[cards[one['position']]]]}|{one['position']}"
                for one in dealt["positions"]
                if one["to"] != "burn"
            ]
        told = [
            f"{label.split(':')[0]}|{label.split('position ')[1].split('.')[0]}"
            for label in shown.labels(".table .card")
        ]
        assert Counter(told) == Counter(expected)


def test_what_nobody_showed_stays_face_down_where_nothing_is_revealed(
    show: Callable[[str], Shown],
) -> None:
    shown = show("open")
    for hand in shown.ended():
        shown.open(hand)
        shown.click(".playback-last")
        shown.run("document.querySelector('.show-all input')?.click()")
        opened = {
            SPOKEN[one["card"]] for entry in shown.of_hand(hand, "opened") for one in entry["cards"]
        }
        told = {label.split(":")[0] for label in shown.labels(".table .card")}
        assert told - {"Face down"} == opened
        assert "Not revealed yet" in shown.text(".hand-deck")


def test_every_card_is_proved_up_to_the_signed_root(show: Callable[[str], Shown]) -> None:
    shown = show("plain")
    hand = shown.ended()[0]
    shown.open(hand)
    shown.click(".playback-last")
    shown.click(".show-all input")
    derived = shown.deck(hand)
    labels = shown.labels(".table .card")
    for number, label in enumerate(labels):
        told = shown.prove(number)
        position = int(told["Position"])
        assert label.startswith(told["title"].lower())
        assert "fixed, and signed by the dealer, before any card" in told["verdict"]
        assert told["Salt"] == derived.salts[position].hex()
        assert told["Leaf"] == derived.leaves[position].hex()
        assert told["deck_root"] == derived.root.hex()


def test_a_card_that_nobody_knows_was_fixed_all_the_same(show: Callable[[str], Shown]) -> None:
    shown = show("open")
    shown.open(shown.ended()[0])
    told = shown.prove(0)
    assert told["title"] == "A card face down"
    assert "Whatever this card is, it was fixed and signed" in told["verdict"]


def test_a_proof_says_where_nobody_vouches_for_the_key(show: Callable[[str], Shown]) -> None:
    shown = show("no key")
    shown.open(1)
    told = shown.prove(0)
    assert "Give the dealer's key to know that it is the dealer's" in told["verdict"]
    assert told["Key"].endswith(", from this file")


def test_a_secret_of_another_deck_proves_no_card(show: Callable[[str], Shown]) -> None:
    shown = show("other deck")
    shown.open(1)
    assert "does not make the deck that was committed to" in shown.text(".hand-problem")
    shown.click(".playback-last")
    shown.run("document.querySelector('.show-all input')?.click()")
    opened = {SPOKEN[one["card"]] for entry in shown.of_hand(1, "opened") for one in entry["cards"]}
    assert {label.split(":")[0] for label in shown.labels(".table .card")} <= opened | {"Face down"}
    assert "makes another deck than was committed to" in shown.prove(0)["verdict"]


def test_keys_buttons_and_slider_step_and_the_address_follows(
    show: Callable[[str], Shown],
) -> None:
    shown = show("plain")
    hand = shown.ended()[0]
    shown.open(hand, 3)
    count = shown.step()[1]
    moves: list[tuple[Callable[[], None], int]] = [
        (lambda: shown.click(".playback-next"), 4),
        (lambda: shown.press(Keys.ARROW_RIGHT), 5),
        (lambda: shown.press(Keys.ARROW_LEFT), 4),
        (lambda: shown.click(".playback-first"), 1),
        (lambda: shown.click(".playback-previous"), 1),
        (lambda: shown.click(".playback-last"), count),
        (lambda: shown.click(".playback-next"), count),
        (lambda: shown.click(".story-list li:nth-child(2) .story-step"), 2),
    ]
    for move, expected in moves:
        move()
        assert shown.step() == (expected, count)
        address = f"#hand={hand}&step={expected}"
        wait_for(shown.driver, "return location.hash === arguments[0]", address)
        assert len(shown.run("return document.querySelectorAll('[aria-current=step]')")) == 1
    shown.run("document.querySelector('.playback-slider').focus()")
    shown.press(Keys.END)
    assert shown.step()[0] == count
    shown.press(Keys.ARROW_LEFT)
    assert shown.step()[0] == count - 1
    shown.run("document.querySelector('.story-step').focus()")
    shown.press(Keys.HOME)
    assert shown.step()[0] == 1


def test_a_swipe_steps_and_a_scroll_does_not(show: Callable[[str], Shown]) -> None:
    shown = show("plain")
    shown.open(shown.ended()[0], 5)
    for across, down, expected in ((-90, 10, 6), (90, 5, 5), (-30, 0, 5), (-90, 80, 5)):
        shown.run(
            """
            const table = document.querySelector(".table");
            const send = (name, x, y) => {
              const touch = new Touch({identifier: 1, target: table, clientX: x, clientY: y});
              const touches = name === "touchend" ? [] : [touch];
              table.dispatchEvent(new TouchEvent(name, {touches, changedTouches: [touch]}));
            };
            send("touchstart", 300, 300);
            send("touchend", 300 + arguments[0], 300 + arguments[1]);
            """,
            across,
            down,
        )
        assert shown.step()[0] == expected


def test_the_focus_comes_back_to_the_card_whose_proof_was_read(
    show: Callable[[str], Shown],
) -> None:
    shown = show("plain")
    shown.open(shown.ended()[0])
    shown.run("document.querySelectorAll('.seat .card')[3].focus()")
    focused = "return document.activeElement.getAttribute('aria-label')"
    label = shown.run(focused)
    shown.press(Keys.ENTER)
    wait_for(shown.driver, "return document.querySelector('.proof-steps') !== null")
    assert shown.run("return document.activeElement.closest('dialog') !== null")
    shown.press(Keys.ESCAPE)
    wait_for(shown.driver, "return document.querySelector('dialog') === null")
    assert shown.run(focused) == label


def test_the_decks_journey_ends_with_the_deck_that_was_dealt(show: Callable[[str], Shown]) -> None:
    shown = show("plain")
    hand = shown.ended()[0]
    shown.open(hand)
    shown.click(".journey summary")
    wait_for(shown.driver, "return document.querySelector('.deck-grid') !== null")
    ceremony = shown.deck(hand).ceremony
    fresh = tuple(range(52))
    rest = ceremony.after_first_shuffle[ceremony.cut :]
    after_cut = rest + ceremony.after_first_shuffle[: ceremony.cut]
    read = "return [...document.querySelectorAll('.deck-cell .unseen')].map((o) => o.textContent)"
    known = {
        0: fresh,
        1: ceremony.after_first_shuffle,
        2: after_cut,
        3: ceremony.after_second_shuffle,
        5: ceremony.deck,
    }
    for act, cards in known.items():
        shown.click(f".act-button:nth-child({act + 1})")
        assert shown.run(read) == [SPOKEN[CARDS[card]] for card in cards]
    assert shown.text(".shuffles .playback-place") == "156 / 156"
    used = f"{ceremony.bytes_used} bytes of the stream were used, {ceremony.bytes_rejected} of"
    assert used in shown.text(".move-bytes")
    shown.click(".shuffles .playback-first")
    moved = shown.run(
        """
        const read = () => [...document.querySelectorAll(".deck-cell .unseen")]
          .map((one) => one.textContent);
        return Array.from({length: 155}, () => {
          const before = read();
          document.querySelector(".shuffles .playback-next").click();
          return read().filter((card, position) => card !== before[position]).length;
        });
        """
    )
    assert set(moved[:51] + moved[52:103] + moved[104:]) <= {0, 2}


def test_a_card_is_followed_from_its_proof(show: Callable[[str], Shown]) -> None:
    shown = show("plain")
    hand = shown.ended()[0]
    shown.open(hand)
    label = shown.labels(".seat .card")[0]
    position = int(label.split("position ")[1].split(".")[0])
    shown.click(".seat .card")
    wait_for(shown.driver, "return document.querySelector('.proof-follow button') !== null")
    shown.click(".proof-follow button")
    wait_for(shown.driver, "return document.querySelector('.followed-way p') !== null")
    ceremony = shown.deck(hand).ceremony
    card = ceremony.deck[position]
    way = shown.text(".followed-way p")
    assert f"It ends at position {position}" in way
    assert f"{card} → {ceremony.after_first_shuffle.index(card)} → " in way
    assert shown.run("return document.querySelector('.deck-cell.is-followed') !== null")


def test_a_void_hand_tells_who_missed_and_has_no_cards(show: Callable[[str], Shown]) -> None:
    shown = show("plain")
    hand = shown.hand_with("hand_void")
    (void,) = shown.of_hand(hand, "hand_void")
    shown.open(hand)
    assert shown.labels(".table .card") == []
    for missing in void["missing"]:
        assert missing["player"] in shown.text(".middle")
        assert f"{missing['player']} (seat {missing['seat']})" in shown.text(".step-words")


STANDS: Final[dict[str, tuple[str, str, str]]] = {
    "a showdown on two boards": (
        "two boards",
        "runs_agreed",
        """
        for (const one of [".show-all input", ".playback-last", ".playback-previous"]) {
          document.querySelector(one).click();
        }
        return true;
        """,
    ),
    "a void hand": ("plain", "hand_void", "return true"),
    "a chop": ("antes and straddles", "blinds_chopped", "return true"),
    "a proof": (
        "two boards",
        "runs_agreed",
        """
        if (!document.querySelector("dialog")) document.querySelector(".seat .card").click();
        return document.querySelector(".proof-steps") !== null;
        """,
    ),
    "a journey": (
        "plain",
        "hand_ended",
        """
        document.querySelectorAll("details").forEach((one) => { one.open = true; });
        return document.querySelector(".deck-grid") !== null;
        """,
    ),
}


@pytest.mark.parametrize("stands", STANDS)
def test_nothing_of_a_hand_bars_anybody(show: Callable[[str], Shown], stands: str) -> None:
    """What axe-core finds by WCAG 2.2 AA, on the way by night and at the desk by day.

    Nor is anything wider than the screen.
    """
    name, kind, script = STANDS[stands]
    shown = show(name)
    resize(shown.driver, PHONE)
    prefer(shown.driver, prefers_color_scheme="dark")
    shown.open(shown.hand_with(kind))
    wait_for(shown.driver, script)
    for size, scheme in ((PHONE, "dark"), (DESKTOP, "light")):
        resize(shown.driver, size)
        prefer(shown.driver, prefers_color_scheme=scheme)
        assert find_barriers(shown.driver) == [], (size, scheme)
        assert shown.run("return document.documentElement.scrollWidth") <= size[0]
