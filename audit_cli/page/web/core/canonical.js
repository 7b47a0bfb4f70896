/**
 * Reads canonical JSON (RFC 8785) in the protocol's narrow domain, and nothing else.
 *
 * Accepted is exactly: no null, no fraction, no exponent, integers below 2^53 in size, keys once
 * each in the order of their UTF-16 units, no space between tokens, the shortest escapes, at most
 * `MAX_DEPTH` levels, at most `MAX_LINE` bytes (PROTOCOL.md 5, "Lines"). A transcript's line is
 * printable ASCII besides; other lines of a file are UTF-8.
 *
 * A line that JSON.stringify gives back as it was is canonical but for the order of its keys and
 * the values outside the domain. `quickValue` reads such lines for callers whose shapes look at all
 * of that; what they refuse, the strict reader reads again, and names the first offence.
 */

import {findUtf8Fault, utf8Bytes, utf8Text} from "./bytes.js";
import {problem, quoted} from "./words.js";
import {thousands} from "./voice.js";

export const MAX_LINE = 65535;
const MAX_DEPTH = 64;

const ESCAPED_CHARS = new Map([
  ["b", "\b"], ["t", "\t"], ["n", "\n"], ["f", "\f"], ["r", "\r"], ['"', '"'], ["\\", "\\"],
]);
const SHORTLY_ESCAPED = new Set(ESCAPED_CHARS.values());
const PLAIN_RUN = /[^"\\\u0000-\u001f]*/y;
const DIGITS = /-?[0-9]*/y;
const FOUR_HEX = /[0-9a-fA-F]{4}/y;

/**
 * The value of a text that JSON writes back as it is; undefined for any other.
 *
 * Keys may still be out of order, and numbers, nulls and text outside the domain.
 */
export function quickValue(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The value of a transcript's line (bytes without LF): {value} or {wrong: problem}.
 *
 * Objects that it makes have no prototype.
 */
export function readTranscriptLine(bytes) {
  if (bytes.length > MAX_LINE) {
    return {wrong: lineTooLong(bytes.length)};
  }
  const at = bytes.findIndex((byte) => byte > 0x7e);
  if (at >= 0 && bytes.some((byte) => byte > 0x7f)) {
    const hint = "text in a transcript is printable ASCII";
    return {wrong: problem("a character outside ASCII", hint, at)};
  }
  return readStrictly(utf8Text(bytes), true);
}

/** The value of any other line of a file (bytes without LF): {value} or {wrong: problem}. */
export function readFileLine(bytes) {
  if (bytes.length > MAX_LINE) {
    return {wrong: lineTooLong(bytes.length)};
  }
  const text = utf8Text(bytes);
  if (text === null) {
    return {wrong: problem("not UTF-8", "", findUtf8Fault(bytes))};
  }
  return readStrictly(text, false);
}

/** The canonical text of a value of the narrow domain. */
export function writeCanonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(writeCanonical).join(",")}]`;
  }
  if (typeof value === "object") {
    const names = Object.keys(value).sort();
    const fields = names.map((name) => `${JSON.stringify(name)}:${writeCanonical(value[name])}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value);
}

function lineTooLong(length) {
  const hint = `a line has at most ${thousands(MAX_LINE)} bytes`;
  return problem(`a line of ${length} bytes`, hint, MAX_LINE);
}

/** Reads a whole text; the first offence ends it by an exception that does not leave here. */
function readStrictly(text, ascii) {
  const reading = {text, at: 0, ascii, wrong: null};
  try {
    const value = readValue(reading, 0);
    if (reading.at !== text.length) {
      failUnexpected(reading, "the end of the line");
    }
    return {value};
  } catch (error) {
    if (reading.wrong === null) {
      throw error;
    }
    const {reason, hint, byte} = reading.wrong;
    return {wrong: problem(reason, hint, utf8Bytes(text.slice(0, byte)).length)};
  }
}

function fail(reading, at, reason, hint = "") {
  reading.wrong = problem(reason, hint, at);
  throw new Error(reason);
}

function charAt(reading) {
  const code = reading.text.codePointAt(reading.at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function failUnexpected(reading, wanted) {
  const char = charAt(reading);
  if (char === "") {
    fail(reading, reading.at, `the line ends where ${wanted} should be`);
  }
  if (" \t\r".includes(char)) {
    const hint = "canonical JSON has none; lines end with LF";
    fail(reading, reading.at, "a space between tokens", hint);
  }
  fail(reading, reading.at, `${quoted(char)} where ${wanted} should be`);
}

function readValue(reading, depth) {
  const char = charAt(reading);
  if (char === "{") {
    return readObject(reading, depth + 1);
  }
  if (char === "[") {
    return readList(reading, depth + 1);
  }
  if (char === '"') {
    return readText(reading);
  }
  if (/^[-0-9]$/.test(char)) {
    return readInteger(reading);
  }
  for (const word of ["true", "false"]) {
    if (reading.text.startsWith(word, reading.at)) {
      reading.at += word.length;
      return word === "true";
    }
  }
  if (reading.text.startsWith("null", reading.at)) {
    fail(reading, reading.at, "a null", "a field without a value is left out");
  }
  return failUnexpected(reading, "a value");
}

function enterLevel(reading, depth) {
  if (depth > MAX_DEPTH) {
    fail(reading, reading.at, `nesting deeper than ${MAX_DEPTH} levels`);
  }
  reading.at += 1;
}

function readObject(reading, depth) {
  enterLevel(reading, depth);
  const fields = Object.create(null);
  if (charAt(reading) === "}") {
    reading.at += 1;
    return fields;
  }
  let last = null;
  for (;;) {
    const start = reading.at;
    if (charAt(reading) !== '"') {
      failUnexpected(reading, "a key");
    }
    const key = readText(reading);
    if (Object.hasOwn(fields, key)) {
      fail(reading, start, `the key ${quoted(key)} twice`);
    }
    if (last !== null && key < last) {
      fail(reading, start, `the key ${quoted(key)} out of order`, "keys stand in ascending order");
    }
    last = key;
    if (charAt(reading) !== ":") {
      failUnexpected(reading, "a colon");
    }
    reading.at += 1;
    fields[key] = readValue(reading, depth);
    if (readsClosing(reading, "}")) {
      return fields;
    }
  }
}

function readList(reading, depth) {
  enterLevel(reading, depth);
  const items = [];
  if (charAt(reading) === "]") {
    reading.at += 1;
    return items;
  }
  for (;;) {
    items.push(readValue(reading, depth));
    if (readsClosing(reading, "]")) {
      return items;
    }
  }
}

function readsClosing(reading, bracket) {
  const char = charAt(reading);
  if (char !== bracket && char !== ",") {
    failUnexpected(reading, `a comma or ${quoted(bracket)}`);
  }
  reading.at += 1;
  return char === bracket;
}

function readInteger(reading) {
  const start = reading.at;
  const digits = matchedHere(DIGITS, reading);
  if (digits === "-") {
    fail(reading, start, "a minus without digits");
  }
  reading.at += digits.length;
  if (/^[.eE]$/.test(charAt(reading))) {
    const hint = "write whole numbers without . or e";
    fail(reading, start, "a number that is not an integer", hint);
  }
  if (/^(-0$|-?0.)/.test(digits)) {
    fail(reading, start, "a number with a needless zero or sign");
  }
  if (!Number.isSafeInteger(Number(digits))) {
    fail(reading, start, "a number of 2^53 or more", "integers stay below 2^53");
  }
  return Number(digits);
}

function matchedHere(pattern, reading) {
  pattern.lastIndex = reading.at;
  return pattern.exec(reading.text)?.[0] ?? null;
}

function readText(reading) {
  const start = reading.at;
  const parts = [];
  reading.at += 1;
  for (;;) {
    const plain = matchedHere(PLAIN_RUN, reading);
    if (reading.ascii && plain.includes("\x7f")) {
      const where = reading.at + plain.indexOf("\x7f");
      failControl(reading, where, "\x7f");
    }
    parts.push(plain);
    reading.at += plain.length;
    const char = charAt(reading);
    if (char === '"') {
      reading.at += 1;
      return parts.join("");
    }
    if (char === "\\") {
      parts.push(readEscape(reading));
    } else if (char !== "") {
      const reason = `the control character ${quoted(char)}`;
      fail(reading, reading.at, reason, "escape it, or leave it out");
    } else {
      fail(reading, start, "text without its closing quote");
    }
  }
}

function failControl(reading, at, char) {
  fail(reading, at, `the control character ${quoted(char)}`, "text is printable ASCII");
}

function readEscape(reading) {
  const start = reading.at;
  const letter = reading.text.charAt(start + 1);
  reading.at = start + 2;
  if (letter === "u") {
    return readUnicodeEscape(reading, start);
  }
  const char = ESCAPED_CHARS.get(letter);
  if (char === undefined) {
    fail(reading, start, "an escape that canonical JSON does not use");
  }
  if (reading.ascii && char !== '"' && char !== "\\") {
    failControl(reading, start, char);
  }
  return char;
}

function readUnicodeEscape(reading, start) {
  const digits = matchedHere(FOUR_HEX, reading);
  if (digits === null) {
    fail(reading, start, "\\u without four hex digits");
  }
  reading.at += 4;
  const char = String.fromCharCode(parseInt(digits, 16));
  if (char >= " " || SHORTLY_ESCAPED.has(char)) {
    const escape = reading.text.slice(start, start + 6);
    fail(reading, start, `a needless escape ${quoted(escape)}`, "write it plain");
  }
  if (digits !== digits.toLowerCase()) {
    fail(reading, start, "an escape in upper case", "hex digits are lower-case");
  }
  if (reading.ascii) {
    failControl(reading, start, char);
  }
  return char;
}
