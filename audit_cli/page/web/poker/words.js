/** Entries, seats and chips in the few words of a finding. */

const TOLD_FIELDS = Object.freeze([
  "seat", "player", "board", "what", "act", "to", "pot", "amount", "by",
]);

/**
 * @param {{kind: string, body: object}} entry
 * @returns {string} "acted, seat 3, act call, to 40, by player"
 */
export function summariseEntry(entry) {
  const { kind, body } = entry;
  const words = [kind];
  for (const field of TOLD_FIELDS) {
    if (Object.hasOwn(body, field)) {
      words.push(`${field} ${body[field]}`);
    }
  }
  if (Object.hasOwn(body, "cards")) {
    words.push(body.cards.map((opened) => opened.card).join(" "));
  }
  return words.join(", ");
}

/**
 * @param {Array<[number, number]>} shares seats with chips
 * @returns {string} "seat 1 20, seat 3 40"
 */
export function listShares(shares) {
  return shares.map(([seat, amount]) => `seat ${seat} ${amount}`).join(", ");
}

/**
 * @param {number[]} seats
 * @returns {string} "seats 1, 3", or "nobody"
 */
export function listSeats(seats) {
  return seats.length ? `seats ${seats.join(", ")}` : "nobody";
}

/**
 * @param {string} name of a hand
 * @param {string[]} five its cards
 * @returns {string} "Pair of aces: Ac Ad Kh Qs 9c"
 */
export function nameFive(name, five) {
  return `${name}: ${five.join(" ")}`;
}
