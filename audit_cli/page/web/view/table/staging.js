/*
 * A hand as the steps in which it is shown: what stands on the table after each entry, and the
 * words for what happened (PROTOCOL.md sections 6, 8 and 9).
 *
 * Nothing is judged here: chips move as the entries say, and what an entry names that is not at
 * the table moves nothing. A step is {entries, at, parts, table}; a table is frozen, and holds
 * {seats, button, smallBlind, bigBlind, straddle, boards, street, pots, middle, dead, rake, dealt,
 * shown, actor, award, runsFrom, isChopped, ended, isVoid}. Cards are named by their positions in
 * the deck.
 */

import {tellStep} from "./wording.js";

/** No more steps than this are drawn of one hand. */
const MAX_STEPS = 2000;

const MAX_BOARDS = 2;

const STREETS = new Map([
  [0, "Before the flop"],
  [3, "Flop"],
  [4, "Turn"],
  [5, "River"],
]);

const MOVES = new Map([
  ["hand_void", voidHand],
  ["posted", post],
  ["dealt", dealCards],
  ["acted", act],
  ["opened", openCards],
  ["mucked", muck],
  ["runs_agreed", agreeRuns],
  ["blinds_chopped", chop],
  ["returned", giveBack],
  ["awarded", award],
  ["hand_ended", endHand],
  ["seat_left", leave],
  ["player_removed", leave],
]);

/** The steps of a hand as tellHand tells it: at least one, the opening. */
export function stageHand(told) {
  const steps = [];
  let table = layTable(told.opened);
  const {entries} = told;
  for (let at = 0; at < entries.length && steps.length < MAX_STEPS; at += 1) {
    const used = [entries[at]];
    if (entries[at].kind === "dealt" && opensBoard(entries[at + 1])) {
      at += 1;
      used.push(entries[at]);
    }
    const before = table;
    table = copyTable(before);
    for (const {kind, body} of used) {
      MOVES.get(kind)?.(table, body);
    }
    const parts = tellStep(used, before, table, told.rules);
    steps.push(Object.freeze({entries: used, at: used[0].at, parts, table: Object.freeze(table)}));
  }
  return steps;
}

function opensBoard(entry) {
  return entry !== undefined && entry.kind === "opened" && entry.body.board !== undefined;
}

function layTable(opened) {
  const seats = opened.seats.map((taken) => [
    taken.seat,
    {
      seat: taken.seat,
      player: taken.player,
      begun: taken.stack,
      stack: taken.stack,
      state: taken.state,
      bet: 0,
      put: 0,
      positions: [],
      isFolded: false,
      isShown: false,
      isMucked: false,
      isGone: false,
      last: null,
      won: 0,
      made: [],
    },
  ]);
  return {
    seats: new Map(seats),
    button: opened.button,
    smallBlind: opened.small_blind_seat ?? null,
    bigBlind: opened.big_blind_seat,
    straddle: opened.straddle_seat ?? null,
    boards: [],
    street: "Before the cards",
    pots: [],
    middle: 0,
    dead: 0,
    rake: 0,
    dealt: new Set(),
    shown: new Set(),
    actor: null,
    award: null,
    runsFrom: null,
    isChopped: false,
    ended: false,
    isVoid: null,
  };
}

function copyTable(table) {
  const seats = new Map();
  for (const [number, seat] of table.seats) {
    seats.set(number, {...seat, positions: [...seat.positions], made: [...seat.made]});
  }
  return {
    ...table,
    seats,
    boards: table.boards.map((board) => ({...board, positions: [...board.positions]})),
    pots: table.pots.map((pot) => ({...pot})),
    dealt: new Set(table.dealt),
    shown: new Set(table.shown),
    actor: null,
    award: null,
  };
}

function post(table, body) {
  const seat = table.seats.get(body.seat);
  table.actor = body.seat;
  if (seat === undefined) return;
  seat.stack -= body.amount;
  const isDead = body.what === "dead" || (body.what === "ante" && seat.bet > 0);
  if (isDead) {
    table.dead += body.amount;
  } else {
    seat.put += body.amount;
    if (body.what !== "ante") seat.bet += body.amount;
  }
  if (isDead || body.what === "ante") table.middle += body.amount;
  seat.last = {act: body.what, amount: body.amount};
}

function dealCards(table, body) {
  if (body.positions.some(({to}) => to === "board")) collectBets(table);
  for (const {position, to, seat, board} of body.positions) {
    table.dealt.add(position);
    if (to === "seat") {
      table.seats.get(seat)?.positions.push(position);
    } else if (to === "board") {
      boardOf(table, board).positions.push(position);
    }
  }
  const last = table.boards.at(-1);
  const size = last === undefined ? 0 : last.shared + last.positions.length;
  const street = STREETS.get(size) ?? table.street;
  const isTwice = table.runsFrom !== null && STREETS.has(size);
  table.street = isTwice ? `${street}, board ${table.boards.length}` : street;
}

/** The board of a number from 1; where it is not there yet, it begins with what board 1 has. */
function boardOf(table, number) {
  while (table.boards.length < Math.min(number, MAX_BOARDS)) {
    const shared = table.boards.length === 0 ? 0 : (table.runsFrom ?? 0);
    table.boards.push({positions: [], shared});
  }
  return table.boards[Math.min(number, MAX_BOARDS) - 1];
}

function act(table, body) {
  const seat = table.seats.get(body.seat);
  table.actor = body.seat;
  if (seat === undefined) return;
  if (body.act === "fold") {
    seat.isFolded = true;
  } else {
    seat.stack -= body.to - seat.bet;
    seat.put += body.to - seat.bet;
    seat.bet = body.to;
  }
  seat.last = {act: body.act, amount: body.to};
}

function openCards(table, body) {
  for (const {position} of body.cards) table.shown.add(position);
  if (body.seat === undefined) return;
  collectBets(table);
  table.actor = body.seat;
  const seat = table.seats.get(body.seat);
  if (seat === undefined) return;
  seat.isShown = true;
  seat.last = {act: "show", amount: 0};
}

function muck(table, body) {
  const seat = table.seats.get(body.seat);
  table.actor = body.seat;
  if (seat === undefined) return;
  seat.isMucked = true;
  seat.last = {act: "muck", amount: 0};
}

function agreeRuns(table) {
  table.runsFrom = table.boards[0]?.positions.length ?? 0;
}

/** Blinds that are chopped lie in the middle until they go back; they make no pots. */
function chop(table) {
  table.isChopped = true;
  collectBets(table);
}

function giveBack(table, body) {
  table.actor = body.seat;
  const seat = table.seats.get(body.seat);
  if (seat !== undefined) {
    const fromBet = Math.min(seat.bet, body.amount);
    seat.bet -= fromBet;
    table.middle -= body.amount - fromBet;
    seat.put -= body.amount;
    seat.stack += body.amount;
    seat.last = {act: "returned", amount: body.amount};
  }
  collectBets(table);
  table.pots = table.isChopped ? [] : layPots(table);
}

function award(table, body) {
  collectBets(table);
  table.award = body;
  table.middle -= body.amount;
  table.rake += body.rake;
  const pot = table.pots[body.pot];
  if (pot !== undefined) pot.amount = Math.max(0, pot.amount - body.amount);
  for (const {seat: number, amount, name} of body.winners) {
    const seat = table.seats.get(number);
    if (seat === undefined) continue;
    seat.stack += amount;
    seat.won += amount;
    seat.last = {act: "win", amount: seat.won};
    if (name !== undefined && !seat.made.includes(name)) seat.made.push(name);
  }
}

function endHand(table, body) {
  table.ended = true;
  table.street = "The end";
  for (const {seat: number, stack} of body.stacks) {
    const seat = table.seats.get(number);
    if (seat !== undefined) seat.stack = stack;
  }
  clearMiddle(table);
}

function voidHand(table, body) {
  table.isVoid = body;
  table.street = "Void";
  for (const seat of table.seats.values()) {
    seat.stack = seat.begun;
    seat.last = null;
  }
  for (const {seat: number} of body.missing) {
    const seat = table.seats.get(number);
    if (seat !== undefined) seat.last = {act: "missed", amount: 0};
  }
  clearMiddle(table);
}

function clearMiddle(table) {
  table.middle = 0;
  table.pots = [];
  for (const seat of table.seats.values()) seat.bet = 0;
}

function leave(table, body) {
  const seat = table.seats.get(body.seat);
  if (seat !== undefined) seat.isGone = true;
}

/** Move the bets of a street into the middle, and lay the pots out of all that is there. */
function collectBets(table) {
  let moved = 0;
  for (const seat of table.seats.values()) {
    moved += seat.bet;
    seat.bet = 0;
  }
  table.middle += moved;
  if (table.isChopped) table.pots = [];
  else if (moved > 0 || table.pots.length === 0) table.pots = layPots(table);
}

/** Pots are layers at the distinct totals of live seats, the main pot first (PROTOCOL.md 9.6). */
function layPots(table) {
  const all = [...table.seats.values()];
  const live = all.filter((seat) => seat.put > 0 && !seat.isFolded);
  const levels = [...new Set(live.map((seat) => seat.put))].sort((one, other) => one - other);
  const pots = levels.map((level, at) => {
    const floor = at === 0 ? 0 : levels[at - 1];
    const ceiling = at === levels.length - 1 ? Infinity : level;
    const layer = all.map(({put}) => Math.max(0, Math.min(put, ceiling) - floor));
    return {
      amount: layer.reduce((sum, chips) => sum + chips, at === 0 ? table.dead : 0),
      seats: live.filter(({put}) => put >= level).map(({seat}) => seat),
    };
  });
  return pots.filter(({amount}) => amount > 0);
}

/** All chips that lie in the middle and before the seats. */
export function potTotal(table) {
  let total = table.middle;
  for (const {bet} of table.seats.values()) total += bet;
  return total;
}
