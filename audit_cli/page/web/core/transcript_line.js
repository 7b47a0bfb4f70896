/**
 * One line of a transcript, from its bytes to time, kind and fields (PROTOCOL.md 5 and 6).
 */

import {utf8Text} from "./bytes.js";
import {MAX_LINE, quickValue, readTranscriptLine} from "./canonical.js";
import {ENTRY_SHAPES} from "./entries.js";
import {isObject} from "./shapes.js";
import {TOURNAMENT_SHAPES} from "./tournament_entries.js";
import {printable, problem, quoted} from "./words.js";

/** The entry of a line (bytes without LF): {entry: {at, kind, body}} or {wrong: problem}. */
export function parseEntryLine(bytes) {
  const text = bytes.length <= MAX_LINE ? utf8Text(bytes) : null;
  // Text of as many units as bytes is ASCII; escapes and DEL are for the strict reader to judge.
  if (text !== null && text.length === bytes.length && !/[\\\x7f]/.test(text)) {
    const entry = shapedEntry(quickValue(text), ENTRY_SHAPES).entry;
    if (entry !== undefined) {
      return {entry};
    }
  }
  const {value, wrong} = readTranscriptLine(bytes);
  return wrong === undefined ? shapedEntry(value, ENTRY_SHAPES) : {wrong};
}

/** The same of a line of a tournament's log (PROTOCOL.md 14.4). */
export function parseTournamentLine(bytes) {
  const {value, wrong} = readTranscriptLine(bytes);
  return wrong === undefined ? shapedEntry(value, TOURNAMENT_SHAPES) : {wrong};
}

function shapedEntry(value, shapes) {
  const names = isObject(value) ? Object.keys(value) : [];
  if (names.length !== 2 || !names.includes("at") || names[0] > names[1]) {
    const hint = 'an entry is {"at":TIME,KIND:{...}}, keys in order';
    return {wrong: problem('an entry without exactly "at" and its kind', hint)};
  }
  const kind = names[0] === "at" ? names[1] : names[0];
  const {at, [kind]: body} = value;
  if (!Number.isSafeInteger(at) || at < 0) {
    const hint = "times are milliseconds";
    return {wrong: problem("a time that is no integer from 0 on", hint)};
  }
  const shape = shapes.get(kind);
  if (shape === undefined) {
    return {wrong: problem(`an entry of the unknown kind ${quoted(printable(kind))}`)};
  }
  const misshapen = shape(body);
  return misshapen === null ? {entry: {at, kind, body}} : {wrong: problem(`${kind}${misshapen}`)};
}
