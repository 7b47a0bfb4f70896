/**
 * The hashes of PROTOCOL.md 2: a hand's commitment, the chain of a player's links, and the mix.
 *
 * Each is given as the bytes to hash, so that many can be hashed at once (`sha256All`), and for the
 * single use as the hash itself. Values come as the log writes them: hashes, links, secrets and
 * games in lower-case hex of their length, names in ASCII.
 */

import {fromHex, uint64Bytes, uint8Bytes, utf8Bytes} from "./bytes.js";
import {labelledInput, sha256} from "./hashing.js";

/**
 * The bytes whose hash is `hand_commitment`.
 * @param {{origin: string, game: string}} of whose hand it is
 * @param {number} hand
 * @param {string} secret 64 hex digits
 */
export function commitmentInput({origin, game}, hand, secret) {
  const parts = [utf8Bytes(origin), fromHex(game), uint64Bytes(hand), fromHex(secret)];
  return labelledInput("hand-commit", ...parts);
}

/** The bytes whose hash is `next(link)`: the anchor that a player's link has to fit. */
export function nextLinkInput({origin, game}, player, link) {
  const parts = [utf8Bytes(origin), fromHex(game), utf8Bytes(player), fromHex(link)];
  return labelledInput("seat-link", ...parts);
}

/**
 * The bytes whose hash is the mix. The links are taken by rising seat, whatever their order.
 * @param {{origin: string, game: string, hand: number, commitment: string,
 *   links: {seat: number, player: string, link: string}[],
 *   beacon: {chain: string, round: number, randomness: string} | null}} given
 */
export function mixInput({origin, game, hand, commitment, links, beacon}) {
  const rising = [...links].sort((one, other) => one.seat - other.seat);
  const parts = [utf8Bytes(origin), fromHex(game), uint64Bytes(hand), fromHex(commitment)];
  parts.push(uint8Bytes(rising.length));
  for (const {seat, player, link} of rising) {
    parts.push(uint8Bytes(seat), utf8Bytes(player), fromHex(link));
  }
  if (beacon === null) {
    parts.push(uint8Bytes(0));
  } else {
    const {chain, round, randomness} = beacon;
    parts.push(uint8Bytes(1), fromHex(chain), uint64Bytes(round), fromHex(randomness));
  }
  return labelledInput("mix", ...parts);
}

/** `hand_commitment` of a hand's secret, 32 bytes; see `commitmentInput`. */
export function commitHand(of, hand, secret) {
  return sha256(commitmentInput(of, hand, secret));
}

/** `next(link)` of a player's chain, 32 bytes; see `nextLinkInput`. */
export function nextLink(of, player, link) {
  return sha256(nextLinkInput(of, player, link));
}

/** The mix of a hand, 32 bytes; see `mixInput`. */
export function mixHand(given) {
  return sha256(mixInput(given));
}
