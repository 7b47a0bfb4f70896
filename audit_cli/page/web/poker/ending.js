/**
 * How a hand ends when its betting is over: the uncalled bet, who shows, boards that run out, and
 * what is paid; or blinds that are chopped (sections 9.6 and 9.8).
 *
 * As in course.js these functions take what came as it came.
 */

import {DECK_CARDS} from "./cards.js";
import {addExactly} from "./exactly.js";
import {strengthOf} from "./variants.js";
import {findUncalled, layerPots, rakeOf, spreadRake} from "./pots.js";
import {listToBeat, orderShowing} from "./showdown.js";
import {sharePots} from "./shares.js";
import {countLive, liveSeats, returnChips} from "./betting.js";
import {BOARD_SIZE, RIVER_STREET, dealOn, makeDue} from "./due.js";

/** Betting is over for the hand: the uncalled bet goes back first. */
export function endBetting(hand) {
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
  const {dead, totals} = betting;
  const lying = order.reduce((sum, seat) => addExactly(sum, totals[seat]), dead);
  hand.pots = lying > 0 ? [{amount: lying, eligible: [at.big]}] : [];
  startAwards(hand);
}

/** Take a bet that went back: the uncalled one, or a chopped blind. */
export function takeReturn(hand, seat, amount) {
  returnChips(hand.betting, seat, amount);
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

/** Deal on to the board that is not whole; when all are, the pots are paid. */
export function runOut(hand) {
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
  const rakes = spreadRake(pots, rakeOf(rules, pots, order.length, flop));
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
      stacks[seat] = addExactly(stacks[seat], amount);
    }
  }
  hand.awards.shift();
  nextAward(hand);
}
