"""The simulator makes honest games unless it is told to cheat, and its files are of the format."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from dealer_service.fairness import deck
from dealer_service.fairness.cards import card_number
from dealer_service.fairness.commitment import hand_commitment, next_link
from dealer_service.fairness.deck import Opening, SealedDeck, verify_opening
from dealer_service.rules import entry as e
from dealer_service.rules.ruleset import find_faults
from dealer_service.rules.table_state import Phase
from dealer_service.tables.lines import decode
from dealer_service.transcript.checkpoint import open_checkpoint
from dealer_service.transcript.merkle import leaf_hash, tree_root
from dealer_service.transcript.note import parse_vkey
from tests.support.simulator import (
    LIVELY,
    RULES,
    Cheat,
    Simulator,
    passive,
    play_chain,
    play_game,
    script,
)
from tests.support.transcripts import Transcript, dump


@pytest.fixture(scope="module")
def lively() -> Simulator:
    return play_game(seed=2, hands=60, players=5, habits=LIVELY, unanchored=1)


def test_the_rules_of_simulated_games_can_be_played() -> None:
    assert find_faults(RULES) == ()


def test_one_seed_is_one_game_byte_for_byte() -> None:
    files = {play_game(seed=seed, hands=3, habits=LIVELY).game_file() for seed in (1, 1, 2)}
    assert len(files) == 2


def test_every_kind_of_line_happens_in_a_lively_game(lively: Simulator) -> None:
    optional = {e.BlindsChopped, e.ColoredUp, e.Preferred, e.RunsAgreed}
    assert {type(entry) for _, entry in lively.log} == set(e.KINDS.values()) - optional
    by = Counter(entry.by for _, entry in lively.log if isinstance(entry, e.Acted))
    assert by.keys() == {e.By.PLAYER, e.By.CLOCK, e.By.ABSENT}
    opened = {entry.by for _, entry in lively.log if isinstance(entry, e.Opened)}
    assert opened == {e.By.RULE, e.By.POLICY, e.By.PLAYER}
    assert any(entry.missing_link for _, entry in lively.log if isinstance(entry, e.Anchored))


def test_a_file_has_its_header_its_lines_and_its_checkpoints(lively: Simulator) -> None:
    """Read by hand: every note is signed, and covers exactly the lines before it."""
    rows = lively.game_file().split(b"\n")
    assert rows.pop() == b""
    header = json.loads(rows[0])
    assert header == {
        "format": "cutcard-game/1",
        "game": lively.state.opened.game,
        "key": lively.key,
        "origin": lively.origin,
    }
    lines: list[bytes] = []
    sizes: list[int] = []
    for row in rows[1:]:
        if row.startswith(b'{"checkpoint"'):
            note = json.loads(row)["checkpoint"].encode()
            origin = f"{lively.origin}/games/{lively.state.opened.game}"
            signed = open_checkpoint(note, parse_vkey(lively.key), origin)
            assert signed.size == len(lines)
            assert signed.root == tree_root(map(leaf_hash, lines))
            sizes.append(signed.size)
        else:
            lines.append(row)
    assert lines == lively.lines
    assert [decode(line) for line in lines] == lively.log
    assert sizes[-1] == len(lines)


def test_checkpoints_stand_where_the_protocol_asks_for_them(lively: Simulator) -> None:
    """One ends with each hand_opened; one covers each deck_committed and no dealt behind it."""
    sizes = set(lively.checkpoints)
    for index, (_, entry) in enumerate(lively.log):
        if isinstance(entry, e.HandOpened):
            assert index + 1 in sizes
        if isinstance(entry, e.DeckCommitted):
            kinds = [type(one) for _, one in lively.log[index:]]
            dealt = index + kinds.index(e.Dealt)
            assert sizes & set(range(index + 1, dealt + 1))


def test_every_deck_comes_from_the_secret_and_the_links(lively: Simulator) -> None:
    secrets = {
        x.hand: bytes.fromhex(x.secret) for _, x in lively.log if isinstance(x, e.SecretRevealed)
    }
    commitments = {x.hand: x.commitment for _, x in lively.log if isinstance(x, e.HandOpened)}
    for hand, secret in secrets.items():
        made = hand_commitment(lively.origin, lively.game, hand, secret)
        assert made.hex() == commitments[hand]
    for _, committed in lively.log:
        if isinstance(committed, e.DeckCommitted):
            sealed = deck.derive(secrets[committed.hand], bytes.fromhex(committed.mix))
            assert sealed.root.hex() == committed.deck_root


def test_every_link_fits_its_anchor(lively: Simulator) -> None:
    frozen: dict[int, e.SeatState] = {}
    for _, entry in lively.log:
        if isinstance(entry, e.HandOpened):
            frozen = {one.seat: one for one in entry.seats}
        if isinstance(entry, e.DeckCommitted | e.HandVoid):
            for one in entry.links:
                player, link = frozen[one.seat].player, bytes.fromhex(one.link)
                after = next_link(lively.origin, lively.game, player, link)
                assert after.hex() == frozen[one.seat].anchor


def test_a_players_own_openings_prove_its_hole_cards(lively: Simulator) -> None:
    found = lively.openings("ann")
    committed = {x.hand: x for _, x in lively.log if isinstance(x, e.DeckCommitted)}
    assert Counter(one["hand"] for one in found).keys() <= committed.keys()
    assert set(Counter(one["hand"] for one in found).values()) == {2}
    for one in found:
        entry = committed[one["hand"]]
        opening = Opening(
            one["position"],
            card_number(one["card"]),
            bytes.fromhex(one["salt"]),
            tuple(bytes.fromhex(node) for node in one["proof"]),
        )
        assert verify_opening(bytes.fromhex(entry.deck_root), bytes.fromhex(entry.mix), opening)
    assert lively.game_file(openings_of="ann").count(b'\n{"opening":') == len(found)


def test_a_record_holds_anchors_links_and_misses(lively: Simulator) -> None:
    lines = [json.loads(line) for line in lively.record("ann").splitlines()]
    assert lines[0] == {
        "format": "cutcard-record/1",
        "game": lively.state.opened.game,
        "key": lively.key,
        "origin": lively.origin,
        "player": "ann",
    }
    logged = {
        (entry.hand, one.link)
        for _, entry in lively.log
        if isinstance(entry, e.DeckCommitted)
        for one in entry.links
    }
    sent = {(one["link"]["hand"], one["link"]["link"]) for one in lines if "link" in one}
    assert {hand for hand, _ in sent & logged}
    assert {next(iter(one)) for one in lines[1:]} <= {"anchor", "link", "missed"}


def test_a_denied_link_is_in_the_record_with_its_miss() -> None:
    game = Simulator()
    game.sit("ann")
    game.sit("ben")
    game.open_hand()
    game.give_links(missing=(), denied=["ben"])
    game.void_hand(e.VoidReason.LINK_MISSING)
    kinds = [next(iter(one)) for one in game.clients["ben"].record]
    assert kinds == ["anchor", "link", "missed"]


def test_a_game_may_end_early() -> None:
    assert play_game(hands=2, close=False).state.phase is Phase.WAITING
    assert play_game(hands=2, reveal=False).state.phase is Phase.CLOSED
    assert play_game(hands=2).state.phase is Phase.REVEALED


def test_games_go_on_from_each_other() -> None:
    games = play_chain(games=3, hands=3, habits=LIVELY)
    assert [game.state.phase for game in games] == [Phase.REVEALED] * 3
    assert len({game.state.opened.game for game in games}) == 3


def test_acts_may_be_scripted() -> None:
    game = Simulator()
    for name in ("ann", "ben", "cleo"):
        game.sit(name, stack=10_000)
    game.play_hand(choose=script((e.Act.RAISE, 300), (e.Act.FOLD, 0), None))
    acts = [(x.seat, x.act, x.by) for _, x in game.log if isinstance(x, e.Acted)]
    assert acts == [
        (1, e.Act.RAISE, e.By.PLAYER),
        (2, e.Act.FOLD, e.By.PLAYER),
        (3, e.Act.FOLD, e.By.CLOCK),
    ]


def test_a_dealer_may_cheat_with_its_deck() -> None:
    def stacked(secret: bytes, mix: bytes) -> SealedDeck:
        honest = deck.derive(secret, mix)
        return deck.seal(tuple(reversed(honest.cards)), b"".join(honest.salts), mix)

    honest = play_game(hands=2)
    cheating = play_game(hands=2, cheat=Cheat(derive=stacked))
    assert cheating.state.phase is Phase.REVEALED
    roots = [
        {x.deck_root for _, x in game.log if isinstance(x, e.DeckCommitted)}
        for game in (honest, cheating)
    ]
    assert not roots[0] & roots[1]


def test_a_dealer_may_cheat_with_its_log() -> None:
    def late(at: int, entry: e.Entry) -> Iterable[tuple[int, e.Entry]]:
        return () if isinstance(entry, e.Mucked) else ((at, entry),)

    game = play_game(hands=10, cheat=Cheat(tamper=late))
    assert not any(isinstance(entry, e.Mucked) for _, entry in game.log)
    assert len(game.lines) == game.tree.size


# Transcripts: change and sign again.


@pytest.fixture
def transcript() -> Transcript:
    return play_game(seed=5, hands=3, players=3).transcript()


def sizes(rendered: bytes) -> list[int]:
    notes = [json.loads(row) for row in rendered.splitlines() if row.startswith(b'{"check')]
    return [int(note["checkpoint"].split("\n")[1]) for note in notes]


def test_an_unchanged_transcript_renders_the_same_file() -> None:
    game = play_game(seed=5, hands=3, players=3)
    assert game.transcript().render(game.signer) == game.game_file()


def test_a_changed_line_is_signed_again(transcript: Transcript) -> None:
    signer = Simulator().signer
    acted = transcript.find("acted", hand=2)
    transcript.change(acted.index, to=12_345)
    rendered = transcript.render(signer)
    assert b'"to":12345' in rendered
    assert sizes(rendered) == transcript.checkpoints
    last = json.loads(rendered.splitlines()[-1])["checkpoint"].encode()
    origin = f"{transcript.origin}/games/{transcript.game}"
    assert open_checkpoint(last, signer.verifier, origin).root == transcript.root()


def test_checkpoints_stay_behind_their_lines(transcript: Transcript) -> None:
    committed = transcript.find("deck_committed", hand=1).index
    before = list(transcript.checkpoints)
    assert committed + 1 in before
    one = transcript.read(committed)
    transcript.insert(committed, one.at, "paused", {})
    assert committed + 2 in transcript.checkpoints
    transcript.delete(committed)
    assert transcript.checkpoints == before


def test_lines_are_found_by_kind_hand_and_content(transcript: Transcript) -> None:
    found = transcript.find("awarded", hand=3, where=lambda body: body["pot"] == 0)
    assert found.index in transcript.span(3)
    assert transcript.read(transcript.span(3)[-1]).kind == "hand_ended"
    assert [one.body["hand"] for one in transcript.all("secret_revealed")] == [1, 2, 3]
    with pytest.raises(LookupError):
        transcript.find("hand_void")


def test_fields_are_taken_out_and_lines_change_places(transcript: Transcript) -> None:
    opened = transcript.find("hand_opened", hand=1)
    transcript.change(opened.index, small_blind_seat=None)
    assert "small_blind_seat" not in transcript.read(opened.index).body
    first, second = transcript.all("posted")[:2]
    transcript.swap(first.index, second.index)
    assert transcript.read(first.index).body == second.body
    assert transcript.read(first.index).at == first.at
    transcript.move_time(first.index, 7)
    assert transcript.read(first.index).at == 7


def test_a_cut_transcript_keeps_the_checkpoints_that_are_left(transcript: Transcript) -> None:
    transcript.cut(transcript.span(2)[0])
    assert len(transcript.lines) == transcript.span(1)[-1] + 1
    assert transcript.checkpoints[-1] <= len(transcript.lines)


def test_notes_header_and_end_may_be_rewritten(transcript: Transcript) -> None:
    signer = Simulator().signer
    last = transcript.checkpoints[-1]

    def rewrite(size: int, note: str) -> str | None:
        return note.upper() if size == last else None

    extra: dict[str, Any] = {"dealer_log": {}}
    rendered = transcript.render(
        signer, header={"origin": "other"}, rewrite=rewrite, also=[dump(extra)]
    )
    rows = rendered.splitlines()
    assert json.loads(rows[0])["origin"] == "other"
    assert rows[-1] == b'{"dealer_log":{}}'
    assert sizes(rendered) == [last]


def test_a_copy_changes_by_itself(transcript: Transcript) -> None:
    copy = transcript.copy()
    copy.delete(5)
    copy.openings.append({})
    assert len(copy.lines) == len(transcript.lines) - 1
    assert transcript.openings == []
    assert replace(transcript) == transcript


def test_a_passive_hand_goes_to_the_showdown() -> None:
    game = play_game(hands=0, players=3, close=False)
    game.play_hand(choose=passive)
    assert sum(isinstance(entry, e.Dealt) for _, entry in game.log) == 4
