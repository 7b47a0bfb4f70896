"""An evidence bundle: what it holds, and that nothing in it can be changed unseen."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.rng.certify.check import check_bundle
from audit_cli.rng.certify.manifest import Manifest, make_entries, parse_manifest, signed_text
from audit_cli.rng.certify.writing import files_of
from audit_cli.rng.plan import Plan
from tests.support.game_files import Signer
from tests.support.small_bundles import (
    LABORATORY,
    MADE,
    materials,
    signed,
    small_bundle,
    small_run,
)

PARTS = (
    "attestation.json",
    "data/counts.json",
    "data/index.json",
    "environment.json",
    "kat/outcomes.json",
    "kat/vectors.json",
    "plan/plan.note",
    "report.html",
    "report.json",
    "results/battery.json",
    "rng/scaling-proof.md",
    "sbom/cyclonedx.json",
    "sbom/spdx.json",
    "source/distributions.json",
    "source/rng-core.json",
    "trace/matrix.json",
    "trace/matrix.md",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle that no test changes."""
    folder = tmp_path_factory.mktemp("made") / "bundle"
    small_bundle(folder)
    return folder


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    """Return a copy of it to change."""
    return Path(shutil.copytree(made, tmp_path / "bundle"))


def trusted(signer: Signer = LABORATORY) -> VerifierKey:
    key = parse_vkey(signer.vkey)
    assert isinstance(key, VerifierKey)
    return key


def sign_again(bundle: Path, signer: Signer = LABORATORY) -> None:
    """Make manifest and signature fit the files as they are now, as who has the key could."""
    old = parse_manifest((bundle / "manifest.json").read_bytes())
    assert isinstance(old, Manifest)
    files = files_of(bundle)
    for own in ("manifest.json", "manifest.sig"):
        del files[own]
    answered = {entry.path: entry.requirements for entry in old.entries}
    entries = make_entries(files, answered)
    data = replace(old, entries=entries, key=signer.vkey).encode()
    (bundle / "manifest.json").write_bytes(data)
    text = signed_text(data, len(entries))
    (bundle / "manifest.sig").write_text(f"{text}\n{signer.sign(text)}", encoding="utf-8")


def change_json(path: Path, change: Callable[[Any], None]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def matrix_of(bundle: Path) -> list[Any]:
    rows: list[Any] = json.loads((bundle / "trace" / "matrix.json").read_bytes())["requirements"]
    return rows


def faults(bundle: Path) -> str:
    return "\n".join(check_bundle(bundle, trusted()).faults)


def test_a_bundle_as_it_was_made_has_no_fault(made: Path) -> None:
    found = check_bundle(made, trusted())
    assert found.faults == []
    assert found.trusted
    assert found.root == sha256((made / "manifest.json").read_bytes()).hexdigest()
    assert any("tests follow from data/counts.json" in words for words in found.checked)
    assert any("the verdict follows" in words for words in found.checked)


def test_without_a_key_it_is_said_whose_signature_it_is(made: Path) -> None:
    found = check_bundle(made)
    assert found.faults == []
    assert (found.trusted, found.signer) == (False, LABORATORY.vkey)


def test_it_holds_every_part(made: Path) -> None:
    assert set(PARTS) <= set(files_of(made))


def test_the_same_inputs_give_the_same_bytes(made: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    small_bundle(again)
    one = {name: path.read_bytes() for name, path in files_of(made).items()}
    assert {name: path.read_bytes() for name, path in files_of(again).items()} == one


def test_its_files_name_the_requirements_that_they_answer(made: Path) -> None:
    manifest = parse_manifest((made / "manifest.json").read_bytes())
    assert isinstance(manifest, Manifest)
    named = {entry.path: entry.requirements for entry in manifest.entries}
    assert "R-01" in named["results/battery.json"]
    assert {"R-06", "R-09", "R-23", "R-28"} <= set(named["source/rng-core.json"])
    assert manifest.made == MADE


@pytest.mark.parametrize("name", PARTS)
def test_a_changed_file_is_named(bundle: Path, name: str) -> None:
    data = bytearray((bundle / name).read_bytes())
    data[len(data) // 2] ^= 1
    (bundle / name).write_bytes(data)
    assert check_bundle(bundle, trusted()).faults == [f"{name} was changed (same size)"]


@pytest.mark.parametrize("name", PARTS)
def test_a_missing_file_is_named(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    assert check_bundle(bundle, trusted()).faults == [f"{name} is missing"]


@pytest.mark.parametrize("name", ["results/more.json", "notes.txt", "rng/.hidden"])
def test_an_added_file_is_named(bundle: Path, name: str) -> None:
    (bundle / name).write_text("more\n")
    assert check_bundle(bundle, trusted()).faults == [f"{name} was added"]


def test_a_file_that_is_a_link_elsewhere_is_refused(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes((bundle / "report.html").read_bytes())
    (bundle / "report.html").unlink()
    (bundle / "report.html").symlink_to(tmp_path / "elsewhere")
    assert check_bundle(bundle, trusted()).faults == ["report.html is no plain file"]


def test_every_fault_is_named_at_once(bundle: Path) -> None:
    (bundle / "report.html").write_text("changed")
    (bundle / "sbom" / "spdx.json").unlink()
    (bundle / "added").write_text("")
    found = check_bundle(bundle, trusted())
    assert len(found.faults) == 3
    assert "figures were not worked out again" in found.notes[0]


@pytest.mark.parametrize("name", ["manifest.json", "manifest.sig"])
def test_without_manifest_or_signature_it_is_no_bundle(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    assert f"{name} is missing" in faults(bundle)


def test_a_manifest_that_was_changed_is_not_what_was_signed(bundle: Path) -> None:
    (bundle / "report.html").write_text("<p>all is well</p>")
    manifest = parse_manifest((bundle / "manifest.json").read_bytes())
    assert isinstance(manifest, Manifest)
    files = files_of(bundle)
    entries = make_entries({entry.path: files[entry.path] for entry in manifest.entries}, {})
    (bundle / "manifest.json").write_bytes(replace(manifest, entries=entries).encode())
    assert faults(bundle) == "manifest.sig signs another root than that of manifest.json"


def test_a_wrong_signature_is_told(bundle: Path) -> None:
    data = (bundle / "manifest.json").read_bytes()
    manifest = parse_manifest(data)
    assert isinstance(manifest, Manifest)
    text = signed_text(data, len(manifest.entries))
    (bundle / "manifest.sig").write_text(f"{text}\n{LABORATORY.sign(text + 'x')}")
    assert faults(bundle) == "manifest.sig: its signature is wrong"


def test_a_bundle_that_another_signed_is_refused(bundle: Path) -> None:
    other = Signer("lab.example", bytes([8] * 32))
    sign_again(bundle, other)
    found = check_bundle(bundle, trusted())
    assert any("it is not signed by lab.example" in words for words in found.faults)
    assert any("names another key" in words for words in found.faults)


def test_one_whose_plan_another_signed_is_refused_too(bundle: Path) -> None:
    sign_again(bundle, Signer("lab.example", bytes([8] * 32)))
    assert any(
        "plan/plan.note: it is not signed by" in words for words in check_bundle(bundle).faults
    )


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"format":"cutcard-evidence/2"}', "\0", "[" * 100_000],
    ids=lambda text: text[:12],
)
def test_what_is_no_manifest_is_told(bundle: Path, text: str) -> None:
    (bundle / "manifest.json").write_text(text)
    assert "manifest.json" in faults(bundle)


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", "rng/../../x", "rng//x", "elsewhere/x"])
def test_a_manifest_names_no_file_outside(bundle: Path, path: str) -> None:
    change_json(bundle / "manifest.json", lambda value: value["files"][0].__setitem__("path", path))
    assert "an entry that is none" in faults(bundle)


def first_of(value: Any, start: str) -> Any:
    return next(one for one in value["tests"] if one["test"].startswith(start))


def set_p(value: Any) -> None:
    first_of(value, "S1")["p"] = 0.5


def set_statistic(value: Any) -> None:
    first_of(value, "S3")["statistic"] = 1.0


def set_holm(value: Any) -> None:
    first_of(value, "S1")["holm"] = 0.123


def set_check(value: Any) -> None:
    first_of(value, "B0")["samples"] += 1


def hide_check(value: Any) -> None:
    value["tests"].remove(first_of(value, "B0"))


def hide_duplicates(value: Any) -> None:
    value["tests"].remove(first_of(value, "S19.deck"))


def set_pairs(value: Any) -> None:
    first_of(value, "S19.five")["statistic"] = 7


def set_equal_decks(value: Any) -> None:
    first_of(value, "S19.deck")["statistic"] = 1


def set_second_p(value: Any) -> None:
    value["second_level"][3]["p"] = 0.5


def leave_out_a_block(value: Any) -> None:
    value["second_level"][3]["values"].pop()


def tell_another_secret(value: Any) -> None:
    value["secrets"] = ["11" * 32]


def set_decision(value: Any) -> None:
    value["decision"] = "fail"


def set_uniformity(value: Any) -> None:
    value["second_level"][3]["statistic"] = 0.01


def leave_out(value: Any) -> None:
    value["tests"].remove(first_of(value, "S1"))


def set_hands(value: Any) -> None:
    value["hands"] = 10_000_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_p, "does not follow"),
        (set_statistic, "does not follow from data/counts.json"),
        (set_holm, "does not follow from the p-values"),
        (set_decision, "decision does not follow"),
        (set_uniformity, "distance from uniform does not follow"),
        (leave_out, "tests of the plan that are missing"),
        (set_hands, "of another plan"),
        (set_check, "checks of the code are not as kat/outcomes.json"),
        (hide_check, "checks of the code are not as kat/outcomes.json"),
        (hide_duplicates, "S19.deck is missing"),
        (set_pairs, "S19.five: p does not follow from the pairs"),
        (set_equal_decks, "S19.deck: two_sided"),
        (set_second_p, "p does not follow from the values"),
        (leave_out_a_block, "99 values, where the plan has 100 blocks"),
        (tell_another_secret, "not those that plan/plan.note commits to"),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_results_that_do_not_follow_are_seen_though_they_are_signed(
    bundle: Path, change: Callable[[Any], None], words: str
) -> None:
    change_json(bundle / "results" / "battery.json", change)
    sign_again(bundle)
    assert words in faults(bundle)


def set_secret(value: Any) -> None:
    value["run"]["secret"] = "11" * 32


def set_kind(value: Any) -> None:
    value["kind"] = "system"


def set_commitments(value: Any) -> None:
    value["commitments"].pop()


def leave_out_a_chunk(value: Any) -> None:
    value["run"]["chunks"].pop()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_secret, "secret"),
        (set_kind, "kind"),
        (set_commitments, "commitments"),
        (leave_out_a_chunk, "chunks"),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_data_that_are_not_of_the_plan_are_seen_though_they_are_signed(
    bundle: Path, change: Callable[[Any], None], words: str
) -> None:
    change_json(bundle / "data" / "index.json", change)
    sign_again(bundle)
    seen = faults(bundle).splitlines()
    assert seen[0] == f"data/index.json: {words} other than plan/plan.note and results"


@pytest.mark.parametrize(
    "other",
    [
        lambda plan: replace(plan, alpha=1e-9),
        lambda plan: replace(plan, certain=1e-300),
        lambda plan: replace(plan, sequences=3),
        lambda plan: replace(plan, tests=tuple(n for n in plan.tests if n != "S1")),
        lambda plan: replace(plan, second=tuple(n for n in plan.second if n != "S1")),
    ],
    ids=["alpha", "certain", "sequences", "a test", "a test of the second level"],
)
def test_a_plan_by_another_rule_is_seen_though_all_is_signed(
    tmp_path: Path, other: Callable[[Plan], Plan]
) -> None:
    """Who has the key can sign any plan, and results that keep to it."""

    def follow(files: dict[str, bytes]) -> None:
        plan = other(small_run()[0])
        value = json.loads(files["results/battery.json"])
        exact = {one["test"] for one in value["tests"] if one["tail"] == "exact"}
        value["tests"] = [one for one in value["tests"] if one["test"] in {*exact, *plan.tests}]
        value["second_level"] = [o for o in value["second_level"] if o["test"] in plan.second]
        value["plan"] = plan.id
        files["results/battery.json"] = json.dumps(value).encode()
        files["plan/plan.note"] = signed(plan.text).encode()

    small_bundle(tmp_path / "bundle", changed=follow)
    assert "is not the plan that this program makes" in faults(tmp_path / "bundle")


def test_counts_that_do_not_give_the_results_are_seen_though_they_are_signed(bundle: Path) -> None:
    def move(value: Any) -> None:
        cells = value["tables"]["card_position"]["cells"]
        cells[0], cells[1] = cells[0] + 50, cells[1] - 50

    change_json(bundle / "data" / "counts.json", move)
    sign_again(bundle)
    assert "S1: " in faults(bundle)


def test_a_matrix_that_says_more_than_the_figures_is_seen_though_it_is_signed(bundle: Path) -> None:
    def better(value: Any) -> None:
        value["requirements"][0]["status"] = "PASS"

    change_json(bundle / "trace" / "matrix.json", better)
    sign_again(bundle)
    seen = faults(bundle).splitlines()
    assert seen[0] == "trace/matrix.json does not follow from the bundle's figures"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("attestation.json", b'"WARNED"', b'"PASSED"'),
        ("report.json", b'"hands": 10000', b'"hands": 10000000'),
        ("report.html", b"</body>", b"<p>All is well.</p></body>"),
        ("trace/matrix.md", b"NOT SHOWN", b"PASS"),
    ],
)
def test_what_is_told_of_the_figures_and_is_not_so_is_seen_though_it_is_signed(
    bundle: Path, name: str, old: bytes, new: bytes
) -> None:
    data = (bundle / name).read_bytes()
    assert old in data
    (bundle / name).write_bytes(data.replace(old, new))
    sign_again(bundle)
    assert faults(bundle) == f"{name} does not follow from the bundle's figures"


def test_another_sample_is_seen_though_it_is_signed(bundle: Path) -> None:
    path = bundle / "data" / "sample.csv"
    path.write_bytes(path.read_bytes().replace(b"As", b"2c", 1))
    sign_again(bundle)
    assert faults(bundle) == "data/sample.csv is not what this program derives"


def test_other_vectors_are_seen_though_they_are_signed(bundle: Path) -> None:
    path = bundle / "kat" / "vectors.json"
    path.write_bytes(path.read_bytes().replace(b'"deck": "', b'"deck": "0', 1))
    sign_again(bundle)
    assert "kat/vectors.json is not what this program derives" in faults(bundle)


@pytest.mark.parametrize("name", ["results/battery.json", "data/counts.json", "kat/outcomes.json"])
@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"tests": 3}'])
def test_figures_of_another_shape_are_told_and_not_stumbled_over(
    bundle: Path, name: str, text: str
) -> None:
    (bundle / name).write_text(text)
    sign_again(bundle)
    assert check_bundle(bundle, trusted()).faults


def test_a_bundle_of_failing_results_says_so(tmp_path: Path) -> None:
    def fail(files: dict[str, bytes]) -> None:
        value = json.loads(files["kat/outcomes.json"])
        value["tests"][0]["p"] = 0
        files["kat/outcomes.json"] = json.dumps(value).encode()

    rows = {row.requirement.id: row for row in small_bundle(tmp_path / "bundle", changed=fail)}
    assert rows["R-12"].status.value == "FAIL"
    statement = json.loads((tmp_path / "bundle" / "attestation.json").read_bytes())
    assert statement["predicate"]["result"] == "FAILED"
    assert "R-12" in statement["predicate"]["failedTests"]


def test_the_attestation_is_about_the_core_and_names_its_plan(made: Path) -> None:
    statement = json.loads((made / "attestation.json").read_bytes())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    core = json.loads((made / "source" / "rng-core.json").read_bytes())
    subject = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    assert subject == {each["path"]: each["sha256"] for each in core["hashes"]["files"]}
    (plan,) = statement["predicate"]["configuration"]
    assert (
        plan["digest"]["sha256"] == sha256((made / "plan" / "plan.note").read_bytes()).hexdigest()
    )
    said = {each["status"] for each in matrix_of(made)}
    expected = "FAILED" if "FAIL" in said else "WARNED" if "NOT SHOWN" in said else "PASSED"
    assert statement["predicate"]["result"] == expected


def test_nothing_in_it_names_the_machine_or_its_folders(made: Path) -> None:
    for name, path in files_of(made).items():
        assert str(Path.cwd()).encode() not in path.read_bytes(), name


def test_lines_of_the_lock_and_the_core_are_those_of_the_sources(made: Path) -> None:
    lock = (made / "source" / "lock.txt").read_bytes()
    assert lock == Path(__file__).parents[2].joinpath("requirements", "dev.txt").read_bytes()
    assert "source/builds.json" in materials()
    assert signed("x\n").startswith("x\n\n")
