/**
 * The course of one hand from its posts to the end of its betting: what is due next by the rules,
 * and how each step that is taken moves it on (sections 4 and 9.1 to 9.4).
 *
 * The functions here take what came as it came: whether it was what was due is for the caller to
 * say, so that a log that breaks a rule in one entry can be followed further.
 */

import {clockwise} from "./positions.js";
import {
  countLive, countWithChips, nextToAct, openBetting, payAnte, payDead, putIn, startBetting,
  startStreet, takeFold, takeMatch, takeRaise,
} from "./betting.js";
import {RIVER_STREET, dealOn, makeDue} from "./due.js";
import {endBetting, runOut} from "./ending.js";

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
