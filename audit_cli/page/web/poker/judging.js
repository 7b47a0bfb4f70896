/**
 * How an entry of a hand is held against what is due: problems are kept on the hand, and a hand
 * that can not be followed any more is given up.
 */

import {tellDue} from "./due.js";
import {summariseEntry} from "./words.js";

/** Follow the hand no further. */
export function giveUpHand(hand) {
  hand.lost = true;
}

/** Keep a problem of the entry that is followed; null is nothing to say. */
export function sayBroken(hand, text, expected = null, found = null) {
  hand.problems.push({
    text,
    expected: expected === null ? null : String(expected),
    found: found === null ? null : String(found),
  });
}

/** Whether one of these steps is due; if not, that is said, and the hand is lost. */
export function isStepDue(hand, entry, ...steps) {
  if (steps.includes(hand.due.step)) {
    return true;
  }
  const text = `${entry.kind} where something else is due`;
  sayBroken(hand, text, tellDue(hand.due), summariseEntry(entry));
  giveUpHand(hand);
  return false;
}

/** Whether a seat of the hand has so many chips to put in; the hand is lost if not. */
export function hasChips(hand, seat, amount) {
  const stack = hand.betting.stacks[seat];
  if (stack !== undefined && amount >= 0 && amount <= stack) {
    return true;
  }
  const found = stack === undefined ? "a seat not dealt in" : `a stack of ${stack}`;
  sayBroken(hand, `seat ${seat} puts in chips that it does not have`, amount, found);
  giveUpHand(hand);
  return false;
}
