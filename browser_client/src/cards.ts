/** Cards and what proves one: its leaf's path to the root of a deck (PROTOCOL.md sections 1, 4). */

import { isSame } from "./bytes.js";
import { cardLeaf } from "./hashing.js";
import { nodeHash } from "./merkle.js";

const DECK_SIZE = 52;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const RANKS = "23456789TJQKA";
const SUITS = "cdhs";

/** A card's number, 4 × rank + suit; undefined for what is none. */
function cardNumber(card: string): number | undefined {
  const rank = RANKS.indexOf(card[0] ?? "?");
  const suit = SUITS.indexOf(card[1] ?? "?");
  return card.length === 2 && rank >= 0 && suit >= 0 ? 4 * rank + suit : undefined;
}

/** A card with what proves it: salt (16 bytes) and path, leaf to root. */
export interface ShownCard {
  readonly position: number;
  readonly card: string;
  readonly salt: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether a card is proved under a root, in a tree of exactly 52 leaves. */
export function isProved(root: Uint8Array, mix: Uint8Array, shown: ShownCard): boolean {
  const number = cardNumber(shown.card);
  const { position, salt, proof } = shown;
  const isPosition = Number.isInteger(position) && position >= 0 && position < DECK_SIZE;
  if (number === undefined || !isPosition || salt.length !== SALT_BYTES) return false;
  let node = cardLeaf(mix, position, number, salt);
  let taken = 0;
  for (let index = position, width = DECK_SIZE; width > 1; index >>= 1, width = (width + 1) >> 1) {
    if ((index ^ 1) >= width) continue;
    const sibling = proof[taken];
    if (sibling?.length !== HASH_BYTES) return false;
    taken += 1;
    node = index & 1 ? nodeHash(sibling, node) : nodeHash(node, sibling);
  }
  return taken === proof.length && isSame(node, root);
}
