/**
 * PLAYED: between hands and in each hand the game goes as its rules have it (PROTOCOL.md 8, 9).
 *
 * Each entry is judged by the state before it, and then believed: the state between hands is that
 * of poker/table.js, the open hand that of poker/hand.js, so that a log that breaks a rule in one
 * entry can be followed further. A hand that can not be followed any more is let go until the next
 * opening.
 */

import {counted, createVoice, thousands} from "../core/voice.js";
import {judgeBetween} from "../poker/between.js";
import {isChosen} from "../poker/choices.js";
import {finishHand, followEntry, startHand, turnDue} from "../poker/hand.js";
import {rulesOfHand} from "../poker/ruleset.js";
import {newTable, takeEntry} from "../poker/table.js";
import {judgeActor, judgeSittingOut} from "./clock.js";
import {countUnjudged, holdMuck, judgeMucks, newMuckWatch} from "./mucks.js";
import {decksByEntry} from "./revealed.js";

const MAX_LATE = 20;

/** Judges the covered entries of all games; see `core/audit.js` for the arguments. */
export async function checkPlayed(games, request, tell) {
  const voice = createVoice("PLAYED", tell);
  const counts = {hands: 0, acts: 0, pots: 0};
  for (const game of games) {
    voice.begin(game.game);
    const course = newGameCourse(voice, counts, await decksByEntry(game));
    for (const entry of game.entries.slice(0, game.covered)) judgeEntry(course, entry);
    letGo(course);
    endGame(course);
  }
  const {hands, acts, pots} = counts;
  const followed = `${counted(acts, "act")}, ${counted(pots, "pot")}`;
  voice.holds(`${counted(hands, "hand")} followed: ${followed}`);
}

/**
 * What is followed of one game: the table, the open hand as far as it can be followed, the seat
 * that has to sit out at once, the mucks, and how many acts came later than their clock. `decks`
 * are those that its entries reveal.
 */
function newGameCourse(voice, counts, decks) {
  return {
    voice,
    counts,
    decks,
    table: newTable(),
    hand: null,
    clocked: null,
    mucks: newMuckWatch(),
    late: 0,
  };
}

function judgeEntry(course, entry) {
  const {table, clocked} = course;
  const {kind, body, index} = entry;
  const open = table.hand?.number ?? null;
  course.clocked = null;
  sayAll(course, entry, open, judgeSittingOut(table, entry, clocked));
  sayAll(course, entry, kind === "hand_opened" ? body.hand : open, judgeBetween(table, entry));
  if (kind === "hand_opened") {
    openHand(course, entry);
  } else if (course.hand !== null) {
    sayAll(course, entry, open, judgeInHand(course, entry));
  }
  if (kind === "secret_revealed" || kind === "hand_void") {
    const cards = course.decks.get(index)?.cards ?? null;
    for (const muck of judgeMucks(course.mucks, body.hand, cards)) {
      sayAll(course, muck.entry, body.hand, [muck.problem]);
    }
  }
  takeEntry(table, entry);
}

function sayAll({voice}, entry, hand, problems) {
  for (const {text, expected, found} of problems) voice.broken(text, entry, hand, expected, found);
}

/** Begins to follow a hand, where it can be followed. */
function openHand(course, entry) {
  const {table} = course;
  letGo(course);
  course.counts.hands += 1;
  const chosen = (seat, word) => isChosen(table, seat, word);
  if (table.rules === null) return;
  course.hand = startHand(rulesOfHand(table.rules, entry.body), entry.body, chosen);
}

/** Counts what was followed of the last hand. */
function letGo(course) {
  if (course.hand === null) return;
  const {acts, pots} = finishHand(course.hand);
  course.counts.acts += acts;
  course.counts.pots += pots;
  course.hand = null;
}

function judgeInHand(course, entry) {
  const {hand} = course;
  const held = hand.mucks.length;
  const problems = entry.kind === "acted" ? judgeClock(course, entry) : [];
  problems.push(...followEntry(hand, entry));
  for (const muck of hand.mucks.slice(held)) holdMuck(course.mucks, muck);
  return problems;
}

/** By whom and when the seat acts whose turn it is; an act out of turn is judged by the hand. */
function judgeClock(course, entry) {
  const {table, hand} = course;
  const {seat} = entry.body;
  const turn = turnDue(hand);
  if (turn?.seat !== seat) return [];
  const act = judgeActor(table, entry, turn);
  const held = table.seats.get(seat);
  if (held !== undefined) held.bank = act.bank;
  if (act.sitsOut) course.clocked = seat;
  if (act.lateBy > 0) tellLate(course, entry, act.lateBy);
  return act.problems;
}

function tellLate(course, {index, body}, lateBy) {
  course.late += 1;
  if (course.late > MAX_LATE) return;
  const {number} = course.table.hand ?? course.hand;
  const who = `hand ${number}, entry ${index}: seat ${body.seat}`;
  course.voice.notice(`${who} acted ${thousands(lateBy)} ms after its clock`);
}

function endGame({voice, mucks, late}) {
  const unjudged = countUnjudged(mucks);
  if (unjudged > 0) {
    const text = `${counted(unjudged, "muck")} not to be judged before the hand's secret is there`;
    voice.unproved(text);
  }
  if (late > MAX_LATE) {
    voice.notice(`and ${thousands(late - MAX_LATE)} more acts after their clock`);
  }
  voice.end();
}
