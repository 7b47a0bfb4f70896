"""PlayService: what a player calls, always for the seat of the token's player alone."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from google.protobuf.message import Message

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc import convert
from dealer_service.rpc.delay import Delay
from dealer_service.rules import entropy, play, seating
from dealer_service.rules.entry import Choice, Entry
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import TableState, is_dealt_in, seat_of
from dealer_service.rules.taking_over import take_seat_of_house
from dealer_service.tables.floor import Floor
from dealer_service.tables.past import Past
from dealer_service.tables.requests import Request, digest_of
from dealer_service.tables.table import Decide, Table

_ENCODE_SIZE: Final[Mapping[str, convert.Encode]] = {
    "sit_out": convert.encode_size(play_pb2.SitOutResponse),
    "come_back": convert.encode_size(play_pb2.ComeBackResponse),
    "anchor": convert.encode_size(play_pb2.AnchorResponse),
    "act": convert.encode_size(play_pb2.ActResponse),
    "show": convert.encode_size(play_pb2.ShowResponse),
    "prefer": convert.encode_size(play_pb2.PreferResponse),
}


def request_of(caller: Caller, method: str, request_id: str, message: Message) -> Request:
    """Say who asks what under which id.

    Roles have ids of their own: a player and an operator may have one name.
    """
    content = message.SerializeToString(deterministic=True)
    return Request(f"{caller.role}:{caller.name}", request_id, digest_of(method, content))


def at_any_time(
    decide: Callable[[TableState], tuple[Entry, ...] | Refusal],
) -> Callable[[Table], Decide]:
    """Make a change at a table of a decision that asks neither for it nor for the time."""
    return lambda _table: lambda state, _at: decide(state)


def waits_for_end(state: TableState) -> bool:
    """Say whether what is done between hands waits; at a tournament's table it is never done."""
    return state.open is not None and state.rules.tournament is None


class Play:
    """The calls of a player."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._delay = Delay(floor)

    async def take_seat(self, caller: Caller, asked: play_pb2.TakeSeatRequest) -> bytes:
        """Sit down; a person who finds the table full, in a house player's place."""

        def waits(state: TableState) -> bool:
            table = self._floor.running(asked.game)
            if table is None or caller.is_house or state.open is None:
                return False
            answer = _take_seat(caller, asked, table)(state, self._floor.house.clock.now())
            return isinstance(answer, Refusal) and answer.reason == TableReason.HAND_OPEN

        return await self._floor.change(
            asked.game,
            request_of(caller, "TakeSeat", asked.request_id, asked),
            partial(_take_seat, caller, asked),
            convert.encode_seat_taken,
            reference=asked.reference,
            waits=waits,
        )

    async def leave_seat(self, caller: Caller, asked: play_pb2.LeaveSeatRequest) -> bytes:
        """Give the seat up."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "LeaveSeat", asked.request_id, asked),
            at_any_time(partial(seating.leave_seat, player=caller.name)),
            convert.encode_seat_left,
            reference=asked.reference,
        )

    async def add_chips(self, caller: Caller, asked: play_pb2.AddChipsRequest) -> bytes:
        """Add chips, between hands."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "AddChips", asked.request_id, asked),
            at_any_time(partial(seating.add_chips, player=caller.name, amount=asked.amount)),
            convert.encode_chips_added,
            reference=asked.reference,
            # Who is refused anyway is so at once, and not told by its waiting when hands end.
            waits=lambda state: waits_for_end(state) and seat_of(state, caller.name) is not None,
        )

    async def sit_out(self, caller: Caller, asked: play_pb2.SitOutRequest) -> bytes:
        """Be dealt in no more."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "SitOut", asked.request_id, asked),
            at_any_time(partial(seating.sit_out, player=caller.name)),
            _ENCODE_SIZE["sit_out"],
        )

    async def come_back(self, caller: Caller, asked: play_pb2.ComeBackRequest) -> bytes:
        """Be dealt in again."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "ComeBack", asked.request_id, asked),
            at_any_time(partial(seating.come_back, player=caller.name)),
            _ENCODE_SIZE["come_back"],
        )

    async def anchor(self, caller: Caller, asked: play_pb2.AnchorRequest) -> bytes:
        """Log an anchor; for a player dealt in when the hand has ended."""

        def waits(state: TableState) -> bool:
            seat = seat_of(state, caller.name)
            return seat is not None and is_dealt_in(state, seat)

        return await self._floor.change(
            asked.game,
            request_of(caller, "Anchor", asked.request_id, asked),
            partial(_anchor, caller, asked),
            _ENCODE_SIZE["anchor"],
            waits=waits,
        )

    async def give_link(self, caller: Caller, asked: play_pb2.GiveLinkRequest) -> bytes:
        """Give the link for the open hand."""
        table = await self._floor.table(asked.game)
        await table.give_link(caller.name, asked.hand, asked.link.hex())
        return play_pb2.GiveLinkResponse().SerializeToString()

    async def act(self, caller: Caller, asked: play_pb2.ActRequest) -> bytes:
        """Act in one's turn."""
        decide = partial(
            play.act,
            player=caller.name,
            hand=asked.hand,
            turn=asked.turn,
            did=convert.ACTS[asked.act],
            to=asked.to,
        )
        return await self._floor.change(
            asked.game,
            request_of(caller, "Act", asked.request_id, asked),
            at_any_time(decide),
            _ENCODE_SIZE["act"],
        )

    async def show(self, caller: Caller, asked: play_pb2.ShowRequest) -> bytes:
        """Show one's hand in the pause before the hand's end."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "Show", asked.request_id, asked),
            partial(_show, caller, asked),
            _ENCODE_SIZE["show"],
        )

    async def prefer(self, caller: Caller, asked: play_pb2.PreferRequest) -> bytes:
        """Set one's standing choices."""
        choices = [Choice(word) for word in asked.choices]
        return await self._floor.change(
            asked.game,
            request_of(caller, "Prefer", asked.request_id, asked),
            at_any_time(partial(seating.prefer, player=caller.name, choices=choices)),
            _ENCODE_SIZE["prefer"],
        )

    async def pre_select(self, caller: Caller, asked: play_pb2.PreSelectRequest) -> bytes:
        """Choose an act before one's turn comes."""
        table = await self._floor.table(asked.game)
        table.choose_ahead(caller.name, asked.hand, convert.PRE_ACTS[asked.act])
        return play_pb2.PreSelectResponse().SerializeToString()

    async def get_table(self, caller: Caller, asked: play_pb2.GetTableRequest) -> bytes:
        """Look at the table; a player sees its own cards besides what all see."""
        past = await self._delay.past(caller, asked.game)
        if past is not None:
            return _table_of(past).SerializeToString()
        player = caller.name if caller.plays else ""
        table = self._floor.running(asked.game)
        if table is None:
            state, size = await self._floor.state(asked.game)
            # A game that was taken over meanwhile has a turn, and cards, that its state has not.
            table = self._floor.running(asked.game)
        if table is None:
            return convert.table_message(state, size, player=player).SerializeToString()
        standing = table.standing
        decision = standing.decision
        message = convert.table_message(
            standing.state,
            standing.size,
            player=player,
            openings=standing.openings.get(player) if standing.state.play else None,
            decision=convert.decision_message(decision, standing.deadline) if decision else None,
            pre_act=table.chosen_by(player),
        )
        return message.SerializeToString()


def _table_of(past: Past) -> play_pb2.GetTableResponse:
    """Write a table as it was, for who has no seat of it now."""
    assert past.state is not None
    turn = past.decision
    decision = convert.decision_message(turn, turn.deadline) if turn is not None else None
    return convert.table_message(past.state, past.size, decision=decision)


def _take_seat(caller: Caller, asked: play_pb2.TakeSeatRequest, table: Table) -> Decide:
    take = partial(seating.take_seat, house=True) if caller.is_house else take_seat_of_house
    return lambda state, at: take(
        state,
        at,
        seat=asked.seat,
        player=caller.name,
        stack=asked.stack,
        anchor=asked.anchor.hex() or None,
        accepts_reveal=asked.accepts_reveal,
        past=table.dealing.values,
    )


def _anchor(caller: Caller, asked: play_pb2.AnchorRequest, table: Table) -> Decide:
    missed = asked.HasField("missing_hand")
    return lambda state, _: entropy.log_anchor(
        state,
        caller.name,
        asked.anchor.hex(),
        asked.missing_hand if missed else None,
        asked.missing_link.hex() if missed else None,
        next_link=table.next_link,
        past=table.dealing.values,
    )


def _show(caller: Caller, asked: play_pb2.ShowRequest, table: Table) -> Decide:
    custody = table.dealing.custody
    faces = custody.faces if custody else ()
    return lambda state, _: play.show(state, caller.name, asked.hand, faces)
