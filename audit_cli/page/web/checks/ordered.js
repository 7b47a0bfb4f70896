/**
 * ORDERED: the entries follow the grammar, time does not fall, and decks are signed before cards.
 *
 * PROTOCOL.md 7 is a small automaton here. Behind an entry that does not fit it goes on from what
 * that entry would begin or end, and says no more about the same hand.
 */

import {counted, createVoice} from "../core/voice.js";
import {courseOf, numberOf} from "./course.js";

const ASIDES = Object.freeze([
  "seat_taken", "seat_left", "player_removed", "sat_out", "came_back", "preferred", "paused",
  "resumed", "anchored",
]);
const ACTS_OF_PLAY = Object.freeze([
  "dealt", "acted", "opened", "mucked", "returned", "awarded", "runs_agreed", "blinds_chopped",
]);
const NAMING_A_HAND = new Set([
  "hand_void", "deck_committed", "dealt", "opened", "mucked", "hand_ended", "runs_agreed",
  "blinds_chopped",
]);

/** A place in the grammar: what may stand there, and how it is called. */
function grammarPlace(name, ...kinds) {
  return Object.freeze({name, kinds: new Set(kinds)});
}

const AT_START = grammarPlace("a game begins with game_opened", "game_opened");
const BETWEEN_HANDS = grammarPlace(
  "between hands", ...ASIDES, "chips_added", "colored_up", "hand_opened", "game_closed",
);
const BEFORE_DECK = grammarPlace(
  "between the opening of a hand and its deck", ...ASIDES, "hand_void", "deck_committed",
);
const BEFORE_CARDS = grammarPlace(
  "between the deck and the cards", ...ASIDES, ...ACTS_OF_PLAY, "posted", "hand_ended", "hand_void",
);
const IN_PLAY = grammarPlace(
  "in the play of a hand", ...ASIDES, ...ACTS_OF_PLAY, "hand_ended", "hand_void",
);
const BEHIND_CLOSE = grammarPlace("behind the close of the game", "secret_revealed");
/** Behind an unreadable entry, where anything may stand. */
const ANYWHERE = null;

/** @type {Map<string, object>} */
const LEADS_TO = new Map([
  ["game_opened", BETWEEN_HANDS],
  ["hand_opened", BEFORE_DECK],
  ["deck_committed", BEFORE_CARDS],
  ["hand_void", BETWEEN_HANDS],
  ["hand_ended", BETWEEN_HANDS],
  ["game_closed", BEHIND_CLOSE],
  ["secret_revealed", BEHIND_CLOSE],
  ...ACTS_OF_PLAY.map((kind) => /** @type {[string, any]} */ ([kind, IN_PLAY])),
]);

/** Judges the order of all games; see `core/audit.js` for the arguments. */
export async function checkOrdered(games, request, tell) {
  const voice = createVoice("ORDERED", tell);
  let decks = 0;
  for (const game of games) {
    const entries = game.entries.slice(0, game.covered);
    voice.begin(game.game);
    followGrammar(voice, game, entries);
    judgeCovers(voice, game, entries);
    judgeReveals(voice, game, entries);
    voice.end();
    decks += entries.filter(({kind}) => kind === "deck_committed").length;
  }
  const covered = games.reduce((sum, game) => sum + game.covered, 0);
  const signed = `${counted(decks, "deck")} signed before the first card`;
  voice.holds(`${counted(covered, "entry")} in order, ${signed}`);
}

function followGrammar(voice, game, entries) {
  const course = courseOf(game);
  let place = AT_START;
  let time = 0;
  // The hand of which it was said already that an entry of it does not stand right.
  let isTold = false;
  for (const entry of entries) {
    const {kind, at, index} = entry;
    if (kind === "") {
      place = ANYWHERE;
      continue;
    }
    if (at < time) {
      voice.broken("time goes back", entry, numberOf(course, entry), time, at);
    }
    time = at;
    isTold = kind === "hand_opened" ? false : isTold;
    for (const {text, expected, found} of judgePlace(course, entry, place)) {
      if (!isTold || course.handAt[index] === null) {
        isTold = true;
        voice.broken(text, entry, numberOf(course, entry), expected, found);
      }
    }
    // What is played before its deck is there does not make it be there.
    if (LEADS_TO.has(kind) && !(place === BEFORE_DECK && ACTS_OF_PLAY.includes(kind))) {
      place = LEADS_TO.get(kind);
    }
  }
}

/** What is wrong with where an entry stands. */
function judgePlace(course, entry, place) {
  const {kind, body, index} = entry;
  const hand = course.handAt[index];
  const wrong = [];
  if (place !== ANYWHERE && !place.kinds.has(kind)) {
    wrong.push({text: `${kind} does not stand here: ${place.name}`});
  } else if (NAMING_A_HAND.has(kind) && hand !== null && body.hand !== hand.number) {
    const text = `${kind} is of another hand than the open one`;
    wrong.push({text, expected: hand.number, found: body.hand});
  }
  if (kind === "anchored" && hand?.players.get(body.seat)?.player === body.player) {
    wrong.push({text: "anchored of a player dealt into the open hand"});
  }
  if (kind === "hand_void" && hand?.deck && body.reason !== "dealer_fault") {
    const text = "a hand is void after its deck was committed";
    wrong.push({text, expected: "hand_ended, or reason dealer_fault", found: body.reason});
  }
  return wrong;
}

/** For each hand a good checkpoint covers its deck and not its first `dealt`. */
function judgeCovers(voice, game, entries) {
  const course = courseOf(game);
  const covers = new Set(game.checkpoints.filter(({holds}) => holds).map(({size}) => size));
  let isUncovered = false;
  for (const entry of entries) {
    const {kind, index} = entry;
    isUncovered &&= !covers.has(index);
    if (kind === "deck_committed") {
      isUncovered = true;
    } else if (kind === "dealt" && isUncovered) {
      const text = "no signed checkpoint covers deck_committed and not the first dealt";
      voice.broken(text, entry, numberOf(course, entry));
      isUncovered = false;
    } else if (kind === "hand_opened" || kind === "hand_ended" || kind === "hand_void") {
      isUncovered = false;
    }
  }
}

/** Secrets come by rising hand, once each, of hands that were opened and not void. */
function judgeReveals(voice, game, entries) {
  const {firstDamage} = courseOf(game);
  const known = new Set();
  const isVoid = new Set();
  let last = 0;
  for (const entry of entries) {
    const {kind, index} = entry;
    const {hand} = entry.body ?? {};
    if (kind === "hand_opened" || kind === "hand_ended") {
      known.add(hand);
    } else if (kind === "hand_void") {
      isVoid.add(hand);
    } else if (kind === "secret_revealed") {
      if (hand <= last) {
        const text = "secrets are not revealed in rising order, once each";
        voice.broken(text, entry, hand, `a hand above ${last}`, hand);
      } else if (isVoid.has(hand)) {
        voice.broken("a secret is revealed for a hand that is void", entry, hand);
      } else if (!known.has(hand) && firstDamage > index) {
        voice.broken("a secret is revealed for a hand that was never opened", entry, hand);
      }
      last = Math.max(last, hand);
    }
  }
}
