/**
 * Tells which entries a key has signed: what an audit judges.
 *
 * Judged are the entries under a checkpoint of the trusted key, or without one of the file's own
 * (PROTOCOL.md 12). A checkpoint counts when the key's signature holds, its origin line is the
 * game's, its size is the number of lines before it and its root is theirs; one under the key's
 * name and ID that fails in any of these breaks SIGNED.
 */

import {toHex} from "./bytes.js";
import {rootsAt, treeOf} from "./merkle.js";
import {judgeNote} from "./note.js";
import {thousands} from "./voice.js";

/** Past so many bytes of entries without a checkpoint nothing later of the game is judged. */
const MAX_UNCOVERED = 16 * 1024 * 1024;
const VERIFIED_AT_ONCE = 256;
/** Which field of a log's first entry names the log. */
const ID_FIELDS = new Map([["game_opened", "game"], ["tournament_opened", "tournament"]]);

/**
 * The Game of what `readGameFile` read, judged by `trusted` (a key, or null for the file's own).
 *
 * It has, beside what was read: `judge` (the key), `tree` over all leaves, `checkpoints` under the
 * key's name and ID: [{line, size, root (hex, of the lines before it), holds, text}], `covered`,
 * `rules` of its opening or null, and `broken`: what breaks SIGNED, each {text, entry, line,
 * expected, found}.
 */
export async function coverGame(read, trusted, onVerified = () => {}) {
  const judge = trusted ?? read.verifier;
  const [tree, verdicts] = await Promise.all([
    treeOf(read.leaves), judgeNotes(read.notes, judge, onVerified),
  ]);
  const own = read.notes.filter((_, at) => verdicts[at] !== "none");
  const good = verdicts.filter((verdict) => verdict !== "none").map((one) => one === "good");
  const roots = await rootsAt(tree, own.map(({size}) => size));
  const broken = judgeHeader(read);
  const checkpoints = own.map(({line, size, text, checkpoint}, at) => {
    const root = toHex(roots.get(size));
    const differs = good[at] ? compareCheckpoint(read, judge, {size, root, checkpoint})
      : {text: `a signature of ${judge.shown} on a checkpoint fails`};
    if (differs !== null) {
      broken.push({expected: null, found: null, ...differs, entry: size === 0 ? null : size - 1,
        line});
    }
    return {line, size, root, holds: differs === null, text};
  });
  broken.push(...judgeFirstEntry(read));
  const opening = read.entries.find(({kind}) => kind === "game_opened");
  const {source, game, isTournament, origin, key, verifier, logOrigin, entries, leaves} = read;
  return Object.freeze({
    source, game, isTournament, origin, key, verifier, logOrigin, entries, leaves,
    extras: read.extras, judge, tree,
    checkpoints, covered: countCovered(checkpoints, read.sizes), broken,
    rules: opening?.body.rules ?? null,
  });
}

async function judgeNotes(notes, judge, onVerified) {
  const verdicts = [];
  for (let from = 0; from < notes.length; from += VERIFIED_AT_ONCE) {
    const batch = notes.slice(from, from + VERIFIED_AT_ONCE);
    verdicts.push(...(await Promise.all(batch.map(({note}) => judgeNote(note, judge)))));
    onVerified(verdicts.length, notes.length);
  }
  return verdicts;
}

/** What differs between a well signed checkpoint and the header and lines before it, or null. */
function compareCheckpoint({origin, verifier, logOrigin}, judge, {size, root, checkpoint}) {
  // A header's key of another name has been told of already.
  if (judge.name !== origin && judge.name !== verifier.name) {
    const text = "a checkpoint is signed by the key of another origin";
    return {text, expected: origin, found: judge.name};
  }
  if (checkpoint.origin !== logOrigin) {
    const text = "a checkpoint is of another log";
    return {text, expected: logOrigin, found: checkpoint.origin};
  }
  if (checkpoint.size !== size) {
    return {
      text: "a checkpoint does not stand behind the last line that it covers",
      expected: `size ${size}, the entries before it`,
      found: `size ${checkpoint.size}`,
    };
  }
  if (checkpoint.root !== root) {
    const entries = thousands(size);
    const text = `the root of a checkpoint is not that of the ${entries} entries before it`;
    return {text, expected: checkpoint.root, found: root};
  }
  return null;
}

function judgeHeader({origin, verifier, headerLine}) {
  if (verifier.name === origin) {
    return [];
  }
  return [namesAnother("the key of the header", headerLine, origin, verifier.name)];
}

function judgeFirstEntry({entries, origin, game}) {
  const [first] = entries;
  const idField = ID_FIELDS.get(first?.kind);
  if (idField === undefined) {
    return [];
  }
  return [[origin, first.body.origin], [game, first.body[idField]]]
    .filter(([expected, found]) => expected !== found)
    .map(([expected, found]) => namesAnother(first.kind, first.line, expected, found));
}

function namesAnother(what, line, expected, found) {
  const text = `${what} names another origin or game than the header`;
  return {text, entry: null, line, expected, found};
}

/** How many entries are under a checkpoint that holds; `sizes` are the bytes up to each entry. */
function countCovered(checkpoints, sizes) {
  let covered = 0;
  for (const {size, holds} of checkpoints) {
    if (holds) {
      const uncovered = (sizes[size - 1] ?? 0) - (sizes[covered - 1] ?? 0);
      if (uncovered > MAX_UNCOVERED) {
        return covered;
      }
      covered = size;
    }
  }
  return covered;
}
