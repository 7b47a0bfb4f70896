/**
 * What an entry between hands may say, by the log before it (PROTOCOL.md sections 6.2, 6.3, 8).
 *
 * `judgeBetween(table, entry)` is asked before the table takes the entry. It gives problems:
 * {text, expected, found}, the last two null where there is nothing to compare.
 */

import {areInOrder} from "./choices.js";
import {judgeColors} from "./colors.js";
import {addExactly} from "./exactly.js";
import {judgeOpening, mustBringBack} from "./opening.js";
import {newProblem} from "./problems.js";
import {countChips, findSeat, isDealtIn} from "./table.js";

const MOST_CHIPS = Number.MAX_SAFE_INTEGER;

/** The problems of an entry between hands, or of an aside within one, in no certain order. */
export function judgeBetween(table, entry) {
  return JUDGES.get(entry.kind)?.(table, entry) ?? [];
}

const JUDGES = new Map(/** @type {[string, any][]} */ ([
  ["game_opened", judgeGameOpened],
  ["seat_taken", judgeSeatTaken],
  ["seat_left", judgeLeaving],
  ["player_removed", judgeLeaving],
  ["chips_added", judgeChipsAdded],
  ["colored_up", judgeColoredUp],
  ["came_back", judgeHolder],
  ["preferred", judgePreferred],
  ["anchored", judgeHolder],
  ["hand_opened", judgeOpening],
  ["game_closed", judgeClose],
]));

function judgeGameOpened(table, {body}) {
  if (body.rules.tournament === undefined || body.previous === undefined) return [];
  return [newProblem("a tournament's table goes on from another game")];
}

/** Whether the player that an entry names holds the seat that it names, and has not left. */
export function judgeHolder(table, {kind, body}) {
  const held = table.seats.get(body.seat);
  if (holds(table, body) || table.isTorn) return [];
  const found = held === undefined ? "nobody" : held.player + (held.leaving ? " (left)" : "");
  const text = `${kind} of a player who does not hold the seat`;
  return [newProblem(text, `seat ${body.seat}, ${body.player}`, found)];
}

function holds(table, body) {
  return findSeat(table, body)?.leaving === false;
}

function judgeSeatTaken(table, {body, at}) {
  const {rules, seats} = table;
  if (rules === null) return [];
  const problems = [];
  const {seat, player, stack} = body;
  if (seat > rules.seats) {
    problems.push(newProblem("a seat that the table does not have", rules.seats, seat));
  }
  if (table.isTorn) return problems;
  problems.push(...judgeBuyIn(table, player, stack, at), ...judgeSum(table, stack));
  const held = seats.get(seat);
  if (held !== undefined) {
    problems.push(newProblem("a taken seat is taken", "a free seat", `seat of ${held.player}`));
  }
  if ([...seats.values()].some((other) => other.player === player)) {
    problems.push(newProblem("a player takes a second seat", "one seat", player));
  }
  if (body.anchor !== undefined && table.misses.has(player)) {
    const text = "a player who has missed a link sits with an anchor";
    problems.push(newProblem(text, "no anchor", player));
  }
  if (body.anchor !== undefined && rules.tournament !== null) {
    const text = "a seat of a tournament's table is taken with an anchor";
    problems.push(newProblem(text, "no anchor", player));
  }
  return problems;
}

/** Who left a short while ago brings back all that it left with, though that be a large stack. */
function judgeBuyIn(table, player, stack, at) {
  const {buy_in_min: least, buy_in_max: most, tournament} = table.rules;
  if (tournament !== null) return [];
  const gone = table.departed.get(player);
  const returns = gone !== undefined && mustBringBack(gone, table.rules, at);
  const from = returns ? gone.stack : least;
  const to = returns && gone.stack > most ? gone.stack : most;
  if (stack >= from && stack <= to) return [];
  const text = returns
    ? "a player comes back with another stack than it may"
    : "a seat is taken with another stack";
  return [newProblem(text, `${from} to ${to}`, stack)];
}

function judgeSum(table, more) {
  const chips = countChips(table, more);
  if (chips <= MOST_CHIPS) return [];
  return [newProblem("a table has more chips than a log can tell", MOST_CHIPS, chips)];
}

/** The chips of who leaves go along at once, or stay until the hand has ended. */
function judgeLeaving(table, entry) {
  const {kind, body} = entry;
  if (table.isTorn || !holds(table, body)) return judgeHolder(table, entry);
  const {stack} = table.seats.get(body.seat);
  if (isDealtIn(table, body)) {
    if (body.stack === undefined) return [];
    const text = `${kind} of a seat dealt into the open hand gives a stack`;
    return [newProblem(text, "no stack before the hand has ended", body.stack)];
  }
  if (body.stack === stack) return [];
  return [newProblem(`${kind} with another stack than the seat has`, stack, body.stack ?? "none")];
}

function judgeChipsAdded(table, entry) {
  const {body} = entry;
  if (table.isTorn || table.rules === null || !holds(table, body)) return judgeHolder(table, entry);
  const problems = [];
  const stack = addExactly(table.seats.get(body.seat).stack, body.amount);
  const most = table.rules.buy_in_max;
  if (stack > most && table.rules.tournament === null) {
    const text = "chips are added above the largest buy-in";
    problems.push(newProblem(text, `${most} at most`, stack));
  }
  problems.push(...judgeSum(table, body.amount));
  return problems;
}

/** Chips of a higher unit, at a tournament's table alone. */
function judgeColoredUp({isTorn, rules, seats}, {body}) {
  if (rules === null || isTorn) return [];
  if (rules.tournament === null) {
    return [newProblem("chips are colored up at a table that is no tournament's")];
  }
  return judgeColors(body, seats);
}

function judgePreferred(table, entry) {
  const problems = judgeHolder(table, entry);
  const {choices} = entry.body;
  if (!areInOrder(choices)) {
    const text = "standing choices do not stand in rising order, each once";
    const wanted = [...new Set(choices)].sort();
    problems.push(newProblem(text, wanted.join(" "), choices.join(" ")));
  }
  return problems;
}

/** Every seat goes out with what it has. */
function judgeClose(table, {body}) {
  const problems = judgeReason(table.rules, body);
  if (table.isTorn) return problems;
  const tell = (stacks) =>
    stacks.map(({seat, player, stack}) => `seat ${seat} ${player} ${stack}`).join(", ") || "none";
  const seats = [...table.seats].sort(([one], [other]) => one - other);
  const wanted = tell(seats.map(([seat, {player, stack}]) => ({seat, player, stack})));
  const found = tell(body.stacks);
  if (found !== wanted) {
    problems.push(newProblem("the game closes with other seats or stacks", wanted, found));
  }
  return problems;
}

/** A tournament closes its tables itself, and no other game. */
function judgeReason(rules, {reason, next}) {
  if (rules === null) return [];
  if (rules.tournament === null) {
    if (reason !== "tournament") return [];
    return [newProblem("a game that is no tournament's table closes by tournament")];
  }
  const problems = [];
  if (reason !== "tournament" && reason !== "restored") {
    const text = "a tournament's table closes by another than its tournament";
    problems.push(newProblem(text, "tournament", reason));
  }
  if (next !== undefined) problems.push(newProblem("a tournament's table goes on in another game"));
  return problems;
}
