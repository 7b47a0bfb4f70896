"""Restoring in containers: the words of OPERATIONS.md and its files, tried without an engine.

What Compose would start is started here as processes, on a server that is set up as Compose's, and
the database goes back by the very backup that the steps make.
"""

import asyncio
import contextlib
import json
import os
import pwd
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dealer_service.cli import build_parser
from tests.support import commands
from tests.support.certificates import Authority
from tests.support.dealers import PATIENCE, Dealers, sitting
from tests.support.deployed import DEPLOY, OVERLAYS, STATE, USER, compose, named
from tests.support.granted_database import Granted, set_up
from tests.support.postgres import Server, find_programs, running_server, unprivileged

OPERATIONS = (DEPLOY / "OPERATIONS.md").read_text(encoding="utf-8")
RESTORE = yaml.safe_load((DEPLOY / "compose" / "restore.yaml").read_text(encoding="utf-8"))


class TestCompose:
    def test_the_file_starts_both_dealers_once_and_changes_nothing_else(self) -> None:
        assert RESTORE.keys() == {"services"}
        assert RESTORE["services"].keys() == {"dealer-a", "dealer-b"}
        for service in RESTORE["services"].values():
            assert service["restart"] == "no"
            options = build_parser({}).parse_args(service["command"])
            assert options.accept_restore
        first = RESTORE["services"]["dealer-a"]
        (journal,) = build_parser({}).parse_args(first["command"]).journal
        assert [each["target"] for each in first["volumes"]] == [journal]
        assert build_parser({}).parse_args(RESTORE["services"]["dealer-b"]["command"]).journal == []

    def test_the_steps_are_about_what_is_there(self) -> None:
        part = OPERATIONS.partition("### In Compose")[2].partition("### In Kubernetes")[0]
        (source,) = [each["source"] for each in RESTORE["services"]["dealer-a"]["volumes"]]
        assert f"{STATE}/signed.journal >deploy/compose/{Path(source).name}" in part
        named_there = set(re.findall(r"^ +\$[CR] (?:stop|up|run|exec)(.*)$", part, re.MULTILINE))
        services = {
            word for line in named_there for word in line.split() if word in compose()["services"]
        }
        assert services == {"envoy", "dealer-a", "dealer-b", "postgres"}


def backup_words() -> list[str]:
    """Give the command that the steps make a backup with, behind the service's name."""
    (line,) = re.findall(
        r"^ +\$C exec -T postgres (pg_basebackup .*) >base\.tar$", OPERATIONS, re.MULTILINE
    )
    return str(line).split()


class Place:
    """A server that is set up as Compose's, and the user whom it runs as."""

    def __init__(self, server: Server, who: str, folder: Path) -> None:
        self.server = server
        self.who = who
        self.backup = folder / "base.tar"

    def back_up(self) -> None:
        """Take a backup as the steps do: by the socket, as the server's own user."""
        socket, port = str(self.server._folder), str(self.server.port)
        command = [word.replace("=postgres", f"={self.who}") for word in backup_words()]
        command[0] = str(find_programs() / command[0])
        owner = pwd.getpwnam(self.who)
        become = f"os.setgroups([]); os.setgid({owner.pw_gid}); os.setuid({owner.pw_uid})"
        # Not by `user=`, for which this process, which speaks gRPC, would be forked.
        become = become if os.geteuid() == 0 else "pass"
        code = f"import os, sys; {become}; os.execv(sys.argv[1], sys.argv[1:])"
        with self.backup.open("wb") as file:
            subprocess.run(
                [sys.executable, "-c", code, *command],
                env={"PGHOST": socket, "PGPORT": port},
                cwd=socket,
                stdout=file,
                check=True,
            )

    def restore(self) -> None:
        """Bring that state back."""
        self.server.stop()
        data = self.server._folder / "data"
        data.rename(self.server._folder / "gone")
        data.mkdir(mode=0o700)
        with tarfile.open(self.backup) as packed:
            # As `filter="fully_trusted"`, which Python 3.11.2 does not know.
            packed.extraction_filter = lambda member, _: member
            packed.extractall(data)
        owner = pwd.getpwnam(self.who)
        for path in (data, *data.rglob("*")):
            os.chown(path, owner.pw_uid, owner.pw_gid)
        self.server.start()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Run a server by Compose's own file of who may come in."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        find_programs()
        server_user = unprivileged()
        who = (server_user or pwd.getpwuid(os.geteuid())).pw_name
        rules = (DEPLOY / "compose" / "postgres" / "pg_hba.conf").read_text(encoding="utf-8")
        (folder / "pg_hba.conf").write_text(rules.replace("postgres", who))
        (folder / "pg_hba.conf").chmod(0o644)
        shown = Authority().issue("postgres").write(folder / "tls")
        # Whatever this process lets others read.
        (folder / "tls").chmod(0o755)
        shown.certificate.chmod(0o644)
        if server_user is not None:
            os.chown(shown.key, server_user.pw_uid, -1)
        server = stack.enter_context(
            running_server(
                hba_file=str(folder / "pg_hba.conf"),
                ssl="on",
                ssl_cert_file=str(shown.certificate),
                ssl_key_file=str(shown.key),
            )
        )
        if who != "postgres":
            server.run(f'CREATE ROLE "{who}" SUPERUSER LOGIN')
        yield Place(server, who, tmp_path_factory.mktemp("backup"))


@pytest.fixture(scope="module")
def granted(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Granted:
    return set_up(place.server, tmp_path_factory.mktemp("granted"))


async def test_a_database_that_went_back_is_taken_by_the_words_of_the_file(
    place: Place, granted: Granted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused without them; with them the game that lacks lines is lost, and both serve again."""
    for name, value in granted.dealing.items():
        monkeypatch.setitem(commands._CLEAN, name, value)
    with contextlib.ExitStack() as stack:
        dealers = Dealers(tmp_path, granted.url, stack)
        for name in ("dealer-a", "dealer-b"):
            await asyncio.to_thread(dealers.start, name)
        async with sitting(dealers, "dealer-b", max_hands=1) as party:
            first = party.players[0]
            await first.until(lambda one: one.find("deck_committed"))
            await asyncio.to_thread(place.back_up)
            party.may_act.set()
            await party.has_ended()
        await stop_all(dealers)
        await asyncio.to_thread(place.restore)
        # It dealt the game, and has signed more of it.
        with pytest.raises(AssertionError, match="--accept-restore"):
            dealers.start("dealer-b")
        journal = tmp_path / "dealer-b.journal"
        journal.write_bytes((tmp_path / "dealer-b" / "signed.journal").read_bytes())
        for name in ("dealer-a", "dealer-b"):
            words = RESTORE["services"][name]["command"][1:]
            words = [str(journal) if word == "/run/dealer-b.journal" else word for word in words]
            started = await asyncio.to_thread(dealers.start, name, *words)
            told = [event["event"] for event in started.told_before]
            assert ("log_lost" in told) is (name == "dealer-a"), told
        await stop_all(dealers)
        for name in ("dealer-a", "dealer-b"):
            await asyncio.to_thread(dealers.start, name)
        async with sitting(dealers, "dealer-a", max_hands=1) as party:
            party.may_act.set()
            await party.has_ended()


async def stop_all(dealers: Dealers) -> None:
    for name in list(dealers.running):
        dealers.signal(name, signal.SIGTERM)
        process = dealers.running.pop(name).process
        assert await asyncio.to_thread(process.wait, PATIENCE) == 0


def patched(overlay: str, tmp_path: Path, patch: list[dict[str, Any]]) -> Any:
    """Give an overlay's dealers as kubectl patches them."""
    own = DEPLOY.parent / ".venv" / "deploy" / "bin" / "kubectl"
    before = tmp_path / "dealer.yaml"
    before.write_text(yaml.safe_dump(named(overlay, "StatefulSet", "dealer")))
    words = ["patch", "--local", "--type", "json", "--output", "json", "--patch", json.dumps(patch)]
    run = subprocess.run(
        [str(own) if own.exists() else "kubectl", *words, "--filename", str(before)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["spec"]


class TestKubernetes:
    @pytest.mark.parametrize("overlay", OVERLAYS)
    def test_the_patch_has_a_dealer_start_once_with_the_restore(
        self, overlay: str, tmp_path: Path
    ) -> None:
        patch = json.loads((DEPLOY / "kubernetes" / "restore.json").read_text(encoding="utf-8"))
        spec = patched(overlay, tmp_path, patch)
        assert spec["updateStrategy"] == {"type": "OnDelete"}
        (container,) = spec["template"]["spec"]["containers"]
        assert build_parser({}).parse_args(container["args"]).accept_restore
        before = named(overlay, "StatefulSet", "dealer")["spec"]["template"]["spec"]["containers"]
        assert container | {"args": ["serve"]} == before[0]

    def test_the_pod_for_a_volume_has_no_more_rights_than_a_dealer(self) -> None:
        text = (DEPLOY / "kubernetes" / "volume.yaml").read_text(encoding="utf-8")
        pod = yaml.safe_load(text.replace("NUMBER", "1"))
        spec = pod["spec"]
        dealer = named("several", "StatefulSet", "dealer")["spec"]
        own = dealer["template"]["spec"]
        assert spec["securityContext"] == own["securityContext"]
        assert spec["securityContext"]["runAsUser"] == USER
        (container,), (theirs,) = spec["containers"], own["containers"]
        assert container["securityContext"] == theirs["securityContext"]
        assert container["image"] == theirs["image"]
        assert spec["serviceAccountName"] == own["serviceAccountName"]
        assert spec["automountServiceAccountToken"] is False
        (claim,) = [one["metadata"]["name"] for one in dealer["volumeClaimTemplates"]]
        (volume,) = spec["volumes"]
        assert volume["persistentVolumeClaim"]["claimName"] == f"{claim}-dealer-1"
        assert [one["mountPath"] for one in container["volumeMounts"]] == [STATE]
        # No selector of a service, policy or budget takes it for a dealer.
        assert pod["metadata"]["labels"] == {"app.kubernetes.io/name": "volume"}
