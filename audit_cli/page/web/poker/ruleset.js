/**
 * A rule set as the checks between hands and of the clock need it (PROTOCOL.md section 6.1).
 *
 * The names are those of the log; what is optional there is null here.
 */

import {addExactly} from "./exactly.js";

const OPTIONAL_RULES = [
  "missed_blinds", "return_ms", "time_bank", "straddle", "choices", "tournament",
];

/**
 * @param {object} logged `rules` of a readable `game_opened`
 * @returns the same rules, frozen, each optional one there (null where the game has it not)
 */
export function readRuleset(logged) {
  const rules = {...logged};
  for (const name of OPTIONAL_RULES) rules[name] = logged[name] ?? null;
  return Object.freeze(rules);
}

/**
 * The rules that a hand is played by: at a tournament's table with the blinds, ante and unit of its
 * level (section 8).
 * @param {object} rules a rule set, as logged or read
 * @param {object} opened the body of the hand's `hand_opened`
 */
export function rulesOfHand(rules, {level}) {
  if ((rules.tournament ?? null) === null || level === undefined) return rules;
  const {small_blind: small, big_blind: big, chip_unit: unit, ante} = level;
  const limits = rules.limits && {...rules.limits, small_bet: big, big_bet: 2 * big};
  const changed = {...rules, small_blind: small, big_blind: big, chip_unit: unit, ante, limits};
  for (const name of ["ante", "limits"]) if (changed[name] === undefined) delete changed[name];
  return Object.freeze(changed);
}

/** The straddle in chips: twice the big blind. */
export function straddleOf(rules) {
  return addExactly(rules.big_blind, rules.big_blind);
}
