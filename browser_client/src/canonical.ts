/**
 * Canonical JSON lines (RFC 8785, PROTOCOL.md section 5): one value has one line, and a line that
 * is not byte for byte its own canonical form is refused.
 *
 * There is no null and no fraction; integers are 0 to 2^53 - 1; nothing is nested deeper than 32;
 * a line has at most 65,535 bytes. A transcript's text is printable ASCII; other lines of a record
 * may hold any text, such as a signed note.
 */

import { textOf, utf8 } from "./bytes.js";

const MAX_LINE_BYTES = 65_535;
const MAX_DEPTH = 32;
const PRINTABLE = /^[ -~]*$/;

export type Value = boolean | number | string | readonly Value[] | Members;
/** An object of a line. */
export interface Members {
  readonly [name: string]: Value;
}
type Text = "ascii" | "any";

/** A line that is not canonical, or a value that has no line; the text says why. */
export class CanonicalError extends Error {
  override readonly name = "CanonicalError";
}

/** Writes an object as its line, without a newline; CanonicalError. */
export function encode(value: object, text: Text = "ascii"): string {
  const line = written(value, text, 0);
  if (utf8(line).length > MAX_LINE_BYTES) {
    throw new CanonicalError(`the line has more than ${MAX_LINE_BYTES} bytes`);
  }
  return line;
}

/** Reads a line that is its own canonical form, without a newline; CanonicalError. */
export function decode(line: Uint8Array, text: Text = "ascii"): Record<string, unknown> {
  if (line.length > MAX_LINE_BYTES) {
    const message = `the line has ${line.length} bytes and may have at most ${MAX_LINE_BYTES}`;
    throw new CanonicalError(message);
  }
  const source = textOf(line);
  if (source === undefined) throw new CanonicalError("the line is not UTF-8 text");
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new CanonicalError("the line is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CanonicalError("a line is an object");
  }
  const again = written(value, text, 0);
  if (again !== source) throw new CanonicalError(`the line is not canonical: ${difference(source, again)}`);
  return value as Record<string, unknown>;
}

function written(value: unknown, text: Text, depth: number): string {
  switch (typeof value) {
    case "string":
      return writtenText(value, text);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isSafeInteger(value) || value < 0 || Object.is(value, -0)) {
        throw new CanonicalError("numbers are integers from 0 to 2^53 - 1");
      }
      return String(value);
    case "object":
      if (value === null) throw new CanonicalError("null does not occur");
      if (depth >= MAX_DEPTH) throw new CanonicalError(`nothing nests deeper than ${MAX_DEPTH}`);
      return Array.isArray(value)
        ? `[${value.map((one) => written(one, text, depth + 1)).join(",")}]`
        : writtenObject(value as Record<string, unknown>, text, depth);
    default:
      throw new CanonicalError(`a ${typeof value} has no place in a line`);
  }
}

function writtenObject(value: Record<string, unknown>, text: Text, depth: number): string {
  const members = Object.keys(value)
    .sort()
    .map((name) => `${writtenText(name, "ascii")}:${written(value[name], text, depth + 1)}`);
  return `{${members.join(",")}}`;
}

function writtenText(value: string, text: Text): string {
  if (text === "ascii" && !PRINTABLE.test(value)) {
    throw new CanonicalError("text is printable ASCII");
  }
  if (/\p{Cs}/u.test(value)) throw new CanonicalError("half of a surrogate pair is no text");
  return JSON.stringify(value);
}

function difference(line: string, again: string): string {
  let at = 0;
  while (line[at] === again[at]) at += 1;
  const here = JSON.stringify(line.slice(at, at + 12));
  return `at character ${at} it has ${here}, and its canonical form ${JSON.stringify(again.slice(at, at + 12))}`;
}
