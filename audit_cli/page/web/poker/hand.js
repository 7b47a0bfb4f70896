/**
 * PLAYED within a hand: each entry is held against what is due by the rules, and then followed as
 * it is logged (section 9).
 *
 * A problem is {text, expected, found}, the last two in words or null. Where an entry is of another
 * kind than what is due the rest of the hand can not be followed: that is said once, and the hand
 * is `lost`.
 */

import {DECK_CARDS, cardNumber, cardText} from "./cards.js";
import {nameHigh} from "./ranking.js";
import {nameLow} from "./lows.js";
import {highFive, lowFive, readVariant, strengthOf} from "./variants.js";
import {isUnclaimed, winsOrTies} from "./showdown.js";
import {tellAward} from "./shares.js";
import {decideTurn, isOpenTo, liveSeats, owedBy, tellDecision} from "./betting.js";
import {
  areBlindsAlone, beginCourse, findChop, findToBeat, mayRunOn, takeAct, takeAward, takeBoard,
  takeChop, takeDealing, takeMuck, takePost, takeReturn, takeRuns, takeShow, tellDue,
} from "./course.js";
import {listSeats, listShares, nameFive, summariseEntry} from "./words.js";

const STRUCTURES = Object.freeze(["no_limit", "pot_limit", "fixed_limit"]);

/**
 * Begin to follow a hand at its opening.
 *
 * @param {object} rules the rule set of the game
 * @param {object} opened the body of `hand_opened`
 * @param {function(number, string): boolean} chosen whether a standing choice of a seat counts at
 *   this moment (9.8)
 * @returns {object|null} null where the opening can not be played: its seats or rules do not fit
 */
export function startHand(rules, opened, chosen) {
  const dealtIn = opened.seats.filter(({state}) => state === "in");
  const stacks = new Map(dealtIn.map(({seat, stack}) => [seat, stack]));
  const at = {
    button: opened.button,
    small: opened.small_blind_seat ?? 0,
    big: opened.big_blind_seat,
    straddle: opened.straddle_seat ?? 0,
  };
  const variant = readVariant(rules);
  const posting = [at.small, at.big, at.straddle].filter((seat) => seat !== 0);
  if (
    variant === null || stacks.size < 2 || stacks.size * variant.holeCards >= DECK_CARDS ||
    at.small === at.big || !posting.every((seat) => stacks.has(seat)) ||
    (at.straddle && !rules.straddle) || !STRUCTURES.includes(rules.structure) ||
    (rules.structure === "fixed_limit" && !rules.limits)
  ) {
    return null;
  }
  const owes = new Map(
    opened.seats.filter(({seat, owes: owed}) => owed && stacks.has(seat))
      .map(({seat, owes: owed}) => [seat, owed]),
  );
  const hand = beginCourse(rules, variant, stacks, at, owes, chosen);
  return Object.assign(hand, {
    number: opened.hand,
    lost: false,
    problems: [],
    shown: new Set(),
    acts: 0,
    paid: 0,
    mucks: [],
  });
}

/**
 * Whose act is due, what its number is, since when (ms) and what it owes; null where no act is.
 *
 * @returns {{seat: number, turn: number, began: number, owes: number}|null}
 */
export function turnDue(hand) {
  if (hand.lost || hand.due.step !== "act") {
    return null;
  }
  const {seat} = hand.due;
  return {seat, turn: hand.turn, began: hand.began, owes: owedBy(hand.betting, seat)};
}

const FOLLOWERS = new Map([
  ["posted", followPost],
  ["dealt", followDealing],
  ["opened", followOpened],
  ["mucked", followMuck],
  ["acted", followAct],
  ["runs_agreed", followRuns],
  ["blinds_chopped", followChop],
  ["returned", followReturn],
  ["awarded", followAward],
  ["hand_ended", followEnd],
  // What can not be read or voids the hand ends it here, and is for others to judge.
  ["hand_void", giveUp],
  ["", giveUp],
]);

/**
 * Take the next entry of the game; kinds that are not of a hand change nothing.
 *
 * @param {object} hand of `startHand`
 * @param {{kind: string, at: number, body: object}} entry
 * @returns {Array<{text: string, expected: string|null, found: string|null}>} what breaks a rule
 */
export function followEntry(hand, entry) {
  const follow = FOLLOWERS.get(entry.kind);
  if (hand.lost || follow === undefined) {
    return [];
  }
  hand.problems = [];
  follow(hand, entry);
  return hand.problems;
}

/**
 * What was followed so far: how many acts and awards, the stacks by rising seat, and the hands
 * mucked by policy, for `judgeMuck`.
 */
export function finishHand(hand) {
  const seats = hand.order.slice().sort((one, other) => one - other);
  return {
    acts: hand.acts,
    pots: hand.paid,
    stacks: seats.map((seat) => [seat, hand.betting.stacks[seat]]),
    mucks: hand.mucks,
  };
}

function giveUp(hand) {
  hand.lost = true;
}

function sayBroken(hand, text, expected = null, found = null) {
  hand.problems.push({
    text,
    expected: expected === null ? null : String(expected),
    found: found === null ? null : String(found),
  });
}

/** Whether one of these steps is due; if not, that is said, and the hand is lost. */
function isDue(hand, entry, ...steps) {
  if (steps.includes(hand.due.step)) {
    return true;
  }
  const text = `${entry.kind} where something else is due`;
  sayBroken(hand, text, tellDue(hand.due), summariseEntry(entry));
  giveUp(hand);
  return false;
}

/** Whether a seat of the hand has so many chips to put in; the hand is lost if not. */
function hasChips(hand, seat, amount) {
  const stack = hand.betting.stacks[seat];
  if (stack !== undefined && amount >= 0 && amount <= stack) {
    return true;
  }
  const found = stack === undefined ? "a seat not dealt in" : `a stack of ${stack}`;
  sayBroken(hand, `seat ${seat} puts in chips that it does not have`, amount, found);
  giveUp(hand);
  return false;
}

function followPost(hand, entry) {
  if (!isDue(hand, entry, "post")) {
    return;
  }
  const {due} = hand;
  const {amount, seat, what} = entry.body;
  if (what !== due.what || seat !== due.seat || amount !== due.amount) {
    const found = summariseEntry(entry);
    sayBroken(hand, "something is posted otherwise", tellDue(due), found);
    if (what !== due.what) {
      // Which post it stands for is not known.
      giveUp(hand);
      return;
    }
  }
  if (hasChips(hand, seat, amount)) {
    takePost(hand, seat, amount);
  }
}

function followDealing(hand, entry) {
  if (isDue(hand, entry, "holeCards", "boardCards")) {
    takeDealing(hand, entry.at);
  }
}

function followRuns(hand, entry) {
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
    isDue(hand, entry, "runs");
    return;
  }
  takeRuns(hand);
}

function followOpened(hand, entry) {
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
  if (!isDue(hand, entry, "boardOpened")) {
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
    giveUp(hand);
    return;
  }
  takeBoard(hand, cards, entry.at);
}

/** A show behind the last award. */
function followLateShow(hand, entry) {
  if (!isDue(hand, entry, "end")) {
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
  if (!isDue(hand, entry, "show", "showOrMuck")) {
    return;
  }
  const {due} = hand;
  const {by, seat} = entry.body;
  const byRule = due.step === "show";
  const found = summariseEntry(entry);
  if (seat !== due.seat || byRule !== (by === "rule")) {
    const wanted = `${tellDue(due)}, by ${byRule ? "rule" : "policy"}`;
    sayBroken(hand, "a hand is opened otherwise", wanted, found);
    giveUp(hand);
    return;
  }
  const cards = cardsOf(entry);
  if (!areNew(cards, hand.variant.holeCards, hand.boards[0])) {
    sayBroken(hand, "not all cards of a hand are opened", tellDue(due), found);
    giveUp(hand);
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

function followMuck(hand, entry) {
  if (!isDue(hand, entry, "showOrMuck")) {
    return;
  }
  const {seat} = hand.due;
  const found = summariseEntry(entry);
  if (entry.body.seat !== seat || entry.body.by !== "policy") {
    sayBroken(hand, "a hand is mucked otherwise", tellDue(hand.due), found);
    giveUp(hand);
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

function followAct(hand, entry) {
  if (!isDue(hand, entry, "act")) {
    return;
  }
  hand.acts += 1;
  const {betting, due} = hand;
  const {act, seat, to, turn} = entry.body;
  if (seat !== due.seat) {
    sayBroken(hand, "an act out of turn", `seat ${due.seat} to act`, summariseEntry(entry));
    giveUp(hand);
    return;
  }
  if (findChop(hand).length) {
    const text = "an act where both blinds have chosen to chop";
    sayBroken(hand, text, "blinds_chopped", "no chop");
  }
  if (turn !== hand.turn) {
    sayBroken(hand, "an act with another turn's number", hand.turn, turn);
  }
  const isAllowed = isOpenTo(betting, seat, act, to);
  if (!isAllowed) {
    const wanted = tellDecision(decideTurn(betting, seat));
    sayBroken(hand, "an act that is not open to the seat", wanted, summariseEntry(entry));
  }
  if (!hasChips(hand, seat, to - betting.bets[seat])) {
    return;
  }
  const raises = act === "bet" || act === "raise";
  if (!isAllowed && (act === "check" || (raises && to <= betting.toMatch))) {
    // What would follow from such an act, no rule says.
    giveUp(hand);
    return;
  }
  takeAct(hand, seat, act, to, entry.at);
}

function followChop(hand, entry) {
  if (!isDue(hand, entry, "act")) {
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
    giveUp(hand);
  }
}

function followReturn(hand, entry) {
  if (!isDue(hand, entry, "giveBack")) {
    return;
  }
  const {due} = hand;
  const {amount, seat} = entry.body;
  if (seat !== due.seat || amount !== due.amount) {
    sayBroken(hand, "another bet is returned", tellDue(due), summariseEntry(entry));
    if (!(amount <= hand.betting.totals[seat])) {
      giveUp(hand);
      return;
    }
  }
  takeReturn(hand, seat, amount);
}

function followAward(hand, entry) {
  if (!isDue(hand, entry, "award")) {
    return;
  }
  hand.paid += 1;
  const [award] = hand.awards;
  const {body} = entry;
  const wanted = tellAward(award);
  const found = tellAward({...body, half: body.half ?? ""});
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

function followEnd(hand, entry) {
  if (isDue(hand, entry, "end")) {
    const told = entry.body.stacks.map(({seat, stack}) => [seat, stack]);
    const {stacks} = finishHand(hand);
    if (listShares(told) !== listShares(stacks)) {
      const text = "the hand ends with other stacks";
      sayBroken(hand, text, listShares(stacks), listShares(told));
    }
  }
  giveUp(hand);
}
