"""Games that are replayed for a bundle: each by itself, under the dealer's key, no secret twice."""

from hashlib import sha256
from pathlib import Path

import pytest

from audit_cli.inputs import UsageError
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.rng.certify.replay import find_games, replay_games
from dealer_service.fairness import deck
from dealer_service.fairness.deck import SealedDeck
from tests.support.simulator import Cheat, Simulator
from tests.support.small_games import finish, table_of


@pytest.fixture(scope="module")
def game() -> Simulator:
    """Return a game of two hands that was revealed."""
    played = table_of("anna", "bert", "carl")
    for _ in range(2):
        played.play_hand()
    return finish(played)


def key_of(game: Simulator) -> VerifierKey:
    key = parse_vkey(game.key)
    assert isinstance(key, VerifierKey)
    return key


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_an_honest_game_holds_in_all_promises(game: Simulator, tmp_path: Path) -> None:
    path = write(tmp_path, "one.game", game.game_file())
    found = replay_games([path], key_of(game))
    (one,) = found["games"]
    assert (found["hands"], found["verified"], found["failed"]) == (2, 2, [])
    assert (found["secrets_twice"], found["unreadable"]) == (0, [])
    assert one["all_hold"]
    assert one["promises"]["SIGNED"] == "holds"
    assert one["head"]["size"] == one["entries"]
    assert one["sha256"] == sha256(path.read_bytes()).hexdigest()


def test_without_the_dealers_key_the_signature_is_not_established(
    game: Simulator, tmp_path: Path
) -> None:
    found = replay_games([write(tmp_path, "one.game", game.game_file())])
    assert found["key"] == ""
    assert found["games"][0]["promises"]["SIGNED"] == "not established"


def test_a_deck_made_otherwise_fails_its_game_and_its_hand_is_named(tmp_path: Path) -> None:
    def derive(secret: bytes, mix: bytes) -> SealedDeck:
        honest = deck.derive(secret, mix)
        swapped = (*honest.cards[1::-1], *honest.cards[2:])
        return deck.seal(swapped, b"".join(honest.salts), mix)

    rigged = table_of("anna", "bert", "carl", cheat=Cheat(derive=derive))
    rigged.play_hand()
    path = write(tmp_path, "one.game", finish(rigged).game_file())
    found = replay_games([path], key_of(rigged))
    (one,) = found["games"]
    assert (found["hands"], found["verified"], found["failed"]) == (1, 0, [one["game"]])
    assert one["promises"]["REPLAYED"] == "broken"
    assert {each["hand"] for each in one["broken"]} == {1}


def test_a_game_that_comes_twice_has_its_secrets_twice(game: Simulator, tmp_path: Path) -> None:
    paths = [write(tmp_path, name, game.game_file()) for name in ("one", "two")]
    assert replay_games(paths)["secrets_twice"] == 2


def test_what_is_no_game_is_told_by_its_hash(tmp_path: Path) -> None:
    path = write(tmp_path, "notes.txt", b"no game\n")
    (one,) = replay_games([path])["unreadable"]
    assert one["sha256"] == sha256(b"no game\n").hexdigest()


def test_the_order_of_files_does_not_matter(game: Simulator, tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "b/one.game", game.game_file()),
        write(tmp_path, "a/two", b"no game\n"),
        write(tmp_path, "c/three", b"nor this\n"),
    ]
    assert replay_games(paths) == replay_games(paths[::-1])


def test_files_and_folders_can_be_named(game: Simulator, tmp_path: Path) -> None:
    one = write(tmp_path, "games/one.game", game.game_file())
    two = write(tmp_path, "games/more/two.game", b"")
    write(tmp_path, "games/.hidden", b"")
    assert find_games([tmp_path / "games"]) == [two, one]
    assert find_games([one, tmp_path / "games"]) == [two, one]
    with pytest.raises(UsageError, match="no such folder"):
        find_games([tmp_path / "none"])
