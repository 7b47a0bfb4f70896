"""TLS of the gRPC server: 1.2 and above, as gRPC has it, with certificates that may be renewed."""

from collections.abc import Callable
from datetime import datetime

import grpc

from dealer_service.access.certificates import Certificates, Renewing
from dealer_service.config import Tls


def server_credentials(tls: Tls, taken: Callable[[datetime], None]) -> grpc.ServerCredentials:
    """Make credentials that read their files again when these change; AccessError.

    With a client CA, only callers with a certificate of that CA get through the handshake. `taken`
    is told when each certificate that is taken up runs out, from whichever thread.
    """
    certificates = Renewing(tls)
    taken(certificates.current.expires)

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        # gRPC asks at each handshake, in a thread of its own; None keeps what is in use.
        renewed = certificates.look()
        if renewed is None:
            return None
        taken(renewed.expires)
        return _configuration(renewed)

    return grpc.dynamic_ssl_server_credentials(
        _configuration(certificates.current),
        # The stubs know nothing of None.
        fetch,  # type: ignore[arg-type]
        require_client_authentication=tls.client_ca is not None,
    )


def _configuration(certificates: Certificates) -> grpc.ServerCertificateConfiguration:
    pair = (certificates.key, certificates.chain)
    return grpc.ssl_server_certificate_configuration([pair], certificates.client_ca)
