"""Where a person plays in the terminal: a seat of a game, or in a tournament."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final, Protocol

from dealer_service.client import (
    Act,
    CallRefusedError,
    CaughtUp,
    Choice,
    Contest,
    Decision,
    PreAct,
    Seat,
    TableView,
    TournamentEvent,
)
from dealer_service.client.tournament_view import Phase

_NOWHERE: Final = TableView("", 0, 0, "", (), (), (), 0, (), None, {})


class Place(Protocol):
    """What a person may do where it plays; calls raise CallRefusedError."""

    @property
    def ends_without_chips(self) -> bool:
        """Whether who has no chips plays no more until it has some: it is not out by itself."""
        ...

    @property
    def view(self) -> TableView:
        """The table as it stands."""
        ...

    def __aiter__(self) -> AsyncIterator[TournamentEvent]:
        """Give what happens."""
        ...

    async def act(self, act: Act, to: int = 0, *, decision: Decision | None = None) -> None:
        """Act on a turn."""
        ...

    async def pre_select(self, act: PreAct) -> None:
        """Choose an act for the next turn."""
        ...

    async def prefer(self, *choices: Choice) -> None:
        """Set all standing choices."""
        ...

    async def show(self) -> None:
        """Show one's cards."""
        ...

    async def sit_out(self) -> None:
        """Be away."""
        ...

    async def come_back(self) -> None:
        """Be back."""
        ...

    async def add_chips(self, amount: int) -> int:
        """Add chips, and give the stack."""
        ...

    async def leave(self) -> str:
        """Leave, and say in words what becomes of it."""
        ...


class AtTable:
    """A seat of a game."""

    ends_without_chips = True

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self.act = seat.act
        self.pre_select = seat.pre_select
        self.prefer = seat.prefer
        self.show = seat.show
        self.sit_out = seat.sit_out
        self.come_back = seat.come_back
        self.add_chips = seat.add_chips

    @property
    def view(self) -> TableView:
        """The table as it stands."""
        return self._seat.view

    async def __aiter__(self) -> AsyncIterator[TournamentEvent]:
        async for event in self._seat:
            yield event

    async def leave(self) -> str:
        """Give the seat up."""
        left_with = await self._seat.leave()
        if left_with is None:
            return "you leave: your hand is folded in its turn, and your chips go with its end"
        return f"you leave with {left_with:,} chips"


class InTournament:
    """A player of a tournament, at whichever table it sits."""

    ends_without_chips = False

    def __init__(self, contest: Contest, withdraw: "Withdraw") -> None:
        self._contest = contest
        self._withdraw = withdraw
        self.act = contest.act
        self.pre_select = contest.pre_select
        self.prefer = contest.prefer
        self.show = contest.show
        self.sit_out = contest.sit_out
        self.come_back = contest.come_back

    @property
    def view(self) -> TableView:
        """The table as it stands; an empty one without."""
        return self._contest.table or _NOWHERE

    async def __aiter__(self) -> AsyncIterator[TournamentEvent]:
        async for event in self._contest:
            if isinstance(event, CaughtUp) and self._contest.is_away:
                # It may have been moved, or gone out, meanwhile: there is no coming back then.
                with suppress(CallRefusedError):
                    await self._contest.come_back()
            yield event

    async def add_chips(self, amount: int) -> int:
        """Buy the add-on in its break, else a rebuy; what they give is the structure's to say."""
        del amount
        view, me = self._contest.view, self._contest.me
        in_break = view.phase is Phase.BREAK and "add_on" in view.structure
        if in_break and me is not None and not me.added_on:
            return await self._contest.add_on()
        return await self._contest.rebuy()

    async def leave(self) -> str:
        """Take the registration back, or go away from a seat, which is then an absent player's."""
        me = self._contest.me
        if me is not None and not self._contest.view.started:
            await self._withdraw(self._contest.tournament)
            return "you are registered no more"
        if me is not None and me.sits:
            await self._contest.sit_out()
        await self._contest.close()
        return "you go: until you are back, your hands are folded in their turn"


class Withdraw(Protocol):
    """Takes a registration back."""

    async def __call__(self, tournament: str) -> None:
        """Take it back; CallRefusedError."""
        ...
