/**
 * The labelled hashes of PROTOCOL.md sections 1 to 3: chains of links, the mix, and the leaf of a
 * card. Each part stands behind its length and each hash has a label, so that no two inputs share
 * an encoding.
 */

import { sha256 } from "@noble/hashes/sha2";

import { isSame, joined, utf8 } from "./bytes.js";

export { sha256 };

export const LINK_BYTES = 32;

/** A dealer's name, a game's 16 bytes and a player: what a chain is of. */
export interface Place {
  readonly origin: string;
  readonly game: Uint8Array;
  readonly player: string;
}

/** One seat's link for one hand. */
export interface SeatLink {
  readonly seat: number;
  readonly player: string;
  readonly link: Uint8Array;
}

/** A beacon's round as it is mixed in. */
export interface MixedRound {
  readonly chain: Uint8Array;
  readonly round: number;
  readonly randomness: Uint8Array;
}

/** F(x): the bytes behind their length, four bytes, big-endian. */
function framed(value: Uint8Array): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, value.length);
  return joined(length, value);
}

/** One byte. */
function u8(number: number): Uint8Array {
  if (!Number.isInteger(number) || number < 0 || number > 255) {
    throw new RangeError(`a one-byte number is 0 to 255, not ${number}`);
  }
  return Uint8Array.of(number);
}

/** Eight bytes, big-endian. */
export function u64(number: number): Uint8Array {
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new RangeError(`a number is 0 to 2^53 - 1, not ${number}`);
  }
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/** H(label, p1, p2, …). */
export function labelled(label: string, ...parts: Uint8Array[]): Uint8Array {
  return sha256(joined(framed(utf8(`cutcard/v1/${label}`)), ...parts.map(framed)));
}

/** The value that comes after a link in a player's chain (section 2). */
function nextLink(place: Place, link: Uint8Array): Uint8Array {
  return labelled("seat-link", utf8(place.origin), place.game, utf8(place.player), link);
}

/** Whether `link` is the value before `anchor`. */
export function follows(place: Place, link: Uint8Array, anchor: Uint8Array): boolean {
  return isSame(nextLink(place, link), anchor);
}

/** A chain of `length` values from a seed: the last is the anchor, and serves length - 1 hands. */
export function chainOf(place: Place, seed: Uint8Array, length: number): Uint8Array[] {
  const head = joined(
    framed(utf8("cutcard/v1/seat-link")),
    framed(utf8(place.origin)),
    framed(place.game),
    framed(utf8(place.player)),
    Uint8Array.of(0, 0, 0, LINK_BYTES),
  );
  const values = [seed];
  let last = seed;
  while (values.length < length) {
    last = sha256(joined(head, last));
    values.push(last);
  }
  return values;
}

/** The mix of a hand: links by rising seats, and a beacon's round where the rules name one. */
export function mixOf(
  origin: string,
  game: Uint8Array,
  hand: number,
  commitment: Uint8Array,
  links: readonly SeatLink[],
  beacon?: MixedRound,
): Uint8Array {
  const parts = [utf8(origin), game, u64(hand), commitment, u8(links.length)];
  for (const one of [...links].sort((left, right) => left.seat - right.seat)) {
    parts.push(u8(one.seat), utf8(one.player), one.link);
  }
  if (beacon === undefined) parts.push(u8(0));
  else parts.push(u8(1), beacon.chain, u64(beacon.round), beacon.randomness);
  return labelled("mix", ...parts);
}

/** The leaf of a card at a position of the deck (section 3, step 5). */
export function cardLeaf(
  mix: Uint8Array,
  position: number,
  card: number,
  salt: Uint8Array,
): Uint8Array {
  const parts = [utf8("cutcard/v1/card"), mix, u8(position), u8(card), salt];
  return sha256(joined(Uint8Array.of(0), ...parts.map(framed)));
}
