"""`certify`, `bundle verify`, `bundle reproduce` and `fingerprint` as a laboratory meets them."""

import asyncio
import io
import json
import os
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest

from audit_cli.cli import main
from audit_cli.rng.certify.suites import Suites, gather_suites
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.fresh import system_seeds
from audit_cli.rng.hands_file import HandsWriter, Header, Records
from audit_cli.rng.lab import ORIGIN
from audit_cli.rng.signing import make_key, write_key
from tests.support.beside import work_alone
from tests.support.certifying import certifying
from tests.support.small_bundles import LABORATORY, small_bundle
from tests.support.small_games import finish, table_of

if TYPE_CHECKING:
    from audit_cli.rng.running.finished import Finished

ROOT = Path(__file__).parents[2]
SECRET = "5a" * 32
# The smallest run, and nothing that takes long: what is left out has tests of its own.
SHORT = ("--count", "10k", "--flaws", "none", "--skip-builds", "--workers", "1")
NUMPY = ("--engine", "numpy", "--workers", "1")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str | Path, epoch: str = "1767225600", processes: bool = False) -> Done:
    """Run the command in this process, dated by `epoch`, without workers unless asked for."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setenv("SOURCE_DATE_EPOCH", epoch)
        if not processes:
            work_alone(patch)
        status = main([str(each) for each in arguments])
    return Done(status, out.getvalue(), err.getvalue())


def answer(done: Done) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(done.stdout)
    return value


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle that the command made, with a game replayed in it."""
    folder = tmp_path_factory.mktemp("certified")
    played = table_of("anna", "bert", "carl")
    played.play_hand()
    (folder / "games").mkdir()
    (folder / "games" / "one.game").write_bytes(finish(played).game_file())
    games = ("--games", folder / "games", "--games-key", played.key)
    out = ("--out", folder / "bundle", "--sign-key", folder / "lab.key")
    own = ("--secret", SECRET, "--engine", "numpy")
    done = run("certify", *own, *SHORT, *games, *out, processes=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle made in memory, quicker to have."""
    folder = tmp_path_factory.mktemp("made") / "bundle"
    small_bundle(folder)
    return folder


def key_of(bundle: Path) -> str:
    key: str = json.loads((bundle / "manifest.json").read_bytes())["key"]
    return key


def test_what_certify_makes_verifies_offline_under_the_laboratorys_key(certified: Path) -> None:
    bundle = certified / "bundle"
    done = run("bundle", "verify", bundle, "--key", key_of(bundle), "--json")
    found = answer(done)
    assert (done.returncode, found["faults"]) == (0, [])
    # As `--secret` does in this test.
    (note,) = found["notes"]
    assert note.startswith("the secret was named by who made the plan")
    assert found["whole"]
    assert found["key_trusted"]


def test_its_rows_on_games_are_decided_by_the_replay(certified: Path) -> None:
    matrix = json.loads((certified / "bundle" / "trace" / "matrix.json").read_bytes())
    status = {each["id"]: each["status"] for each in matrix["requirements"]}
    assert [status[name] for name in ("R-15", "R-16", "R-32")] == ["PASS"] * 3
    # 10,000 decks are fewer than R-01 asks for.
    assert status["R-01"] == "NOT SHOWN"


def test_it_is_repeated_byte_for_byte_by_another_engine(certified: Path, tmp_path: Path) -> None:
    bundle = shutil.copytree(certified / "bundle", tmp_path / "elsewhere")
    done = run("bundle", "reproduce", bundle, "--json", "--engine", "auto", "--workers", "1")
    found = answer(done)
    assert (done.returncode, found["other"], found["reproduced"]) == (0, [], True)
    assert {"results/battery.json", "data/counts.json", "kat/vectors.json"} <= set(found["same"])
    assert set(found["left"]) == {"verify/replay.json"}


def test_the_same_command_makes_the_same_bytes_from_the_run_that_is_there(
    certified: Path, tmp_path: Path
) -> None:
    games = ("--games", certified / "games", "--games-key", games_key(certified))
    out = ("--out", tmp_path / "again", "--run", certified / "bundle.run")
    key = ("--sign-key", certified / "lab.key")
    options = ("--flaws", "none", "--skip-builds", *NUMPY)
    done = run("certify", *options, *games, *out, *key)
    assert done.returncode == 0, done.stdout + done.stderr
    one, other = certified / "bundle" / "manifest.json", tmp_path / "again" / "manifest.json"
    assert one.read_bytes() == other.read_bytes()


def games_key(certified: Path) -> str:
    replay = json.loads((certified / "bundle" / "verify" / "replay.json").read_bytes())
    key: str = replay["key"]
    return key


def test_a_run_whose_plan_another_key_signed_is_refused(certified: Path, tmp_path: Path) -> None:
    """Neither the key in the folder, where it has none, nor another one that is named."""
    theirs = ("--run", certified / "bundle.run", "--flaws", "none", "--skip-builds")
    without = run("certify", *theirs, "--out", tmp_path / "bundle")
    assert without.returncode == 2
    assert "--sign-key names the key that signed it" in without.stderr
    key = tmp_path / "other.key"
    write_key(key, make_key("laboratory", bytes(32)))
    other = run("certify", *theirs, "--sign-key", key, "--out", tmp_path / "bundle")
    assert other.returncode == 2
    assert "signed by another key than --sign-key" in other.stderr
    assert not (tmp_path / "bundle").exists()


def test_a_laboratorys_key_is_its_owners_alone_and_not_in_the_bundle(certified: Path) -> None:
    assert (certified / "lab.key").stat().st_mode & 0o077 == 0
    # Base64 has plus signs of its own.
    secret = (certified / "lab.key").read_text().strip().split("+", 4)[4].encode()
    assert len(secret) == 44
    for path in (certified / "bundle").rglob("*"):
        assert path.is_dir() or secret not in path.read_bytes()


def test_a_folder_that_is_there_is_never_written_over(certified: Path) -> None:
    done = run("certify", *SHORT, "--out", certified / "bundle")
    assert done.returncode == 2
    assert "is there already" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--flaws", "F99"), "no such flaw"),
        (("--games", "no-such-folder"), "no such folder"),
        (("--games-key", "x"), "--games-key"),
        (("--workers", "0"), "--workers"),
        (("--secret", "00"), "--secret"),
        (("--secret", "00" * 32, "--system"), "one place"),
        (("--preset", "quick", "--count", "10k"), "leave one out"),
    ],
)
def test_a_wrong_command_line_is_status_2(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run("certify", "--out", tmp_path / "bundle", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_date_that_is_none_is_status_2(tmp_path: Path) -> None:
    done = run("certify", *SHORT, "--out", tmp_path / "bundle", epoch="9" * 15)
    assert done.returncode == 2
    assert "SOURCE_DATE_EPOCH" in done.stderr


def test_verify_tells_every_fault_and_ends_with_1(made: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(made, tmp_path / "bundle"))
    (bundle / "rng" / "limits.md").write_text("nothing is left open\n")
    (bundle / "more").write_text("")
    done = run("bundle", "verify", bundle, "--key", LABORATORY.vkey)
    assert done.returncode == 1
    assert "rng/limits.md was changed" in done.stdout
    assert "more was added" in done.stdout


def test_verify_says_that_only_a_key_decides_whose_it_is(made: Path) -> None:
    done = run("bundle", "verify", made)
    assert done.returncode == 0
    assert "a key that the bundle names itself" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [("verify", "no-such-folder"), ("verify", "README.md"), ("reproduce", "no-such-folder")],
)
def test_what_is_no_folder_is_status_2(arguments: tuple[str, str]) -> None:
    assert run("bundle", *arguments).returncode == 2


def test_a_key_that_is_none_is_status_2(made: Path) -> None:
    assert run("bundle", "verify", made, "--key", "x").returncode == 2


def test_what_was_changed_is_not_repeated(made: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(made, tmp_path / "bundle"))
    (bundle / "data" / "index.json").write_text("{}")
    done = run("bundle", "reproduce", bundle)
    assert done.returncode == 1
    assert "is not as it was signed" in done.stderr


def collect(path: Path, count: int) -> None:
    """Write hands whose secrets follow from nothing that is told."""
    secrets, mixes = system_seeds(count, Random(5).randbytes)
    decks = engine("numpy").derive(0, secrets, mixes).decks
    with HandsWriter(path, Header(count, ORIGIN, "a test")) as writer:
        writer.append(Records(secrets, mixes, decks))


def test_hands_that_follow_from_no_secret_are_repeated_from_a_copy_alone(tmp_path: Path) -> None:
    hands, bundle = tmp_path / "hands", tmp_path / "bundle"
    collect(hands, 10_000)
    done = run("certify", "--hands", hands, *SHORT, "--engine", "numpy", "--out", bundle)
    assert done.returncode in {0, 1}, done.stderr
    without = answer(run("bundle", "reproduce", bundle, "--json", *NUMPY))
    assert "follow from no secret" in without["left"]["results/battery.json"]
    copy = shutil.copy(hands, tmp_path / "copy")
    repeated = run("bundle", "reproduce", bundle, "--hands", copy, "--json", *NUMPY)
    assert "results/battery.json" in answer(repeated)["same"]
    other = tmp_path / "other"
    other.write_bytes(hands.read_bytes()[:-1] + b"\x00")
    refused = run("bundle", "reproduce", bundle, "--hands", other)
    assert refused.returncode == 2
    assert "its SHA-256 differs" in refused.stderr


@pytest.mark.usefixtures("ent")
def test_suites_of_others_are_run_once_and_their_words_are_kept(
    tmp_path: Path, certified: Path
) -> None:
    folder = Path(shutil.copytree(certified / "bundle.run", tmp_path / "run"))
    options = ("--run", folder, "--flaws", "none", "--skip-builds", *NUMPY)
    more = ("--sign-key", certified / "lab.key", "--external", "ent", "--bytes", "100k")
    done = run("certify", *options, *more, "--out", tmp_path / "bundle")
    assert done.returncode == 0, done.stderr
    results = tmp_path / "bundle" / "results" / "external" / "results.json"
    (suite,) = json.loads(results.read_bytes())["suites"]
    assert suite["suite"] == "ent"
    assert run("bundle", "verify", tmp_path / "bundle").returncode == 0
    # What was said is there: whoever asks again reads it, whatever of the run is at hand.
    again = gather_suites(folder, cast("Finished", None), Suites(None, None))
    assert again["results/external/results.json"] == results.read_bytes()
    assert (tmp_path / "count").read_text() == "x"


@pytest.fixture
def ent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program on the path that counts how often it reads, and speaks as ent does."""
    folder = tmp_path / "programs"
    folder.mkdir()
    program = folder / "ent"
    program.write_text(
        f'#!/bin/sh\n[ "$#" -gt 0 ] && exit 1\ncat > /dev/null\n'
        f"printf x >> {tmp_path / 'count'}\necho 'Entropy = 7.999943 bits per byte.'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


async def test_the_hands_of_a_dealer_tell_which_generator_dealt_them(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    async with certifying(tmp_path / "dealer", entropy=Random(3).randbytes) as service:
        (tmp_path / "token").write_text(service.token())
        live = ("--dealer", service.address, "--insecure", "--token", tmp_path / "token")
        # The dealer is in this process's own loop.
        done = await asyncio.to_thread(
            run, "certify", *live, *SHORT, "--engine", "numpy", "--out", bundle
        )
    assert bundle.is_dir(), done.stderr
    matrix = json.loads((bundle / "trace" / "matrix.json").read_bytes())["requirements"]
    rows = {each["id"]: each for each in matrix}
    assert (rows["R-25"]["status"], rows["R-27"]["status"]) == ("PASS", "PASS")
    index = json.loads((bundle / "data" / "index.json").read_bytes())
    assert (index["kind"], index["rederivable"]) == ("dealer", False)
    assert index["dealer"]["origin"] == "dealer.example.com/certify"
    whole = run("bundle", "reproduce", bundle, "--json", "--hands", f"{bundle}.run/hands", *NUMPY)
    assert "results/battery.json" in answer(whole)["same"]


def site(folder: Path) -> Path:
    """Copy the dealer's package as an installation of its own."""
    shutil.copytree(
        ROOT / "dealer_service",
        folder / "dealer_service",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return folder


def test_a_fingerprint_alone_is_told(tmp_path: Path) -> None:
    done = run("fingerprint", "--site", site(tmp_path / "site"), "--json")
    found = answer(done)
    assert done.returncode == 0
    assert len(found["fingerprint"]) == 64
    assert "dealer_service/fairness/deck.py" in found["files"]
    assert "same" not in found


def test_the_certified_dealer_is_the_same(made: Path, tmp_path: Path) -> None:
    done = run("fingerprint", "--bundle", made, "--site", site(tmp_path / "site"))
    assert done.returncode == 0
    assert done.stdout.endswith("the same\n")


def test_a_dealer_that_was_changed_is_another_and_the_file_is_named(
    made: Path, tmp_path: Path
) -> None:
    place = site(tmp_path / "site")
    shuffle = place / "dealer_service" / "fairness" / "shuffle.py"
    shuffle.write_text(shuffle.read_text().replace("256 - 256 % n", "257 - 256 % n"))
    done = run("fingerprint", "--bundle", made, "--site", place)
    assert done.returncode == 1
    assert "dealer_service/fairness/shuffle.py is another" in done.stdout
    assert "another core" in done.stdout


def test_a_bundle_whose_list_was_changed_is_not_compared_with(made: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(made, tmp_path / "bundle"))
    path = bundle / "source" / "rng-core.json"
    path.write_text(path.read_text().replace('"size": 1', '"size": 2', 1) + "\n")
    done = run("fingerprint", "--bundle", bundle)
    assert done.returncode == 3
    assert "is not the file that the manifest names" in done.stderr


def test_where_no_dealer_is_installed_it_can_not_be_told(tmp_path: Path) -> None:
    done = run("fingerprint", "--site", tmp_path)
    assert done.returncode == 3
    assert "no dealer is installed" in done.stderr


def test_a_site_that_is_none_is_status_2(tmp_path: Path) -> None:
    assert run("fingerprint", "--site", tmp_path / "none").returncode == 2
