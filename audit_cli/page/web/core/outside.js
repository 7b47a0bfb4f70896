/**
 * Reads what the auditor brings from outside a game file: checkpoints and proofs, each with the
 * name under which it was given. What can not be read is ignored, with the reason.
 */

import {parseDealerCheckpoint} from "./checkpoint.js";
import {parseLogProof} from "./logproof.js";

const MAX_NOTE_TEXT = 1024 * 1024;

/**
 * The notes of [{name, text}] that are checkpoints: {outside, warnings}.
 *
 * Of each: {source, text, note, checkpoint}. A pasted text that lost its last LF gets it back.
 */
export function readOutsideNotes(given) {
  const outside = [];
  const warnings = [];
  for (const {name, text} of given) {
    const whole = text.endsWith("\n") ? text : `${text}\n`;
    const {note, checkpoint, wrong} = parseDealerCheckpoint(whole);
    if (whole.length > MAX_NOTE_TEXT) {
      warnings.push(`the note ${name} is ignored: it is larger than any note`);
    } else if (wrong === undefined) {
      outside.push({source: name, text: whole, note, checkpoint});
    } else {
      warnings.push(`the note ${name} is ignored: ${wrong.reason}`);
    }
  }
  return {outside, warnings};
}

/** The proofs of [{name, text}] that are of the format: {proofs: [{source, proof}], warnings}. */
export function readOutsideProofs(given) {
  const proofs = [];
  const warnings = [];
  for (const {name, text} of given) {
    const {proof, wrong} = parseLogProof(text);
    if (wrong === undefined) {
      proofs.push({source: name, proof});
    } else {
      warnings.push(`the proof ${name} is ignored: ${wrong.reason}`);
    }
  }
  return {proofs, warnings};
}
