/**
 * What the keeping of a game is judged by: which hand is open at each entry, with whom, and what
 * stood just before an entry that repeats it.
 *
 * An entry is believed here; each check asks whether it may say what it says. An unreadable entry
 * tears the course until the next opening, which repeats the whole state (PROTOCOL.md 6.3).
 */

import {newTable, takeEntry} from "../poker/table.js";

const REPEATING = new Set(["hand_opened", "anchored", "game_closed"]);
const courses = new WeakMap();

/**
 * The course of a game's covered entries; worked out once a game.
 *
 * @returns {hands, handAt, tornAt, firstDamage, states}: `hands` in order, as below; `handAt[i]` is
 *   the hand that is open before entry i, or null, and `tornAt[i]` whether the course is torn
 *   there, one more of each than there are entries; `firstDamage` is the first unreadable entry, or
 *   Infinity; `states` is, by the index of an opening, an `anchored` or the close, what stood
 *   before it: {seats, misses, lastNumber, button, isVoid}.
 *
 *   A hand is {number, opened (its entry), rules (or null), commitment, button, players (a Map from
 *   seat to {player, stack, anchor} of those dealt in), frozen (a Map from seat to anchor), given:
 *   [{index, kind, links, beacon}] (its decks and void, with what they bring)}.
 */
export function courseOf(game) {
  if (!courses.has(game)) {
    courses.set(game, readCourse(game.entries.slice(0, game.covered)));
  }
  return courses.get(game);
}

/** The links that the log gave for a hand before an entry: a Map from seat to link. */
export function linksBefore(hand, index) {
  const before = hand.given.filter((given) => given.index < index);
  return new Map(before.flatMap(({links}) => links.map(({seat, link}) => [seat, link])));
}

/** The entry that committed a hand's deck last before an entry, with its beacon; or undefined. */
export function deckBefore(hand, index) {
  return hand.given.findLast((given) => given.kind === "deck_committed" && given.index < index);
}

/** The hand's number that an entry is of: the one that it names, else that of the open hand. */
export function numberOf(course, entry) {
  return entry.body.hand ?? course.handAt[entry.index]?.number ?? null;
}

function readCourse(entries) {
  const table = newTable();
  const course = {
    hands: [], handAt: [null], tornAt: [false], firstDamage: Infinity, states: new Map(),
  };
  for (const entry of entries) {
    const {kind, body, index} = entry;
    let hand = course.handAt[index];
    if (REPEATING.has(kind)) {
      course.states.set(index, copyState(table));
    }
    if (hand !== null && (kind === "deck_committed" || kind === "hand_void")) {
      hand.given.push({index, kind, links: body.links, beacon: body.beacon ?? null});
    }
    takeEntry(table, entry);
    if (kind === "hand_opened") {
      hand = readOpenedHand(entry, table.rules);
      course.hands.push(hand);
    } else if (table.hand === null) {
      hand = null;
    }
    if (table.isDamaged) {
      course.firstDamage = Math.min(course.firstDamage, index);
    }
    course.handAt.push(hand);
    course.tornAt.push(table.isTorn);
  }
  return course;
}

function copyState(table) {
  return {
    seats: new Map([...table.seats].map(([number, seat]) => [number, {...seat}])),
    misses: new Map(table.misses),
    lastNumber: table.lastNumber,
    button: table.before.button,
    isVoid: table.before.isVoid,
  };
}

function readOpenedHand(entry, rules) {
  const {hand: number, commitment, button, seats} = entry.body;
  const rising = [...seats].sort((one, other) => one.seat - other.seat);
  const dealtIn = rising.filter((seat) => seat.state === "in");
  const players = new Map(
    dealtIn.map(({seat, player, stack, anchor = null}) => [seat, {player, stack, anchor}]),
  );
  const anchored = [...players].filter(([, {anchor}]) => anchor !== null);
  const frozen = new Map(anchored.map(([seat, {anchor}]) => [seat, anchor]));
  return {number, opened: entry, rules, commitment, button, players, frozen, given: []};
}
