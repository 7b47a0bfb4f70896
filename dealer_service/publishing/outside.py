"""What publishing has to do with the outside, by the settings: witnesses and readers."""

import asyncio

import structlog

from dealer_service.config import Settings, split_address
from dealer_service.publishing.cosigning import Cosigning, Unwitnessed
from dealer_service.publishing.serving import PublicationServer
from dealer_service.publishing.witnesses import Watch, Witnesses, read_policy
from dealer_service.transcript.note import NoteSigner

_log = structlog.get_logger("publishing")


class Outside:
    """The witnesses that are asked, and the readers that are served once `begin` was called."""

    def __init__(self, settings: Settings, signer: NoteSigner, watch: Watch) -> None:
        """SettingError for a policy that can not be read, or not be met by this dealer."""
        self._settings = settings
        self._server: PublicationServer | None = None
        self._witnesses = (
            None
            if settings.witness_policy is None
            else Witnesses(
                read_policy(settings.witness_policy),
                signer,
                watch,
                allow_plaintext=settings.allow_plaintext,
            )
        )

    @property
    def cosigning(self) -> Cosigning:
        """Whom publishing asks for co-signatures."""
        return self._witnesses or Unwitnessed()

    @property
    def port(self) -> int:
        """The port at which the publication is served; 0 where it is not."""
        return 0 if self._server is None else self._server.port

    def begin(self) -> None:
        """Serve the publication where the settings ask for it; OSError where that can not be."""
        address, folder = self._settings.publication_listen, self._settings.publication
        if not address or folder is None:
            return
        self._server = PublicationServer(*split_address(address), folder)
        _log.info("publication_served", address=address, port=self._server.port)

    async def close(self) -> None:
        """Ask and serve nobody any more."""
        server, self._server = self._server, None
        if server is not None:
            await asyncio.to_thread(server.close)
        witnesses, self._witnesses = self._witnesses, None
        if witnesses is not None:
            await witnesses.close()
