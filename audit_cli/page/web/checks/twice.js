/**
 * CONSISTENT, within the input: files of one game are of one log (PROTOCOL.md sections 5 and 12).
 *
 * Players and monitors each hold a file of the same game. Where two such files are audited
 * together, the signed lines of the shorter one begin the longer one; otherwise one key has signed
 * two histories, and both notes are the evidence.
 */

import {sameBytes, toHex} from "../core/bytes.js";

/**
 * Compares the signed lines of each game with those of the same game before.
 * @param games all games of the input, in order
 * @param request what the auditor brings
 * @param tell findings go to `tell.finding`, the evidence of forks to `tell.fork`
 */
export async function checkTwice(games, request, tell) {
  const logs = new Map();
  for (const game of games) {
    const checkpoint = game.checkpoints.findLast((one) => one.holds);
    if (checkpoint === undefined) continue;
    const leaves = game.leaves.slice(0, game.covered);
    const log = {game, leaves, note: checkpoint.text};
    const before = logs.get(game.logOrigin);
    if (before === undefined) {
      logs.set(game.logOrigin, log);
    } else if (before.game.judge.text === game.judge.text) {
      // Without a trusted key, files of two keys say nothing about each other.
      const entry = findParting(before.leaves, leaves);
      if (entry >= 0) tellFork(before, log, entry, tell);
      else if (leaves.length > before.leaves.length) logs.set(game.logOrigin, log);
    }
  }
}

/** The index of the first line that both have and that is not the same, or -1. */
function findParting(one, other) {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.findIndex((leaf, at) => !sameBytes(leaf, longer[at]));
}

function tellFork(before, log, entry, tell) {
  const {source, game, logOrigin, judge} = log.game;
  const sizes = [before.leaves.length, log.leaves.length];
  const longer = sizes[1] > sizes[0] ? log : before;
  tell.fork({
    log: logOrigin,
    key: judge.text,
    notes: [before.note, log.note],
    leaves: sizes[0] === sizes[1] ? [] : longer.leaves,
  });
  tell.finding({
    promise: "CONSISTENT",
    verdict: "broken",
    text: `${judge.shown} signed another history of this game in a file before (${source})`,
    game,
    hand: null,
    entry,
    line: null,
    expected: `leaf hash ${toHex(before.leaves[entry])}, as in the file before`,
    found: `leaf hash ${toHex(log.leaves[entry])}`,
    evidence: [],
  });
}
