"""`cutcard-dealer serve --certify` as a laboratory runs it: started, read by the audit, stopped."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.commands import SECONDS, dealer, start


def test_a_laboratory_has_its_hands_by_the_two_commands_alone(tmp_path: Path) -> None:
    process = start(
        "serve", "--certify", "--listen", "127.0.0.1:0", "--log-format", "json", folder=tmp_path
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith("cutcard-dealer: warning: certification mode: ")
        event = {"event": ""}
        while event["event"] != "certification_mode":
            event = json.loads(process.stderr.readline())
        (tmp_path / "token").write_text(
            dealer("token", "lab", "--role", "auditor", folder=tmp_path).stdout
        )
        ran = subprocess.run(
            [
                *(sys.executable, "-m", "audit_cli", "rng", "collect", "--count", "300"),
                *("--dealer", f"127.0.0.1:{event['port']}", "--insecure"),
                *("--token", str(tmp_path / "token"), "--out", str(tmp_path / "hands")),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.startswith("300 hands in ")
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=SECONDS)
        assert process.returncode == 0
        assert [json.loads(line)["event"] for line in rest.splitlines()] == ["stopping", "stopped"]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
    assert {one.name for one in (tmp_path / "cutcard-dealer").iterdir()} == {
        "certification",
        "lock",
        "log.key",
        "token.key",
    }


def test_it_is_not_started_where_games_are_kept(tmp_path: Path) -> None:
    (tmp_path / "cutcard-dealer").mkdir()
    (tmp_path / "cutcard-dealer" / "store.sqlite").touch()
    refused = dealer("serve", "--certify", folder=tmp_path)
    assert refused.returncode == 2
    assert "is of a dealer that does: name a --directory of its own" in refused.stderr
