/**
 * What is wrong with an entry: {text, expected, found}, the last two null where there is nothing to
 * compare.
 */

/** A problem: what is wrong, what should stand, what stands. */
export function newProblem(text, expected = null, found = null) {
  return Object.freeze({text, expected: inWords(expected), found: inWords(found)});
}

function inWords(value) {
  return value === null ? null : String(value);
}
