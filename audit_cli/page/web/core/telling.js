/*
 * What the page shows of one hand: its entries, every card that this file proves, one card's way
 * to the dealer's signature, and how its deck came about.
 *
 * A card is told where the log opens it, or where it is proved against the logged deck_root
 * (PROTOCOL.md 3 and 4): by the reveal, if the deck derived from it has that root, or by a player's
 * own opening in the file, if its path leads there. Anything else stays a back. Nothing is judged
 * for the report here; the checks do that.
 */

import {fromHex, sameBytes, toHex} from "./bytes.js";
import {cardLeafInput, deriveDeck, provePosition} from "./derive.js";
import {sha256} from "./hashing.js";
import {followPath, inclusionPath, stepsInHex} from "./merkle.js";
import {commitHand, nextLink} from "./mixing.js";
import {followOpening} from "./openings.js";
import {cardNumber, cardText, DECK_CARDS} from "../poker/cards.js";
import {rulesOfHand} from "../poker/ruleset.js";
import {isDealtState} from "../poker/waiting.js";

const HAND_ENDS = new Set(["hand_ended", "hand_void"]);
const HAND_CEASES = new Set(["hand_opened", "game_closed"]);

let lastHand = {game: null, hand: 0, told: null};

/**
 * Tell a hand of a Game.
 *
 * @returns {Promise<{game, origin, hand, rules, opened, entries, openedAt, positions, deckState,
 *   problems, signed, hasJourney}>} `rules` are those of the hand's own level; `entries` those of
 *   the hand as the Game has them, from its `hand_opened` to its end; `opened` the body of the
 *   first. `positions` are the cards that went out, rising: {position, to, seat, board, card, by,
 *   line}, with `card` two characters or null and `by` "opened", "derived", "own" or null: how it
 *   is known. `deckState` is "revealed", "unrevealed", "refused" (the secret gives another deck
 *   than the logged one), "unknown" (the links of a void hand are not all known) or "none".
 *   `problems` are sentences. `hasJourney` tells whether the way of the deck can be asked for.
 *   `signed` whether all entries are covered.
 * @throws {RangeError} where the game has no such hand
 */
export async function tellHand(game, hand) {
  const found = await gatherHand(game, hand);
  const {opened, entries, rules, problems, deckState, derived} = found;
  const last = entries.at(-1);
  return {
    game: game.game,
    origin: game.origin,
    hand,
    rules,
    opened: opened.body,
    openedAt: opened.at,
    entries: entries.map(({index, line, at, kind, body}) => ({index, line, at, kind, body})),
    positions: [...found.cards.values()].map(({salt, proof, ...card}) => card),
    deckState,
    problems,
    signed: last.index < game.covered,
    hasJourney: derived !== null,
  };
}

/**
 * Answer what the page asks of a hand.
 *
 * @param {"card"|"deck"} what see `tellCard` (with `details.position`) and `tellDeck`
 * @throws {RangeError} for a hand, a question or a position that is none
 */
export async function answerOfHand(game, hand, what, details) {
  const found = await gatherHand(game, hand);
  if (what === "card") return tellCard(game, found, details.position);
  if (what === "deck") return tellDeck(game, found);
  throw new RangeError(`nothing is told of a hand's ${what}`);
}

/** All that is known of a hand; kept for the next question, which is mostly of the same one. */
function gatherHand(game, hand) {
  if (lastHand.game !== game || lastHand.hand !== hand) {
    lastHand = {game, hand, told: collectHand(game, hand)};
  }
  return lastHand.told;
}

async function collectHand(game, hand) {
  const {entries} = game;
  const begin = entries.findIndex(({kind, body}) => kind === "hand_opened" && body.hand === hand);
  if (begin < 0) throw new RangeError(`this game has no hand ${hand}`);
  let end = begin + 1;
  while (end < entries.length && !HAND_CEASES.has(entries[end].kind)) {
    end += 1;
    if (HAND_ENDS.has(entries[end - 1].kind)) break;
  }
  const own = entries.slice(begin, end);
  const committed = own.find(({kind}) => kind === "deck_committed") ?? null;
  const voided = own.find(({kind}) => kind === "hand_void") ?? null;
  const found = {
    hand,
    opened: entries[begin],
    entries: own,
    rules: game.rules ? rulesOfHand(game.rules, entries[begin].body) : null,
    committed,
    voided,
    players: new Map(entries[begin].body.seats.map(({seat, player}) => [seat, player])),
    secret: secretOf(entries, voided, hand),
    derived: null,
    deckState: "none",
    problems: [],
    cards: dealtCards(own),
  };
  found.links = linksOf(entries, found);
  await deriveFor(game, found);
  placeOpenings(found);
  await placeOwnOpenings(game, found);
  return found;
}

function secretOf(entries, voided, hand) {
  // A void may keep its secret by an empty one, too.
  if (voided !== null) return voided.body.secret || null;
  const shown = entries.find(({kind, body}) => kind === "secret_revealed" && body.hand === hand);
  return shown?.body.secret ?? null;
}

/** The links that made the deck, or, of a void hand, would have; null where one is not known. */
function linksOf(entries, {opened, committed, voided, players, hand}) {
  const links = new Map();
  const enter = (list) => {
    for (const {seat, link} of list) links.set(seat, link);
  };
  if (committed !== null) {
    enter(committed.body.links);
  } else if (voided !== null) {
    enter(voided.body.links);
    for (const {kind, body} of entries) {
      if (kind !== "anchored" || body.missing_hand !== hand) continue;
      const missed = voided.body.missing.find(({player}) => player === body.player);
      if (missed !== undefined) links.set(missed.seat, body.missing_link);
    }
    const frozen = opened.body.seats.filter(({state, anchor}) => state === "in" && anchor);
    if (frozen.some(({seat}) => !links.has(seat))) return null;
  } else {
    return null;
  }
  const rising = [...links].sort(([one], [other]) => one - other);
  if (rising.some(([seat]) => !players.has(seat))) return null;
  return rising.map(([seat, link]) => ({seat, player: players.get(seat), link}));
}

function beaconOf({rules, committed}) {
  const chain = rules?.beacon?.chain;
  if (chain === undefined) return null;
  const beacon = committed?.body.beacon;
  return beacon === undefined
    ? undefined
    : {chain, round: beacon.round, randomness: beacon.randomness};
}

async function deriveFor(game, found) {
  const {secret, links, committed, opened, hand, problems} = found;
  const beacon = beaconOf(found);
  if (secret === null) {
    found.deckState = committed === null ? "none" : "unrevealed";
    return;
  }
  if (links === null || beacon === undefined) {
    found.deckState = "unknown";
    return;
  }
  const {commitment} = opened.body;
  const {origin} = game;
  try {
    const given = {origin, game: game.game, hand, secret, commitment, links, beacon};
    found.derived = await deriveDeck(given);
  } catch (error) {
    problems.push(`The revealed secret gives no deck: ${error.message}.`);
    found.deckState = "refused";
    return;
  }
  found.deckState = "revealed";
  if (committed === null) return;
  const {mix, root} = found.derived;
  const isSame = toHex(mix) === committed.body.mix && toHex(root) === committed.body.deck_root;
  if (!isSame) {
    problems.push(
      "The revealed secret does not make the deck that was committed to: only cards that the log " +
        "opened are shown.",
    );
    found.deckState = "refused";
    return;
  }
  for (const card of found.cards.values()) {
    card.card = cardText(found.derived.cards[card.position]);
    card.salt = toHex(found.derived.salts[card.position]);
    card.by = "derived";
  }
}

/** The cards that went out, by position in rising order; of a position dealt twice, the first. */
function dealtCards(entries) {
  const cards = new Map();
  for (const {kind, body, index, line} of entries) {
    if (kind !== "dealt") continue;
    for (const {position, to, seat = null, board = null} of body.positions) {
      if (cards.has(position)) continue;
      const known = {card: null, by: null, salt: null, proof: null, openedAt: null};
      cards.set(position, {position, to, seat, board, line, entry: index, ...known});
    }
  }
  return new Map([...cards].sort(([one], [other]) => one - other));
}

function placeOpenings({entries, cards, problems}) {
  for (const {kind, body, index, line} of entries) {
    if (kind !== "opened") continue;
    for (const {position, card, salt} of body.cards) {
      const known = cards.get(position);
      if (known === undefined) {
        problems.push(`Position ${position} was opened without having been dealt.`);
      } else if (known.card !== null && known.card !== card) {
        problems.push(`Position ${position} was opened as ${card}; the deck has ${known.card}.`);
      } else {
        const by = known.by ?? "opened";
        Object.assign(known, {card, salt, by, openedAt: {entry: index, line}});
      }
    }
  }
}

async function placeOwnOpenings(game, {hand, committed, cards, problems}) {
  if (committed === null) return;
  for (const {kind, body, line} of game.extras) {
    if (kind !== "opening" || body.hand !== hand) continue;
    const known = cards.get(body.position);
    const {wrong} = await followOpening(body, committed.body.mix, committed.body.deck_root);
    if (known === undefined || wrong !== null) {
      problems.push(`The opening in line ${line} of the file does not prove its card.`);
    } else {
      const by = known.by ?? "own";
      const proof = body.proof.map(fromHex);
      Object.assign(known, {card: body.card, salt: body.salt, proof, by});
    }
  }
}

/**
 * One card's way from the deck to the dealer's signature.
 *
 * @returns {Promise<any>} {position, to, seat, player, board, card, by, line, openedAt, deckState,
 *   leaf, path, proved, logged, seal}: `leaf` is {mix, number, salt, hash}, null where
 *   the card is not known;
 *   `path` its steps to the root, each {side, sibling, node}, or null where the file does not have
 *   them; `proved` whether they end at the logged root (null where there is nothing to prove);
 *   `logged` the line of `deck_committed`, {root, mix, entry, line}, or null; `seal` see `sealOf`.
 *   Bytes in hex.
 */
async function tellCard(game, found, position) {
  const card = found.cards.get(position);
  if (card === undefined) throw new RangeError(`position ${position} did not go out in this hand`);
  const {proof, salt, ...dealt} = card;
  const {committed, derived, deckState, players} = found;
  const told = {...dealt, player: players.get(card.seat) ?? null, deckState};
  if (committed === null) {
    return {...told, leaf: null, path: null, proved: null, logged: null, seal: null};
  }
  const {deck_root: root, mix} = committed.body;
  const logged = {root, mix, entry: committed.index, line: committed.line};
  const seal = await sealOf(game, found);
  if (card.card === null) return {...told, leaf: null, path: null, proved: null, logged, seal};
  const number = cardNumber(card.card);
  const hash = await sha256(cardLeafInput(fromHex(mix), position, number, fromHex(salt)));
  const leaf = {mix, number, salt, hash: toHex(hash)};
  const way = deckState === "revealed" ? await provePosition(derived, position) : proof;
  if (way === null) return {...told, leaf, path: null, proved: null, logged, seal};
  const {steps, wrong} = await followPath(position, DECK_CARDS, hash, way, fromHex(root));
  return {...told, leaf, path: stepsInHex(steps), proved: wrong === null, logged, seal};
}

/**
 * How the line that fixes the deck is under the dealer's signature, worked out from the lines.
 *
 * @returns {Promise<any>} {leaf, steps, size, root, line, proved, isBeforeCards, key, isTrusted}
 *   or null: the
 *   line's leaf hash, the steps to the root of the first checkpoint that covers it, that
 *   checkpoint's size, root and line of the file, whether the steps end there, whether it covers no
 *   card of the hand, the name and ID of its key, and whether that is the auditor's rather than the
 *   file's own. Null where no checkpoint that holds covers the line.
 */
async function sealOf(game, {committed, entries}) {
  const {index} = committed;
  const checkpoint = game.checkpoints.find(({size, holds}) => holds && size > index);
  if (checkpoint === undefined) return null;
  const {size, root, line} = checkpoint;
  const leaf = game.leaves[index];
  const path = await inclusionPath(game.tree, index, size);
  const {steps, wrong} = await followPath(index, size, leaf, path, fromHex(root));
  const firstDealt = entries.find(({kind}) => kind === "dealt")?.index ?? Infinity;
  return {
    leaf: toHex(leaf),
    steps: stepsInHex(steps),
    size,
    root,
    line,
    proved: wrong === null,
    isBeforeCards: size <= firstDealt,
    key: game.judge.shown,
    isTrusted: game.judge !== game.verifier,
  };
}

/**
 * How the deck came about, from the secret and the links on.
 *
 * @returns null where that is not known, else {secret, commitment, opensCommitment, links, silent,
 *   beacon, mix, loggedMix, seed, root, loggedRoot, fits, cards, draws, steps, places}: `links`
 *   {seat, player, link, anchor, fits} by rising seat; `silent` the players dealt in without a
 *   frozen anchor; `fits` null where no deck was logged; `cards` two characters a position; `draws`
 *   and `steps` as performCeremony gives them; `places` by position {to, seat, player, board} or
 *   null
 */
async function tellDeck(game, found) {
  const {derived, opened, committed, hand, secret, links, players, cards} = found;
  if (derived === null) return null;
  const of = {origin: game.origin, game: game.game};
  const {commitment, seats} = opened.body;
  const dealtIn = seats.filter(({state}) => isDealtState(state));
  const isSilent = ({state, anchor}) => state === "absent" || anchor === undefined;
  const anchors = new Map(dealtIn.map(({seat, anchor}) => [seat, anchor ?? null]));
  const told = await Promise.all(
    links.map(async ({seat, player, link}) => {
      const anchor = anchors.get(seat) ?? null;
      const fits = anchor !== null && toHex(await nextLink(of, player, link)) === anchor;
      return {seat, player, link, anchor, fits};
    }),
  );
  const opens = await commitHand(of, hand, secret);
  const places = Array.from({length: DECK_CARDS}, (_, position) => {
    const card = cards.get(position);
    if (card === undefined) return null;
    const {to, seat, board} = card;
    return {to, seat, player: players.get(seat) ?? null, board};
  });
  return {
    secret,
    commitment,
    opensCommitment: sameBytes(opens, fromHex(commitment)),
    links: told,
    silent: dealtIn.filter(isSilent).map(({player}) => player),
    beacon: beaconOf(found) ?? null,
    mix: toHex(derived.mix),
    loggedMix: committed?.body.mix ?? null,
    seed: toHex(derived.seed),
    root: toHex(derived.root),
    loggedRoot: committed?.body.deck_root ?? null,
    fits: committed === null ? null : found.deckState === "revealed",
    cards: derived.cards.map(cardText),
    draws: derived.draws,
    steps: derived.steps,
    places,
  };
}
