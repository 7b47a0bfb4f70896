/**
 * Which cards make a hand: the best five of seven, or exactly two hole cards and three of the
 * board, and whether a low shares the pots (sections 6.1 and 9.7).
 */

import {arrangeHigh, measureHigh} from "./ranking.js";
import {arrangeLow, measureLow} from "./lows.js";

const HOLDEM_VARIANT = Object.freeze({holeCards: 2, twoCount: false, hiLo: false});
const OMAHA_VARIANTS = Object.freeze(["omaha", "omaha_hi_lo"]);

/**
 * @param {object} rules the rule set of a `game_opened`
 * @returns {{holeCards: number, twoCount: boolean, hiLo: boolean}|null} null for no such variant
 */
export function readVariant(rules) {
  if (rules.variant === "holdem") {
    return HOLDEM_VARIANT;
  }
  if (!OMAHA_VARIANTS.includes(rules.variant) || !(rules.hole_cards >= 2)) {
    return null;
  }
  return Object.freeze({
    holeCards: rules.hole_cards,
    twoCount: true,
    hiLo: rules.variant === "omaha_hi_lo",
  });
}

/** Every choice of two hole cards and three of the board. */
function listFives(holes, board) {
  const fives = [];
  for (let a = 0; a < holes.length; a += 1) {
    for (let b = a + 1; b < holes.length; b += 1) {
      for (let x = 0; x < board.length; x += 1) {
        for (let y = x + 1; y < board.length; y += 1) {
          for (let z = y + 1; z < board.length; z += 1) {
            fives.push([holes[a], holes[b], board[x], board[y], board[z]]);
          }
        }
      }
    }
  }
  return fives;
}

function strongest(fives, measure) {
  return fives.reduce((best, five) => Math.max(best, measure(five)), 0);
}

/**
 * @param {{twoCount: boolean}} variant
 * @param {number[]} holes
 * @param {number[]} board five cards
 * @returns {number} the strength of the best hand
 */
export function highOf(variant, holes, board) {
  if (!variant.twoCount) {
    return measureHigh([...holes, ...board]);
  }
  return strongest(listFives(holes, board), measureHigh);
}

/**
 * @param {{hiLo: boolean}} variant
 * @param {number[]} holes
 * @param {number[]} board five cards
 * @returns {number} the strength of the best low, 0 where there is none or the game has none
 */
export function lowOf(variant, holes, board) {
  return variant.hiLo ? strongest(listFives(holes, board), measureLow) : 0;
}

/**
 * @param {{holeCards: number, twoCount: boolean, hiLo: boolean}} variant
 * @param {number[]} holes
 * @param {number[]} board five cards
 * @returns {{high: number, low: number}} what they make of both; a low of 0 is none
 */
export function strengthOf(variant, holes, board) {
  return {high: highOf(variant, holes, board), low: lowOf(variant, holes, board)};
}

/** The first of several hands of five when they are read card by card. */
function firstOf(hands) {
  return hands.reduce((first, hand) => {
    const at = hand.findIndex((card, place) => card !== first[place]);
    return at >= 0 && hand[at] < first[at] ? hand : first;
  });
}

/**
 * @param {{twoCount: boolean}} variant
 * @param {number[]} holes
 * @param {number[]} board five cards
 * @param {number} strength what `highOf` makes of them
 * @returns {number[]} the five cards that make it; of several such fives the first
 */
export function highFive(variant, holes, board, strength) {
  if (!variant.twoCount) {
    return arrangeHigh([...holes, ...board], strength);
  }
  const fives = listFives(holes, board).filter((five) => measureHigh(five) === strength);
  return firstOf(fives.map((five) => arrangeHigh(five, strength)));
}

/**
 * @param {number[]} holes
 * @param {number[]} board five cards
 * @param {number} strength what `lowOf` makes of them, not 0
 * @returns {number[]} the five cards of that low from the top; of several such fives the first
 */
export function lowFive(holes, board, strength) {
  return firstOf(
    listFives(holes, board).filter((five) => measureLow(five) === strength).map(arrangeLow),
  );
}
