/**
 * COMPLETE: no hand is missing, twice or thrown away; the game closed and revealed in time.
 *
 * Each hand ended or is a void that PROTOCOL.md 7 allows: with its secret, not before its time,
 * before its deck, with the chips as at the opening, and few by the operator's own reasons. Voids
 * that the rules allow are told by reason and player, with the decks that would have been.
 */

import {counted, createVoice, thousands} from "../core/voice.js";
import {addExactly} from "../poker/exactly.js";
import {courseOf, linksWith} from "./course.js";
import {describeWouldBe, isWouldBeKnown} from "./wouldbe.js";

const OWN_VOID_REASONS = Object.freeze(["operator", "no_beacon", "health"]);
const VOID_REASONS = Object.freeze([
  "dealer_fault", "health", "link_missing", "no_beacon", "operator",
]);
const ALLOWED_OWN_VOIDS = 2;
const MAX_TOLD_VOIDS = 50;

/** Judges the hands of all games; see `core/audit.js` for the arguments. */
export async function checkComplete(games, request, tell) {
  const voice = createVoice("COMPLETE", tell);
  const counts = {hands: 0, voids: 0};
  for (const game of games) {
    voice.begin(game.game);
    await followHands(voice, game, counts);
    voice.end();
  }
  const hands = `${counted(counts.hands, "hand")} of ${counted(games.length, "game")}`;
  voice.holds(`${hands}, none missing; ${counted(counts.voids, "void")}`);
}

/** Follows a game's hands from opening to opening. */
async function followHands(voice, game, counts) {
  const log = {
    voice, game, counts, course: courseOf(game), seen: new Set(), toReveal: new Set(),
    reasons: new Map(), missing: new Map(), own: [], pending: new Map(), told: 0,
    lastNumber: 0, afterVoid: 0, hasMoved: false, close: null,
  };
  for (const entry of game.entries.slice(0, game.covered)) {
    await HAND_FOLLOWERS.get(entry.kind)?.(log, entry);
  }
  concludeHands(log);
}

const HAND_FOLLOWERS = new Map([
  ["hand_opened", followHandOpened],
  ["posted", followMove],
  ["dealt", followMove],
  ["hand_void", followVoid],
  ["anchored", followLinkHandedIn],
  ["game_closed", followClose],
  ["secret_revealed", followSecret],
]);

function followHandOpened(log, entry) {
  const {voice, course, seen, counts} = log;
  const {hand: number} = entry.body;
  const open = course.handAt[entry.index];
  const isTorn = course.tornAt[entry.index];
  const due = log.lastNumber + 1;
  counts.hands += 1;
  if (open !== null && !isTorn) {
    const text = "a hand neither ended nor is void when the next one opens";
    voice.broken(text, entry, open.number);
  }
  if (seen.has(number)) {
    voice.broken("a hand's number comes twice", entry, number);
  } else if (number !== due && !isTorn) {
    const text = tellMissing(due, number);
    voice.broken(text, entry, Math.min(due, number), `hand ${due}`, `hand ${number}`);
  }
  seen.add(number);
  log.lastNumber = number;
  log.toReveal.add(number);
  compareStacks(log, entry, entry.body.seats);
  log.hasMoved = false;
}

function tellMissing(due, number) {
  if (number < due) {
    return "a hand's number goes back";
  }
  return number > due + 1
    ? `the hands from ${due} to ${number - 1} are missing`
    : `hand ${due} is missing`;
}

/** Behind a void the chips are those of its opening, and what was added since. */
function compareStacks(log, entry, logged) {
  const number = log.afterVoid;
  log.afterVoid = 0;
  if (number === 0 || log.course.tornAt[entry.index]) {
    return;
  }
  const {seats} = log.course.states.get(entry.index);
  for (const {seat, player, stack} of logged) {
    const held = seats.get(seat);
    if (held?.player === player && held.stack !== stack) {
      const chips = `the chips of seat ${seat} are not those of its opening`;
      log.voice.broken(`behind the void hand ${number} ${chips}`, entry, number, held.stack, stack);
    }
  }
}

function followMove(log) {
  log.hasMoved = true;
}

async function followVoid(log, entry) {
  const {voice, course} = log;
  const {hand: number, reason, missing, secret} = entry.body;
  const hand = course.handAt[entry.index];
  log.counts.voids += 1;
  addOne(log.reasons, reason);
  missing.forEach(({player}) => addOne(log.missing, player));
  log.afterVoid = number;
  log.toReveal.delete(number);
  if (OWN_VOID_REASONS.includes(reason)) {
    log.own.push(entry);
  }
  judgeReason(log, entry);
  judgeVoid(log, entry, hand);
  if (!secret) {
    voice.broken("a void does not show its secret", entry, number);
  } else if (hand !== null && hand.number === number) {
    const beacon = hand.deck?.body.beacon ?? null;
    log.pending.set(number, {hand, links: linksWith(hand, entry), beacon, secret});
  }
  await noteVoid(log, entry);
}

function addOne(counts, name) {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function judgeReason({voice, game}, entry) {
  const {hand: number, reason} = entry.body;
  if (!VOID_REASONS.includes(reason)) {
    const wanted = `one of ${VOID_REASONS.join(", ")}`;
    voice.broken("a void for a reason that is none", entry, number, wanted, reason);
  } else if (reason === "no_beacon" && game.rules !== null && game.rules.beacon === undefined) {
    voice.broken("a hand is void for want of a beacon, and the rules name none", entry, number);
  } else if (reason === "dealer_fault") {
    voice.broken("a fault of the dealer ended the hand", entry, number);
  }
}

function judgeVoid(log, entry, hand) {
  const {hand: number, reason} = entry.body;
  if (hand === null || hand.number !== number) {
    if (!log.course.tornAt[entry.index]) {
      log.voice.broken("a void of a hand that is not open", entry, number);
    }
    return;
  }
  if (hand.deck !== null && reason !== "dealer_fault") {
    log.voice.broken("a hand is void after its deck was committed", entry, number);
  } else if (hand.deck === null && log.hasMoved) {
    const text = "a chip or a card moved in a hand that is void before its deck";
    log.voice.broken(text, entry, number);
  }
  judgeMissing(log, entry, hand);
}

/** A void for missing links names each frozen anchor whose link did not come, and is not early. */
function judgeMissing({voice}, entry, hand) {
  const {reason, missing} = entry.body;
  const came = linksWith(hand, entry);
  const absent = [...hand.frozen.keys()].filter((seat) => !came.has(seat));
  const due = listPlayers(absent.map((seat) => ({seat, ...hand.players.get(seat)})));
  const named = listPlayers(missing);
  if (reason !== "link_missing") {
    if (missing.length > 0) {
      const text = "a void names missing links, and its reason is another";
      voice.broken(text, entry, hand.number, "nobody", named);
    }
    return;
  }
  if (named !== due || missing.length === 0) {
    const wanted = due || "no link is missing, so the hand is not void";
    const text = "a void does not name the players whose link is missing";
    voice.broken(text, entry, hand.number, wanted, named || "nobody");
  }
  const earliest = hand.rules === null ? 0 : addExactly(hand.opened.at, hand.rules.link_ms);
  if (entry.at < earliest) {
    const text = "a hand is void for a missing link before its time";
    voice.broken(text, entry, hand.number, `not before ${earliest}`, entry.at);
  }
}

function listPlayers(players) {
  return players.map(({seat, player}) => `seat ${seat} ${player}`).join(", ");
}

async function noteVoid(log, entry) {
  const {hand: number, reason, links, missing} = entry.body;
  const players = missing.map(({player}) => player);
  const by = players.length > 0 ? `, the link of ${players.join(" and ")} is missing` : "";
  const again = links.length > 0 && players.length === 0 ? ", after links came" : "";
  const words = (await describePending(log, number)) ?? [];
  tellOfVoids(log, `hand ${number} is void: ${reason}${by}${again}`, words);
}

/** What the deck of a void would have been, once, as soon as all its links are known. */
async function describePending(log, number) {
  const known = log.pending.get(number);
  if (known === undefined || !isWouldBeKnown(known)) {
    return null;
  }
  // Nobody is told of more.
  const isTold = log.told < MAX_TOLD_VOIDS;
  const words = isTold ? await describeWouldBe(log.game, known) : [];
  if (words !== null) {
    log.pending.delete(number);
  }
  return words;
}

async function followLinkHandedIn(log, entry) {
  const {player, missing_hand: number, missing_link: link} = entry.body;
  const known = log.pending.get(number);
  if (known === undefined || link === undefined) {
    return;
  }
  for (const [seat, dealt] of known.hand.players) {
    if (dealt.player === player && dealt.anchor !== null && !known.links.has(seat)) {
      known.links.set(seat, link);
    }
  }
  const words = await describePending(log, number);
  if (words !== null) {
    const since = `${player} has given its missing link since`;
    tellOfVoids(log, `hand ${number} was void, and ${since}`, words);
  }
}

function tellOfVoids(log, text, words) {
  log.told += 1;
  if (log.told <= MAX_TOLD_VOIDS) {
    log.voice.notice(text, ...words);
  }
}

function followClose(log, entry) {
  const open = log.course.handAt[entry.index];
  if (open !== null && !log.course.tornAt[entry.index]) {
    log.voice.broken("a hand neither ended nor is void when the game closes", entry, open.number);
  }
  compareStacks(log, entry, entry.body.stacks);
  log.close = entry;
  judgeOwnVoids(log, entry.body.reason === "restored", log.lastNumber);
}

/** The operator's own voids: two of a game, and one more as the last hand before a restore. */
function judgeOwnVoids(log, isRestored, lastNumber) {
  const isLast = log.own.at(-1)?.body.hand === lastNumber;
  const allowed = ALLOWED_OWN_VOIDS + (isRestored && isLast ? 1 : 0);
  for (const entry of log.own.slice(allowed)) {
    const text = "one more hand is void by the operator's own reasons than a game may have";
    log.voice.broken(text, entry, entry.body.hand, `${allowed} at most`, log.own.length);
  }
  log.own = [];
}

function followSecret(log, entry) {
  const {hand: number} = entry.body;
  const {rules} = log.game;
  log.toReveal.delete(number);
  if (rules === null || log.close === null) {
    return;
  }
  const within = rules.reveal.within_ms;
  const latest = addExactly(log.close.at, within);
  if (entry.at > latest) {
    const wanted = `not after ${latest}, ${within} ms after the close`;
    log.voice.broken("a secret is revealed after its latest time", entry, number, wanted, entry.at);
  }
}

/** What is not there is not established, and what was void is told. */
function concludeHands(log) {
  const {voice, game, course} = log;
  const open = course.handAt.at(-1);
  // An open game may still turn out to be closed by a restore.
  judgeOwnVoids(log, true, log.lastNumber);
  if (log.close === null) {
    const where = open === null ? "" : `, in hand ${open.number}`;
    voice.unproved(`the signed entries end before the game closed${where}`);
  } else if (log.toReveal.size > 0) {
    voice.unproved(`the game closed, and ${counted(log.toReveal.size, "secret")} not yet there`);
  }
  const unsigned = game.entries.length - game.covered;
  if (unsigned > 0) {
    const from = `from line ${thousands(game.entries[game.covered].line)} on`;
    const what = `${thousands(unsigned)} unsigned entries behind the last checkpoint`;
    voice.unproved(`${what}, ${from}, prove nothing`);
  }
  if (log.told > MAX_TOLD_VOIDS) {
    voice.notice(`and ${thousands(log.told - MAX_TOLD_VOIDS)} more notes on voids`);
  }
  tellCounts(voice, "voids by reason", log.reasons, " ");
  tellCounts(voice, "missing links by player", log.missing, " by ");
}

function tellCounts(voice, what, counts, between) {
  if (counts.size > 0) {
    const names = [...counts.keys()].sort();
    const words = names.map((name) => `${counts.get(name)}${between}${name}`);
    voice.notice(`${what}: ${words.join(", ")}`);
  }
}
