/**
 * The evidence of forks: two notes of one key on two histories, with the lines' hashes that show it
 * (PROTOCOL.md 12).
 *
 * A fork can need the leaf hash of every line of a game. So no more is kept than a page can hold,
 * whatever a file is made of; that there are more forks is still told of each by who found it.
 */

import {toHex} from "./bytes.js";

const FORK_FORMAT = "cutcard-fork/1";
const MAX_FORKS = 10;
// As many as one game can need.
const MAX_LEAVES = 1_000_000;

/**
 * Adds to the list `forks` the evidence {log, key, notes: [text], leaves: [32 bytes], and `noted`
 * where lines of the dealer's log are part of it}, in the form that is saved.
 */
export function keepFork(forks, {leaves, ...evidence}) {
  const held = forks.reduce((sum, fork) => sum + fork.leaves.length, 0);
  if (forks.length < MAX_FORKS && held + leaves.length <= MAX_LEAVES) {
    forks.push({format: FORK_FORMAT, ...evidence, leaves: leaves.map(toHex)});
  }
}
