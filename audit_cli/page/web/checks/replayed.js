/**
 * REPLAYED: every deck, derived again, gives the logged mix, root and every opened card; and each
 * opening of a player's own leads to the root (PROTOCOL.md 12).
 */

import {toHex} from "../core/bytes.js";
import {NoDeckError} from "../core/derive.js";
import {sha256All} from "../core/hashing.js";
import {mixInput} from "../core/mixing.js";
import {followOpening} from "../core/openings.js";
import {partsOf} from "../core/parts.js";
import {counted, createVoice} from "../core/voice.js";
import {cardText} from "../poker/cards.js";
import {courseOf} from "./course.js";
import {decksOf, sealsOf} from "./revealed.js";

const OPENINGS_AT_ONCE = 64;

/** Judges the decks of all games; see `core/audit.js` for the arguments. */
export async function checkReplayed(games, request, tell, onProgress) {
  const voice = createVoice("REPLAYED", tell);
  const counts = {decks: 0, cards: 0, proofs: 0};
  const parts = partsOf(games.map(({covered}) => covered), onProgress);
  for (const [at, game] of games.entries()) {
    voice.begin(game.game);
    await decksOf(game, parts[at]);
    await judgeSeals(voice, game, counts);
    const unsigned = await judgeOwnOpenings(voice, game, counts);
    tellUnproved(voice, game, unsigned);
    voice.end();
  }
  const {decks, cards, proofs} = counts;
  const own = proofs > 0 ? `, ${counted(proofs, "own opening")} with proof` : "";
  voice.holds(`${counted(decks, "deck")} derived again, ${counted(cards, "opened card")}${own}`);
}

/**
 * What the links of a hand, and its round or null, give to hash for its mix; null where a link is
 * of a seat that is not dealt in.
 */
export function mixInputOf(game, hand, links, beacon) {
  if ([...links.keys()].some((seat) => !hand.players.has(seat))) {
    return null;
  }
  const chain = hand.rules?.beacon?.chain ?? null;
  return mixInput({
    origin: game.origin,
    game: game.game,
    hand: hand.number,
    commitment: hand.commitment,
    links: [...links].map(([seat, link]) => ({seat, player: hand.players.get(seat).player, link})),
    beacon: chain !== null && beacon !== null ? {chain, ...beacon} : null,
  });
}

async function judgeSeals(voice, game, counts) {
  const told = sealsOf(game);
  const mixes = await hashMixes(game, told);
  const decks = await decksOf(game);
  for (const one of told) {
    const {what, entry} = one;
    if (what === "committed") {
      judgeMix(voice, one, mixes.get(entry));
    } else if (what === "opened") {
      counts.cards += one.seal === null ? 0 : entry.body.cards.length;
      judgeHandOfOpening(voice, courseOf(game).handAt[entry.index], entry);
    } else if (what === "revealed") {
      const deck = decks.get(one.seal);
      counts.decks += deck instanceof NoDeckError ? 0 : 1;
      judgeDeck(voice, one, deck);
    } else {
      judgeAgain(voice, one);
    }
  }
}

/** The mixes that the logged links give, by the entries that commit to a deck. */
async function hashMixes(game, told) {
  const committed = told.filter(({what}) => what === "committed");
  const inputs = committed.map(({entry, hand}) => {
    return mixInputOf(game, hand, hand.links, entry.body.beacon ?? null);
  });
  const mixes = await sha256All(inputs.filter((input) => input !== null));
  const taken = mixes.values();
  return new Map(
    committed.map(({entry}, at) => [entry, inputs[at] === null ? null : taken.next().value]),
  );
}

function judgeMix(voice, {entry, hand}, mix) {
  if (mix === null || toHex(mix) !== entry.body.mix) {
    const none = "none: a link is of a seat that is not dealt in";
    const wanted = mix === null ? none : `mix ${toHex(mix)}`;
    const text = "the logged links do not give the logged mix";
    voice.broken(text, entry, hand.number, wanted, `mix ${entry.body.mix}`);
  }
}

function judgeHandOfOpening(voice, hand, entry) {
  const named = entry.body.hand;
  if (hand !== null && hand.number !== named) {
    const text = `cards of hand ${named} are opened in hand ${hand.number}`;
    voice.broken(text, entry, hand.number, hand.number, named);
  }
}

function judgeAgain(voice, {what, entry, number, position, before, other, card}) {
  if (what === "twice") {
    const first = `${cardText(before.card)}, opened at entry ${before.entry.index}`;
    const text = `position ${position} is opened twice, differently`;
    voice.broken(text, entry, number, first, cardText(card));
  } else {
    const text = `${cardText(card)} is opened at two positions`;
    const found = `positions ${other} and ${position}`;
    voice.broken(text, entry, number, "one position for each card", found);
  }
}

function judgeDeck(voice, {entry, seal}, deck) {
  const {number, committed} = seal;
  if (deck instanceof NoDeckError) {
    voice.broken(`the secret gives no deck: ${deck.message}`, entry, number);
    return;
  }
  if (toHex(deck.root) !== seal.root) {
    const text = "the deck derived from secret and mix is not the committed one";
    const wanted = `deck_root ${toHex(deck.root)}`;
    voice.broken(text, committed, number, wanted, `deck_root ${seal.root}`);
  }
  for (const [position, opened] of seal.opened) {
    const card = deck.cards[position];
    if (opened.card !== card) {
      const text = `the card opened at position ${position} is not the deck's`;
      voice.broken(text, opened.entry, number, cardText(card), cardText(opened.card));
    } else if (opened.salt !== toHex(deck.salts[position])) {
      const text = `the salt opened at position ${position} is not the deck's`;
      voice.broken(text, opened.entry, number, "the salt that the secret gives", "another salt");
    }
  }
}

/** Follows a player's own openings to the roots; tells how many are of unsigned decks. */
async function judgeOwnOpenings(voice, game, counts) {
  const roots = new Map(
    sealsOf(game)
      .filter(({what}) => what === "committed")
      .map(({hand, seal}) => [hand.number, seal]),
  );
  const isWhole = game.covered === game.entries.length;
  let unsigned = 0;
  const openings = game.extras.filter(({kind}) => kind === "opening");
  for (let from = 0; from < openings.length; from += OPENINGS_AT_ONCE) {
    const batch = openings.slice(from, from + OPENINGS_AT_ONCE);
    const wrongs = await Promise.all(batch.map(({body}) => judgeOwn(body, roots.get(body.hand))));
    for (const [at, wrong] of wrongs.entries()) {
      const {line, body} = batch[at];
      if (wrong === null) {
        counts.proofs += 1;
      } else if (roots.has(body.hand) || isWhole) {
        voice.brokenAt(wrong, line, body.hand);
      } else {
        unsigned += 1;
      }
    }
  }
  return unsigned;
}

/** What is wrong with an opening, or null. */
async function judgeOwn(opening, seal) {
  if (seal === undefined) {
    return "an opening is of a hand without a committed deck";
  }
  const {wrong} = await followOpening(opening, seal.mix, seal.root);
  const {position} = opening;
  return wrong === null ? null : `the opening of position ${position} fails its proof: ${wrong}`;
}

function tellUnproved(voice, game, unsigned) {
  if (unsigned > 0) {
    voice.unproved(`${counted(unsigned, "own opening")} of hands whose deck is not signed`);
  }
  const seals = new Set(sealsOf(game).map(({seal}) => seal ?? null));
  const waiting = [...seals].filter((seal) => seal !== null && !seal.isOver).length;
  if (waiting > 0) {
    voice.unproved(`${counted(waiting, "deck")} can not be derived yet`);
  }
}
