/**
 * Folds one game's watch stream and says what happened, or why to leave (PROTOCOL.md section 11).
 *
 * Pure: messages, times and what the client itself sent come in, and what they prove comes out; no
 * clock, no network, no storage. These rules are here:
 *
 * - a first card is dealt only behind a checkpoint that covers the deck (DEALT_EARLY);
 * - the player's own cards are opened to it within five seconds (OPENING);
 * - a link is due only under a checkpoint that ends with the opening, which froze the anchor.
 *
 * `signed_lines`, `lines`, `grammar`, `dealt` and `own` hold the others. A refusal is final:
 * whatever comes later is answered by the same one.
 */

import { QUICKNET, type Network } from "./beacon.js";
import { fromHex } from "./bytes.js";
import { HandSeen, type Table } from "./dealt.js";
import { Due } from "./due.js";
import { Grammar } from "./grammar.js";
import { readLine, type Entry, type EntryOf } from "./lines.js";
import type { CardOpening, Decision, Message } from "./message.js";
import { Own, type Missed } from "./own.js";
import { ProtocolBreach, type Refused } from "./refusing.js";
import type { Sent } from "./sent.js";
import { SignedLines, type Joined } from "./signed_lines.js";

const REMEMBERED_HANDS = 8;
const HOLDEM_CARDS = 2;

/** The game that this one must say it goes on from: its id, and its log at its close. */
export interface GameBefore {
  readonly game: string;
  readonly size: number;
  readonly root: string;
}

/** What is watched, and for whom; without a player for a mere watcher. */
export interface Watched extends Joined {
  readonly player?: string;
  readonly before?: GameBefore;
}

/**
 * The dealer may have the player's link for a hand, under the checkpoint that froze the anchor.
 * `dated` is the opening's time where that has to be now: rules name a beacon.
 */
export interface LinkDue {
  readonly hand: number;
  readonly anchor: string;
  readonly checkpoint: string;
  readonly dated: number | undefined;
}

/** What a message proved: new entries in order, own cards, a checkpoint to keep, the turn. */
export interface Progress {
  readonly type: "progress";
  readonly entries: readonly Entry[];
  readonly openings: readonly CardOpening[];
  /** A checkpoint that covers a hand's deck and none of its cards. */
  readonly kept: string | undefined;
  readonly decision: Decision | undefined;
}

export class Verifier {
  readonly #watched: Watched;
  readonly #networks: readonly Network[];
  readonly #log: SignedLines;
  readonly #grammar = new Grammar();
  readonly own: Own | undefined;
  #table: Table | undefined;
  #hand: HandSeen | undefined;
  /** Hands that dealt the player in, with its seat there, by number. */
  readonly #past = new Map<number, { readonly hand: HandSeen; readonly seat: number }>();
  #opened = { index: -1, at: 0 };
  #frozen: string | undefined;
  #cardsDue: Due | undefined;
  #interrupted = false;
  #begunAt = 0;
  #refused: Refused | undefined;

  constructor(watched: Watched, sent: Iterable<Sent> = [], networks: readonly Network[] = [QUICKNET]) {
    this.#watched = watched;
    this.#networks = networks;
    this.#log = new SignedLines(watched);
    this.own = watched.player === undefined ? undefined : new Own(watched.player);
    for (const one of sent) this.note(one);
  }

  get size(): number {
    return this.#log.size;
  }

  get covered(): number {
    return this.#log.covered;
  }

  get caughtUp(): boolean {
    return this.#log.caughtUp;
  }

  /** Whether what was signed before, if anything, is of the lines received. */
  get isHeld(): boolean {
    return this.#log.isHeld;
  }

  /** Whether the game is closed and revealed, and all of it under a checkpoint. */
  get finished(): boolean {
    return this.#grammar.finished && this.covered === this.size;
  }

  get missed(): readonly Missed[] {
    return this.own?.missed ?? [];
  }

  /** The number of the last hand that opened. */
  get hand(): number {
    return this.#grammar.hand;
  }

  root(size: number): string {
    return this.#log.root(size);
  }

  /** The link that may be given now: under a checkpoint that ends with the opening. */
  get linkDue(): LinkDue | undefined {
    const checkpoint = this.#log.checkpointOf(this.#opened.index + 1);
    const isOpen = this.#grammar.phase === "opened" && this.caughtUp;
    const anchor = this.#frozen;
    if (this.#refused || !isOpen || checkpoint === undefined || anchor === undefined) return undefined;
    const dated = this.#table?.beacon === undefined ? undefined : this.#opened.at;
    return { hand: this.hand, anchor, checkpoint, dated };
  }

  /** Learns what the client is about to send; before it is sent. */
  note(sent: Sent): void {
    this.own?.note(sent);
  }

  /** Takes one message at the client's monotonic time, in milliseconds. */
  receive(message: Message, now: number): Progress | Refused {
    if (this.#refused !== undefined) return this.#refused;
    try {
      const entries: Entry[] = [];
      for (const line of this.#log.receive(message)) {
        entries.push(this.#takeLine(line, now, message));
      }
      const kept = this.#takeCheckpoint(message.checkpoint);
      const openings = message.openings.filter((one) => this.#takeOpening(one));
      return { type: "progress", entries, openings, kept, decision: message.decision };
    } catch (error) {
      if (error instanceof ProtocolBreach) return this.refuse(error, message);
      throw error;
    }
  }

  /**
   * Learns the size of the log when the stream had begun: hands that had ended by then come without
   * the player's cards. A log that is shorter than what was signed before is refused.
   */
  began(size: number): void {
    this.#begunAt = size;
    try {
      this.#log.requireSigned(size);
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      this.refuse(error);
    }
  }

  /**
   * Learns that the stream broke and begins anew, where the log has `size` lines now. What streams
   * enough have ended without is refused: see `overdue`.
   */
  interrupted(now: number, size: number): void {
    this.#interrupted = true;
    try {
      this.#log.interrupted(now, size);
      this.#cardsDue = this.#cardsDue?.again(now);
      if (this.#cardsDue?.isWithheld(now, this.#log.streams) === true) this.#refuseMissingCards();
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      this.refuse(error);
    }
  }

  /** The monotonic time at which something is overdue if nothing comes; undefined for never. */
  get deadline(): number | undefined {
    const dues = [this.#log.deadline, this.#cardsDue?.deadline].filter((one) => one !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Says what should have come by `now`, or over the streams that broke, and did not. */
  overdue(now: number): Refused | undefined {
    if (this.#refused !== undefined) return this.#refused;
    try {
      this.#log.requireCovered(now);
      if (this.#cardsDue !== undefined && now > this.#cardsDue.deadline) this.#refuseMissingCards();
      return undefined;
    } catch (error) {
      if (error instanceof ProtocolBreach) return this.refuse(error);
      throw error;
    }
  }

  /** Refuses the game for a breach that was found in what was received. */
  refuse(breach: ProtocolBreach, message?: Message): Refused {
    this.#refused = this.#log.refuse(breach, message);
    return this.#refused;
  }

  #takeLine(line: Uint8Array, now: number, message: Message): Entry {
    const entry = readLine(this.size, line);
    this.#log.checkTime(entry, now);
    this.#grammar.accept(entry);
    this.#followDeck(entry, message);
    this.own?.accept(entry);
    this.#followOwnCards(entry, now);
    this.#log.add(line, now);
    return entry;
  }

  #followDeck(entry: Entry, message: Message): void {
    switch (entry.kind) {
      case "game_opened":
        this.#openGame(entry);
        break;
      case "hand_opened":
        this.#openHand(entry);
        break;
      case "deck_committed":
        this.#hand?.commit(entry);
        break;
      case "hand_void":
        this.#hand?.void(entry);
        break;
      case "dealt":
        this.#requireCoveredDeck(entry);
        this.#hand?.deal(entry);
        break;
      case "runs_agreed":
        this.#hand?.runTwice(entry);
        break;
      case "opened":
        this.#hand?.openLogged(entry, message.proofs);
        break;
      default:
        break;
    }
  }

  #openGame(entry: EntryOf<"game_opened">): void {
    const { origin, game, rules, previous } = entry.body;
    const { key, before } = this.#watched;
    if (origin !== key.name || game !== this.#watched.game) {
      const detail = `line ${entry.index} opens the game ${game} of ${origin}`;
      throw new ProtocolBreach("LINE", detail);
    }
    const isAfter =
      before === undefined ||
      (previous?.game === before.game &&
        previous.size === before.size &&
        previous.root === before.root);
    if (!isAfter) {
      const detail = `the game does not go on from ${before.game} as its lines stood`;
      throw new ProtocolBreach("ROOT", detail);
    }
    this.#table = {
      origin,
      game: fromHex(game),
      holeCards: rules.hole_cards ?? HOLDEM_CARDS,
      beacon: rules.beacon?.chain,
      networks: this.#networks,
    };
  }

  #openHand(entry: EntryOf<"hand_opened">): void {
    // The grammar lets no hand open before the game.
    if (this.#table === undefined) throw new ProtocolBreach("LINE", "a hand opens before its game");
    this.#hand = new HandSeen(this.#table, entry);
    this.#opened = { index: entry.index, at: entry.at };
    const mine = entry.body.seats.find((seat) => seat.player === this.#watched.player);
    this.#frozen = mine?.state === "in" ? mine.anchor : undefined;
    this.#log.keepLastNote();
  }

  #requireCoveredDeck(entry: Entry): void {
    const committed = this.#hand?.committed;
    if (committed === undefined || this.covered <= committed) {
      const detail = `line ${entry.index} deals before a checkpoint covered the hand's deck`;
      throw new ProtocolBreach("DEALT_EARLY", detail);
    }
  }

  #followOwnCards(entry: Entry, now: number): void {
    const hand = this.#hand;
    const seat = this.own?.handSeat;
    if (hand === undefined) return;
    if (entry.kind === "dealt" && seat !== undefined && !this.#past.has(hand.number)) {
      this.#past.set(hand.number, { hand, seat });
      this.#cardsDue = Due.fromNow(now, this.#log.streams);
      this.#interrupted = this.#log.isOld(entry.index) || entry.index < this.#begunAt;
      for (const number of this.#past.keys()) {
        if (number <= hand.number - REMEMBERED_HANDS) this.#past.delete(number);
      }
    } else if (entry.kind === "hand_ended" || entry.kind === "hand_void") {
      if (this.#cardsDue !== undefined && !this.#interrupted) this.#refuseMissingCards();
      this.#cardsDue = undefined;
      this.#hand = undefined;
    }
  }

  #refuseMissingCards(): never {
    const detail = `the openings of the player's cards of hand ${this.hand} did not come`;
    throw new ProtocolBreach("OPENING", detail);
  }

  /** Checks one of the player's own openings; false for one that it had, or that is long past. */
  #takeOpening(opening: CardOpening): boolean {
    const known = this.#past.get(opening.hand);
    if (known === undefined) {
      if (opening.hand > 0 && opening.hand < this.hand) return false;
      const detail = `a card of hand ${opening.hand} came, which was not dealt to the player`;
      throw new ProtocolBreach("POSITION", detail);
    }
    const { hand, seat } = known;
    const had = hand.isOpen(opening.position);
    hand.openOwn(opening, seat);
    if (hand === this.#hand && hand.positionsOf(seat).every((one) => hand.isOpen(one))) {
      this.#cardsDue = undefined;
    }
    return !had;
  }

  #takeCheckpoint(note: string): string | undefined {
    if (note === "") return undefined;
    const size = this.#log.cover(note);
    if (this.finished) this.#log.requireSigned(size);
    const committed = this.#hand?.committed;
    const isOfDeck =
      this.#grammar.phase === "posting" && committed !== undefined && size > committed;
    return isOfDeck ? note : undefined;
  }
}
