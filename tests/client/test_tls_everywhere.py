"""Over TLS every node must show a certificate for the name under which it was named."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.calls import Patience, Surroundings
from tests.support.certificates import Authority, Issued
from tests.support.fake_dealer import FakeDealer, token_for
from tests.support.service import fresh_id, serving

CA, OTHER_CA = Authority("CA"), Authority("other CA")
HASTY = Surroundings(patience=Patience(attempt=2, total=1.5, first_wait=0.01, longest_wait=0.2))
"""For calls that no wait would help."""


def trusting(*, shows: Issued | None = None) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(CA.pem, *((shows.key, shows.chain) if shows else ()))


async def tls_node(beside: FakeDealer | None = None, ca: Authority = CA) -> FakeDealer:
    issued = ca.issue()
    node = FakeDealer(beside)
    await node.start("127.0.0.1:0", grpc.ssl_server_credentials([(issued.key, issued.chain)]))
    return node


def port(node: FakeDealer) -> str:
    return node.address.rpartition(":")[2]


@pytest.fixture
async def one() -> AsyncIterator[FakeDealer]:
    node = await tls_node()
    yield node
    await node.stop()


async def test_a_call_goes_on_where_the_certificate_fits_the_owners_name(one: FakeDealer) -> None:
    two = await tls_node(one)
    game = one.open_table().state.opened.game
    one.elsewhere[game] = f"localhost:{port(two)}"
    async with Dealer.connect(one.address, token_for("eve"), credentials=trusting()) as dealer:
        assert (await dealer.table(game)).game == game
        assert len(two.requests["GetTable"]) == 1
    await two.stop()


@pytest.mark.parametrize("why", ["another name", "another CA", "in the clear"])
async def test_and_no_token_goes_to_one_that_does_not_fit(one: FakeDealer, why: str) -> None:
    """Whoever takes a node's place on the network has neither its name nor its certificate."""
    if why == "in the clear":
        two = FakeDealer(one)
        await two.start()
    else:
        two = await tls_node(one, OTHER_CA if why == "another CA" else CA)
    host = "127.0.0.2" if why == "another name" else "localhost"
    game = one.open_table().state.opened.game
    one.elsewhere[game] = f"{host}:{port(two)}"
    async with Dealer.connect(
        one.address, token_for("eve"), credentials=trusting(), surroundings=HASTY
    ) as dealer:
        with pytest.raises(CallRefusedError):
            await dealer.table(game)
    assert not two.tokens
    assert not two.requests
    await two.stop()


async def test_a_dealer_that_wants_a_certificate_of_its_callers_is_shown_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "ca.pem").write_bytes(CA.pem)
    tls = CA.issue().write(tmp_path / "tls", tmp_path / "ca.pem")
    async with serving(tmp_path / "dealer", tls=tls) as service:
        token = dict(service.operator)["authorization"].removeprefix("Bearer ")
        address = f"localhost:{service.dealer.port}"
        shown = trusting(shows=CA.issue("house"))
        async with Dealer.connect(address, token, credentials=shown) as dealer:
            game = (await dealer.operator.open_game(request_id=fresh_id())).game
            assert (await dealer.table(game)).game == game
        async with Dealer.connect(
            address, token, credentials=trusting(), surroundings=HASTY
        ) as dealer:
            with pytest.raises(CallRefusedError, match="UNAVAILABLE"):
                await dealer.table(game)


def test_in_the_clear_a_dealer_abroad_is_called_only_where_that_is_allowed() -> None:
    with pytest.raises(ValueError, match="not on loopback"):
        Dealer.connect("dealer.example.com:443", token_for("eve"))
    Dealer.connect("dealer.example.com:443", token_for("eve"), allow_plaintext=True)
    Dealer.connect("dealer.example.com:443", token_for("eve"), credentials=trusting())
