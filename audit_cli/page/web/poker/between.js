/**
 * What an entry between hands may say, by the log before it (PROTOCOL.md sections 6.2, 6.3, 8).
 *
 * `judgeBetween(table, entry)` is asked before the table takes the entry. It gives problems:
 * {text, expected, found}, the last two null where there is nothing to compare.
 */

import {grantBank} from "./banks.js";
import {areInOrder, findStraddle} from "./choices.js";
import {addExactly} from "./exactly.js";
import {findPlaces, readPlaces, tellPlaces} from "./positions.js";
import {countChips, findSeat, isDealtIn} from "./table.js";
import {addMissed, findDealtIn, owedWhenDealtIn} from "./waiting.js";

const MOST_CHIPS = Number.MAX_SAFE_INTEGER;

/** A problem: what is wrong, what should stand, what stands. */
export function newProblem(text, expected = null, found = null) {
  return Object.freeze({text, expected: inWords(expected), found: inWords(found)});
}

function inWords(value) {
  return value === null ? null : String(value);
}

/** The problems of an entry between hands, or of an aside within one, in no certain order. */
export function judgeBetween(table, entry) {
  return JUDGES.get(entry.kind)?.(table, entry) ?? [];
}

const JUDGES = new Map([
  ["seat_taken", judgeSeatTaken],
  ["seat_left", judgeLeaving],
  ["player_removed", judgeLeaving],
  ["chips_added", judgeChipsAdded],
  ["came_back", judgeHolder],
  ["preferred", judgePreferred],
  ["anchored", judgeHolder],
  ["hand_opened", judgeOpening],
  ["game_closed", judgeClose],
]);

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
  return problems;
}

/** Who left a short while ago brings back all that it left with, though that be a large stack. */
function judgeBuyIn(table, player, stack, at) {
  const {buy_in_min: least, buy_in_max: most} = table.rules;
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

function mustBringBack(gone, rules, at) {
  if (rules.return_ms === null || gone.stack < rules.buy_in_min) return false;
  return at <= addExactly(gone.at, rules.return_ms);
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
  if (stack > most) {
    const text = "chips are added above the largest buy-in";
    problems.push(newProblem(text, `${most} at most`, stack));
  }
  problems.push(...judgeSum(table, body.amount));
  return problems;
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

function judgeOpening(table, {body, at}) {
  if (table.rules === null) return [];
  const problems = judgeMoment(table, body, at);
  if (table.isTorn) return problems;
  problems.push(...judgeSeats(table, body), ...judgeCounts(table, body, at));
  problems.push(...judgePlaces(table, body));
  return problems;
}

/** Whether a hand may open at all. */
function judgeMoment(table, body, at) {
  const {rules, openedAt, awaited} = table;
  const problems = [];
  if (table.isPaused && !table.isTorn) {
    problems.push(newProblem("a hand opens while the game is paused"));
  }
  if (body.hand > rules.max_hands) {
    const text = "a hand opens behind the last of the longest game";
    problems.push(newProblem(text, `hand ${rules.max_hands} at most`, body.hand));
  }
  const end = addExactly(openedAt, rules.max_ms);
  if (at > end) {
    problems.push(newProblem("a hand opens after the longest game's time", `not after ${end}`, at));
  }
  if (awaited.size > 0 && !table.isDamaged && at < addExactly(openedAt, rules.link_ms)) {
    const text = "the first hand does not wait for the anchors of carried players";
    const names = [...awaited].sort().join(", ");
    problems.push(newProblem(text, `an anchor of ${names}, or ${rules.link_ms} ms`, at));
  }
  return problems;
}

/** The seats that an opening lists, and what it tells of each. */
function judgeSeats(table, body) {
  const taken = [...table.seats.keys()].sort((one, other) => one - other).join(", ");
  const listed = body.seats.map((seat) => seat.seat).join(", ");
  const problems = [];
  if (listed !== taken) {
    const text = "an opening lists other seats than are taken";
    problems.push(newProblem(text, taken, listed));
  }
  const told = new Map(body.seats.map((seat) => [seat.seat, seat]));
  for (const [number, wanted] of tellSeats(table)) {
    const found = told.has(number) ? tellSeat(told.get(number)) : wanted;
    if (found !== wanted) {
      const text = `an opening tells seat ${number} otherwise than the log before it`;
      problems.push(newProblem(text, wanted, found));
    }
  }
  return problems;
}

/** What an opening has to tell of each seat, in words, by rising seat. */
function tellSeats(table) {
  const {rules, seats, before} = table;
  const {states, dealtIn} = findDealtIn(seats, rules, before);
  // A hand that opens with fewer than two all the same has no places to go by.
  const places = dealtIn.size < 2 ? null : findPlaces(rules.button, dealtIn, before);
  const straddle = places === null ? null : findStraddle(rules, dealtIn, places, seats);
  const told = new Map();
  for (const [number, state] of states) {
    const seat = seats.get(number);
    let {owes, waits} = seat;
    if (places !== null && state === "in") {
      owes = owedWhenDealtIn(number, owes, places, straddle, rules);
      waits = false;
    } else if (places !== null && (state === "sitting_out" || state === "no_chips")) {
      ({owes, waits} = addMissed(number, seat, table.played, places, rules));
    }
    const isOwing = owes.live > 0 || owes.dead > 0;
    const bank = tellBank(seat.bank, state, rules);
    told.set(number, tellSeat({...seat, state, waits, owes: isOwing ? owes : null, ...bank}));
  }
  return told;
}

function tellBank(bank, state, rules) {
  if (rules.time_bank === null) return {};
  return {bank_ms: state === "in" ? grantBank(bank, rules.time_bank) : bank};
}

/** A seat of an opening in words: equal words, equal seats (the anchor aside, section 2). */
function tellSeat({player, stack, state, choices = [], owes = null, waits, bank_ms: bank}) {
  const words = [player, `stack ${stack}`, state];
  if (choices.length > 0) words.push(`choices ${choices.join(" ")}`);
  if (owes !== null) words.push(`owes ${owes.live} live and ${owes.dead} dead`);
  if (waits) words.push("waits for the big blind");
  if (bank !== undefined) words.push(`time bank ${bank}`);
  return words.join(", ");
}

/** What an opening repeats besides the seats: misses, voids, who left, the last blinds. */
function judgeCounts(table, body, at) {
  const problems = [];
  const tellMisses = (misses) =>
    misses.map(({player, hands}) => `${player}: ${hands.join(", ")}`).join("; ") || "none";
  const misses = risingNames(table.misses).map(([player, hands]) => ({player, hands}));
  const [wanted, found] = [tellMisses(misses), tellMisses(body.misses)];
  if (found !== wanted) problems.push(newProblem("an opening tells other misses", wanted, found));
  if (body.voids !== table.ownVoids) {
    const text = "an opening tells another number of voids";
    problems.push(newProblem(text, table.ownVoids, body.voids));
  }
  problems.push(...judgeDeparted(table, body, at), ...judgeLastBlinds(table, body));
  return problems;
}

function risingNames(map) {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

function judgeDeparted(table, body, at) {
  const {rules, departed} = table;
  const tell = (gone) =>
    gone.map((one) => `${one.player} with ${one.stack} at ${one.at}`).join("; ") || "nobody";
  const wanted = tell(
    risingNames(departed)
      .filter(([, gone]) => mustBringBack(gone, rules, at))
      .map(([player, gone]) => ({player, ...gone})),
  );
  const found = tell(body.departed ?? []);
  const problems = [];
  if (found !== wanted) {
    const text = "an opening tells otherwise who may not come back with less";
    problems.push(newProblem(text, wanted, found));
  }
  if ((body.departed !== undefined) !== (rules.return_ms !== null)) {
    const text = "an opening tells of who left, which is there exactly where the rules ask for it";
    problems.push(newProblem(text));
  }
  return problems;
}

function judgeLastBlinds(table, body) {
  const tell = ({small, big}) => {
    if (small === undefined && big === undefined) return "none";
    return `small blind ${small ?? "none"}, big blind ${big ?? "none"}`;
  };
  const isTold = table.rules.missed_blinds !== null && table.played !== null;
  const wanted = tell(isTold ? table.played : {});
  const found = tell({small: body.last_small_blind_seat, big: body.last_big_blind_seat});
  if (found === wanted) return [];
  const text = "an opening tells the last blinds otherwise than the log before it";
  return [newProblem(text, wanted, found)];
}

/** Button, blinds and straddle, for the seats that the opening deals in. */
function judgePlaces(table, body) {
  const {rules, seats, before} = table;
  const dealtIn = new Set(body.seats.filter((seat) => seat.state === "in").map(({seat}) => seat));
  if (dealtIn.size < 2) return [newProblem("a hand opens with fewer than two seats dealt in")];
  const problems = [];
  const wanted = findPlaces(rules.button, dealtIn, before);
  const found = readPlaces(body);
  if (tellPlaces(found) !== tellPlaces(wanted)) {
    const text =
      found.button === wanted.button
        ? "the blinds are at other seats"
        : "the button is at another seat";
    problems.push(newProblem(text, tellPlaces(wanted), tellPlaces(found)));
  }
  if (![...dealtIn].every((seat) => seats.has(seat))) return problems;
  const straddle = findStraddle(rules, dealtIn, wanted, seats);
  const told = body.straddle_seat ?? null;
  if (told !== straddle) {
    const tell = (seat) => (seat === null ? "nobody" : `seat ${seat}`);
    const text = "another seat straddles than by its choice";
    problems.push(newProblem(text, tell(straddle), tell(told)));
  }
  return problems;
}

/** Every seat goes out with what it has. */
function judgeClose(table, {body}) {
  if (table.isTorn) return [];
  const tell = (stacks) =>
    stacks.map(({seat, player, stack}) => `seat ${seat} ${player} ${stack}`).join(", ") || "none";
  const seats = [...table.seats].sort(([one], [other]) => one - other);
  const wanted = tell(seats.map(([seat, {player, stack}]) => ({seat, player, stack})));
  const found = tell(body.stacks);
  if (found === wanted) return [];
  return [newProblem("the game closes with other seats or stacks", wanted, found)];
}
