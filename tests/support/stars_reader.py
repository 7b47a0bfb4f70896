"""Reads a PokerStars hand history as trackers do: line by line, by the words alone.

Chips are counted from what the lines say: what each seat put in, got back and collected. What has
no meaning for chips or cards is passed over by name; an unknown line is an error, as it is to
some readers.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal

_AMOUNT = r"[$€£]?(?P<{}>\d+(?:\.\d\d)?)"
_NAME = r"(?P<name>[A-Za-z0-9._-]+)"
_HEADER = re.compile(
    r"PokerStars Hand #(?P<id>\d+): (?:Tournament #(?P<tournament>\d+), "
    r"(?P<buy_in>Freeroll |[$€£]?[\d.]+\+[$€£]?[\d.]+(?: [A-Z]{3})?))?"
    r" (?P<game>(?:[56] Card )?(?:Hold'em|Omaha(?: Hi/Lo)?)) (?P<limit>No Limit|Pot Limit|Limit)"
    r"(?: - Level (?P<level>[IVXLCDM]+))?"
    r" \([$€£]?(?P<small>[.\d]+)/[$€£]?(?P<big>[.\d]+)(?: (?P<currency>[A-Z]{3}))?\)"
    r" - (?P<at>\d{4}/\d\d/\d\d \d{1,2}:\d\d:\d\d) UTC"
    r" \[(?P<eastern>\d{4}/\d\d/\d\d \d{1,2}:\d\d:\d\d) ET\]"
)
_TABLE = re.compile(
    r"Table '(?P<table>[^']+)' (?P<max>\d+)-max(?P<play> \(Play Money\))? "
    r"Seat #(?P<button>\d+) is the button"
)
_SEAT = re.compile(
    rf"Seat (?P<seat>\d+): {_NAME} \({_AMOUNT.format('stack')} in chips\)(?P<out> is sitting out)?"
)
_POST = re.compile(
    rf"{_NAME}: posts (?P<what>the ante|small blind|big blind|small & big blinds|straddle) "
    rf"{_AMOUNT.format('amount')}(?P<all_in> and is all-in)?"
)
_DEALT = re.compile(rf"Dealt to {_NAME} \[(?P<cards>[^\]]+)\]")
_ACT = re.compile(
    rf"{_NAME}: (?:(?P<plain>folds(?: \[(?P<cards>[^\]]+)\])?|checks)|"
    rf"(?P<act>calls|bets|raises) {_AMOUNT.format('amount')}"
    rf"(?: to {_AMOUNT.format('to')})?)(?P<all_in> and is all-in)?"
)
_STREET = re.compile(
    r"\*\*\* (?P<run>FIRST |SECOND )?(?P<street>FLOP|TURN|RIVER) \*\*\* "
    r"(?:\[(?P<before>[^\]]+)\] )?\[(?P<cards>[^\]]+)\]"
)
_UNCALLED = re.compile(rf"Uncalled bet \({_AMOUNT.format('amount')}\) returned to {_NAME}")
_SHOWS = re.compile(rf"{_NAME}: shows \[(?P<cards>[^\]]+)\] \((?P<made>[^)]+)\)")
_COLLECTED = re.compile(
    rf"{_NAME} collected {_AMOUNT.format('amount')} from (?P<pot>pot|main pot|side pot(?:-\d)?)"
)
_TOTAL = re.compile(
    rf"Total pot {_AMOUNT.format('total')}(?P<pots>(?: (?:Main|Side) pot\S* \S+\.)*)"
    rf" \| Rake {_AMOUNT.format('rake')}"
)
_FATE = re.compile(
    rf"Seat (?P<seat>\d+): {_NAME}(?P<marks>(?: \((?:button|small blind|big blind)\))*) "
    r"(?:(?P<folded>folded (?:before Flop(?: \(didn't bet\))?|on the (?:Flop|Turn|River)))"
    r"|showed \[(?P<showed>[^\]]+)\] and (?P<results>.+)"
    rf"|collected \({_AMOUNT.format('collected')}\)"
    r"|mucked(?: \[(?P<mucked>[^\]]+)\])?)"
)
_WON = re.compile(rf"won \({_AMOUNT.format('won')}\) with")
_PASSED_OVER = re.compile(
    r"\*\*\* (?:HOLE CARDS|(?:FIRST |SECOND )?SHOW DOWN|SUMMARY) \*\*\*|Hand was run twice|"
    r"(?:(?:FIRST|SECOND) )?Board \[[^\]]+\]|\S+ has timed out|\S+ leaves the table|"
    r"\S+ joins the table at seat #\d+|\S+: (?:mucks hand|doesn't show hand)|"
    r"\S+ finished the tournament in .+|\S+ wins the tournament.*"
)


@dataclass
class Read:
    """What a tracker knows of one hand."""

    header: dict[str, str | None]
    table: dict[str, str | None]
    stacks: dict[str, Decimal] = field(default_factory=dict)
    sitting_out: list[str] = field(default_factory=list)
    ends: dict[str, Decimal] = field(default_factory=dict)
    put_in: dict[str, Decimal] = field(default_factory=dict)
    won: dict[str, Decimal] = field(default_factory=dict)
    summed: dict[str, Decimal] = field(default_factory=dict)
    dealt: dict[str, list[str]] = field(default_factory=dict)
    shown: dict[str, list[str]] = field(default_factory=dict)
    boards: dict[str, list[str]] = field(default_factory=dict)
    total: Decimal = Decimal(0)
    rake: Decimal = Decimal(0)
    fates: dict[str, str] = field(default_factory=dict)


def read_hand(text: str) -> Read:
    """Read one hand; AssertionError where a line says what the lines before do not allow."""
    lines = text.splitlines()
    header, table = _HEADER.fullmatch(lines[0]), _TABLE.fullmatch(lines[1])
    assert header is not None, lines[0]
    assert table is not None, lines[1]
    reader = _Reader(Read(header.groupdict(), table.groupdict()))
    for line in lines[2:]:
        reader.take(line)
    return reader.read


def read_file(text: str) -> list[Read]:
    """Read all hands of a file."""
    return [read_hand(hand) for hand in text.split("\n\n\n")]


class _Reader:
    def __init__(self, read: Read) -> None:
        self.read = read
        self.bets: dict[str, Decimal] = {}
        self.facing = Decimal(0)
        self.small_posted = False
        self.posted: dict[str, Decimal] = {}
        self.ended = False

    def take(self, line: str) -> None:
        if line == "*** SUMMARY ***":
            self.ended = True
        if line == "*** HOLE CARDS ***" and self.read.header["limit"] != "Limit":
            # A blind that is short, or not posted as an ante took all, is to be called in full.
            self.facing = max(self.facing, self.blind("big"))
        takers = {
            _SEAT: self.seat,
            _POST: self.post,
            _DEALT: self.dealt,
            _ACT: self.act,
            _STREET: self.street,
            _UNCALLED: self.uncalled,
            _SHOWS: self.shows,
            _COLLECTED: self.collected,
            _TOTAL: self.total,
            _FATE: self.fate,
        }
        for pattern, taker in takers.items():
            found = pattern.fullmatch(line)
            if found is not None:
                taker(found)
                return
        assert _PASSED_OVER.fullmatch(line), line

    def seat(self, found: re.Match[str]) -> None:
        assert not self.ended
        name, stack = found["name"], Decimal(found["stack"])
        self.read.stacks[name] = self.read.ends[name] = stack
        self.read.put_in[name] = self.read.won[name] = Decimal(0)
        if found["out"]:
            self.read.sitting_out.append(name)

    def pay(self, name: str, amount: Decimal, *, all_in: bool) -> None:
        assert name not in self.read.sitting_out
        self.read.ends[name] -= amount
        self.read.put_in[name] += amount
        assert self.read.ends[name] >= 0
        assert (self.read.ends[name] == 0) == all_in

    def post(self, found: re.Match[str]) -> None:
        name, what, amount = found["name"], found["what"], Decimal(found["amount"])
        self.pay(name, amount, all_in=bool(found["all_in"]))
        bet = amount
        self.posted[what] = max(amount, self.posted.get(what, Decimal(0)))
        if what == "small & big blinds":
            bet = self.blind("big")
            assert amount == bet + self.blind("small")
        elif what == "the ante" or (what == "small blind" and self.small_posted):
            bet = Decimal(0)
        elif what == "small blind":
            self.small_posted = True
        self.bets[name] = self.bets.get(name, Decimal(0)) + bet
        full = {"straddle": 2, "big blind": 1, "small & big blinds": 1}.get(what, 0)
        self.facing = max(self.facing, full * self.blind("big"))

    def blind(self, which: str) -> Decimal:
        """Return a blind; the header of fixed limit has the bets, so that what was posted tells."""
        if self.read.header["limit"] == "Limit":
            return self.posted.get(f"{which} blind", Decimal(0))
        return Decimal(self.read.header[which] or "")

    def dealt(self, found: re.Match[str]) -> None:
        self.read.dealt[found["name"]] = found["cards"].split(" ")

    def act(self, found: re.Match[str]) -> None:
        name = found["name"]
        if found["cards"]:
            self.read.shown[name] = found["cards"].split(" ")
        if found["plain"]:
            return
        bet = self.bets.get(name, Decimal(0))
        amount = Decimal(found["amount"])
        paid = amount
        if found["act"] == "raises":
            to = Decimal(found["to"])
            assert amount == to - self.facing
            paid = to - bet
        else:
            assert (found["act"] == "bets") == (self.facing == 0)
        self.bets[name] = bet + paid
        self.facing = max(self.facing, self.bets[name])
        self.pay(name, paid, all_in=bool(found["all_in"]))

    def street(self, found: re.Match[str]) -> None:
        run = (found["run"] or "").strip()
        boards = self.read.boards
        if run not in boards:
            boards[run] = list(boards.get("", []))
        assert (found["before"] or "") == " ".join(boards[run])
        boards[run] += found["cards"].split(" ")
        self.bets.clear()
        self.facing = Decimal(0)

    def uncalled(self, found: re.Match[str]) -> None:
        amount = Decimal(found["amount"])
        self.read.ends[found["name"]] += amount
        self.read.put_in[found["name"]] -= amount

    def shows(self, found: re.Match[str]) -> None:
        self.read.shown[found["name"]] = found["cards"].split(" ")

    def collected(self, found: re.Match[str]) -> None:
        self.read.won[found["name"]] += Decimal(found["amount"])
        self.read.ends[found["name"]] += Decimal(found["amount"])

    def total(self, found: re.Match[str]) -> None:
        self.read.total = Decimal(found["total"])
        self.read.rake = Decimal(found["rake"])
        pots = re.findall(r"[$€£]?(\d+(?:\.\d\d)?)\.(?: |$)", found["pots"])
        if pots:
            assert sum(map(Decimal, pots)) + self.read.rake == self.read.total

    def fate(self, found: re.Match[str]) -> None:
        name = found["name"]
        assert self.ended
        won = [Decimal(amount) for amount in _WON.findall(found["results"] or "")]
        if found["collected"]:
            won.append(Decimal(found["collected"]))
        self.read.summed[name] = sum(won, Decimal(0))
        self.read.fates[name] = found[0]
