"""`python -m tests.runners.cases FILE`: run a file of rule cases through the engine.

The file's own header says what each field means. Prints the first difference of each case that
fails and the reason of each that is skipped; exit status 1 if any failed.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from dealer_service.rules.betting import Chair
from dealer_service.rules.button import LastHand, Positions, place_button, place_dead_button
from dealer_service.rules.entry import (
    Act,
    AnteKind,
    AnteRule,
    Choice,
    ChoicesCount,
    Limits,
    Owed,
    PotSmallBlind,
    RakeCap,
    RakeRule,
    RuleSet,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    Variant,
)
from dealer_service.rules.payout import split
from dealer_service.rules.positions import clockwise
from dealer_service.rules.pots import find_uncalled, layer_pots
from dealer_service.rules.ranking import (
    Category,
    best_five,
    category_of,
    strength_of,
    strength_using,
)
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.ruleset import MOST
from tests.runners.driver import (
    Driver,
    NotRunnableError,
    make_rules,
    open_hand,
    read_cards,
    stack_deck,
)
from tests.runners.outcome import Outcome, Verdict, refuse_file, report

GAMES: dict[str, dict[str, Any]] = {
    "nlh": {},
    "plh": {"structure": Structure.POT_LIMIT, "pot_small_blind": PotSmallBlind.EXACT},
    "flh": {"structure": Structure.FIXED_LIMIT},
    "plo": {
        "variant": Variant.OMAHA,
        "structure": Structure.POT_LIMIT,
        "pot_small_blind": PotSmallBlind.EXACT,
    },
}
SETTINGS = {
    *("game", "stacks", "button", "blinds", "blind_seats", "chip_unit", "hole", "board"),
    *("ante", "extra_posts", "straddle_action", "limits", "rake", "boards", "agree_runs"),
    *("agree_after", "players_left_in_event"),
}
SHARED_CARDS = {"preflop": 0, "flop": 3, "turn": 4}
HOLE_CARDS_USED = {"plo": 2}
STRAIGHT = "A23456789TJQKA"


class Difference(Exception):  # noqa: N818 - named for what it reports
    """The first thing that is not as a case says."""


class Skipped(Exception):  # noqa: N818 - named for what it reports
    """A case of something that the engine has not."""


def run_file(path: Path) -> list[Outcome]:
    """Run every case of a file; ValueError if it is none of this format."""
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    cases = loaded.get("cases") if isinstance(loaded, dict) else loaded
    if not isinstance(cases, list):
        message = "the file holds no list of cases"
        raise ValueError(message)  # noqa: TRY004 - the file's content, not a program's type
    return [run_case(case) for case in cases]


def run_case(case: Any) -> Outcome:
    """Run one case."""
    if not isinstance(case, dict):
        return Outcome(str(case)[:40], Verdict.FAILED, "it is no case: a mapping is expected")
    name = str(case.get("id", case.get("title", "?")))
    kind = case.get("kind")
    run = KINDS.get(str(kind))
    if run is None:
        return Outcome(name, Verdict.SKIPPED, f"kind {kind} is not of the hand engine")
    try:
        run(case)
    except Skipped as skipped:
        return Outcome(name, Verdict.SKIPPED, str(skipped))
    except (Difference, NotRunnableError) as difference:
        return Outcome(name, Verdict.FAILED, str(difference))
    except (ImpossibleEntry, KeyError, TypeError, ValueError, AttributeError) as fault:
        return Outcome(name, Verdict.FAILED, f"can not be run: {fault!r}")
    return Outcome(name, Verdict.PASSED)


def differ(what: str, given: Any, expected: Any) -> None:
    """Report a difference unless a value is as expected, or any of those that may be."""
    if isinstance(expected, dict) and set(expected) == {"any_of"}:
        if given not in expected["any_of"]:
            message = f"{what} is {given}, expected any of {expected['any_of']}"
            raise Difference(message)
    elif given != expected:
        message = f"{what} is {given}, expected {expected}"
        raise Difference(message)


def alternatives(expected: Any) -> list[Any]:
    """Give every value that may be right."""
    if isinstance(expected, dict) and set(expected) == {"any_of"}:
        return list(expected["any_of"])
    return [expected]


def plain(expected: Any, form: Callable[[Any], Any]) -> Any:
    """Bring an expected value into the form that it is compared in."""
    if isinstance(expected, dict) and set(expected) == {"any_of"}:
        return {"any_of": [form(one) for one in expected["any_of"]]}
    return form(expected)


# Cases of the kind 'hand'.


def run_hand(case: Mapping[str, Any]) -> None:
    setup = case["setup"]
    skip_unknown(setup)
    driver = start(setup)
    for number, step in enumerate(case.get("script") or (), 1):
        try:
            take(driver, step)
        except Difference as difference:
            message = f"step {number}: {difference}"
            raise Difference(message) from None
    result = case.get("result")
    if result:
        if driver.decision is not None:
            message = f"the script ends and seat {driver.decision.seat} has still to act"
            raise Difference(message)
        check_result(driver, result)


def skip_unknown(setup: Mapping[str, Any]) -> None:
    if setup.get("game", "nlh") not in GAMES:
        message = f"the game {setup['game']} is none of {', '.join(GAMES)}"
        raise Skipped(message)
    for name in setup:
        if name not in SETTINGS:
            message = f"the setting {name} is unknown"
            raise Skipped(message)
    if setup.get("agree_runs") not in {None, 1, 2}:
        message = "a hand is run twice at most"
        raise Skipped(message)


def start(setup: Mapping[str, Any]) -> Driver:
    stacks = {int(seat): chips for seat, chips in setup["stacks"].items()}
    button = setup["button"]
    order = clockwise(stacks, button)
    heads_up = len(order) == 2 and button in stacks
    seats = {"sb": button if heads_up else order[0], "bb": order[0] if heads_up else order[1]}
    seats.update(setup.get("blind_seats") or {})
    hole = {int(seat): read_cards(cards) for seat, cards in (setup.get("hole") or {}).items()}
    rules = read_rules(setup, max(10, button, *stacks), hole)
    boards = [read_cards(board) for board in setup.get("boards") or ()]
    board = boards[0] if boards else read_cards(setup.get("board") or "")
    twice = setup.get("agree_runs") == 2
    second = boards[1][shared_cards(setup, boards) :] if twice and boards[1:] else []
    deck = stack_deck(stacks, button, hole, board, each=rules.hole_cards or 2, second=second)
    straddle, owes = read_posts(setup, rules)
    opened = open_hand(
        stacks,
        button,
        seats["sb"],
        seats["bb"],
        straddle_seat=straddle,
        owes=owes,
        choices=dict.fromkeys(stacks, (Choice.RUNS,)) if twice else None,
    )
    return Driver.start(rules, opened, deck)


def shared_cards(setup: Mapping[str, Any], boards: list[list[str]]) -> int:
    """Give how many cards both boards share: those of the streets before the agreement."""
    if "agree_after" in setup:
        return SHARED_CARDS[setup["agree_after"]]
    same = [one == other for one, other in zip(*boards[:2], strict=False)]
    return max(cards for cards in SHARED_CARDS.values() if all(same[:cards]))


def read_rules(setup: Mapping[str, Any], seats: int, hole: Mapping[int, list[str]]) -> RuleSet:
    game = setup.get("game", "nlh")
    options = dict(GAMES[game])
    if game == "plo":
        options["hole_cards"] = max([len(cards) for cards in hole.values()], default=4)
    ante, rake = setup.get("ante"), setup.get("rake")
    if game == "flh":
        limits = setup["limits"]
        options["limits"] = Limits(
            limits["small"],
            limits["big"],
            limits.get("cap") or 0,
            uncapped_heads_up=bool(limits.get("uncapped_heads_up")),
        )
    if ante:
        options["ante"] = AnteRule(AnteKind(ante["kind"]), ante["amount"])
    if rake:
        caps = (RakeCap(2, MOST if rake.get("cap") is None else rake["cap"]),)
        no_drop = bool(rake.get("no_flop_no_drop"))
        options["rake"] = RakeRule(rake["bp"], caps, no_flop_no_drop=no_drop)
    if any(post["kind"] == "straddle" for post in setup.get("extra_posts") or ()):
        options["straddle"] = StraddleRule(straddle_kind(setup), StraddleRaise.DOUBLE)
        options["choices"] = ChoicesCount.BEFORE_LINKS
    if setup.get("agree_runs") == 2:
        options["runs"] = 2
        options["choices"] = ChoicesCount.BEFORE_LINKS
    blinds = setup["blinds"]
    unit = setup.get("chip_unit", 1)
    return make_rules(blinds["sb"], blinds["bb"], chip_unit=unit, seats=seats, **options)


def straddle_kind(setup: Mapping[str, Any]) -> StraddleKind:
    action = setup.get("straddle_action")
    if action is None:
        return StraddleKind.UNDER_THE_GUN
    if action != "left_of_button":
        message = f"the straddle action {action} is unknown"
        raise Skipped(message)
    return StraddleKind.MISSISSIPPI


def read_posts(setup: Mapping[str, Any], rules: RuleSet) -> tuple[int | None, dict[int, Owed]]:
    """Give the seat that straddles, and what others post besides the blinds."""
    straddle: int | None = None
    owes: dict[int, Owed] = {}
    for post in setup.get("extra_posts") or ():
        seat, kind, amount = int(post["seat"]), post["kind"], post["amount"]
        owed = owes.get(seat, Owed(0, 0))
        if kind == "straddle":
            full = 2 * rules.big_blind
            short = amount == setup["stacks"][seat] < full
            if straddle is not None or (amount != full and not short):
                message = "a straddle is one, of twice the big blind"
                raise Skipped(message)
            straddle = seat
        elif kind == "live":
            owes[seat] = replace(owed, live=owed.live + amount)
        elif kind == "dead":
            owes[seat] = replace(owed, dead=owed.dead + amount)
        else:
            message = f"the post {kind} is unknown"
            raise Skipped(message)
    return straddle, owes


def take(driver: Driver, step: Mapping[str, Any]) -> None:
    if "expect" in step:
        check_expected(driver, step["expect"])
    elif "reject" in step:
        reject = step["reject"]
        before = driver.state
        refusal = driver.act(reject["seat"], Act(reject["do"]), reject.get("to"))
        if refusal is None and not reject.get("optional"):
            message = f"{words(reject)} was accepted and must be refused"
            raise Difference(message)
        driver.state = before
    else:
        refusal = driver.act(step["seat"], Act(step["do"]), step.get("to"))
        if refusal is not None:
            message = f"{words(step)} was refused: {refusal.message}"
            raise Difference(message)


def words(action: Mapping[str, Any]) -> str:
    to = f" to {action['to']}" if action.get("to") is not None else ""
    return f"seat {action['seat']} {action['do']}{to}"


def check_expected(driver: Driver, expected: Mapping[str, Any]) -> None:
    unknown = expected.keys() - {"street", "to_act", "legal", "tabled", "board_cards"}
    if unknown:
        message = f"this runner does not know what to expect of {sorted(unknown)}"
        raise Difference(message)
    decision = driver.decision
    if "to_act" in expected:
        differ("to_act", decision.seat if decision else None, expected["to_act"])
    for what, value in (expected.get("legal") or {}).items():
        check_legal(driver, what, value)
    seen = [name for name in ("street", "tabled", "board_cards") if name in expected]
    # With nobody to act, all that follows has happened at once: any moment of it may be meant.
    views = driver.views[-1:] if decision else driver.views[::-1]
    found = [describe(view, seen) for view in views]
    if not any(matches(one, expected) for one in found):
        for name in seen:
            differ(name, found[0][name], plain(expected[name], lambda one: one))
        message = f"{found[0]} is not as expected"
        raise Difference(message)


def describe(view: Any, names: list[str]) -> dict[str, Any]:
    values = {
        "street": view.street,
        "tabled": sorted(view.tabled),
        "board_cards": view.board_cards,
    }
    return {name: values[name] for name in names}


def matches(found: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    for name, value in found.items():
        allowed = alternatives(expected[name])
        if name == "tabled":
            allowed = [sorted(one) for one in allowed]
        if value not in allowed:
            return False
    return True


def check_legal(driver: Driver, what: str, expected: Any) -> None:
    decision = driver.decision
    if decision is None:
        message = f"{what} is expected and nobody is to act"
        raise Difference(message)
    if what == "check":
        given: Any = decision.may_check
    elif what == "call":
        given = decision.call or None
    elif what in {"bet", "raise"}:
        offer = decision.bet if what == "bet" else decision.raise_
        given = {"min": offer.min, "max": offer.max} if offer else None
        for bound in ("min", "max"):
            inner = expected.get(bound) if isinstance(expected, dict) else None
            if given and isinstance(inner, dict):
                differ(f"{what} {bound}", given[bound], inner)
                given, expected = {**given, bound: None}, {**expected, bound: None}
        if given and isinstance(expected, dict) and "any_of" not in expected:
            given = {bound: given[bound] for bound in expected}
    else:
        message = f"this runner does not know the legal act {what}"
        raise Difference(message)
    differ(what, given, expected)


def check_result(driver: Driver, result: Mapping[str, Any]) -> None:
    for name, expected in result.items():
        if name == "note":
            continue
        if name == "pots":
            check_pots(driver, expected)
        elif name == "boards_won":
            differ(name, driver.boards_won, plain(expected, list))
        elif name in RESULTS:
            read, form = RESULTS[name]
            differ(name, read(driver), plain(expected, form))
        else:
            message = f"this runner does not know the result {name}"
            raise Difference(message)


def same(value: Any) -> Any:
    return value


def award_order(driver: Driver) -> list[str]:
    order = dict.fromkeys(one.pot for one in driver.awarded)
    return [f"side{pot}" if pot else "main" for pot in order]


RESULTS: dict[str, tuple[Callable[[Driver], Any], Callable[[Any], Any]]] = {
    "returned": (lambda driver: driver.returned, lambda value: value or {}),
    "rake": (lambda driver: sum(one.rake for one in driver.awarded), same),
    "stacks": (lambda driver: driver.stacks, same),
    "award_order": (award_order, same),
    "show_order": (lambda driver: driver.show_order, same),
    "shown": (lambda driver: sorted(driver.shown), sorted),
    "mucked": (lambda driver: sorted(driver.mucked), sorted),
}


def check_pots(driver: Driver, expected: Any) -> None:
    pots: dict[int, dict[str, Any]] = {}
    for award in sorted(driver.awarded, key=lambda award: award.pot):
        pot = pots.setdefault(
            award.pot,
            {"amount": 0, "eligible": sorted(driver.eligible[award.pot]), "winners": {}},
        )
        pot["amount"] += award.amount - award.rake
        for winner in award.winners:
            pot["winners"][winner.seat] = pot["winners"].get(winner.seat, 0) + winner.amount
    differ_pots(list(pots.values()), expected)


def differ_pots(given: list[dict[str, Any]], expected: Any) -> None:
    choices = alternatives(expected)
    if len(choices) > 1:
        if not any(pots_equal(given, choice) for choice in choices):
            message = f"pots are {given}, expected any of {choices}"
            raise Difference(message)
        return
    differ("the number of pots", len(given), len(choices[0]))
    for number, (pot, wanted) in enumerate(zip(given, choices[0], strict=True)):
        for key, value in wanted.items():
            form = sorted if key == "eligible" else same
            differ(f"pot {number}: {key}", pot.get(key), plain(value, form))


def pots_equal(given: list[dict[str, Any]], expected: Any) -> bool:
    try:
        differ_pots(given, expected)
    except Difference:
        return False
    return True


# Cases of the kind 'eval'.


def run_eval(case: Mapping[str, Any]) -> None:
    board = read_cards(case.get("board") or "")
    used = HOLE_CARDS_USED.get(case.get("game", "nlh"))
    hands = {str(name): read_cards(cards) for name, cards in case["hands"].items()}
    expect = case["expect"]
    strengths = {
        name: strength_using(hole, board, used) if used else strength_of((*hole, *board))
        for name, hole in hands.items()
    }
    if "order" in expect:
        order = [
            sorted(name for name in strengths if strengths[name] == strength)
            for strength in sorted(set(strengths.values()), reverse=True)
        ]
        differ("order", order, plain(expect["order"], sorted_groups))
    for name, category in (expect.get("category") or {}).items():
        given = category_of(strengths[str(name)])
        differ(f"category of {name}", given.name.lower(), category)
    for name, high in (expect.get("high") or {}).items():
        differ(f"high of {name}", straight_high(strengths[str(name)]), high)
    for name, five in (expect.get("best_five") or {}).items():
        check_best_five(hands[str(name)], board, used, name, five)
    unknown = expect.keys() - {"order", "category", "high", "best_five"}
    if unknown:
        message = f"this runner does not know what to expect of {sorted(unknown)}"
        raise Difference(message)


def sorted_groups(order: Any) -> list[list[str]]:
    return [sorted(map(str, group)) if isinstance(group, list) else [str(group)] for group in order]


def straight_high(strength: int) -> int | None:
    """Give the top rank of a straight, 5 to 14; None for other hands."""
    if category_of(strength) not in {Category.STRAIGHT, Category.STRAIGHT_FLUSH}:
        return None
    return next(
        top
        for top in range(5, 15)
        for suits in ("ccccc", "ccccd")
        if strength_of([r + s for r, s in zip(STRAIGHT[top - 5 : top], suits, strict=True)])
        == strength
    )


def check_best_five(
    hole: list[str], board: list[str], used: int | None, name: str, expected: Any
) -> None:
    """Compare five cards as a set: cards that serve equally, and their order, are our own rule."""
    choices = [
        read_cards(one if isinstance(one, str) else " ".join(one)) for one in alternatives(expected)
    ]
    strength = strength_using(hole, board, used) if used else strength_of((*hole, *board))
    for five in choices:
        mine = len(set(five) & set(hole))
        own = len(set(five)) == 5 and set(five) <= {*hole, *board}
        if own and strength_of(five) == strength and used in {None, mine}:
            return
    given = best_five((*hole, *board)) if used is None else "another"
    message = f"best five of {name} is {given}, expected {expected}"
    raise Difference(message)


# Cases of the kind 'pots'.


def run_pots(case: Mapping[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    folded = set(given.get("folded") or ())
    chairs = [
        Chair(int(seat), 0, 0, chips, folded=int(seat) in folded, acted=True)
        for seat, chips in sorted(given["contributed"].items())
    ]
    uncalled = find_uncalled(chairs)
    if uncalled:
        owner, back = uncalled
        chairs = [
            replace(chair, put=chair.put - back) if chair.seat == owner else chair
            for chair in chairs
        ]
    if "returned" in expect:
        differ("returned", dict([uncalled] if uncalled else ()), expect["returned"] or {})
    if "pots" in expect:
        pots = [
            {"amount": pot.amount, "eligible": sorted(pot.eligible)}
            for pot in layer_pots(chairs, given.get("dead") or 0)
        ]
        differ_pots(pots, expect["pots"])
    unknown = expect.keys() - {"returned", "pots"}
    if unknown:
        message = f"this runner does not know what to expect of {sorted(unknown)}"
        raise Difference(message)


# Cases of the kind 'split'.


def run_split(case: Mapping[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    unit = given.get("chip_unit", 1)
    low_winners = given.get("low_winners") or []
    high, low = split(given["pot"], 2, unit) if low_winners else (given["pot"], 0)
    paid: dict[int, int] = {}
    for amount, winners in ((high, given["high_winners"]), (low, low_winners)):
        order = clockwise(winners, given["button"])
        shares = split(amount, len(order), unit) if order else ()
        for seat, share in zip(order, shares, strict=True):
            paid[seat] = paid.get(seat, 0) + share
    found = {"halves": {"high": high, "low": low}, "paid": paid}
    for name, expected in expect.items():
        if name not in found:
            message = f"this runner does not know what to expect of {name}"
            raise Difference(message)
        differ(name, found[name], plain(expected, same))


# Cases of the kind 'button': the dead button, or by the policy of a cash game the moving one.


def run_button(case: Mapping[str, Any]) -> None:
    given = case["given"]
    moving = case.get("mode") == "cash"
    if given["sb"] is None:
        message = "where a dead small blind stood is not told"
        raise Skipped(message)
    seats = tuple(sorted(given["seats"]))
    last = LastHand(Positions(given["button"], given["sb"], given["bb"]), seats)
    for step in ({**given, "expect": case["expect"]}, *(case.get("then") or ())):
        gone = set(step.get("eliminated_or_left") or ())
        seats = tuple(seat for seat in last.dealt_in if seat not in gone)
        if moving:
            placed = place_button(seats, last.positions.button, stays=False)
        else:
            placed = place_dead_button(seats, last, void=False)
        last = LastHand(placed, seats)
        check_button(last, step["expect"])


def check_button(hand: LastHand, expected: Mapping[str, Any]) -> None:
    placed = hand.positions
    order = clockwise(hand.dealt_in, placed.button)
    found = {
        "button": placed.button,
        "sb": placed.small_blind,
        "bb": placed.big_blind,
        "button_is_dead": placed.button not in hand.dealt_in,
        "last_to_act_postflop": order[-1],
        "first_postflop": order[0],
        "first_preflop": clockwise(hand.dealt_in, placed.big_blind)[0],
    }
    for name, value in expected.items():
        if name not in found:
            message = f"this runner does not know what to expect of {name}"
            raise Difference(message)
        differ(name, found[name], plain(value, same))


KINDS: dict[str, Callable[[Mapping[str, Any]], None]] = {
    "hand": run_hand,
    "eval": run_eval,
    "pots": run_pots,
    "split": run_split,
    "button": run_button,
}


def main(arguments: list[str]) -> int:
    """Run the file that is named and report."""
    if len(arguments) != 1:
        return refuse_file("name one file of cases")
    try:
        outcomes = run_file(Path(arguments[0]))
    except (OSError, ValueError, yaml.YAMLError) as fault:
        return refuse_file(f"{arguments[0]} can not be read as cases: {fault}")
    return report(outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
