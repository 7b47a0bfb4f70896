"""`cutcard-dealer health`: what probes ask, what they are told, and by which exit status."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from tests.support.certificates import Authority
from tests.support.commands import Service, dealer, serving

CA = Authority("CA")
NOBODY = "127.0.0.1:1"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a dealer with TLS whose callers must show a certificate."""
    folder = tmp_path_factory.mktemp("health")
    tls = CA.issue().write(folder)
    (folder / "ca.pem").write_bytes(CA.pem)
    given = ("--tls-cert", tls.certificate, "--tls-key", tls.key, "--client-ca", folder / "ca.pem")
    with serving(folder, *given) as running:
        yield running


def shown(service: Service) -> tuple[object, ...]:
    """Give the options by which a caller shows a certificate."""
    return ("--tls-cert", service.folder / "cert.pem", "--tls-key", service.folder / "key.pem")


def test_a_dealer_that_serves_is_status_0_and_said(service: Service) -> None:
    options = ("--address", service.address, "--ca", "ca.pem", *shown(service))
    asked = dealer("health", *options, folder=service.folder)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout == f"the dealer at {service.address}: SERVING\n"


def test_one_service_may_be_asked_for(service: Service) -> None:
    options = ("--address", service.address, "--ca", "ca.pem", *shown(service))
    named = dealer("health", *options, "--service", "cutcard.v1.PlayService", folder=service.folder)
    assert named.stdout == f"cutcard.v1.PlayService at {service.address}: SERVING\n"
    unknown = dealer("health", *options, "--service", "chess", folder=service.folder)
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "has no service chess" in unknown.stderr


def test_without_an_address_the_environments_dealer_is_asked_by_its_certificate_alone(
    service: Service,
) -> None:
    port = service.address.rpartition(":")[2]
    environ = {
        "CUTCARD_LISTEN": f"0.0.0.0:{port}",
        "CUTCARD_TLS_CERT": str(service.folder / "cert.pem"),
    }
    asked = dealer("health", *shown(service), folder=service.folder, environ=environ)
    assert asked.stdout == f"the dealer at 127.0.0.1:{port}: SERVING\n", asked.stderr
    other = CA.issue().write(service.folder / "other").certificate
    environ["CUTCARD_TLS_CERT"] = str(other)
    asked = dealer("health", *shown(service), folder=service.folder, environ=environ)
    assert (asked.returncode, asked.stdout) == (1, "")


def test_a_certificate_of_another_name_is_not_taken(service: Service) -> None:
    options = ("--address", service.address, "--ca", "ca.pem", *shown(service))
    named = dealer("health", *options, "--server-name", "localhost", folder=service.folder)
    assert named.returncode == 0
    other = dealer("health", *options, "--server-name", "example.com", folder=service.folder)
    assert other.returncode == 1


def test_what_tls_needs_is_hinted_at(service: Service, tmp_path: Path) -> None:
    in_the_clear = dealer("health", "--address", service.address, folder=service.folder)
    assert "hint: does it speak TLS there?" in in_the_clear.stderr
    untrusted = dealer("health", "--address", service.address, "--tls", folder=service.folder)
    assert "hint: its certificate is of a CA that is not trusted here" in untrusted.stderr
    with serving(tmp_path) as plain:
        by_tls = dealer("health", "--address", plain.address, "--tls", folder=tmp_path)
    assert "hint: it speaks in the clear there" in by_tls.stderr


def test_a_dealer_that_does_not_serve_is_status_1_and_said(tmp_path: Path) -> None:
    ailing = health.HealthServicer()
    ailing.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    health_pb2_grpc.add_HealthServicer_to_server(ailing, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        asked = dealer("health", "--address", address, folder=tmp_path)
    finally:
        server.stop(None)
    assert asked.returncode == 1
    assert asked.stdout == f"the dealer at {address}: NOT_SERVING\n"


def test_one_that_says_nothing_is_waited_for_no_longer_than_it_may_take(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        asked = dealer("health", "--address", address, "--timeout", "1s", folder=tmp_path)
    assert (asked.returncode, asked.stdout) == (1, "")
    assert "does not answer in time" in asked.stderr


def test_nobody_there_is_status_1_with_a_hint(tmp_path: Path) -> None:
    asked = dealer("health", "--address", NOBODY, folder=tmp_path)
    assert (asked.returncode, asked.stdout) == (1, "")
    assert f"error: the dealer at {NOBODY} does not answer: " in asked.stderr
    assert "hint: is `cutcard-dealer serve` running" in asked.stderr


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--address", "here"], "'here' is no address"),
        (["--tls-cert", "a"], "--tls-cert and --tls-key go together"),
        (["--ca", "missing.pem"], "--ca missing.pem: No such file or directory"),
        (["--timeout", "soon"], "'soon' is no time"),
    ],
)
def test_what_can_not_be_asked_is_status_2(tmp_path: Path, given: list[str], says: str) -> None:
    refused = dealer("health", *given, folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert says in refused.stderr
