/**
 * Lows, eight or better: five different ranks of eight or less, aces low (section 9.7).
 *
 * A strength is one number, greater for the better low, 0 where the cards are no low. Straights
 * and flushes do not count.
 */

import {rankOf} from "./cards.js";

const LOW_ACE_RANK = 12;
const WORST_PIPS = 8;
const LOW_CARDS = 5;
const PIP_NAMES = Object.freeze([
  "", "ace", "two", "three", "four", "five", "six", "seven", "eight",
]);
// Above every strength's pips, packed from the top down in four bits each.
const BELOW_ALL_LOWS = 0xfffff;

function pipsOf(card) {
  const rank = rankOf(card);
  return rank === LOW_ACE_RANK ? 1 : rank + 2;
}

/**
 * @param {number[]} five five cards
 * @returns {number} their strength as a low, or 0 where they are none
 */
export function measureLow(five) {
  let bits = 0;
  for (const card of five) {
    const pips = pipsOf(card);
    if (pips > WORST_PIPS || bits & (1 << pips)) {
      return 0;
    }
    bits |= 1 << pips;
  }
  let packed = 0;
  for (let pips = WORST_PIPS; pips > 0; pips -= 1) {
    if (bits & (1 << pips)) {
      packed = (packed << 4) | pips;
    }
  }
  return BELOW_ALL_LOWS - packed;
}

/**
 * @param {number} strength of `measureLow`, not 0
 * @returns {string} "Low, eight six four three ace"
 */
export function nameLow(strength) {
  const packed = BELOW_ALL_LOWS - strength;
  const words = [];
  for (let place = LOW_CARDS - 1; place >= 0; place -= 1) {
    words.push(PIP_NAMES[(packed >> (4 * place)) & 15]);
  }
  return `Low, ${words.join(" ")}`;
}

/**
 * @param {number[]} five the cards of a low
 * @returns {number[]} the same from the top down
 */
export function arrangeLow(five) {
  return five.slice().sort((one, other) => pipsOf(other) - pipsOf(one));
}
