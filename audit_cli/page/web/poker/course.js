/**
 * The course of one hand: what is due next by the rules, and how each step that is taken moves it
 * on (sections 4 and 9).
 *
 * A hand's `due` is {step, seat, amount, what, board}, 0 and "" where they do not apply. The
 * functions here take what came as it came: whether it was what was due is for the caller to say,
 * so that a log that breaks a rule in one entry can be followed further.
 */

import {DECK_CARDS} from "./cards.js";
import {strengthOf} from "./variants.js";
import {clockwise} from "./positions.js";
import {findUncalled, layerPots, rakeOf, spreadRake} from "./pots.js";
import {listToBeat, orderShowing} from "./showdown.js";
import {sharePots} from "./shares.js";
import {
  countLive, countWithChips, giveBack, liveSeats, nextToAct, openBetting, payAnte, payDead, putIn,
  startBetting, startStreet, takeFold, takeMatch, takeRaise,
} from "./betting.js";

const BOARD_SIZE = 5;
const FLOP_CARDS = 3;
const RIVER_STREET = 3;

/** What can be due, in words. */
export const STEPS = Object.freeze({
  post: "a post",
  holeCards: "the dealing of the hole cards",
  boardCards: "the dealing of the board",
  boardOpened: "the opening of the board",
  act: "an act",
  giveBack: "the return of a bet",
  show: "the opening of a hand by rule",
  showOrMuck: "the opening or the muck of a hand by policy",
  runs: "the agreement to run it twice",
  award: "the award of a pot",
  end: "the end of the hand",
});

/** What is due, in words. */
export function tellDue({step, seat, amount, what, board}) {
  const words = [what ? what.replaceAll("_", " ") : STEPS[step]];
  if (seat) {
    words.push(`seat ${seat}`);
  }
  if (step === "post" || step === "giveBack") {
    words.push(amount);
  }
  if (board > 1) {
    words.push(`board ${board}`);
  }
  return words.join(", ");
}

function makeDue(hand, step, due = {}) {
  hand.due = {step, seat: 0, amount: 0, what: "", board: 0, ...due};
}

/**
 * Begin a hand: its first post is due.
 *
 * @param {object} rules a rule set
 * @param {{holeCards: number, twoCount: boolean, hiLo: boolean}} variant
 * @param {Map<number, number>} stacks of the seats dealt in, two or more
 * @param {{button: number, small: number, big: number, straddle: number}} at seats, 0 where none
 * @param {Map<number, {live: number, dead: number}>} owes what seats post besides the blinds
 * @param {function(number, string): boolean} chosen whether a seat's choice counts now (9.8)
 */
export function beginCourse(rules, variant, stacks, at, owes, chosen) {
  const order = clockwise(stacks.keys(), at.button);
  const hand = {
    rules,
    variant,
    at,
    chosen,
    order,
    betting: startBetting(order, stacks, rules),
    posts: planPosts(rules, order, at, owes),
    // What was posted of the blinds and the straddle; whether nothing but blinds and antes was.
    blinds: 0,
    isPlain: !at.straddle,
    street: 0,
    turn: 0,
    began: 0,
    // The boards, of which the first is the only one unless it is run twice; the one dealt to.
    boards: [[]],
    board: 1,
    flop: false,
    aggressor: 0,
    pots: [],
    // Seats that are still to show, or whose blind is still to be given back.
    queue: [],
    facesUp: false,
    holes: new Map(),
    strengths: [new Map()],
    awards: [],
    due: null,
  };
  findPost(hand);
  return hand;
}

/** Who posts what in full, in order (9.1). */
function planPosts(rules, order, at, owes) {
  const {ante} = rules;
  const posts = [];
  const add = (seat, what, amount) => posts.push({seat, what, amount});
  if (ante?.kind === "each") {
    order.forEach((seat) => add(seat, "ante", ante.amount));
  }
  if (at.small) {
    add(at.small, "small_blind", rules.small_blind);
  }
  add(at.big, "big_blind", rules.big_blind);
  if (at.straddle) {
    add(at.straddle, "straddle", 2 * rules.big_blind);
  }
  for (const seat of order) {
    if (owes.has(seat) && seat !== at.big) {
      add(seat, "dead", owes.get(seat).dead);
      add(seat, "live", owes.get(seat).live);
    }
  }
  if (ante?.kind === "big_blind") {
    add(at.big, "ante", ante.amount);
  }
  return posts;
}

/** The next post of a seat that has chips; behind the last one the hole cards are due. */
function findPost(hand) {
  const {betting, rules} = hand;
  while (hand.posts.length) {
    const {seat, what, amount: full} = hand.posts.shift();
    // In the small blind only what the big blind is more, in the straddle nothing.
    const owed = what === "live" ? Math.min(full, rules.big_blind - betting.bets[seat]) : full;
    const amount = Math.min(owed, betting.stacks[seat]);
    if (amount > 0) {
      makeDue(hand, "post", {seat, amount, what});
      return;
    }
  }
  openBetting(betting, hand.at, hand.blinds);
  makeDue(hand, "holeCards");
}

/** Take the post that is due, whoever paid it. */
export function takePost(hand, seat, amount) {
  const {betting, rules} = hand;
  const {what} = hand.due;
  if (what === "ante") {
    const pay = rules.ante.kind === "each" ? payAnte : payDead;
    pay(betting, seat, amount);
  } else if (what === "dead") {
    payDead(betting, seat, amount);
    hand.isPlain = false;
  } else {
    putIn(betting, seat, amount);
    if (what === "live") {
      hand.isPlain = false;
    } else {
      hand.blinds += amount;
    }
  }
  findPost(hand);
}

/** Take the dealing of the hole cards, or of the next cards of a board, at this time in ms. */
export function takeDealing(hand, at) {
  if (hand.due.step === "holeCards") {
    findTurn(hand, at);
    return;
  }
  if (hand.board === 1) {
    hand.street += 1;
  }
  hand.flop = true;
  makeDue(hand, "boardOpened", {amount: hand.due.amount, board: hand.board});
}

/** Take the board cards that were opened. */
export function takeBoard(hand, cards, at) {
  hand.boards[hand.board - 1].push(...cards);
  if (hand.facesUp) {
    runOut(hand);
  } else {
    startStreet(hand.betting, hand.street);
    findTurn(hand, at);
  }
}

function dealOn(hand) {
  const open = hand.boards[hand.board - 1].length;
  makeDue(hand, "boardCards", {amount: open ? 1 : FLOP_CARDS, board: hand.board});
}

/** Take an act with its total for the street. */
export function takeAct(hand, seat, act, to, at) {
  if (act === "fold") {
    takeFold(hand.betting, seat);
  } else if (act === "check" || act === "call") {
    takeMatch(hand.betting, seat, to);
  } else {
    takeRaise(hand.betting, seat, to);
  }
  findTurn(hand, at);
}

function findTurn(hand, at) {
  const {betting} = hand;
  const seat = nextToAct(betting);
  if (seat) {
    hand.turn += 1;
    hand.began = at;
    makeDue(hand, "act", {seat});
  } else if (
    countLive(betting) > 1 && hand.street < RIVER_STREET && countWithChips(betting) > 1
  ) {
    dealOn(hand);
  } else {
    endBetting(hand);
  }
}

function endBetting(hand) {
  const {betting} = hand;
  hand.aggressor = betting.aggressor;
  const uncalled = findUncalled(betting.totals, betting.order, liveSeats(betting));
  if (uncalled) {
    makeDue(hand, "giveBack", uncalled);
  } else {
    countPots(hand);
  }
}

/** Whether before the flop only the blinds are left, nobody having bet, the small one to act. */
export function areBlindsAlone(hand) {
  const {at, betting, due, street} = hand;
  return (
    street === 0 && due.step === "act" && due.seat === at.small && !betting.aggressor &&
    countLive(betting) === 2 && !betting.folded.has(at.small) && !betting.folded.has(at.big)
  );
}

/** The two blinds, rising, if they chop in this turn by their choices and the rules, else none. */
export function findChop(hand) {
  const {at, chosen, isPlain, rules} = hand;
  if (!rules.chop || !isPlain || !areBlindsAlone(hand)) {
    return [];
  }
  const blinds = [at.small, at.big].sort((one, other) => one - other);
  return blinds.every((seat) => chosen(seat, "chop")) ? blinds : [];
}

/** Take the chop: the blinds go back, the small one first. */
export function takeChop(hand) {
  const {at, betting} = hand;
  hand.queue = [at.small, at.big].filter((seat) => betting.bets[seat] > 0);
  returnBlind(hand);
}

function returnBlind(hand) {
  const {at, betting, order, queue} = hand;
  if (queue.length) {
    makeDue(hand, "giveBack", {seat: queue[0], amount: betting.bets[queue[0]]});
    return;
  }
  const lying = order.reduce((sum, seat) => sum + betting.totals[seat], betting.dead);
  hand.pots = lying > 0 ? [{amount: lying, eligible: [at.big]}] : [];
  startAwards(hand);
}

/** Take a bet that went back: the uncalled one, or a chopped blind. */
export function takeReturn(hand, seat, amount) {
  giveBack(hand.betting, seat, amount);
  if (hand.queue.length) {
    hand.queue.shift();
    returnBlind(hand);
  } else {
    countPots(hand);
  }
}

function countPots(hand) {
  const {betting, order} = hand;
  const live = liveSeats(betting);
  hand.pots = layerPots(betting.totals, order, live, betting.dead);
  if (live.length === 1) {
    startAwards(hand);
    return;
  }
  hand.queue = orderShowing(hand.pots, hand.aggressor);
  hand.facesUp = live.some((seat) => betting.stacks[seat] === 0);
  nextToShow(hand);
}

/** What the hand that is due to show has to win or tie (9.6). */
export function findToBeat(hand) {
  return listToBeat(hand.pots, hand.due.seat, hand.strengths[0]);
}

/** Take a hand that was opened; `strength` is what it makes of the whole board, or null. */
export function takeShow(hand, seat, cards, strength = null) {
  const [board] = hand.boards;
  hand.holes.set(seat, cards);
  if (board.length === BOARD_SIZE) {
    hand.strengths[0].set(seat, strength ?? strengthOf(hand.variant, cards, board));
  }
  takeMuck(hand);
}

/** Take a muck: the next seat is due. */
export function takeMuck(hand) {
  hand.queue.shift();
  nextToShow(hand);
}

function nextToShow(hand) {
  if (hand.queue.length) {
    makeDue(hand, hand.facesUp ? "show" : "showOrMuck", {seat: hand.queue[0]});
  } else if (!hand.facesUp) {
    startAwards(hand);
  } else if (runsTwice(hand)) {
    makeDue(hand, "runs");
  } else {
    runOut(hand);
  }
}

/** Whether all live seats have chosen to run it twice, and there are cards for it (9.8). */
function runsTwice(hand) {
  const {betting, boards, chosen, order, rules, street, variant} = hand;
  const open = boards[0].length;
  if (!rules.runs || open === BOARD_SIZE) {
    return false;
  }
  const dealt = order.length * variant.holeCards + open + street;
  const rest = BOARD_SIZE - open + RIVER_STREET - street;
  return dealt + 2 * rest <= DECK_CARDS && liveSeats(betting).every((seat) => chosen(seat, "runs"));
}

/** Whether the rest of the only board is to be dealt to hands that are all open. */
export function mayRunOn(hand) {
  return hand.facesUp && hand.due.step === "boardCards" && hand.boards.length === 1;
}

/** Take the agreement to run it twice: what is open so far is of both boards. */
export function takeRuns(hand) {
  hand.boards.push(hand.boards[0].slice());
  hand.strengths.push(new Map());
  runOut(hand);
}

function runOut(hand) {
  while (hand.boards[hand.board - 1].length === BOARD_SIZE) {
    if (hand.board === hand.boards.length) {
      startAwards(hand);
      return;
    }
    hand.board += 1;
  }
  dealOn(hand);
}

function startAwards(hand) {
  const {boards, flop, order, pots, rules, strengths, variant} = hand;
  boards.forEach((board, place) => {
    for (const [seat, cards] of hand.holes) {
      if (!strengths[place].has(seat)) {
        strengths[place].set(seat, strengthOf(variant, cards, board));
      }
    }
  });
  const lying = pots.reduce((sum, pot) => sum + pot.amount, 0);
  const rakes = spreadRake(pots, rakeOf(rules, lying, order.length, flop));
  hand.awards = sharePots(pots, rakes, strengths, rules.chip_unit);
  nextAward(hand);
}

function nextAward(hand) {
  makeDue(hand, hand.awards.length ? "award" : "end");
}

/** Take an award that pays these seats these chips, as a Map. */
export function takeAward(hand, shares) {
  const {stacks} = hand.betting;
  for (const [seat, amount] of shares) {
    if (stacks[seat] !== undefined) {
      stacks[seat] += amount;
    }
  }
  hand.awards.shift();
  nextAward(hand);
}
