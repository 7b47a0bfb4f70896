/**
 * SHA-256 by WebCrypto, one value or many at once, and the labelled hash H of PROTOCOL.md 1.
 *
 * A digest costs most of its time in being waited for; `sha256All` keeps some hundred in flight.
 */

import {framedBytes, utf8Bytes, joinBytes} from "./bytes.js";

const DIGESTS_IN_FLIGHT = 1024;
const LABEL_PREFIX = "cutcard/v1/";

/** The 32 bytes of SHA-256 of some bytes. */
export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** SHA-256 of each of a list of byte arrays, in order. */
export async function sha256All(list) {
  const digests = new Array(list.length);
  for (let from = 0; from < list.length; from += DIGESTS_IN_FLIGHT) {
    const batch = list.slice(from, from + DIGESTS_IN_FLIGHT);
    const buffers = await Promise.all(batch.map((one) => crypto.subtle.digest("SHA-256", one)));
    for (let at = 0; at < buffers.length; at += 1) {
      digests[from + at] = new Uint8Array(buffers[at]);
    }
  }
  return digests;
}

/** The bytes of which `H(label, p1, p2, …)` is the SHA-256 (PROTOCOL.md 1); parts are bytes. */
export function labelledInput(label, ...parts) {
  return joinBytes(
    framedBytes(utf8Bytes(LABEL_PREFIX + label)),
    ...parts.map((part) => framedBytes(part)),
  );
}
