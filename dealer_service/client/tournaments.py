"""What is called about tournaments, typed: by the operator, by players, and by who looks in.

Each change draws a request id of its own, unless the caller gives one to make it repeatable
across restarts of its own.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from cutcard.v1 import tournament_entry_pb2, tournament_pb2
from dealer_service.client.calls import Caller
from dealer_service.client.following import HAND_SECONDS
from dealer_service.client.taking import REVEAL_POLICY


@dataclass(frozen=True, slots=True)
class OpenedTournament:
    """A tournament that was opened, with its whole structure."""

    tournament: str
    structure: tournament_entry_pb2.Structure


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament as the dealer lists it."""

    tournament: str
    name: str
    state: str
    players: int
    players_in: int
    players_max: int
    tables: int
    level: int
    opened_at: int
    size: int
    reference: str


@dataclass(frozen=True, slots=True)
class Registration:
    """A registration: the entrant's number, and the size of the log that holds it."""

    entrant: int
    size: int


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal that is proposed: what each player gets, what is left to play for, who has agreed."""

    shares: Mapping[str, int]
    left: int
    agreed: frozenset[str]


class Tournaments:
    """The calls about tournaments; nothing of the answers is proved, as the log is."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def open(
        self,
        structure: tournament_entry_pb2.Structure | None = None,
        *,
        reference: str = "",
        request_id: str = "",
    ) -> OpenedTournament:
        """Open a tournament; fields left at zero or empty get the dealer's defaults."""
        request = tournament_pb2.OpenTournamentRequest(
            request_id=self._id(request_id),
            structure=structure or tournament_entry_pb2.Structure(),
            reference=reference,
        )
        answer = await self._caller.call(lambda at: at.tournaments.OpenTournament, request)
        return OpenedTournament(answer.tournament, answer.structure)

    async def list(self, state: str = "") -> AsyncIterator[TournamentSummary]:
        """List all tournaments, or those in one state, page by page."""
        token = ""
        while True:
            request = tournament_pb2.ListTournamentsRequest(state=state, page_token=token)
            answer = await self._caller.call(lambda at: at.tournaments.ListTournaments, request)
            for one in answer.tournaments:
                yield summary_of(one)
            token = answer.next_page_token
            if not token:
                return

    async def get(self, tournament: str) -> tournament_pb2.GetTournamentResponse:
        """Give the lobby of one tournament."""
        request = tournament_pb2.GetTournamentRequest(tournament=tournament)
        return await self._caller.call(lambda at: at.tournaments.GetTournament, request)

    async def register(
        self,
        tournament: str,
        *,
        anchors: bool = True,
        reference: str = "",
        request_id: str = "",
    ) -> Registration:
        """Enter, or enter again.

        With `anchors` the player will give links. Entering accepts that every card of every hand
        can be derived when the tournament is over. Where it is full this may wait for a hand's end.
        """
        request = tournament_pb2.RegisterRequest(
            request_id=self._id(request_id),
            tournament=tournament,
            anchors=anchors,
            accepts_reveal=REVEAL_POLICY,
            reference=reference,
        )
        answer = await self._caller.call(
            lambda at: at.tournaments.Register, request, total=HAND_SECONDS
        )
        return Registration(answer.entrant, answer.size)

    async def withdraw(self, tournament: str, *, reference: str = "", request_id: str = "") -> None:
        """Take a registration back, before the start."""
        request = tournament_pb2.WithdrawRequest(
            request_id=self._id(request_id), tournament=tournament, reference=reference
        )
        await self._caller.call(lambda at: at.tournaments.Withdraw, request)

    async def rebuy(self, tournament: str, *, reference: str = "", request_id: str = "") -> int:
        """Buy chips again, when the hand has ended, and give the stack."""
        request = tournament_pb2.RebuyRequest(
            request_id=self._id(request_id), tournament=tournament, reference=reference
        )
        answer = await self._caller.call(
            lambda at: at.tournaments.Rebuy, request, total=HAND_SECONDS
        )
        return answer.stack

    async def decline_rebuy(self, tournament: str, *, request_id: str = "") -> None:
        """Buy none, having no chips."""
        request = tournament_pb2.DeclineRebuyRequest(
            request_id=self._id(request_id), tournament=tournament
        )
        await self._caller.call(lambda at: at.tournaments.DeclineRebuy, request)

    async def add_on(self, tournament: str, *, reference: str = "", request_id: str = "") -> int:
        """Buy the add-on in its break, and give the stack."""
        request = tournament_pb2.AddOnRequest(
            request_id=self._id(request_id), tournament=tournament, reference=reference
        )
        return (await self._caller.call(lambda at: at.tournaments.AddOn, request)).stack

    async def propose_deal(
        self, tournament: str, shares: Mapping[str, int], left: int = 0, *, request_id: str = ""
    ) -> Deal:
        """Propose how the last players share what is still to be won, and agree to it."""
        request = tournament_pb2.ProposeDealRequest(
            request_id=self._id(request_id),
            tournament=tournament,
            shares=_shares(shares),
            left=left,
        )
        answer = await self._caller.call(lambda at: at.tournaments.ProposeDeal, request)
        return deal_of(answer.deal)

    async def agree_to_deal(self, tournament: str, deal: Deal, *, request_id: str = "") -> bool:
        """Agree to a deal as it was read; True when that made it, which waits for a hand's end."""
        request = tournament_pb2.AgreeToDealRequest(
            request_id=self._id(request_id),
            tournament=tournament,
            shares=_shares(deal.shares),
            left=deal.left,
        )
        answer = await self._caller.call(
            lambda at: at.tournaments.AgreeToDeal, request, total=HAND_SECONDS
        )
        return answer.made

    async def stop(self, tournament: str, *, request_id: str = "") -> None:
        """Start no hand any more, and stop the clocks."""
        request = tournament_pb2.StopTournamentRequest(
            request_id=self._id(request_id), tournament=tournament
        )
        await self._caller.call(lambda at: at.tournaments.StopTournament, request)

    async def resume(self, tournament: str, *, request_id: str = "") -> None:
        """Go on after a stop."""
        request = tournament_pb2.ResumeTournamentRequest(
            request_id=self._id(request_id), tournament=tournament
        )
        await self._caller.call(lambda at: at.tournaments.ResumeTournament, request)

    async def cancel(self, tournament: str, *, request_id: str = "") -> None:
        """Cancel one that has not started, or that is stopped with all tables between hands."""
        request = tournament_pb2.CancelTournamentRequest(
            request_id=self._id(request_id), tournament=tournament
        )
        await self._caller.call(lambda at: at.tournaments.CancelTournament, request)

    async def disqualify(
        self, tournament: str, player: str, *, reference: str = "", request_id: str = ""
    ) -> None:
        """Take a player out with its chips, when the hand at its table has ended."""
        request = tournament_pb2.DisqualifyRequest(
            request_id=self._id(request_id),
            tournament=tournament,
            player=player,
            reference=reference,
        )
        await self._caller.call(lambda at: at.tournaments.Disqualify, request, total=HAND_SECONDS)

    def _id(self, given: str) -> str:
        return given or self._caller.surroundings.request_id()


def summary_of(one: tournament_pb2.TournamentSummary) -> TournamentSummary:
    """Read a summary."""
    return TournamentSummary(
        tournament=one.tournament,
        name=one.name,
        state=one.state,
        players=one.players,
        players_in=one.players_in,
        players_max=one.players_max,
        tables=one.tables,
        level=one.level,
        opened_at=one.opened_at,
        size=one.size,
        reference=one.reference,
    )


def deal_of(deal: tournament_pb2.DealProposal) -> Deal:
    """Read a deal that is proposed."""
    shares = {one.player: one.amount for one in deal.shares}
    return Deal(shares, deal.left, frozenset(deal.agreed))


def _shares(shares: Mapping[str, int]) -> Sequence[tournament_entry_pb2.Share]:
    return [
        tournament_entry_pb2.Share(player=player, amount=amount)
        for player, amount in sorted(shares.items())
    ]
