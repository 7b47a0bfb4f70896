/**
 * Who is dealt in, who waits for the big blind, and what a seat owes (PROTOCOL.md sections 6.3, 8).
 *
 * Seats are a Map from seat number to {player, stack, sittingOut, anchor, waits, owes}, where
 * `owes` is {live, dead} in chips.
 */

import {clockwise, findPlaces, isReached, listBetween} from "./positions.js";

/** What a seat owes that owes nothing. */
export const OWES_NOTHING = Object.freeze({live: 0, dead: 0});

/** Whether a seat of this state is dealt in: it plays itself, or the dealer acts for it. */
export function isDealtState(state) {
  return state === "in" || state === "absent";
}

/**
 * Who is dealt into the hand that opens next.
 * @param rules the rule set (ruleset.js)
 * @param before the hand before (positions.js)
 * @returns {{states: Map<number, string>, dealtIn: Set<number>}} states by rising seat
 */
export function findDealtIn(seats, rules, before) {
  const states = new Map();
  for (const [number, seat] of [...seats].sort(([one], [other]) => one - other)) {
    states.set(number, stateOf(seat, rules));
  }
  const able = [...states.keys()].filter((number) => isDealtState(states.get(number)));
  if (rules.newcomers === "by_position") return leaveOut(states, able, seats, rules, before);
  const waiting = able.filter((number) => seats.get(number).waits);
  const others = able.filter((number) => !seats.get(number).waits);
  const reached = findReached(waiting, others, rules, before);
  for (const number of waiting) if (!reached.includes(number)) states.set(number, "waiting");
  return {states, dealtIn: new Set([...others, ...reached])};
}

/** Who has a place between the button and the small blind waits for this one hand. */
function leaveOut(states, able, seats, rules, before) {
  const dealtIn = new Set(able);
  if (able.length < 3) return {states, dealtIn};
  const between = listBetween(able, findPlaces(rules.button, able, before));
  if (able.length - between.length < 2) return {states, dealtIn};
  for (const number of between) {
    dealtIn.delete(number);
    states.set(number, seats.get(number).sittingOut ? "sitting_out" : "waiting");
  }
  return {states, dealtIn};
}

/** What keeps a seat out, all waiting aside; "in", or "absent", where nothing does. */
function stateOf(seat, rules) {
  if (seat.sittingOut) {
    return rules.absent === "dealt_in" && seat.stack > 0 ? "absent" : "sitting_out";
  }
  if (seat.stack === 0) return "no_chips";
  return rules.links === "required" && seat.anchor === null ? "no_anchor" : "in";
}

/** The waiting seats that are dealt in: the one to whom the big blind comes, or all of them. */
function findReached(waiting, others, rules, before) {
  if (others.length < (rules.button === "dead" ? 2 : 3)) return waiting;
  const wouldHaveIt = (seat) =>
    findPlaces(rules.button, [...others, seat], before).big === seat;
  const lastBig = before.places === null ? before.button : before.places.big;
  return clockwise(waiting.filter(wouldHaveIt), lastBig).slice(0, 1);
}

/** What a seat dealt in posts of what it owes: less in a blind or the straddle. */
export function owedWhenDealtIn(number, owes, places, straddle, rules) {
  if (number === places.big) return OWES_NOTHING;
  if (number === straddle) return {live: 0, dead: owes.dead};
  if (number !== places.small || places.dead) return owes;
  return {live: Math.min(owes.live, rules.big_blind - rules.small_blind), dead: owes.dead};
}

/**
 * What a seat that sits out owes, and whether it waits, with what this hand makes it miss.
 * @param {{small, big}|null} played both blinds of the last hand that was not void
 * @param places those of this hand
 */
export function addMissed(number, {owes, waits}, played, places, rules) {
  if (rules.missed_blinds === null || played === null) return {owes, waits};
  const missedBig = isReached(number, played.big, places.big);
  if (rules.missed_blinds === "wait") return {owes, waits: waits || missedBig};
  const missedSmall =
    rules.missed_blinds === "dead" && isReached(number, played.small, places.small);
  const live = missedBig ? rules.big_blind : owes.live;
  return {owes: {live, dead: missedSmall ? rules.small_blind : owes.dead}, waits};
}

/** What who sits down owes, and whether it waits; nothing before a game's first hand. */
export function startNewcomer(rules, isFirst) {
  const owes = {live: isFirst || rules.newcomers !== "post" ? 0 : rules.big_blind, dead: 0};
  return {owes, waits: !isFirst && rules.newcomers === "wait"};
}
