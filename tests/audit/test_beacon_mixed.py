"""BEACON-MIXED: the rule's round, the beacon's signature, and an opening that came before it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit_cli import pairing
from audit_cli.beacon import QUICKNET, Network, parse_network
from audit_cli.cli import main
from audit_cli.log.policy import Policy, parse_policy
from audit_cli.problem import Problem
from audit_cli.report.finding import Promise, Report, Verdict
from dealer_service.rules.entry import BeaconRound, VoidReason
from tests.support import drand
from tests.support.audits import broken, judge, places, tell, unproved
from tests.support.simulator import (
    DRAWN,
    KEY_SEED,
    ORIGIN,
    START,
    Cheat,
    Simulator,
    passive,
)
from tests.support.told_games import WITNESSES, dealer_log_line, new_log, policy_text, told
from tests.support.transcripts import dump

KNOWN = drand.quicknet()
TESTS = Network(drand.PUBLIC_KEY, drand.GENESIS, drand.PERIOD, drand.GROUP_HASH, drand.NAME)


def play(draw: Callable[[int], BeaconRound] = drand.drawn) -> Simulator:
    """Play two hands whose dealer draws its rounds like that."""
    game = Simulator(seed=7, rules=DRAWN, cheat=Cheat(draw=draw))
    for name in ("ann", "ben"):
        game.sit(name)
    for _ in range(2):
        game.wait(100, 5000)
        game.play_hand(choose=passive)
    game.close()
    game.reveal()
    return game


def audit(game: Simulator, *, player: str = "ann", network: Network | None = TESTS) -> Report:
    """Audit a game with its key, a player's record, and what is known of its beacon."""
    beacons = () if network is None else (network,)
    mine = game.record(player) if player else ()
    return judge(game.game_file(), key=game.key, mine=mine, beacons=beacons)


def why(report: Report) -> str:
    return "; ".join(
        one.text for one in report.of(Promise.BEACON_MIXED) if one.verdict is not Verdict.HOLDS
    )


@pytest.fixture(scope="module")
def honest() -> Simulator:
    return play()


class TestThePromise:
    def test_holds_for_an_honest_dealer_and_a_players_record(self, honest: Simulator) -> None:
        report = audit(honest)
        assert report.exit_status() == 0, tell(report)
        (said,) = report.of(Promise.BEACON_MIXED)
        assert said.verdict is Verdict.HOLDS
        assert said.text.startswith("2 rounds")

    def test_is_asked_for_where_the_rules_name_a_beacon(self, honest: Simulator) -> None:
        report = audit(honest, player="")
        assert unproved(report) == {"BEACON-MIXED"}
        assert "2 openings may have been made when the round was out" in why(report)
        assert report.exit_status() == 4

    def test_is_not_established_for_a_network_that_is_not_known(self, honest: Simulator) -> None:
        report = audit(honest, network=None)
        assert unproved(report) == {"BEACON-MIXED"}
        assert f"nothing is known of the beacon {drand.CHAIN}" in why(report)

    def test_is_not_established_without_the_extra_which_is_named(
        self, honest: Simulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pairing, "load", lambda: None)
        report = audit(honest)
        assert unproved(report) == {"BEACON-MIXED"}
        assert why(report) == (
            '2 signatures of rounds can not be checked: pip install "cutcard[beacon]"'
        )

    def test_is_not_applicable_without_a_beacon(self) -> None:
        game = Simulator(seed=7)
        for name in ("ann", "ben"):
            game.sit(name)
        game.play_hand(choose=passive)
        report = judge(game.game_file(), key=game.key)
        assert report.verdicts()[Promise.BEACON_MIXED] is Verdict.NOT_APPLICABLE

    def test_is_not_established_where_no_deck_was_committed(self) -> None:
        report = audit(Simulator(rules=DRAWN), player="")
        assert report.verdicts()[Promise.BEACON_MIXED] is Verdict.NOT_ESTABLISHED


def later(at: int) -> BeaconRound:
    return drand.drawn(at + 3000)


def earlier(at: int) -> BeaconRound:
    return drand.drawn(at - 3000)


def made_up(at: int) -> BeaconRound:
    number = drand.round_after(at)
    return drand.entry_of(number, drand.sign(number, 7))


def of_another_round(at: int) -> BeaconRound:
    number = drand.round_after(at)
    return drand.entry_of(number, drand.sign(number + 1))


def infinite(at: int) -> BeaconRound:
    return drand.entry_of(drand.round_after(at), b"\xc0" + bytes(47))


def unhashed(at: int) -> BeaconRound:
    return replace(drand.drawn(at), randomness="ab" * 32)


@pytest.mark.parametrize("draw", [later, earlier, made_up, of_another_round, infinite, unhashed])
def test_any_other_round_breaks_it_at_its_deck(draw: Callable[[int], BeaconRound]) -> None:
    """The mix is that of the round, so that no other promise is touched."""
    game = play(draw)
    report = audit(game)
    assert broken(report) == {"BEACON-MIXED"}, tell(report)
    decks = [(one.body["hand"], one.index) for one in game.transcript().all("deck_committed")]
    assert places(report, "BEACON-MIXED") == decks
    assert report.exit_status() == 1


def test_a_hash_that_is_wrong_is_seen_for_any_network() -> None:
    report = audit(play(unhashed), network=None)
    assert broken(report) == {"BEACON-MIXED"}
    assert broken(audit(play(made_up), network=None)) == set()


def test_a_round_that_is_left_out_breaks_it(honest: Simulator) -> None:
    game = honest.transcript()
    game.change(game.find("deck_committed").index, beacon=None)
    report = judge(game.render(honest.signer), key=honest.key, beacons=(TESTS,))
    assert broken(report) == {"BEACON-MIXED", "REPLAYED"}


def test_a_round_that_no_rule_names_breaks_it() -> None:
    simulator = Simulator(seed=7)
    for name in ("ann", "ben"):
        simulator.sit(name)
    simulator.play_hand(choose=passive)
    game = simulator.transcript()
    drawn = drand.drawn(START)
    told = {"round": drawn.round, "randomness": drawn.randomness, "signature": drawn.signature}
    game.change(game.find("deck_committed").index, beacon=told)
    report = judge(game.render(simulator.signer), key=simulator.key)
    assert "BEACON-MIXED" in broken(report)


class TestWhenTheOpeningWas:
    """A record dates an opening by the link that was sent under its checkpoint."""

    def of_record(self, honest: Simulator, change: Callable[[list[Any]], None]) -> Report:
        lines = [json.loads(line) for line in honest.record("ann").splitlines()]
        change(lines)
        record = b"".join(dump(line) + b"\n" for line in lines)
        return judge(honest.game_file(), key=honest.key, mine=record, beacons=(TESTS,))

    def test_a_hand_without_a_link_in_the_record_is_not_dated(self, honest: Simulator) -> None:
        def forget(lines: list[Any]) -> None:
            lines.remove(next(one for one in lines if one.get("link", {}).get("hand") == 2))

        report = self.of_record(honest, forget)
        assert "1 opening may have been made when the round was out" in why(report)

    def test_a_checkpoint_of_another_size_dates_nothing(self, honest: Simulator) -> None:
        def move(lines: list[Any]) -> None:
            first, second = (one["link"] for one in lines if "link" in one)
            second["checkpoint"] = first["checkpoint"]

        report = self.of_record(honest, move)
        assert "1 opening may have been made when the round was out" in why(report)

    def test_a_checkpoint_that_the_dealer_did_not_sign_dates_nothing(
        self, honest: Simulator
    ) -> None:
        def forge(lines: list[Any]) -> None:
            for one in lines:
                if "link" in one:
                    text, dash, signature = one["link"]["checkpoint"].rpartition(" ")
                    middle = len(signature) // 2
                    other = "A" if signature[middle] != "A" else "B"
                    changed = signature[:middle] + other + signature[middle + 1 :]
                    one["link"]["checkpoint"] = text + dash + changed

        report = self.of_record(honest, forge)
        assert "2 openings may have been made when the round was out" in why(report)

    def test_any_players_record_will_do(self, honest: Simulator) -> None:
        assert audit(honest, player="ben").exit_status() == 0

    @pytest.mark.parametrize(("late", "dated"), [(0, 2), (1, 1), (3600, 0)])
    def test_witnesses_of_the_openings_date_them(
        self, honest: Simulator, late: int, dated: int
    ) -> None:
        """The quorum was reached a second before the first hand's round, or `late` after that."""
        transcript = honest.transcript()
        log = told(new_log(ORIGIN, KEY_SEED), transcript)
        first = transcript.find("deck_committed").body["beacon"]["round"]
        time = drand.due_at(first) // 1000 - 1 + late
        note = log.note()
        note += "".join(one.cosign(note, time) for one in WITNESSES[:2])
        line = dealer_log_line(log, list(range(len(log.lines))), note)
        policy = parse_policy(policy_text())
        assert isinstance(policy, Policy)
        report = judge(
            transcript.render(honest.signer, also=[line]),
            key=honest.key,
            policy=policy,
            beacons=(TESTS,),
        )
        assert not broken(report), tell(report)
        assert unproved(report) == (set() if dated == 2 else {"BEACON-MIXED"})
        late_ones = 2 - dated
        assert (f"{late_ones} opening" in why(report)) is bool(late_ones)


def test_a_void_for_want_of_a_beacon_that_no_rule_names_breaks_complete() -> None:
    def without(game: Simulator) -> set[str]:
        for name in ("ann", "ben"):
            game.sit(name)
        game.open_hand()
        game.give_links()
        game.void_hand(VoidReason.OPERATOR)
        game.close()
        game.reveal()
        transcript = game.transcript()
        transcript.change(transcript.find("hand_void").index, reason="no_beacon")
        return broken(judge(transcript.render(game.signer), key=game.key))

    assert without(Simulator(rules=DRAWN)) == set()
    assert without(Simulator()) == {"COMPLETE"}


class TestNetworks:
    def test_quicknet_is_built_in(self) -> None:
        told = KNOWN["chain"]
        info = {
            "public_key": told["public_key"],
            "period": told["period"],
            "genesis_time": told["genesis_time"],
            "groupHash": told["groupHash"],
            "hash": told["hash"],
            "schemeID": told["schemeID"],
            "metadata": {"beaconID": told["beaconID"]},
        }
        assert parse_network(json.dumps(info).encode()) == QUICKNET
        assert QUICKNET.chain == told["hash"]

    @pytest.mark.parametrize("case", KNOWN["rounds"], ids=lambda case: str(case["round"]))
    def test_real_rounds_hold(self, case: dict[str, Any]) -> None:
        verify = pairing.load()
        assert verify is not None
        number = case["round"]
        assert verify(QUICKNET, number, bytes.fromhex(case["signature"]))
        due = 1000 * case["time"]
        assert QUICKNET.time_of(number) == due
        asked = [QUICKNET.round_of(due - 6000 + ms) for ms in (-3000, -2999, 0, 1)]
        assert asked == [number - 1, number, number, number + 1]

    @pytest.mark.parametrize("case", KNOWN["must_be_refused"], ids=lambda case: str(case["why"]))
    def test_everything_else_is_refused(self, case: dict[str, Any]) -> None:
        verify = pairing.load()
        assert verify is not None
        signature = bytes.fromhex(case["signature"])
        holds = verify(QUICKNET, case["round"], signature)
        assert holds is case.get("signature_is_valid", False)

    @pytest.mark.parametrize("key", [bytes(96), b"\xbf" + b"\xff" * 95], ids=["zeros", "ones"])
    def test_a_key_that_is_no_point_signs_nothing(self, key: bytes) -> None:
        verify = pairing.load()
        assert verify is not None
        assert not verify(replace(TESTS, public_key=key), 7, drand.sign(7))

    def test_before_the_genesis_the_first_round_is_asked_for(self) -> None:
        assert QUICKNET.round_of(0) == 1

    @pytest.mark.parametrize(
        ("changed", "reason"),
        [
            ({"hash": "00" * 32}, "that has the hash"),
            ({"schemeID": "pedersen-bls-chained"}, "of another scheme"),
            ({"metadata": {}}, "without a beaconID"),
            ({"metadata": {"beaconID": "\x1b["}}, "without a beaconID"),
            ({"public_key": "ab"}, "public_key is not 96 bytes"),
            ({"public_key": "AB" * 96}, "public_key is not 96 bytes"),
            ({"public_key": "c0" + "00" * 95, "hash": None}, "signs everything"),
            ({"groupHash": 7}, "groupHash is not 32 bytes"),
            ({"period": 0}, "period is no whole number"),
            ({"period": True}, "period is no whole number"),
            ({"genesis_time": 2**63}, "genesis_time is no whole number"),
        ],
    )
    def test_other_chain_information_is_refused(self, changed: dict[str, Any], reason: str) -> None:
        read = parse_network(json.dumps(drand.info(**changed)).encode())
        assert isinstance(read, Problem)
        assert reason in read.reason

    @pytest.mark.parametrize("data", [b"", b"[]", b"[" * 10_000, b'"' + b"x" * 20_000 + b'"'])
    def test_what_is_no_object_is_refused(self, data: bytes) -> None:
        read = parse_network(data)
        assert isinstance(read, Problem)
        assert read.reason == "no chain information"


class TestTheCommand:
    def verify(self, folder: Path, game: Simulator, info: dict[str, Any]) -> int:
        (folder / "game").write_bytes(game.game_file())
        (folder / "record").write_bytes(game.record("ann"))
        (folder / "info").write_text(json.dumps(info))
        options = ("--key", game.key, "--mine", str(folder / "record"))
        return main(["verify", str(folder / "game"), *options, "--beacon", str(folder / "info")])

    def test_takes_chain_information(
        self, tmp_path: Path, honest: Simulator, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.verify(tmp_path, honest, drand.info()) == 0
        assert "BEACON-MIXED" in capsys.readouterr().out

    def test_refuses_what_is_none(
        self, tmp_path: Path, honest: Simulator, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.verify(tmp_path, honest, drand.info(period=0)) == 2
        assert "--beacon" in capsys.readouterr().err
