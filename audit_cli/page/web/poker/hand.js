/**
 * PLAYED within a hand: each entry is held against what is due by the rules, and then followed as
 * it is logged (section 9).
 *
 * A problem is {text, expected, found}, the last two in words or null. Where an entry is of another
 * kind than what is due the rest of the hand can not be followed: that is said once, and the hand
 * is `lost`.
 */

import {DECK_CARDS} from "./cards.js";
import {readVariant} from "./variants.js";
import {decideTurn, isOpenTo, owedBy, tellDecision} from "./betting.js";
import {tellDue} from "./due.js";
import {beginCourse, takeAct, takeDealing, takePost} from "./course.js";
import {findChop} from "./ending.js";
import {giveUpHand, hasChips, isStepDue, sayBroken} from "./judging.js";
import {followMuck, followOpened, followRuns} from "./showing.js";
import {followAward, followChop, followEnd, followReturn, listStacks} from "./paying.js";
import {isDealtState} from "./waiting.js";
import {summariseEntry} from "./words.js";

const STRUCTURES = Object.freeze(["no_limit", "pot_limit", "fixed_limit"]);

/**
 * Begin to follow a hand at its opening.
 *
 * @param {object} rules what the hand is played by (ruleset.js)
 * @param {object} opened the body of `hand_opened`
 * @param {function(number, string): boolean} chosen whether a standing choice of a seat counts at
 *   this moment (9.8)
 * @returns {object|null} null where the opening can not be played: its seats or rules do not fit
 */
export function startHand(rules, opened, chosen) {
  const dealtIn = opened.seats.filter(({state}) => isDealtState(state));
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
  ["dealt", followDealt],
  ["opened", followOpened],
  ["mucked", followMuck],
  ["acted", followAct],
  ["runs_agreed", followRuns],
  ["blinds_chopped", followChop],
  ["returned", followReturn],
  ["awarded", followAward],
  ["hand_ended", followEnd],
  // What can not be read or voids the hand ends it here, and is for others to judge.
  ["hand_void", giveUpHand],
  ["", giveUpHand],
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
  return {
    acts: hand.acts,
    pots: hand.paid,
    stacks: listStacks(hand),
    mucks: hand.mucks,
  };
}

function followPost(hand, entry) {
  if (!isStepDue(hand, entry, "post")) {
    return;
  }
  const {due} = hand;
  const {amount, seat, what} = entry.body;
  if (what !== due.what || seat !== due.seat || amount !== due.amount) {
    const found = summariseEntry(entry);
    sayBroken(hand, "something is posted otherwise", tellDue(due), found);
    if (what !== due.what) {
      // Which post it stands for is not known.
      giveUpHand(hand);
      return;
    }
  }
  if (hasChips(hand, seat, amount)) {
    takePost(hand, seat, amount);
  }
}

function followDealt(hand, entry) {
  if (isStepDue(hand, entry, "holeCards", "boardCards")) {
    takeDealing(hand, entry.at);
  }
}

function followAct(hand, entry) {
  if (!isStepDue(hand, entry, "act")) {
    return;
  }
  hand.acts += 1;
  const {betting, due} = hand;
  const {act, seat, to, turn} = entry.body;
  if (seat !== due.seat) {
    sayBroken(hand, "an act out of turn", `seat ${due.seat} to act`, summariseEntry(entry));
    giveUpHand(hand);
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
    giveUpHand(hand);
    return;
  }
  takeAct(hand, seat, act, to, entry.at);
}
