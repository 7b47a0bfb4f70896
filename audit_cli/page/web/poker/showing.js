/**
 * PLAYED where cards are opened: the board, hands at a showdown, mucks, shows behind the last
 * award, and boards that are run twice (sections 9.6 and 9.8).
 */

import {cardNumber} from "./cards.js";
import {nameHigh} from "./ranking.js";
import {nameLow} from "./lows.js";
import {strengthOf} from "./variants.js";
import {isUnclaimed, winsOrTies} from "./showdown.js";
import {liveSeats} from "./betting.js";
import {tellDue} from "./due.js";
import {takeBoard} from "./course.js";
import {findToBeat, mayRunOn, takeMuck, takeRuns, takeShow} from "./ending.js";
import {giveUpHand, isStepDue, sayBroken} from "./judging.js";
import {listSeats, summariseEntry} from "./words.js";

/** The agreement to run it twice: of all who are in the hand, where it is due. */
export function followRuns(hand, entry) {
  const {seats} = entry.body;
  if (hand.due.step === "runs") {
    const agreed = liveSeats(hand.betting).sort((one, other) => one - other);
    if (agreed.join() !== seats.join()) {
      const text = "others agree to run it twice than all who are in the hand";
      sayBroken(hand, text, listSeats(agreed), listSeats(seats));
    }
  } else if (mayRunOn(hand)) {
    const text = "it is run twice, and not all who are in the hand have chosen it";
    sayBroken(hand, text, tellDue(hand.due), listSeats(seats));
  } else {
    isStepDue(hand, entry, "runs");
    return;
  }
  takeRuns(hand);
}

/** Cards of a board, of a hand at a showdown, or of one shown behind the last award. */
export function followOpened(hand, entry) {
  const {board, by} = entry.body;
  if (board !== undefined) {
    followBoard(hand, entry);
  } else if (by === "player" && hand.due.step !== "showOrMuck") {
    followLateShow(hand, entry);
  } else {
    followShow(hand, entry);
  }
}

function cardsOf(entry) {
  return entry.body.cards.map(({card}) => cardNumber(card));
}

/** Whether these are so many cards, all different and none of the `known` ones. */
function areNew(cards, wanted, known) {
  return cards.length === wanted && new Set([...cards, ...known]).size === wanted + known.length;
}

function followBoard(hand, entry) {
  if (!isStepDue(hand, entry, "boardOpened")) {
    return;
  }
  const {amount, board} = hand.due;
  const {board: named, by} = entry.body;
  if (by !== "rule") {
    sayBroken(hand, "a board is opened by another than the rule", "rule", by);
  }
  if (named !== board) {
    sayBroken(hand, "cards of another board are opened", `board ${board}`, `board ${named}`);
  }
  const cards = cardsOf(entry);
  if (!areNew(cards, amount, hand.boards[board - 1])) {
    const wanted = amount === 1 ? "1 new card" : `${amount} new cards`;
    sayBroken(hand, "the board is not opened whole", wanted, summariseEntry(entry));
    giveUpHand(hand);
    return;
  }
  takeBoard(hand, cards, entry.at);
}

/** A show behind the last award. */
function followLateShow(hand, entry) {
  if (!isStepDue(hand, entry, "end")) {
    return;
  }
  const {cards, seat} = entry.body;
  let text = "";
  if (!hand.order.includes(seat)) {
    text = "a player shows who was not dealt in";
  } else if (hand.shown.has(seat)) {
    text = "a player shows cards that are open";
  } else if (cards.length !== hand.variant.holeCards) {
    text = "a player shows other than all its cards";
  }
  if (text) {
    sayBroken(hand, text, null, summariseEntry(entry));
  } else {
    hand.shown.add(seat);
  }
}

function followShow(hand, entry) {
  if (!isStepDue(hand, entry, "show", "showOrMuck")) {
    return;
  }
  const {due} = hand;
  const {by, seat} = entry.body;
  const byRule = due.step === "show";
  const found = summariseEntry(entry);
  if (seat !== due.seat || byRule !== (by === "rule")) {
    const wanted = `${tellDue(due)}, by ${byRule ? "rule" : "policy"}`;
    sayBroken(hand, "a hand is opened otherwise", wanted, found);
    giveUpHand(hand);
    return;
  }
  const cards = cardsOf(entry);
  if (!areNew(cards, hand.variant.holeCards, hand.boards[0])) {
    sayBroken(hand, "not all cards of a hand are opened", tellDue(due), found);
    giveUpHand(hand);
    return;
  }
  const strength = byRule ? null : strengthOf(hand.variant, cards, hand.boards[0]);
  if (!byRule) {
    judgeShow(hand, entry, strength);
  }
  hand.shown.add(seat);
  takeShow(hand, seat, cards, strength);
}

/** Judge by whom a hand is opened at a normal showdown: by policy, or by its player's choice. */
function judgeShow(hand, entry, strength) {
  const {by, seat} = entry.body;
  const byPolicy = hand.rules.show === "all" || winsOrTies(strength, findToBeat(hand));
  if (!byPolicy && !hand.chosen(seat, "show")) {
    const text = by === "player"
      ? "a hand is opened by a player who has not chosen to show"
      : "a hand is opened by policy that wins and ties no pot";
    sayBroken(hand, text, `mucked, seat ${seat}`, summariseEntry(entry));
    return;
  }
  const wanted = byPolicy ? "policy" : "player";
  if (by !== wanted) {
    sayBroken(hand, "a hand is opened by another", wanted, by);
  }
}

/** A muck at a showdown; it is kept until the deck is known. */
export function followMuck(hand, entry) {
  if (!isStepDue(hand, entry, "showOrMuck")) {
    return;
  }
  const {seat} = hand.due;
  const found = summariseEntry(entry);
  if (entry.body.seat !== seat || entry.body.by !== "policy") {
    sayBroken(hand, "a hand is mucked otherwise", tellDue(hand.due), found);
    giveUpHand(hand);
    return;
  }
  const toBeat = findToBeat(hand);
  const byPolicy = `opened by policy, seat ${seat}`;
  if (isUnclaimed(toBeat)) {
    sayBroken(hand, "a hand is mucked that nobody who showed can beat", byPolicy, found);
  } else if (hand.rules.show === "all") {
    sayBroken(hand, "a hand is mucked where all are shown", byPolicy, found);
  } else if (hand.chosen(seat, "show")) {
    const text = "a hand is mucked whose player has chosen to show";
    sayBroken(hand, text, `opened, seat ${seat}`, found);
  }
  hand.mucks.push(keepMuck(hand, entry, toBeat));
  takeMuck(hand);
}

/** A muck with all that is needed to judge it when the hand's deck is known. */
function keepMuck(hand, entry, toBeat) {
  const {boards, order, variant} = hand;
  const first = order.indexOf(entry.body.seat);
  return {
    entry,
    hand: entry.body.hand,
    seat: entry.body.seat,
    // One card at a time goes round to the seats dealt in.
    positions: Array.from({length: variant.holeCards}, (_, round) => first + round * order.length),
    board: boards[0].slice(),
    variant,
    toBeat,
  };
}

/**
 * Judge a hand mucked by policy by the cards that nobody saw.
 *
 * @param {object} muck of `finishHand`
 * @param {number[]|null} deck the hand's deck, or null where it can not be known
 * @returns {{judged: boolean, problem: {text: string, expected: string, found: string}|null}} not
 *   judged without a deck, or where the opened board is not of it, which REPLAYED says
 */
export function judgeMuck(muck, deck) {
  const {board, positions, seat, toBeat, variant} = muck;
  const cards = deck === null ? [] : positions.map((position) => deck[position]);
  if (cards.includes(undefined) || !areNew(cards, variant.holeCards, board)) {
    return {judged: false, problem: null};
  }
  const strength = strengthOf(variant, cards, board);
  if (!winsOrTies(strength, toBeat)) {
    return {judged: true, problem: null};
  }
  const names = [nameHigh(strength.high)];
  if (strength.low) {
    names.push(nameLow(strength.low));
  }
  const problem = {
    text: `seat ${seat} mucked by policy a hand that wins or ties`,
    expected: `${names.join("; ")}, opened`,
    found: "mucked",
  };
  return {judged: true, problem};
}
