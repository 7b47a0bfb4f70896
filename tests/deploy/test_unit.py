"""The systemd unit: its words are the dealer's, its limits those that the dealer needs.

`make lint-deploy` has systemd itself read it, and say how exposed it is.
"""

import shlex
import signal
import subprocess
from pathlib import Path

from dealer_service.cli import build_parser
from dealer_service.commands.failure import Exit
from dealer_service.config import split_address
from tests.support import commands
from tests.support.deployed import DEPLOY, environment_file, settings_of, unit

FOLDER = DEPLOY / "systemd"
SETTINGS = FOLDER / "dealer.env"


def value(key: str) -> str:
    """Give the one value of a key."""
    (found,) = unit()[key]
    return found


def test_what_it_starts_is_a_command_with_options_that_it_has() -> None:
    name, *words = shlex.split(value("ExecStart"))
    assert Path(name).name == "cutcard-dealer"
    assert build_parser({}).parse_args(words).command == "serve"


def test_the_settings_that_are_proposed_are_settings() -> None:
    plain = environment_file(SETTINGS)
    settings = settings_of(plain)
    assert settings.tls is not None
    assert not settings.allow_plaintext
    proposed = environment_file(SETTINGS, commented=True)
    assert proposed.keys() > plain.keys()
    assert settings_of(proposed).store_url.startswith("postgresql://")
    known = {f"CUTCARD_{name.upper()}" for name in vars(build_parser({}).parse_args(["serve"]))}
    assert {name for name in proposed if name.startswith("CUTCARD_")} <= known


def test_its_directory_is_the_one_that_it_gets_and_all_that_it_writes_is_there() -> None:
    environ = dict(word.split("=", 1) for word in value("Environment").split())
    assert environ["CUTCARD_DIRECTORY"] == f"%S/{value('StateDirectory')}"
    settings = settings_of(environment_file(SETTINGS))
    assert settings.archive is not None
    assert settings.archive.is_relative_to(f"/var/lib/{value('StateDirectory')}")
    assert value("StateDirectoryMode") == "0700"
    assert value("ProtectSystem") == "strict"
    assert "ReadWritePaths" not in unit()


def test_it_starts_again_after_a_failure_and_not_where_somebody_must_read_first() -> None:
    assert value("Restart") == "on-failure"
    statuses = {int(each) for each in value("RestartPreventExitStatus").split()}
    assert statuses == {Exit.USAGE, Exit.CANNOT_START}


def test_a_dealer_knows_no_hangup_and_is_started_again_after_one(tmp_path: Path) -> None:
    """Whoever takes it for a signal to read files again ends it, and systemd starts it."""
    with commands.serving(tmp_path, "--directory", tmp_path / "dealer") as service:
        status, _ = service.stop(signal.SIGHUP)
    assert status == -signal.SIGHUP
    assert value("RestartForceExitStatus") == "SIGHUP"


def test_it_has_time_to_drain() -> None:
    settings = settings_of(environment_file(SETTINGS))
    assert int(value("TimeoutStopSec").removesuffix("s")) >= settings.drain + 10


def test_it_may_listen_where_its_settings_say_and_nowhere_else() -> None:
    settings = settings_of(environment_file(SETTINGS))
    ports = {split_address(each)[1] for each in (settings.address, settings.metrics)}
    assert set(unit()["SocketBindAllow"]) == {f"tcp:{port}" for port in ports}
    assert value("SocketBindDeny") == "any"


def test_no_core_no_swap_and_files_for_many_callers() -> None:
    assert value("LimitCORE") == "0"
    assert value("MemorySwapMax") == "0"
    assert value("LimitNOFILE") == "65536"


def test_keys_come_as_credentials_and_are_the_dealers_alone_in_its_directory(
    tmp_path: Path,
) -> None:
    """The words that run before the start are run here, on credentials that a group may read."""
    given, run, state = (tmp_path / name for name in ("given", "run", "state"))
    for folder in (given, run, state):
        folder.mkdir()
    for name in ("log.key", "sealing.key", "token.key"):
        (given / f"keys_{name}").write_text(name)
        (given / f"keys_{name}").chmod(0o440)
    (state / "sealing-0badc0de.key").symlink_to(run / "sealing-0badc0de.key")
    (state / "store.sqlite").touch()
    shell, flags, script = shlex.split(value("ExecStartPre"))
    places = {
        "CREDENTIALS_DIRECTORY": str(given),
        "RUNTIME_DIRECTORY": str(run),
        "STATE_DIRECTORY": str(state),
        "PATH": "/usr/bin:/bin",
    }
    for _ in range(2):
        subprocess.run([shell, flags, script.replace("$$", "$")], env=places, check=True)
    assert {path.name for path in state.iterdir()} == {
        "log.key",
        "sealing.key",
        "token.key",
        "store.sqlite",
    }
    settings = settings_of({"CUTCARD_DIRECTORY": str(state)})
    for path in (settings.log_key, settings.sealing_key, settings.token_key):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.read_text() == path.name
    assert value("LoadCredential") == "keys:/etc/cutcard/keys"
