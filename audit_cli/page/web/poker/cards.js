/**
 * The 52 cards: numbers in hashes, two characters everywhere else (PROTOCOL.md section 1).
 *
 * A card is 4 × rank + suit, rank two to ace as 0 to 12, suits c d h s as 0 to 3.
 */

const RANK_LETTERS = "23456789TJQKA";
const SUIT_LETTERS = "cdhs";

/** The cards' texts by their number: "2c" … "As". */
export const CARD_TEXTS = Object.freeze(
  Array.from(RANK_LETTERS).flatMap((rank) => Array.from(SUIT_LETTERS, (suit) => rank + suit)),
);

export const DECK_CARDS = 52;

const NUMBERS_OF_CARDS = new Map(CARD_TEXTS.map((text, number) => [text, number]));

/**
 * @param {string} text two characters, as in "Td"
 * @returns {number} 0 to 51, or -1 where it is no card
 */
export function cardNumber(text) {
  return NUMBERS_OF_CARDS.get(text) ?? -1;
}

/**
 * @param {number} card 0 to 51
 * @returns {string} its two characters
 */
export function cardText(card) {
  return CARD_TEXTS[card];
}

/**
 * @param {number} card 0 to 51
 * @returns {number} 0 (two) to 12 (ace)
 */
export function rankOf(card) {
  return card >> 2;
}

/**
 * @param {number} card 0 to 51
 * @returns {number} 0 to 3: clubs, diamonds, hearts, spades
 */
export function suitOf(card) {
  return card & 3;
}
