/**
 * From a hand's secret and mix to its deck, salts, leaves and root (PROTOCOL.md 3), and how it got
 * there: every drawn byte, every swap, every cut.
 *
 * All bytes come from WebCrypto: HKDF gives the seeds, AES-256-CTR the stream, which is what one
 * Generate of NIST SP 800-90A Rev. 1 CTR_DRBG gives. Cards are numbers 0 to 51: 4 x rank + suit.
 */

import {DECK_CARDS} from "../poker/cards.js";
import {fromHex, framedBytes, joinBytes, utf8Bytes} from "./bytes.js";
import {sha256All} from "./hashing.js";
import {inclusionPath, rootAt, treeOf} from "./merkle.js";
import {mixHand} from "./mixing.js";

const SALT_BYTES = 16;
const STREAM_BYTES = 1024;
const DRBG_SEED_BYTES = 48;
const DRBG_KEY_BYTES = 32;
const BLOCK_BYTES = 16;
/** `F(u8(n))` of each position and card. */
const FRAMED_BYTES = Object.freeze(
  Array.from({length: DECK_CARDS}, (_, number) => framedBytes(Uint8Array.of(number))),
);

/** A deck that needs more bytes than its stream has: there is none, and never a second stream. */
export class NoDeckError extends Error {}

/**
 * Derives a whole deck.
 *
 * @param {{origin: string, game: string, hand: number, secret: string, commitment: string,
 *   links: {seat: number, player: string, link: string}[],
 *   beacon: {chain: string, round: number, randomness: string} | null}} given as the log has them,
 *   bytes in hex; `chain` is the one that the rules name
 * @returns `mix` (32 bytes) and all that `deriveFromMix` gives
 * @throws {NoDeckError} in the case that PROTOCOL.md 3.2 calls an error
 */
export async function deriveDeck({origin, game, hand, secret, commitment, links, beacon}) {
  const mix = await mixHand({origin, game, hand, commitment, links, beacon});
  return {mix, ...(await deriveFromMix(fromHex(secret), mix))};
}

/**
 * Derives the deck of a secret and a mix, 32 bytes each.
 *
 * @returns {Promise<any>} {seed, draws, steps, cards, salts, leaves, tree, root}: `seed` 48 bytes,
 *   `cards` 52 numbers from the top, `salts` and `leaves` 16 and 32 bytes for each position,
 *   `root` 32 bytes; `draws` and `steps` as `performCeremony` gives them
 * @throws {NoDeckError}
 */
export async function deriveFromMix(secret, mix) {
  const ikm = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const labels = ["deck", "salts"];
  const seeds = await Promise.all(labels.map((label) => deriveSeed(ikm, mix, label)));
  const [deckStream, saltStream] = await Promise.all(seeds.map(streamOf));
  const ceremony = performCeremony(deckStream);
  const salts = ceremony.cards.map((_, position) => saltAt(saltStream, position));
  const leaves = await sha256All(cardLeafInputs(mix, ceremony.cards, salts));
  const tree = await treeOf(leaves);
  return {seed: seeds[0], ...ceremony, salts, leaves, tree, root: await rootAt(tree)};
}

function saltAt(stream, position) {
  return stream.subarray(SALT_BYTES * position, SALT_BYTES * (position + 1));
}

/** The inclusion path of a position of a derived deck: hashes of 32 bytes, leaf to root. */
export function provePosition(derived, position) {
  return inclusionPath(derived.tree, position);
}

/** The bytes whose hash is `card_leaf` of a position (PROTOCOL.md 3.5). */
export function cardLeafInput(mix, position, card, salt) {
  return leafInputBehind(cardLeafHead(mix), position, card, salt);
}

/** Those of all positions of a deck. */
function cardLeafInputs(mix, cards, salts) {
  const head = cardLeafHead(mix);
  return cards.map((card, position) => leafInputBehind(head, position, card, salts[position]));
}

function cardLeafHead(mix) {
  return joinBytes(Uint8Array.of(0), framedLabel("card"), framedBytes(mix));
}

function leafInputBehind(head, position, card, salt) {
  return joinBytes(head, FRAMED_BYTES[position], FRAMED_BYTES[card], framedBytes(salt));
}

function framedLabel(label) {
  return framedBytes(utf8Bytes(`cutcard/v1/${label}`));
}

/** The seed of a stream: HKDF(hand_secret, mix, F("cutcard/v1/" + label), 48). */
async function deriveSeed(ikm, mix, label) {
  const how = {name: "HKDF", hash: "SHA-256", salt: mix, info: framedLabel(label)};
  return new Uint8Array(await crypto.subtle.deriveBits(how, ikm, 8 * DRBG_SEED_BYTES));
}

/** One Generate of the DRBG instantiated with a seed (SP 800-90A 10.2.1.3.1 and 10.2.1.5.1). */
async function streamOf(seed) {
  const first = await firstBlocks();
  const state = seed.map((byte, at) => byte ^ first[at]);
  const key = state.subarray(0, DRBG_KEY_BYTES);
  return keyStreamBehind(key, state.subarray(DRBG_KEY_BYTES), STREAM_BYTES);
}

let firstBlocksPromise = null;

/** The AES blocks of the counters 1, 2, 3 under the all-zero key: the same for every seed. */
function firstBlocks() {
  const [key, block] = [new Uint8Array(DRBG_KEY_BYTES), new Uint8Array(BLOCK_BYTES)];
  firstBlocksPromise ??= keyStreamBehind(key, block, DRBG_SEED_BYTES);
  return firstBlocksPromise;
}

/** The AES-256-CTR key stream from the counter behind a block on; all bits of a counter count. */
async function keyStreamBehind(key, block, length) {
  const imported = await crypto.subtle.importKey("raw", key, "AES-CTR", false, ["encrypt"]);
  const how = {name: "AES-CTR", counter: incremented(block), length: 8 * BLOCK_BYTES};
  return new Uint8Array(await crypto.subtle.encrypt(how, imported, new Uint8Array(length)));
}

/** A block plus one, modulo 2^128. */
function incremented(block) {
  const next = Uint8Array.from(block);
  let at = next.length - 1;
  while (at >= 0 && next[at] === 255) {
    next[at] = 0;
    at -= 1;
  }
  if (at >= 0) {
    next[at] += 1;
  }
  return next;
}

/**
 * Shuffle, cut, shuffle, cut in thirds, shuffle (PROTOCOL.md 3.2 to 3.4) by the bytes of a stream.
 *
 * @param {Uint8Array} stream
 * @returns {any} {draws, steps, cards}: `draws` is each number drawn, {at, n, limit, dropped, byte,
 *   value} (`at` the place of its first byte, `dropped` the bytes from `limit` on that were passed
 *   over); `steps` the five acts, each {act, before, after} and, for a "shuffle", `swaps`: {i, j,
 *   draw}; for the "cut" `c` and `draw`; for the "thirds" `a`, `b`, `c` (how many cards), `restack`
 *   ("BCA" or "CAB") and `draws`. A `draw` is the index in `draws`. `cards` is the deck.
 * @throws {NoDeckError}
 */
function performCeremony(stream) {
  const draws = [];
  const draw = (n) => {
    const before = draws.at(-1);
    const at = before === undefined ? 0 : before.at + before.dropped.length + 1;
    draws.push(drawBelow(n, stream, at));
    return draws.at(-1).value;
  };
  const steps = [];
  let deck = Array.from({length: DECK_CARDS}, (_, card) => card);
  const perform = (act) => {
    const step = act(deck, draw, draws);
    steps.push({...step, before: deck});
    deck = step.after;
  };
  perform(shuffleDeck);
  perform(cutDeck);
  perform(shuffleDeck);
  perform(restackThirds);
  perform(shuffleDeck);
  return {draws, steps, cards: deck};
}

/** `below(n)`: the next byte that is below the greatest multiple of n, modulo n. */
function drawBelow(n, stream, at) {
  const limit = 256 - (256 % n);
  const dropped = [];
  while (stream[at + dropped.length] >= limit) {
    dropped.push(stream[at + dropped.length]);
  }
  const byte = stream[at + dropped.length];
  if (byte === undefined) {
    throw new NoDeckError(`the deck needs more than the ${stream.length} bytes of its stream`);
  }
  return {at, n, limit, dropped, byte, value: byte % n};
}

function shuffleDeck(before, draw, draws) {
  const after = [...before];
  const swaps = [];
  for (let i = DECK_CARDS - 1; i > 0; i -= 1) {
    const j = draw(i + 1);
    [after[i], after[j]] = [after[j], after[i]];
    swaps.push({i, j, draw: draws.length - 1});
  }
  return {act: "shuffle", after, swaps};
}

function cutDeck(before, draw, draws) {
  const c = 20 + draw(13);
  const after = [...before.slice(c), ...before.slice(0, c)];
  return {act: "cut", after, c, draw: draws.length - 1};
}

function restackThirds(before, draw, draws) {
  const a = 15 + draw(5);
  const b = 15 + draw(5);
  const restack = draw(2) === 0 ? "BCA" : "CAB";
  const part = {A: before.slice(0, a), B: before.slice(a, a + b), C: before.slice(a + b)};
  const after = [...restack].flatMap((letter) => part[letter]);
  const c = DECK_CARDS - a - b;
  const first = draws.length - 3;
  return {act: "thirds", after, a, b, c, restack, draws: [first, first + 1, first + 2]};
}
