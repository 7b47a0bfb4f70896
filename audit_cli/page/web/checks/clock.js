/**
 * PLAYED, by whom and when: acts of players, of the clock, and for those who left or are absent
 * (PROTOCOL.md section 9.5).
 *
 * The clock never acts before the turn's time and the time bank are over, always checks or folds,
 * and its seat sits out at once. A player's act behind that is told and breaks nothing.
 */

import {drawBank, measureTurn} from "../poker/banks.js";
import {judgeHolder} from "../poker/between.js";
import {newProblem} from "../poker/problems.js";
import {summariseEntry} from "../poker/words.js";

const OWN_WILL = new Set(["player", "pre_action"]);

/**
 * Judges by whom and when an act in turn is; the table has not taken it yet, and is not changed.
 * @param table the state between hands (table.js), with rules
 * @param entry an `acted` of the seat whose turn it is
 * @param {{began: number, owes: number}} turn when it began, and what the seat owes
 * @returns {{problems, bank, lateBy, sitsOut}} what the seat's bank holds behind the act, by how
 *   many ms a player was later than its clock, whether its seat has to sit out at once
 */
export function judgeActor(table, {body, at}, turn) {
  const seat = table.seats.get(body.seat);
  const left = seat?.leaving ?? false;
  const isAbsent = table.hand?.absent.has(body.seat) ?? false;
  const problems = judgeBy(body, left, isAbsent, turn.owes > 0);
  const held = table.rules.time_bank === null ? 0 : (seat?.bank ?? 0);
  const {late, clockFrom} = measureTurn(table.rules, turn.began, at, held);
  const byClock = body.by === "clock";
  if (byClock && at < clockFrom) {
    problems.push(newProblem("the clock acts before its time", `not before ${clockFrom}`, at));
  }
  return {
    problems,
    bank: drawBank(held, body.by, late),
    lateBy: body.by === "player" && at > clockFrom ? at - clockFrom : 0,
    sitsOut: byClock && seat !== undefined && !seat.sittingOut && !left && !isAbsent,
  };
}

/** An act for a player who left or is absent, or that no player chose: who acts, and how. */
function judgeBy({by, act}, left, isAbsent, owes) {
  const problems = [];
  if ((left || isAbsent) !== (by === "absent")) {
    const ruled = isAbsent ? "absent, as its opening says" : "player, pre_action or clock";
    const wanted = left ? "absent, as its player left" : ruled;
    problems.push(newProblem("an act by another than its player's state gives", wanted, by));
  }
  const ruled = owes ? "fold" : "check";
  if (!OWN_WILL.has(by) && act !== ruled) {
    problems.push(newProblem(`an act by ${by} is another than the rule's`, ruled, act));
  }
  return problems;
}

/**
 * Judges the entry behind an act of the clock, and each other `sat_out`.
 * @param {number|null} clocked the seat for which the clock acted just before, which has to sit
 *   out now, or null
 */
export function judgeSittingOut(table, entry, clocked) {
  const {kind, body} = entry;
  const sits = kind === "sat_out";
  const answers = sits && clocked !== null && body.seat === clocked && body.by === "clock";
  const problems = [];
  // An entry that can not be read may be the one.
  if (clocked !== null && !answers && kind !== "") {
    const text = "the clock acted, and its seat does not sit out at once";
    const wanted = `sat_out, seat ${clocked}, by clock`;
    problems.push(newProblem(text, wanted, summariseEntry(entry)));
  }
  if (!sits) return problems;
  problems.push(...judgeHolder(table, entry));
  if (body.by === "clock" && !answers && !table.isTorn) {
    const text = "a seat sits out by a clock that did not act";
    problems.push(newProblem(text, null, summariseEntry(entry)));
  }
  return problems;
}
