/**
 * SIGNED: entries, checkpoints and signatures fit together under the key that the auditor trusts.
 *
 * What breaks it was found while signed entries were told from unsigned ones (`coverage`). Without
 * a trusted key nothing is established: a file's own key proves only that the file fits itself.
 */

import {createVoice, thousands} from "../core/voice.js";

/**
 * Report on SIGNED over all games and tournaments; `request.trusted` is the auditor's key or null.
 */
export async function checkSigned(games, {trusted}, tell) {
  const voice = createVoice("SIGNED", tell);
  let whole = games.length > 0;
  for (const game of games) {
    for (const {text, ...place} of game.broken) {
      tell.finding({
        promise: "SIGNED", verdict: "broken", text, game: game.game, hand: null, ...place,
        evidence: [],
      });
    }
    const open = trusted === null ? null : findUncovered(game);
    if (open !== null) {
      whole = false;
      tell.finding({
        promise: "SIGNED", verdict: "not established", text: open, game: game.game, hand: null,
        entry: null, line: game.entries[game.covered]?.line ?? null, expected: null, found: null,
        evidence: [],
      });
    }
  }
  if (trusted === null) {
    voice.unproved("the file's own key is not trusted by itself; give the dealer's by --key");
  } else if (whole) {
    const checkpoints = sum(games.map((game) => game.checkpoints.filter(isHolding).length));
    const entries = sum(games.map(({covered}) => covered));
    const all = `cover all ${thousands(entries)} entries`;
    voice.holds(`${thousands(checkpoints)} checkpoints of ${trusted.shown} ${all}`);
  }
}

function findUncovered({entries, covered, checkpoints, judge}) {
  if (!checkpoints.some(isHolding)) {
    return `no checkpoint of ${judge.shown} covers a line`;
  }
  const left = entries.length - covered;
  return left === 0 ? null : `${thousands(left)} entries behind the last checkpoint`;
}

function isHolding({holds}) {
  return holds;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
