/**
 * The state between hands, and of the open hand, as the log tells it (PROTOCOL.md sections 6.2,
 * 6.3 and 8).
 *
 * The table believes each entry: whether one may say what it says is judged before it is taken.
 * Each opening repeats the whole state, and the table goes on from there, so that one wrong entry
 * is found once and not in every hand behind it.
 */

import {startBank} from "./banks.js";
import {addExactly} from "./exactly.js";
import {NO_HAND_BEFORE, readPlaces} from "./positions.js";
import {readRuleset} from "./ruleset.js";
import {OWES_NOTHING, isDealtState, startNewcomer} from "./waiting.js";

const OWN_REASONS = new Set(["operator", "no_beacon", "health"]);

/**
 * An empty table. Its `hand` is the open one: {number, places, players, absent, choices}, players
 * being a Map from seat to name of those dealt in, `absent` the seats for which the dealer acts.
 * `played` are the places of the last hand that was not void, `departed` who left with what and
 * when. `isTorn` tells that an unreadable entry came since the last opening, so that what the
 * state should be is not known; `isDamaged` that one came at all. A seat's `leaving` tells that its
 * player left in the open hand, which it plays as absent.
 */
export function newTable() {
  return {
    rules: null,
    openedAt: 0,
    previous: null,
    awaited: new Set(),
    seats: new Map(),
    misses: new Map(),
    departed: new Map(),
    isPaused: false,
    before: NO_HAND_BEFORE,
    played: null,
    lastNumber: 0,
    ownVoids: 0,
    hand: null,
    isTorn: false,
    isDamaged: false,
  };
}

/** The seat that an entry names, if the player that it names holds it, else null. */
export function findSeat(table, {seat, player}) {
  const held = table.seats.get(seat);
  return held !== undefined && held.player === player ? held : null;
}

/** Whether the player was dealt into the open hand at that seat. */
export function isDealtIn(table, {seat, player}) {
  return table.hand !== null && table.hand.players.get(seat) === player;
}

/** All chips of the table and `more`, exactly. */
export function countChips(table, more) {
  return [...table.seats.values()].reduce((sum, seat) => addExactly(sum, seat.stack), more);
}

/** Takes an entry: changes the table to what it is behind it. */
export function takeEntry(table, entry) {
  TAKERS.get(entry.kind)?.(table, entry.body, entry.at);
}

function newSeat(player, stack, given) {
  return {
    player,
    stack,
    sittingOut: false,
    anchor: null,
    leaving: false,
    choices: [],
    owes: OWES_NOTHING,
    waits: false,
    bank: 0,
    isHouse: false,
    ...given,
  };
}

function changeSeat(change) {
  return (table, body) => {
    const seat = findSeat(table, body);
    if (seat !== null) change(seat, body);
  };
}

/** @type {Map<string, (...given: any[]) => any>} */
const TAKERS = new Map([
  ["", takeUnreadable],
  ["game_opened", takeGameOpened],
  ["seat_taken", takeSeatTaken],
  ["seat_left", takeLeaving],
  ["player_removed", takeLeaving],
  ["chips_added", changeSeat((seat, body) => (seat.stack = addExactly(seat.stack, body.amount)))],
  ["sat_out", changeSeat((seat) => (seat.sittingOut = true))],
  ["came_back", changeSeat((seat) => (seat.sittingOut = false))],
  ["preferred", changeSeat((seat, body) => (seat.choices = body.choices))],
  ["anchored", takeAnchored],
  ["paused", (table) => (table.isPaused = true)],
  ["resumed", (table) => (table.isPaused = false)],
  ["hand_opened", takeHandOpened],
  ["hand_void", takeHandVoid],
  ["deck_committed", takeDeckCommitted],
  ["hand_ended", takeHandEnded],
  ["colored_up", takeStacks],
  ["game_closed", (table) => (table.hand = null)],
]);

function takeUnreadable(table) {
  table.isDamaged = true;
  table.isTorn = true;
  table.hand = null;
}

function takeGameOpened(table, body, at) {
  const rules = readRuleset(body.rules);
  table.rules = rules;
  table.openedAt = at;
  table.previous = body.previous ?? null;
  if (table.previous === null) return;
  const {button, button_stays: isVoid, seats} = table.previous;
  table.before = {...NO_HAND_BEFORE, button, isVoid};
  table.awaited = new Set(seats.filter((seat) => seat.anchored).map((seat) => seat.player));
  for (const {seat, player, stack, sitting_out: sittingOut, house: isHouse = false} of seats) {
    table.seats.set(seat, newSeat(player, stack, {sittingOut, isHouse, bank: startBank(rules)}));
  }
}

function takeSeatTaken(table, body) {
  const {seat, player, stack, anchor = null, house: isHouse = false} = body;
  const rules = table.rules;
  table.departed.delete(player);
  const given =
    rules === null
      ? {}
      : {bank: startBank(rules), ...startNewcomer(rules, table.lastNumber === 0)};
  table.seats.set(seat, newSeat(player, stack, {anchor, isHouse, ...given}));
}

function takeLeaving(table, body, at) {
  table.awaited.delete(body.player);
  const seat = findSeat(table, body);
  if (seat === null) return;
  if (isDealtIn(table, body)) seat.leaving = true;
  else freeSeat(table, body.seat, at);
}

function takeAnchored(table, body) {
  table.awaited.delete(body.player);
  const seat = findSeat(table, body);
  if (seat !== null) seat.anchor = body.anchor;
}

function takeHandOpened(table, body) {
  const told = [...body.seats].sort((one, other) => one.seat - other.seat);
  const dealtIn = told.filter(({state}) => isDealtState(state));
  table.awaited = new Set();
  table.seats = new Map(told.map((seat) => [seat.seat, readSeat(seat)]));
  table.misses = new Map(body.misses.map(({player, hands}) => [player, hands]));
  table.departed = new Map(
    (body.departed ?? []).map(({player, stack, at}) => [player, {stack, at}]),
  );
  table.ownVoids = body.voids;
  table.lastNumber = body.hand;
  if (body.last_small_blind_seat !== undefined && body.last_big_blind_seat !== undefined) {
    table.played = {small: body.last_small_blind_seat, big: body.last_big_blind_seat};
  }
  table.isTorn = false;
  const places = readPlaces(body);
  table.hand = {
    number: body.hand,
    places,
    players: new Map(dealtIn.map((seat) => [seat.seat, seat.player])),
    absent: new Set(dealtIn.filter(({state}) => state === "absent").map(({seat}) => seat)),
    choices: new Map(told.map((seat) => [seat.seat, seat.choices ?? []])),
  };
  const dealtSeats = new Set(table.hand.players.keys());
  table.before = {button: body.button, isVoid: false, places, dealtIn: dealtSeats};
}

function readSeat(told) {
  return newSeat(told.player, told.stack, {
    sittingOut: told.state === "sitting_out" || told.state === "absent",
    anchor: told.anchor ?? null,
    choices: told.choices ?? [],
    owes: told.owes ?? OWES_NOTHING,
    waits: told.waits ?? false,
    bank: told.bank_ms ?? 0,
    isHouse: told.house ?? false,
  });
}

function takeLinks(table, links) {
  for (const {seat, link} of links) {
    const held = table.seats.get(seat);
    if (held !== undefined) held.anchor = link;
  }
}

function takeDeckCommitted(table, body) {
  if (table.hand !== null) takeLinks(table, body.links);
}

function takeHandVoid(table, body, at) {
  if (table.hand !== null) {
    takeLinks(table, body.links);
    for (const missing of body.missing) {
      const hands = table.misses.get(missing.player) ?? [];
      table.misses.set(missing.player, [...hands, table.hand.number]);
      const seat = findSeat(table, missing);
      if (seat !== null) seat.anchor = null;
    }
  }
  if (OWN_REASONS.has(body.reason)) table.ownVoids += 1;
  table.before = {...table.before, isVoid: true};
  endHand(table, at);
}

function takeStacks(table, {stacks}) {
  for (const {seat, stack} of stacks) {
    const held = table.seats.get(seat);
    if (held !== undefined) held.stack = stack;
  }
}

function takeHandEnded(table, body, at) {
  takeStacks(table, body);
  if (table.hand !== null) {
    table.played = table.hand.places;
    for (const number of table.hand.players.keys()) {
      const seat = table.seats.get(number);
      // What it owed it has posted.
      if (seat !== undefined) seat.owes = OWES_NOTHING;
    }
  }
  endHand(table, at);
}

function endHand(table, at) {
  table.hand = null;
  for (const [number, seat] of [...table.seats]) if (seat.leaving) freeSeat(table, number, at);
}

function freeSeat(table, number, at) {
  const {player, stack} = table.seats.get(number);
  table.seats.delete(number);
  table.departed.set(player, {stack, at});
}
