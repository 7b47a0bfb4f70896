"""`serve` as a process: metrics, archive and logs by its options, from the start to the end."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.support.commands import dealer, serving


def test_metrics_are_served_and_every_line_of_the_log_is_json(tmp_path: Path) -> None:
    options = ("--metrics", "127.0.0.1:0", "--archive", "archive", "--log-level", "debug")
    with serving(tmp_path, *options) as service:
        (event,) = [one for one in service.told_before if one["event"] == "metrics_served"]
        with urllib.request.urlopen(
            f"http://127.0.0.1:{event['port']}/metrics", timeout=30
        ) as answer:
            assert b"cutcard_build_info" in answer.read()
        status, log = service.stop()
    assert status == 0
    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert events[-2:] == ["stopping", "stopped"]
    assert (tmp_path / "archive").is_dir()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--metrics", "here"), "'here' is no address"),
        (("--retain", "30d"), "--retain needs --archive"),
    ],
)
def test_options_that_can_not_be_are_mistakes_of_the_command_line(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    ran = dealer("serve", *words, folder=tmp_path)
    assert ran.returncode == 2
    assert told in ran.stderr


def test_a_trace_url_that_is_none_stops_the_start(tmp_path: Path) -> None:
    ran = dealer("serve", "--listen", "127.0.0.1:0", "--trace", "collector", folder=tmp_path)
    assert ran.returncode == 3
    assert "--trace is no URL" in ran.stderr
