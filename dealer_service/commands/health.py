"""`cutcard-dealer health`: asks a dealer whether it serves, as probes and load balancers do.

It asks once by grpc.health.v1, sends no token, and ends within its own time, whatever the dealer
does. Without an address it asks the dealer whose settings its environment has, on this machine:
so the same words do in a container, whatever that dealer is started with.
"""

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any, Final, cast

import grpc
from cryptography import x509
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dealer_service.commands import say
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.unreached import hint_of
from dealer_service.config import DEFAULT_ADDRESS, SettingError, split_address

_Status: Final = health_pb2.HealthCheckResponse.ServingStatus
_NO_PROXY: Final = ("grpc.enable_http_proxy", 0)


@dataclass(frozen=True, slots=True)
class _Target:
    """A dealer: its address, what TLS is spoken with (None: none), and the name it must show."""

    address: str
    credentials: grpc.ChannelCredentials | None
    server_name: str


def run(options: argparse.Namespace) -> int:
    """Print what the dealer says of itself; 0 where it serves, 1 where it does not. Failure."""
    target = _find_target(options, os.environ)
    settings: list[tuple[str, Any]] = [_NO_PROXY]
    if target.server_name:
        settings.append(("grpc.ssl_target_name_override", target.server_name))
    channel = (
        grpc.insecure_channel(target.address, settings)
        if target.credentials is None
        else grpc.secure_channel(target.address, target.credentials, settings)
    )
    what = options.service or "the dealer"
    with channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(
                health_pb2.HealthCheckRequest(service=options.service), timeout=options.timeout
            )
        except grpc.RpcError as error:
            raise _explain(cast("grpc.Call", error), target, what) from None
    say.out(f"{what} at {target.address}: {_Status.Name(answer.status)}")
    return Exit.DONE if answer.status == _Status.SERVING else Exit.FAILED


def _explain(error: grpc.Call, target: _Target, what: str) -> Failure:
    code = error.code()
    if code is grpc.StatusCode.NOT_FOUND:
        message = f"the dealer at {target.address} has no service {what}"
        hint = "without --service the dealer as a whole is asked for"
        return Failure(message, hint, status=Exit.FAILED)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        message = f"the dealer at {target.address} does not answer in time"
    else:
        message = f"the dealer at {target.address} does not answer: {error.details()}"
    return Failure(message, hint_of(error.details() or ""), status=Exit.FAILED)


def _find_target(options: argparse.Namespace, environ: Mapping[str, str]) -> _Target:
    """Give the dealer that is named, else the one of the environment's settings; Failure."""
    if (options.tls_cert is None) != (options.tls_key is None):
        message = "--tls-cert and --tls-key go together"
        raise Failure(message, status=Exit.USAGE)
    own = options.address is None
    address = _here(environ) if own else str(options.address)
    _check(address)
    trusted = None if options.ca is None else _read("--ca", options.ca)
    name = str(options.server_name or "")
    certificate = environ.get("CUTCARD_TLS_CERT", "")
    if own and certificate and trusted is None and not options.tls:
        # Its own certificate and no other; it need not name the address that it is asked at.
        trusted = _read("CUTCARD_TLS_CERT", Path(certificate))
        name = name or _first_name(trusted, certificate)
    if not options.tls and trusted is None and options.tls_cert is None:
        return _Target(address, None, "")
    credentials = grpc.ssl_channel_credentials(
        trusted,
        None if options.tls_key is None else _read("--tls-key", options.tls_key),
        None if options.tls_cert is None else _read("--tls-cert", options.tls_cert),
    )
    return _Target(address, credentials, name)


def _here(environ: Mapping[str, str]) -> str:
    """Give where the dealer of the environment's settings is reached on this machine; Failure."""
    listens = environ.get("CUTCARD_LISTEN") or DEFAULT_ADDRESS
    _check(listens)
    host, port = split_address(listens)
    try:
        ip = ip_address(host)
    except ValueError:
        return listens
    if not ip.is_unspecified:
        return listens
    return f"[::1]:{port}" if isinstance(ip, IPv6Address) else f"127.0.0.1:{port}"


def _check(address: str) -> None:
    try:
        split_address(address)
    except SettingError as error:
        raise Failure(str(error), status=Exit.USAGE) from None


def _first_name(chain: bytes, path: str) -> str:
    """Give a name that the certificate itself is for, empty where it has none; Failure."""
    try:
        own = x509.load_pem_x509_certificate(chain)
        names = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ""
    except ValueError:
        message = f"CUTCARD_TLS_CERT {path} holds no certificate in PEM"
        raise Failure(message, status=Exit.USAGE) from None
    given = names.get_values_for_type(x509.DNSName)
    given += [str(each) for each in names.get_values_for_type(x509.IPAddress)]
    return given[0].replace("*", "any", 1) if given else ""


def _read(option: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{option} {path}: {error.strerror}"
        raise Failure(message, status=Exit.USAGE) from None
