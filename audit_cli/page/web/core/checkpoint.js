/**
 * C2SP tlog-checkpoint texts, read strictly: origin, size, root, and nothing that reads two ways.
 *
 * The size is decimal without sign or leading zero, below 2^63; the root is 32 bytes in canonical
 * base64. The checkpoints of a dealer's logs have no extension lines (PROTOCOL.md 5).
 */

import {fromBase64, toHex} from "./bytes.js";
import {HASH_BYTES} from "./merkle.js";
import {parseNote} from "./note.js";
import {printable, problem, quoted} from "./words.js";

const LARGEST_SIZE = 2n ** 63n - 1n;

/** A decimal text as a Number, or where that would round it as a BigInt. */
export function decimalNumber(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/**
 * The checkpoint in a note's text: {checkpoint} or {wrong: problem}.
 *
 * A checkpoint is {origin, size (Number, or BigInt beyond 2^53), root (hex), extensions: [text]}.
 */
export function parseCheckpoint(text) {
  const refused = (reason, hint = "") => ({wrong: problem(reason, hint)});
  const lines = text.split("\n");
  if (lines.pop() !== "" || lines.length < 3) {
    const hint = "a checkpoint is origin, size and root, a line each";
    return refused("a checkpoint of fewer than three whole lines", hint);
  }
  const [origin, size, encoded, ...extensions] = lines;
  if (origin === "") {
    return refused("a checkpoint without an origin line");
  }
  if (!/^(0|[1-9][0-9]{0,18})$/.test(size) || BigInt(size) > LARGEST_SIZE) {
    const hint = "a size is decimal, without sign or leading zero, below 2^63";
    return refused(`a checkpoint of size ${quoted(printable(size))}`, hint);
  }
  const root = fromBase64(encoded);
  if (root === null || root.length !== HASH_BYTES) {
    return refused("a checkpoint whose root is not 32 bytes in canonical base64");
  }
  if (extensions.includes("")) {
    return refused("a checkpoint with an empty extension line");
  }
  return {checkpoint: {origin, size: decimalNumber(size), root: toHex(root), extensions}};
}

/** A note (text or bytes) and the checkpoint that it signs: {note, checkpoint} or {wrong}. */
export function parseCheckpointNote(data) {
  const {note, wrong} = parseNote(data);
  if (wrong !== undefined) {
    return {wrong};
  }
  const found = parseCheckpoint(note.text);
  return found.wrong === undefined ? {note, checkpoint: found.checkpoint} : {wrong: found.wrong};
}

/** `parseCheckpointNote` for a dealer's logs, in which extension lines are refused. */
export function parseDealerCheckpoint(data) {
  const found = parseCheckpointNote(data);
  if (found.wrong === undefined && found.checkpoint.extensions.length > 0) {
    const hint = "a dealer's checkpoints have none";
    return {wrong: problem("a checkpoint with extension lines", hint)};
  }
  return found;
}
