/**
 * The turn clock and time banks (PROTOCOL.md section 9.5).
 *
 * Times are in milliseconds; a bank is what it holds.
 */

import {addExactly} from "./exactly.js";

/** What a time bank holds when a seat is taken; 0 where the rules have none. */
export function startBank(rules) {
  return rules.time_bank === null ? 0 : rules.time_bank.start_ms;
}

/**
 * What a bank holds with the gain of a hand that deals its seat in. A bank above the most that
 * the rules let it gain keeps what it has.
 */
export function grantBank(bank, {per_hand_ms: gain, max_ms: most}) {
  const grown = addExactly(bank, gain);
  const held = grown < most ? grown : most;
  return held > bank ? held : bank;
}

/**
 * How an act stands to the clock.
 * @param {number} began when the turn began
 * @param {number} at the act's time
 * @param {number} bank of the seat, 0 where the rules have none
 * @returns {{turnEnds, clockFrom, late}} when the turn's own time is over, from when on the clock
 *   may act, and by how much the act came later than `turnEnds` (0: it did not)
 */
export function measureTurn(rules, began, at, bank) {
  const turnEnds = addExactly(began, rules.turn_ms);
  const late = at > turnEnds ? at - turnEnds : 0;
  return {turnEnds, clockFrom: addExactly(turnEnds, bank), late};
}

/** What is left of a bank behind an act: the clock empties it, an absent player's costs nothing. */
export function drawBank(bank, by, late) {
  if (by === "clock") return 0;
  return by === "absent" || late === 0 ? bank : Math.max(bank - late, 0);
}
