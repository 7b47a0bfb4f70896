/**
 * A rule set as the checks between hands and of the clock need it (PROTOCOL.md section 6.1).
 *
 * The names are those of the log; what is optional there is null here.
 */

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

/**
 * One and other, exactly: a number, or a BigInt where a number can not hold the sum. Logged values
 * go up to 2^53 − 1, so that no logged value is ever equal to such a BigInt, and `<` compares both.
 */
export function addExactly(one, other) {
  const sum = BigInt(one) + BigInt(other);
  return sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER ? Number(sum) : sum;
}
