/**
 * Who can win what: the uncalled bet, the layers of pots, the rake and equal shares (section 9.6).
 *
 * Amounts are chips. `totals` are what seats put in over the hand, by seat number; `order` and
 * `live` list seats from the first to the left of the button.
 */

import {addExactly, divideExactly, lessExactly, timesExactly} from "./exactly.js";

/**
 * @param {number[]} totals by seat
 * @param {number[]} order all seats dealt in, two or more
 * @param {number[]} live those that have not folded
 * @returns {{seat: number, amount: number}|null} what a live seat put in above all others
 */
export function findUncalled(totals, order, live) {
  const [top, second] = order.map((seat) => totals[seat]).sort((one, other) => other - one);
  const seat = live.find((one) => totals[one] === top);
  return top === second || seat === undefined ? null : {seat, amount: top - second};
}

/**
 * @param {number[]} totals by seat, less the uncalled bet
 * @param {number[]} order all seats dealt in
 * @param {number[]} live those that have not folded
 * @param {number} dead chips in the middle that nobody put in
 * @returns {Array<{amount: number, eligible: number[]}>} the pots, the main pot first
 */
export function layerPots(totals, order, live, dead) {
  const levels = [...new Set(live.map((seat) => totals[seat]))].sort((one, other) => one - other);
  const pots = [];
  let floor = 0;
  levels.forEach((level, place) => {
    // What folded seats put in above the highest live total falls into the last layer.
    const ceiling = place === levels.length - 1 ? Infinity : level;
    let amount = place === 0 ? dead : 0;
    for (const seat of order) {
      amount = addExactly(amount, Math.max(Math.min(totals[seat], ceiling) - floor, 0));
    }
    if (amount > 0) {
      pots.push({amount, eligible: live.filter((seat) => totals[seat] >= level)});
    }
    floor = level;
  });
  return pots;
}

/**
 * @param {object} rules a rule set
 * @param {Array<{amount: number}>} pots all that lies in the middle
 * @param {number} players how many were dealt in
 * @param {boolean} flop whether a flop was dealt
 * @returns {number} the hand's rake
 */
export function rakeOf(rules, pots, players, flop) {
  const {rake} = rules;
  if (!rake || (rake.no_flop_no_drop && !flop)) {
    return 0;
  }
  const caps = rake.caps.filter((one) => one.players <= players);
  const cap = caps.length ? caps[caps.length - 1].cap : 0;
  // Sum and product may be above what a number holds exactly.
  const lying = pots.reduce((sum, {amount}) => sum + BigInt(amount), 0n);
  const share = Number((lying * BigInt(rake.per_ten_thousand)) / 10000n);
  return Math.min(share, cap);
}

/**
 * @param {Array<{amount: number}>} pots the main pot first
 * @param {number} rake of the hand
 * @returns {number[]} what each pot bears of it: the main pot first, then the next
 */
export function spreadRake(pots, rake) {
  let left = rake;
  return pots.map(({amount}) => {
    const part = left < amount ? left : amount;
    left -= part;
    return part;
  });
}

/**
 * @param {number} amount
 * @param {number} unit the chip unit
 * @returns {[number, number]} both halves; an odd unit and what is below one are in the first
 */
export function halvePot(amount, unit) {
  const [units] = divideExactly(amount, unit);
  const [each] = divideExactly(units, 2);
  const second = timesExactly(each, unit);
  return [lessExactly(amount, second), second];
}

/**
 * @param {number} amount
 * @param {number} unit the chip unit
 * @param {number[]} winners from the first to the left of the button
 * @returns {Array<[number, number]>} each winner with its chips: odd units go one each to the
 *   first of them, and what is below a unit to the very first (TDA 2024 rule 20)
 */
export function splitPot(amount, unit, winners) {
  const [units, below] = divideExactly(amount, unit);
  const [each, odd] = divideExactly(units, winners.length);
  return winners.map((seat, place) => {
    const whole = timesExactly(addExactly(each, place < odd ? 1 : 0), unit);
    return [seat, addExactly(whole, place === 0 ? below : 0)];
  });
}
