/**
 * The decks that a game commits to, what was opened of them, and the decks themselves where the
 * secret is there: derived once, for all that ask.
 */

import {fromHex} from "../core/bytes.js";
import {NoDeckError, deriveFromMix} from "../core/derive.js";
import {cardNumber} from "../poker/cards.js";
import {courseOf} from "./course.js";

const DECKS_AT_ONCE = 32;
const sealsOfGames = new WeakMap();
const decksOfGames = new WeakMap();

/**
 * What the covered entries say of decks, in their order: a list of
 * {what: "committed", entry, hand (with the links), seal}, {what: "opened", entry, seal (or null)},
 * {what: "twice", entry, number, position, before, card}, {what: "twin", entry, number, position,
 * other, card} and {what: "revealed", entry, seal}.
 *
 * A seal is {number, committed (its entry), mix, root (hex), opened, secret, isOver}: `opened` a
 * Map from position to {card, salt, entry} of what was opened first, `secret` hex, or null where it
 * is not there, `isOver` whether none is to come any more.
 */
export function sealsOf(game) {
  if (!sealsOfGames.has(game)) {
    sealsOfGames.set(game, readSeals(game));
  }
  return sealsOfGames.get(game);
}

/**
 * The decks of all seals whose secret is there: a Map from seal to {cards, salts, root}, as
 * `deriveFromMix` gives them, or to a NoDeckError. `onProgress(done, total, what)` is told how far
 * it is.
 */
export function decksOf(game, onProgress = () => {}) {
  if (!decksOfGames.has(game)) {
    decksOfGames.set(game, deriveSeals(sealsOf(game), onProgress));
  }
  return decksOfGames.get(game);
}

/**
 * The decks by the entries that reveal them: a Map from the index of a `secret_revealed` or
 * `hand_void` to {number, cards, salts, root} of its hand; not there where no deck is.
 */
export async function decksByEntry(game) {
  const decks = await decksOf(game);
  const found = new Map();
  for (const {what, entry, seal} of sealsOf(game)) {
    const deck = decks.get(seal);
    if (what === "revealed" && deck !== undefined && !(deck instanceof NoDeckError)) {
      found.set(entry.index, {number: seal.number, ...deck});
    }
  }
  return found;
}

function readSeals(game) {
  const course = courseOf(game);
  const sealed = new Map();
  const told = [];
  for (const entry of game.entries.slice(0, game.covered)) {
    const {kind, body, index} = entry;
    const hand = course.handAt[index];
    if (kind === "deck_committed" && hand !== null) {
      if (!sealed.has(hand.number)) {
        sealed.set(hand.number, newSeal(hand.number, entry));
      }
      const behind = course.handAt[index + 1];
      told.push({what: "committed", entry, hand: behind, seal: sealed.get(hand.number)});
    } else if (kind === "opened") {
      const seal = sealed.get(body.hand) ?? null;
      const again = seal === null ? [] : takeOpenedCards(seal, entry);
      told.push({what: "opened", entry, seal}, ...again);
    } else if (kind === "secret_revealed" || kind === "hand_void") {
      const seal = sealed.get(body.hand);
      // After its secret nothing more belongs to a deck, nor where that is never to come.
      sealed.delete(body.hand);
      if (seal !== undefined) {
        told.push(...revealSeal(seal, entry));
      }
    }
  }
  return told;
}

function newSeal(number, committed) {
  const {mix, deck_root: root} = committed.body;
  return {number, committed, mix, root, opened: new Map(), secret: null, isOver: false};
}

function revealSeal(seal, entry) {
  seal.secret = entry.body.secret || null;
  seal.isOver = true;
  return seal.secret === null ? [] : [{what: "revealed", entry, seal}];
}

/** Takes the cards of an `opened`, and says what does not agree with those before. */
function takeOpenedCards(seal, entry) {
  const {number, opened} = seal;
  const told = [];
  for (const {position, card: name, salt} of entry.body.cards) {
    const card = cardNumber(name);
    const before = opened.get(position);
    if (before === undefined) {
      const twin = [...opened].find(([, other]) => other.card === card);
      if (twin !== undefined) {
        told.push({what: "twin", entry, number, position, other: twin[0], card});
      }
      opened.set(position, {card, salt, entry});
    } else if (before.card !== card || before.salt !== salt) {
      told.push({what: "twice", entry, number, position, before, card});
    }
  }
  return told;
}

async function deriveSeals(told, onProgress) {
  const seals = told.filter(({what}) => what === "revealed").map(({seal}) => seal);
  const decks = new Map();
  for (let from = 0; from < seals.length; from += DECKS_AT_ONCE) {
    const batch = seals.slice(from, from + DECKS_AT_ONCE);
    const derived = await Promise.all(batch.map(deriveSeal));
    batch.forEach((seal, at) => decks.set(seal, derived[at]));
    onProgress(decks.size, seals.length, "deriving the decks");
  }
  return decks;
}

/** What is kept of a derived deck while others are; how it came about can be derived again. */
async function deriveSeal({secret, mix}) {
  try {
    const {cards, salts, root} = await deriveFromMix(fromHex(secret), fromHex(mix));
    return {cards, salts, root};
  } catch (error) {
    if (error instanceof NoDeckError) {
      return error;
    }
    throw error;
  }
}
