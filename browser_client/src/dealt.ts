/**
 * One hand's deck as a client sees it (PROTOCOL.md sections 2 to 4).
 *
 * The mix is worked out again from the logged links, one for each frozen anchor, which each must
 * lead to (MIX); positions go out as section 4 says (POSITION); a card counts only under a proof to
 * the committed root, and no card comes twice (OPENING).
 */

import { findFault, type Network } from "./beacon.js";
import { fromHex, hexOf } from "./bytes.js";
import { isProved, type ShownCard } from "./cards.js";
import { follows, mixOf, type MixedRound } from "./hashing.js";
import { isDealtIn } from "./grammar.js";
import type { Entry, EntryOf } from "./lines.js";
import type { CardOpening, CardProof } from "./message.js";
import { ProtocolBreach, type Reason } from "./refusing.js";

const STREETS = [3, 1, 1];

/** Where a position went: "seat 3", "board 1" or "burn". */
type Where = `seat ${number}` | `board ${number}` | "burn";

/** Which table a hand is of; every seat gets `holeCards`. */
export interface Table {
  readonly origin: string;
  readonly game: Uint8Array;
  readonly holeCards: number;
  readonly beacon: string | undefined;
  readonly networks: readonly Network[];
}

/** What is known of one hand's deck, from its opening on. */
export class HandSeen {
  readonly number: number;
  /** The index of the line that committed the deck. */
  committed: number | undefined;
  readonly #table: Table;
  readonly #commitment: Uint8Array;
  readonly #openedAt: number;
  readonly #players: ReadonlyMap<number, string>;
  readonly #frozen: ReadonlyMap<number, string>;
  readonly #order: readonly number[];
  readonly #wentTo: Where[] = [];
  readonly #cards = new Map<number, string>();
  #deals = 0;
  #sharedStreets: number | undefined;
  #mix: Uint8Array = new Uint8Array();
  #root: Uint8Array = new Uint8Array();

  constructor(table: Table, opened: EntryOf<"hand_opened">) {
    const { body } = opened;
    const dealtIn = body.seats.filter(isDealtIn);
    this.number = body.hand;
    this.#table = table;
    this.#commitment = fromHex(body.commitment);
    this.#openedAt = opened.at;
    this.#players = new Map(dealtIn.map((seat) => [seat.seat, seat.player]));
    this.#frozen = new Map(
      dealtIn.flatMap((seat) =>
        seat.state === "in" && seat.anchor !== undefined ? [[seat.seat, seat.anchor]] : [],
      ),
    );
    const seats = dealtIn.map((seat) => seat.seat);
    this.#order = [
      ...seats.filter((seat) => seat > body.button),
      ...seats.filter((seat) => seat <= body.button),
    ];
  }

  /** Takes `deck_committed`: a link of each frozen anchor, and the mix of exactly those. */
  commit(entry: EntryOf<"deck_committed">): void {
    const { body } = entry;
    const isWhole =
      body.links.length === this.#frozen.size &&
      body.links.every((one) => this.#frozen.has(one.seat));
    if (!isWhole) refuse("MIX", entry, "the links are not one for each frozen anchor");
    const links = body.links.map((one) => ({
      seat: one.seat,
      player: this.#requireFollows(entry, one.seat, one.link),
      link: fromHex(one.link),
    }));
    const { origin, game } = this.#table;
    const mix = mixOf(origin, game, this.number, this.#commitment, links, this.#beacon(entry));
    if (hexOf(mix) !== body.mix) {
      refuse("MIX", entry, `the mix of the logged links is ${hexOf(mix)}`);
    }
    this.#mix = mix;
    this.#root = fromHex(body.deck_root);
    this.committed = entry.index;
  }

  /** Takes `hand_void`: the links that came must lead to their frozen anchors, too. */
  void(entry: EntryOf<"hand_void">): void {
    for (const one of entry.body.links) this.#requireFollows(entry, one.seat, one.link);
  }

  /** Takes `dealt`: the next positions, to where section 4 sends them. */
  deal(entry: EntryOf<"dealt">): void {
    const expected = this.#nextDeal();
    if (expected === undefined) {
      refuse("POSITION", entry, "the river is dealt, and no position is left to deal");
    }
    this.#deals += 1;
    const first = this.#wentTo.length;
    const { positions } = entry.body;
    if (positions.some((one, index) => one.position !== first + index)) {
      refuse("POSITION", entry, `position ${first} is next, and those behind it`);
    }
    const going = positions.map((one): Where => {
      if (one.to === "burn") return "burn";
      return one.to === "seat" ? `seat ${one.seat ?? 0}` : `board ${one.board ?? 0}`;
    });
    if (going.join() !== expected.join()) {
      refuse("POSITION", entry, `it deals to ${going.join(", ")}, not ${expected.join(", ")}`);
    }
    this.#wentTo.push(...going);
  }

  /** Takes `runs_agreed`: the streets still to come are dealt to two boards. */
  runTwice(entry: EntryOf<"runs_agreed">): void {
    const streets = this.#deals - 1;
    if (this.#sharedStreets !== undefined || streets < 0 || streets >= STREETS.length) {
      refuse("POSITION", entry, "there is no rest of a board to deal twice");
    }
    this.#sharedStreets = streets;
  }

  /** The positions that went to a seat. */
  positionsOf(seat: number): number[] {
    return [...this.#wentTo.keys()].filter((position) => this.#wentTo[position] === `seat ${seat}`);
  }

  /** Whether this client has seen the card at a position. */
  isOpen(position: number): boolean {
    return this.#cards.has(position);
  }

  /** Takes `opened`: each card was dealt there, and its proof came beside the line. */
  openLogged(entry: EntryOf<"opened">, proofs: readonly CardProof[]): void {
    const { seat, board, cards } = entry.body;
    const where: Where = seat === undefined ? `board ${board ?? 0}` : `seat ${seat}`;
    for (const { position, card, salt } of cards) {
      const found = proofs.findLast(
        (one) => one.hand === this.number && one.position === position,
      );
      if (found === undefined) {
        refuse("OPENING", entry, `the proof of position ${position} did not come`);
      }
      this.#open({ position, card, salt: fromHex(salt), proof: found.proof }, where);
    }
  }

  /** Takes an opening that was sent to the player alone, of a card that was dealt to its seat. */
  openOwn(opening: CardOpening, seat: number): void {
    this.#open(opening, `seat ${seat}`);
  }

  #open(shown: ShownCard, where: Where): void {
    const told = `hand ${this.number}, position ${shown.position}`;
    if (this.#wentTo[shown.position] !== where) {
      const detail = `${told}: opened as of ${where}, to which it was not dealt`;
      throw new ProtocolBreach("POSITION", detail);
    }
    if (!isProved(this.#root, this.#mix, shown)) {
      const detail = `${told}: the opening does not prove its card under the deck's root`;
      throw new ProtocolBreach("OPENING", detail);
    }
    for (const [position, card] of this.#cards) {
      if (card === shown.card && position !== shown.position) {
        const detail = `${told}: its card was opened at position ${position} before`;
        throw new ProtocolBreach("OPENING", detail);
      }
    }
    this.#cards.set(shown.position, shown.card);
  }

  #nextDeal(): Where[] | undefined {
    if (this.#deals === 0) {
      const round = this.#order.map((seat): Where => `seat ${seat}`);
      return Array.from({ length: this.#table.holeCards }, () => round).flat();
    }
    let street = this.#deals - 1;
    let board = 1;
    if (street >= STREETS.length) {
      if (this.#sharedStreets === undefined) return undefined;
      street = street - STREETS.length + this.#sharedStreets;
      board = 2;
    }
    const cards = STREETS[street];
    if (cards === undefined) return undefined;
    return ["burn", ...Array.from({ length: cards }, (): Where => `board ${board}`)];
  }

  #requireFollows(entry: Entry, seat: number, link: string): string {
    const { origin, game } = this.#table;
    const anchor = this.#frozen.get(seat);
    const player = this.#players.get(seat);
    const isIts =
      anchor !== undefined &&
      player !== undefined &&
      follows({ origin, game, player }, fromHex(link), fromHex(anchor));
    if (!isIts) refuse("MIX", entry, `the link of seat ${seat} does not lead to its anchor`);
    return player;
  }

  #beacon(entry: EntryOf<"deck_committed">): MixedRound | undefined {
    const logged = entry.body.beacon;
    const { beacon, networks } = this.#table;
    if ((logged === undefined) !== (beacon === undefined)) {
      refuse("MIX", entry, "a beacon is mixed in exactly where the rules name one");
    }
    if (logged === undefined || beacon === undefined) return undefined;
    const fault = findFault(beacon, networks, this.#openedAt, logged);
    if (fault !== undefined) refuse("MIX", entry, fault);
    return {
      chain: fromHex(beacon),
      round: logged.round,
      randomness: fromHex(logged.randomness),
    };
  }
}

function refuse(reason: Reason, entry: Entry, why: string): never {
  throw new ProtocolBreach(reason, `line ${entry.index} (${entry.kind}): ${why}`);
}
