/**
 * Bytes and the few texts that stand for them: hex, base64, UTF-8, big-endian integers.
 *
 * Every reader here is strict: hex is lower-case, base64 is padded with its unused bits zero, and
 * UTF-8 is whole (PROTOCOL.md 1 and 5). What is not so gives null, never a guess.
 */

const HEX_OF_BYTE = Array.from({length: 256}, (_, byte) => byte.toString(16).padStart(2, "0"));
const BASE64_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_VALUES = new Map(Array.from(BASE64_LETTERS, (letter, value) => [letter, value]));
const UTF8_WRITER = new TextEncoder();
const UTF8_READER = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true});

/** The lower-case hex of some bytes. */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) {
    text += HEX_OF_BYTE[byte];
  }
  return text;
}

/** The bytes of lower-case hex; null for what is none. */
export function fromHex(text) {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) {
    return null;
  }
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = parseInt(text.substr(2 * at, 2), 16);
  }
  return bytes;
}

/** The canonical base64 (RFC 4648 section 4) of some bytes. */
export function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += BASE64_LETTERS[group >> 18] + BASE64_LETTERS[(group >> 12) & 63];
    text += left > 1 ? BASE64_LETTERS[(group >> 6) & 63] : "=";
    text += left > 2 ? BASE64_LETTERS[group & 63] : "=";
  }
  return text;
}

/** The bytes of canonical padded base64; null for anything else. */
export function fromBase64(text) {
  if (text.length % 4 !== 0) {
    return null;
  }
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let held = 0;
  let bits = 0;
  let filled = 0;
  for (let at = 0; at < digits; at += 1) {
    const value = BASE64_VALUES.get(text[at]);
    if (value === undefined) {
      return null;
    }
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[filled] = (held >> bits) & 255;
      filled += 1;
    }
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : null;
}

/** The bytes of a text in UTF-8. */
export function utf8Bytes(text) {
  return UTF8_WRITER.encode(text);
}

/** The text of bytes in UTF-8; null where they are none. */
export function utf8Text(bytes) {
  try {
    return UTF8_READER.decode(bytes);
  } catch {
    return null;
  }
}

/** Where in some bytes the first sequence begins that is no UTF-8. */
export function findUtf8Fault(bytes) {
  let at = 0;
  while (at < bytes.length) {
    const lengths = bytes[at] < 0x80 ? [1] : [2, 3, 4];
    const length = lengths.find((one) => {
      return one === 1 || (at + one <= bytes.length && isOneChar(bytes.subarray(at, at + one)));
    });
    if (length === undefined) {
      return at;
    }
    at += length;
  }
  return at;
}

function isOneChar(bytes) {
  const text = utf8Text(bytes);
  return text !== null && Array.from(text).length === 1;
}

/** One byte array of several, in order. */
export function joinBytes(...parts) {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Whether two byte arrays hold the same. */
export function sameBytes(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** `u8(n)`: one byte. */
export function uint8Bytes(number) {
  return Uint8Array.of(number);
}

/** Four bytes, big-endian. */
function uint32Bytes(number) {
  return Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number);
}

/** `u64(n)`: eight bytes, big-endian; `number` is a whole Number or a BigInt. */
export function uint64Bytes(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/** `F(x)`: the length of x in four bytes, then x. */
export function framedBytes(bytes) {
  return joinBytes(uint32Bytes(bytes.length), bytes);
}
