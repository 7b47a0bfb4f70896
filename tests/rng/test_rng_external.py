"""Suites of others: found by name, told by hash, run once, quoted as they are."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from audit_cli.cli import main
from audit_cli.derive import STREAM_BYTES
from audit_cli.rng.engines.plain import Plain
from audit_cli.rng.external.reading import (
    Reading,
    read_dieharder,
    read_ent,
    read_practrand,
    read_rngtest,
    read_sts,
    read_testu01,
)
from audit_cli.rng.external.runs import SuiteError, find_programs, fitted_size, run_suite
from audit_cli.rng.external.suites import NAMES, SUITES
from audit_cli.rng.running.bar import Bar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

SECRET = "11" * 32
READ_ALL = "data = sys.stdin.buffer.read()\n"

ENT = """Entropy = 7.999943 bits per byte.

Optimum compression would reduce the size
of this 3000000 byte file by 0 percent.

Chi square distribution for 3000000 samples is 237.72, and randomly
would exceed this value 77.44 percent of the times.

Arithmetic mean value of data bytes is 127.4068 (127.5 = random).
Monte Carlo value for Pi is 3.142976000 (error 0.04 percent).
Serial correlation coefficient is -0.000179 (totally uncorrelated = 0.0).
"""
RNGTEST = """rngtest 5
rngtest: starting FIPS tests...
rngtest: bits received from input: 2000032
rngtest: FIPS 140-2 successes: 99
rngtest: FIPS 140-2 failures: 1
rngtest: FIPS 140-2(2001-10-10) Monobit: 0
rngtest: FIPS 140-2(2001-10-10) Long run: 1
rngtest: input channel speed: (min=1.552; avg=15.394; max=18.626)Gibits/s
"""
DIEHARDER = """#            dieharder version 3.31.1 Copyright 2003 Robert G. Brown          #
        test_name   |ntup| tsamples |psamples|  p-value |Assessment
   diehard_birthdays|   0|       100|     100|0.41840273|  PASSED
        sts_serial|   3|    100000|     100|0.99731234|   WEAK
      rgb_lagged_sum|  12|   1000000|     100|0.00000010|  FAILED
"""
PRACTRAND = """RNG_test using PractRand version 0.95
RNG = RNG_stdin32, seed = unknown
test set = core, folding = standard (32 bit)

rng=RNG_stdin32, seed=unknown
length= 1 megabyte (2^20 bytes), time= 0.1 seconds
  no anomalies in 47 test result(s)

rng=RNG_stdin32, seed=unknown
length= 2 megabytes (2^21 bytes), time= 0.5 seconds
  Test Name                         Raw       Processed     Evaluation
  BCFN(2+1,13-6,T)                  R=  -7.4  p =1-1.4e-3   unusual
  [Low1/32]DC6-9x1Bytes-1           R= +99.9  p =  3.5e-53    FAIL !!!!
  ...and 60 test result(s) without anomalies

"""
TESTU01 = """xxxxx

========= Summary results of SmallCrush =========

 Version:          TestU01 1.2.3
 Generator:        stdin
 Number of statistics:  15
 Total CPU time:   00:00:05.71
 The following tests gave p-values outside [0.001, 0.9990]:
 (eps  means a value < 1.0e-300):
 (eps1 means a value < 1.0e-015):

       Test                          p-value
 ----------------------------------------------
  1  BirthdaySpacings                 eps
  8  MatrixRank                     1 - 5.0e-6
 ----------------------------------------------
 All other tests were passed
"""
STS = """------------------------------------------------------------------------------
 C1  C2  C3  C4  C5  C6  C7  C8  C9 C10  P-VALUE  PROPORTION  STATISTICAL TEST
------------------------------------------------------------------------------
 11   8  13   9  10   7  12  10   9  11  0.964295     99/100     Frequency
  0   0   0   0   0   0   0   0   0 100  0.000000 *    0/100  *  LinearComplexity
  6   7   5   8   4   9   6   5   7   4     ----      60/61      RandomExcursions
"""


def test_ents_report_is_read() -> None:
    readings = read_ent(ENT)
    assert readings[0] == Reading("chi-square of bytes", 0.7744)
    assert readings[1] == Reading("entropy, bits per byte", None, "7.999943")
    assert readings[-1] == Reading("serial correlation", None, "-0.000179")
    less = ENT.replace("77.44 percent", "less than 0.01 percent")
    assert read_ent(less)[0] == Reading("chi-square of bytes", 0.0001, "less than")


def test_rngtests_counts_are_read() -> None:
    assert read_rngtest(RNGTEST) == (
        Reading("successes", None, "99"),
        Reading("failures", None, "1"),
        Reading("Monobit", None, "0"),
        Reading("Long run", None, "1"),
    )


def test_dieharders_table_is_read() -> None:
    assert read_dieharder(DIEHARDER) == (
        Reading("diehard_birthdays 0", 0.41840273, "PASSED"),
        Reading("sts_serial 3", 0.99731234, "WEAK"),
        Reading("rgb_lagged_sum 12", 1e-7, "FAILED"),
    )


def test_the_last_length_of_practrand_is_read() -> None:
    readings = read_practrand(PRACTRAND)
    assert readings == (
        Reading("BCFN(2+1,13-6,T)", 1 - 1.4e-3, "unusual"),
        Reading("[Low1/32]DC6-9x1Bytes-1", 3.5e-53, "FAIL !!!!"),
        Reading("other results of 2 megabytes", None, "60 without anomalies"),
    )
    first = PRACTRAND[: PRACTRAND.index("\nrng=RNG_stdin32, seed=unknown\nlength= 2")]
    assert read_practrand(first) == (
        Reading("other results of 1 megabyte", None, "47 without anomalies"),
    )


def test_testu01s_summary_is_read() -> None:
    assert read_testu01(TESTU01) == (
        Reading("BirthdaySpacings", 1e-300, "outside [0.001, 0.999]"),
        Reading("MatrixRank", 1 - 5.0e-6, "outside [0.001, 0.999]"),
        Reading("SmallCrush", None, "15 statistics"),
    )


def test_nists_final_report_is_read() -> None:
    assert read_sts(STS) == (
        Reading("Frequency", 0.964295, "99/100 passed"),
        Reading("LinearComplexity", 0.0, "0/100 passed, marked by NIST"),
        Reading("RandomExcursions", None, "60/61 passed"),
    )


@pytest.mark.parametrize(
    "read",
    [read_ent, read_rngtest, read_dieharder, read_practrand, read_testu01, read_sts],
    ids=lambda read: read.__name__,
)
def test_other_words_hold_no_reading(read: Any) -> None:
    assert read("Segmentation fault\n") == ()


class Programs:
    """A folder that is the whole path, to which programs are added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, body: str) -> Path:
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\nimport os, pathlib, sys\n{body}")
        path.chmod(0o755)
        return path

    def says(self, name: str, text: str, *, status: int = 0, read: str = READ_ALL) -> Path:
        ask = "if sys.argv[1:] in (['-u'], ['-l'], ['--version']): print('rngtest 5'); sys.exit()\n"
        return self.add(name, f"{ask}{read}sys.stdout.write({text!r})\nsys.exit({status})\n")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return Programs(folder)


def external(*arguments: str, out: Path) -> int:
    return main(["rng", "external", "--secret", SECRET, "--out", str(out), *arguments])


def results(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "results.json").read_bytes())
    return found


def test_all_suites_that_are_found_are_run(
    programs: Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ent = programs.says("ent", ENT)
    programs.says("rngtest", RNGTEST, status=1)
    assert external("--bytes", "30k", out=tmp_path / "out") == 0
    told = results(tmp_path / "out")
    assert [one["suite"] for one in told["suites"]] == ["ent", "rngtest"]
    assert told["suites"][0]["sha256"] == hashlib.sha256(ent.read_bytes()).hexdigest()
    assert told["suites"][1]["version"] == "5"
    assert all(one["complete"] for one in told["suites"])
    assert (tmp_path / "out" / "ent.txt").read_text() == ENT
    assert "rngtest 5, 30,000 bytes: successes 99, failures 1" in capsys.readouterr().out


def test_a_suite_reads_the_streams_of_the_hands_from_the_first(
    programs: Programs, tmp_path: Path
) -> None:
    kept = tmp_path / "read"
    programs.says("ent", ENT, read=f"{READ_ALL}pathlib.Path({str(kept)!r}).write_bytes(data)\n")
    assert external("--bytes", "10001", out=tmp_path / "out") == 0
    streams = Plain().lab(bytes.fromhex(SECRET), 0, 10, streams=True).streams
    assert streams is not None
    assert kept.read_bytes() == streams.tobytes()[:10001]
    (one,) = results(tmp_path / "out")["suites"]
    assert one["bytes"] == 10001
    assert one["read_sha256"] == hashlib.sha256(kept.read_bytes()).hexdigest()


def test_a_suite_that_stops_reading_has_had_enough(programs: Programs, tmp_path: Path) -> None:
    programs.says("dieharder", DIEHARDER, read="sys.stdin.buffer.read(1000)\nos.close(0)\n")
    assert external(out=tmp_path / "out") == 0
    (one,) = results(tmp_path / "out")["suites"]
    assert one["complete"]
    assert one["said"].startswith("1 PASSED, 1 WEAK, 1 FAILED")
    assert one["arguments"] == ["-a", "-g", "200"]


def test_nists_suite_has_its_folders_a_file_and_its_questions_answered(
    programs: Programs, tmp_path: Path
) -> None:
    report = "experiments/AlgorithmTesting/finalAnalysisReport.txt"
    (programs.folder / "templates").mkdir()
    (programs.folder / "templates" / "template9").write_text("000000001")
    programs.add(
        "assess",
        "assert pathlib.Path('templates/template9').read_text() == '000000001'\n"
        "assert pathlib.Path('experiments/AlgorithmTesting/FFT').is_dir()\n"
        "kind, name, tests, change, streams, form = sys.stdin.read().split()\n"
        "assert pathlib.Path(name).stat().st_size == int(streams) * int(sys.argv[1]) // 8\n"
        "print('asked', kind, tests, change, streams, form, sys.argv[1])\n"
        f"pathlib.Path({report!r}).write_text({STS!r})\n",
    )
    assert external("--suites", "sts", "--bytes", "300k", out=tmp_path / "out") == 0
    (one,) = results(tmp_path / "out")["suites"]
    assert one["bytes"] == 250_000
    assert (tmp_path / "out" / "sts.txt").read_text() == "asked 0 1 0 2 1 1000000\n"
    assert (tmp_path / "out" / "sts-report.txt").read_text() == STS
    assert one["outputs"] == ["sts.txt", "sts-report.txt"]


def test_practrand_is_told_where_to_stop(programs: Programs, tmp_path: Path) -> None:
    programs.says("RNG_test", PRACTRAND)
    assert external("--suites", "practrand", "--bytes", "5M", out=tmp_path / "out") == 0
    (one,) = results(tmp_path / "out")["suites"]
    assert one["arguments"][-2:] == ["-tlmax", "4MB"]
    assert one["version"] == "0.95"
    by_name = {suite.name: suite for suite in SUITES}
    assert by_name["practrand"].arguments(1 << 32)[-1] == "4GB"
    assert by_name["practrand"].arguments(None)[-1] == "1TB"


def test_a_battery_of_testu01_is_run_by_a_program_of_that_name(
    programs: Programs, tmp_path: Path
) -> None:
    programs.says("testu01-stdin", TESTU01)
    assert external("--bytes", "64k", out=tmp_path / "out") == 0
    (one,) = results(tmp_path / "out")["suites"]
    assert one["version"] == "1.2.3"


def test_a_suite_that_says_nothing_readable_is_told_and_the_others_are_run(
    programs: Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs.says("dieharder", "Segmentation fault\n", status=139)
    programs.says("ent", ENT)
    assert external("--bytes", "20k", out=tmp_path / "out") == 3
    told = results(tmp_path / "out")
    assert [one["suite"] for one in told["suites"]] == ["ent"]
    assert told["not_run"] == [
        "dieharder said nothing that can be read, status 139: see dieharder.txt"
    ]
    assert (tmp_path / "out" / "dieharder.txt").read_text() == "Segmentation fault\n"
    assert "dieharder said nothing" in capsys.readouterr().err


def test_a_program_that_can_not_be_started_is_told_and_the_others_are_run(
    programs: Programs, tmp_path: Path
) -> None:
    programs.says("ent", ENT)
    path = programs.folder / "rngtest"
    path.write_bytes(b"\x7fELF of another machine")
    path.chmod(0o755)
    assert external("--bytes", "20k", out=tmp_path / "out") == 3
    told = results(tmp_path / "out")
    assert [one["suite"] for one in told["suites"]] == ["ent"]
    assert told["not_run"] == ["rngtest can not be run: exec format error"]


def test_a_program_whose_hash_can_not_be_told_is_not_run(
    programs: Programs,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs.says("ent", ENT)

    def refused(path: Path) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr("audit_cli.rng.external.runs.hash_file", refused)
    assert external("--bytes", "20k", out=tmp_path / "out") == 2
    assert "can not be read: permission denied" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_suite_whose_bytes_ended_is_not_called_complete(
    programs: Programs, tmp_path: Path
) -> None:
    programs.says("dieharder", DIEHARDER + "# stdin_input_raw(): Error: EOF\n")
    assert external("--bytes", "20k", out=tmp_path / "out") == 0
    (one,) = results(tmp_path / "out")["suites"]
    assert not one["complete"]
    assert one["said"].startswith("did not end as it should (status 0): 1 PASSED")


def test_a_suite_whose_bytes_ended_before_its_first_result_is_told_so(
    programs: Programs, tmp_path: Path
) -> None:
    programs.says("dieharder", "# stdin_input_raw(): Error: EOF\n")
    assert external("--bytes", "20k", out=tmp_path / "out") == 3
    assert results(tmp_path / "out")["not_run"] == [
        "dieharder had no result when the 20,000 bytes were at an end"
    ]


def test_a_suite_with_too_few_bytes_is_not_started(programs: Programs, tmp_path: Path) -> None:
    programs.says("ent", ENT)
    assert external("--bytes", "100", out=tmp_path / "out") == 3
    assert results(tmp_path / "out")["not_run"] == ["ent reads 10,000 bytes or more, not 100"]


def test_what_was_said_once_is_not_repeated(
    programs: Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs.says("ent", ENT)
    assert external("--bytes", "20k", out=tmp_path / "out") == 0
    assert external("--bytes", "20k", out=tmp_path / "out") == 2
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suites", "words"),
    [
        (None, "no suite of others is on this machine"),
        ("ent", "ent is not on this machine"),
        ("ent,diehard", "there is no suite diehard"),
    ],
)
def test_a_suite_that_is_not_here_is_refused_before_anything_is_made(
    programs: Programs,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    suites: str | None,
    words: str,
) -> None:
    assert list(programs.folder.iterdir()) == []
    chosen = [] if suites is None else ["--suites", suites]
    assert external(*chosen, out=tmp_path / "out") == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_hands_must_come_from_somewhere(
    programs: Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs.says("ent", ENT)
    assert main(["rng", "external", "--out", str(tmp_path / "out")]) == 2
    assert "whose hands" in capsys.readouterr().err


def test_the_result_is_one_json_object(
    programs: Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs.says("ent", ENT)
    assert external("--bytes", "20k", "--json", out=tmp_path / "out") == 0
    assert json.loads(capsys.readouterr().out) == results(tmp_path / "out")


def test_a_file_of_few_hands_ends_a_suite_where_it_ends() -> None:
    by_name = {suite.name: suite for suite in SUITES}
    assert fitted_size(by_name["ent"], None, 20 * STREAM_BYTES) == 20 * STREAM_BYTES
    assert fitted_size(by_name["dieharder"], None, None) is None
    assert fitted_size(by_name["sts"], None, None) == 12_500_000
    with pytest.raises(SuiteError, match="sts reads 125,000 bytes or more, not 20,480"):
        fitted_size(by_name["sts"], None, 20 * STREAM_BYTES)


def test_an_interrupted_suite_is_not_left_behind(programs: Programs, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    programs.says(
        "ent",
        ENT,
        read=f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\n"
        "while sys.stdin.buffer.read(1 << 16): pass\n",
    )

    def interrupted() -> Iterator[NDArray[np.uint8]]:
        while not (pid.exists() and pid.read_text()):
            yield np.zeros((64, STREAM_BYTES), np.uint8)
        raise KeyboardInterrupt

    (program,) = find_programs()
    with pytest.raises(KeyboardInterrupt):
        run_suite(program, interrupted, None, tmp_path, Bar("", None))
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def installed(name: str) -> str:
    """Give a real program; skips the test where it is not installed."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


@pytest.mark.parametrize("name", ["ent", "rngtest"])
def test_a_real_suite_reads_all_it_is_given_and_is_understood(name: str, tmp_path: Path) -> None:
    installed(name)
    assert external("--suites", name, "--bytes", "2M", out=tmp_path / "out") == 0
    (one,) = results(tmp_path / "out")["suites"]
    assert (one["suite"], one["complete"], one["bytes"]) == (name, True, 2_000_000)
    if name == "ent":
        said = dict.fromkeys(reading["name"] for reading in one["readings"])
        assert list(said) == [
            "chi-square of bytes",
            "entropy, bits per byte",
            "arithmetic mean",
            "Monte Carlo pi",
            "serial correlation",
        ]
    else:
        counts = {reading["name"]: int(reading["remark"]) for reading in one["readings"]}
        # 32 bits are read before the first of the blocks of 20,000.
        assert counts["successes"] + counts["failures"] == 799


def test_dieharder_reads_the_same_numbers_from_its_own_format_and_from_words(
    tmp_path: Path,
) -> None:
    """Birthdays of the same 32-bit numbers have the same p-value, and of turned ones another."""
    program = installed("dieharder")

    def birthdays(form: str) -> str:
        path = tmp_path / form
        dump = ("rng", "dump", "--secret", SECRET, "--engine", "plain", "--format", form)
        assert main([*dump, "--bytes", "800k", "--out", str(path)]) == 0
        read = ("-g", "202", "-f", str(path)) if form == "dieharder" else ("-g", "200")
        with path.open("rb") as stream:
            ran = subprocess.run(
                [program, *read, "-d", "0", "-t", "100", "-p", "3"],
                stdin=stream,
                capture_output=True,
                text=True,
                check=True,
            )
        (reading,) = read_dieharder(ran.stdout)
        assert reading.name == "diehard_birthdays 0"
        return str(reading.p)

    text = birthdays("dieharder")
    native, turned = ("u32le", "u32be") if sys.byteorder == "little" else ("u32be", "u32le")
    assert text == birthdays(native)
    assert text != birthdays(turned)


def test_every_suite_of_the_command_line_is_known() -> None:
    assert NAMES == ("dieharder", "ent", "rngtest", "practrand", "testu01", "sts")
