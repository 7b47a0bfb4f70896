"""The page as a player meets it: files go in by its own fields, and the reader finds the verdict.

Nothing here reaches into the page's modules. Whatever is done, the console stays silent and no
address is asked for.
"""

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from audit_cli.page.assembling import Embedded, assemble, read_sources
from audit_cli.report.finding import Report
from audit_cli.report.render import render_json
from dealer_service.rules.entry import LogProof as Rule
from tests.bench.verifying import game_file
from tests.support.audits import judge
from tests.support.browser import (
    DESKTOP,
    PATIENCE_S,
    PHONE,
    complaints,
    find_barriers,
    prefer,
    requests_of,
    resize,
)
from tests.support.game_files import Signer
from tests.support.page_player import Player
from tests.support.simulator import (
    KEY_SEED,
    LIVELY,
    ORIGIN,
    RULES,
    Simulator,
    play_chain,
    play_game,
)
from tests.support.told_games import new_log, proof_of, told
from tests.support.transcripts import Found

WORDS: Final = {
    "holds": "Holds",
    "broken": "Broken",
    "not established": "Not established",
    "not applicable": "Does not apply",
}
ANOTHER_KEY: Final = Signer(ORIGIN, bytes(32)).vkey
LONG_HANDS: Final = 400
NARROWEST: Final = (320, 256)
"""What WCAG 2.2 has content flow anew for (1.4.10)."""
NOT_YET: Final = "This can not be compared yet"


@cache
def honest() -> Simulator:
    """Play a game with voids and all-ins, of a dealer whose log is followed."""
    rules = replace(RULES, log_proof=Rule.FOLLOW)
    return play_game(seed=3, hands=14, players=4, habits=LIVELY, rules=rules)


def tampered() -> tuple[bytes, Found]:
    """Give five chips too many to a player, at the end of a hand."""
    transcript = honest().transcript()
    ended = transcript.find("hand_ended")
    richer = [dict(one) for one in ended.body["stacks"]]
    richer[0]["stack"] += 5
    transcript.change(ended.index, stacks=richer)
    return transcript.render(honest().signer), ended


def damaged() -> tuple[bytes, int]:
    """Cut a line of a game short; gives the file, and the number of the line."""
    lines = honest().game_file().split(b"\n")
    number = next(at for at, line in enumerate(lines, 1) if b'"acted"' in line)
    lines[number - 1] = lines[number - 1][:-3]
    return b"\n".join(lines), number


def note_of(played: Simulator, size: int, *, forked: bool = False) -> str:
    """Sign the first lines of a game, or, for a fork, the same lines but one."""
    transcript = played.transcript()
    if forked:
        one = transcript.read(size - 1)
        transcript.move_time(one.index, one.at + 1)
    return transcript.note(played.signer, size)


def log_proof(played: Simulator) -> str:
    """Give the proof that the dealer's log tells of the game's opening."""
    log = told(new_log(ORIGIN, KEY_SEED), played.transcript())
    return proof_of(log, 0)


@pytest.fixture(scope="module")
def long_game() -> Iterator[Path]:
    """Keep the file of a game of six players and very many hands."""
    with game_file(LONG_HANDS) as place:
        yield place


def agrees(shown: dict[str, Any], report: Report) -> bool:
    """Hold a report on the page to the audit's: each promise's verdict and the findings' words."""
    audited = json.loads(render_json(report))["promises"]
    assert [one["promise"] for one in shown["promises"]] == [one["promise"] for one in audited]
    for got, want in zip(shown["promises"], audited, strict=True):
        assert got["verdict"] == WORDS[want["verdict"]], want["promise"]
        texts = sorted(one["text"] for one in want["findings"])
        assert sorted(one["text"] for one in got["findings"]) == texts, want["promise"]
    return True


def promise(shown: dict[str, Any], name: str) -> dict[str, Any]:
    """Give what a report shows of one promise."""
    return next(one for one in shown["promises"] if one["promise"] == name)


class TestTheReport:
    def test_has_the_audits_verdicts_in_plain_words_and_in_detail(self, player: Player) -> None:
        data = honest().game_file()
        shown = player.check(player.keep("game.jsonl", data), key=honest().key)
        assert agrees(shown, judge(data, key=honest().key))
        assert shown["title"] == "Everything holds"
        assert promise(shown, "SIGNED")["verdict"] == "Holds"
        for one in shown["promises"]:
            assert one["plain"].endswith(".")
            assert one["means"].endswith(".")
            assert not one["open"]

    def test_says_without_a_key_that_anybody_may_have_written_the_file(
        self, player: Player
    ) -> None:
        data = honest().game_file()
        game = player.keep("game.jsonl", data)
        shown = player.check(game)
        assert agrees(shown, judge(data))
        assert shown["title"] == "All fits, but whose game is it?"
        player.enter_key(honest().key)
        player.press(Keys.ENTER)
        player.wait("return document.querySelector('.report .verdict-holds') !== null")
        assert agrees(player.report(), judge(data, key=honest().key))

    def test_of_another_dealers_key_proves_nothing(self, player: Player) -> None:
        data = honest().game_file()
        shown = player.check(player.keep("game.jsonl", data), key=ANOTHER_KEY)
        assert agrees(shown, judge(data, key=ANOTHER_KEY))
        assert promise(shown, "SIGNED")["verdict"] != "Holds"

    def test_says_at_its_field_that_a_key_is_none(self, player: Player) -> None:
        data = honest().game_file()
        shown = player.check(player.keep("game.jsonl", data), key="not a key")
        assert agrees(shown, judge(data))
        field = player.driver.switch_to.active_element
        assert field.get_attribute("id") == "key"
        assert field.get_attribute("value") == "not a key"
        assert field.get_attribute("aria-invalid") == "true"
        described = str(field.get_attribute("aria-describedby")).split()
        assert "key-wrong" in described
        assert player.text("#key-wrong").startswith("not a verifier key")

    def test_counts_a_key_that_is_still_being_typed_when_a_file_is_dropped(
        self, player: Player
    ) -> None:
        game = player.keep("game.jsonl", honest().game_file())
        player.come()
        player.enter_key(honest().key)
        player.drop(game)
        assert promise(player.report(), "SIGNED")["verdict"] == "Holds"

    def test_of_a_tampered_game_names_promise_hand_and_entry(self, player: Player) -> None:
        data, ended = tampered()
        shown = player.check(player.keep("game.jsonl", data), key=honest().key)
        report = judge(data, key=honest().key)
        assert agrees(shown, report)
        assert "broken" in shown["title"]
        played = promise(shown, "PLAYED")
        assert played["open"]
        hand = ended.body["hand"]
        place = f"hand {hand} · entry {ended.index}"
        found = [one for one in played["findings"] if one["place"].startswith(place)]
        assert found
        known = [(one.expected, one.found) for one in report.findings if one.entry == ended.index]
        assert all(tuple(one["pair"]) in known for one in found if one["pair"])

    def test_leads_from_a_broken_finding_to_its_hand(self, player: Player) -> None:
        data, ended = tampered()
        player.check(player.keep("game.jsonl", data), key=honest().key)
        player.click("#see-broken")
        assert player.run(
            """
            const one = document.activeElement;
            const {top} = one.getBoundingClientRect();
            return one.closest(".promise-broken") !== null && top >= 0 && top < 100;
            """
        )
        player.click(".finding-broken .place a")
        assert player.text("#hand-title") == f"Hand {ended.body['hand']}"
        assert "PLAYED: " in player.text(".hand-findings")

    def test_of_a_damaged_game_tells_its_line(self, player: Player) -> None:
        data, number = damaged()
        shown = player.check(player.keep("torn.jsonl", data), key=honest().key)
        report = judge(data, key=honest().key)
        assert agrees(shown, report)
        assert shown["title"] == "Not everything here can be read"
        assert [one.line for one in report.damage] == [number]
        (line,) = shown["damage"]
        assert f"torn.jsonl, line {number}" in line
        assert report.damage[0].reason in line

    @pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff\xe0 holiday", b"{}\n", b"[" * 9_999])
    def test_of_no_game_at_all_says_so(self, player: Player, content: bytes) -> None:
        shown = player.check(player.keep("holiday.jpg", content))
        assert shown["title"] == "There is no game here"
        assert "holiday.jpg" in shown["damage"][0]

    def test_shows_names_and_texts_from_files_as_text(self, player: Player) -> None:
        image = "<img src=x onerror=alert(1)>"
        transcript = honest().transcript()
        seated = transcript.find("seat_taken", where=lambda body: body["player"] == "ben")
        transcript.change(seated.index, player=f"{image}ben")
        acted = transcript.find("acted")
        transcript.lines[acted.index] = f'{{"at":{acted.at},"{image}":{{}}}}'.encode()
        files = (
            player.keep(f"{image}.jsonl", transcript.render(honest().signer)),
            player.keep(f"{image}.note", note_of(honest(), 9, forked=True)),
        )
        shown = player.check(*files, key=honest().key)
        assert f"{image}.jsonl" in player.text(".given-name")
        texts = [one["text"] for all_ in shown["promises"] for one in all_["findings"]]
        assert any(f"({image}.note)" in text for text in texts)
        assert any(f"the key '{image}'" in text for text in shown["damage"])
        assert all(f"{image}.jsonl, line " in text for text in shown["damage"])
        foreign = "return document.querySelectorAll('main :is(img, script, iframe)').length"
        assert player.run(foreign) == 0
        player.click("a.hand-row")
        player.text(".table .seat")
        assert player.run(foreign) == 0
        assert player.driver.title == "Hand 1 \N{MIDDLE DOT} Cutcard"


class TestMoreFiles:
    def test_of_a_chain_of_games_are_checked_together(self, player: Player) -> None:
        chain = play_chain(games=3, hands=3)
        files = [player.keep(f"{at}.jsonl", one.game_file()) for at, one in enumerate(chain)]
        shown = player.check(*files, key=chain[0].key)
        assert shown["title"] == "Everything holds"
        assert {one["verdict"] for one in shown["promises"][:6]} == {"Holds"}
        games = player.run(
            "return [...document.querySelectorAll('.game code')].map((one) => one.textContent)"
        )
        assert [game for game in games if "+" not in game] == [
            one.transcript().game for one in chain
        ]
        last = chain[-1].transcript()
        number = last.find("hand_opened").body["hand"]
        player.run("location.hash = arguments[0]", f"#game={last.game}&hand={number}")
        assert player.text("#hand-title") == f"Hand {number}"

    def test_that_tell_one_game_otherwise_are_both_kept_and_both_shown(
        self, player: Player
    ) -> None:
        data, ended = tampered()
        mine = player.keep("game.jsonl", honest().game_file())
        (player.folder / "friend").mkdir()
        theirs = player.keep("friend/game.jsonl", data)
        os.utime(theirs, (1, 1))
        player.check(mine, key=honest().key)
        player.drop(theirs)
        player.wait("return document.querySelectorAll('.report .given li').length === 2")
        assert promise(player.report(), "CONSISTENT")["verdict"] == "Broken"
        number = ended.body["hand"]
        rows = player.run(
            "return [...document.querySelectorAll('a.hand-row')].map((one) => one.hash)"
        )
        shown = []
        for row in [one for one in rows if one.endswith(f"hand={number}")]:
            player.run("location.hash = arguments[0]", row)
            player.wait("return document.querySelector('.table .seat') !== null")
            player.click(".playback-last")
            shown.append(
                player.run(
                    "return [...document.querySelectorAll('.seat')].map((one) => one.textContent)"
                )
            )
            player.run("location.hash = ''")
            player.report()
        assert len(shown) == 2
        assert shown[0] != shown[1]

    def test_of_a_game_whose_other_is_missing_leave_it_open(self, player: Player) -> None:
        chain = play_chain(games=2, hands=3)
        data = chain[1].game_file()
        shown = player.check(player.keep("second.jsonl", data), key=chain[0].key)
        assert agrees(shown, judge(data, key=chain[0].key))

    def test_with_a_record_show_that_the_own_link_was_mixed_in(self, player: Player) -> None:
        data, record = honest().game_file(), honest().record("ann")
        files = player.keep("game.jsonl", data), player.keep("ann.jsonl", record)
        shown = player.check(*files, key=honest().key)
        assert agrees(shown, judge(data, key=honest().key, mine=record))
        assert shown["title"] == "This game was dealt fairly"
        assert any("ann" in one["text"] for one in promise(shown, "PLAYER-MIXED")["findings"])

    def test_with_a_record_of_other_links_break_it(self, player: Player) -> None:
        data = honest().game_file()
        other = play_game(seed=4, hands=14, players=4, habits=LIVELY)
        record = other.record("ann").replace(
            other.transcript().game.encode(), honest().transcript().game.encode()
        )
        files = player.keep("game.jsonl", data), player.keep("ann.jsonl", record)
        shown = player.check(*files, key=honest().key)
        assert agrees(shown, judge(data, key=honest().key, mine=record))
        assert promise(shown, "PLAYER-MIXED")["verdict"] == "Broken"

    def test_are_dropped_on_the_report_and_taken_out_again(self, player: Player) -> None:
        data, note = honest().game_file(), note_of(honest(), 9)
        player.check(player.keep("game.jsonl", data), key=honest().key)
        added = [
            player.keep("note 1", note),
            player.keep("opening.tlog-proof", log_proof(honest())),
        ]
        player.drop(*added)
        kinds = "return [...document.querySelectorAll('.given-kind')].map((one) => one.textContent)"
        player.wait(f"return (() => {{ {kinds} }})().length === 3")
        assert player.run(kinds) == ["Game", "Checkpoint", "Log proof"]
        consistent = promise(player.report(), "CONSISTENT")
        assert consistent["verdict"] == "Holds"
        assert len(consistent["findings"]) >= 2
        player.click(".given li:last-child .button-icon")
        player.wait(f"return (() => {{ {kinds} }})().length === 2")
        assert agrees(player.report(), judge(data, key=honest().key, outside=[note]))

    def test_that_bring_a_fork_give_its_evidence_to_keep(self, player: Player) -> None:
        data, note = honest().game_file(), note_of(honest(), 9, forked=True)
        files = player.keep("game.jsonl", data), player.keep("note 1", note)
        shown = player.check(*files, key=honest().key)
        assert agrees(shown, judge(data, key=honest().key, outside=[note]))
        assert promise(shown, "CONSISTENT")["verdict"] == "Broken"
        evidence = saved(player, ".actions button", "cutcard-fork-1.json")
        assert note in evidence["notes"]
        assert evidence["key"] == honest().key


def saved(player: Player, button: str, name: str) -> dict[str, Any]:
    """Click a button that saves a file, and read the file as JSON."""
    kept = player.folder / "saved"
    kept.mkdir()
    player.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(kept)}
    )
    player.click(button)
    WebDriverWait(player.driver, PATIENCE_S, 0.02).until(lambda _: (kept / name).is_file())
    value: dict[str, Any] = json.loads((kept / name).read_text("utf-8"))
    return value


class TestComparing:
    def test_two_checkpoints_of_one_log_say_so(self, player: Player) -> None:
        player.come("#compare")
        note = note_of(honest(), 9)
        answer = player.compare(note, note, honest().key)
        assert answer.startswith("These are of one history")

    def test_two_histories_give_the_evidence_of_the_fork(self, player: Player) -> None:
        player.come("#compare")
        mine, theirs = note_of(honest(), 9), note_of(honest(), 9, forked=True)
        answer = player.compare(mine, theirs, honest().key)
        assert answer.startswith("The dealer signed two histories")
        evidence = saved(player, ".result button", "cutcard-fork-1.json")
        assert evidence["notes"] == [mine, theirs]
        assert evidence["key"] == honest().key

    def test_two_sizes_have_nothing_to_compare_until_the_game_is_there(
        self, player: Player
    ) -> None:
        player.come("#compare")
        both = note_of(honest(), 9), note_of(honest(), 12)
        assert player.compare(*both, honest().key).startswith(NOT_YET)
        player.click("[data-page=report]")
        player.text("#start-title")
        player.choose(player.keep("game.jsonl", honest().game_file()))
        player.report()
        player.click("[data-page=compare]")
        player.wait("return document.querySelector('#note-mine') !== null")
        assert player.run("return document.querySelector('#note-mine').value").strip() == (
            both[0].strip()
        )
        player.run("document.querySelector('.result').replaceChildren()")
        player.click(".tool-form button[type=submit]")
        assert player.text(".result .answer").startswith("These are of one history")

    def test_nothing_is_known_without_a_key(self, player: Player) -> None:
        player.come("#compare")
        note = note_of(honest(), 9)
        assert player.compare(note, note).startswith(NOT_YET)

    def test_a_proof_of_the_log_is_followed_to_its_root(self, player: Player) -> None:
        player.come("#compare")
        player.enter_key(honest().key, "#compare-key")
        player.drop(player.keep("opening.tlog-proof", log_proof(honest())))
        player.wait("return [...document.querySelectorAll('.chosen')].some((o) => o.textContent)")
        player.run("document.querySelectorAll('.tool-form')[1].requestSubmit()")
        assert player.text(".result .answer").startswith(
            "The line is in the dealer\N{RIGHT SINGLE QUOTATION MARK}s log"
        )
        assert '"noted"' in player.text(".result .facts")


SHOWN_HAND: Final = "return document.querySelector('#hand-title')?.textContent"


class TestAddresses:
    def test_of_a_hand_open_it_and_back_returns(self, player: Player) -> None:
        game = player.keep("game.jsonl", honest().game_file())
        player.check(game, key=honest().key)
        player.run("location.hash = '#hand=12'")
        assert player.text("#hand-title") == "Hand 12"
        assert player.text(".table-place > *")
        player.driver.back()
        player.report()
        rows = "return [...document.querySelectorAll('a.hand-row')].map((one) => one.hash)"
        assert "#hand=12" in player.run(rows)

    def test_of_a_hand_wait_for_its_game(self, player: Player) -> None:
        player.come("#hand=12")
        player.choose(player.keep("game.jsonl", honest().game_file()))
        assert player.text("#hand-title") == "Hand 12"

    def test_of_a_hand_that_is_not_there_say_so(self, player: Player) -> None:
        player.check(player.keep("game.jsonl", honest().game_file()))
        player.run("location.hash = '#hand=999'")
        player.wait("return document.querySelector('h1').textContent === 'There is no hand 999'")

    def test_of_a_game_in_the_page_show_it_at_once(self, player: Player) -> None:
        game = Embedded("game.jsonl", honest().game_file(), honest().key)
        place = player.folder / "with-game.html"
        place.write_text(assemble(read_sources(), game), encoding="utf-8")
        player.come("#hand=12", place)
        assert player.text("#hand-title") == "Hand 12"
        player.click(".steps a")
        shown = player.report()
        assert agrees(shown, judge(honest().game_file(), key=honest().key))

    def test_that_the_command_opens_show_the_hand(self, player: Player) -> None:
        """`page --open FILE --hand 12` hands a browser the address; this browser follows it."""
        game = player.keep("game.jsonl", honest().game_file())
        asked = player.folder / "address"
        opener = player.keep("opener", f'#!/bin/sh\nprintf %s "$1" > {asked}\n')
        opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
        command = [sys.executable, "-m", "audit_cli", "page", "--open", str(game), "--hand", "12"]
        subprocess.run(
            [*command, "--key", honest().key, "--output", player.folder / "shown.html"],
            env={**os.environ, "BROWSER": f"{opener} %s"},
            check=True,
            capture_output=True,
        )
        player.driver.get("about:blank")
        player.driver.get(asked.read_text("utf-8"))
        assert player.text("#hand-title") == "Hand 12"
        player.click(".steps a")
        assert player.report()["title"] == "Everything holds"


class TestTheNetwork:
    def test_is_refused_by_the_pages_own_policy(self, player: Player) -> None:
        player.come()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            refused = player.driver.execute_async_script(
                """
                const [address, done] = arguments;
                const seen = new Set();
                document.addEventListener("securitypolicyviolation", (event) => {
                  seen.add(event.effectiveDirective);
                  if (seen.size === 3) done([...seen].sort());
                });
                fetch(address).catch(() => {});
                const image = document.createElement("img");
                image.src = address;
                document.body.append(image);
                const script = document.createElement("script");
                script.textContent = "window.taken = true";
                document.body.append(script);
                """,
                f"http://127.0.0.1:{listener.getsockname()[1]}/",
            )
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()
        assert refused == ["connect-src", "img-src", "script-src-elem"]
        assert player.run("return window.taken") is None
        told = complaints(player.driver)
        assert all("Content Security Policy" in one for one in told), told
        # The browser notes what it was to ask for, and blocks it then.
        requests_of(player.driver)


WATCH: Final = """
    window.seen = {turns: 0, values: [], words: ""};
    const look = () => {
      const bar = document.querySelector("progress");
      if (bar !== null) {
        window.seen.turns += 1;
        window.seen.words = document.querySelector("#progress-title").textContent;
        if (bar.value !== window.seen.values.at(-1)) window.seen.values.push(bar.value);
      }
      if (document.querySelector(".report") === null) setTimeout(look, 4);
    };
    look();
"""


class TestALongGame:
    def test_leaves_the_page_free_while_its_progress_moves(
        self, player: Player, long_game: Path
    ) -> None:
        player.come()
        player.run(WATCH)
        player.choose(long_game)
        shown = player.report()
        assert {one["verdict"] for one in shown["promises"][:6]} == {"Holds"}
        seen = player.run("return window.seen")
        assert seen["words"] == "Checking the game"
        assert len(seen["values"]) >= 3
        assert seen["values"] == sorted(seen["values"])
        # A page that waits for its auditor would not have had so many turns beside it.
        assert seen["turns"] > len(seen["values"])
        rows = "return document.querySelectorAll('a.hand-row').length"
        assert 0 < player.run(rows) < LONG_HANDS
        player.run(f"location.hash = '#hand={LONG_HANDS}'")
        assert player.text("#hand-title") == f"Hand {LONG_HANDS}"

    def test_is_stopped_when_its_reader_has_enough(self, player: Player, long_game: Path) -> None:
        player.come()
        player.choose(long_game)
        player.wait("return document.querySelector('.progress') !== null")
        player.click(".progress button")
        assert player.text("#start-title") == "Was this game dealt fairly?"
        player.choose(player.keep("game.jsonl", honest().game_file()))
        assert player.report()["title"] == "All fits, but whose game is it?"


def stand(player: Player, name: str) -> None:
    """Bring the page to one of the states that a reader can meet."""
    game = player.keep("game.jsonl", honest().game_file())
    match name:
        case "the start":
            player.come()
        case "a record without its game":
            player.come()
            player.choose(player.keep("ann.jsonl", honest().record("ann")))
            player.text(".given")
        case "a report that holds":
            player.check(game, player.keep("ann.jsonl", honest().record("ann")), key=honest().key)
        case "a report with all open":
            data, _ = tampered()
            note = player.keep("ben.note", note_of(honest(), 9, forked=True))
            player.check(player.keep("game.jsonl", data), note, key=honest().key)
            player.run("document.querySelectorAll('details').forEach((o) => { o.open = true; })")
        case "a damaged file, and a wrong key":
            player.check(player.keep("torn.jsonl", damaged()[0]), key="not a key")
        case "a hand":
            data, ended = tampered()
            player.check(player.keep("game.jsonl", data), key=honest().key)
            player.run("location.hash = arguments[0]", f"#hand={ended.body['hand']}")
            player.text(".table .seat")
        case "a comparison":
            player.come("#compare")
            both = note_of(honest(), 9), note_of(honest(), 9, forked=True)
            player.compare(*both, honest().key)
        case _:
            player.come("#about")
            player.text("#about-title")


STANDS: Final = (
    "the start",
    "a record without its game",
    "a report that holds",
    "a report with all open",
    "a damaged file, and a wrong key",
    "a hand",
    "a comparison",
    "what it proves",
)


class TestEverybody:
    @pytest.mark.parametrize("name", STANDS)
    def test_is_let_in_at_the_desk_by_day_and_on_the_way_by_night(
        self, player: Player, name: str
    ) -> None:
        """What axe-core finds by WCAG 2.2 AA; nor is anything wider than the screen."""
        stand(player, name)
        for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
            resize(player.driver, size)
            prefer(player.driver, prefers_color_scheme=scheme)
            assert find_barriers(player.driver) == [], (size, scheme)
            assert player.run("return document.documentElement.scrollWidth") <= size[0]
        resize(player.driver, NARROWEST)
        assert player.run("return document.documentElement.scrollWidth") <= NARROWEST[0]

    @pytest.mark.parametrize("name", STANDS[:1] + STANDS[3:7])
    def test_sees_everything_without_motion_and_in_forced_colours(
        self, player: Player, name: str
    ) -> None:
        prefer(player.driver, prefers_reduced_motion="reduce", forced_colors="active")
        stand(player, name)
        running = "return document.getAnimations().filter((o) => o.playState === 'running').length"
        assert player.run(running) == 0
        seen = player.run(VISIBLE)
        assert seen
        prefer(player.driver, prefers_reduced_motion="no-preference", forced_colors="none")
        assert seen == player.run(VISIBLE)

    def test_gets_through_the_start_by_keyboard_alone(self, player: Player) -> None:
        player.come()
        player.run("document.body.focus()")
        reached = []
        while "Paste a text instead" not in reached:
            player.press(Keys.TAB)
            reached.append(player.focused())
            assert len(reached) < 20, reached
        assert reached == [
            "Skip to the content",
            "Cutcard",
            "Check",
            "Compare",
            "What it proves",
            "Choose files",
            "The dealer\N{RIGHT SINGLE QUOTATION MARK}s key",
            "Paste a text instead",
        ]
        player.press(Keys.ENTER, Keys.TAB)
        assert player.focused() == "A game, a record, a checkpoint, a proof or a key"
        player.driver.execute_cdp_cmd("Input.insertText", {"text": honest().game_file().decode()})
        player.press(Keys.TAB, Keys.ENTER)
        assert player.report()["title"] == "All fits, but whose game is it?"

    def test_opens_a_promise_and_a_hand_by_keyboard_alone(self, player: Player) -> None:
        player.check(player.keep("game.jsonl", honest().game_file()), key=honest().key)
        assert player.focused() == "Everything holds"
        self.go_to(player, "summary")
        player.press(Keys.ENTER)
        assert player.run("return document.activeElement.parentElement.open")
        assert player.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
        self.go_to(player, "a.hand-row")
        player.press(Keys.ENTER)
        player.wait(SHOWN_HAND)
        assert player.focused() == player.text("#hand-title")

    def go_to(self, player: Player, selector: str) -> None:
        """Press the tabulator key until the focus is on such an element."""
        for _ in range(60):
            player.press(Keys.TAB)
            if player.run("return document.activeElement.matches(arguments[0])", selector):
                return
        pytest.fail(f"no {selector} is reached by keyboard")


VISIBLE: Final = """
    return [...document.querySelectorAll("main *, .masthead *")].filter((one) =>
      one.checkVisibility({opacityProperty: true, visibilityProperty: true}) &&
      one.getBoundingClientRect().width > 0 && one.textContent !== "")
      .map((one) => `${one.tagName} ${one.getAttribute("class")} ${one.textContent.slice(0, 40)}`);
"""
