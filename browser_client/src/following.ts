/**
 * Follows one game for one player: verifies its stream, tells its events, and does by itself what
 * the protocol asks of a client: a link for each hand, a new anchor when the old one is gone, and
 * to leave a dealer that breaks the protocol.
 */

import { isDated } from "./beacon.js";
import { fromHex } from "./bytes.js";
import type { Caller } from "./calls.js";
import { CallRefused, refusedHere } from "./errors.js";
import { tell, type Event } from "./events.js";
import type { GameKept } from "./game_kept.js";
import { isDealtIn } from "./grammar.js";
import { KeepingError } from "./keeping.js";
import type { Entry, EntryOf } from "./lines.js";
import type { Own } from "./own.js";
import { ProtocolBreach, type Refused } from "./refusing.js";
import type { Sent } from "./sent.js";
import { requestId } from "./surroundings.js";
import { Verifier, type GameBefore, type LinkDue, type Progress, type Watched } from "./verifier.js";
import { Viewer } from "./view.js";
import { follow, type Broken } from "./watching.js";

const MAX_MISSES = 2;
const HOLDEM_CARDS = 2;
/** An anchor of a player dealt in, chips and a seat taken over wait for the hand's end. */
export const HAND_MS = 1_800_000;

/** The game that goes on from this one, in which the player keeps its seat. */
export interface Successor {
  readonly game: string;
  readonly before: GameBefore;
}

export interface FollowingOptions {
  readonly tell: (event: Event) => void;
  /** What is kept of the player; without it the game is merely watched. */
  readonly kept?: GameKept;
  /** Whether the player gives links. */
  readonly links: boolean;
}

export class Following {
  readonly game: string;
  readonly viewer: Viewer;
  readonly verifier: Verifier;
  readonly kept: GameKept | undefined;
  refused: Refused | undefined;
  successor: Successor | undefined;
  /** Whether the player's seat is gone from the log. */
  left = false;
  /** Resolves when the game has closed, or nothing more of it is followed. */
  readonly closed: Promise<void>;
  readonly #caller: Caller;
  readonly #tell: (event: Event) => void;
  readonly #links: boolean;
  readonly #backlog: number;
  readonly #stopping = new AbortController();
  readonly #tasks = new Set<Promise<void>>();
  #noteClosed: () => void = () => undefined;
  /** Resolves when the lines are those that were signed before: until then nothing is sent. */
  readonly #settled: Promise<void>;
  #settle: () => void = () => undefined;
  #isClosed = false;
  #linkedHand = 0;
  #dealtHand = 0;
  #dealtIn = 0;
  #turn = { hand: 0, turn: 0 };
  #hasCaughtUp = false;
  #anchoring = false;
  #anchorTriedIn = -1;
  #wasSeated = false;
  #toldMisses = 0;
  /** Why the client can not go on by itself, such as a storage that failed. */
  #failure: Error | undefined;

  constructor(caller: Caller, watched: Watched, options: FollowingOptions) {
    this.game = watched.game;
    this.kept = options.kept;
    this.viewer = new Viewer(watched.game, watched.player);
    const { kept } = options;
    const joined = { ...watched, signed: kept?.signed };
    this.verifier = new Verifier(joined, kept?.sent ?? [], caller.around.networks);
    this.#caller = caller;
    this.#tell = options.tell;
    this.#links = options.links;
    this.#backlog = watched.backlog;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (this.verifier.isHeld) this.#settle();
    this.closed = new Promise((resolve) => {
      this.#noteClosed = () => {
        this.#isClosed = true;
        resolve();
      };
    });
  }

  get own(): Own | undefined {
    return this.verifier.own;
  }

  /** Follows the game to its end, a refusal, or the seat's; CallRefused where it can not be. */
  async run(): Promise<void> {
    try {
      for await (const step of follow(this.#caller, this.game, this.verifier, this.#stopping.signal)) {
        await this.#take(step);
        if (this.refused !== undefined || this.left) return;
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.#settle();
      this.#noteClosed();
    }
  }

  /** Stops following, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#settle();
    this.#noteClosed();
    await Promise.allSettled([...this.#tasks]);
    await this.kept?.close();
  }

  /** Has what is about to be sent durable and known; CallRefused after a refusal. */
  async note(sent: Sent): Promise<void> {
    await this.#settled;
    this.#requireTrust();
    // Known first: what is durable may be sent, and the log may tell it at once.
    this.verifier.note(sent);
    await this.kept?.note(sent);
    this.#requireTrust();
  }

  #requireTrust(): void {
    const { refused } = this;
    if (refused !== undefined) {
      throw refusedHere(refused.reason, `the client left the game: ${refused.detail}`);
    }
    if (this.#stopping.signal.aborted || !this.verifier.isHeld) {
      throw refusedHere("NOT_FOLLOWED", "the game is followed no more, and nothing is sent to it");
    }
  }

  async #take(step: Progress | Refused | Broken): Promise<void> {
    if (step.type === "refused") await this.#refuse(step);
    else if (step.type === "broken") this.#tell({ type: "disconnected", why: step.why });
    else {
      try {
        this.#takeEntries(step);
      } catch (error) {
        if (!(error instanceof ProtocolBreach)) throw error;
        await this.#refuse(this.verifier.refuse(error));
        return;
      }
      await this.#keep(step);
      if (this.verifier.isHeld) this.#settle();
      this.#takeTurn(step);
      this.#answer();
    }
  }

  async #refuse(refused: Refused): Promise<void> {
    if (this.refused !== undefined) return;
    this.#requireOwnKeeping(refused);
    this.refused = refused;
    this.#stopping.abort();
    try {
      await this.kept?.refuse(refused);
    } finally {
      // Also where the browser has no place for it.
      this.#tell(refused);
    }
  }

  /** Blames nobody for what the player did in another browser, before this one sent anything. */
  #requireOwnKeeping({ reason }: Refused): void {
    const isPast = this.verifier.size < this.#backlog;
    if (reason === "NOT_MINE" && isPast && this.own?.isFound === false) {
      const message = "the player was in this game already, in another browser or program: go on there";
      throw new KeepingError(message);
    }
  }

  #takeEntries(step: Progress): void {
    const blamed = this.verifier.missed.filter((one) => one.sent).map((one) => one.hand);
    for (const entry of step.entries) {
      this.viewer.apply(entry);
      const isBlamed = entry.kind === "hand_void" && blamed.includes(entry.body.hand);
      const event = tell(entry, this.viewer.table(), isBlamed);
      if (event !== undefined) this.#tell(event);
      this.#follow(entry);
    }
    for (const opening of step.openings) this.viewer.openOwn(opening);
    this.#tellCards();
    if (this.verifier.caughtUp && !this.#hasCaughtUp) {
      this.#hasCaughtUp = true;
      this.#tell({ type: "caught_up", game: this.game, table: this.viewer.table() });
    }
  }

  #follow(entry: Entry): void {
    if (entry.kind === "hand_opened") this.#dealtIn = entry.body.seats.filter(isDealtIn).length;
    else if (entry.kind === "deck_committed") this.#tellMixed(entry);
    else if (entry.kind === "game_closed") this.#close(entry);
  }

  #tellMixed(entry: EntryOf<"deck_committed">): void {
    const { hand, links, beacon } = entry.body;
    const seat = this.own?.handSeat;
    const mine = seat !== undefined && links.some((one) => one.seat === seat);
    const players = this.#dealtIn;
    const isWithBeacon = beacon !== undefined;
    const event = { hand, mine, links: links.length, players, beacon: isWithBeacon };
    this.#tell({ type: "deck_mixed", ...event });
  }

  #tellCards(): void {
    const { hand, cards, rules } = this.viewer.table();
    if (hand === this.#dealtHand || cards.length !== (rules?.hole_cards ?? HOLDEM_CARDS)) return;
    this.#dealtHand = hand;
    this.#tell({ type: "my_cards", hand, cards });
  }

  #close(entry: EntryOf<"game_closed">): void {
    const { next } = entry.body;
    if (next !== undefined && this.own?.seat !== undefined) {
      const size = entry.index + 1;
      const before = { game: this.game, size, root: this.verifier.root(size) };
      this.successor = { game: next, before };
    }
    this.#noteClosed();
  }

  async #keep(step: Progress): Promise<void> {
    const fresh = this.verifier.missed.slice(this.#toldMisses);
    this.#toldMisses += fresh.length;
    const missed = fresh.filter((one) => one.sent).map((one) => one.hand);
    if (missed.length > 0 || step.kept !== undefined) await this.kept?.keep(step.kept, missed);
  }

  /** Tells a turn of the player's once, and not before it has its cards. */
  #takeTurn(step: Progress): void {
    if (step.decision !== undefined || step.entries.length > 0) this.viewer.decide(step.decision);
    const { decision } = this.viewer;
    const { own } = this;
    if (!this.verifier.isHeld || decision === undefined) return;
    if (own?.hand !== decision.hand || own.seat !== decision.seat) return;
    const { hand, turn } = decision;
    const isNew = hand > this.#turn.hand || (hand === this.#turn.hand && turn > this.#turn.turn);
    if (isNew && this.#dealtHand === hand) {
      this.#turn = { hand, turn };
      this.#tell({ type: "my_turn", decision, table: this.viewer.table() });
    }
  }

  /** Does what the protocol asks of the client now. */
  #answer(): void {
    const { own, kept } = this;
    if (kept === undefined || own === undefined || !this.verifier.caughtUp) return;
    const due = this.verifier.linkDue;
    if (due !== undefined && due.hand > this.#linkedHand && !own.anchorSpent) {
      this.#linkedHand = due.hand;
      if (this.#mayLink(kept, due)) this.#start(this.#giveLink(kept, due));
      else {
        const why = "the opening is not of now, by this clock";
        this.#tell({ type: "link_not_given", hand: due.hand, why });
      }
    }
    if (own.seat !== undefined) {
      this.#wasSeated = true;
      this.#anchorAgain(kept, own);
    } else if (this.#wasSeated) {
      this.left = true;
    }
  }

  /** Whether an opening is dated as it has to be; a link that left may go again. */
  #mayLink(kept: GameKept, due: LinkDue): boolean {
    if (due.dated === undefined || kept.chains.hasGiven(due.hand)) return true;
    return isDated(due.dated, this.#caller.around.wall());
  }

  #anchorAgain(kept: GameKept, own: Own): void {
    const { anchor } = own;
    const isDone = anchor === undefined || own.anchorSpent || kept.chains.left(anchor) === 0;
    const isFree = !this.#anchoring && this.#anchorTriedIn !== this.verifier.hand;
    const stays = !own.leaving && !this.#isClosed;
    if (this.#links && isDone && isFree && stays && own.missed.length < MAX_MISSES) {
      this.#anchoring = true;
      this.#anchorTriedIn = this.verifier.hand;
      this.#start(this.#logAnchor(kept, own));
    }
  }

  #start(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => {
        this.#fail(error);
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  /** What is kept failed: without it nothing may be sent. */
  #fail(error: unknown): void {
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.#stopping.abort();
  }

  async #giveLink(kept: GameKept, due: LinkDue): Promise<void> {
    const sent = await kept.noteLink(due);
    const { hand } = due;
    const { signal } = this.#stopping;
    const isStopped = (): boolean => signal.aborted;
    if (typeof sent === "string") {
      this.#tell({ type: "link_not_given", hand, why: NO_LINK[sent] });
      return;
    }
    if (isStopped()) return;
    this.verifier.note(sent);
    const request = { game: this.game, hand: BigInt(hand), link: fromHex(sent.link) };
    try {
      await this.#caller.call(this.game, ({ play }, how) => play.giveLink(request, how), { signal });
      this.#tell({ type: "link_given", hand });
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      if (!isStopped()) {
        this.#tell({ type: "link_not_given", hand, why: error.message });
      }
    }
  }

  async #logAnchor(kept: GameKept, own: Own): Promise<void> {
    try {
      const last = own.missed.at(-1);
      const missingLink = last === undefined ? "" : kept.chains.before(last.anchor);
      if (missingLink === undefined) {
        const why = "the missing link is not in this client's chains";
        this.#tell({ type: "anchor_not_logged", why });
        return;
      }
      const maxHands = this.viewer.table().rules?.max_hands ?? 0;
      const anchor = await kept.newAnchor(this.#caller.around.entropy, maxHands - this.verifier.hand);
      const request_id = requestId(this.#caller.around);
      const missing = { missing_hand: last?.hand ?? 0, missing_link: missingLink };
      await this.note({ kind: "anchor", request_id, anchor, ...missing });
      const request = {
        requestId: request_id,
        game: this.game,
        anchor: fromHex(anchor),
        ...(last !== undefined && {
          missingHand: BigInt(last.hand),
          missingLink: fromHex(missingLink),
        }),
      };
      const how = { total: HAND_MS, signal: this.#stopping.signal };
      await this.#caller.call(this.game, ({ play }, options) => play.anchor(request, options), how);
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      if (!this.#stopping.signal.aborted) this.#tell({ type: "anchor_not_logged", why: error.message });
    } finally {
      this.#anchoring = false;
    }
  }
}

const NO_LINK = {
  unknown_anchor: "the anchor that stands is of no chain that is kept here",
  exhausted: "the chain is used up",
  spent: "the link before the anchor went to another hand",
} as const;
