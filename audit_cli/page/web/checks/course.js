/**
 * What the keeping of a game is judged by: which hand is open at each entry, with whom, and what
 * stood just before an entry that repeats it.
 *
 * An entry is believed here; each check asks whether it may say what it says. An unreadable entry
 * tears the course until the next opening, which repeats the whole state (PROTOCOL.md 6.3).
 */

import {newTable, takeEntry} from "../poker/table.js";
import {isDealtState} from "../poker/waiting.js";

const courses = new WeakMap();

/**
 * The course of a game's covered entries; worked out once a game.
 *
 * @returns {any} {handAt, tornAt, firstDamage, states}: `handAt[i]` is the hand that is open before
 *   entry i, as the entries before tell it, or null; `tornAt[i]` whether the course is torn there;
 *   one more of each than there are entries. `firstDamage` is the first unreadable entry, or
 *   Infinity.
 *   `states` is what stood before some entries, by their index: before an opening or the close
 *   {seats (a Map from seat to {player, stack, sittingOut, anchor, isHouse}), button, isVoid},
 *   before an `anchored` {misses}: the hands whose link its player missed.
 *
 *   A hand is {number, opened (its entry), rules (or null), commitment, button, players (a Map from
 *   seat to {player, stack, anchor} of those dealt in, `anchor` being the frozen one or null),
 *   frozen (a Map from seat to anchor), links (a Map from seat to the link that was logged), deck
 *   (the entry that committed one last, or null)}.
 */
export function courseOf(game) {
  if (!courses.has(game)) {
    courses.set(game, readCourse(game.entries.slice(0, game.covered)));
  }
  return courses.get(game);
}

/** All links that the log gives for a hand, when those of a deck or a void are there. */
export function linksWith(hand, entry) {
  return new Map([...hand.links, ...entry.body.links.map(({seat, link}) => [seat, link])]);
}

/** The hand's number that an entry is of: the one that it names, else that of the open hand. */
export function numberOf(course, entry) {
  return entry.body.hand ?? course.handAt[entry.index]?.number ?? null;
}

function readCourse(entries) {
  const table = newTable();
  const course = {handAt: [null], tornAt: [false], firstDamage: Infinity, states: new Map()};
  for (const entry of entries) {
    const {kind, body, index} = entry;
    if (kind === "hand_opened" || kind === "game_closed") {
      course.states.set(index, copyState(table));
    } else if (kind === "anchored") {
      course.states.set(index, {misses: table.misses.get(body.player) ?? []});
    }
    takeEntry(table, entry);
    if (table.isDamaged) {
      course.firstDamage = Math.min(course.firstDamage, index);
    }
    course.handAt.push(table.hand === null ? null : handBehind(course.handAt[index], entry, table));
    course.tornAt.push(table.isTorn);
  }
  return course;
}

function copyState(table) {
  return {
    seats: new Map([...table.seats].map(([number, seat]) => [number, {...seat}])),
    button: table.before.button,
    isVoid: table.before.isVoid,
  };
}

function handBehind(hand, entry, table) {
  if (entry.kind === "hand_opened") {
    return readOpenedHand(entry, table.rules);
  }
  return entry.kind === "deck_committed"
    ? {...hand, links: linksWith(hand, entry), deck: entry}
    : hand;
}

function readOpenedHand(opened, rules) {
  const {hand: number, commitment, button, seats} = opened.body;
  const rising = [...seats].sort((one, other) => one.seat - other.seat);
  const dealtIn = rising.filter(({state}) => isDealtState(state));
  const players = new Map(
    dealtIn.map(({seat, player, stack, state, anchor}) => {
      return [seat, {player, stack, anchor: (state === "in" ? anchor : null) ?? null}];
    }),
  );
  const anchored = [...players].filter(([, {anchor}]) => anchor !== null);
  const frozen = new Map(anchored.map(([seat, {anchor}]) => [seat, anchor]));
  return {
    number, opened, rules, commitment, button, players, frozen, links: new Map(), deck: null,
  };
}
