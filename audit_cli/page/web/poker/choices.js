/**
 * Standing choices: which count, and who straddles by them (PROTOCOL.md sections 9.1 and 9.8).
 */

import {clockwise} from "./positions.js";
import {straddleOf} from "./ruleset.js";

/** Whether a list of choices has each once, in rising order. */
export function areInOrder(choices) {
  return choices.every((word, at) => at === 0 || choices[at - 1] < word);
}

/**
 * Whether a choice of a seat dealt in counts now: as the opening repeats it by `before_links`,
 * else as it stands.
 * @param table the state between hands (table.js), with its open hand
 */
export function isChosen(table, seat, word) {
  const asOpened = table.rules?.choices === "before_links";
  const standing = asOpened ? table.hand?.choices.get(seat) : table.seats.get(seat)?.choices;
  return standing !== undefined && standing.includes(word);
}

/**
 * The seat that straddles, or null.
 * @param {Set<number>} dealtIn
 * @param places where button and blinds stand
 * @param {Map<number, {stack, choices}>} seats
 */
export function findStraddle(rules, dealtIn, places, seats) {
  if (rules.straddle === null || dealtIn.size < 3) return null;
  const isBlind = (seat) => seat === places.big || (seat === places.small && !places.dead);
  const mayStraddle = (seat) => {
    const held = seats.get(seat);
    return held.choices.includes("straddle") && held.stack >= straddleOf(rules);
  };
  const order = straddlers(rules.straddle.kind, dealtIn, places);
  return order.find((seat) => !isBlind(seat) && mayStraddle(seat)) ?? null;
}

/** The seats that a kind of straddle is open to, the first of them first. */
function straddlers(kind, dealtIn, places) {
  if (kind === "under_the_gun") return clockwise(dealtIn, places.big).slice(0, 1);
  if (kind === "button") return dealtIn.has(places.button) ? [places.button] : [];
  return clockwise(dealtIn, places.button).reverse();
}
