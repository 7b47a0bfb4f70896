"""`rng test` as a person or a program calls it: plan, count, judge, confirm, say."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit_cli.cli import main
from audit_cli.hashing import tagged_hash
from audit_cli.rng.code.judge import judge_code
from audit_cli.rng.engines.plain import Plain
from audit_cli.rng.fresh import system_hands
from audit_cli.rng.hands_file import HandsWriter, Header, Records
from audit_cli.rng.lab import commit_lab
from audit_cli.rng.plan import Kind, Plan, Source, make_plan, read_plan
from audit_cli.rng.raw.judge import raw_tests
from audit_cli.rng.running import planning
from audit_cli.rng.signing import open_signed
from tests.support.beside import work_alone

ROOT = Path(__file__).parents[2]
SECRET = bytes(32)
#: The smallest run, and the smallest whose chunks hold sequences of raw bits.
HANDS = 10_000
WITH_RAW = 12_300
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run that nothing disturbed, and what it told."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with redirect_stdout(StringIO()) as out:
        assert main(arguments(folder, "--engine", "numpy", "--workers", "1")) == 0
    return folder, out.getvalue()


@pytest.fixture
def whole(told: tuple[Path, str]) -> Path:
    """The folder of that run."""
    return told[0]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call the command in this process, without workers unless their number is named."""

    def called(*given: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with monkeypatch.context() as patch:
            if "--workers" not in given:
                work_alone(patch)
            status = main(["rng", "test", *map(str, given)])
        return status, *capsys.readouterr()

    return called


def test_the_results_tell_the_secrets_that_the_plan_committed_to(whole: Path) -> None:
    plan = plan_of(whole)
    battery = battery_of(whole)
    (secret,) = battery["secrets"]
    assert secret == SECRET.hex()
    assert plan.source.commitment == commit_lab(SECRET).hex()
    fresh = tagged_hash("lab-confirmation", SECRET)
    assert plan.source.confirmation == commit_lab(fresh).hex()
    assert battery["plan"] == plan.id
    assert (plan.run.hands, plan.sequences) == (HANDS, 0)
    assert fresh.hex() not in (whole / "results" / "battery.json").read_text()


def test_every_planned_p_value_is_in_the_results(whole: Path) -> None:
    plan = plan_of(whole)
    battery = battery_of(whole)
    judged = [one["test"] for one in battery["tests"] if one["tail"] != "exact"]
    assert sorted(judged) == sorted(plan.tests)
    assert [one["test"] for one in battery["second_level"]] == list(plan.second)
    assert all(len(one["values"]) == 100 for one in battery["second_level"])
    checks = {one.test for one in judge_code([Plain()])}
    assert checks < {one["test"] for one in battery["tests"]}


def test_sequences_of_raw_bits_are_tested_beside_the_decks(
    tmp_path: Path, call: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make_plan(Source(Kind.LAB), hands=WITH_RAW, raw=raw_tests()).sequences == 60
    # A tenth of them shows the same.
    plan = partial(changed_plan, sequences=6)
    monkeypatch.setattr(planning, "make_plan", plan)
    status, out, _ = call("--secret", SECRET.hex(), "--count", WITH_RAW, "--run", tmp_path)
    assert status == (0 if battery_of(tmp_path)["decision"] == "pass" else 1)
    assert any(line.startswith("B1 raw bits") for line in out.splitlines())
    raw = json.loads((tmp_path / "results" / "raw.json").read_text())
    assert [len(one["p"]) for one in raw["sequences"]] == [188] * 6
    assert set(raw_tests()) <= set(plan_of(tmp_path).tests)


def test_secrets_and_keys_are_for_the_owner_alone(whole: Path) -> None:
    for name in ("origin.json", "sign.key"):
        assert (whole / name).stat().st_mode & 0o777 == 0o600


def test_killed_at_any_point_it_goes_on_to_the_same_bytes(tmp_path: Path, whole: Path) -> None:
    folder = tmp_path / "run"
    # Before the plan; between the digests and the counts of a chunk; and before the results.
    for nth, when in ((4, "before"), (99, "after"), (107, "before")):
        died = subprocess.run(
            [
                *(sys.executable, "-m", "tests.support.dying_run", str(nth), when),
                *arguments(folder, "--engine", "numpy", "--workers", "1"),
            ],
            cwd=ROOT,
            check=False,
            capture_output=True,
        )
        assert died.returncode == -signal.SIGKILL, died.stderr
        assert (folder / "plan.note").exists() == (nth != 4)
    assert list((folder / "results").iterdir()) == [folder / "results" / ".battery.json.part"]
    assert main(arguments(folder, "--engine", "auto", "--workers", "2")) == 0
    (results,) = (folder / "results").iterdir()
    assert results.read_bytes() == (whole / "results" / "battery.json").read_bytes()


def test_interrupted_at_the_terminal_it_says_how_to_go_on(tmp_path: Path, whole: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    for path in (folder / "counts").iterdir():
        path.unlink()
    with subprocess.Popen(
        [sys.executable, "-m", "audit_cli", "rng", "test", "--run", str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("plan ")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130
    assert f"rng test --run {folder}` goes on" in errors
    assert "Traceback" not in errors


def test_a_person_is_told_plan_levels_families_and_verdict(told: tuple[Path, str]) -> None:
    whole, out = told
    lines = out.splitlines()
    assert lines[0].startswith(f"plan {plan_of(whole).id[:16]}… in {whole}, signed by laboratory+")
    assert "10,000 decks in 100 blocks, of a laboratory's secret" in lines[1]
    for words in ("B0 code", "B2 scaled draws", "B3 decks", "B4 games", "over the blocks"):
        assert any(line.startswith(words) for line in lines)
    assert any("families of tests that laboratories name" in line for line in lines)
    assert any(line.startswith("passed: ") and "(exit status 0)" in line for line in lines)


def test_a_finished_run_is_told_again_and_as_json_with_every_figure(whole: Path, call: Run) -> None:
    before = (whole / "results" / "battery.json").read_bytes()
    status, out, errors = call("--run", whole, "--secret", SECRET.hex(), "--count", HANDS, "--json")
    assert (whole / "results" / "battery.json").read_bytes() == before
    value = json.loads(out)
    assert (status, errors) == (0, "")
    assert value["passed"] is True
    assert value["battery"] == battery_of(whole)
    assert value["planned"] == json.loads(plan_of(whole).text)
    assert value["signer"] == (whole / "plan.vkey").read_text().strip()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--count", "20000"), "it is of 10,000 decks, not 20,000"),
        (("--preset", "cert"), "its preset is custom, not cert"),
        (("--secret", "11" * 32), "its secret is another than that of --secret"),
        (("--system",), "its hands are of another source (--secret, or nothing)"),
    ],
)
def test_a_plan_that_is_another_than_asked_for_is_refused_with_what_differs(
    whole: Path, call: Run, options: tuple[str, ...], words: str
) -> None:
    status, _, errors = call("--run", whole, *options)
    assert status == 2
    assert words in errors


def test_a_plan_signed_by_another_key_is_refused(tmp_path: Path, whole: Path, call: Run) -> None:
    key = tmp_path / "other.key"
    assert call("--run", tmp_path / "new", "--plan-only", "--sign-key", key)[0] == 0
    status, _, errors = call("--run", whole, "--sign-key", key)
    assert status == 2
    assert "it is signed by another key" in errors


def test_a_plan_of_another_version_is_refused(
    whole: Path, call: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "hash_code", lambda: "0" * 64)
    status, _, errors = call("--run", whole)
    assert status == 2
    assert "another version" in errors


def test_the_plan_alone_commits_to_fresh_secrets_and_derives_nothing(
    tmp_path: Path, call: Run
) -> None:
    status, out, _ = call("--run", tmp_path, "--plan-only")
    assert status == 0
    assert "1,000,000 decks" in out
    plan = plan_of(tmp_path)
    secrets = [bytes.fromhex(each) for each in origin_of(tmp_path)["secrets"]]
    assert [commit_lab(each).hex() for each in secrets] == [
        plan.source.commitment,
        plan.source.confirmation,
    ]
    assert len(set(secrets)) == 2
    assert not (tmp_path / "counts").exists()


@pytest.mark.parametrize("name", ["plan.note", "plan.vkey", "origin.json"])
def test_a_plan_that_was_changed_is_not_carried_out(tmp_path: Path, call: Run, name: str) -> None:
    call("--run", tmp_path, "--plan-only")
    path = tmp_path / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    status, _, errors = call("--run", tmp_path)
    assert status == 3
    assert "plan" in errors


@pytest.mark.parametrize("left", ["hands", "counts", "raw", "confirmation", "results"])
def test_no_other_plan_is_made_where_a_run_left_hands_or_results(
    tmp_path: Path, call: Run, left: str
) -> None:
    """A failed run is not planned anew on hands that are known, nor its results written over."""
    (tmp_path / left).mkdir()
    status, _, errors = call("--run", tmp_path, "--plan-only")
    assert status == 2
    assert f"has {left} of a run whose plan is not there" in errors
    assert not (tmp_path / "plan.note").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--secret", "00" * 31), "64 hex digits"),
        (("--secret", "00" * 32, "--system"), "one place"),
        (("--count", "9999"), "10,000 are the least"),
        (("--count", "10k", "--preset", "cert"), "leave one out"),
        (("--workers", "0"), "at least 1"),
        (("--system", "--hands", "x"), "one place"),
    ],
)
def test_a_wrong_command_line_leaves_nothing(
    tmp_path: Path, call: Run, options: tuple[str, ...], words: str
) -> None:
    status, _, errors = call("--run", tmp_path, *options)
    assert status == 2
    assert words in errors
    assert not (tmp_path / "plan.note").exists()


def test_a_bad_shuffle_fails_at_once(tmp_path: Path, call: Run) -> None:
    """Decks that are only cut."""
    generator = np.random.default_rng(1)
    decks = (np.arange(52) + generator.integers(0, 52, (10_000, 1))) % 52
    path = tmp_path / "decks"
    path.write_bytes(decks.astype(np.uint8).tobytes())
    status, out, _ = call("--decks", path, "--run", tmp_path / "run")
    assert status == 1
    battery = battery_of(tmp_path / "run")
    assert battery["decision"] == "fail"
    assert battery["confirmation"] is None
    assert {"S2", "S10"} <= {one["test"] for one in battery["certain"]}
    assert "failed: " in out
    assert "(exit status 1)" in out


@pytest.mark.usefixtures("eager")
def test_suspects_are_tested_once_more_on_the_secret_that_was_committed_to(
    tmp_path: Path, call: Run
) -> None:
    status, out, errors = call("--secret", SECRET.hex(), "--count", 10_000, "--run", tmp_path)
    battery = battery_of(tmp_path)
    plan = plan_of(tmp_path)
    suspects = {(one["test"], one["level"]) for one in battery["suspects"]}
    assert suspects
    judged = {(one["test"], one["level"]) for one in battery["confirmation"]["judged"]}
    assert judged == suspects
    assert battery["confirmation"]["hands"] == 40_000
    assert commit_lab(bytes.fromhex(battery["secrets"][1])).hex() == plan.source.confirmation
    assert len(list((tmp_path / "confirmation" / "counts").iterdir())) == 400
    assert "to be tested again on fresh hands" in errors
    assert "again, on 40,000 fresh decks" in out
    assert status == (0 if battery["decision"] == "pass" else 1)


@pytest.mark.usefixtures("eager")
def test_a_file_without_further_hands_leaves_suspects_as_they_are(
    tmp_path: Path, call: Run
) -> None:
    order = np.random.default_rng(2).random((10_000, 52)).argsort(axis=1)
    decks = order.astype(np.uint8)
    path = tmp_path / "decks"
    path.write_bytes(decks.tobytes())
    status, out, _ = call("--decks", path, "--run", tmp_path / "run")
    assert status == 1
    assert "has no 40,000 further hands" in out
    assert battery_of(tmp_path / "run")["decision"] == "confirm"


def test_hands_of_the_system_are_collected_after_the_plan_and_counted(
    tmp_path: Path, call: Run
) -> None:
    status, _, _ = call("--system", "--count", 10_000, "--run", tmp_path)
    battery = battery_of(tmp_path)
    assert status == (0 if battery["decision"] == "pass" else 1)
    assert battery["secrets"] == []
    assert {"S19.secret", "S22"} <= {one["test"] for one in battery["tests"]}
    with (tmp_path / "hands").open("r+b") as stream:
        stream.seek(-1000, os.SEEK_END)
        (there,) = stream.read(1)
        stream.seek(-1000, os.SEEK_END)
        stream.write(bytes([there ^ 1]))
    status, _, errors = call("--run", tmp_path)
    assert status == 3
    assert "is not what was collected" in errors


@pytest.fixture(scope="module")
def records() -> Records:
    """Ten thousand hands of fresh secrets."""
    found = list(system_hands(Plain(), 10_000))
    return Records(
        np.concatenate([each.secrets for each in found]),
        np.concatenate([each.mixes for each in found]),
        np.concatenate([each.decks for each in found]),
    )


def test_two_hands_of_one_secret_fail_a_run(tmp_path: Path, call: Run, records: Records) -> None:
    columns = [column.copy() for column in (records.secrets, records.mixes, records.decks)]
    for column in columns:
        column[7000] = column[12]
    path = write_hands(tmp_path / "hands.bin", Records(*columns))
    status, out, _ = call("--hands", path, "--run", tmp_path / "run")
    assert status == 1
    assert set(battery_of(tmp_path / "run")["failed_checks"]) == {"S19.deck", "S19.secret"}
    assert "not S19.deck, S19.secret" in out


def test_a_hand_that_does_not_derive_is_named(tmp_path: Path, call: Run, records: Records) -> None:
    decks = records.decks.copy()
    decks[4321, [0, 51]] = decks[4321, [51, 0]]
    path = write_hands(tmp_path / "hands.bin", replace(records, decks=decks))
    status, _, errors = call("--hands", path, "--run", tmp_path / "run")
    assert status == 1
    assert "hand 4,321" in errors


def test_a_file_that_changed_since_the_plan_is_not_tested(
    tmp_path: Path, call: Run, records: Records
) -> None:
    path = write_hands(tmp_path / "hands.bin", records)
    assert call("--hands", path, "--run", tmp_path / "run", "--plan-only")[0] == 0
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    status, _, errors = call("--run", tmp_path / "run")
    assert status == 3
    assert "its SHA-256 differs" in errors


def test_more_decks_than_a_file_has_are_refused(
    tmp_path: Path, call: Run, records: Records
) -> None:
    path = write_hands(tmp_path / "hands.bin", records)
    status, _, errors = call("--hands", path, "--run", tmp_path / "run", "--count", "20k")
    assert status == 2
    assert "has 10,000 hands, not 20,000" in errors


def test_without_a_folder_a_new_one_is_made_and_named(
    tmp_path: Path, call: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, out, _ = call("--plan-only")
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("rng-test-")
    assert f"in {made.name}, signed" in out


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans that suspect the most remarkable tests of any run."""
    monkeypatch.setattr(planning, "make_plan", partial(changed_plan, alpha=0.999))


def changed_plan(*given: Any, alpha: float = 0, sequences: int = 0, **named: Any) -> Plan:
    """Make a plan with another level, or other sequences of raw bits, than is its way."""
    plan = make_plan(*given, **named)
    return replace(plan, alpha=alpha or plan.alpha, sequences=sequences or plan.sequences)


def arguments(folder: Path, *more: str) -> list[str]:
    secret = ("--secret", SECRET.hex())
    return ["rng", "test", *secret, "--count", str(HANDS), "--run", str(folder), *more]


def write_hands(path: Path, records: Records) -> Path:
    with HandsWriter(path, Header(len(records.decks), "lab", "a test")) as writer:
        writer.append(records)
    return path


def plan_of(folder: Path) -> Plan:
    verifier = (folder / "plan.vkey").read_text().strip()
    return read_plan(open_signed((folder / "plan.note").read_bytes(), verifier))


def battery_of(folder: Path) -> dict[str, Any]:
    battery: dict[str, Any] = json.loads((folder / "results" / "battery.json").read_text())
    return battery


def origin_of(folder: Path) -> dict[str, Any]:
    origin: dict[str, Any] = json.loads((folder / "origin.json").read_text())
    return origin
