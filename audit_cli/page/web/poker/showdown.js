/**
 * Who shows, in which order, and who need not (section 9.6).
 *
 * `strengths` is a Map from the seats that have shown to {high, low}: numbers, of which the
 * greater wins; 0 is below every hand, and the low of a hand that has none.
 */

/**
 * @param {Array<{eligible: number[]}>} pots the main pot first, seats from the left of the button
 * @param {number} aggressor the last seat that bet or raised on the last street, or 0
 * @returns {number[]} the seats that can win a pot, in showing order
 */
export function orderShowing(pots, aggressor) {
  const order = [];
  for (const {eligible} of pots.slice().reverse()) {
    const group = eligible.filter((seat) => !order.includes(seat));
    const from = Math.max(group.indexOf(aggressor), 0);
    order.push(...group.slice(from), ...group.slice(0, from));
  }
  return order;
}

/**
 * What a hand has to win or tie to be opened: for each pot that `seat` can win, the best high and
 * the best low shown so far by those who can win it, 0 where there is none.
 *
 * @param {Array<{eligible: number[]}>} pots
 * @param {number} seat
 * @param {Map<number, {high: number, low: number}>} strengths
 * @returns {Array<{high: number, low: number}>}
 */
export function listToBeat(pots, seat, strengths) {
  return pots
    .filter(({eligible}) => eligible.includes(seat))
    .map(({eligible}) => {
      const shown = eligible.filter((rival) => strengths.has(rival));
      return {
        high: Math.max(0, ...shown.map((rival) => strengths.get(rival).high)),
        low: Math.max(0, ...shown.map((rival) => strengths.get(rival).low)),
      };
    });
}

/** Whether there is a pot for which nobody has shown, which any hand wins. */
export function isUnclaimed(toBeat) {
  return toBeat.some(({high}) => high === 0);
}

/**
 * @param {{high: number, low: number}} strength of a hand
 * @param {Array<{high: number, low: number}>} toBeat of `listToBeat`
 * @returns {boolean} whether it wins or ties some pot or its half
 */
export function winsOrTies(strength, toBeat) {
  return toBeat.some(
    ({high, low}) => strength.high >= high || (strength.low > 0 && strength.low >= low),
  );
}
