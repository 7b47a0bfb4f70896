/**
 * Reads a player's record: what its client sent and kept, its own witness (PROTOCOL.md 10).
 *
 * A file may hold the records of several games, each begun by its header. A last line without its
 * line feed was being written when the client stopped, and is left out. Reading a file stops at its
 * first line that is not of this format; what stands before it counts.
 */

import {readFileLine} from "./canonical.js";
import {parseDealerCheckpoint} from "./checkpoint.js";
import {
  fieldsShape, hexShape, integerShape, isObject, originShape, playerShape, textShape,
} from "./shapes.js";
import {printable, problem, problemText, quoted} from "./words.js";

const RECORD_FORMAT = "cutcard-record/1";
const END_OF_LINE = 10;

const recordHand = integerShape(1);
const recordHeader = fieldsShape({
  format: textShape, game: hexShape(16), key: textShape, origin: originShape, player: playerShape,
});
const RECORD_LINES = new Map([
  ["anchor", fieldsShape({anchor: hexShape(32)})],
  ["link", fieldsShape({checkpoint: textShape, hand: recordHand, link: hexShape(32)})],
  ["checkpoint", textShape],
  ["missed", fieldsShape({hand: recordHand})],
  ["refused", fieldsShape({reason: textShape, detail: textShape})],
]);

/**
 * The records of some files, [{name, bytes}].
 *
 * @returns {any} {players, damage}: `players` a Map from player to a Map from game to its record,
 *   {game, origin, player, links, kept, refused}: `links` a Map from hand to {link (hex), kept},
 *   `kept` there being the checkpoint under which it was sent; `kept` the other checkpoints, each
 *   {line, note, checkpoint}; `refused` why the client left, in words. `damage` is the line at
 *   which reading a file stopped, where one did: {source, line, reason, hint}
 */
export function readRecords(files) {
  const players = new Map();
  const damage = [];
  for (const {name, bytes} of files) {
    const found = readRecordFile(bytes, players);
    if (found !== null) {
      const {line, wrong} = found;
      damage.push({source: name, line, reason: problemText(wrong), hint: wrong.hint});
    }
  }
  return {players, damage};
}

/** Takes a file's records; returns the first line that is wrong as {line, wrong}, or null. */
function readRecordFile(bytes, players) {
  let record = null;
  let line = 0;
  let from = 0;
  for (let end = bytes.indexOf(END_OF_LINE); end >= 0; end = bytes.indexOf(END_OF_LINE, from)) {
    line += 1;
    const {value, wrong} = readFileLine(bytes.subarray(from, end));
    from = end + 1;
    if (wrong !== undefined) {
      return {line, wrong};
    }
    const isHeader = isObject(value) && Object.hasOwn(value, "format");
    const taken = isHeader ? beginRecord(value, players) : addToRecord(record, value, line);
    if (taken.wrong !== undefined) {
      return {line, wrong: taken.wrong};
    }
    record = taken.record;
  }
  return record === null ? {line, wrong: noRecord()} : null;
}

function noRecord() {
  return problem("no record", `a record begins with {"format":"${RECORD_FORMAT}"`);
}

function beginRecord(value, players) {
  if (value.format !== RECORD_FORMAT) {
    const hint = `this audit reads ${quoted(RECORD_FORMAT)} alone`;
    return {wrong: problem("a record of another format", hint)};
  }
  const wrong = recordHeader(value);
  if (wrong !== null) {
    return {wrong: problem(`header${wrong}`)};
  }
  const {game, origin, player} = value;
  if (!players.has(player)) {
    players.set(player, new Map());
  }
  const games = players.get(player);
  if (!games.has(game)) {
    games.set(game, {game, origin, player, links: new Map(), kept: [], refused: []});
  }
  return {record: games.get(game)};
}

function addToRecord(record, value, line) {
  if (record === null) {
    return {wrong: noRecord()};
  }
  const kinds = isObject(value) ? Object.keys(value) : [];
  if (kinds.length !== 1) {
    return {wrong: problem("a line of a record that is not one named thing")};
  }
  const [kind] = kinds;
  const shape = RECORD_LINES.get(kind);
  if (shape === undefined) {
    return {wrong: problem(`a line of the unknown kind ${quoted(printable(kind))}`)};
  }
  const content = value[kind];
  const wrong = shape(content);
  if (wrong !== null) {
    return {wrong: problem(`${kind}${wrong}`)};
  }
  if (kind === "refused") {
    record.refused.push(`${content.reason}: ${content.detail}`);
  } else if (kind === "checkpoint" || kind === "link") {
    return keepCheckpoint(record, kind, content, line);
  }
  return {record};
}

function keepCheckpoint(record, kind, content, line) {
  const found = parseDealerCheckpoint(kind === "link" ? content.checkpoint : content);
  if (found.wrong !== undefined) {
    return {wrong: found.wrong};
  }
  const kept = {line, note: found.note, checkpoint: found.checkpoint};
  if (kind === "checkpoint") {
    record.kept.push(kept);
    return {record};
  }
  const {hand, link} = content;
  if (!record.links.has(hand)) {
    record.links.set(hand, {link, kept});
  } else if (record.links.get(hand).link !== link) {
    return {wrong: problem(`two links for hand ${hand}`, "a client sends one at most")};
  }
  return {record};
}
