/**
 * The first line of a game, or of a tournament's log: what a file says it is (PROTOCOL.md 5, 14.1).
 * Nothing in it is trusted.
 */

import {readFileLine} from "./canonical.js";
import {bytes16Shape} from "./entries.js";
import {parseVerifierKey} from "./note.js";
import {isObject, originShape, textShape} from "./shapes.js";
import {problem, problemText} from "./words.js";

export const GAME_FORMAT = "cutcard-game/1";
const TOURNAMENT_FORMAT = "cutcard-tournament/1";
const HEADER_FORM = `{"format":"${GAME_FORMAT}","game":GAME,"key":VKEY,"origin":ORIGIN}`;
const TOURNAMENT_FORM =
  `{"format":"${TOURNAMENT_FORMAT}","key":VKEY,"origin":ORIGIN,"tournament":ID}`;
/** By the format of a file: the field that has the log's id, and how its header is written. */
const HEADERS = new Map([
  [GAME_FORMAT, {idField: "game", form: HEADER_FORM}],
  [TOURNAMENT_FORMAT, {idField: "tournament", form: TOURNAMENT_FORM}],
]);
/** @type {[string, (value: any) => any][]} */
const HEADER_FIELDS = [["key", textShape], ["origin", originShape]];

/**
 * The header in a line's bytes: {header: {game, origin, verifier, isTournament}} or {wrong}. Of a
 * tournament `game` is its id; `verifiers` has the keys of the headers before, by their text.
 */
export async function parseHeader(raw, verifiers) {
  const refused = (reason, hint) => ({wrong: problem(reason, hint)});
  const {value, wrong} = readFileLine(raw);
  const begins = `a game begins with ${HEADER_FORM}`;
  if (wrong !== undefined) {
    return refused(`no header: ${problemText(wrong)}`, begins);
  }
  if (!isObject(value) || !Object.hasOwn(value, "format")) {
    return refused("no header", begins);
  }
  const {idField, form} = HEADERS.get(value.format) ?? {};
  if (idField === undefined) {
    const hint = `this audit reads '${GAME_FORMAT}' and '${TOURNAMENT_FORMAT}'`;
    return refused("a file of another format", hint);
  }
  if (Object.keys(value).join(" ") !== ["format", idField, "key", "origin"].sort().join(" ")) {
    return refused("a header with other fields", `a header is ${form}`);
  }
  /** @type {typeof HEADER_FIELDS} */
  const fields = [[idField, bytes16Shape], ...HEADER_FIELDS];
  for (const [name, shape] of fields) {
    const misshapen = shape(value[name]);
    if (misshapen !== null) {
      return refused(`header.${name}${misshapen}`, `a header is ${form}`);
    }
  }
  const known = verifiers.get(value.key);
  /** @type {any} */
  const parsed = known === undefined ? await parseVerifierKey(value.key) : {key: known};
  const {key: verifier, wrong: badKey} = parsed;
  if (badKey !== undefined) {
    return refused(`header.key: ${badKey.reason}`, badKey.hint);
  }
  verifiers.set(value.key, verifier);
  const isTournament = value.format === TOURNAMENT_FORMAT;
  return {header: {game: value[idField], origin: value.origin, verifier, isTournament}};
}
