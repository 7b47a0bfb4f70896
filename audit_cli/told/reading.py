"""Tells the hands of a game file, with every card that the file knows.

Cards come from three places, the surest first: the deck, derived from the secret and held against
the logged `deck_root` and against every card that was opened; a player's own openings behind the
transcript, held by their proofs; and what was opened to all. A hand whose cards do not fit is not
told. The lines are believed as they stand: signatures, links and rules are for `verify`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.checks.ruleset import Rules, at_level, read_rules
from audit_cli.derive import CARD_NUMBERS, CARDS, StreamExhaustedError, derive_deck, hash_card
from audit_cli.gamefile import Damage, Extra, GameEnd, Header, Line, Signed, read_game_file
from audit_cli.merkle import verify_inclusion
from audit_cli.poker.positions import clockwise
from audit_cli.problem import Problem
from audit_cli.told.events import Aside, By, Move
from audit_cli.told.followed import Followed, UnfitError, open_hand
from audit_cli.told.following import OF_A_HAND, count_pots, follow
from audit_cli.told.hand import NOT_CLOSED, Cause, Game, Hand, Seat, Told, Untold, Void
from audit_cli.told.tournaments import Event, EventReader, find_tournament, name_hands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from audit_cli.gamefile import Readable

_LAST_TIME = 253_402_300_799_999
_MOVES = {move.value: move for move in Move}


_NO_EVENTS: Mapping[str, Event] = {}


def read_games(
    stream: Readable, source: str, hand: int | None = None, events: Mapping[str, Event] = _NO_EVENTS
) -> tuple[Game, ...] | Damage:
    """Return the games of one input, told; with `hand`, only the hands of that number.

    Tournaments in the input tell of their tables' hands, and so do `events`, by their ids. Damage
    where a line is not of the file's format: nothing is told then. OSError from the stream is the
    caller's.
    """
    read = _read(stream, source, hand)
    if isinstance(read, Damage):
        return read
    games, found = read
    known = {**events, **found}
    return tuple(name_hands(game, known) for game in games)


def read_events(stream: Readable, source: str) -> dict[str, Event] | Damage:
    """Return the tournaments of one input by their ids; games in it are passed over."""
    read = _read(stream, source, None)
    return read if isinstance(read, Damage) else read[1]


def _read(
    stream: Readable, source: str, hand: int | None
) -> tuple[list[Game], dict[str, Event]] | Damage:
    parts = _Parts(hand)
    for item in read_game_file(stream, source):
        damage = item if isinstance(item, Damage) else parts.take(item)
        if damage is not None:
            return damage
    return parts.games, parts.events


class _Parts:
    """The games and tournaments of an input, one behind the other."""

    def __init__(self, only: int | None) -> None:
        self.games: list[Game] = []
        self.events: dict[str, Event] = {}
        self._only = only
        self._reader: _Reader | None = None
        self._event = EventReader()
        self._tournament = ""

    def take(self, item: Header | Line | Signed | Extra | GameEnd) -> Damage | None:
        """Take a part of the input; Damage where it can not be told of."""
        if isinstance(item, Header):
            self._begin(item)
        elif self._reader is None:
            self._take_of_tournament(item)
        elif isinstance(item, Line):
            return self._reader.take(item)
        elif isinstance(item, Extra):
            self._reader.behind(item)
        elif isinstance(item, GameEnd):
            game = self._reader.end(item)
            if isinstance(game, Damage):
                return game
            self.games.append(game)
        return None

    def _begin(self, header: Header) -> None:
        if header.tournament:
            self._reader, self._event, self._tournament = None, EventReader(), header.game
        else:
            self._reader = _Reader(header, self._only)

    def _take_of_tournament(self, item: Line | Signed | Extra | GameEnd) -> None:
        if isinstance(item, Line):
            self._event.take(item)
        elif isinstance(item, GameEnd):
            event = self._event.event()
            if event is not None:
                self.events[self._tournament] = event


class _Reader:
    """One game while its lines are read."""

    def __init__(self, header: Header, only: int | None) -> None:
        self._header = header
        self._only = only
        self._rules: Rules | None = None
        self._opened_at = 0
        self._closed_at = NOT_CLOSED
        self._numbers: set[int] = set()
        self._open: Followed | None = None
        self._before: tuple[Aside, ...] = ()
        self._asides: list[Aside] = []
        self._hands: list[tuple[tuple[Aside, ...], Followed | Void]] = []
        # Who sits where, for what names seats alone.
        self._names: dict[int, str] = {}
        self._secrets: dict[int, str] = {}
        self._openings: dict[int, dict[int, dict[str, Any]]] = {}
        self._takers: dict[str, Callable[[Line], None]] = {
            "game_opened": self._open_game,
            "hand_opened": self._open_hand,
            "hand_void": self._void,
            "game_closed": self._close_game,
            "secret_revealed": self._reveal,
        }

    @property
    def _game_rules(self) -> Rules:
        assert self._rules is not None
        return self._rules

    def take(self, line: Line) -> Damage | None:
        """Take an entry of the transcript; Damage where it can not be told of."""
        kind = line.kind
        if line.at > _LAST_TIME:
            problem = Problem("a time after the year 9999")
            return Damage(self._header.source, line.number, problem, fatal=True)
        if self._rules is None and kind != "game_opened":
            problem = Problem("a game that does not begin with game_opened")
            return Damage(self._header.source, line.number, problem, fatal=True)
        if kind in OF_A_HAND:
            self._follow(line)
        elif kind in _MOVES:
            self._aside(line)
        elif kind in self._takers:
            self._takers[kind](line)
        return None

    def _open_game(self, line: Line) -> None:
        self._rules = read_rules(line.body["rules"])
        self._opened_at = line.at

    def _close_game(self, line: Line) -> None:
        self._closed_at = line.at

    def _reveal(self, line: Line) -> None:
        self._secrets[line.body["hand"]] = line.body["secret"]

    def _follow(self, line: Line) -> None:
        if self._open is not None:
            follow(self._open, line)
            if line.kind == "hand_ended":
                self._put_away()

    def _open_hand(self, line: Line) -> None:
        if self._open is not None:
            self._open.wrong = self._open.wrong or f"entry {line.entry}: another hand opens in it"
            self._put_away()
        self._before = tuple(self._asides)
        self._asides.clear()
        self._names = {seat["seat"]: seat["player"] for seat in line.body["seats"]}
        rules = self._game_rules
        self._open = open_hand(line, at_level(rules, line.body))
        if rules.tournament is not None and "level" not in line.body:
            self._open.wrong = f"entry {line.entry}: it opens without the level of its tournament"
        if self._open.number in self._numbers:
            self._open.wrong = f"entry {line.entry}: its number was another hand's"
        self._numbers.add(self._open.number)

    def _void(self, line: Line) -> None:
        if self._open is None:
            return
        body, opened_at = line.body, self._open.opened_at
        missing = tuple(missing["player"] for missing in body["missing"])
        number = self._open.number
        if body["hand"] != number:
            self._open.wrong = f"entry {line.entry}: it names hand {body['hand']:,}"
            self._put_away()
            return
        if self._is_wanted(number):
            void = Void(number, opened_at, body["reason"], missing)
            self._hands.append((self._before, void))
        # What happened beside a void hand happened between two hands.
        self._asides = [event for event in self._open.events if isinstance(event, Aside)]
        self._open = None

    def _put_away(self) -> None:
        assert self._open is not None
        if self._is_wanted(self._open.number):
            self._hands.append((self._before, self._open))
        self._open = None

    def _is_wanted(self, number: int) -> bool:
        return self._only is None or number == self._only

    def _aside(self, line: Line) -> None:
        body = line.body
        if line.kind == "colored_up":
            self._color_up(line)
            return
        if line.kind == "seat_taken":
            self._names[body["seat"]] = body["player"]
        by = By(body["by"]) if line.kind == "sat_out" else None
        amount = body.get("stack", body.get("amount", 0))
        aside = Aside(
            line.at,
            _MOVES[line.kind],
            body.get("seat", 0),
            body.get("player", ""),
            amount,
            by,
        )
        self._beside(aside)

    def _color_up(self, line: Line) -> None:
        for raced in line.body["stacks"]:
            seat = raced["seat"]
            name = self._names.get(seat, f"seat {seat}")
            self._beside(Aside(line.at, Move.COLORED_UP, seat, name, raced["stack"]))

    def _beside(self, aside: Aside) -> None:
        if self._open is None:
            self._asides.append(aside)
        else:
            self._open.events.append(aside)

    def behind(self, extra: Extra) -> None:
        """Take a player's own opening; other lines behind the transcript tell nothing of hands."""
        if extra.kind == "opening" and self._is_wanted(extra.body["hand"]):
            body = extra.body
            self._openings.setdefault(body["hand"], {})[body["position"]] = body

    def end(self, end: GameEnd) -> Game | Damage:
        """Tell the game, all its lines being there."""
        header = self._header
        if self._rules is None:
            problem = Problem("a game without an entry")
            return Damage(header.source, end.number, problem, fatal=True)
        if self._open is not None:
            self._put_away()
        hands = tuple(Told(before, self._tell(hand)) for before, hand in self._hands)
        played = [told.hand.number for told in hands if isinstance(told.hand, Hand)]
        return Game(
            source=header.source,
            game=header.game,
            origin=header.origin,
            opened_at=self._opened_at,
            closed_at=self._closed_at,
            rules=self._rules,
            hands=hands,
            after=tuple(self._asides),
            revealed=all(number in self._secrets for number in played),
        )

    def _tell(self, hand: Followed | Void) -> Hand | Void | Untold:
        if isinstance(hand, Void):
            return hand
        number, opened_at = hand.number, hand.opened_at
        if hand.wrong:
            return Untold(number, opened_at, Cause.WRONG, hand.wrong)
        if hand.ended_at is None:
            return Untold(number, opened_at, Cause.NOT_ENDED, Cause.NOT_ENDED.value)
        try:
            holes = self._find_holes(hand)
            return _told(self._header.game, self._game_rules, hand, holes)
        except UnfitError as unfit:
            return Untold(number, opened_at, Cause.WRONG, str(unfit))

    def _find_holes(self, hand: Followed) -> dict[int, tuple[str, ...]]:
        """Return the hole cards of each seat whose cards the file knows."""
        secret = self._secrets.get(hand.number)
        if secret is not None:
            known = _derive(hand, secret)
        else:
            for opening in self._openings.get(hand.number, {}).values():
                _check_opening(hand, opening)
            known = hand.cards
        return {
            seat: tuple(known[position] for position in hand.holes(seat))
            for seat in hand.chips
            if all(position in known for position in hand.holes(seat))
        }


def _derive(hand: Followed, secret: str) -> dict[int, str]:
    """Return the whole deck by its positions, held against the root and the opened cards."""
    try:
        deck = derive_deck(bytes.fromhex(secret), hand.mix)
    except StreamExhaustedError as error:
        message = f"its secret gives no deck: {error}"
        raise UnfitError(message) from None
    if deck.root != hand.root:
        message = "the deck derived from its secret is not the committed one"
        raise UnfitError(message)
    cards = {position: CARDS[number] for position, number in enumerate(deck.cards)}
    for position, card in hand.cards.items():
        if cards[position] != card:
            message = (
                f"{card} was opened at position {position}, and the deck has {cards[position]}"
            )
            raise UnfitError(message)
    return cards


def _check_opening(hand: Followed, opening: dict[str, Any]) -> None:
    """Hold a player's own opening against the committed root, and the cards opened to all."""
    position, card = opening["position"], opening["card"]
    salt = bytes.fromhex(opening["salt"])
    leaf = hash_card(hand.mix, position, CARD_NUMBERS[card], salt)
    proof = [bytes.fromhex(step) for step in opening["proof"]]
    wrong = verify_inclusion(position, len(CARDS), leaf, proof, hand.root)
    if wrong is not None:
        message = f"the opening of position {position} fails its proof: {wrong}"
        raise UnfitError(message)
    hand.see(position, card)


def _told(game: str, rules: Rules, hand: Followed, holes: dict[int, tuple[str, ...]]) -> Hand:
    opened, place = hand.opened, rules.tournament
    assert hand.ended_at is not None
    return Hand(
        game=game,
        number=hand.number,
        opened_at=hand.opened_at,
        ended_at=hand.ended_at,
        rules=hand.rules,
        max_seats=rules.seats,
        button=opened["button"],
        small_blind=opened.get("small_blind_seat"),
        big_blind=opened["big_blind_seat"],
        straddle=opened.get("straddle_seat"),
        seats=tuple(_seat(hand, seat, holes) for seat in sorted(opened["seats"], key=_seat_number)),
        order=clockwise(hand.chips, opened["button"]),
        events=tuple(hand.events),
        boards=tuple(map(tuple, hand.boards)),
        shared=len(hand.boards[0]) if hand.shared is None else hand.shared,
        pots=count_pots(hand),
        shown=tuple(hand.shown),
        folded=tuple(hand.folded),
        tournament=None
        if place is None
        else find_tournament(place, opened["level"]["level"], hand.opened_at),
    )


def _seat_number(seat: dict[str, Any]) -> int:
    number: int = seat["seat"]
    return number


def _seat(hand: Followed, seat: dict[str, Any], holes: dict[int, tuple[str, ...]]) -> Seat:
    number, stack = seat["seat"], seat["stack"]
    chips = hand.chips.get(number)
    return Seat(
        seat=number,
        player=seat["player"],
        stack=stack,
        state=seat["state"],
        holes=holes.get(number),
        put_in=0 if chips is None else chips.put_in,
        won=0 if chips is None else chips.won,
        end=stack if chips is None else chips.stack,
    )
