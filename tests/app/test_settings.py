"""Where a dealer keeps its things and where it listens: what is refused, in words that help."""

from pathlib import Path

import pytest

from dealer_service.config import SettingError, Settings, check_address


@pytest.mark.parametrize(
    "address", ["127.0.0.1:0", "127.0.0.1:50051", "localhost:1", "[::1]:50051", "127.9.9.9:65535"]
)
def test_loopback_needs_no_word(address: str) -> None:
    check_address(address, allow_plaintext=False)


@pytest.mark.parametrize(
    "address", ["0.0.0.0:50051", "[::]:50051", "10.0.0.7:1", "table.example:1"]
)
def test_the_world_is_listened_to_only_by_name(address: str) -> None:
    with pytest.raises(SettingError, match="--allow-plaintext"):
        check_address(address, allow_plaintext=False)
    check_address(address, allow_plaintext=True)


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1", "127.0.0.1:", ":50051", "127.0.0.1:65536", "::1:50051", "a b:c"]
)
def test_what_is_no_address_is_told_what_one_is(address: str) -> None:
    with pytest.raises(SettingError, match="HOST:PORT"):
        check_address(address, allow_plaintext=True)


def test_everything_stands_in_one_folder(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    kept = {
        settings.store,
        settings.log_key,
        settings.sealing_key,
        settings.token_key,
        settings.signed_journal,
    }
    assert {path.parent for path in kept} == {tmp_path}
    assert len(kept) == 5
