/**
 * Strict Ed25519 verification (PROTOCOL.md 5): RFC 8032 without cofactor, and no odd points.
 *
 * Refused are S ≥ L, encodings that are not canonical, and keys or R whose order is not exactly L.
 * WebCrypto checks the cofactorless equation R = [S]B − [k]A. With A in the group of prime order,
 * R is there too, and has order L unless it is the identity: beside the equation only that and the
 * encodings are left to look at. The key's order is worked out once, when it is loaded.
 */

import {problem} from "./words.js";

export const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

const FIELD_PRIME = 2n ** 255n - 19n;
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const CURVE_D = inField(-121665n * powerInField(121666n, FIELD_PRIME - 2n));
const ROOT_OF_MINUS_ONE = powerInField(2n, (FIELD_PRIME - 1n) / 4n);
const SIGN_BIT = 1n << 255n;
/** Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z (RFC 8032 5.1.4). */
const IDENTITY_POINT = [0n, 1n, 1n, 0n];

function inField(number) {
  const rest = number % FIELD_PRIME;
  return rest < 0n ? rest + FIELD_PRIME : rest;
}

function powerInField(base, exponent) {
  let result = 1n;
  let square = inField(base);
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) {
      result = inField(result * square);
    }
    square = inField(square * square);
  }
  return result;
}

function addPoints(p, q) {
  const a = inField((p[1] - p[0]) * (q[1] - q[0]));
  const b = inField((p[1] + p[0]) * (q[1] + q[0]));
  const c = inField(2n * p[3] * q[3] * CURVE_D);
  const d = inField(2n * p[2] * q[2]);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [inField(e * f), inField(g * h), inField(f * g), inField(e * h)];
}

function isIdentityPoint(p) {
  return p[0] === 0n && p[1] === p[2];
}

function multiplyPoint(number, point) {
  let result = IDENTITY_POINT;
  let doubled = point;
  for (let left = number; left > 0n; left >>= 1n) {
    if (left & 1n) {
      result = addPoints(result, doubled);
    }
    doubled = addPoints(doubled, doubled);
  }
  return result;
}

function littleEndian(bytes) {
  let number = 0n;
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    number = (number << 8n) | BigInt(bytes[at]);
  }
  return number;
}

/** The point of 32 bytes (RFC 8032 5.1.3), or why it is none: {point} or {wrong}. */
function decodePoint(encoded) {
  const number = littleEndian(encoded);
  const sign = number >> 255n;
  const y = number & (SIGN_BIT - 1n);
  if (y >= FIELD_PRIME) {
    return {wrong: problem("the encoding of the point is not canonical")};
  }
  const u = inField(y * y - 1n);
  const v = inField(CURVE_D * y * y + 1n);
  const v3 = inField(v * v * v);
  let x = inField(u * v3 * powerInField(u * v3 * v3 * v, (FIELD_PRIME - 5n) / 8n));
  const square = inField(v * x * x);
  if (square !== u) {
    if (square !== inField(-u)) {
      return {wrong: problem("the bytes are no point of the curve")};
    }
    x = inField(x * ROOT_OF_MINUS_ONE);
  }
  if (x === 0n && sign === 1n) {
    return {wrong: problem("the encoding of the point is not canonical")};
  }
  if ((x & 1n) !== sign) {
    x = FIELD_PRIME - x;
  }
  return {point: [x, y, 1n, inField(x * y)]};
}

/**
 * The key of 32 bytes, of order L: {key: CryptoKey} or {wrong: problem}. Error where the browser
 * does not know Ed25519.
 */
export async function loadPublicKey(encoded) {
  if (encoded.length !== KEY_BYTES) {
    const hint = `an Ed25519 key has ${KEY_BYTES}`;
    return {wrong: problem(`a key of ${encoded.length} bytes`, hint)};
  }
  const {point, wrong} = decodePoint(encoded);
  if (wrong !== undefined) {
    return {wrong};
  }
  if (isIdentityPoint(point) || !isIdentityPoint(multiplyPoint(GROUP_ORDER, point))) {
    const hint = "a key of an honest generator has order L";
    return {wrong: problem("the order of the key is not L", hint)};
  }
  try {
    return {key: await crypto.subtle.importKey("raw", encoded, "Ed25519", false, ["verify"])};
  } catch {
    throw new Error("this browser is too old to check signatures: it does not know Ed25519");
  }
}

/** Whether `signature` (R then S, 64 bytes) signs `message` by the rules above. */
export async function verifySignature(key, message, signature) {
  if (signature.length !== SIGNATURE_BYTES) {
    return false;
  }
  const r = littleEndian(signature.subarray(0, KEY_BYTES)) & (SIGN_BIT - 1n);
  const s = littleEndian(signature.subarray(KEY_BYTES));
  // y = 1 is the identity alone, whatever the sign bit says.
  if (r === 1n || r >= FIELD_PRIME || s >= GROUP_ORDER) {
    return false;
  }
  return crypto.subtle.verify("Ed25519", key, signature, message);
}
