"""What a request must look like, before anybody looks at what it means.

One list of rules for each message, and each field has its rule; every fault of a request is named
at once. Only the form is judged here (lengths, characters, ranges), and whether a game could be
played under a rule set: whether a seat is free or a bet is legal is the rules' business.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from google.protobuf.message import Message

from cutcard.v1 import certify_pb2, fairness_pb2, operate_pb2, play_pb2, tournament_pb2
from dealer_service.rpc.convert_rules import rules_of
from dealer_service.rpc.convert_structure import find_unknown_words, structure_of
from dealer_service.rules.entry import Choice
from dealer_service.rules.ruleset import find_faults
from dealer_service.rules.tournament.structure import find_faults as find_structure_faults
from dealer_service.transcript.noted import Stage

MAX_INTEGER: Final = 2**53 - 1
MAX_PAGE: Final = 1_000
MAX_HANDS: Final = 1_000_000
MOST_SEATS: Final = 10

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_GAME = re.compile(r"[0-9a-f]{32}")
_PLAYER = re.compile(r"[A-Za-z0-9._-]{1,64}")
_REFERENCE = re.compile(r"[ -~]{0,128}")
_PAGE_TOKEN = re.compile(r"(0{16}[0-7][0-9a-f]{15})?")

_POLICY = re.compile(r"[a-z_]{0,32}")

Check = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class Violation:
    """A field that is malformed, and what it must be."""

    field: str
    description: str


class Malformed(Exception):  # noqa: N818 - a request is malformed
    """A request with one or more malformed fields."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(
            "the request is malformed: " + ", ".join(v.field or v.description for v in violations)
        )
        self.violations = violations


@dataclass(frozen=True, slots=True)
class Together:
    """Fields whose rule is about more than one of them, or about what is in them."""

    fields: tuple[str, ...]
    find: Callable[[Any], tuple[Violation, ...]]


def validate(request: Message) -> None:
    """Raise Malformed with every fault of a request's fields."""
    violations = tuple(
        Violation(name, fault)
        for name, check in _RULES.get(type(request), ())
        if (fault := check(getattr(request, name))) is not None
    )
    whole = _TOGETHER.get(type(request))
    if whole is not None:
        violations += whole.find(request)
    if violations:
        raise Malformed(violations)


def _matches(pattern: re.Pattern[str], description: str) -> Check:
    return lambda value: None if pattern.fullmatch(value) else description


def _between(low: int, high: int, description: str) -> Check:
    return lambda value: None if low <= value <= high else description


def _of_length(lengths: tuple[int, ...], description: str) -> Check:
    return lambda value: None if len(value) in lengths else description


def _anything(_value: object) -> None:
    """Take any value of a field's type."""


def _missing_link_faults(request: play_pb2.AnchorRequest) -> tuple[Violation, ...]:
    has_hand, has_link = request.HasField("missing_hand"), request.HasField("missing_link")
    faults = []
    if has_hand != has_link:
        absent = "missing_link" if has_hand else "missing_hand"
        together = "missing_hand and missing_link come together or not at all"
        faults.append(Violation(absent, together))
    if has_link and len(request.missing_link) != 32:
        faults.append(Violation("missing_link", "must be 32 bytes"))
    return tuple(faults)


def _stage_faults(request: fairness_pb2.GetLogProofRequest) -> tuple[Violation, ...]:
    if request.stage in _HAND_STAGES and not request.hand:
        return (Violation("hand", f"must be at least 1 with {request.stage}"),)
    if request.stage in _GAME_STAGES and request.hand:
        return (Violation("hand", f"must be 0 with {request.stage}, which is of no hand"),)
    return ()


def _rule_set_faults(request: operate_pb2.OpenGameRequest) -> tuple[Violation, ...]:
    """Find what can not be played, and what no dealer does, so that none is promised."""
    rules = rules_of(request.rules)
    faults = []
    if rules.tournament is not None:
        message = "must be left out: a tournament opens its tables itself"
        faults.append(Violation("rules.tournament", message))
        rules = replace(rules, tournament=None)
    faults += [Violation(f"rules.{fault.field}", fault.message) for fault in find_faults(rules)]
    return tuple(faults)


def _structure_faults(request: tournament_pb2.OpenTournamentRequest) -> tuple[Violation, ...]:
    """Find what no tournament can be played by."""
    faults = [
        Violation(f"structure.{field}", fault)
        for field, fault in find_unknown_words(request.structure).items()
    ]
    faults += [
        Violation(f"structure.{fault.field}", fault.message)
        for fault in find_structure_faults(structure_of(request.structure))
    ]
    if request.structure.rules.HasField("tournament"):
        must = "must be left out: each table gets its own"
        faults.append(Violation("structure.rules.tournament", must))
    return tuple(faults)


def _share_faults(
    request: tournament_pb2.ProposeDealRequest | tournament_pb2.AgreeToDealRequest,
) -> tuple[Violation, ...]:
    """Find what is no list of players and amounts; whether it adds up, the rules say."""
    faults = []
    names = [share.player for share in request.shares]
    if not names or len(set(names)) < len(names) or len(names) > MOST_SEATS:
        faults.append(Violation("shares", f"must be of 1 to {MOST_SEATS} players, each once"))
    for number, share in enumerate(request.shares[:MOST_SEATS]):
        name, check = _NAMED
        if (fault := check(share.player)) is not None:
            faults.append(Violation(f"shares[{number}].{name}", fault))
        if share.amount > MAX_INTEGER:
            faults.append(Violation(f"shares[{number}].amount", f"must be {_COUNT[8:]}"))
    return tuple(faults)


_HAND_STAGES: Final = frozenset({Stage.HAND_OPENED, Stage.DECK_COMMITTED, Stage.HAND_VOID})
_GAME_STAGES: Final = frozenset(Stage) - _HAND_STAGES

_ID = ("request_id", _matches(_REQUEST_ID, "must be 8 to 64 characters of A-Z a-z 0-9 . _ -"))
_IN_GAME = ("game", _matches(_GAME, "must be 32 lower-case hex digits"))
_IN_TOURNAMENT = ("tournament", _matches(_GAME, "must be 32 lower-case hex digits"))
_NAMED = ("player", _matches(_PLAYER, "must be 1 to 64 characters of A-Z a-z 0-9 . _ -"))
_REFERRED = ("reference", _matches(_REFERENCE, "must be at most 128 printable ASCII characters"))
_ANCHORED = ("anchor", _of_length((0, 32), "must be 32 bytes, or empty"))
_CHIPS = "must be from 1 to 2^53 - 1 chips"
_COUNT = "must be at most 2^53 - 1"
_PAGE = "must be from 0 to 1000"


def _chips(name: str) -> tuple[str, Check]:
    return name, _between(1, MAX_INTEGER, _CHIPS)


def _count(name: str, low: int = 0) -> tuple[str, Check]:
    return name, _between(low, MAX_INTEGER, f"must be at least {low} and {_COUNT[8:]}")


def _act(value: int) -> str | None:
    if play_pb2.ACT_FOLD <= value <= play_pb2.ACT_RAISE:
        return None
    return "must be ACT_FOLD, ACT_CHECK, ACT_CALL, ACT_BET or ACT_RAISE"


def _choices(words: Sequence[str]) -> str | None:
    known = set(words) <= set(Choice) and len(set(words)) == len(words)
    return None if known else f"must be any of {', '.join(Choice)}, each once"


def _stage(word: str) -> str | None:
    return None if word in set(Stage) else f"must be one of {', '.join(Stage)}"


def _pre_act(value: int) -> str | None:
    if play_pb2.PRE_ACT_NONE <= value <= play_pb2.PRE_ACT_FOLD:
        return None
    return (
        "must be PRE_ACT_NONE, PRE_ACT_CHECK_FOLD, PRE_ACT_CHECK, PRE_ACT_CALL, PRE_ACT_CALL_ANY "
        "or PRE_ACT_FOLD"
    )


_SEAT: tuple[str, Check] = ("seat", _between(0, 10, "must be 0 (any free seat) or from 1 to 10"))
_REVEAL = ("accepts_reveal", _matches(_POLICY, "must be at most 32 characters of a-z _"))
_TOURNAMENT_STATES = re.compile(r"(registering|running|break|stopped|ending|closed|lost|archived)?")
_STATES = "must be empty, open, paused, closed, revealed, lost or archived"

_RULES: Final[dict[type[Message], tuple[tuple[str, Check], ...]]] = {
    play_pb2.TakeSeatRequest: (
        _ID,
        _IN_GAME,
        _SEAT,
        _chips("stack"),
        _ANCHORED,
        _REVEAL,
        _REFERRED,
    ),
    play_pb2.LeaveSeatRequest: (_ID, _IN_GAME, _REFERRED),
    play_pb2.AddChipsRequest: (_ID, _IN_GAME, _chips("amount"), _REFERRED),
    play_pb2.SitOutRequest: (_ID, _IN_GAME),
    play_pb2.ComeBackRequest: (_ID, _IN_GAME),
    play_pb2.AnchorRequest: (
        _ID,
        _IN_GAME,
        ("anchor", _of_length((32,), "must be 32 bytes")),
        _count("missing_hand"),
    ),
    play_pb2.GiveLinkRequest: (
        _IN_GAME,
        _count("hand", 1),
        ("link", _of_length((32,), "must be 32 bytes")),
    ),
    play_pb2.ActRequest: (
        _ID,
        _IN_GAME,
        _count("hand", 1),
        _count("turn", 1),
        ("act", _act),
        _count("to"),
    ),
    play_pb2.ShowRequest: (_ID, _IN_GAME, _count("hand", 1)),
    play_pb2.PreferRequest: (_ID, _IN_GAME, ("choices", _choices)),
    play_pb2.PreSelectRequest: (_IN_GAME, _count("hand", 1), ("act", _pre_act)),
    play_pb2.GetTableRequest: (_IN_GAME,),
    play_pb2.GetStatisticsRequest: (_IN_GAME,),
    play_pb2.WatchRequest: (_IN_GAME, _count("from")),
    operate_pb2.OpenGameRequest: (_ID, _REFERRED),
    operate_pb2.ListGamesRequest: (
        ("state", _matches(re.compile(r"(open|paused|closed|revealed|lost|archived)?"), _STATES)),
        ("page_size", _between(0, MAX_PAGE, _PAGE)),
        ("page_token", _matches(_PAGE_TOKEN, "must be empty or as an answer gave it")),
    ),
    operate_pb2.GetGameRequest: (_IN_GAME,),
    operate_pb2.PauseGameRequest: (_ID, _IN_GAME),
    operate_pb2.ResumeGameRequest: (_ID, _IN_GAME),
    operate_pb2.CloseGameRequest: (_ID, _IN_GAME, _REFERRED),
    operate_pb2.VoidHandRequest: (_ID, _IN_GAME, _count("hand", 1)),
    operate_pb2.RemovePlayerRequest: (_ID, _IN_GAME, _NAMED, _REFERRED),
    operate_pb2.FollowChipsRequest: (_count("after"), ("stop_at_end", _anything)),
    tournament_pb2.OpenTournamentRequest: (_ID, _REFERRED),
    tournament_pb2.ListTournamentsRequest: (
        (
            "state",
            _matches(
                _TOURNAMENT_STATES,
                "must be empty, registering, running, break, stopped, ending, closed, lost or "
                "archived",
            ),
        ),
        ("page_size", _between(0, MAX_PAGE, _PAGE)),
        ("page_token", _matches(_PAGE_TOKEN, "must be empty or as an answer gave it")),
    ),
    tournament_pb2.GetTournamentRequest: (_IN_TOURNAMENT,),
    tournament_pb2.RegisterRequest: (
        _ID,
        _IN_TOURNAMENT,
        ("anchors", _anything),
        _REVEAL,
        _REFERRED,
    ),
    tournament_pb2.WithdrawRequest: (_ID, _IN_TOURNAMENT, _REFERRED),
    tournament_pb2.RebuyRequest: (_ID, _IN_TOURNAMENT, _REFERRED),
    tournament_pb2.DeclineRebuyRequest: (_ID, _IN_TOURNAMENT),
    tournament_pb2.AddOnRequest: (_ID, _IN_TOURNAMENT, _REFERRED),
    tournament_pb2.ProposeDealRequest: (_ID, _IN_TOURNAMENT, _count("left")),
    tournament_pb2.AgreeToDealRequest: (_ID, _IN_TOURNAMENT, _count("left")),
    tournament_pb2.StopTournamentRequest: (_ID, _IN_TOURNAMENT),
    tournament_pb2.ResumeTournamentRequest: (_ID, _IN_TOURNAMENT),
    tournament_pb2.CancelTournamentRequest: (_ID, _IN_TOURNAMENT),
    tournament_pb2.DisqualifyRequest: (_ID, _IN_TOURNAMENT, _NAMED, _REFERRED),
    tournament_pb2.WatchTournamentRequest: (_IN_TOURNAMENT, _count("from")),
    fairness_pb2.GetKeyRequest: (),
    fairness_pb2.GetCheckpointRequest: (_IN_GAME,),
    fairness_pb2.ListEntriesRequest: (
        _IN_GAME,
        _count("from"),
        ("limit", _between(0, MAX_PAGE, _PAGE)),
    ),
    fairness_pb2.GetInclusionProofRequest: (_IN_GAME, _count("index"), _count("size")),
    fairness_pb2.GetConsistencyProofRequest: (
        _IN_GAME,
        _count("from_size", 1),
        _count("to_size"),
    ),
    fairness_pb2.GetGameFileRequest: (_IN_GAME,),
    fairness_pb2.GetLogProofRequest: (_IN_GAME, _count("hand"), ("stage", _stage)),
    certify_pb2.DescribeRequest: (),
    certify_pb2.DealHandsRequest: (
        ("count", _between(1, MAX_HANDS, f"must be from 1 to {MAX_HANDS} hands")),
    ),
}

_TOGETHER: Final[dict[type[Message], Together]] = {
    play_pb2.AnchorRequest: Together(("missing_hand", "missing_link"), _missing_link_faults),
    fairness_pb2.GetLogProofRequest: Together(("hand",), _stage_faults),
    operate_pb2.OpenGameRequest: Together(("rules",), _rule_set_faults),
    tournament_pb2.OpenTournamentRequest: Together(("structure",), _structure_faults),
    tournament_pb2.ProposeDealRequest: Together(("shares",), _share_faults),
    tournament_pb2.AgreeToDealRequest: Together(("shares",), _share_faults),
}
