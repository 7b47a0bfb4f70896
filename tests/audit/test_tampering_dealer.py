"""A dealer who cheats while the game runs, every hash and signature its own and fitting."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import pytest

from audit_cli.report.finding import Promise
from dealer_service.fairness import commitment, deck, mixing
from dealer_service.fairness.deck import SealedDeck, seal
from dealer_service.fairness.drbg import stream
from dealer_service.fairness.mixing import Link
from dealer_service.rules.entry import (
    Act,
    DeckCommitted,
    Entry,
    Mucked,
)
from dealer_service.rules.hand import Decision
from tests.support.audits import broken, judge, places, tell, unproved
from tests.support.simulator import (
    RULES,
    Cheat,
    Habits,
    Move,
    Simulator,
    passive,
    play_chain,
    play_game,
    play_on,
    script,
)
from tests.support.small_games import finish, table_of


def audit_cheat(cheat: Cheat, *, hands: int = 4) -> set[str]:
    game = play_game(seed=7, hands=hands, players=4, cheat=cheat)
    return broken(judge(game.game_file(), key=game.key))


# T1 and T2: secrets and commitments.


def test_secrets_that_were_never_committed_to_break_bound_in_every_hand() -> None:
    """T1: the decks fit the revealed secrets, and the commitments are of others."""
    cheat = Cheat(
        commit=lambda origin, game, hand, secret: commitment.hand_commitment(
            origin, game, hand, sha256(secret).digest()
        )
    )
    game = play_game(seed=7, hands=4, players=4, cheat=cheat)
    report = judge(game.game_file(), key=game.key)
    assert broken(report) == {"BOUND"}, tell(report)
    assert [hand for hand, _ in places(report, "BOUND")] == [1, 2, 3, 4]


def test_one_secret_that_was_not_committed_to_breaks_bound_for_that_hand_alone() -> None:
    """T2."""

    def commit(origin: str, game: bytes, hand: int, secret: bytes) -> bytes:
        other = bytes(32) if hand == 3 else secret
        return commitment.hand_commitment(origin, game, hand, other)

    game = play_game(seed=7, hands=5, players=4, cheat=Cheat(commit=commit))
    report = judge(game.game_file(), key=game.key)
    assert broken(report) == {"BOUND"}, tell(report)
    entry = game.transcript().find("secret_revealed", hand=3).index
    assert places(report, "BOUND") == [(3, entry)]


# T3 to T5: flawed shuffles.


def _draws(secret: bytes, mix: bytes) -> Iterable[int]:
    return iter(stream(secret, mix, "deck", 1024))


def _perform(secret: bytes, mix: bytes, *, sattolo: bool, biased: bool) -> SealedDeck:
    drawn = _draws(secret, mix)

    def below(n: int) -> int:
        while True:
            x = next(iter(drawn))
            if biased or x < 256 - 256 % n:
                return x % n

    def shuffle() -> None:
        for i in range(51, 0, -1):
            j = below(i if sattolo else i + 1)
            cards[i], cards[j] = cards[j], cards[i]

    cards = list(range(52))
    shuffle()
    cut = 20 + below(13)
    cards = cards[cut:] + cards[:cut]
    shuffle()
    a, b, turned = 15 + below(5), 15 + below(5), below(2)
    cards = cards[a + b :] + cards[: a + b] if turned else cards[a:] + cards[:a]
    shuffle()
    return seal(tuple(cards), stream(secret, mix, "salts", 1024), mix)


def _sattolo(secret: bytes, mix: bytes) -> SealedDeck:
    return _perform(secret, mix, sattolo=True, biased=False)


def _modulo(secret: bytes, mix: bytes) -> SealedDeck:
    return _perform(secret, mix, sattolo=False, biased=True)


def _generate_for_each(secret: bytes, mix: bytes) -> SealedDeck:
    """A fresh stream of bytes for each draw stands in for one Generate a draw: other bytes."""
    cards = list(range(52))
    for i in range(51, 0, -1):
        j = stream(secret, sha256(mix + bytes([i])).digest(), "deck", 1024)[0] % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return seal(tuple(cards), stream(secret, mix, "salts", 1024), mix)


def _other_salts(secret: bytes, mix: bytes) -> SealedDeck:
    honest = deck.derive(secret, mix)
    return seal(honest.cards, bytes(1024), mix)


def _swapped(secret: bytes, mix: bytes) -> SealedDeck:
    honest = deck.derive(secret, mix)
    cards = (honest.cards[1], honest.cards[0], *honest.cards[2:])
    return seal(cards, stream(secret, mix, "salts", 1024), mix)


def test_the_flawed_shuffles_differ_from_the_true_one_in_their_flaw_alone() -> None:
    secret, mix = bytes(32), bytes(range(32))
    assert _perform(secret, mix, sattolo=False, biased=False) == deck.derive(secret, mix)


@pytest.mark.parametrize("derive", [_sattolo, _modulo, _generate_for_each, _other_salts, _swapped])
def test_a_deck_made_otherwise_breaks_replayed_from_the_first_hand(
    derive: Callable[[bytes, bytes], SealedDeck],
) -> None:
    """T3, T4, T5 and their kin."""
    game = play_game(seed=7, hands=4, players=4, cheat=Cheat(derive=derive))
    report = judge(game.game_file(), key=game.key)
    assert "REPLAYED" in broken(report)
    entry = game.transcript().find("deck_committed", hand=1).index
    assert places(report, "REPLAYED")[0] == (1, entry)
    assert not broken(report) - {"REPLAYED", "PLAYED"}, tell(report)


# T14: links and mixes.


def _without_last(
    origin: str, game: bytes, hand: int, committed: bytes, links: Collection[Link]
) -> bytes:
    return mixing.mix(origin, game, hand, committed, list(links)[:-1])


def test_a_frozen_anchor_without_its_link_breaks_player_mixed() -> None:
    def leave_out(at: int, entry: Entry) -> Iterable[tuple[int, Entry]]:
        if isinstance(entry, DeckCommitted) and entry.hand == 4:
            entry = replace(entry, links=entry.links[:-1])
        yield at, entry

    def mix(
        origin: str, game: bytes, hand: int, committed: bytes, links: Collection[Link]
    ) -> bytes:
        made = _without_last if hand == 4 else mixing.mix
        return made(origin, game, hand, committed, links)

    assert audit_cheat(Cheat(mix=mix, tamper=leave_out)) == {"PLAYER-MIXED"}


def test_links_mixed_in_another_order_break_replayed() -> None:
    def mix(
        origin: str, game: bytes, hand: int, committed: bytes, links: Collection[Link]
    ) -> bytes:
        # The seats change places, so that the sorted order is another one.
        seats = sorted((link.seat for link in links), reverse=True)
        rising = sorted(links, key=lambda link: link.seat)
        turned = [replace(link, seat=seat) for link, seat in zip(rising, seats, strict=True)]
        return mixing.mix(origin, game, hand, committed, turned)

    assert audit_cheat(Cheat(mix=mix)) == {"REPLAYED"}


def test_a_mix_of_another_origin_breaks_replayed() -> None:
    def mix(
        origin: str, game: bytes, hand: int, committed: bytes, links: Collection[Link]
    ) -> bytes:
        return mixing.mix(f"not.{origin}", game, hand, committed, links)

    assert audit_cheat(Cheat(mix=mix)) == {"REPLAYED"}


def test_a_record_with_another_link_breaks_player_mixed() -> None:
    """The dealer logs a link that the player never sent."""
    game = play_game(seed=9, hands=5, players=3)
    client = game.clients["ben"]
    sent = next(line["link"] for line in client.record if line.get("link", {}).get("hand") == 3)
    sent["link"] = "77" * 32
    report = judge(game.game_file(), key=game.key, mine=game.record("ben"))
    assert broken(report) == {"PLAYER-MIXED"}, tell(report)
    entry = game.transcript().find("deck_committed", hand=3).index
    assert places(report, "PLAYER-MIXED") == [(3, entry)]


def test_a_record_whose_checkpoint_is_of_another_history_breaks_player_mixed() -> None:
    game = play_game(seed=9, hands=5, players=3)
    transcript = game.transcript()
    transcript.change(transcript.find("seat_taken").index, stack=2_345)
    report = judge(transcript.render(game.signer), key=game.key, mine=game.record("ann"))
    assert "PLAYER-MIXED" in broken(report)
    assert any("another history" in one.text for one in report.of(Promise.PLAYER_MIXED))


def test_a_record_of_a_player_who_was_dealt_in_without_a_link_is_not_established() -> None:
    game = play_game(seed=9, hands=5, players=3, unanchored=1)
    report = judge(game.game_file(), key=game.key, mine=game.record("cleo"))
    assert report.exit_status() == 4
    assert unproved(report) == {"PLAYER-MIXED"}


def test_a_record_that_is_no_record_can_not_be_read() -> None:
    game = play_game(seed=9, hands=2, players=3)
    for mine in (b"", b"nonsense\n", game.record("ann") + b"{}\n"):
        report = judge(game.game_file(), key=game.key, mine=mine)
        assert report.exit_status() == 3
        assert report.damage[0].source == "record"


# T15: a showdown's hidden hands.


def showdown(*, cheat: Cheat | None = None, seed: int = 3) -> Simulator:
    """Everybody checks down; the later hands are mucked unless they win."""
    game = Simulator(seed=seed, cheat=cheat)
    for name in ("ann", "ben", "cleo", "dan"):
        game.sit(name)
    for _ in range(4):
        game.play_hand(choose=passive)
    return finish(game)


def test_a_winning_hand_mucked_by_the_dealer_breaks_played_after_the_reveal() -> None:
    """Before the reveal nobody can tell; after it everybody can."""
    for seed in range(3, 30):
        game = showdown(seed=seed)
        transcript = game.transcript()
        shown = [one for one in transcript.all("opened") if one.body["by"] == "policy"]
        last = next(
            (one for one, after in pairwise(shown) if after.body["hand"] == one.body["hand"]),
            None,
        )
        if last is None:
            continue
        winner = next(one for one in reversed(shown) if one.body["hand"] == last.body["hand"])
        body = {"by": "policy", "hand": winner.body["hand"], "seat": winner.body["seat"]}
        transcript.put(winner.index, winner.at, "mucked", body)
        report = judge(transcript.render(game.signer), key=game.key)
        assert (winner.body["hand"], winner.index) in places(report, "PLAYED"), tell(report)
        return
    pytest.fail("no showdown in which a later hand was shown")


def test_mucks_are_not_established_before_the_reveal() -> None:
    for seed in range(3, 30):
        game = Simulator(seed=seed)
        for name in ("ann", "ben", "cleo", "dan"):
            game.sit(name)
        game.play_hand(choose=passive)
        if any(isinstance(entry, Mucked) for _, entry in game.log):
            report = judge(game.game_file(), key=game.key)
            assert "PLAYED" in unproved(report)
            assert not broken(report)
            return
    pytest.fail("no hand was mucked")


# Clocks and absence.


def test_the_clock_acts_and_nobody_sits_out() -> None:
    game = table_of("ann", "ben", "cleo")
    game.play_hand(choose=script(None, *[(Act.FOLD, 0)] * 5))
    game.play_hand()
    transcript = finish(game).transcript()
    one = transcript.find("sat_out")
    transcript.delete(one.index)
    report = judge(transcript.render(game.signer), key=game.key)
    assert places(report, "PLAYED")[0] == (1, one.index), tell(report)


def test_the_clock_bets_for_a_player() -> None:
    game = table_of("ann", "ben", "cleo")
    game.play_hand(choose=script(None, *[(Act.FOLD, 0)] * 5))
    transcript = finish(game).transcript()
    one = transcript.find("acted", where=lambda body: body["by"] == "clock")
    transcript.change(one.index, act="call", to=100)
    report = judge(transcript.render(game.signer), key=game.key)
    assert (1, one.index) in places(report, "PLAYED"), tell(report)


def test_a_player_acts_after_it_left() -> None:
    game = table_of("ann", "ben", "cleo")
    left: list[str] = []

    def leave(game: Simulator) -> None:
        if not left:
            left.append(game.players(dealt_in=True)[0])
            game.leave(left[0])

    game.play_hand(choose=passive, before_turn=leave)
    transcript = finish(game).transcript()
    one = transcript.find("acted", where=lambda body: body["by"] == "absent")
    transcript.change(one.index, by="player")
    report = judge(transcript.render(game.signer), key=game.key)
    assert broken(report) == {"PLAYED"}, tell(report)
    assert places(report, "PLAYED") == [(1, one.index)]


# T22 and successors.


def test_a_reveal_after_its_latest_time_breaks_complete() -> None:
    """T22."""
    game = table_of("ann", "ben")
    game.play_hand()
    game.close()
    game.reveal(late=True)
    report = judge(game.game_file(), key=game.key)
    entry = game.transcript().find("secret_revealed").index
    assert broken(report) == {"COMPLETE"}, tell(report)
    assert places(report, "COMPLETE") == [(1, entry)]


@pytest.mark.parametrize(
    ("field", "value", "promise"),
    [
        ("size", 7, "COMPLETE"),
        ("root", "55" * 32, "COMPLETE"),
        ("button", 9, "PLAYED"),
        ("button_stays", True, "PLAYED"),
    ],
)
def test_a_successor_that_tells_its_predecessor_otherwise(
    field: str, value: object, promise: str
) -> None:
    first, second = play_chain(seed=3, games=2, hands=3)
    transcript = second.transcript()
    previous = transcript.read(0).body["previous"] | {field: value}
    transcript.change(0, previous=previous)
    data = first.game_file() + transcript.render(second.signer)
    report = judge(data, key=first.key)
    assert promise in broken(report), tell(report)
    assert (None, 0) in places(report, promise)


def test_a_successor_that_changes_a_carried_stack_breaks_played() -> None:
    first, second = play_chain(seed=3, games=2, hands=3)
    transcript = second.transcript()
    previous = transcript.read(0).body["previous"]
    previous["seats"][0]["stack"] += 1
    transcript.change(0, previous=previous)
    report = judge(first.game_file() + transcript.render(second.signer), key=first.key)
    assert broken(report) == {"PLAYED"}, tell(report)
    assert places(report, "PLAYED")[-1] == (None, 0)


def test_a_successor_of_another_game_than_the_one_that_names_it_breaks_complete() -> None:
    first, second = play_chain(seed=3, games=2, hands=3)
    transcript = first.transcript()
    transcript.change(transcript.find("game_closed").index, next="66" * 16)
    report = judge(transcript.render(first.signer) + second.game_file(), key=first.key)
    assert "COMPLETE" in broken(report), tell(report)


def test_a_successor_that_does_not_wait_for_anchors_breaks_played() -> None:
    game = table_of("ann", "ben", "cleo")
    game.play_hand()
    after = game.succeed(anchored=False)
    after.now = after.state.opened_at + RULES.link_ms
    after.play_hand()
    finish(after)
    transcript = after.transcript()
    opened = transcript.find("hand_opened")
    transcript.move_time(opened.index, transcript.read(0).at + RULES.link_ms - 1)
    report = judge(game.game_file() + transcript.render(after.signer), key=game.key)
    assert broken(report) == {"PLAYED"}, tell(report)
    assert places(report, "PLAYED") == [(1, opened.index)]


def test_what_else_is_wrong_is_still_found_behind_a_break() -> None:
    """A damaged hand in the middle: the checks go on at the next opening."""
    game = Simulator(seed=5)
    for name in ("ann", "ben", "cleo"):
        game.sit(name)
    play_on(game, 6, Habits())
    transcript = finish(game).transcript()
    act = transcript.find("acted", hand=2)
    transcript.change(act.index, turn=9)
    end = transcript.span(5)[-1]
    stacks = [dict(item) for item in transcript.read(end).body["stacks"]]
    stacks[0]["stack"] += 7
    transcript.change(end, stacks=stacks)
    report = judge(transcript.render(game.signer), key=game.key)
    found = places(report, "PLAYED")
    assert (2, act.index) in found
    assert (5, end) in found


def test_many_broken_places_are_counted_and_not_all_listed() -> None:
    game = Simulator(seed=5, chain_length=400)
    for name in ("ann", "ben"):
        game.sit(name)
    for _ in range(130):
        game.play_hand(choose=script((Act.FOLD, 0)))
    transcript = finish(game).transcript()
    for one in transcript.all("acted"):
        transcript.change(one.index, turn=7)
    report = judge(transcript.render(game.signer), key=game.key)
    told = report.of(Promise.PLAYED)
    assert len(told) < 110
    assert any("30 more places are broken" in one.text for one in told)


@pytest.mark.parametrize("change", [(-1, 1), (0, 1), (-1, 0), (500, -500)])
def test_a_split_pot_paid_otherwise_breaks_played(change: tuple[int, int]) -> None:
    """The odd chip to the wrong seat; a chip more, a chip less; other halves."""
    game = play_game(seed=8, hands=25, players=6)
    transcript = game.transcript()
    one = transcript.find("awarded", where=lambda body: len(body["winners"]) == 2)
    assert one.body["amount"] % 2
    winners = [
        winner | {"amount": winner["amount"] + more}
        for winner, more in zip(one.body["winners"], change, strict=True)
    ]
    transcript.change(one.index, winners=winners)
    report = judge(transcript.render(game.signer), key=game.key)
    assert broken(report) == {"PLAYED"}, tell(report)
    assert places(report, "PLAYED")[0][1] == one.index


def test_winners_that_do_not_begin_left_of_the_button_break_played() -> None:
    game = play_game(seed=8, hands=25, players=6)
    transcript = game.transcript()
    one = transcript.find("awarded", where=lambda body: len(body["winners"]) == 2)
    transcript.change(one.index, winners=one.body["winners"][::-1])
    report = judge(transcript.render(game.signer), key=game.key)
    assert broken(report) == {"PLAYED"}, tell(report)


def test_a_shown_card_that_comes_again_on_the_board_breaks_replayed() -> None:
    """The audit follows such a hand to its end, also where one card twice makes the pair."""
    game = table_of("ann", "ben")
    game.play_hand(choose=_all_in)
    whole = finish(game).transcript()
    board = whole.find("opened", where=lambda body: "board" in body)
    shown = [one for one in whole.all("opened") if "seat" in one.body]
    for card in (card for one in shown for card in one.body["cards"]):
        transcript = whole.copy()
        cards = [board.body["cards"][0] | {"card": card["card"]}, *board.body["cards"][1:]]
        transcript.change(board.index, cards=cards)
        report = judge(transcript.render(game.signer), key=game.key)
        assert "REPLAYED" in broken(report), tell(report)
        assert (1, board.index) in places(report, "REPLAYED")


def _all_in(_game: Simulator, due: Decision) -> Move:
    return (Act.CALL, 0) if due.raise_ is None else (Act.RAISE, due.raise_.max)


def test_a_hand_that_opens_without_a_chip_at_the_table_breaks_played() -> None:
    game = showdown()
    transcript = game.transcript()
    one = transcript.find("hand_opened")
    transcript.change(one.index, seats=[seat | {"stack": 0} for seat in one.body["seats"]])
    for index in reversed(transcript.span(1)):
        if transcript.read(index).kind in {"posted", "acted"}:
            transcript.delete(index)
    report = judge(transcript.render(game.signer), key=game.key)
    assert "PLAYED" in broken(report)
    assert places(report, "PLAYED")[0] == (1, one.index)


def test_swapped_boards_of_two_hands_break_replayed_and_what_rests_on_them() -> None:
    game = showdown()
    transcript = game.transcript()
    one, other = (
        transcript.find("opened", hand=hand, where=lambda body: "board" in body) for hand in (1, 2)
    )
    transcript.change(one.index, cards=other.body["cards"])
    transcript.change(other.index, cards=one.body["cards"])
    report = judge(transcript.render(game.signer), key=game.key)
    assert "REPLAYED" in broken(report)
    assert {(1, one.index), (2, other.index)} <= set(places(report, "REPLAYED"))
