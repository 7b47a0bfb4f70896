"""The command as a person or a script meets it: output, messages, exit status."""

import copy
import importlib.util
import json
import os
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import audit_cli
from tests.support.game_files import GameFile, Signer
from tests.support.known_answers import known_answers, vectors

ROOT = Path(__file__).parents[2]
DEALS = ROOT / "proto" / "vectors" / "deal.json"
FIRST = vectors("deal.json")[1]


def run(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "audit_cli", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert b"Traceback" not in done.stderr
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def derive(value: object, *options: str) -> subprocess.CompletedProcess[str]:
    return run("derive", "-", *options, stdin=json.dumps(value).encode())


def changed(**fields: object) -> dict[str, Any]:
    deal: dict[str, Any] = copy.deepcopy(FIRST)
    return deal | fields


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in FIRST.items() if name not in names}


def test_derive_shows_every_step_of_a_case() -> None:
    done = derive(FIRST)
    assert (done.returncode, done.stderr) == (0, "")
    expect = FIRST["expect"]
    for name in ("hand_commitment", "mix", "deck_seed", "deck_root"):
        assert expect[name] in done.stdout
    for link in FIRST["links"]:
        assert link["anchor"] in done.stdout
        assert link["player"] in done.stdout
    rows = " ".join(done.stdout.split())
    for name in ("after_first_shuffle", "after_second_shuffle"):
        assert expect[name] in rows
    assert f"first {expect['cut']} cards" in done.stdout
    assert "19, 15 and 18 cards, put back as C A B" in done.stdout
    assert "all 15 expected values agree" in done.stdout


def test_derive_json_gives_a_list_for_a_list() -> None:
    done = run("derive", DEALS, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [deal["expect"] for deal in vectors("deal.json")]


def test_derive_json_gives_an_object_for_a_case_without_expect() -> None:
    done = derive(without("expect"), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == FIRST["expect"]


def test_derive_gives_the_proofs_that_the_case_names() -> None:
    deal = changed(expect={"proofs": {"17": FIRST["expect"]["proofs"]["17"]}})
    done = derive(deal, "--json")
    assert done.returncode == 0
    assert list(json.loads(done.stdout)["proofs"]) == ["17"]


def test_derive_compares_only_what_is_expected() -> None:
    assert derive(changed(expect={"cut": FIRST["expect"]["cut"]})).returncode == 0
    assert derive(changed(expect={})).returncode == 0
    assert derive(changed(expect=None)).returncode == 0


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("hand_commitment", "00" * 32, "hand_commitment: expected 0000"),
        ("cut", 19, "cut: expected 19, derived"),
        ("cut", "19", "cut: expected 19, derived"),
        ("thirds", [1, 15, 18], "thirds[0]: expected 1, derived 19"),
        ("thirds", [19, 15], "thirds: expected [19, 15], derived [19, 15, 18]"),
        ("restack", "ABC", "restack: expected ABC, derived CAB"),
        ("deck", "As " + FIRST["expect"]["deck"][3:], "deck, first at position 0: expected As"),
        ("deck", "", "deck, first at position 0"),
        ("salts", None, "salts: expected None"),
        ("proofs", {"0": ["00"]}, "proofs.0: expected ['00']"),
        ("bytes_used", True, "bytes_used: expected True"),
    ],
)
def test_derive_names_a_difference_and_exits_1(name: str, value: object, told: str) -> None:
    for options in ((), ("--json",)):
        done = derive(changed(expect={name: value}), *options)
        assert done.returncode == 1
        assert told in done.stderr
        assert "1 difference" in done.stderr


def test_derive_names_the_case_of_a_list() -> None:
    done = derive([FIRST, changed(expect={"cut": 1})], "--json")
    assert done.returncode == 1
    assert "case 2: cut: expected 1" in done.stderr
    assert len(json.loads(done.stdout)) == 2


def test_derive_says_that_a_link_does_not_fit_the_case_s_anchor() -> None:
    deal = changed()
    deal["links"][0]["anchor"] = "00" * 32
    done = derive(deal)
    assert done.returncode == 1
    assert "the anchor of seat 9" in done.stderr
    assert "does not fit" in done.stdout


def test_derive_takes_a_case_without_anchors_and_beacon() -> None:
    deal = without("expect", "beacon")
    deal["links"] = [{k: v for k, v in link.items() if k != "anchor"} for link in deal["links"]]
    assert derive(deal).returncode == 0


LINK = {"seat": 1, "player": "a", "link": "00" * 32}
BAD_CASES: list[tuple[bytes, str]] = [
    (b"", "no JSON"),
    (b"{", "no JSON"),
    (b"\xff", "not UTF-8"),
    (b"7", "the case is no object"),
    (b"null", "the case is no object"),
    (b"NaN", "no JSON"),
    (b"[7]", "case 1 is no object"),
    (b"{}", "the case has no field origin"),
    (b'{"origin":"a","origin":"a"}', "twice"),
    (b"[" * 100_000, "no JSON"),
    (b"1" * 5_000, "no JSON"),
    (json.dumps(changed(note="x")).encode(), "unknown field 'note'"),
    (json.dumps(changed(origin="A")).encode(), "the case.origin"),
    (json.dumps(changed(game="00")).encode(), "the case.game"),
    (json.dumps(changed(game=FIRST["game"].upper())).encode(), "the case.game"),
    (json.dumps(changed(hand=0)).encode(), "the case.hand"),
    (json.dumps(changed(hand=1.0)).encode(), "the case.hand"),
    (json.dumps(changed(hand=2**53)).encode(), "the case.hand"),
    (json.dumps(changed(hand="1")).encode(), "the case.hand"),
    (json.dumps(changed(hand_secret="00" * 31)).encode(), "the case.hand_secret"),
    (json.dumps(changed(links=None)).encode(), "the case.links"),
    (json.dumps(changed(links=[LINK | {"seat": 0}])).encode(), "the case.links[0].seat"),
    (json.dumps(changed(links=[LINK | {"seat": 256}])).encode(), "the case.links[0].seat"),
    (json.dumps(changed(links=[LINK | {"player": ""}])).encode(), "the case.links[0].player"),
    (json.dumps(changed(links=[LINK, LINK])).encode(), "one seat twice"),
    (json.dumps(changed(links=[LINK, LINK | {"seat": 2}])).encode(), "one player twice"),
    (json.dumps(changed(beacon={})).encode(), "the case.beacon has no field"),
    (json.dumps(changed(expect=[])).encode(), "the case.expect"),
    (json.dumps(changed(expect={"decks": 1})).encode(), "unknown key 'decks'"),
    (json.dumps(changed(expect={"proofs": {"52": []}})).encode(), "proofs"),
    (json.dumps([FIRST, without("hand")]).encode(), "case 2 has no field hand"),
]


@pytest.mark.parametrize(("data", "told"), BAD_CASES, ids=[told for _, told in BAD_CASES])
def test_derive_refuses_a_bad_case_with_exit_3(data: bytes, told: str) -> None:
    done = run("derive", "-", "--json", stdin=data)
    assert done.returncode == 3
    assert told in done.stderr
    assert done.stdout == ""


def test_derive_takes_an_empty_list() -> None:
    done = derive([], "--json")
    assert (done.returncode, done.stdout) == (0, "[]\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("foo",),
        ("derive",),
        ("derive", "a", "b"),
        ("derive", "--nope", "a"),
        ("derive", "/nonexistent"),
        ("derive", "/"),
        ("verify",),
        ("verify", "/nonexistent"),
        ("verify", "/"),
        ("verify", "-", "-"),
        ("verify", "-", "--key", "nonsense"),
        ("verify", "-", "--require", "FAIR"),
        ("verify", "-", "--mine", "/nonexistent"),
        ("verify", "-", "--checkpoint", "/nonexistent"),
    ],
)
def test_a_wrong_command_line_is_exit_2_with_a_message(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("cutcard-audit: error: ")
    assert done.stdout == ""


def test_what_is_unknown_is_refused_with_the_help_of_its_own_command() -> None:
    assert "try `cutcard-audit derive --help`" in run("derive", "a", "--nope").stderr
    assert "try `cutcard-audit rng dump --help`" in run("rng", "dump", "--nope").stderr


@pytest.mark.parametrize("order", ["1", "2", "4", "8", "mixed"])
def test_a_trusted_key_of_another_order_is_exit_2(order: str) -> None:

    cases = known_answers("ed25519_edge.json")["cases"]
    case = next(c for c in cases if c["properties"].get("a_order") == order)
    public = b"\1" + bytes.fromhex(case["pk"])
    key_id = sha256(b"dealer.example.net\n" + public).digest()[:4].hex()
    done = run("verify", "-", "--key", f"dealer.example.net+{key_id}+{b64encode(public).decode()}")
    assert done.returncode == 2
    assert "--key" in done.stderr


def test_version_is_the_package_s() -> None:
    assert run("--version").stdout == f"cutcard-audit {audit_cli.__version__}\n"


def test_help_needs_neither_cryptography_nor_the_readers() -> None:
    code = (
        "import sys\n"
        "from audit_cli.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not [m for m in sys.modules if m.startswith('cryptography')], 'loaded'\n"
        "assert 'audit_cli.gamefile' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_the_audit_runs_where_nothing_but_cryptography_is_installed(tmp_path: Path) -> None:
    """Neither the dealer, nor its stubs, nor grpc, nor protobuf can be found, nor numpy."""
    path = tmp_path / "path"
    path.mkdir()
    (path / "audit_cli").symlink_to(ROOT / "audit_cli")
    for package in ("cryptography", "cffi", "_cffi_backend"):
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        found = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
        (path / found.name).symlink_to(found)
    game = tmp_path / "game"
    game.write_bytes(GameFile().checkpoint().data())
    code = (
        "import sys, importlib.util, pkgutil, importlib\n"
        f"sys.path.insert(0, {str(path)!r})\n"
        "for name in 'dealer_service grpc google.protobuf cutcard structlog numpy'.split():\n"
        "    try: found = importlib.util.find_spec(name)\n"
        "    except ModuleNotFoundError: found = None\n"
        "    assert found is None, name\n"
        "import audit_cli\n"
        "for module in pkgutil.walk_packages(audit_cli.__path__, 'audit_cli.'):\n"
        "    if module.name.endswith('__main__') or '.rng.' in module.name: continue\n"
        "    importlib.import_module(module.name)\n"
        "from audit_cli.cli import main\n"
        f"assert main(['derive', {str(DEALS)!r}, '--json']) == 0\n"
        f"assert main(['verify', {str(game)!r}]) == 4\n"
        "assert main(['rng', 'test']) == 2\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], check=False, capture_output=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"pip install 'cutcard[rng]'" in done.stderr


# verify: what needs no check of play


def verify(
    file: GameFile | bytes, *options: str | Path, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    data = file if isinstance(file, bytes) else file.data()
    return run("verify", "-", *options, stdin=data, cwd=cwd)


def verdicts(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    return {p["promise"]: p["verdict"] for p in json.loads(done.stdout)["promises"]}


def test_verify_holds_signed_under_the_trusted_key() -> None:
    done = verify(GameFile().checkpoint(), "--key", Signer().vkey, "--json")
    assert verdicts(done)["SIGNED"] == "holds"
    assert json.loads(done.stdout)["games"][0]["signed"] == 1


def test_verify_without_a_key_does_not_establish_signed() -> None:
    assert verdicts(verify(GameFile().checkpoint(), "--json"))["SIGNED"] == "not established"


def test_verify_of_unsigned_lines_is_4() -> None:
    file = GameFile().checkpoint().entry("paused")
    done = verify(file, "--key", Signer().vkey, "--json")
    assert verdicts(done)["SIGNED"] == "not established"
    assert done.returncode == 4


def test_verify_reports_a_broken_signature_with_exit_1() -> None:
    file = GameFile()
    file.checkpoint(file.signer.note(file.log, 1, bytes(32)))
    done = verify(file)
    assert done.returncode == 1
    assert "SIGNED, entry 0, line 3: the root of a checkpoint" in done.stdout


def test_verify_reports_damage_with_exit_3_and_goes_on() -> None:
    file = GameFile().raw(b'{"at":1, "paused":{}}').checkpoint()
    done = verify(file, "--key", Signer().vkey)
    assert done.returncode == 3
    assert "-, line 3: a space between tokens at byte 8" in done.stdout
    assert "SIGNED        holds" in done.stdout


@pytest.mark.parametrize("data", [b"", b"junk", b"junk\n", b"\0" * 300_000])
def test_verify_of_something_else_is_3(data: bytes) -> None:
    assert verify(data).returncode == 3


def test_verify_takes_several_files_and_joined_ones(tmp_path: Path) -> None:
    first, second = GameFile().checkpoint(), GameFile(game="00" * 16).checkpoint()
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(first.data())
    two.write_bytes(second.data())
    apart = json.loads(run("verify", one, two, "--json").stdout)
    joined = json.loads(verify(first.data() + second.data(), "--json").stdout)
    for value in (apart, joined):
        assert [game["game"] for game in value["games"]] == [first.game, "00" * 16]


def test_an_outside_note_of_these_lines_holds(tmp_path: Path) -> None:
    file = GameFile().checkpoint().entry("paused").checkpoint()
    (tmp_path / "note").write_text(file.note(1))
    (tmp_path / "game").write_bytes(file.data())
    for arguments in (
        ("verify", "game", "--json", "--checkpoint", "note"),
        ("verify", "--json", "--checkpoint", "note", "game"),
    ):
        done = run(*arguments, cwd=tmp_path)
        assert verdicts(done)["CONSISTENT"] == "holds"


@pytest.mark.parametrize("end", ["", "\n"])
def test_an_outside_note_may_stand_on_the_command_line(end: str) -> None:
    """As `--checkpoint "$(cat NOTE)"` gives it, without its last line feed."""
    file = GameFile().checkpoint().entry("paused").checkpoint()
    done = verify(file, "--json", "--checkpoint", file.note(1).rstrip("\n") + end)
    assert verdicts(done)["CONSISTENT"] == "holds"


def test_two_files_of_one_game_are_of_one_log(tmp_path: Path) -> None:
    """A file that ends early begins the other; two histories under one key are a fork."""
    whole = GameFile().checkpoint().entry("paused").checkpoint()
    early, other = GameFile().checkpoint(), GameFile().entry("resumed").checkpoint()
    for name, file in (("whole", whole), ("early", early), ("other", other)):
        (tmp_path / name).write_bytes(file.data())
    agreeing = run("verify", "early", "whole", "early", "--json", cwd=tmp_path)
    assert verdicts(agreeing)["CONSISTENT"] != "broken"
    forked = run("verify", "early", "whole", "other", "--json", cwd=tmp_path)
    assert forked.returncode == 1
    assert verdicts(forked)["CONSISTENT"] == "broken"
    (path,) = tmp_path.glob("cutcard-fork-*.json")
    assert json.loads(path.read_text())["notes"] == [whole.note(), other.note()]


@pytest.mark.parametrize("size", [1, 2])
def test_an_outside_note_of_another_history_is_a_fork_with_evidence(
    tmp_path: Path, size: int
) -> None:
    """Same size and other root: two notes; another size: the leaf hashes too."""
    file = GameFile().entry("paused").checkpoint()
    fork = GameFile(opened=False).entry("paused").entry("paused")
    (tmp_path / "note").write_text(fork.note(size))
    done = verify(file, "--checkpoint", "note", "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert verdicts(done)["CONSISTENT"] == "broken"
    (path,) = tmp_path.glob("cutcard-fork-*.json")
    assert str(path.name) in done.stderr
    evidence = json.loads(path.read_text())
    assert evidence["key"] == Signer().vkey
    assert evidence["notes"] == [file.note(), fork.note(size)]
    assert evidence["leaves"] == ([leaf.hex() for leaf in file.leaves] if size == 1 else [])


def test_evidence_that_is_there_is_kept(tmp_path: Path) -> None:
    file = GameFile().entry("paused").checkpoint()
    (tmp_path / "note").write_text(GameFile().entry("resumed").note())
    (tmp_path / f"cutcard-fork-{file.game}-1.json").write_text("of yesterday")
    assert verify(file, "--checkpoint", "note", cwd=tmp_path).returncode == 1
    assert (tmp_path / f"cutcard-fork-{file.game}-1.json").read_text() == "of yesterday"
    assert "notes" in json.loads((tmp_path / f"cutcard-fork-{file.game}-2.json").read_text())


def test_an_outside_note_beyond_the_signed_lines_is_not_established(tmp_path: Path) -> None:
    file = GameFile().checkpoint()
    (tmp_path / "note").write_text(GameFile().entry("paused").note())
    done = verify(file, "--checkpoint", "note", "--json", cwd=tmp_path)
    assert verdicts(done)["CONSISTENT"] == "not established"
    assert done.returncode == 4


@pytest.mark.parametrize(
    "note",
    [
        "junk",
        GameFile().note().replace("\n1\n", "\n01\n"),
        GameFile(Signer(seed=bytes(32))).note(),
        GameFile().note().replace("\n1\n", "\n2\n"),
        GameFile(game="00" * 16).note(),
    ],
)
def test_an_outside_note_that_does_not_verify_is_ignored_with_a_warning(
    tmp_path: Path, note: str
) -> None:
    (tmp_path / "note").write_text(note)
    done = verify(GameFile().checkpoint(), "--checkpoint", "note", "--json", cwd=tmp_path)
    assert "warning: the note note is ignored" in done.stderr
    assert verdicts(done)["CONSISTENT"] == "not established"
    assert done.returncode == 4
