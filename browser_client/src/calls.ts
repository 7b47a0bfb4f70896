/**
 * How calls are made: each has a deadline, and what did not reach the dealer is asked again.
 *
 * A change bears a request id, and the same message with the same id is sent on every try, so that
 * a retry has no second effect. The wait between tries doubles, up to a bound, and is drawn evenly
 * from nothing to that. Who asked for too much waits as long as it is told. Where another node deals
 * the game the call is made there at once; only so often, though, before it waits.
 */

import type { CallOptions } from "@connectrpc/connect";

import type { Bearer } from "./bearer.js";
import { CallRefused, readError, refusedHere, type Refusal } from "./errors.js";
import { headersOf, type Route, type Routes, type Services } from "./routes.js";
import { waits, type Surroundings } from "./surroundings.js";

const MOST_HOPS = 3;
const MOST_RENEWALS = 2;
const PASSING: ReadonlySet<string> = new Set(["Unavailable", "DeadlineExceeded"]);
/** Asking again does not help a stream against these. */
const FINAL: ReadonlySet<string> = new Set([
  "Unauthenticated",
  "PermissionDenied",
  "NotFound",
  "InvalidArgument",
  "FailedPrecondition",
  "OutOfRange",
  "Unimplemented",
  "DataLoss",
]);
const GOES_ON: ReadonlySet<string> = new Set(["WATCHED_TOO_SLOWLY", "READ_TOO_SLOWLY"]);

/** A call with everything but where it goes. */
export type Make<T> = (services: Services, options: CallOptions) => Promise<T>;

export interface CallHow {
  readonly total?: number;
  readonly signal?: AbortSignal;
}

/** A try that failed: by which route, and under which token. */
export interface Failed {
  readonly error: unknown;
  readonly route: Route;
  readonly token: string;
}

/** Makes calls under one player's token, at the node that has the game. */
export class Caller {
  constructor(
    readonly around: Surroundings,
    readonly bearer: Bearer,
    readonly routes: Routes,
  ) {}

  /**
   * Calls until there is an answer, for `total` milliseconds at most, or a signal ends it;
   * CallRefused.
   */
  async call<T>(game: string, make: Make<T>, how: CallHow = {}): Promise<T> {
    const { signal, total = this.around.patience.total } = how;
    const tries = new Tries(this, game, total);
    for (;;) {
      const { token } = this.bearer;
      const route = this.routes.of(game);
      let failed: Failed;
      try {
        const headers = headersOf(token, game, route);
        const options = { headers, timeoutMs: tries.timeout, ...(signal && { signal }) };
        return await make(route.services, options);
      } catch (error) {
        failed = { error, route, token };
      }
      await this.around.sleep(await tries.judge(failed));
    }
  }
}

/** The tries of one call, or of one stream, which goes on for ever: no `total`. */
export class Tries {
  readonly #caller: Caller;
  readonly #game: string;
  readonly #isStream: boolean;
  readonly #end: number;
  #waits: Generator<number, never>;
  #hops = 0;
  #renewals = 0;
  #met: CallRefused | undefined;

  constructor(caller: Caller, game: string, total?: number) {
    this.#caller = caller;
    this.#game = game;
    this.#isStream = total === undefined;
    this.#end = total === undefined ? Infinity : caller.around.monotonic() + total;
    this.#waits = waits(caller.around);
  }

  /** How long the next try may take. */
  get timeout(): number {
    const { monotonic, patience } = this.#caller.around;
    return Math.max(1, Math.min(this.#end - monotonic(), patience.attempt));
  }

  /** Learns that a stream gave something: its next break is its first. */
  succeeded(): void {
    this.#waits = waits(this.#caller.around);
    this.#hops = 0;
    this.#renewals = 0;
  }

  /** Draws the wait before a stream that just ended is opened anew. */
  nextWait(): number {
    return this.#waits.next().value;
  }

  /** Says how long to wait before the next try; throws CallRefused where none helps. */
  async judge(failed: Failed): Promise<number> {
    const refused = readError(failed.error);
    const { refusal } = refused;
    if (refusal.code === "Unauthenticated") {
      this.#renewals += 1;
      const { bearer } = this.#caller;
      if (this.#renewals <= MOST_RENEWALS && (await bearer.renew(failed.token))) return 0;
      throw refused;
    }
    const isLate = refusal.code === "DeadlineExceeded";
    const wait = this.#wait(failed, refusal);
    if (wait === undefined || this.#caller.around.monotonic() + wait >= this.#end) {
      // Where the time was over in the middle of a try, an earlier one says what is wrong.
      throw isLate && this.#met !== undefined ? this.#met : refused;
    }
    if (!isLate && refusal.reason !== "GAME_ELSEWHERE") this.#met = refused;
    return wait;
  }

  #wait(failed: Failed, refusal: Refusal): number | undefined {
    const { around, routes } = this.#caller;
    if (refusal.reason === "GAME_ELSEWHERE") return this.#follow(refusal);
    if (GOES_ON.has(refusal.reason)) return 0;
    if (refusal.reason === "TOO_MANY_STREAMS") {
      return this.#isStream ? around.patience.longestWait : undefined;
    }
    if (refusal.retryAfter !== undefined) {
      // Whoever is told the same time does not come back at the same time.
      return refusal.retryAfter + around.chance() * around.patience.firstWait;
    }
    const isPassing = PASSING.has(refusal.code);
    if (FINAL.has(refusal.code) || (!isPassing && !this.#isStream)) return undefined;
    if (isPassing) routes.lost(this.#game, failed.route);
    return this.nextWait();
  }

  #follow(refusal: Refusal): number {
    const node = refusal.metadata["node"] ?? "";
    if (!this.#caller.routes.nameOwner(this.#game, node)) {
      throw refusedHere("OWNER_REFUSED", "the dealer names no node that could deal this game");
    }
    this.#hops += 1;
    if (this.#hops <= MOST_HOPS) return 0;
    this.#hops = 0;
    return this.nextWait();
  }
}
