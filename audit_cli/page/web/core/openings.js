/**
 * One card's opening: that card and salt at a position are what a deck's root committed to
 * (PROTOCOL.md 3.5 and 4).
 */

import {DECK_CARDS, cardNumber} from "../poker/cards.js";
import {fromHex} from "./bytes.js";
import {cardLeafInput} from "./derive.js";
import {sha256} from "./hashing.js";
import {followPath} from "./merkle.js";

/**
 * Follows an opening from its card to the root, hash by hash.
 *
 * @param {{position: number, card: string, salt: string, proof: string[]}} opening as a file has it
 * @param {string} mix of the hand, hex
 * @param {string} root the committed `deck_root`, hex
 * @returns {Promise<any>} {leaf, steps, wrong}: `leaf` the card's leaf hash, `steps` what each
 *   hash of the proof makes (as `followPath` tells), `wrong` null where it leads to the root,
 *   else why not
 */
export async function followOpening({position, card, salt, proof}, mix, root) {
  const leaf = await sha256(cardLeafInput(fromHex(mix), position, cardNumber(card), fromHex(salt)));
  const path = proof.map(fromHex);
  return {leaf, ...(await followPath(position, DECK_CARDS, leaf, path, fromHex(root)))};
}
