/**
 * PLAYER-MIXED: the players' randomness is in every deck, as the log has it.
 *
 * Every logged link fits its anchor, each opening freezes the anchors that the log gives, each deck
 * has the link of every frozen anchor, and no value comes twice (PROTOCOL.md 2). The strength of
 * the claim is k of n players for the weakest hand. With a player's record the verdict is that
 * player's alone (`mine.js`).
 */

import {toHex} from "../core/bytes.js";
import {sha256All} from "../core/hashing.js";
import {nextLinkInput} from "../core/mixing.js";
import {counted, createVoice, thousands} from "../core/voice.js";
import {courseOf} from "./course.js";

const MAX_REROLLS = 50;

/** Judges anchors and links of all games; see `core/audit.js` for the arguments. */
export async function checkMixed(games, request, tell) {
  const voice = createVoice("PLAYER-MIXED", tell);
  const strength = {links: 0, weakest: null};
  for (const game of games) {
    voice.begin(game.game);
    const {said, spent} = followLinks(game, strength);
    const fits = said.filter(({player}) => player !== undefined);
    const inputs = fits.map(({player, link}) => nextLinkInput(game, player, link));
    const reached = await sha256All(inputs);
    strength.links += fits.length;
    fits.forEach((fit, at) => Object.assign(fit, judgeFit(fit, toHex(reached[at]))));
    for (const {text, entry, hand, expected, found} of said) {
      if (text !== null) {
        voice.broken(text, entry, hand, expected, found);
      }
    }
    tellRerolls(voice, spent);
    voice.end();
  }
  if (request.records.length === 0) {
    tellStrength(voice, strength);
  }
}

/**
 * What is wrong with a game's anchors and links, in the order of the entries, each {text, entry,
 * hand, expected, found}, and between them each link with the anchor that it has to fit: `said`.
 * `spent` are the void hands for which links came.
 */
function followLinks(game, strength) {
  const log = {
    game: game.game, course: courseOf(game), strength, used: new Set(), missed: new Map(), said: [],
    spent: [],
  };
  for (const entry of game.entries.slice(0, game.covered)) {
    LINK_FOLLOWERS.get(entry.kind)?.(log, entry);
  }
  return log;
}

const LINK_FOLLOWERS = new Map([
  ["seat_taken", followSeatTaken],
  ["anchored", followAnchored],
  ["hand_opened", followOpeningAnchors],
  ["deck_committed", followDeckLinks],
  ["hand_void", followVoidLinks],
]);

function sayWrong(log, text, entry, hand, expected, found) {
  log.said.push({text, entry, hand, expected, found});
}

function followSeatTaken(log, entry) {
  if (entry.body.anchor !== undefined) {
    useValue(log, entry.body.anchor, entry, null);
  }
}

/** No value that was logged is ever a new one. */
function useValue(log, value, entry, hand) {
  if (log.used.has(value)) {
    const text = "a value that was logged before stands as a new anchor or link";
    sayWrong(log, text, entry, hand, "a new value", value);
  }
  log.used.add(value);
}

function followAnchored(log, entry) {
  const {player, anchor, missing_hand: number, missing_link: link} = entry.body;
  const {misses} = log.course.states.get(entry.index);
  const last = misses.at(-1) ?? null;
  useValue(log, anchor, entry, null);
  if (misses.length > 1) {
    const text = "an anchor after the second missing link";
    sayWrong(log, text, entry, null, "no anchor in this game", player);
  }
  if (number === undefined) {
    if (last !== null && !log.course.tornAt[entry.index]) {
      const text = `an anchor of ${player} without the link that was missing`;
      sayWrong(log, text, entry, last, `the link of hand ${last}`, "no link");
    }
    return;
  }
  if (log.used.has(link)) {
    const text = `${player} has no missing link to give: it was logged before`;
    sayWrong(log, text, entry, number, "no further anchor in this game", link);
    return;
  }
  log.used.add(link);
  followMissingLink(log, entry, last);
}

/** A link that was missing fits the anchor that its hand had frozen. */
function followMissingLink(log, entry, last) {
  const {player, missing_hand: number, missing_link: link} = entry.body;
  const anchor = log.missed.get(`${player} ${number}`);
  if (anchor !== undefined && number === last) {
    log.said.push({player, link, anchor, entry, hand: number});
  } else if (log.course.firstDamage >= entry.index) {
    const text = `a missing link of a hand that ${player} did not miss last`;
    const wanted = last === null ? "none is missing" : `hand ${last}`;
    sayWrong(log, text, entry, number, wanted, `hand ${number}`);
  }
}

function followOpeningAnchors(log, entry) {
  if (log.course.tornAt[entry.index]) {
    return;
  }
  const {seats} = log.course.states.get(entry.index);
  for (const {seat, player, anchor} of entry.body.seats) {
    const held = seats.get(seat);
    if (held?.player === player && held.anchor !== (anchor ?? null)) {
      const text = `the opening gives seat ${seat} another anchor than the log`;
      const found = anchor ?? "no anchor";
      sayWrong(log, text, entry, entry.body.hand, held.anchor ?? "no anchor", found);
    }
  }
}

function followDeckLinks(log, entry) {
  const hand = log.course.handAt[entry.index];
  if (hand === null) {
    return;
  }
  const {links} = entry.body;
  const seats = listAll(links.map(({seat}) => seat));
  const frozen = listAll([...hand.frozen.keys()]);
  if (seats !== frozen) {
    const text = "a deck has other links than those of the frozen anchors, by rising seat";
    sayWrong(log, text, entry, hand.number, `links of seats ${frozen}`, `links of seats ${seats}`);
  }
  followLinksOfHand(log, entry, hand);
  takeStrength(log, entry, hand, links.length);
}

function followLinksOfHand(log, entry, hand) {
  for (const {seat, link} of entry.body.links) {
    useValue(log, link, entry, hand.number);
    const anchor = hand.frozen.get(seat);
    if (anchor !== undefined) {
      const {player} = hand.players.get(seat);
      log.said.push({player, link, anchor, entry, hand: hand.number});
    }
  }
}

function takeStrength(log, entry, hand, k) {
  const n = hand.players.size;
  const {weakest} = log.strength;
  if (weakest === null || k * weakest.n < weakest.k * n) {
    log.strength.weakest = {k, n, hand: hand.number, game: log.game};
  }
  if (hand.rules?.links === "required" && k < n) {
    const text = "a deck lacks a player's link, and links are required";
    sayWrong(log, text, entry, hand.number, `${n} links`, `${k} links`);
  }
}

function followVoidLinks(log, entry) {
  const hand = log.course.handAt[entry.index];
  if (hand === null) {
    return;
  }
  const rest = [...hand.frozen.keys()].filter((seat) => !hand.links.has(seat));
  const seats = entry.body.links.map(({seat}) => seat);
  if (listAll(seats) !== listAll(rest.filter((seat) => seats.includes(seat)))) {
    const text = "a void shows links of seats without a frozen anchor, twice or out of order";
    const wanted = `links of seats among ${listAll(rest)}`;
    sayWrong(log, text, entry, hand.number, wanted, `links of seats ${listAll(seats)}`);
  }
  followLinksOfHand(log, entry, hand);
  for (const {seat, player} of entry.body.missing) {
    const anchor = hand.frozen.get(seat);
    if (anchor !== undefined) {
      log.missed.set(`${player} ${hand.number}`, anchor);
    }
  }
  if (entry.body.links.length > 0) {
    log.spent.push(hand.number);
  }
}

function listAll(seats) {
  return seats.join(", ") || "none";
}

/** What there is to say of a link: nothing where the next value is its anchor. */
function judgeFit({player, anchor}, reached) {
  return {
    text: reached === anchor ? null : `the link of ${player} does not fit its anchor`,
    expected: `a link whose next is ${anchor}`,
    found: `the next of the logged link is ${reached}`,
  };
}

/** Tells the voids behind which links were spent. */
function tellRerolls(voice, spent) {
  if (spent.length > 0) {
    const more = spent.length - MAX_REROLLS;
    const tail = more > 0 ? ` and ${thousands(more)} more` : "";
    const are = spent.length === 1 ? "hand was" : "hands were";
    const shown = `${spent.slice(0, MAX_REROLLS).join(", ")}${tail}`;
    voice.notice(`re-rolls: ${thousands(spent.length)} ${are} void after links came (${shown})`);
  }
}

/** Says how strong the claim is. */
function tellStrength(voice, {links, weakest}) {
  voice.begin(weakest === null ? null : weakest.game);
  if (weakest === null) {
    voice.unproved("no deck was committed");
  } else if (weakest.k === 0) {
    voice.unproved(`hand ${weakest.hand} has no player's link, of ${weakest.n} players`);
  } else {
    const {k, n, hand} = weakest;
    const fit = `${counted(links, "link")} fit, as logged by the dealer`;
    voice.holds(`${k} of ${n} players in the weakest deck, of hand ${hand}; ${fit}`);
  }
}
