"""TLS over real sockets: who gets through the handshake, and with which certificate."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from cryptography.x509 import load_der_x509_certificate, load_pem_x509_certificate

from cutcard.v1 import fairness_pb2, fairness_pb2_grpc
from dealer_service.access.refusal import AccessError
from dealer_service.config import Tls
from tests.support.certificates import Authority, Issued
from tests.support.service import Service, serving

CA, OTHER_CA = Authority("CA"), Authority("other CA")


@asynccontextmanager
async def serving_tls(folder: Path, *, client_ca: bool = False) -> AsyncIterator[Service]:
    """Serve with a certificate of the CA; with `client_ca`, callers must show one of it, too."""
    ca = folder / "ca.pem"
    ca.write_bytes(CA.pem)
    tls = CA.issue().write(folder / "tls", ca if client_ca else None)
    async with serving(folder / "dealer", tls=tls) as service:
        yield service


async def ask(service: Service, *, trusts: bytes = CA.pem, shows: Issued | None = None) -> str:
    """Make one call over a new connection; the origin that it tells."""
    pair = (shows.key, shows.chain) if shows else (None, None)
    credentials = grpc.ssl_channel_credentials(trusts, *pair)
    options = [("grpc.use_local_subchannel_pool", 1)]
    address = f"localhost:{service.dealer.port}"
    async with grpc.aio.secure_channel(address, credentials, options=options) as channel:
        stub = fairness_pb2_grpc.FairnessServiceStub(channel)
        answer = await stub.GetKey(fairness_pb2.GetKeyRequest(), metadata=service.operator)
        return answer.origin


async def require_unreachable(service: Service, **how: object) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(service, **how)  # type: ignore[arg-type]
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_caller_that_trusts_the_certificate_is_served(tmp_path: Path) -> None:
    async with serving_tls(tmp_path) as service:
        assert await ask(service) == "dealer.example.com"
        await require_unreachable(service, trusts=OTHER_CA.pem)


async def test_a_call_in_the_clear_is_not_answered(tmp_path: Path) -> None:
    async with serving_tls(tmp_path) as service:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await service.fair.GetKey(fairness_pb2.GetKeyRequest(), metadata=service.operator)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert await ask(service)


async def test_with_a_client_ca_only_its_certificates_get_through(tmp_path: Path) -> None:
    async with serving_tls(tmp_path, client_ca=True) as service:
        await require_unreachable(service)
        await require_unreachable(service, shows=OTHER_CA.issue("eve"))
        assert await ask(service, shows=CA.issue("ann")) == "dealer.example.com"


async def test_a_client_certificate_does_not_stand_for_a_token(tmp_path: Path) -> None:
    async with serving_tls(tmp_path, client_ca=True) as service:
        service.operator = ()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(service, shows=CA.issue("ann"))
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def shown(service: Service) -> bytes:
    """Give the certificate, in DER, that a new connection is shown."""
    context = ssl.create_default_context(cadata=CA.pem.decode())
    context.set_alpn_protocols(["h2"])
    _, writer = await asyncio.open_connection(
        "127.0.0.1", service.dealer.port, ssl=context, server_hostname="localhost"
    )
    content: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return content


async def test_a_renewed_certificate_is_shown_without_a_restart(tmp_path: Path) -> None:
    """A connection that is open lives on under the old one."""
    async with serving_tls(tmp_path) as service:
        credentials = grpc.ssl_channel_credentials(CA.pem)
        address = f"localhost:{service.dealer.port}"
        async with grpc.aio.secure_channel(address, credentials) as channel:
            stub = fairness_pb2_grpc.FairnessServiceStub(channel)
            request = fairness_pb2.GetKeyRequest()
            await stub.GetKey(request, metadata=service.operator)
            renewed = CA.issue("renewed")
            renewed.write(tmp_path / "tls")
            expected = load_pem_x509_certificate(renewed.chain)
            assert load_der_x509_certificate(await shown(service)) == expected
            assert await ask(service)
            await stub.GetKey(request, metadata=service.operator)


async def test_a_renewal_that_went_wrong_leaves_the_old_certificate_in_use(
    tmp_path: Path,
) -> None:
    async with serving_tls(tmp_path) as service:
        before = await shown(service)
        (tmp_path / "tls" / "cert.pem").write_bytes(CA.issue("renewed").chain)
        assert await shown(service) == before
        (tmp_path / "tls" / "key.pem").unlink()
        assert await shown(service) == before


async def test_a_renewed_client_ca_counts_without_a_restart(tmp_path: Path) -> None:
    async with serving_tls(tmp_path, client_ca=True) as service:
        ann, eve = CA.issue("ann"), OTHER_CA.issue("eve")
        await require_unreachable(service, shows=eve)
        (tmp_path / "ca.pem").write_bytes(OTHER_CA.pem)
        assert await ask(service, shows=eve)
        await require_unreachable(service, shows=ann)


@pytest.mark.parametrize(
    ("version", "is_spoken"),
    [
        (ssl.TLSVersion.TLSv1, False),
        (ssl.TLSVersion.TLSv1_1, False),
        (ssl.TLSVersion.TLSv1_2, True),
        (ssl.TLSVersion.TLSv1_3, True),
    ],
)
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
async def test_tls_is_spoken_from_1_2_on(
    tmp_path: Path, version: ssl.TLSVersion, is_spoken: bool
) -> None:
    async with serving_tls(tmp_path) as service:
        context = ssl.create_default_context(cadata=CA.pem.decode())
        context.set_alpn_protocols(["h2"])
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
        opening = asyncio.open_connection(
            "127.0.0.1", service.dealer.port, ssl=context, server_hostname="localhost"
        )
        if is_spoken:
            _, writer = await opening
            writer.close()
            return
        # The server hangs up on such a hello; the client itself would have sent one.
        with pytest.raises((ConnectionResetError, ssl.SSLError)) as caught:
            await opening
        assert "NO_PROTOCOLS_AVAILABLE" not in str(caught.value)


async def test_a_dealer_with_a_certificate_that_it_can_not_show_does_not_start(
    tmp_path: Path,
) -> None:
    tls = Issued(CA.issue().chain, CA.issue().key).write(tmp_path / "tls")
    with pytest.raises(AccessError, match="is not the key of the certificate"):
        async with serving(tmp_path / "dealer", tls=tls):
            pass
    missing = Tls(tmp_path / "no.pem", tls.key)
    with pytest.raises(AccessError, match=r"no\.pem can not be read"):
        async with serving(tmp_path / "dealer", tls=missing):
            pass
