"""The dealer at one table: decides what comes next, and keeps state, log and secrets in step.

Everything here is done at once and in memory. Each function makes a `Unit`, the lines that belong
together with what must be durable with them; nothing of it may leave before the store has it.
After a fault in the middle of a unit the dealing is of no more use: what is true stands in the
store alone.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from dealer_service.beacon.rounds import Round
from dealer_service.fairness.mixing import Beacon
from dealer_service.fairness.randomness import draw_secret
from dealer_service.rules import closing, opening, play
from dealer_service.rules.ahead import ChosenAct, act_ahead
from dealer_service.rules.entry import (
    Acted,
    Awarded,
    BeaconRound,
    CloseReason,
    Dealt,
    Entry,
    HandEnded,
    HandLevel,
    HandOpened,
    HandVoid,
    LogProof,
    Mucked,
    Opened,
    OpenedCard,
    PlayerRemoved,
    Posted,
    Returned,
    RuleSet,
    SeatLeft,
    VoidReason,
)
from dealer_service.rules.movements import movements
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import TableState
from dealer_service.store.api import ChipMove, LogAppend, Movement, SealedSecret
from dealer_service.tables.custody import Custody
from dealer_service.tables.facts import Meta, facts_of
from dealer_service.tables.house import House
from dealer_service.tables.lines import encode
from dealer_service.tables.log import GameLog, Unit
from dealer_service.tables.notices import note_stages
from dealer_service.tables.values import UsedValues
from dealer_service.tables.watchers import PrivateOpenings

E = TypeVar("E")

_HOT: Final = frozenset({Acted, Awarded, Dealt, Mucked, Opened, Posted, Returned})
"""Kinds that change nothing of what lists show."""

Openings = dict[str, PrivateOpenings]
"""A hand's private openings, by player."""


class Dealing:
    """A game as far as it is decided: its state, log, past values, and the open hand's secrets.

    `openings` are the open hand's, by player; `links` those that came for it and are not logged;
    `chosen` the acts that players chose ahead, which are in no log and end with the process;
    `sealed` the secrets of all its hands, sealed. While it `holds_cards` the deck is committed, and
    nothing is posted or dealt before that stands in the dealer's log.
    """

    def __init__(
        self, house: House, state: TableState, log: GameLog, values: UsedValues, meta: Meta
    ) -> None:
        self.house = house
        self.state = state
        self.log = log
        self.values = values
        self.meta = meta
        self.game = bytes.fromhex(state.opened.game)
        self.custody: Custody | None = None
        self.openings: Openings = {}
        self.links: dict[int, str] = {}
        self.chosen: dict[str, ChosenAct] = {}
        self.sealed: dict[int, bytes] = {}
        self.holds_cards = False

    def begin_unit(self) -> Unit:
        """Begin what is written next; its time is not before the last line's."""
        return self.log.begin(max(self.house.clock.now(), self.state.at))

    def finish(self, unit: Unit) -> LogAppend:
        """Give a unit in the store's terms."""
        return self.log.finish(unit, facts_of(self.state, self.meta) if unit.is_listed else None)

    def take(self, unit: Unit, entry: Entry, reference: str = "") -> None:
        """Make an entry part of the unit and of the state.

        `reference` is the caller's, for the chips that it moves.
        """
        before = self.state
        line = encode(unit.at, entry)
        self.state = evolve(before, unit.at, entry)
        index = unit.next_index
        self.log.add(unit, line)
        if isinstance(entry, Acted):
            unit.acts.append((entry.act, entry.by))
        elif isinstance(entry, Dealt):
            self._open_to_players(unit, entry)
        elif isinstance(entry, Opened):
            if self.custody is not None:
                unit.proofs += self.custody.prove(card.position for card in entry.cards)
        elif type(entry) not in _HOT:
            unit.is_listed = True
            unit.spent += self.values.note(entry)
            if self.house.published is not None:
                note_stages(unit, self.log, self.state, entry)
            if isinstance(entry, HandOpened):
                unit.fold_from = index
            elif isinstance(entry, HandEnded | HandVoid):
                unit.ends.append("played" if isinstance(entry, HandEnded) else entry.reason)
                self._forget_hand()
            elif isinstance(entry, SeatLeft | PlayerRemoved) and entry.stack is None and reference:
                self.meta = self.meta.with_leaving(entry.player, reference)
            self._note_movements(unit, index, before, entry, reference)

    def make(self, unit: Unit, entries: Iterable[Entry], reference: str = "") -> None:
        """Add entries that somebody asked for, and all that follows from them."""
        for entry in entries:
            self.take(unit, entry, reference)
        self.play_on(unit)

    def play_on(self, unit: Unit) -> None:
        """Add what follows of itself: in the open hand, acts chosen ahead too, or the reveal."""
        faces = self.custody.faces if self.custody else ()
        while entries := self._follow(faces):
            for entry in entries:
                self.take(unit, entry)
        if self.state.closed is not None and not self.log.is_covered:
            self._reveal(unit)

    def open_hand(
        self, unit: Unit, level: HandLevel | None = None, button: int | None = None
    ) -> None:
        """Open the next hand, with a fresh secret and a checkpoint; FairnessError without one.

        `level` and `button` are a tournament's, at one of its tables.
        """
        number = self.state.hand + 1
        custody = Custody(number, draw_secret(self.house.entropy))
        # All that the source of randomness can spoil comes first, while nothing has changed.
        sealed = self.house.sealer.seal(self.game, number, custody.secret)
        commitment = custody.commitment(self.house.origin, self.game)
        self.custody = custody
        self.openings = {}
        self.links = {}
        opened = opening.open_hand(self.state, unit.at, commitment, level=level, button=button)
        for entry in allowed(opened):
            self.take(unit, entry)
        self.sealed[number] = sealed
        unit.secrets.append(SealedSecret(number, sealed))
        self.log.sign(unit)

    def commit_deck(self, unit: Unit, drawn: Round | None = None) -> None:
        """Fix the deck of the open hand, whose links have all come; sign, and deal.

        `drawn` is the beacon's round, where the rules name a beacon.
        By the rule `before_cards` it is not dealt yet.
        """
        custody, opened = self._open_custody()
        beacon = _beacon_of(self.state.rules, drawn)
        mixed = custody.mix(self.house.origin, self.game, opened, self.links, beacon)
        root = custody.fix(mixed).root
        committed = opening.commit_deck(
            self.state,
            self.links,
            mix=mixed.hex(),
            deck_root=root.hex(),
            beacon=None if drawn is None else _logged(drawn),
        )
        for entry in allowed(committed):
            self.take(unit, entry)
        self.links = {}
        self.log.sign(unit)
        self.holds_cards = self.state.rules.log_proof is LogProof.BEFORE_CARDS
        self.play_on(unit)

    def deal_cards(self, unit: Unit) -> None:
        """Deal the open hand, whose deck stands in the dealer's log."""
        self.holds_cards = False
        self.play_on(unit)

    def void_hand(self, reason: VoidReason, *, restoring: bool = False) -> Unit:
        """End the open hand without playing it, showing its secret."""
        custody, _ = self._open_custody()
        unit = self.begin_unit()
        void = opening.void_hand(
            self.state,
            unit.at,
            reason,
            self._secret_of(custody).hex(),
            self.links,
            restoring=restoring,
        )
        for entry in allowed(void):
            self.take(unit, entry)
        return unit

    def void_by_operator(self, state: TableState, at: int, hand: int) -> tuple[HandVoid] | Refusal:
        """Decide that the operator ends an open hand, which shows its secret."""
        secret = self.custody.secret.hex() if self.custody else ""
        return opening.void_by_operator(state, at, hand, secret, self.links)

    def act_by_clock(self) -> Unit:
        """Check or fold for the player whose clock ran out; it sits out from the next hand."""
        unit = self.begin_unit()
        for entry in allowed(play.clock(self.state, unit.at)):
            self.take(unit, entry)
        self.play_on(unit)
        return unit

    def end_hand(self, unit: Unit) -> None:
        """End the hand whose pause is over."""
        for entry in allowed(play.end_hand(self.state, unit.at)):
            self.take(unit, entry)

    def close(
        self,
        reason: CloseReason,
        next_game: str | None,
        between: Callable[[Unit], None],
        unit: Unit | None = None,
    ) -> Unit:
        """Close the game and reveal its secrets, in a unit that was begun or a new one.

        `between` is called when the game has closed and nothing is revealed yet: the log's root
        is then the one that a game which goes on names.
        """
        if unit is None:
            unit = self.begin_unit()
        for entry in allowed(closing.close_game(self.state, reason, next_game)):
            self.take(unit, entry)
        between(unit)
        self.play_on(unit)
        return unit

    def _follow(self, faces: Sequence[OpenedCard]) -> tuple[Entry, ...]:
        if self.holds_cards:
            return ()
        return play.follow(self.state, faces) or self._act_ahead()

    def _act_ahead(self) -> tuple[Acted, ...]:
        """Give the act that the player to act chose ahead, if it still binds; it is used up."""
        if not self.chosen or self.state.play is None or self.state.play.pending is None:
            return ()
        hand = self.state.play
        seat = hand.chairs[self.state.play.pending.place].seat
        chosen = self.chosen.pop(self.state.seats[seat].player, None)
        acted = act_ahead(self.state, chosen) if chosen else None
        return () if acted is None else (acted,)

    def _forget_hand(self) -> None:
        self.custody = None
        self.openings = {}
        self.links = {}
        self.chosen = {}
        self.holds_cards = False

    def _reveal(self, unit: Unit) -> None:
        secrets = {
            number: self.house.sealer.unseal(self.game, number, sealed).hex()
            for number, sealed in self.sealed.items()
        }
        for entry in allowed(closing.reveal(self.state, secrets)):
            self.take(unit, entry)
        self.log.sign(unit)

    def _secret_of(self, custody: Custody) -> bytes:
        """Give the open hand's secret, which its custody has let go of once the deck is fixed."""
        if custody.secret:
            return custody.secret
        return self.house.sealer.unseal(self.game, custody.hand, self.sealed[custody.hand])

    def _open_custody(self) -> tuple[Custody, HandOpened]:
        if self.custody is None or self.state.open is None:
            message = "no hand is open"
            raise RuntimeError(message)
        return self.custody, self.state.open.opened

    def _open_to_players(self, unit: Unit, dealt: Dealt) -> None:
        if self.custody is None:
            return
        seats = self.custody.open_to_seats(dealt)
        if not seats:
            return
        unit.close_batch()
        # A new mapping: what stands on disk keeps the old one until this unit is there.
        self.openings = {self.state.seats[seat].player: own for seat, own in seats.items()}
        unit.told += self.openings.items()

    def _note_movements(
        self, unit: Unit, index: int, before: TableState, entry: Entry, reference: str
    ) -> None:
        for moved in movements(before, entry):
            told = reference
            if moved.player in self.meta.leaving and entry.__class__ not in (
                SeatLeft,
                PlayerRemoved,
            ):
                told = self.meta.leaving[moved.player]
                self.meta = self.meta.without_leaving(moved.player)
            unit.movements.append(
                Movement(
                    log=self.log.game,
                    index=index,
                    at=unit.at,
                    what=ChipMove(moved.what.value),
                    player=moved.player,
                    seat=moved.seat,
                    amount=moved.amount,
                    reference=told,
                )
            )


def _beacon_of(rules: RuleSet, drawn: Round | None) -> Beacon | None:
    if rules.beacon is None or drawn is None:
        return None
    return Beacon(bytes.fromhex(rules.beacon.chain), drawn.number, drawn.randomness)


def _logged(drawn: Round) -> BeaconRound:
    return BeaconRound(drawn.number, drawn.randomness.hex(), drawn.signature.hex())


def allowed(entries: tuple[E, ...] | Refusal) -> tuple[E, ...]:
    """Give entries that the dealer itself decided on; that they are refused would be a fault."""
    if isinstance(entries, Refusal):
        raise RuntimeError(entries.message)  # noqa: TRY004 - no type is wrong
    return entries
