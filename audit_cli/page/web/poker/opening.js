/**
 * What an opening may say, by the log before it: when it may come, what it repeats of the seats and
 * of the game, and where button, blinds and straddle stand (PROTOCOL.md sections 6.2, 6.3 and 8).
 */

import {grantBank} from "./banks.js";
import {findStraddle} from "./choices.js";
import {addExactly} from "./exactly.js";
import {findPlaces, readPlaces, tellPlaces} from "./positions.js";
import {newProblem} from "./problems.js";
import {addMissed, findDealtIn, isDealtState, owedWhenDealtIn} from "./waiting.js";

/** The problems of an opening: it may come, repeats the state, and deals in and places by rule. */
export function judgeOpening(table, {body, at}) {
  if (table.rules === null) return [];
  const problems = judgeMoment(table, body, at);
  if ((body.level !== undefined) !== (table.rules.tournament !== null)) {
    const text = "an opening gives a level, which is there exactly at a tournament's table";
    problems.push(newProblem(text));
  }
  if (table.isTorn) return problems;
  const before = beforeOpening(table, body);
  problems.push(...judgeSeats(table, body, before), ...judgeCounts(table, body, at));
  problems.push(...judgePlaces(table, body, before));
  return problems;
}

/**
 * The hand before an opening. Where there was none at a tournament's table, its button is where
 * this one's is, since another rule than the table's own puts it there (section 14.4).
 */
function beforeOpening({before, rules}, {button}) {
  const isGiven = rules.tournament !== null && before.places === null;
  return isGiven ? {...before, button, isVoid: true} : before;
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
function judgeSeats(table, body, before) {
  const taken = [...table.seats.keys()].sort((one, other) => one - other).join(", ");
  const listed = body.seats.map((seat) => seat.seat).join(", ");
  const problems = [];
  if (listed !== taken) {
    const text = "an opening lists other seats than are taken";
    problems.push(newProblem(text, taken, listed));
  }
  const told = new Map(body.seats.map((seat) => [seat.seat, seat]));
  for (const [number, wanted] of tellSeats(table, before)) {
    const found = told.has(number) ? tellSeat(told.get(number)) : wanted;
    if (found !== wanted) {
      const text = `an opening tells seat ${number} otherwise than the log before it`;
      problems.push(newProblem(text, wanted, found));
    }
  }
  return problems;
}

/** What an opening has to tell of each seat, in words, by rising seat. */
function tellSeats({rules, seats, played}, before) {
  const {states, dealtIn} = findDealtIn(seats, rules, before);
  // A hand that opens with fewer than two all the same has no places to go by.
  const places = dealtIn.size < 2 ? null : findPlaces(rules.button, dealtIn, before);
  const straddle = places === null ? null : findStraddle(rules, dealtIn, places, seats);
  const told = new Map();
  for (const [number, state] of states) {
    const seat = seats.get(number);
    let {owes, waits} = seat;
    if (places !== null && isDealtState(state)) {
      owes = owedWhenDealtIn(number, owes, places, straddle, rules);
      waits = false;
    } else if (places !== null && (state === "sitting_out" || state === "no_chips")) {
      ({owes, waits} = addMissed(number, seat, played, places, rules));
    }
    const isOwing = owes.live > 0 || owes.dead > 0;
    const bank = tellBank(seat.bank, state, rules);
    const more = {owes: isOwing ? owes : null, house: seat.isHouse, ...bank};
    told.set(number, tellSeat({...seat, state, waits, ...more}));
  }
  return told;
}

function tellBank(bank, state, rules) {
  if (rules.time_bank === null) return {};
  return {bank_ms: isDealtState(state) ? grantBank(bank, rules.time_bank) : bank};
}

/** A seat of an opening in words: equal words, equal seats (the anchor aside, section 2). */
function tellSeat({player, stack, state, choices = [], owes = null, waits, bank_ms: bank, house}) {
  const words = [player, `stack ${stack}`, state];
  if (choices.length > 0) words.push(`choices ${choices.join(" ")}`);
  if (owes !== null) words.push(`owes ${owes.live} live and ${owes.dead} dead`);
  if (waits) words.push("waits for the big blind");
  if (bank !== undefined) words.push(`time bank ${bank}`);
  if (house) words.push("of the house");
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
function judgePlaces({rules, seats}, body, before) {
  const told = body.seats.filter(({state}) => isDealtState(state));
  const dealtIn = new Set(told.map(({seat}) => seat));
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
  const straddles = body.straddle_seat ?? null;
  if (straddles !== straddle) {
    const tell = (seat) => (seat === null ? "nobody" : `seat ${seat}`);
    const text = "another seat straddles than by its choice";
    problems.push(newProblem(text, tell(straddle), tell(straddles)));
  }
  return problems;
}

/** Whether who left has to bring back all that it left with, at this time. */
export function mustBringBack(gone, rules, at) {
  if (rules.return_ms === null || gone.stack < rules.buy_in_min) return false;
  return at <= addExactly(gone.at, rules.return_ms);
}
