"""The lobby is written as the state is, whatever of it was written before."""

from cutcard.v1 import tournament_pb2
from dealer_service.rpc.convert_tournament import player_message
from dealer_service.rpc.lobby import REMEMBERED, Lobbies
from dealer_service.rules.tournament.folding import evolve
from dealer_service.rules.tournament.state import TournamentState
from tests.support.tournament_houses import HOUSES
from tests.support.tournament_play import TournamentPlay


def test_at_every_line_of_an_event_it_is_that_of_the_state() -> None:
    house = HOUSES["late"]
    play = TournamentPlay(house.structure, seed=house.seed, habits=house.habits).run()
    lobbies, state = Lobbies(), None
    for size, (at, entry) in enumerate(play.log, 1):
        state = evolve(state, at, entry)
        wire = lobbies.write(state, size, reference="", deal=None)
        told = tournament_pb2.GetTournamentResponse.FromString(wire)
        assert told.summary.size == size
        assert list(told.players) == [player_message(state, one) for one in state.entrants.values()]


def some(seed: int) -> TournamentState:
    return TournamentPlay(HOUSES["sit_and_go"].structure, seed=seed).state


def test_what_did_not_change_is_not_written_again() -> None:
    lobbies, state = Lobbies(), some(1)
    first = lobbies.write(state, 5, reference="", deal=None)
    assert lobbies.write(state, 5, reference="", deal=None) is first


def test_a_reference_is_in_the_answer_to_whom_it_is_told_alone() -> None:
    lobbies, state = Lobbies(), some(1)
    told = lobbies.write(state, 5, reference="friday-7", deal=None)
    assert b"friday-7" in told
    assert b"friday-7" not in lobbies.write(state, 5, reference="", deal=None)


def test_only_the_last_are_kept() -> None:
    lobbies = Lobbies()
    first = some(0)
    told = lobbies.write(first, 1, reference="", deal=None)
    for seed in range(1, REMEMBERED + 1):
        lobbies.write(some(seed), 1, reference="", deal=None)
    assert lobbies.write(first, 1, reference="", deal=None) is not told
