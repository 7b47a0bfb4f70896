/**
 * A dealer as a page sees it: connect, take a seat, hear what happens, act.
 *
 * Links, anchors, reconnecting, following a game into the next one and refusing a dealer that breaks
 * the protocol happen by themselves.
 */

import { Bearer, type TokenSource } from "./bearer.js";
import { fromHex } from "./bytes.js";
import { Caller } from "./calls.js";
import { CallRefused, refusedHere } from "./errors.js";
import { HAND_MS } from "./following.js";
import { GameKept } from "./game_kept.js";
import type { GetTableResponse } from "./generated/cutcard/v1/play_pb.js";
import { IndexedDbKeeping } from "./indexed_db.js";
import { KeepingError, type Keeping } from "./keeping.js";
import { readLine, type RuleSet } from "./lines.js";
import { NoteKey } from "./note.js";
import { ProtocolBreach } from "./refusing.js";
import { Routes, type RouteOptions } from "./routes.js";
import { Seat, Spectator, type SavedFile } from "./seat.js";
import type { SentOf } from "./sent.js";
import { requestId, surroundings, type Surroundings } from "./surroundings.js";
import { numberOf } from "./wire.js";

const REVEAL_POLICY = "all_cards";
const GAME = /^[0-9a-f]{32}$/;

export interface DealerOptions extends RouteOptions {
  /** "https://host:port" of a proxy with gRPC-Web before the dealers, or several: the next is taken where one is gone. */
  readonly address: string | readonly string[];
  readonly token: TokenSource;
  /**
   * The verifier key that the player trusts, from elsewhere than the dealer. Without one the
   * dealer's own word is taken, and kept in the record of each game from then on.
   */
  readonly key?: string;
  /** Where chains and records are kept: the browser's IndexedDB where nothing else is given. */
  readonly keeping?: Keeping;
  readonly surroundings?: Partial<Surroundings>;
}

export interface SeatOptions {
  readonly stack: number;
  /** The seat's number; the lowest free one where none is named. */
  readonly seat?: number;
  /** False: the player adds no randomness of its own. */
  readonly links?: boolean;
  /** The caller's own reference for its wallet; it is not published. */
  readonly reference?: string;
}

export class Dealer {
  readonly #caller: Caller;
  readonly #keeping: Keeping;
  readonly #open = new Set<Seat | Spectator>();
  #key: NoteKey | undefined;

  private constructor(caller: Caller, keeping: Keeping, key: NoteKey | undefined) {
    this.#caller = caller;
    this.#keeping = keeping;
    this.#key = key;
  }

  /** Makes ready; nothing is called yet. TypeError or NoteError for what can not be used. */
  static async connect(options: DealerOptions): Promise<Dealer> {
    const { address, token, key, keeping = new IndexedDbKeeping() } = options;
    const routes = new Routes(typeof address === "string" ? [address] : address, options);
    const bearer = await Bearer.from(token);
    const caller = new Caller(surroundings(options.surroundings), bearer, routes);
    return new Dealer(caller, keeping, key === undefined ? undefined : NoteKey.parse(key));
  }

  /** Whom the token is for. */
  get player(): string {
    return this.#caller.bearer.player;
  }

  /** The verifier key that all checkpoints are held against. */
  async key(): Promise<NoteKey> {
    if (this.#key === undefined) {
      const { key } = await this.#caller.call("", ({ fairness }, how) => fairness.getKey({}, how));
      this.#key = NoteKey.parse(key);
    }
    return this.#key;
  }

  /** A game's rule set (PROTOCOL.md 6.1). */
  async rules(game: string): Promise<RuleSet> {
    const request = { game: checkedGame(game), from: 0n, limit: 1 };
    const { lines } = await this.#caller.call(game, ({ fairness }, how) =>
      fairness.listEntries(request, how),
    );
    const entry = readLine(0, lines[0] ?? new Uint8Array());
    if (entry.kind !== "game_opened") throw new ProtocolBreach("LINE", "line 0 opens no game");
    return entry.body.rules;
  }

  /**
   * Takes a seat at a cash table, or goes on in the one that is kept: a page that was reloaded
   * calls this again. Sitting accepts that every card of every hand can be derived when the game
   * has closed. CallRefused when the dealer refuses, KeepingError when what is kept does not fit.
   */
  async takeSeat(game: string, options: SeatOptions): Promise<Seat> {
    const { links = true } = options;
    const rules = await this.rules(game);
    if (rules.tournament !== undefined) {
      const message = "a tournament gives the seats of its tables, and this client enters none";
      throw refusedHere("TOURNAMENT_TABLE", message, { ...rules.tournament, table: `${rules.tournament.table}` });
    }
    const key = await this.key();
    const kept = await GameKept.open(this.#keeping, key, game, this.player);
    const joined = this.#caller.around.monotonic();
    let table: GetTableResponse;
    try {
      table = await this.#table(game);
      await this.#take(game, kept, table.mySeat, options, links ? rules.max_hands : 0);
    } catch (error) {
      await kept.close();
      throw error;
    }
    const { player } = this;
    const parts = { caller: this.#caller, keeping: this.#keeping, key, player, links };
    const backlog = numberOf(table.size);
    const seat = new Seat(parts, { game, key, player, joined, backlog }, kept);
    this.#open.add(seat);
    return seat;
  }

  /** Watches a game without a seat. */
  async watch(game: string): Promise<Spectator> {
    const key = await this.key();
    const joined = this.#caller.around.monotonic();
    const backlog = numberOf((await this.#table(game)).size);
    const spectator = new Spectator(this.#caller, { game, key, joined, backlog });
    this.#open.add(spectator);
    return spectator;
  }

  /** Whether a seat of a game is kept, in which the player can go on or whose record it has. */
  async saved(game: string): Promise<{ readonly record: SavedFile; readonly evidence?: SavedFile } | undefined> {
    const kept = await this.#keeping.open(checkedGame(game), this.player);
    try {
      const record = kept.lines("record");
      const evidence = kept.lines("evidence");
      const file = (kind: string, lines: readonly string[]): SavedFile => ({
        name: `${game}.${this.player}.${kind}`,
        text: lines.map((line) => `${line}\n`).join(""),
      });
      if (record.length === 0) return undefined;
      return {
        record: file("record", record),
        ...(evidence.length > 0 && { evidence: file("evidence", evidence) }),
      };
    } finally {
      kept.close();
    }
  }

  /** Stops following all games, without leaving any seat. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((one) => one.close()));
  }

  async #table(game: string): Promise<GetTableResponse> {
    return this.#caller.call(checkedGame(game), ({ play }, how) => play.getTable({ game }, how));
  }

  /** Sits down: asked for once, kept first, and asked for again by the same id after a reload. */
  async #take(
    game: string,
    kept: GameKept,
    mySeat: number,
    options: SeatOptions,
    hands: number,
  ): Promise<void> {
    const asked = kept.sent.findLast((one) => one.kind === "seat" || one.kind === "leave");
    const standing = asked?.kind === "seat" ? asked : undefined;
    if (mySeat !== 0) {
      if (standing !== undefined || kept.sent.length > 0) return;
      const message = `the player has seat ${mySeat} already, taken in another browser or program`;
      throw new KeepingError(message);
    }
    if (standing !== undefined) {
      // The answer may be of a seat that was lost since: then it is asked for anew.
      await this.#ask(game, standing);
      if ((await this.#table(game)).mySeat !== 0) return;
    }
    try {
      await this.#ask(game, await this.#fresh(kept, options, hands));
    } catch (error) {
      if (!(error instanceof CallRefused) || error.reason !== "ANCHOR_AFTER_MISS") throw error;
      await this.#ask(game, await this.#fresh(kept, options, 0));
    }
  }

  async #fresh(kept: GameKept, options: SeatOptions, hands: number): Promise<SentOf<"seat">> {
    const { around } = this.#caller;
    const { seat = 0, stack, reference = "" } = options;
    const anchor = hands > 0 ? await kept.newAnchor(around.entropy, hands) : "";
    const asked = { kind: "seat", request_id: requestId(around), seat, stack, anchor, reference } as const;
    await kept.note(asked);
    return asked;
  }

  async #ask(game: string, asked: SentOf<"seat">): Promise<void> {
    const request = {
      requestId: asked.request_id,
      game,
      seat: asked.seat,
      stack: BigInt(asked.stack),
      anchor: fromHex(asked.anchor),
      acceptsReveal: REVEAL_POLICY,
      reference: asked.reference,
    };
    // A house player's seat is taken over when the hand has ended.
    const how = { total: HAND_MS };
    await this.#caller.call(game, ({ play }, at) => play.takeSeat(request, at), how);
  }
}

function checkedGame(game: string): string {
  if (!GAME.test(game)) throw new TypeError("a game is named by 32 lower-case hex digits");
  return game;
}
