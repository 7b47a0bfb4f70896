"""TLS between Envoy and its dealers: only the dealers' CA and the right name are spoken to."""

import asyncio
import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cutcard.v1 import fairness_pb2
from tests.support.certificates import Authority
from tests.support.envoy import Envoy, envoy_beside
from tests.support.grpc_web import Web, WebAnswer
from tests.support.service import PATIENCE, Service, serving

CA, OTHER_CA = Authority("CA"), Authority("other CA")
NODE = "dealer-a"


@asynccontextmanager
async def before_tls(
    folder: Path, trusts: Authority = CA, host: str = "localhost"
) -> AsyncIterator[tuple[Service, Envoy]]:
    """Serve by TLS, with a certificate of CA for localhost, and put Envoy before it."""
    trusted = folder / "dealers_ca.pem"
    trusted.write_bytes(trusts.pem)
    async with serving(folder / "dealer", tls=CA.issue().write(folder / "tls")) as service:
        at = {NODE: service.address}
        beside = envoy_beside(at, folder / "proxy", dealers_ca=trusted, host=host)
        async with beside as envoy:
            yield service, envoy


async def ask(service: Service, envoy: Envoy, node: str = "") -> WebAnswer:
    """Make one call, to the node where one is named."""
    header = [*service.header("ann"), *([("cutcard-node", node)] if node else [])]
    return await Web(envoy).call("FairnessService/GetKey", fairness_pb2.GetKeyRequest(), header)


async def test_a_dealer_of_the_ca_and_the_name_is_spoken_to_and_found_healthy(
    tmp_path: Path,
) -> None:
    async with before_tls(tmp_path) as (service, envoy):
        for node in ("", NODE):
            assert (await ask(service, envoy, node)).code == 0
        assert envoy.stats("cluster.dealers.membership_healthy") == {
            "cluster.dealers.membership_healthy": 1
        }
        assert envoy.stats(f"cluster.{NODE}.ssl.handshake")[f"cluster.{NODE}.ssl.handshake"] == 1


async def test_another_ca_is_not_believed(tmp_path: Path) -> None:
    async with before_tls(tmp_path, trusts=OTHER_CA) as (service, envoy):
        for node in ("", NODE):
            assert (await ask(service, envoy, node)).status == 503
        assert envoy.stats(f"cluster.{NODE}.ssl.fail_verify_error")[
            f"cluster.{NODE}.ssl.fail_verify_error"
        ]


async def test_another_name_is_not_believed(tmp_path: Path) -> None:
    """The certificate is the CA's, and bears the name of another machine."""
    async with before_tls(tmp_path, host="dealer-b") as (service, envoy):
        for node in ("", NODE):
            assert (await ask(service, envoy, node)).status == 503
        assert envoy.stats(f"cluster.{NODE}.ssl.fail_verify_san")[
            f"cluster.{NODE}.ssl.fail_verify_san"
        ]


async def test_a_dealer_in_the_clear_is_not_spoken_to(tmp_path: Path) -> None:
    trusted = tmp_path / "dealers_ca.pem"
    trusted.write_bytes(CA.pem)
    async with serving(tmp_path / "dealer") as service:
        beside = envoy_beside(
            {NODE: service.address}, tmp_path / "proxy", dealers_ca=trusted, host="localhost"
        )
        async with beside as envoy:
            assert (await ask(service, envoy, NODE)).status == 503


async def test_a_renewed_certificate_is_shown_without_a_restart(tmp_path: Path) -> None:
    """As it is renewed in a mounted folder: by moving a new one into its place."""
    async with (
        serving(tmp_path / "dealer") as service,
        envoy_beside({NODE: service.address}, tmp_path / "proxy") as envoy,
    ):
        host, _, port = envoy.address.rpartition(":")

        def shown() -> str:
            return ssl.get_server_certificate((host, int(port)), timeout=PATIENCE)

        before = await asyncio.to_thread(shown)
        renewed = Authority("renewed").issue("envoy").write(tmp_path / "renewed")
        place = envoy.directory / "envoy_tls"
        shutil.move(renewed.key, place / "key.pem")
        shutil.move(renewed.certificate, place / "cert.pem")
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(shown) == before:
                pass


async def test_a_renewed_ca_of_the_dealers_is_taken_up_without_a_restart(tmp_path: Path) -> None:
    """As a folder of Kubernetes' secrets is renewed: one link is moved, and all files are new."""
    secret = tmp_path / "secret"
    put(secret, "1", OTHER_CA.pem)
    async with serving(tmp_path / "dealer", tls=CA.issue().write(tmp_path / "tls")) as service:
        at = {NODE: service.address}
        beside = envoy_beside(
            at, tmp_path / "proxy", dealers_ca=secret / "ca.crt", host="localhost"
        )
        async with beside as envoy:
            assert (await ask(service, envoy, NODE)).status == 503
            put(secret, "2", CA.pem)
            async with asyncio.timeout(PATIENCE):
                while (await ask(service, envoy, NODE)).code != 0:
                    pass
                while (await ask(service, envoy)).code != 0:
                    pass


def put(secret: Path, version: str, ca: bytes) -> None:
    """Put a file into a folder by way of a link to a folder of its version."""
    (secret / version).mkdir(parents=True)
    (secret / version / "ca.crt").write_bytes(ca)
    (secret / "..data_tmp").symlink_to(version)
    (secret / "..data_tmp").rename(secret / "..data")
    if not (secret / "ca.crt").is_symlink():
        (secret / "ca.crt").symlink_to("..data/ca.crt")
