/**
 * A rule set as the checks between hands and of the clock need it (PROTOCOL.md section 6.1).
 *
 * The names are those of the log; what is optional there is null here.
 */

import {addExactly} from "./exactly.js";

const OPTIONAL_RULES = ["missed_blinds", "return_ms", "time_bank", "straddle", "choices"];

/**
 * @param {object} logged `rules` of a readable `game_opened`
 * @returns the same rules, frozen, each optional one there (null where the game has it not)
 */
export function readRuleset(logged) {
  const rules = {...logged};
  for (const name of OPTIONAL_RULES) rules[name] = logged[name] ?? null;
  return Object.freeze(rules);
}

/** The straddle in chips: twice the big blind. */
export function straddleOf(rules) {
  return addExactly(rules.big_blind, rules.big_blind);
}
