/**
 * A seat, and a place to watch from: async iterators of what happens, and what a player may do.
 *
 * A seat lasts through all games that go on from one another. Each change is durable before it is
 * sent, and after a refusal nothing is sent any more.
 */

import { Acting } from "./acting.js";
import type { Caller } from "./calls.js";
import { CallRefused } from "./errors.js";
import type { Event } from "./events.js";
import { Following, HAND_MS, type Successor } from "./following.js";
import { GameKept } from "./game_kept.js";
import type { Keeping } from "./keeping.js";
import type { Decision } from "./message.js";
import type { NoteKey } from "./note.js";
import { Queue } from "./queue.js";
import { evidenceText, type Refused } from "./refusing.js";
import type { Choice, PreAct } from "./sent.js";
import { requestId } from "./surroundings.js";
import type { Watched } from "./verifier.js";
import type { TableView } from "./view.js";
import { numberOf } from "./wire.js";

/** A file for a person to keep. */
export interface SavedFile {
  readonly name: string;
  readonly text: string;
}

/** A game watched without a seat. */
export class Spectator implements AsyncIterable<Event> {
  readonly #events = new Queue<Event>();
  readonly #following: Following;
  readonly #running: Promise<void>;
  readonly #key: NoteKey;

  /** @internal */
  constructor(caller: Caller, watched: Watched) {
    this.#key = watched.key;
    const tell = (event: Event): void => {
      this.#events.put(event);
    };
    this.#following = new Following(caller, watched, { tell, links: false });
    this.#running = this.#following.run().then(
      () => {
        this.#events.end();
      },
      (error: unknown) => {
        this.#events.end(error);
      },
    );
  }

  get table(): TableView {
    return this.#following.viewer.table();
  }

  get refused(): Refused | undefined {
    return this.#following.refused;
  }

  /** What a refusal rests on, as a file to be kept. */
  evidence(): SavedFile | undefined {
    const { refused } = this;
    if (refused === undefined) return undefined;
    return { name: `${refused.game}.evidence`, text: evidenceText(refused, this.#key.text, "") };
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    return this.#events;
  }

  /** Stops watching. */
  async close(): Promise<void> {
    await this.#following.stop();
    await this.#running;
  }
}

/** With what a seat is made. */
export interface SeatParts {
  readonly caller: Caller;
  readonly keeping: Keeping;
  readonly key: NoteKey;
  readonly player: string;
  readonly links: boolean;
}

/**
 * A seat: `for await (const event of seat)` tells what happens, until the player has left, the last
 * game is revealed, or a game was refused (the last event is then of the type `refused`).
 */
export class Seat implements AsyncIterable<Event> {
  readonly player: string;
  readonly #parts: SeatParts;
  readonly #acting: Acting;
  readonly #events = new Queue<Event>();
  readonly #games = new Map<string, Following>();
  readonly #running: Promise<void>;
  #current: Following;
  #isClosed = false;

  /** @internal */
  constructor(parts: SeatParts, watched: Watched, kept: GameKept) {
    this.player = parts.player;
    this.#parts = parts;
    this.#acting = new Acting(parts.caller, () => this.#current);
    this.#current = this.#follow(watched, kept);
    this.#running = this.#run();
  }

  /** The game that is played now. */
  get game(): string {
    return this.#current.game;
  }

  /** All games that were played in this seat, in their order. */
  get games(): readonly string[] {
    return [...this.#games.keys()];
  }

  /** The seat's number; 0 before it is in the log and after it was left. */
  get number(): number {
    return this.#current.own?.seat ?? 0;
  }

  /** The table as it stands. */
  get table(): TableView {
    return this.#current.viewer.table();
  }

  /** The player's own turn, where it is. */
  get turn(): Decision | undefined {
    const { decision } = this.#current.viewer;
    return decision?.seat === this.number ? decision : undefined;
  }

  /** Why a game was refused, if one was. */
  get refused(): Refused | undefined {
    return [...this.#games.values()].find((one) => one.refused !== undefined)?.refused;
  }

  /**
   * The player's record of a game, for `cutcard-audit verify GAME --mine RECORD`. It is no secret.
   * undefined for a game that was not played in this seat.
   */
  record(game = this.game): SavedFile | undefined {
    const text = this.#games.get(game)?.kept?.recordText;
    return text === undefined ? undefined : { name: `${game}.${this.player}.record`, text };
  }

  /** What a refusal rests on, as a file to be kept. */
  evidence(): SavedFile | undefined {
    const { refused } = this;
    if (refused === undefined) return undefined;
    const text = evidenceText(refused, this.#parts.key.text, this.player);
    return { name: `${refused.game}.${this.player}.evidence`, text };
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    return this.#events;
  }

  /** Stops following without leaving the seat; taking the seat again goes on in it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#games.values()].map((one) => one.stop()));
    await this.#running;
  }

  /** Each throws CallRefused when the turn does not allow it, or is over. */
  async fold(): Promise<void> {
    await this.#acting.act("fold", 0);
  }

  async check(): Promise<void> {
    await this.#acting.act("check", 0);
  }

  async call(): Promise<void> {
    await this.#acting.act("call", 0);
  }

  /** Bets, where nobody has; `total` is what the seat has bet on the street then. */
  async betTo(total: number): Promise<void> {
    await this.#acting.act("bet", total);
  }

  /** Raises; `total` is what the seat has bet on the street then. */
  async raiseTo(total: number): Promise<void> {
    await this.#acting.act("raise", total);
  }

  /** Puts in all chips, by a bet, a raise or a call. */
  async allIn(): Promise<void> {
    await this.#acting.allIn();
  }

  /** Chooses an act for the next turn, done at once in it unless somebody bet; `none` takes it back. */
  async preSelect(act: PreAct): Promise<void> {
    await this.#acting.preSelect(act);
  }

  /** Sets all standing choices; they go along into games that go on from this one. */
  async prefer(...choices: readonly Choice[]): Promise<void> {
    await this.#acting.prefer(choices);
  }

  /** Shows all hole cards when the pots are paid and before the hand ends. */
  async show(): Promise<void> {
    await this.#acting.show();
  }

  /** Is not dealt in from the next hand on. */
  async sitOut(): Promise<void> {
    await this.#acting.sitOut();
  }

  /** Is dealt in again from the next hand on. */
  async comeBack(): Promise<void> {
    await this.#acting.comeBack();
  }

  /** Adds chips, in the middle of a hand when it has ended, and gives the stack. */
  async addChips(amount: number, reference = ""): Promise<number> {
    const following = this.#current;
    const { caller } = this.#parts;
    const request_id = requestId(caller.around);
    await following.note({ kind: "chips", request_id, amount, reference });
    const { game } = following;
    const request = { requestId: request_id, game, amount: BigInt(amount), reference };
    const how = { total: HAND_MS };
    const answer = await caller.call(game, ({ play }, at) => play.addChips(request, at), how);
    return numberOf(answer.stack);
  }

  /** Gives the seat up, and gives the chips that left; undefined when they leave with the hand. */
  async leave(reference = ""): Promise<number | undefined> {
    const following = this.#current;
    const { caller } = this.#parts;
    const request_id = requestId(caller.around);
    await following.note({ kind: "leave", request_id, reference });
    const request = { requestId: request_id, game: following.game, reference };
    const answer = await caller.call(following.game, ({ play }, at) => play.leaveSeat(request, at));
    return answer.stack === undefined ? undefined : numberOf(answer.stack);
  }

  #follow(watched: Watched, kept: GameKept): Following {
    const tell = (event: Event): void => {
      this.#events.put(event);
    };
    const following = new Following(this.#parts.caller, watched, {
      tell,
      kept,
      links: this.#parts.links,
    });
    this.#games.set(watched.game, following);
    return following;
  }

  /** Follows the game, and each that goes on from it as soon as it is named. */
  async #run(): Promise<void> {
    const running = new Set<Promise<void>>();
    try {
      for (;;) {
        const following = this.#current;
        const run = this.#runOne(following).finally(() => running.delete(run));
        running.add(run);
        // An error of an earlier game is heard when all are awaited below.
        run.catch(() => undefined);
        await following.closed;
        if (following.refused !== undefined || following.left || this.#isClosed) break;
        const { successor } = following;
        if (successor === undefined) break;
        const choices = following.own?.choices ?? [];
        this.#current = await this.#goOn(successor);
        if (choices.length > 0) void this.#carry(this.#current, choices);
      }
      await Promise.all(running);
      this.#events.end();
    } catch (error) {
      this.#events.end(error);
    } finally {
      await Promise.allSettled([...this.#games.values()].map((one) => one.stop()));
    }
  }

  /** Follows one game to its end; what ends it badly ends the others, too. */
  async #runOne(following: Following): Promise<void> {
    try {
      await following.run();
    } catch (error) {
      this.#stopOthers(following);
      throw error;
    }
    if (following.refused !== undefined) this.#stopOthers(following);
  }

  #stopOthers(following: Following): void {
    this.#isClosed = true;
    for (const one of this.#games.values()) if (one !== following) void one.stop();
  }

  async #goOn({ game, before }: Successor): Promise<Following> {
    const { caller, key, keeping, player } = this.#parts;
    caller.routes.goOn(this.#current.game, game);
    const kept = await GameKept.open(keeping, key, game, player);
    try {
      const joined = caller.around.monotonic();
      const table = await caller.call(game, ({ play }, at) => play.getTable({ game }, at));
      const backlog = numberOf(table.size);
      const following = this.#follow({ game, key, player, joined, backlog, before }, kept);
      // Closed, or an earlier game refused, since: it is followed no further.
      if (this.#isClosed) await following.stop();
      return following;
    } catch (error) {
      await kept.close();
      throw error;
    }
  }

  /** Sets the choices of the game before anew, while the new one is followed. */
  async #carry(following: Following, choices: readonly Choice[]): Promise<void> {
    try {
      await this.#acting.prefer(choices, following);
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      this.#events.put({ type: "choices_not_set", why: error.message });
    }
  }
}
