/**
 * PLAYED where chips go back or are paid: the uncalled bet, chopped blinds, awards with the names
 * of the hands that win, and the stacks at the end (sections 9.6 to 9.8).
 */

import {cardText} from "./cards.js";
import {nameHigh} from "./ranking.js";
import {nameLow} from "./lows.js";
import {highFive, lowFive} from "./variants.js";
import {tellPotPart} from "./shares.js";
import {tellDue} from "./due.js";
import {areBlindsAlone, findChop, takeAward, takeChop, takeReturn} from "./ending.js";
import {giveUpHand, isStepDue, sayBroken} from "./judging.js";
import {listSeats, listShares, nameFive, summariseEntry} from "./words.js";

/** Blinds that are chopped, in the turn of the small one. */
export function followChop(hand, entry) {
  if (!isStepDue(hand, entry, "act")) {
    return;
  }
  const {seats} = entry.body;
  const wanted = findChop(hand);
  if (wanted.length === 0) {
    const text = "the blinds are chopped, and not by the choice of both and the rules";
    if (seats.length) {
      sayBroken(hand, text, tellDue(hand.due), listSeats(seats));
    }
  } else if (wanted.join() !== seats.join()) {
    sayBroken(hand, "others chop than the blinds", listSeats(wanted), listSeats(seats));
  }
  if (areBlindsAlone(hand)) {
    takeChop(hand);
  } else {
    giveUpHand(hand);
  }
}

/** A bet that goes back: the uncalled one, or a chopped blind. */
export function followReturn(hand, entry) {
  if (!isStepDue(hand, entry, "giveBack")) {
    return;
  }
  const {due} = hand;
  const {amount, seat} = entry.body;
  if (seat !== due.seat || amount !== due.amount) {
    sayBroken(hand, "another bet is returned", tellDue(due), summariseEntry(entry));
    if (!(amount <= hand.betting.totals[seat])) {
      giveUpHand(hand);
      return;
    }
  }
  takeReturn(hand, seat, amount);
}

/** A pot, or its part of a board or half, with who gets how much by which hand. */
export function followAward(hand, entry) {
  if (!isStepDue(hand, entry, "award")) {
    return;
  }
  hand.paid += 1;
  const [award] = hand.awards;
  const {body} = entry;
  const wanted = tellPotPart(award);
  const found = tellPotPart({...body, half: body.half ?? ""});
  if (wanted !== found) {
    sayBroken(hand, "another pot is awarded", wanted, found);
  }
  const told = body.winners.map(({amount, seat}) => [seat, amount]);
  if (listShares(told) !== listShares(award.shares)) {
    const text = `pot ${award.pot} is paid otherwise`;
    sayBroken(hand, text, listShares(award.shares), listShares(told));
  }
  for (const winner of body.winners) {
    judgeName(hand, award, winner);
  }
  takeAward(hand, new Map(told));
}

/** Judge a winner's name and best five: none where nobody else could win the pot. */
function judgeName(hand, award, winner) {
  const {seat} = winner;
  if (!award.shares.some(([one]) => one === seat)) {
    return;
  }
  const isNamed = winner.name !== undefined || winner.best_five !== undefined;
  const wanted = nameWinner(hand, award, seat);
  if (wanted === null && !isNamed) {
    return;
  }
  const found = isNamed ? nameFive(winner.name ?? "no name", winner.best_five ?? []) : "no name";
  if (found !== wanted) {
    const text = `the winning hand of seat ${seat} is named otherwise`;
    sayBroken(hand, text, wanted ?? "no name, uncontested", found);
  }
}

/** The name and best five by which a seat wins a part of a contested pot, or null. */
function nameWinner(hand, award, seat) {
  const strength = award.strengths.get(seat);
  if (strength === undefined) {
    return null;
  }
  const holes = hand.holes.get(seat);
  const board = hand.boards[award.board - 1];
  const isLow = award.half === "low";
  const five = isLow
    ? lowFive(holes, board, strength)
    : highFive(hand.variant, holes, board, strength);
  return nameFive(isLow ? nameLow(strength) : nameHigh(strength), five.map(cardText));
}

/** The end, with the stacks of all who were dealt in. */
export function followEnd(hand, entry) {
  if (isStepDue(hand, entry, "end")) {
    const told = entry.body.stacks.map(({seat, stack}) => [seat, stack]);
    const stacks = listStacks(hand);
    if (listShares(told) !== listShares(stacks)) {
      const text = "the hand ends with other stacks";
      sayBroken(hand, text, listShares(stacks), listShares(told));
    }
  }
  giveUpHand(hand);
}

/** The stacks of the seats dealt in, rising, as [seat, chips]. */
export function listStacks({betting, order}) {
  const seats = order.slice().sort((one, other) => one - other);
  return seats.map((seat) => [seat, betting.stacks[seat]]);
}
