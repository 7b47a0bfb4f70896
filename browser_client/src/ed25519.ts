/**
 * Ed25519 as PROTOCOL.md section 5 has it: RFC 8032 without cofactor, and nothing but the group of
 * prime order. Refused are S >= L, encodings that are not canonical, and keys or R of another order
 * than L. With a key of order L the R that the equation gives is in that group, so that of R only
 * the identity is left to refuse.
 */

import { ed25519 } from "@noble/curves/ed25519";
import { bytesToNumberLE, numberToBytesLE } from "@noble/curves/utils";
import { sha512 } from "@noble/hashes/sha2";

import { isSame, joined } from "./bytes.js";

const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;
const IDENTITY = numberToBytesLE(1n, 32);

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A public key of order L. */
export class VerifyKey {
  readonly raw: Uint8Array;
  readonly #point: InstanceType<typeof Point>;

  private constructor(raw: Uint8Array, point: InstanceType<typeof Point>) {
    this.raw = raw;
    this.#point = point;
  }

  /** Takes 32 bytes; undefined unless they are the canonical encoding of a point of order L. */
  static of(raw: Uint8Array): VerifyKey | undefined {
    if (raw.length !== KEY_BYTES) return undefined;
    try {
      const point = Point.fromBytes(raw, false);
      return point.is0() || !point.isTorsionFree() ? undefined : new VerifyKey(raw, point);
    } catch {
      return undefined;
    }
  }

  /** Whether a signature is this key's over a message. */
  verifies(signature: Uint8Array, message: Uint8Array): boolean {
    if (signature.length !== SIGNATURE_BYTES) return false;
    const r = signature.subarray(0, 32);
    const s = bytesToNumberLE(signature.subarray(32));
    if (s >= ORDER || isSame(r, IDENTITY)) return false;
    const k = bytesToNumberLE(sha512(joined(r, this.raw, message))) % ORDER;
    const expected = Point.BASE.multiplyUnsafe(s).subtract(this.#point.multiplyUnsafe(k));
    return isSame(expected.toBytes(), r);
  }
}
