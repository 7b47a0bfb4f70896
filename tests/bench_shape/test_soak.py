"""The soak runs, small: players play, streams are cut and resumed, games end, audits hold."""

import pytest

from tests.soak import __main__ as soak


def test_a_small_soak_runs_to_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """No speed and no flatness is asserted, which take minutes to tell."""
    asked = ["--tables", "3", "--seats", "3", "--minutes", "0.1", "--acts", "60", "--hands", "2"]
    soak.main(asked)
    *rows, verdict = capsys.readouterr().out.splitlines()
    assert verdict.startswith("soak: 3 tables of 3 on sqlite, ")
    assert "errors 0" in verdict
    assert not any("does not hold" in row for row in rows)
    _, acts_a_second, *_ = rows[rows.index(soak.HEADING) + 1].split()
    assert float(acts_a_second) > 0
