/**
 * PLAYED, after the reveal: no hand mucked by policy would have won or tied (PROTOCOL.md 9.6).
 *
 * While a hand is played nobody can tell; when its secret is there, everybody can. Until then a
 * muck is kept with what it had to win or tie.
 */

import {judgeMuck} from "../poker/showing.js";

/** The mucks of one game whose cards nobody has seen yet, and how many can not be judged. */
export function newMuckWatch() {
  return {waiting: new Map(), unjudged: 0};
}

/** Keeps a muck (poker/hand.js) until the secret of its hand comes. */
export function holdMuck(watch, muck) {
  const held = watch.waiting.get(muck.hand);
  if (held === undefined) watch.waiting.set(muck.hand, [muck]);
  else held.push(muck);
}

/**
 * Judges the mucks of a hand whose secret comes, or is never to come.
 * @param {number} hand
 * @param {number[]|null} cards of its deck, null where that can not be known
 * @returns {{entry, problem}[]} which mucks break the promise, and how
 */
export function judgeMucks(watch, hand, cards) {
  const found = [];
  for (const muck of watch.waiting.get(hand) ?? []) {
    const {judged, problem} = judgeMuck(muck, cards);
    if (!judged) watch.unjudged += 1;
    if (problem !== null) found.push({entry: muck.entry, problem});
  }
  watch.waiting.delete(hand);
  return found;
}

/** How many mucks could not be judged, those included whose secret has not come. */
export function countUnjudged({waiting, unjudged}) {
  return [...waiting.values()].reduce((sum, mucks) => sum + mucks.length, unjudged);
}
