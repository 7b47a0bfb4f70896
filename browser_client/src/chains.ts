/**
 * A player's chains for one game (PROTOCOL.md section 2).
 *
 * One chain begins with 32 fresh bytes; its last value is the anchor, and each hand is given the
 * value before the one that stands. Which value goes to which hand is kept before the value leaves,
 * so that a page that was reloaded gives the same link again, never two for one hand, and never one
 * that has left already for another hand.
 *
 * Nothing here writes: each change comes as the line that is to be durable first, and `take` then
 * makes it stand.
 */

import { fromHex, hexOf } from "./bytes.js";
import { encode } from "./canonical.js";
import { chainOf, LINK_BYTES, type Place } from "./hashing.js";
import { KeepingError } from "./keeping.js";
import { BYTES16, BYTES32, COUNT, AMOUNT, integer, object, PLAIN, PLAYER, words } from "./shapes.js";

const FORMAT = "cutcard-chain/1";
/** 20,000 hands; a game that goes on gets another chain. */
const MAX_LENGTH = 20_001;

const HEADER = object({ format: words(FORMAT), game: BYTES16, origin: PLAIN, player: PLAYER });
const CHAIN = object({ chain: object({ length: integer(2, MAX_LENGTH), seed: BYTES32 }) });
const LINK = object({ link: object({ chain: AMOUNT, hand: COUNT, index: AMOUNT }) });

export type Entropy = (count: number) => Uint8Array;

/** Why there is no link for a hand. */
export type NoLink = "unknown_anchor" | "exhausted" | "spent";

/** A link for a hand: to be kept by `line` (undefined: it is), and then taken. */
export interface FoundLink {
  readonly value: string;
  readonly line: string | undefined;
}

export class Chains {
  readonly #place: Place;
  readonly #chains: Uint8Array[][] = [];
  readonly #where = new Map<string, { readonly chain: number; readonly index: number }>();
  readonly #given = new Map<number, string>();
  readonly #header: string;
  readonly isNew: boolean;

  /** Reads what was kept; KeepingError for what is not of this player and game. */
  constructor(origin: string, game: string, player: string, lines: readonly string[]) {
    this.#place = { origin, game: fromHex(game), player };
    this.#header = encode({ format: FORMAT, game, origin, player });
    this.isNew = lines.length === 0;
    try {
      lines.forEach((line, index) => {
        if (index === 0) this.#readHeader(line);
        else this.take(line);
      });
    } catch {
      throw new KeepingError("the chain that is kept is damaged, or not this player's");
    }
  }

  /** The line that stands first. */
  get header(): string {
    return this.#header;
  }

  /** Draws a chain for so many hands: the line that keeps it, and its anchor. */
  draw(entropy: Entropy, hands: number): { readonly line: string; readonly anchor: string } {
    const length = Math.min(Math.max(hands, 1) + 1, MAX_LENGTH);
    const seed = entropy(LINK_BYTES);
    const isFresh = seed.length === LINK_BYTES && seed.some((byte) => byte !== seed[0]);
    if (!isFresh || this.#where.has(hexOf(seed))) {
      throw new KeepingError("the random source gave no 32 fresh bytes; no chain is begun with it");
    }
    const anchor = chainOf(this.#place, seed, length).at(-1) ?? seed;
    return { line: encode({ chain: { length, seed: hexOf(seed) } }), anchor: hexOf(anchor) };
  }

  /** Finds the link for a hand that froze `anchor`; again the same for a hand that had one. */
  find(hand: number, anchor: string): FoundLink | NoLink {
    const place = this.#where.get(anchor);
    if (place === undefined) return "unknown_anchor";
    const before = this.before(anchor);
    if (before === undefined) return "exhausted";
    const given = this.#given.get(hand);
    if (given !== undefined) return given === before ? { value: before, line: undefined } : "spent";
    if ([...this.#given.values()].includes(before)) return "spent";
    const line = encode({ link: { chain: place.chain, hand, index: place.index - 1 } });
    return { value: before, line };
  }

  /** Whether a link was kept for a hand. */
  hasGiven(hand: number): boolean {
    return this.#given.has(hand);
  }

  /** The value before an anchor; undefined where there is none. */
  before(anchor: string): string | undefined {
    const place = this.#where.get(anchor);
    if (place === undefined || place.index === 0) return undefined;
    const value = this.#chains[place.chain]?.[place.index - 1];
    return value === undefined ? undefined : hexOf(value);
  }

  /** How many hands an anchor can still serve; 0 for one that is none of these. */
  left(anchor: string): number {
    return this.#where.get(anchor)?.index ?? 0;
  }

  /** Makes a line that is durable stand. */
  take(line: string): void {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && "chain" in value) {
      const { length, seed } = CHAIN(value, "chain").chain;
      const values = chainOf(this.#place, fromHex(seed), length);
      const chain = this.#chains.push(values) - 1;
      values.forEach((one, index) => this.#where.set(hexOf(one), { chain, index }));
    } else {
      const { link } = LINK(value, "link");
      const { chain, hand, index } = link;
      const given = this.#chains[chain]?.[index];
      if (given === undefined) throw new KeepingError("a link is of no chain that is kept");
      this.#given.set(hand, hexOf(given));
    }
  }

  #readHeader(line: string): void {
    HEADER(JSON.parse(line), "header");
    if (line !== this.#header) throw new KeepingError("the chain is of another player or game");
  }
}
