"""A house that is suspected: what its key could do between the rules, and what a reader is told.

What no rule can judge is a notice: whom the operator disqualified, that it stopped, what a deal
was, who withdrew when the draw could be known, and how long a table was left to wait.
"""

from dataclasses import replace

from audit_cli.report.finding import ExitStatus, Promise, Verdict
from dealer_service.transcript.note import note_signer
from tests.support.audits import judge, tell, told
from tests.support.event_audits import broken_of_event, judge_event, unproved_of_event
from tests.support.tournament_files import EventFiles, play_event
from tests.support.tournament_houses import event, make_levels, make_structure
from tests.support.tournament_play import ORIGIN, Habits
from tests.support.transcripts import Found, Transcript, dump


def _broken_with(files: EventFiles, promise: Promise, word: str) -> bool:
    report = judge_event(files.joined(), files.key)
    found = [one for one in report.of(promise) if one.verdict is Verdict.BROKEN]
    return any(word in one.text for one in found)


def _button(log: Transcript, number: int) -> Found:
    """Give the draw of so many-th of a first button."""
    return [one for one in log.all("drawn") if one.body["what"] == "button"][number]


def test_a_table_signed_by_another_key_is_no_table_of_the_tournament() -> None:
    """Without a trusted key each file would else be believed by its own."""
    files = event("hands")
    tables = b"".join(map(files.table_file, files.tables))
    files.signer = note_signer(ORIGIN, bytes(32))
    report = judge_event(files.tournament_file() + tables)
    assert broken_of_event(report) == {"LINKED"}, tell(report)
    (first, *_) = report.of(Promise.LINKED)
    assert "signed by another key" in first.text
    assert first.expected == files.key


def test_of_two_files_of_a_tournament_the_one_that_tells_more_is_judged() -> None:
    files = event("sit_and_go")
    part = files.copy()
    part.tournament.cut(40)
    part.tournament.checkpoints = [40]
    for data in (
        part.tournament_file() + files.joined(),
        files.joined() + part.tournament_file(),
    ):
        report = judge_event(data, files.key)
        assert not broken_of_event(report) | unproved_of_event(report), tell(report)
        assert "more than once" in told(report)


def test_a_button_is_drawn_when_a_hand_could_start_and_not_before() -> None:
    """Who draws it sooner keeps the next secret for a draw that it likes better."""
    files = event("late")
    drawn = _button(files.tournament, -1)
    late = {"player": "late", "entrant": 99, "anchors": False}
    files.tournament.insert(drawn.index, drawn.at, "registered", late)
    assert _broken_with(files, Promise.DRAWN, "where no hand may start")


def test_no_button_is_drawn_while_the_tournament_is_stopped() -> None:
    files = event("tables")
    drawn = _button(files.tournament, -1)
    files.tournament.insert(drawn.index + 1, drawn.at, "resumed", {})
    files.tournament.insert(drawn.index, drawn.at, "stopped", {})
    assert _broken_with(files, Promise.DRAWN, "where no hand may start")


def test_a_round_waits_for_a_table_whose_players_may_still_give_anchors() -> None:
    """Else a table near the money could be let off its hand as soon as somebody moves there."""
    structure = make_structure(4, 8, make_levels(300_000, breaks={}), hand_for_hand=6)
    rules = replace(structure.rules, link_ms=600_000)
    files = play_event(replace(structure, rules=rules), habits=Habits(all_in=0.0))
    log = files.tournament
    started = log.all("hand_started")
    assert [one.body["table"] for one in started[:2]] == [1, 2]
    finished = next(one for one in log.all("hand_finished") if one.body["table"] == 2)
    for index in (finished.index, started[1].index):
        log.delete(index)
    for one in log.all("registered"):
        log.change(one.index, anchors=True)
    assert _broken_with(files, Promise.LEVELS, "two hands in one round")


def test_nobody_is_disqualified_behind_the_close_of_a_table() -> None:
    files = event("hands")
    closed = files.tournament.find("table_closed")
    (winner,) = [one for one in files.tournament.all("placed") if one.body["place"] == 1]
    body = {"player": winner.body["player"], "table": 1, "seat": 1, "stack": 0}
    files.tournament.insert(closed.index + 1, closed.at, "disqualified", body)
    assert _broken_with(files, Promise.ORDERED, "behind the close of a table")


def test_who_was_disqualified_and_how_often_it_stopped_is_told() -> None:
    files = event("late")
    report = judge_event(files.joined(), files.key)
    (notice,) = [one for one in report.notices if one.text.startswith("disqualified")]
    gone = [one.body for one in files.tournament.all("disqualified")]
    assert notice.game == files.tournament.game
    assert list(notice.details) == [f"{one['player']} of table {one['table']}" for one in gone]
    stops = len(files.tournament.all("stopped"))
    assert f"the operator stopped this tournament {stops} times" in told(report)


def test_a_deal_is_told_with_its_shares() -> None:
    files = event("deal")
    report = judge_event(files.joined(), files.key)
    deal = files.tournament.find("deal_agreed").body
    (notice,) = [one for one in report.notices if one.text.startswith("a deal")]
    assert all(f"{one['player']} {one['amount']}" in notice.details[0] for one in deal["shares"])


def test_a_second_deal_does_not_take_back_what_the_first_gave() -> None:
    """It shares what the first left alone, and would let the shares of the first vanish."""
    files = event("deal")
    deal = files.tournament.find("deal_agreed")
    (first, *others) = deal.body["shares"]
    shares = [first | {"amount": deal.body["left"]}, *(one | {"amount": 0} for one in others)]
    again = {"shares": shares, "left": 0}
    files.tournament.insert(deal.index + 1, deal.at, "deal_agreed", again)
    assert _broken_with(files, Promise.PLACED, "a deal was made before")


def test_who_withdraws_when_all_seats_are_taken_is_told() -> None:
    """The dealer knows the draw's secret: by another list it could choose another draw."""
    files = event("sit_and_go")
    log = files.tournament
    start, last = log.find("started"), log.all("registered")[-1]
    log.insert(start.index, start.at, "registered", last.body)
    log.insert(start.index, start.at, "withdrawn", {"player": last.body["player"]})
    report = judge_event(files.joined(), files.key)
    (notice,) = [one for one in report.notices if one.text.startswith("entered")]
    assert notice.details == (f"{last.body['player']}, withdrawn",)


def test_who_enters_when_registration_is_to_close_is_told() -> None:
    files = event("late")
    log = files.tournament
    closed = log.find("registration_closed")
    late = {"player": "friend", "entrant": len(log.all("registered")) + 1, "anchors": False}
    log.insert(closed.index, closed.at, "registered", late)
    report = judge_event(files.joined(), files.key)
    (notice,) = [one for one in report.notices if one.text.startswith("entered")]
    assert notice.details == ("friend, registered",)


def test_a_table_that_was_left_to_wait_is_told() -> None:
    files = event("sit_and_go")
    (*_, last) = files.tournament.all("hand_started")
    table = files.tables[1]
    opened = table.find("hand_opened", hand=last.body["hand"])
    for log, first in ((files.tournament, last.index), (table, opened.index)):
        for line in log.all()[first:]:
            log.move_time(line.index, line.at + 90_000)
    report = judge_event(files.mend().joined(), files.key)
    assert not broken_of_event(report), tell(report)
    assert f"longest hand {last.body['hand']} of table 1, 90,000 ms" in told(report)


def test_however_much_was_commanded_few_notices_tell_it() -> None:
    files = event("deal")
    deal = files.tournament.find("deal_agreed")
    for _ in range(50):
        files.tournament.insert(deal.index, deal.at, "deal_agreed", deal.body)
    report = judge_event(files.joined(), files.key)
    (notice,) = [one for one in report.notices if one.text.startswith("a deal")]
    assert len(notice.details) == 21
    assert notice.details[-1] == "and 31 more"


def test_a_tournament_cancelled_before_its_start_has_no_hands_to_judge() -> None:
    files = event("sit_and_go")
    log = files.tournament
    start, secret = log.find("started"), log.find("drawn").body["secret"]
    log.cut(start.index - 1)
    body = {"reason": "cancelled", "secret": secret}
    log.lines.append(dump({"at": start.at, "tournament_closed": body}))
    log.checkpoints = [len(log.lines)]
    report = judge(files.tournament_file(), key=files.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    assert report.verdicts()[Promise.PLAYED] is Verdict.NOT_APPLICABLE
    log.cut(4)
    log.checkpoints = [4]
    report = judge(files.tournament_file(), key=files.key)
    assert report.verdicts()[Promise.PLAYED] is Verdict.NOT_ESTABLISHED


def test_an_honest_event_has_nothing_to_be_told() -> None:
    files = event("hands")
    report = judge_event(files.joined(), files.key)
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED
    assert not report.notices
