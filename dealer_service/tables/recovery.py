"""A game as the store has it, made ready to go on: the same hand, with the same deck.

State is folded from the last `hand_opened` on; the log's tree, the voids and the values that were
used come from all its lines. The open hand's secret is unsealed, must open its commitment, and
must give the deck whose root was logged: a deck is never replaced.

The log is claimed first and read then: whoever owned it before writes nothing more to it, so that
what was read is all there is. A log that lacks lines which this dealer's own journal knows as
signed is not gone on from, because signing it again would fork it.
"""

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from dealer_service.fairness.commitment import opens_commitment
from dealer_service.rules.entry import (
    Dealt,
    DeckCommitted,
    Entry,
    GameOpened,
    HandOpened,
    HandVoid,
    LogProof,
    RuleSet,
)
from dealer_service.rules.state import Stage
from dealer_service.rules.table import fold, fold_from
from dealer_service.rules.table_state import TableState
from dealer_service.store.api import UNFINISHED, LogHead, SignedAt, Store
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.restore import is_behind
from dealer_service.store.sealing import key_of, needs_key
from dealer_service.tables.clock import going_on
from dealer_service.tables.custody import Custody
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.facts import read_meta
from dealer_service.tables.folded import OPENS, VOIDS, fold_lines
from dealer_service.tables.house import House
from dealer_service.tables.lines import decode
from dealer_service.tables.log import GameLog
from dealer_service.tables.values import UsedValues, frozen_anchors, missed_anchors
from dealer_service.transcript import signer as rule
from dealer_service.transcript.merkle import leaf_hash

T = TypeVar("T")


class CannotRecover(Exception):  # noqa: N818 - says what the dealer can not do
    """What the store has of a game does not fit together; the text says of which game, and what."""


@dataclass(slots=True)
class _Reading:
    """What one pass over a log's lines gives."""

    leaves: list[bytes] = field(default_factory=list)
    first: tuple[int, Entry] | None = None
    rest: list[tuple[int, Entry]] = field(default_factory=list)
    voids: list[int] = field(default_factory=list)
    missed: dict[tuple[int, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recovered:
    """A game that is ready to go on, its last checkpoint with its size, and its requests.

    `answered` holds caller and request id of each that the store has an answer to.
    """

    dealing: Dealing
    checkpoint: tuple[str, int]
    answered: tuple[tuple[str, str], ...]


def recover(
    house: House, store: Store, game: str, signed: SignedAt | None = None, *, closes: bool = False
) -> Recovered | None:
    """Take over a game and make it ready to go on; CannotRecover where its log does not fit.

    StoreError where the store, or the key of a secret, can not be used.

    None where another dealer owns it, or where it is over. `signed` is what this dealer's journal
    knows of the log: StoreError STORE_WENT_BACK where the store has less. `closes` says that no
    hand is dealt any more, so that what its rules ask of the dealer need not be there.
    """
    epoch = store.claim(game)
    head = store.head(game)
    if epoch is None or head is None or head.facts.state not in UNFINISHED:
        return None
    return recover_claimed(house, store, head, signed, closes=closes)


def recover_claimed(
    house: House, store: Store, head: LogHead, signed: SignedAt | None, *, closes: bool = False
) -> Recovered:
    """Make a game ready that is claimed and not over, as `recover`."""
    require_whole(head, signed)

    def make_ready() -> Dealing:
        dealing = _make_ready(house, store, head, head.epoch)
        if not closes:
            require_publication(house, dealing.state.rules, f"game {head.log}")
            if dealing.state.closed is None:
                require_beacon(house, dealing.state.rules, f"game {head.log}")
        return dealing

    dealing = guarded(head.log, make_ready)
    last = store.last_checkpoint(head.log)
    return Recovered(
        dealing, (last.note, last.size) if last else ("", 0), tuple(store.answered(head.log))
    )


def require_whole(head: LogHead, signed: SignedAt | None) -> None:
    """Raise StoreError STORE_WENT_BACK where the store has less than was signed."""
    if is_behind(signed, head.signed):
        message = (
            f"the store lacks lines that were signed, in game {head.log}: it went back to an older "
            "state; bring back the newest one, or start once with --accept-restore"
        )
        raise StoreError(Reason.STORE_WENT_BACK, message)


def guarded(log: str, read: Callable[[], T]) -> T:
    """Give what reading a log gives; CannotRecover, with the log's name, where it does not fit."""
    try:
        return read()
    except StoreError:
        raise
    except Exception as fault:
        # Lines that are none, or entries that the rules do not allow: whatever it is, it is told
        # with the game.
        message = f"the log of game {log} does not fit together: {_say(fault)}"
        raise CannotRecover(message) from fault


def _say(fault: Exception) -> str:
    """Say what a fault is: its own words are meant for people where it is one of recovery."""
    return str(fault) if isinstance(fault, CannotRecover) else f"{type(fault).__name__}: {fault}"


def _make_ready(house: House, store: Store, head: LogHead, epoch: int) -> Dealing:
    reading = _read(store.every_line(head.log), head.fold_from)
    state = _fold(head, reading)
    # Else a clock that was set back would let everybody wait until it is there again.
    house = replace(house, clock=going_on(house.clock, state.at))
    last = head.signed
    log = GameLog(
        house.origin,
        head.log,
        house.signer,
        epoch=epoch,
        leaves=reading.leaves,
        last_signed=rule.Signed(last.size, last.root) if last else None,
    )
    used = (value.hex() for value in store.spent(head.log))
    values = UsedValues(used, reading.missed)
    for _, entry in reading.rest:
        values.note(entry)
    dealing = Dealing(house, state, log, values, read_meta(head.facts.meta))
    dealing.sealed = {one.hand: one.sealed for one in store.sealed_secrets(head.log)}
    _require_keys(dealing)
    _recover_hand(dealing, [entry for _, entry in reading.rest])
    return dealing


def read_state(store: Store, head: LogHead) -> TableState:
    """Fold the state of a game from its lines, without taking it over; CannotRecover."""
    state = fold_lines(store.every_line(head.log))
    if state is None:
        message = f"the log of game {head.log} has no lines"
        raise CannotRecover(message)
    return state


def _read(lines: Iterable[bytes], start: int | None) -> _Reading:
    reading = _Reading()
    opening = b""
    for index, line in enumerate(lines):
        reading.leaves.append(leaf_hash(line))
        if index == 0:
            reading.first = decode(line)
        elif start is None or index >= start:
            reading.rest.append(decode(line))
        if OPENS in line:
            opening = line
        elif VOIDS in line:
            _note_void(reading, opening, line)
    return reading


def _note_void(reading: _Reading, opening: bytes, line: bytes) -> None:
    _, void = decode(line)
    _, opened = decode(opening)
    if isinstance(void, HandVoid) and isinstance(opened, HandOpened):
        reading.voids.append(void.hand)
        reading.missed.update(missed_anchors(frozen_anchors(opened), void))


def _fold(head: LogHead, reading: _Reading) -> TableState:
    at, opened = reading.first or (0, None)
    if not isinstance(opened, GameOpened):
        message = f"the log of game {head.log} does not begin with game_opened"
        raise CannotRecover(message)
    if head.fold_from is None:
        return fold([(at, opened), *reading.rest])
    first = reading.rest[0][1] if reading.rest else None
    number = first.hand if isinstance(first, HandOpened) else 0
    earlier = tuple(hand for hand in reading.voids if hand < number)
    return fold_from(at, opened, reading.rest, earlier)


def _require_keys(dealing: Dealing) -> None:
    """Raise StoreError where a secret can not be revealed once, for its key is not here."""
    key_ids = dealing.house.sealer.key_ids
    for number, sealed in dealing.sealed.items():
        if key_of(sealed) not in key_ids:
            where = f"the secret of hand {number} of game {dealing.game.hex()}"
            raise needs_key(where, key_of(sealed), key_ids)


def require_publication(house: House, rules: RuleSet, whose: str) -> None:
    """Raise StoreError where rules promise a log that is not published here."""
    if rules.log_proof is LogProof.NONE or house.published is not None:
        return
    message = (
        f"the rules of {whose} say log_proof {rules.log_proof}, and this dealer publishes no log: "
        "start it with --publication, as before"
    )
    raise StoreError(Reason.LOG_NOT_PUBLISHED, message)


def require_beacon(house: House, rules: RuleSet, whose: str) -> None:
    """Raise StoreError where hands are still to be dealt by a beacon that is not known here."""
    beacon, rounds = rules.beacon, house.rounds
    if beacon is None:
        return
    if rounds is None or rounds.network.chain.hex() != beacon.chain:
        message = (
            f"the rules of {whose} name the beacon {beacon.chain}, whose rounds this dealer does "
            "not fetch: start it with --beacon, as before"
        )
        raise StoreError(Reason.BEACON_UNKNOWN, message)


def _recover_hand(dealing: Dealing, entries: list[Entry]) -> None:
    opened = dealing.state.open
    if opened is None:
        return
    number = opened.opened.hand
    sealed = dealing.sealed.get(number)
    if sealed is None:
        message = f"the secret of the open hand {number} is not in the store"
        raise CannotRecover(message)
    custody = Custody(number, dealing.house.sealer.unseal(dealing.game, number, sealed))
    commitment = bytes.fromhex(opened.opened.commitment)
    origin = dealing.house.origin
    if not opens_commitment(commitment, origin, dealing.game, number, custody.secret):
        message = f"the secret of hand {number} does not open its commitment"
        raise CannotRecover(message)
    dealing.custody = custody
    for entry in entries:
        if isinstance(entry, DeckCommitted) and entry.hand == number:
            root = custody.fix(bytes.fromhex(entry.mix)).root
            if not hmac.compare_digest(root, bytes.fromhex(entry.deck_root)):
                message = f"the deck of hand {number} does not come out as it was committed"
                raise CannotRecover(message)
            # Posts and hole cards are one unit: without the first, nothing was dealt.
            dealing.holds_cards = _may_hold(dealing)
        elif isinstance(entry, Dealt) and entry.hand == number:
            for seat, own in custody.open_to_seats(entry).items():
                dealing.openings[dealing.state.seats[seat].player] = own


def _may_hold(dealing: Dealing) -> bool:
    """Say whether cards may have waited for the dealer's log when the game was left."""
    state = dealing.state
    held = state.rules.log_proof is LogProof.BEFORE_CARDS
    return held and state.play is not None and state.play.stage is Stage.POSTS
