/**
 * C2SP signed notes and verifier keys, read strictly, with Ed25519 (type 0x01) signatures.
 *
 * A note is text, a blank line, and signature lines `— NAME BASE64`, where the base64 holds a key
 * ID of four bytes and the signature (PROTOCOL.md 5). A signature of a known key that fails spoils
 * the whole note; signatures of unknown keys prove nothing.
 */

import {
  findUtf8Fault, fromBase64, joinBytes, toBase64, toHex, utf8Bytes, utf8Text,
} from "./bytes.js";
import {KEY_BYTES, loadPublicKey, verifySignature} from "./ed25519.js";
import {sha256} from "./hashing.js";
import {printable, problem, quoted} from "./words.js";

const MAX_SIGNATURES = 64;
const ED25519_TYPE = 1;
const LEAST_SIGNATURE = 5;
const SIGNATURE_MARK = "\u2014 ";
const CONTROL_BUT_LF = /[\u0000-\u0009\u000b-\u001f]/;
// White space of Unicode, with the separators U+001C to U+001F.
const WHITE_SPACE =
  /[\t-\r\u001c- \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const VKEY_FORM = "a verifier key is NAME+ID+BASE64, as `cutcard-dealer key` prints it";

/** Whether a key may have this name: not empty, no space in it and no plus sign. */
function isKeyName(name) {
  return name !== "" && !name.includes("+") && !WHITE_SPACE.test(name);
}

/**
 * The key of a vkey text NAME+ID+BASE64: {key} or {wrong: problem}.
 *
 * A key is {name, id (hex), bytes, shown: NAME+ID, text: the whole vkey, crypto: CryptoKey}.
 */
export async function parseVerifierKey(text) {
  const refused = (reason, hint = VKEY_FORM) => ({wrong: problem(reason, hint)});
  const [name, id, ...rest] = text.split("+");
  if (rest.length === 0) {
    return refused("not a verifier key");
  }
  if (!isKeyName(name)) {
    return refused("a verifier key without a proper name");
  }
  if (!/^[0-9a-f]{8}$/.test(id)) {
    return refused("a verifier key whose ID is not eight lower-case hex digits");
  }
  const data = fromBase64(rest.join("+"));
  if (data === null) {
    return refused("a verifier key whose base64 is not canonical");
  }
  if (data[0] !== ED25519_TYPE) {
    return refused("a verifier key of another type than Ed25519 (0x01)");
  }
  if (data.length !== 1 + KEY_BYTES) {
    const hint = "an Ed25519 key has 32 bytes";
    return refused(`a verifier key of ${data.length - 1} bytes`, hint);
  }
  const named = await sha256(joinBytes(utf8Bytes(`${name}\n`), data));
  if (toHex(named.subarray(0, 4)) !== id) {
    return refused("a verifier key whose ID is not of its name and key", "copy it whole");
  }
  const bytes = data.slice(1);
  const {key: crypto, wrong} = await loadPublicKey(bytes);
  if (wrong !== undefined) {
    return {wrong};
  }
  const shown = `${name}+${id}`;
  return {key: Object.freeze({
    name, id, bytes, shown, text: `${shown}+${toBase64(data)}`, crypto,
  })};
}

/**
 * A note's parts without a look at any key: {note} or {wrong: problem}; `data` is text or bytes.
 *
 * A note is {text: what is signed, with its last LF, signatures: [{name, id (hex), signature}]}.
 */
export function parseNote(data) {
  const refused = (reason, hint = "") => ({wrong: problem(reason, hint)});
  const whole = typeof data === "string" ? data : utf8Text(data);
  if (whole === null) {
    return {wrong: problem("a note that is not UTF-8", "", findUtf8Fault(data))};
  }
  const control = CONTROL_BUT_LF.exec(whole);
  if (control !== null) {
    const reason = `a note with the control character ${quoted(control[0])}`;
    return refused(reason, "a note has no control character but LF");
  }
  const blank = whole.lastIndexOf("\n\n");
  if (blank < 0) {
    return refused("a note without a blank line before its signatures");
  }
  const block = whole.slice(blank + 2);
  if (!block.endsWith("\n")) {
    return refused("a note without signatures, each ended by a newline");
  }
  const lines = block.slice(0, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) {
    const reason = `a note of ${lines.length} signatures`;
    return refused(reason, `at most ${MAX_SIGNATURES} are read`);
  }
  const signatures = [];
  for (const line of lines) {
    const {signature, wrong} = parseSignatureLine(line);
    if (wrong !== undefined) {
      return {wrong};
    }
    signatures.push(signature);
  }
  return {note: {text: whole.slice(0, blank + 1), signatures}};
}

function parseSignatureLine(line) {
  const words = line.startsWith(SIGNATURE_MARK) ? line.slice(SIGNATURE_MARK.length) : "";
  const space = words.indexOf(" ");
  const name = space < 0 ? words : words.slice(0, space);
  if (!isKeyName(name)) {
    const form = "a signature line is an em dash, a space, the key's name, a space, and base64";
    const reason = `${quoted(printable(line, 40))} where a signature line should be`;
    return {wrong: problem(reason, form)};
  }
  const data = space < 0 ? null : fromBase64(words.slice(space + 1));
  if (data === null || data.length < LEAST_SIGNATURE) {
    const reason = `a signature of ${printable(name)} that is not proper base64`;
    return {wrong: problem(reason)};
  }
  return {signature: {name, id: toHex(data.subarray(0, 4)), signature: data.subarray(4)}};
}

/** What one key says of a note: "good", "bad" (a signature of it fails) or "none" of its own. */
export async function judgeNote(note, key) {
  const own = note.signatures.filter(({name, id}) => name === key.name && id === key.id);
  if (own.length === 0) {
    return "none";
  }
  const message = utf8Bytes(note.text);
  const distinct = new Map(own.map(({signature}) => [toHex(signature), signature]));
  const held = await Promise.all(
    [...distinct.values()].map((signature) => verifySignature(key.crypto, message, signature)),
  );
  return held.every(Boolean) ? "good" : "bad";
}
