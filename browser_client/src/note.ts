/**
 * Checkpoints of a game's log: C2SP tlog-checkpoint in a C2SP signed-note, under an Ed25519 key
 * (PROTOCOL.md section 5). A note is refused whole where the known key's signature fails.
 */

import { fromBase64, hexOf, isSame, joined, utf8 } from "./bytes.js";
import { VerifyKey } from "./ed25519.js";
import { sha256 } from "./hashing.js";

const ED25519 = 1;
const KEY_ID_BYTES = 4;
const MAX_SIGNATURES = 64;
const MAX_NOTE_BYTES = 65_535;
const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/;
const ORIGIN = /^[a-z0-9./-]{1,128}$/;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;
const SIZE = /^(?:0|[1-9][0-9]{0,18})$/;

/** A note, or a key, that does not hold; the text says why. */
export class NoteError extends Error {
  override readonly name = "NoteError";
}

/** A dealer's verifier key. */
export class NoteKey {
  readonly name: string;
  readonly text: string;
  readonly id: Uint8Array;
  readonly #key: VerifyKey;

  private constructor(name: string, text: string, id: Uint8Array, key: VerifyKey) {
    this.name = name;
    this.text = text;
    this.id = id;
    this.#key = key;
  }

  /** Reads `<origin>+<8 hex digits>+<base64>`; NoteError for anything else. */
  static parse(text: string): NoteKey {
    const [, name = "", digits = "", encoded = ""] = VKEY.exec(text.trim()) ?? [];
    const decoded = fromBase64(encoded);
    if (!ORIGIN.test(name) || name.includes("/games/") || decoded?.[0] !== ED25519) {
      throw new NoteError("a verifier key is written origin+hexid+base64, of an Ed25519 key");
    }
    const raw = decoded.slice(1);
    const key = VerifyKey.of(raw);
    if (key === undefined) throw new NoteError("the verifier key is no point of order L");
    const id = sha256(joined(utf8(name), Uint8Array.of(0x0a, ED25519), raw)).slice(0, KEY_ID_BYTES);
    if (hexOf(id) !== digits) {
      throw new NoteError(`the verifier key's ID is ${hexOf(id)} and not ${digits}`);
    }
    return new NoteKey(name, text.trim(), id, key);
  }

  verifies(signature: Uint8Array, message: Uint8Array): boolean {
    return this.#key.verifies(signature, message);
  }

  toString(): string {
    return this.text;
  }
}

/** A log's number of lines and its root at that size. */
export interface Checkpoint {
  readonly size: number;
  readonly root: Uint8Array;
}

/** The origin line of a game's log. */
export function logOrigin(origin: string, game: string): string {
  return `${origin}/games/${game}`;
}

/** Reads a note that `key` signed as a checkpoint of the log `origin`; NoteError. */
export function openCheckpoint(note: string, key: NoteKey, origin: string): Checkpoint {
  const lines = openNote(note, key).split("\n");
  const [named, size = "", encoded = "", rest, ...more] = lines;
  const root = fromBase64(encoded);
  if (rest !== "" || more.length > 0 || !SIZE.test(size) || root?.length !== 32) {
    throw new NoteError("not a checkpoint: origin line, size and root are its three lines");
  }
  if (named !== origin) {
    const told = JSON.stringify((named ?? "").slice(0, 200));
    throw new NoteError(`the checkpoint is of the log ${told} and not of ${JSON.stringify(origin)}`);
  }
  return { size: Number(size), root };
}

/** Gives the text of a note that `key` signed; NoteError. */
function openNote(note: string, key: NoteKey): string {
  if (/\p{Cs}/u.test(note) || utf8(note).length > MAX_NOTE_BYTES || CONTROL.test(note)) {
    throw new NoteError("not a note: it is too long, or has a control character but a newline");
  }
  const gap = note.lastIndexOf("\n\n");
  if (gap < 0 || !note.endsWith("\n")) {
    throw new NoteError("not a note: no empty line, or no complete signature line behind it");
  }
  const text = note.slice(0, gap + 1);
  const lines = note.slice(gap + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) throw new NoteError("a note has at most 64 signatures");
  let isSigned = false;
  for (const [name, stamp] of lines.map(readSignature)) {
    if (name !== key.name || !isSame(stamp.subarray(0, KEY_ID_BYTES), key.id)) continue;
    if (!key.verifies(stamp.subarray(KEY_ID_BYTES), utf8(text))) {
      throw new NoteError(`the signature of ${key.name} does not hold`);
    }
    isSigned = true;
  }
  if (!isSigned) throw new NoteError("no signature of the note is the dealer's");
  return text;
}

function readSignature(line: string): [string, Uint8Array] {
  const [dash, name, encoded, ...more] = line.split(" ");
  const stamp = fromBase64(encoded ?? "");
  const isNamed = name !== undefined && name !== "" && !/[\s+]/u.test(name);
  if (dash !== "\u2014" || !isNamed || more.length > 0 || (stamp?.length ?? 0) <= KEY_ID_BYTES) {
    throw new NoteError("a signature line is a dash, a key's name and base64");
  }
  return [name, stamp ?? new Uint8Array()];
}
