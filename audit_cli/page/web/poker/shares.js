/**
 * What each pot pays to whom: the highest pot first, by boards and then by halves, the rake in the
 * first part (section 9.6).
 */

import {addExactly, lessExactly} from "./exactly.js";
import {halvePot, splitPot} from "./pots.js";

/**
 * Every award of a hand. An award is {pot, board, half, amount, rake, shares, strengths}: `half`
 * is "high" or "low" where both share the pot, else ""; `amount` holds the rake; `shares` are
 * [seat, chips] in the winners' order; `strengths` has those of winners of a contested pot.
 *
 * @param {Array<{amount: number, eligible: number[]}>} pots the main pot first
 * @param {number[]} rakes of each pot
 * @param {Array<Map<number, {high: number, low: number}>>} boards of each board, the strengths of
 *   the seats that have shown
 * @param {number} unit the chip unit
 */
export function sharePots(pots, rakes, boards, unit) {
  const awards = [];
  for (let pot = pots.length - 1; pot >= 0; pot -= 1) {
    awards.push(...sharePot(pot, pots[pot], rakes[pot], boards, unit));
  }
  return awards;
}

function sharePot(pot, {amount, eligible}, rake, boards, unit) {
  const net = lessExactly(amount, rake);
  if (eligible.length < 2 || !eligible.some((seat) => boards[0].has(seat))) {
    const shares = splitPot(net, unit, eligible);
    return [{pot, board: 1, half: "", amount, rake, shares, strengths: new Map()}];
  }
  const parts = boards.length === 1 ? [net] : halvePot(net, unit);
  const awards = parts.flatMap((part, place) =>
    halvesOf(part, eligible, boards[place], unit).map(({half, chips, strengths}) => {
      const best = Math.max(...strengths.values());
      const winners = [...strengths.keys()].filter((seat) => strengths.get(seat) === best);
      return {
        pot,
        board: place + 1,
        half,
        amount: chips,
        rake: 0,
        shares: splitPot(chips, unit, winners),
        strengths: new Map(winners.map((seat) => [seat, best])),
      };
    }),
  );
  awards[0].amount = addExactly(awards[0].amount, rake);
  awards[0].rake = rake;
  return awards;
}

/** The halves of a part of a pot with those who can win them; high takes all without a low. */
function halvesOf(chips, eligible, shown, unit) {
  const seats = eligible.filter((seat) => shown.has(seat));
  const highs = new Map(seats.map((seat) => [seat, shown.get(seat).high]));
  const lows = new Map(
    seats.filter((seat) => shown.get(seat).low > 0).map((seat) => [seat, shown.get(seat).low]),
  );
  if (lows.size === 0) {
    return [{half: "", chips, strengths: highs}];
  }
  const [first, second] = halvePot(chips, unit);
  return [
    {half: "high", chips: first, strengths: highs},
    {half: "low", chips: second, strengths: lows},
  ];
}

/** Which part of a pot it is, in words. */
export function tellPotPart({pot, board, half, amount, rake}) {
  const raked = rake ? `rake ${rake}` : "no rake";
  return `pot ${pot} of ${amount}, ${raked}, board ${board}${half ? `, ${half} half` : ""}`;
}
