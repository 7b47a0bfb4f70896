/**
 * CONSISTENT: checkpoints from outside the file are of the same log as its lines (PROTOCOL.md 12).
 *
 * A note from outside counts when the key's signature on it holds and it is of one of the games.
 * Then the root of the file's signed lines at its size has to be its root; otherwise one key has
 * signed two histories, and both notes are the evidence. A note that does not verify is ignored
 * with a warning; one whose size the signed lines do not reach has nothing to be compared with.
 */

import {toHex} from "../core/bytes.js";
import {rootAt} from "../core/merkle.js";
import {judgeNote} from "../core/note.js";
import {readOutsideNotes, readOutsideProofs} from "../core/outside.js";
import {createVoice, thousands} from "../core/voice.js";
import {checkLogged} from "./logged.js";

/**
 * Report on CONSISTENT over all games and tournaments; `request` has `notes` and `proofs`, [{name,
 * text}].
 */
export async function checkConsistent(games, request, tell) {
  const voice = createVoice("CONSISTENT", tell);
  const {outside, warnings} = readOutsideNotes(request.notes ?? []);
  const {proofs, warnings: ofProofs} = readOutsideProofs(request.proofs ?? []);
  [...warnings, ...ofProofs].forEach((text) => tell.warning(text));
  const logs = new Set(games.map(({logOrigin}) => logOrigin));
  const dealers = new Set(games.map(({origin}) => origin));
  let agreeing = 0;
  for (const game of games) {
    for (const note of outside.filter(({checkpoint}) => checkpoint.origin === game.logOrigin)) {
      agreeing += await compareOutside(game, note, tell);
    }
  }
  const rest = outside.filter(({checkpoint}) => !dealers.has(checkpoint.origin));
  for (const {source, checkpoint} of rest.filter((one) => !logs.has(one.checkpoint.origin))) {
    const why = `it is of another log, ${checkpoint.origin}`;
    tell.warning(`the note ${source} is ignored: ${why}`);
  }
  if (agreeing > 0) {
    voice.holds(`${agreeing} checkpoints from outside are of these lines`);
  } else if (rest.length > 0 || outside.length + proofs.length === 0) {
    voice.unproved("no checkpoint from outside to compare with");
  }
  const own = outside.filter(({checkpoint}) => dealers.has(checkpoint.origin));
  await checkLogged(games, {proofs, own}, tell);
}

/** Compares one note with the signed lines of its game; 1 where it agrees, 0 where not. */
async function compareOutside(game, {source, text, note, checkpoint}, tell) {
  const {judge, covered, tree} = game;
  if ((await judgeNote(note, judge)) !== "good") {
    const why = `it has no good signature of ${judge.shown}`;
    tell.warning(`the note ${source} is ignored: ${why}`);
    return 0;
  }
  const {size} = checkpoint;
  const voice = createVoice("CONSISTENT", tell);
  voice.begin(game.game);
  const own = game.checkpoints.find((one) => one.holds && one.size >= size);
  if (size > covered || own === undefined) {
    const ends = `the signed entries end at ${thousands(covered)}`;
    voice.unproved(`${source} is of size ${thousands(size)}; ${ends}`);
    return 0;
  }
  const root = toHex(await rootAt(tree, size));
  if (root === checkpoint.root) {
    return 1;
  }
  tell.fork({
    log: game.logOrigin, key: judge.text, notes: [own.text, text],
    leaves: size === own.size ? [] : game.leaves.slice(0, own.size),
  });
  tell.finding({
    promise: "CONSISTENT", verdict: "broken", game: game.game, hand: null,
    text: `${judge.shown} signed another history at size ${thousands(size)} (${source})`,
    entry: size === 0 ? null : size - 1, line: own.line,
    expected: `root ${root}, as of the entries of this file`,
    found: `root ${checkpoint.root}, in the note from outside`, evidence: [],
  });
  return 0;
}
