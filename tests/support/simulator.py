"""Whole games in memory: clients with real chains, a clock, a table, a log and its key.

Nothing here knows a service: a `Simulator` asks the rules what follows, folds it, hashes it and
signs it as PROTOCOL.md says, with seeded chance and a clock of its own, so that one seed is one
game, byte for byte. `play_game` plays a game as lively as its `Habits`; a test that wants one thing
to happen calls `sit`, `play_hand`, `void_hand`, `close` and so on itself.

A dishonest dealer is made in two ways: `Cheat` replaces how decks, mixes and commitments are made
or what is logged while the game runs; and `transcript` gives the finished log to change line by
line and to sign again (`tests.support.transcripts`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from dealer_service.fairness import commitment, deck, mixing
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.fairness.deck import SealedDeck
from dealer_service.fairness.mixing import Link
from dealer_service.rules import (
    ahead,
    closing,
    entropy,
    opening,
    play,
    seating,
    tournament_table,
)
from dealer_service.rules.ahead import ChosenAct, PreAct
from dealer_service.rules.entry import (
    Act,
    AnteKind,
    AnteRule,
    BeaconRound,
    BeaconRule,
    Button,
    Choice,
    ChoicesCount,
    CloseReason,
    Dealt,
    Entry,
    GameOpened,
    HandLevel,
    HandOpened,
    Limits,
    Links,
    LogProof,
    MissedBlinds,
    Newcomers,
    OpenedCard,
    PotSmallBlind,
    RakeCap,
    RakeRule,
    RevealRule,
    RuleSet,
    Show,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    TimeBankRule,
    Variant,
    VoidReason,
)
from dealer_service.rules.hand import Decision, decision
from dealer_service.rules.lineup import line_up
from dealer_service.rules.movements import Movement, movements
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import (
    FREE_VOIDS,
    MAX_FREE_VOIDS,
    TableState,
    buy_in_bounds,
    seat_of,
)
from dealer_service.tables.lines import encode
from dealer_service.tables.values import UsedValues
from dealer_service.transcript.checkpoint import Checkpoint, log_origin, sign_checkpoint
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteSigner, note_signer
from tests.support import drand
from tests.support.transcripts import Transcript, dump

ORIGIN = "dealer.example.com"
START = 1_767_225_600_000
KEY_SEED = bytes(range(32))
NAMES = ("ann", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "jon")

RULES = RuleSet(
    variant=Variant.HOLDEM,
    structure=Structure.NO_LIMIT,
    seats=10,
    small_blind=50,
    big_blind=100,
    chip_unit=1,
    buy_in_min=2_000,
    buy_in_max=20_000,
    button=Button.MOVING,
    newcomers=Newcomers.NEXT_HAND,
    absent="sit_out",
    show=Show.WINNERS,
    all_in="face_up",
    turn_ms=15_000,
    link_ms=3_000,
    pause_ms=2_000,
    links=Links.OPTIONAL,
    log_proof=LogProof.NONE,
    reveal=RevealRule(policy="all_cards", within_ms=60_000),
    max_hands=100_000,
    max_ms=30 * 24 * 3_600_000,
)

DRAWN: RuleSet = replace(RULES, beacon=BeaconRule(drand.CHAIN))
"""As `RULES`, with the rounds of the tests' own beacon."""

HOUSES: Mapping[str, RuleSet] = {
    "dead_button": replace(
        RULES,
        button=Button.DEAD,
        newcomers=Newcomers.WAIT,
        missed_blinds=MissedBlinds.DEAD,
        ante=AnteRule(AnteKind.EACH, 10),
        time_bank=TimeBankRule(20_000, 500, 30_000),
    ),
    "straddles": replace(
        RULES,
        newcomers=Newcomers.POST,
        missed_blinds=MissedBlinds.LIVE,
        straddle=StraddleRule(StraddleKind.UNDER_THE_GUN, StraddleRaise.DOUBLE),
        runs=2,
        choices=ChoicesCount.BEFORE_LINKS,
        return_ms=600_000,
        disconnect_ms=30_000,
        watch_delay_ms=60_000,
    ),
    "mississippi": replace(
        RULES,
        button=Button.DEAD,
        newcomers=Newcomers.WAIT,
        missed_blinds=MissedBlinds.WAIT,
        ante=AnteRule(AnteKind.BIG_BLIND, 100),
        straddle=StraddleRule(StraddleKind.MISSISSIPPI, StraddleRaise.BIG_BLIND),
        runs=2,
        chop="blinds",
        choices=ChoicesCount.AT_ONCE,
        show=Show.ALL,
        rake=RakeRule(500, (RakeCap(2, 150), RakeCap(4, 300)), no_flop_no_drop=True),
    ),
    "limit": replace(
        RULES,
        structure=Structure.FIXED_LIMIT,
        limits=Limits(100, 200, 4, uncapped_heads_up=True),
        chip_unit=50,
        chop="blinds",
        choices=ChoicesCount.AT_ONCE,
        rake=RakeRule(250, (RakeCap(2, 1_000),), no_flop_no_drop=False),
    ),
    "omaha": replace(
        RULES,
        variant=Variant.OMAHA,
        hole_cards=4,
        structure=Structure.POT_LIMIT,
        pot_small_blind=PotSmallBlind.EXACT,
        straddle=StraddleRule(StraddleKind.BUTTON, StraddleRaise.DOUBLE),
        runs=2,
        choices=ChoicesCount.BEFORE_LINKS,
        time_bank=TimeBankRule(5_000, 0, 5_000),
    ),
    "hi_lo": replace(
        RULES,
        variant=Variant.OMAHA_HI_LO,
        hole_cards=5,
        seats=7,
        structure=Structure.POT_LIMIT,
        pot_small_blind=PotSmallBlind.ROUNDED_UP,
        button=Button.DEAD,
        newcomers=Newcomers.POST,
        missed_blinds=MissedBlinds.DEAD,
        runs=2,
        choices=ChoicesCount.AT_ONCE,
        rake=RakeRule(500, (RakeCap(2, 400),), no_flop_no_drop=True),
    ),
}
"""Rule sets that together name every structure and house option."""

Move = tuple[Act, int]
Choose = Callable[["Simulator", Decision], Move | None]
"""choose(simulator, decision): the act and its total, or None to let the clock run out."""


class Refused(AssertionError):  # noqa: N818 - named for what happened
    """The rules refused what a test asked for."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.reason}: {refusal.message}")
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Cheat:
    """How a dealer does its part; an honest one by default."""

    commit: Callable[[str, bytes, int, bytes], bytes] = commitment.hand_commitment
    mix: Callable[..., bytes] = mixing.mix
    derive: Callable[[bytes, bytes], SealedDeck] = deck.derive
    draw: Callable[[int], BeaconRound] = drand.drawn
    """draw(at): the beacon's round for a hand that opened then, where the rules name one."""
    tamper: Callable[[int, Entry], Iterable[tuple[int, Entry]]] | None = None
    """tamper(at, entry): what is logged in its place; the table goes on as if it were honest."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often something happens: for each hand, or for each turn where it says so."""

    miss: float = 0
    void: float = 0
    sit_out: float = 0
    leave: float = 0
    leave_in_hand: float = 0
    remove: float = 0
    join: float = 0
    add_chips: float = 0
    anchor: float = 0
    pause: float = 0
    show: float = 0
    prefer: float = 0
    stay_short: float = 0
    time_out: float = 0
    """For each turn, as the next two."""
    ahead: float = 0
    overtime: float = 0


QUIET = Habits()
LIVELY = Habits(
    miss=0.06,
    void=0.03,
    sit_out=0.05,
    leave=0.03,
    leave_in_hand=0.08,
    remove=0.03,
    join=0.3,
    add_chips=0.2,
    anchor=0.05,
    pause=0.05,
    show=0.3,
    time_out=0.01,
)
HOUSE_LIFE = replace(LIVELY, sit_out=0.2, prefer=0.3, stay_short=0.3, ahead=0.1, overtime=0.05)
"""For the rule sets of `HOUSES`: players choose, sit out, act ahead, and think long."""


@dataclass(slots=True)
class Client:
    """One player's side of one game: its chain and its record (section 10)."""

    name: str
    chain: tuple[bytes, ...] = ()
    at: int = 0
    """Where in the chain the anchor stands."""
    owed: str | None = None
    """The link that was missing, until it is given with a new anchor."""
    record: list[dict[str, Any]] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """The value that was logged last."""
        return self.chain[self.at].hex()

    @property
    def link(self) -> str:
        """The value for the next hand."""
        return self.chain[self.at - 1].hex()


@dataclass(frozen=True, slots=True)
class Deal:
    """What the dealer knows of one hand."""

    hand: int
    secret: bytes = field(repr=False)
    commitment: bytes
    mix: bytes | None = None
    void: bool = False


class Simulator:
    """One game and everybody in it. Its clock is `now`, its chance `random`, its state `state`.

    At a tournament's table `level` is what the next hand is played by, and `button` the seat that
    has it in the first one (None: the lowest that is dealt in); the calls beginning with `give` are
    the tournament's. With `begun` the game begins with this entry,
    at this time.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        rules: RuleSet = RULES,
        origin: str = ORIGIN,
        signer: NoteSigner | None = None,
        cheat: Cheat | None = None,
        chain_length: int = 64,
        before: "Simulator | None" = None,
        begun: tuple[int, GameOpened] | None = None,
    ) -> None:
        self.random: Random = Random(seed) if before is None else before.random
        self.now: int = START if before is None else before.now
        self.signer = signer or note_signer(origin, KEY_SEED)
        self.cheat = cheat or Cheat()
        self.chain_length = chain_length
        self.lines: list[bytes] = []
        self.tree = Tree()
        self.checkpoints: list[int] = []
        self.log: list[tuple[int, Entry]] = []
        self.moved: list[Movement] = []
        self.clients: dict[str, Client] = {}
        self.deals: dict[int, Deal] = {}
        self.values = UsedValues()
        self.links: dict[int, str] = {}
        self.chosen: dict[str, ChosenAct] = {}
        self.cards: tuple[OpenedCard, ...] = ()
        self.level: HandLevel | None = None
        self.button: int | None = None
        self.last_note = ""
        self._state: TableState | None = None
        if begun is not None:
            self.now, opened = begun
        elif before is None:
            game = self.random.randbytes(16).hex()
            opened = GameOpened("cutcard/v1", origin, game, rules)
        else:
            size, root = len(before.lines), before.tree.root().hex()
            (opened,) = granted(closing.open_successor(before.state, size, root))
        self.append(opened)

    @property
    def state(self) -> TableState:
        """The state after all lines."""
        assert self._state is not None
        return self._state

    @property
    def game(self) -> bytes:
        """The game's 16 bytes."""
        return bytes.fromhex(self.state.opened.game)

    @property
    def origin(self) -> str:
        """The dealer's name."""
        return self.state.opened.origin

    # The log.

    def append(self, *entries: Entry) -> None:
        """Log entries now, and fold them."""
        for entry in entries:
            self.moved += movements(self._state, entry)
            self._state = evolve(self._state, self.now, entry)
            self.values.note(entry)
            tamper = self.cheat.tamper
            logged = [(self.now, entry)] if tamper is None else tamper(self.now, entry)
            for at, written in logged:
                line = encode(at, written)
                self.log.append((at, written))
                self.lines.append(line)
                self.tree.append(leaf_hash(line))

    def checkpoint(self) -> str:
        """Sign the log as it is."""
        size = len(self.lines)
        if not self.checkpoints or self.checkpoints[-1] != size:
            checkpoint = Checkpoint(log_origin(self.origin, self.game), size, self.tree.root())
            self.last_note = sign_checkpoint(checkpoint, self.signer)
            self.checkpoints.append(size)
        return self.last_note

    def wait(self, least: int, most: int | None = None) -> None:
        """Let some milliseconds pass."""
        self.now += self.random.randint(least, least if most is None else most)

    def transcript(self, *, openings_of: str | None = None) -> Transcript:
        """Give the log to change and to sign again, with the openings of one player."""
        openings = [] if openings_of is None else self.openings(openings_of)
        game = self.state.opened.game
        lines, sizes = list(self.lines), list(self.checkpoints)
        return Transcript(self.origin, game, lines, sizes, openings)

    def game_file(self, *, openings_of: str | None = None) -> bytes:
        """Write the game file as it stands; the last line is signed when it is not yet."""
        self.checkpoint()
        return self.transcript(openings_of=openings_of).render(self.signer)

    @property
    def key(self) -> str:
        """The dealer's verifier key."""
        return str(self.signer.verifier)

    # Players and seats.

    def sit(
        self,
        name: str,
        *,
        stack: int | None = None,
        seat: int = 0,
        anchored: bool = True,
        house: bool = False,
    ) -> Client:
        """Seat a player, with a new chain unless it plays without one or has missed a link."""
        rules = self.state.rules
        client = self.clients.setdefault(name, Client(name))
        anchored = anchored and name not in self.state.misses
        anchor = self._new_chain(client) if anchored else None
        low, high = buy_in_bounds(self.state, name, self.now)
        chips = self.random.randint(low, high) if stack is None else stack
        policy = rules.reveal.policy
        self._do(
            seating.take_seat(
                self.state,
                self.now,
                seat=seat,
                player=name,
                stack=chips,
                anchor=anchor,
                accepts_reveal=policy,
                past=self.values,
                house=house,
            )
        )
        return client

    def give_seat(
        self, name: str, seat: int, stack: int, *, house: bool = False, anchored: bool = True
    ) -> Client:
        """Let a tournament seat a player at its table, who anchors afterwards if it is to."""
        client = self.clients.setdefault(name, Client(name))
        self._do(tournament_table.seat(self.state, name, seat, stack, house))
        if anchored and name not in self.state.misses:
            self.anchor(name)
        return client

    def give_up_seat(self, name: str) -> None:
        """Let a tournament take a player from its table, between hands."""
        self._do(tournament_table.unseat(self.state, name))

    def give_removal(self, name: str) -> None:
        """Let a tournament disqualify a player, in the middle of a hand too."""
        self._do(tournament_table.remove(self.state, name))

    def give_chips(self, name: str, amount: int) -> None:
        """Let a tournament sell chips to a player, between hands."""
        self._do(tournament_table.add(self.state, name, amount))

    def give_color_up(self, unit: int, stacks: Mapping[int, int]) -> None:
        """Let a tournament change the stacks of some seats by a chip race."""
        self._do(tournament_table.color_up(self.state, unit, stacks))

    def leave(self, name: str) -> None:
        """Let a player leave, in the middle of a hand too."""
        self._do(seating.leave_seat(self.state, name))

    def remove(self, name: str) -> None:
        """Let the operator take a player away."""
        self._do(seating.remove_player(self.state, name))

    def add_chips(self, name: str, amount: int) -> None:
        """Add chips between hands."""
        self._do(seating.add_chips(self.state, name, amount))

    def sit_out(self, name: str) -> None:
        """Let a player sit out."""
        self._do(seating.sit_out(self.state, name))

    def come_back(self, name: str) -> None:
        """Let a player come back."""
        self._do(seating.come_back(self.state, name))

    def anchor(self, name: str) -> None:
        """Let a player log the end of a new chain, with the link that it missed if it did."""
        client = self.clients.setdefault(name, Client(name))
        missed = self.state.misses.get(name, ())
        hand = missed[-1] if missed else None
        link, client.owed = client.owed, None
        anchor = self._new_chain(client)
        self._do(
            entropy.log_anchor(
                self.state, name, anchor, hand, link, next_link=self.next_link, past=self.values
            )
        )

    def prefer(self, name: str, *choices: Choice) -> None:
        """Let a player set its standing choices."""
        self._do(seating.prefer(self.state, name, choices))
        self.settle()

    def choose_ahead(self, name: str, act: PreAct) -> None:
        """Let a player choose an act for its next turn."""
        chosen = ahead.choose_ahead(self.state, name, self.state.hand, act)
        if isinstance(chosen, Refusal):
            raise Refused(chosen)
        self.chosen[name] = chosen

    def pause(self) -> None:
        """Let the operator pause the game."""
        self._do(seating.pause(self.state))

    def resume(self) -> None:
        """Let the operator resume it."""
        self._do(seating.resume(self.state))

    def players(self, *, dealt_in: bool | None = None) -> list[str]:
        """Name the players who hold a seat and stay; with `dealt_in` those in the hand, or not."""
        opened = self.state.open
        seated = set(opened.dealt_in) if opened else set()
        return [
            one.player
            for number, one in self.state.seats.items()
            if not one.leaving and dealt_in in {None, number in seated}
        ]

    def record(self, name: str) -> bytes:
        """Write a player's own record."""
        first = {
            "format": "cutcard-record/1",
            "game": self.state.opened.game,
            "key": self.key,
            "origin": self.origin,
            "player": name,
        }
        lines = [dump(first), *map(dump, self.clients[name].record)]
        return b"\n".join(lines) + b"\n"

    def openings(self, name: str) -> list[dict[str, Any]]:
        """Give the openings of every hole card that was dealt to a player."""
        found: list[dict[str, Any]] = []
        seats: dict[str, int] = {}
        for _, entry in self.log:
            if isinstance(entry, HandOpened):
                seats = {one.player: one.seat for one in entry.seats}
            elif isinstance(entry, Dealt):
                mine = [one.position for one in entry.positions if one.seat is not None]
                mine = [at for at in mine if entry.positions[at].seat == seats.get(name)]
                found += self._open(self.deals[entry.hand], mine)
        return found

    def next_link(self, player: str, link: str) -> str:
        """Give the value after a link in a player's chain, in hex."""
        return commitment.next_link(self.origin, self.game, player, bytes.fromhex(link)).hex()

    # Hands.

    def open_hand(self) -> int:
        """Open the next hand and sign; its links are awaited."""
        secret = self.random.randbytes(32)
        number = self.state.hand + 1
        committed = self.cheat.commit(self.origin, self.game, number, secret)
        button = self.button if number == 1 else None
        hand = committed.hex()
        opened = opening.open_hand(self.state, self.now, hand, level=self.level, button=button)
        self._do(opened)
        self.deals[number] = Deal(number, secret, committed)
        self.links = {}
        self.checkpoint()
        return number

    def give_links(self, *, missing: Collection[str] = (), denied: Collection[str] = ()) -> None:
        """Let the clients of the open hand give their links; `denied` are sent and not taken."""
        opened = self.state.open
        assert opened is not None
        for seat, frozen in opened.frozen.items():
            client = self.clients[frozen.player]
            if frozen.player in missing or seat in self.links:
                continue
            sent = {"checkpoint": self.last_note, "hand": self.state.hand, "link": client.link}
            client.record.append({"link": sent})
            if frozen.player not in denied:
                self.give_link(frozen.player, client.link)
                client.at -= 1

    def give_link(self, player: str, link: str) -> None:
        """Give any link for a player."""
        accepted = entropy.accept_link(
            self.state,
            player,
            self.state.hand,
            link,
            self.links,
            next_link=self.next_link,
            past=self.values,
        )
        if isinstance(accepted, Refusal):
            raise Refused(accepted)
        self.links[accepted] = link
        self.values.hold(link)

    def commit_deck(self) -> None:
        """Fix the deck of the open hand, sign, and let the hand begin."""
        opened = self.state.open
        assert opened is not None
        deal = self.deals[self.state.hand]
        links = [
            Link(seat, opened.frozen[seat].player, bytes.fromhex(link))
            for seat, link in self.links.items()
        ]
        drawn, mixed_in = self._draw(opened.at)
        place = (self.origin, self.game, deal.hand)
        mix = self.cheat.mix(*place, deal.commitment, links, **mixed_in)
        sealed = self.cheat.derive(deal.secret, mix)
        self.deals[deal.hand] = replace(deal, mix=mix)
        committed = opening.commit_deck(
            self.state, self.links, mix=mix.hex(), deck_root=sealed.root.hex(), beacon=drawn
        )
        self._do(committed)
        self.checkpoint()
        self.cards = open_cards(sealed)
        self.settle()

    def _draw(self, opened_at: int) -> tuple[BeaconRound | None, dict[str, mixing.Beacon]]:
        """Wait for the beacon's round, and give it as it is logged and as it is mixed in."""
        rule = self.state.rules.beacon
        if rule is None:
            return None, {}
        drawn = self.cheat.draw(opened_at)
        self.now = max(self.now, drand.due_at(drand.round_after(opened_at)))
        randomness = bytes.fromhex(drawn.randomness)
        beacon = mixing.Beacon(bytes.fromhex(rule.chain), drawn.round, randomness)
        return drawn, {"beacon": beacon}

    def void_hand(self, reason: VoidReason, *, restoring: bool = False) -> None:
        """End the open hand without playing it."""
        deal = self.deals[self.state.hand]
        opened = self.state.open
        assert opened is not None
        if reason is VoidReason.LINK_MISSING:
            self.now = max(self.now, opened.at + self.state.rules.link_ms)
        frozen = opened.frozen
        lacking = [frozen[seat].player for seat in opening.links_missing(self.state, self.links)]
        self._do(
            opening.void_hand(
                self.state, self.now, reason, deal.secret.hex(), self.links, restoring=restoring
            )
        )
        if reason is VoidReason.LINK_MISSING:
            for name in lacking:
                client = self.clients[name]
                client.owed = client.link
                record = client.record
                if record and record[-1].get("link", {}).get("hand") == deal.hand:
                    record.append({"missed": {"hand": deal.hand}})
        self.deals[deal.hand] = replace(deal, void=True)
        self.checkpoint()

    def settle(self) -> None:
        """Log all that follows by itself, acts chosen ahead too."""
        while True:
            entries, _ = play.settle(self.state, self.now, self.cards)
            self.append(*entries)
            due = self.decision
            player = self.state.seats[due.seat].player if due else ""
            chosen = self.chosen.pop(player, None)
            acted = ahead.act_ahead(self.state, chosen) if chosen else None
            if acted is None:
                return
            self.append(acted)

    @property
    def decision(self) -> Decision | None:
        """The turn that is open."""
        return decision(self.state.open.play) if self.state.open else None

    def act(self, did: Act, to: int = 0) -> None:
        """Act for the seat whose turn it is."""
        due = self.decision
        assert due is not None
        player = self.state.seats[due.seat].player
        self._do(play.act(self.state, player, due.hand, due.turn, did, to=to))
        self.settle()

    def time_out(self) -> None:
        """Let the clock run out for the seat whose turn it is."""
        due = play.turn_deadline(self.state)
        assert due is not None
        self.now = max(self.now, due)
        self._do(play.clock(self.state, self.now))
        self.settle()

    def show(self, name: str) -> None:
        """Let a player show in the pause before the hand's end."""
        self._do(play.show(self.state, name, self.state.hand, self.cards))

    def end_hand(self) -> None:
        """Wait for the pause's end, end the hand, and sign."""
        due = play.end_time(self.state)
        assert due is not None
        self.now = max(self.now, due)
        self._do(play.end_hand(self.state, self.now))
        self.checkpoint()

    def play_hand(
        self,
        *,
        choose: Choose | None = None,
        before_turn: Callable[["Simulator"], None] | None = None,
        in_pause: Callable[["Simulator"], None] | None = None,
    ) -> None:
        """Play one whole hand: opened, linked, dealt, acted and ended."""
        self.wait(200, 1_500)
        self.open_hand()
        self.wait(20, 400)
        self.give_links()
        self.commit_deck()
        self.play_out(choose=choose, before_turn=before_turn)
        if in_pause is not None:
            self.wait(100, 1_000)
            in_pause(self)
        self.end_hand()

    def play_out(
        self,
        *,
        choose: Choose | None = None,
        before_turn: Callable[["Simulator"], None] | None = None,
    ) -> None:
        """Act for everybody until the pots are paid."""
        choose = choose or casual
        while self.decision is not None:
            self.wait(300, 3_000)
            if before_turn is not None:
                before_turn(self)
                self.settle()
            due = self.decision
            if due is None:
                break
            choice = choose(self, due)
            if choice is None:
                self.time_out()
            else:
                self.act(*choice)

    # The end.

    def close(
        self, reason: CloseReason = CloseReason.OPERATOR, *, next_game: str | None = None
    ) -> None:
        """Close the game and sign."""
        self.wait(100, 1_000)
        self._do(closing.close_game(self.state, reason, next_game))
        self.checkpoint()

    def reveal(self, *, late: bool = False) -> None:
        """Reveal the secrets of all hands that were not void, and sign."""
        self.wait(10, 100)
        if late:
            self.now += self.state.rules.reveal.within_ms
        secrets = {hand: deal.secret.hex() for hand, deal in self.deals.items()}
        self._do(closing.reveal(self.state, secrets))
        self.checkpoint()

    def succeed(
        self, reason: CloseReason = CloseReason.MAX_HANDS, *, anchored: bool = True
    ) -> "Simulator":
        """Close the game, reveal it, and open the one that goes on from it.

        The carried players' new chains are logged at once, unless they are not to anchor.
        """
        self.close(reason, next_game=self.random.randbytes(16).hex())
        after = Simulator(
            signer=self.signer, cheat=self.cheat, chain_length=self.chain_length, before=self
        )
        if anchored:
            for name in sorted(after.state.awaited):
                after.anchor(name)
        self.reveal()
        after.now = max(after.now, self.now)
        return after

    def _do(self, answer: tuple[Entry, ...] | Refusal) -> None:
        self.append(*granted(answer))

    def _new_chain(self, client: Client) -> str:
        seed = self.random.randbytes(32)
        client.chain = commitment.chain(
            self.origin, self.game, client.name, seed, self.chain_length
        )
        client.at = len(client.chain) - 1
        client.record.append({"anchor": {"anchor": client.anchor}})
        return client.anchor

    def _open(self, deal: Deal, positions: Iterable[int]) -> list[dict[str, Any]]:
        assert deal.mix is not None
        sealed = self.cheat.derive(deal.secret, deal.mix)
        shown = [sealed.opening(position) for position in positions]
        return [
            {
                "card": CARD_NAMES[one.card],
                "hand": deal.hand,
                "position": one.position,
                "proof": [node.hex() for node in one.proof],
                "salt": one.salt.hex(),
            }
            for one in shown
        ]


def open_cards(sealed: SealedDeck) -> tuple[OpenedCard, ...]:
    """Give a deck's 52 cards, by position, as entries open them."""
    pairs = zip(sealed.cards, sealed.salts, strict=True)
    return tuple(
        [OpenedCard(at, CARD_NAMES[card], salt.hex()) for at, (card, salt) in enumerate(pairs)]
    )


def casual(simulator: Simulator, due: Decision) -> Move:
    """Choose without a plan: mostly check and call, sometimes bet, now and then all-in."""
    random = simulator.random
    luck = random.random()
    bounds = due.bet or due.raise_
    if bounds is not None and luck < 0.22:
        did = Act.BET if due.bet else Act.RAISE
        if luck < 0.02:
            return did, bounds.max
        return did, random.randint(bounds.min, max(bounds.min, min(bounds.max, 3 * bounds.min)))
    if due.may_check:
        return Act.CHECK, 0
    return (Act.FOLD, 0) if luck > 0.62 else (Act.CALL, 0)


def script(*choices: Move | None) -> Choose:
    """Play these choices in turn, whoever is to act."""
    rest = iter(choices)
    return lambda _simulator, _due: next(rest)


def passive(_simulator: Simulator, due: Decision) -> Move:
    """Check, or else call."""
    return (Act.CHECK if due.may_check else Act.CALL), 0


def play_game(
    *,
    seed: int = 1,
    hands: int = 10,
    players: int = 6,
    habits: Habits = QUIET,
    rules: RuleSet = RULES,
    unanchored: int = 0,
    close: bool = True,
    reveal: bool = True,
    cheat: Cheat | None = None,
) -> Simulator:
    """Play a whole game of so many hands, void ones included.

    The last `unanchored` of the players add no randomness. The game is closed and revealed
    unless it is told not to be.
    """
    simulator = Simulator(seed=seed, rules=rules, cheat=cheat, chain_length=hands + 2)
    for index, name in enumerate(NAMES[:players]):
        simulator.sit(name, anchored=index < players - unanchored)
    play_on(simulator, hands, habits)
    if close:
        simulator.close()
        if reveal:
            simulator.reveal()
    return simulator


def play_chain(
    *,
    seed: int = 1,
    games: int = 3,
    hands: int = 5,
    players: int = 4,
    habits: Habits = QUIET,
    rules: RuleSet = RULES,
) -> list[Simulator]:
    """Play games that go on from each other; the last one is closed and revealed, too."""
    simulator = Simulator(seed=seed, rules=rules, chain_length=hands + 2)
    for name in NAMES[:players]:
        simulator.sit(name)
    played = [simulator]
    while True:
        play_on(simulator, hands, habits)
        if len(played) == games:
            break
        simulator = simulator.succeed()
        played.append(simulator)
    simulator.close()
    simulator.reveal()
    return played


def play_on(simulator: Simulator, hands: int, habits: Habits = QUIET) -> None:
    """Play so many more hands, void ones included."""
    for _ in range(hands):
        _live_between_hands(simulator, habits)
        _play_lively_hand(simulator, habits)


def _live_between_hands(simulator: Simulator, habits: Habits) -> None:
    chance = simulator.random.random
    simulator.wait(50, 200)
    _seat_newcomers(simulator, habits)
    rules = simulator.state.rules
    for name in simulator.players():
        seat = simulator.state.seats[_seat(simulator, name)]
        if seat.sitting_out and chance() < 0.5:
            simulator.come_back(name)
        elif chance() < habits.sit_out / 2 and not seat.sitting_out:
            simulator.sit_out(name)
        short = seat.stack < rules.buy_in_min
        stays_short = short and _happens(simulator, habits.stay_short)
        if (short and not stays_short) or (
            chance() < habits.add_chips and seat.stack < rules.buy_in_max
        ):
            top = rules.buy_in_max - seat.stack
            simulator.add_chips(name, simulator.random.randint((top + 1) // 2, top))
        if _happens(simulator, habits.prefer):
            _prefer(simulator, name)
        _anchor_again(simulator, name, habits)
    _let_go(simulator, habits)
    if chance() < habits.pause:
        simulator.pause()
        simulator.wait(1_000, 20_000)
        simulator.resume()


def _happens(simulator: Simulator, likely: float) -> bool:
    """Let chance decide; what never happens draws none, so that old seeds give old games."""
    return likely > 0 and simulator.random.random() < likely


def _prefer(simulator: Simulator, name: str) -> None:
    """Let a player choose anew, of what the rules offer; nothing where that stands already."""
    random = simulator.random
    offered = seating.offered_choices(simulator.state.rules)
    chosen = tuple(choice for choice in offered if random.random() < 0.7)
    if chosen != simulator.state.seats[_seat(simulator, name)].choices:
        simulator.prefer(name, *chosen)


def _act_ahead(simulator: Simulator) -> None:
    """Let a player who is not to act yet choose ahead."""
    due = simulator.decision
    assert due is not None
    play_now = simulator.state.play
    assert play_now is not None
    later = [
        simulator.state.seats[chair.seat].player
        for chair in play_now.chairs
        if chair.seat != due.seat and not chair.folded and chair.stack
    ]
    later = [name for name in later if name in simulator.players(dealt_in=True)]
    if later:
        simulator.choose_ahead(
            simulator.random.choice(later), simulator.random.choice(list(PreAct))
        )


def _use_house_options(simulator: Simulator, habits: Habits) -> None:
    if _happens(simulator, habits.prefer / 5):
        _prefer(simulator, simulator.random.choice(simulator.players()))
    elif _happens(simulator, habits.ahead):
        _act_ahead(simulator)
    if _happens(simulator, habits.overtime):
        simulator.now += simulator.random.randint(0, simulator.state.rules.turn_ms * 3 // 2)


def _let_go(simulator: Simulator, habits: Habits) -> None:
    """Let players leave or be removed, and see that two can play."""
    chance = simulator.random.random
    if len(simulator.players()) > 2 and chance() < habits.leave:
        simulator.leave(simulator.random.choice(simulator.players()))
    if len(simulator.players()) > 2 and chance() < habits.remove:
        simulator.remove(simulator.random.choice(simulator.players()))
    for name in simulator.players():
        if line_up(simulator.state) is not None:
            break
        if simulator.state.seats[_seat(simulator, name)].sitting_out:
            simulator.come_back(name)


def _anchor_again(simulator: Simulator, name: str, habits: Habits) -> None:
    """Give an anchor to who has none or is at its chain's end, if it may have one."""
    seat = simulator.state.seats[_seat(simulator, name)]
    missed = len(simulator.state.misses.get(name, ()))
    client = simulator.clients.get(name)
    used_up = client is not None and seat.anchor is not None and client.at == 0
    if (missed == 0 and (used_up or simulator.random.random() < habits.anchor)) or (
        missed == 1 and client is not None and client.owed is not None
    ):
        simulator.anchor(name)


def _seat_newcomers(simulator: Simulator, habits: Habits) -> None:
    seated = {seat.player for seat in simulator.state.seats.values()}
    free = [name for name in NAMES if name not in seated]
    room = simulator.state.rules.seats - len(simulator.state.seats)
    short = len(simulator.players()) < 2
    while room and free and (short or simulator.random.random() < habits.join):
        simulator.sit(free.pop(simulator.random.randrange(len(free))))
        short = len(simulator.players()) < 2
        room -= 1


def _play_lively_hand(simulator: Simulator, habits: Habits) -> None:
    chance = simulator.random.random
    simulator.wait(200, 1_500)
    simulator.open_hand()
    simulator.wait(20, 400)
    opened = simulator.state.open
    assert opened is not None
    frozen = [one.player for one in opened.frozen.values()]
    if frozen and chance() < habits.miss:
        missing = simulator.random.sample(frozen, 1)
        simulator.give_links(missing=missing, denied=missing if chance() < 0.3 else ())
        simulator.void_hand(VoidReason.LINK_MISSING)
        return
    if simulator.state.voids < MAX_FREE_VOIDS and chance() < habits.void:
        simulator.give_links(missing=simulator.random.sample(frozen, len(frozen) // 2))
        reasons = sorted(FREE_VOIDS - {VoidReason.NO_BEACON})
        simulator.void_hand(simulator.random.choice(reasons))
        return
    simulator.give_links()
    simulator.commit_deck()
    goes = simulator.random.randrange(1, 6) if chance() < habits.leave_in_hand else 0

    def before_turn(simulator: Simulator) -> None:
        nonlocal goes
        goes -= 1
        staying = simulator.players(dealt_in=True)
        if goes == 0 and len(staying) > 2:
            gone = simulator.random.choice(staying)
            if chance() < 0.3:
                simulator.remove(gone)
            else:
                simulator.leave(gone)
        elif chance() < habits.join / 20:
            _seat_newcomers(simulator, replace(habits, join=0.5))
        elif chance() < habits.sit_out / 5:
            _toggle(simulator, simulator.random.choice(simulator.players()))
        else:
            _use_house_options(simulator, habits)

    def choose(simulator: Simulator, due: Decision) -> Move | None:
        return None if chance() < habits.time_out else casual(simulator, due)

    simulator.play_out(choose=choose, before_turn=before_turn)
    hidden = _may_show(simulator)
    if hidden and chance() < habits.show:
        simulator.wait(100, 1_000)
        simulator.show(simulator.random.choice(hidden))
    simulator.end_hand()


def _toggle(simulator: Simulator, name: str) -> None:
    if simulator.state.seats[_seat(simulator, name)].sitting_out:
        simulator.come_back(name)
    else:
        simulator.sit_out(name)


def _may_show(simulator: Simulator) -> list[str]:
    assert simulator.state.open is not None
    shown = {one.seat for one in simulator.state.open.play.layout.shown}
    return [
        name for name in simulator.players(dealt_in=True) if _seat(simulator, name) not in shown
    ]


def _seat(simulator: Simulator, name: str) -> int:
    seat = seat_of(simulator.state, name)
    assert seat is not None
    return seat


def granted(answer: tuple[Any, ...] | Refusal) -> tuple[Any, ...]:
    """Give the entries that the rules answered, or raise Refused."""
    if isinstance(answer, Refusal):
        raise Refused(answer)
    return answer
