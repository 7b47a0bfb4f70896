/**
 * Reads game files (PROTOCOL.md 5) slice by slice into games with all their entries, and in the
 * same way the logs of tournaments (14.1).
 *
 * Reading never throws for what the bytes say: what is wrong becomes damage with its line, and
 * reading goes on where the next line can still be told. It stops at a line that is too long to be
 * one, at a header that names no game, after `MAX_DAMAGED` damaged lines, and past what a page can
 * hold in memory. A damaged entry keeps its place in the log, with its leaf hash, so that
 * checkpoints behind it are still compared.
 */

import {utf8Text} from "./bytes.js";
import {MAX_LINE, quickValue, readFileLine} from "./canonical.js";
import {parseDealerCheckpoint} from "./checkpoint.js";
import {DEALER_LOG_SHAPE, OPENING_SHAPE} from "./entries.js";
import {sha256All} from "./hashing.js";
import {GAME_FORMAT, parseHeader} from "./header.js";
import {isObject} from "./shapes.js";
import {parseEntryLine, parseTournamentLine} from "./transcript_line.js";
import {thousands} from "./voice.js";
import {printable, problem, problemText} from "./words.js";

const MAX_DAMAGED = 100;
// What a page can hold, of all games of an input: some 40,000 hands.
const MAX_ENTRIES = 1_000_000;
const MAX_GAMES = 1_000;
const MAX_INPUT_BYTES = 256 * 1024 * 1024;
const SLICE_BYTES = 1024 * 1024;
const LINE_FEED = 10;
const OPENING_BRACE = 0x7b;
const OTHER_LINE = /^"(checkpoint|format|opening|dealer_log)"/;
const OTHER_LINE_BYTES = 16;

/**
 * All logs of one input in their order, and what is not of this format in it: {logs, damage}.
 *
 * `blob` is a Blob, `onRead(bytes)` is told how far it is. A log is {source, game, isTournament,
 * origin, key: its vkey text, verifier: the key, logOrigin, headerLine, entries, leaves, sizes: the
 * bytes of all entries up to each, notes: [{line, size, text, note, checkpoint}], extras: [{line,
 * kind, body}]}. Of a tournament `game` is its id, and the entries are those of 14.4. Damage is
 * {source, line, reason, hint}.
 */
export async function readGameFile(
  blob, source, onRead = /** @type {(bytes: number) => void} */ (() => {}),
) {
  const reading = {
    source: printable(source, 200), number: 0, logs: [], verifiers: new Map(), damage: [],
    game: null, parse: parseEntryLine, entries: 0, behind: false, over: false,
  };
  let tail = new Uint8Array(0);
  let hashed = Promise.resolve();
  let next = readSlice(blob, 0);
  for (let from = 0; from < blob.size && !reading.over; from += SLICE_BYTES) {
    if (from >= MAX_INPUT_BYTES) {
      stopAtLimit(reading, `more than ${thousands(MAX_INPUT_BYTES)} bytes`);
      break;
    }
    const {bytes, wrong} = await next;
    next = readSlice(blob, from + SLICE_BYTES);
    if (wrong !== undefined) {
      reading.number = 0;
      addDamage(reading, wrong);
      tail = new Uint8Array(0);
      break;
    }
    const lines = splitSlice(tail, bytes);
    tail = lines.tail;
    const leaves = [];
    await readLines(reading, lines, leaves);
    await hashed;
    hashed = hashLeaves(leaves);
    onRead(Math.min(blob.size, from + SLICE_BYTES));
  }
  await hashed;
  finishReading(reading, tail, blob.size);
  return {logs: reading.logs, damage: reading.damage};
}

async function readSlice(blob, from) {
  try {
    return {bytes: new Uint8Array(await blob.slice(from, from + SLICE_BYTES).arrayBuffer())};
  } catch (error) {
    return {wrong: problem(`can not be read further: ${printable(String(error.message), 200)}`)};
  }
}

function finishReading(reading, tail, size) {
  if (tail.length > 0 && !reading.over) {
    reading.number += 1;
    const hint = "each line ends with LF; was it cut off?";
    addDamage(reading, problem("the last line has no line feed", hint));
  }
  if (size === 0) {
    const hint = `a game file begins with {"format":"${GAME_FORMAT}"`;
    addDamage(reading, problem("an empty input", hint));
  }
}

/**
 * The bytes of a slice behind what was left of the one before, with one byte in front: {bytes,
 * ends, tail}. Line i is between ends[i] and ends[i + 1], these not included; at ends[i] stands
 * 0x00, so that an entry's leaf is the hash of the bytes from there on.
 */
function splitSlice(before, slice) {
  const bytes = new Uint8Array(1 + before.length + slice.length);
  bytes.set(before, 1);
  bytes.set(slice, 1 + before.length);
  const ends = [0];
  for (let at = bytes.indexOf(LINE_FEED, 1); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    bytes[at] = 0;
    ends.push(at);
  }
  return {bytes, ends, tail: bytes.slice(ends[ends.length - 1] + 1)};
}

async function hashLeaves(wanted) {
  const hashes = await sha256All(wanted.map(({input}) => input));
  wanted.forEach(({leaves, index}, at) => {
    leaves[index] = hashes[at];
  });
}

/** Reads the lines of a slice; the leaves that are to be hashed are added to `wanted`. */
async function readLines(reading, {bytes, ends, tail}, wanted) {
  for (let at = 0; at + 1 < ends.length && !reading.over; at += 1) {
    const input = bytes.subarray(ends[at], ends[at + 1]);
    reading.number += 1;
    if (input.length - 1 > MAX_LINE) {
      stopAtLongLine(reading);
      return;
    }
    if (mayBeEntry(reading, input)) {
      addEntry(reading, input, wanted);
    } else {
      await readOther(reading, input, wanted);
    }
    if (reading.damage.length > MAX_DAMAGED) {
      const hint = "this is no game file, or a very damaged one";
      stopReading(reading, problem(`more than ${MAX_DAMAGED} damaged lines`, hint));
    }
  }
  if (!reading.over && tail.length > MAX_LINE) {
    reading.number += 1;
    stopAtLongLine(reading);
  }
}

function addDamage(reading, {reason, hint, byte}) {
  const {source, number: line} = reading;
  reading.damage.push({source, line, reason: problemText({reason, byte}), hint});
}

function stopReading(reading, wrong) {
  reading.over = true;
  addDamage(reading, wrong);
}

function stopAtLongLine(reading) {
  const hint = `a line has at most ${thousands(MAX_LINE)} bytes`;
  stopReading(reading, problem(`a line of more than ${thousands(MAX_LINE)} bytes`, hint));
}

function stopAtLimit(reading, reason) {
  const hint = "the page holds a game in memory; cutcard-audit verify reads files of any length";
  stopReading(reading, problem(reason, hint));
}

/** Whether a line, behind its one byte, begins as an entry does, where entries may stand. */
function mayBeEntry({game, behind}, input) {
  const [, brace, quote, letter] = input;
  return game !== null && !behind && brace === OPENING_BRACE && quote === 0x22 && letter === 0x61;
}

function addEntry(reading, input, wanted) {
  const {game, number} = reading;
  const index = game.entries.length;
  if (reading.entries === MAX_ENTRIES) {
    stopAtLimit(reading, `more than ${thousands(MAX_ENTRIES)} entries`);
    return;
  }
  reading.entries += 1;
  const {entry, wrong} = reading.parse(input.subarray(1));
  if (wrong === undefined) {
    game.entries.push({index, line: number, at: entry.at, kind: entry.kind, body: entry.body});
  } else {
    addDamage(reading, wrong);
    const text = problemText(wrong);
    game.entries.push({index, line: number, at: -1, kind: "", body: {}, problem: text});
  }
  game.sizes.push((game.sizes[index - 1] ?? 0) + input.length - 1);
  game.leaves.push(null);
  wanted.push({input, leaves: game.leaves, index});
}

/** Reads a line that does not begin as an entry does, or that stands where none may. */
async function readOther(reading, input, wanted) {
  const raw = input.subarray(1);
  const name = nameOfOther(raw);
  if (name === "format" || reading.game === null) {
    await beginGame(reading, raw);
  } else if (name === "checkpoint") {
    addCheckpoint(reading, raw);
  } else if (name !== "") {
    reading.behind = true;
    addExtra(reading, raw, name);
  } else if (reading.behind) {
    const hint = "openings and dealer_log lines end a game's part of the file";
    addDamage(reading, problem("an entry behind an opening or dealer_log line", hint));
  } else {
    addEntry(reading, input, wanted);
  }
}

/** The first key of a line that is no entry, whatever white space is around it; or "". */
function nameOfOther(raw) {
  const brace = skipSpace(raw, 0);
  if (raw[brace] !== OPENING_BRACE) {
    return "";
  }
  const from = skipSpace(raw, brace + 1);
  const head = String.fromCharCode(...raw.subarray(from, from + OTHER_LINE_BYTES));
  return OTHER_LINE.exec(head)?.[1] ?? "";
}

function skipSpace(raw, from) {
  let at = from;
  while (raw[at] === 32 || (raw[at] >= 9 && raw[at] <= 13)) {
    at += 1;
  }
  return at;
}

async function beginGame(reading, raw) {
  reading.game = null;
  reading.behind = false;
  const {header, wrong} = await parseHeader(raw, reading.verifiers);
  if (wrong !== undefined) {
    stopReading(reading, wrong);
    return;
  }
  if (reading.logs.length === MAX_GAMES) {
    stopAtLimit(reading, `more than ${thousands(MAX_GAMES)} games`);
    return;
  }
  const {game, origin, verifier, isTournament} = header;
  reading.game = {
    source: reading.source, game, isTournament, origin, key: verifier.text, verifier,
    logOrigin: `${origin}/games/${game}`, headerLine: reading.number, entries: [], leaves: [],
    sizes: [], notes: [], extras: [],
  };
  reading.parse = isTournament ? parseTournamentLine : parseEntryLine;
  reading.logs.push(reading.game);
}

function addCheckpoint(reading, raw) {
  if (reading.behind) {
    const hint = "a checkpoint stands directly behind the last line that it covers";
    addDamage(reading, problem("a checkpoint behind the end of the entries", hint));
    return;
  }
  const {text, wrong: misread} = readNoteLine(raw);
  const {note, checkpoint, wrong} = misread === undefined ? parseDealerCheckpoint(text)
    : {wrong: misread};
  if (wrong !== undefined) {
    addDamage(reading, wrong);
    return;
  }
  const {notes, entries} = reading.game;
  notes.push({line: reading.number, size: entries.length, text, note, checkpoint});
}

/** The note's text in a checkpoint line: {text} or {wrong}. */
function readNoteLine(raw) {
  const line = utf8Text(raw);
  // JSON writes a lone surrogate back as its escape, which is not canonical.
  const quick = line === null || line.includes("\\u") ? undefined : quickValue(line);
  const {value, wrong} = isNoteLine(quick) ? {value: quick} : readFileLine(raw);
  if (wrong !== undefined) {
    return {wrong};
  }
  if (!isObject(value) || Object.keys(value).join(" ") !== "checkpoint") {
    return {wrong: problem("a checkpoint line with other fields")};
  }
  if (typeof value.checkpoint !== "string") {
    return {wrong: problem("a checkpoint that is no text")};
  }
  return {text: value.checkpoint};
}

function isNoteLine(value) {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.checkpoint === "string";
}

function addExtra(reading, raw, name) {
  const {value, wrong} = readFileLine(raw);
  if (wrong !== undefined) {
    addDamage(reading, wrong);
    return;
  }
  if (!isObject(value) || Object.keys(value).join(" ") !== name || !isObject(value[name])) {
    addDamage(reading, problem(`a line ${name} that is not one object`));
    return;
  }
  const body = value[name];
  const misshapen = (name === "opening" ? OPENING_SHAPE : DEALER_LOG_SHAPE)(body);
  if (misshapen !== null) {
    addDamage(reading, problem(`${name}${misshapen}`));
    return;
  }
  const badNote = name === "dealer_log" ? parseDealerCheckpoint(body.checkpoint).wrong : undefined;
  if (badNote !== undefined) {
    addDamage(reading, badNote);
    return;
  }
  reading.game.extras.push({line: reading.number, kind: name, body});
}
