"""A dealer in certification mode that runs in the test's own process."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cutcard.v1 import certify_pb2, certify_pb2_grpc
from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey
from dealer_service.certification import Certification
from dealer_service.config import Settings
from tests.support.service import ORIGIN, UNHURRIED, ManualClock, metadata


class Certifying:
    """The dealer, a stub of its one service, and headers for callers."""

    def __init__(self, dealer: Certification, channel: grpc.aio.Channel) -> None:
        self.dealer, self.channel = dealer, channel
        self.stub: certify_pb2_grpc.CertifyServiceStub = certify_pb2_grpc.CertifyServiceStub(
            channel
        )
        self.auditor = self.header(Role.AUDITOR)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.dealer.port}"

    @property
    def token_key(self) -> TokenKey:
        assert self.dealer.keys is not None
        assert self.dealer.keys.token_key is not None
        return self.dealer.keys.token_key

    def header(self, role: Role) -> tuple[tuple[str, str], ...]:
        return metadata(self.token_key, "lab", role)

    def token(self) -> str:
        """Issue an auditor's token, as a file holds it."""
        return self.auditor[0][1].removeprefix("Bearer ")

    async def deal(self, count: int) -> list[certify_pb2.DealHandsResponse]:
        request = certify_pb2.DealHandsRequest(count=count)
        return [one async for one in self.stub.DealHands(request, metadata=self.auditor)]

    async def hands(self, count: int) -> list[certify_pb2.CertifiedHand]:
        return [hand for message in await self.deal(count) for hand in message.hands]

    async def health(self) -> dict[str, int]:
        stub: Any = health_pb2_grpc.HealthStub(self.channel)
        listed = await stub.List(health_pb2.HealthListRequest())
        return {name: one.status for name, one in listed.statuses.items()}


@asynccontextmanager
async def certifying(
    folder: Path,
    *,
    entropy: Callable[[int], bytes] = os.urandom,
    clock: ManualClock | None = None,
    **given: Any,
) -> AsyncIterator[Certifying]:
    """Run one on a folder until the block ends; `given` are other fields of its settings."""
    fields: dict[str, Any] = {"limits": UNHURRIED, "grace": 0.0, "certify": True} | given
    settings = Settings(folder, ORIGIN, "127.0.0.1:0", **fields)
    dealer = Certification(settings, entropy=entropy, clock=clock or ManualClock())
    await dealer.start()
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{dealer.port}")
    try:
        yield Certifying(dealer, channel)
    finally:
        await channel.close()
        await dealer.stop()
