"""The page says of every file that the audit's own tests tamper with what the audit says.

The tests of tampering are run once more, in a process of their own, and keep what they audit; then
the page's modules audit the same in a real browser. They agree on the exit status, and on the
verdict and the findings of every promise: where each is, and in which words. Of the files that are
changed at random these are a few of each kind; `make nightly` has all (`CUTCARD_FUZZED`).
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from selenium.webdriver import Chrome

from tests.support.browser import give_files
from tests.support.kept_audits import KEPT_AUDITS
from tests.support.mutations import FUZZED

AUDITS: Final = Path(__file__).parent.parent / "audit"
MODULES: Final = sorted(
    path
    for pattern in ("test_tampering_*.py", "test_audit_tournament_table.py")
    for path in AUDITS.glob(pattern)
    if "judge" in path.read_text("utf-8")
)
AT_ONCE: Final = 100
FEW: Final = "3"
"""How many changes of each kind are tried, unless the environment says it."""


def keep_audits(folder: Path) -> list[dict[str, Any]]:
    """Run the tests and give what they audited: the input, and the audit's report."""
    folder.mkdir()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    environment = {FUZZED: FEW, **os.environ, KEPT_AUDITS: str(folder)}
    environment.pop("PYTEST_XDIST_WORKER", None)
    done = subprocess.run(
        [*command, *MODULES],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=AUDITS.parent.parent,
    )
    assert done.returncode == 0, done.stdout
    kept = sorted(folder.glob("*.json"))
    return [{**json.loads(path.read_text("utf-8")), "file": f"{path.stem}.jsonl"} for path in kept]


def module_of(case: dict[str, Any]) -> str:
    """Give the name of the module whose test audited it."""
    return Path(case["test"].partition("::")[0]).name


def lines_of(report: dict[str, Any]) -> dict[str, Any]:
    """Give all that a reader is told, in an order of its own.

    The promises that hold, are broken or are not established with every finding, the lines that can
    not be read, voids and other notices, and the exit status.
    """

    def place(finding: dict[str, Any]) -> tuple[Any, ...]:
        where = (finding.get("game") or "", finding.get("hand") or 0, finding.get("entry") or 0)
        return (finding["verdict"], *where, finding["text"])

    return {
        "exit status": report["exit_status"],
        "damage": [(one["line"], one["reason"]) for one in report["damage"]],
        "notices": sorted((one["text"], one.get("details") or []) for one in report["notices"]),
        **{
            one["promise"]: (one["verdict"], sorted(map(place, one["findings"])))
            for one in report["promises"]
        },
    }


def test_the_page_gives_the_lines_of_the_audit(probe: Chrome, tmp_path: Path) -> None:
    cases = keep_audits(tmp_path / "kept")
    assert {module.name for module in MODULES} == {module_of(one) for one in cases}
    differ = []
    for start in range(0, len(cases), AT_ONCE):
        some = cases[start : start + AT_ONCE]
        probe.refresh()
        give_files(probe, "#files", [tmp_path / "kept" / one["file"] for one in some])
        asked = [{name: one[name] for name in one if name != "report"} for one in some]
        reports = probe.execute_async_script(
            """
            const [cases, done] = arguments;
            probe.auditCases(cases).then((told) => done({told}), (error) => done({error:
              String(error.stack || error)}));
            """,
            asked,
        )
        assert "error" not in reports, reports
        for one, report in zip(some, reports["told"], strict=True):
            want, got = lines_of(one["report"]), lines_of(report)
            differ += [
                f"{one['test']} ({one['file']}): {name}: the audit says {want[name]}, the page "
                f"{got.get(name)}"
                for name in want
                if want[name] != got.get(name)
            ]
    assert not differ, "\n".join(differ)


def test_a_file_of_ten_gigabytes_in_one_line_is_refused_by_the_page_too(
    probe: Chrome, tmp_path: Path
) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(10 * 1024**3)
    give_files(probe, "#files", [huge])
    asked: dict[str, Any] = {
        "file": "huge",
        "key": None,
        "records": [],
        "notes": [],
        "required": [],
    }
    (report,) = probe.execute_async_script(
        "const [cases, done] = arguments; probe.auditCases(cases).then(done);", [asked]
    )
    assert report["exit_status"] == 3
    assert [one["line"] for one in report["damage"]] == [1]
    assert "more than 65,535 bytes" in report["damage"][0]["reason"]
