"""The page names a tournament, checks its tables one by one, and never says that all of it holds.

That a tournament as a whole is right is for `cutcard-audit verify` to prove (protocol 14.11).
"""

from functools import cache
from typing import Any, Final

import pytest

from tests.support.game_files import START, GameFile, Signer, canonical
from tests.support.page_player import Player
from tests.support.simulator import KEY_SEED, ORIGIN, Simulator
from tests.support.tournament_houses import event
from tests.support.tournament_tables import TOURNAMENT, play_table

MISSING_GAME: Final = "ab" * 16
PROGRAM: Final = "cutcard-audit verify"
OF_TABLES: Final = ("BOUND", "REPLAYED", "ORDERED", "DEALT", "COMPLETE", "PLAYED", "SIGNED")


@cache
def table() -> Simulator:
    """Table 3 of the tournament, played to its close."""
    return play_table(hands=6)


def tournament_log(*, name: str = "Sunday", reason: str = "finished") -> GameFile:
    """The log of a tournament with the table and one that is missing, as far as it has tables."""
    log = GameFile(Signer(ORIGIN, KEY_SEED), game=TOURNAMENT, origin=ORIGIN, opened=False)
    header = {"format": "cutcard-tournament/1", "key": log.signer.vkey, "origin": ORIGIN}
    log.lines = [canonical({**header, "tournament": TOURNAMENT})]
    log.entry(
        "tournament_opened",
        suite="cutcard/v1",
        origin=ORIGIN,
        tournament=TOURNAMENT,
        structure={"name": name},
        draw_commitment="c" * 64,
    )
    log.entry("registered", player="ann", entrant=1, anchors=True)
    log.entry("table_opened", table=3, game=table().transcript().game)
    log.entry("table_opened", table=4, game=MISSING_GAME).checkpoint()
    return log.entry("tournament_closed", reason=reason, secret="d" * 64).checkpoint()


def facts(player: Player) -> dict[str, str]:
    """Give what the page says of the tournament."""
    rows: dict[str, str] = player.run(
        """
        const rows = document.querySelectorAll("[aria-labelledby=tournaments-title] .facts > div");
        return Object.fromEntries([...rows].map((one) => [
          one.querySelector("dt").textContent, one.querySelector("dd").textContent]));
        """
    )
    return rows


def verdicts(shown: dict[str, Any]) -> dict[str, str]:
    return {one["promise"]: one["verdict"] for one in shown["promises"]}


def texts(shown: dict[str, Any], promise: str) -> list[str]:
    (found,) = [one for one in shown["promises"] if one["promise"] == promise]
    return [finding["text"] for finding in found["findings"]]


class TestATournamentsLog:
    def test_is_named_and_its_tables_are_asked_for(self, player: Player) -> None:
        file = player.keep("tournament.jsonl", tournament_log().data())
        shown = player.check(file, key=table().key)
        assert shown["title"] == "This is the log of a tournament"
        assert PROGRAM in shown["words"]
        assert shown["damage"] == []
        assert player.text("[aria-labelledby=tournaments-title] h3") == "Sunday"
        said = facts(player)
        assert said["Tables"] == "2 tables; not here: 3, 4"
        assert said["State"] == "Played to its end"
        assert said["Log"] == "5 entries, all signed · 2 checkpoints"
        assert PROGRAM in said["Not judged here"]
        assert player.text(".given-kind") == "Tournament"

    def test_with_a_tables_file_joined_has_the_table_checked(self, player: Player) -> None:
        data = tournament_log().data() + table().game_file()
        shown = player.check(player.keep("all.jsonl", data), key=table().key)
        assert {verdicts(shown)[one] for one in OF_TABLES} == {"Holds"}
        assert facts(player)["Tables"] == "2 tables; not here: 4"
        assert player.run("return document.querySelectorAll('.hand-row').length") > 1

    def test_is_never_said_to_hold(self, player: Player) -> None:
        log = player.keep("tournament.jsonl", tournament_log().data())
        game = player.keep("table.jsonl", table().game_file())
        shown = player.check(log, game, key=table().key)
        assert "the tournament is not judged here" in shown["title"]
        assert PROGRAM in shown["words"]
        assert player.run("return document.querySelector('.verdict-holds')") is None

    def test_with_all_its_tables_has_each_of_them_checked(self, player: Player) -> None:
        """A whole event, as its own audit holds it."""
        played = event("tables")
        shown = player.check(player.keep("event.jsonl", played.joined()), key=played.key)
        assert "the tournament is not judged here" in shown["title"]
        assert {verdicts(shown)[one] for one in OF_TABLES} == {"Holds"}
        assert shown["damage"] == []
        assert facts(player)["Tables"] == f"{len(played.tables)} tables, all here"

    def test_that_was_changed_breaks_its_signature(self, player: Player) -> None:
        data = tournament_log().data().replace(b'"ann"', b'"eve"') + table().game_file()
        shown = player.check(player.keep("all.jsonl", data), key=table().key)
        assert verdicts(shown)["SIGNED"] == "Broken"
        assert any("not that of the" in text for text in texts(shown, "SIGNED"))
        assert verdicts(shown)["PLAYED"] == "Holds"

    def test_of_another_name_than_its_header_breaks_its_signature(self, player: Player) -> None:
        log = tournament_log()
        log.lines[0] = log.lines[0].replace(TOURNAMENT.encode(), MISSING_GAME.encode())
        shown = player.check(player.keep("tournament.jsonl", log.data()), key=table().key)
        assert verdicts(shown)["SIGNED"] == "Broken"
        assert any("tournament_opened names another" in text for text in texts(shown, "SIGNED"))

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ({"at": START, "shuffled": {}}, "an entry of the unknown kind 'shuffled'"),
            ({"at": START, "table_opened": {"table": 3}}, "table_opened.game is not there"),
            ({"at": START, "started": []}, "started is no object"),
        ],
        ids=["another kind", "without its game", "no object"],
    )
    def test_with_a_line_that_is_none_can_not_be_read(
        self, player: Player, line: dict[str, Any], reason: str
    ) -> None:
        data = tournament_log().raw(canonical(line)).checkpoint().data()
        shown = player.check(player.keep("tournament.jsonl", data), key=table().key)
        assert shown["title"] == "Not everything here can be read"
        assert reason in shown["damage"][0]

    def test_is_compared_with_another_checkpoint_of_it(self, player: Player) -> None:
        file = player.keep("tournament.jsonl", tournament_log().data())
        other = player.keep("other.note", tournament_log(reason="cancelled").note())
        shown = player.check(file, other, key=table().key)
        assert verdicts(shown)["CONSISTENT"] == "Broken"
        assert any("signed another history" in text for text in texts(shown, "CONSISTENT"))


class TestATableAlone:
    def test_is_checked_as_any_game_and_told_to_be_a_table(self, player: Player) -> None:
        shown = player.check(player.keep("table.jsonl", table().game_file()), key=table().key)
        assert "This is a table of a tournament" in shown["words"]
        assert "cutcard-audit" in shown["words"]
        assert "table 3" in player.text("[aria-labelledby=games-title] h3")
        notices = player.text("[aria-labelledby=notices-title]")
        assert f"table 3 of tournament {TOURNAMENT}, whose log is not in the input" in notices

    def test_shows_a_hand_with_its_level(self, player: Player) -> None:
        level = table().transcript().all("hand_opened")[4].body["level"]
        player.check(player.keep("table.jsonl", table().game_file()), key=table().key)
        player.run("location.hash = '#hand=5'")
        stakes = player.text(".hand-stakes")
        assert stakes.startswith(f"Level {level['level']} · No limit Hold")
        assert f"{level['small_blind']}/{level['big_blind']}, table 3" in stakes
