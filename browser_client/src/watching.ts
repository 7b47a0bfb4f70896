/**
 * Keeps one game's stream alive: connects, verifies, notices what is overdue, connects anew.
 *
 * After a break it goes on from the last line that is under a checkpoint; lines that come again
 * must be the same bytes. It ends when nothing more is to come, when the verifier refuses, or when
 * the dealer refuses the call for a reason that asking again does not change. A page that was frozen
 * (a laptop that slept, a tab in the background) begins the stream anew, and blames nobody for what
 * lay unread meanwhile. So does one where what is due does not come while other things do.
 */

import { Tries, type Caller } from "./calls.js";
import { readError } from "./errors.js";
import type { WatchResponse } from "./generated/cutcard/v1/play_pb.js";
import { headersOf, type Route } from "./routes.js";
import { ProtocolBreach, type Refused } from "./refusing.js";
import type { Progress, Verifier } from "./verifier.js";
import { numberOf, readMessage } from "./wire.js";

/** What has come by now may still lie in a buffer: it is looked at before anything is overdue. */
const GLANCE_MS = 50;
/** A timer that comes so much too late says that the page was frozen. */
const FROZEN_MS = 1_000;
const LATE = "what the dealer owes did not come in time";

/** The stream broke, and is being opened anew. */
export interface Broken {
  readonly type: "broken";
  readonly why: string;
}

/** Ends a stream that is to be begun anew at once. */
class Anew extends Error {}

/** Gives what each message proved, in order; throws CallRefused when the dealer takes no call. */
export async function* follow(
  caller: Caller,
  game: string,
  verifier: Verifier,
  stopped: AbortSignal,
): AsyncGenerator<Progress | Refused | Broken, void> {
  const { around, bearer, routes } = caller;
  const tries = new Tries(caller, game);
  const isStopped = (): boolean => stopped.aborted;
  let isBroken = false;
  while (!isStopped()) {
    const route = routes.of(game);
    const { token } = bearer;
    const stream = new Stream(caller, game, verifier, route, token, stopped);
    let why = "the dealer ended the stream";
    let wait = 0;
    let hasHeard = false;
    try {
      if (isBroken) {
        const size = await stream.size();
        const now = around.monotonic();
        verifier.interrupted(now, size);
        const refused = verifier.overdue(now);
        if (refused !== undefined) {
          yield refused;
          return;
        }
      }
      for await (const step of stream.steps()) {
        tries.succeeded();
        hasHeard = true;
        yield step;
        if (step.type === "refused") return;
      }
      wait = tries.nextWait();
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof Anew) why = error.message;
      else {
        why = readError(error).message;
        wait = await tries.judge({ error, route, token });
      }
    } finally {
      stream.close();
    }
    if (verifier.finished) return;
    isBroken = true;
    if (hasHeard || wait > 0) yield { type: "broken", why };
    await around.sleep(wait);
  }
}

/** One stream, from its beginning to its end or break. */
class Stream {
  readonly #caller: Caller;
  readonly #game: string;
  readonly #verifier: Verifier;
  readonly #route: Route;
  readonly #token: string;
  readonly #abort = new AbortController();
  readonly #endings: (() => void)[] = [];
  #anew: string | undefined;

  constructor(
    caller: Caller,
    game: string,
    verifier: Verifier,
    route: Route,
    token: string,
    stopped: AbortSignal,
  ) {
    this.#caller = caller;
    this.#game = game;
    this.#verifier = verifier;
    this.#route = route;
    this.#token = token;
    const stop = (): void => {
      this.#abort.abort();
    };
    stopped.addEventListener("abort", stop, { once: true });
    this.#endings.push(() => {
      stopped.removeEventListener("abort", stop);
    });
    const moved = (): void => {
      this.#beginAnew("another node deals the game");
    };
    this.#endings.push(caller.routes.onMove(game, moved));
  }

  close(): void {
    for (const end of this.#endings) end();
    this.#abort.abort();
  }

  /** Asks how long the log is. */
  async size(): Promise<number> {
    const timeoutMs = this.#caller.around.patience.attempt;
    const options = { ...this.#options, timeoutMs };
    const table = await this.#route.services.play.getTable({ game: this.#game }, options);
    return numberOf(table.size);
  }

  async *steps(): AsyncGenerator<Progress | Refused, void> {
    const request = { game: this.#game, from: BigInt(this.#verifier.covered) };
    const stream = this.#route.services.play.watch(request, this.#options);
    const responses = stream[Symbol.asyncIterator]();
    let isFirst = true;
    for (;;) {
      const heard = await this.#next(responses);
      if (heard === undefined) return;
      if ("type" in heard) {
        yield heard;
        return;
      }
      if (isFirst) this.#verifier.began(await this.size());
      isFirst = false;
      yield this.#take(heard);
      const { deadline } = this.#verifier;
      // It may lie unread on this side; of a stream that begins nothing does.
      if (deadline !== undefined && this.#caller.around.monotonic() > deadline) throw new Anew(LATE);
    }
  }

  #take(response: WatchResponse): Progress | Refused {
    try {
      return this.#verifier.receive(readMessage(response), this.#caller.around.monotonic());
    } catch (error) {
      if (error instanceof ProtocolBreach) return this.#verifier.refuse(error);
      throw error;
    }
  }

  get #options(): { readonly headers: HeadersInit; readonly signal: AbortSignal } {
    const headers = headersOf(this.#token, this.#game, this.#route);
    return { headers, signal: this.#abort.signal };
  }

  #beginAnew(why: string): void {
    this.#anew = why;
    this.#abort.abort();
  }

  /** Waits for the next message, or until one is overdue; undefined at the stream's end. */
  async #next(
    responses: AsyncIterator<WatchResponse>,
  ): Promise<WatchResponse | Refused | undefined> {
    const { monotonic, patience } = this.#caller.around;
    const reading = responses.next();
    // Where a wait below ends in another way, nobody is left to hear how this one does.
    reading.catch(() => undefined);
    const quietFrom = monotonic();
    try {
      for (;;) {
        const { deadline } = this.#verifier;
        const until = Math.min(deadline ?? Infinity, quietFrom + patience.quiet);
        const planned = Math.max(GLANCE_MS, until - monotonic());
        const asked = monotonic();
        const result = await firstOf(reading, planned);
        if (result !== undefined) return result.done ? undefined : result.value;
        if (monotonic() - asked > planned + FROZEN_MS) throw new Anew("the page was frozen");
        if (deadline !== undefined && monotonic() > deadline) {
          // A connection that is gone without a word is no fault of the dealer's: the call throws.
          await this.size();
          const late = await firstOf(reading, patience.longestWait);
          if (late !== undefined) return late.done ? undefined : late.value;
          const refused = this.#verifier.overdue(monotonic());
          if (refused !== undefined) return refused;
        }
        if (deadline === undefined && monotonic() >= quietFrom + patience.quiet) {
          const late = await this.#isLate(reading);
          if (late !== undefined) return late.done ? undefined : late.value;
          return await this.#next({ next: () => reading });
        }
      }
    } catch (error) {
      if (this.#anew !== undefined) throw new Anew(this.#anew);
      throw error;
    }
  }

  /** Asks whether a quiet stream lacks lines: one whose connection is gone is begun anew. */
  async #isLate(
    reading: Promise<IteratorResult<WatchResponse>>,
  ): Promise<IteratorResult<WatchResponse> | undefined> {
    const size = await this.size();
    const result = await firstOf(reading, this.#caller.around.patience.longestWait);
    if (result === undefined && size > this.#verifier.size) throw new Anew("the stream is dead");
    return result;
  }
}

/** Waits for a promise so long; undefined where it does not come by then. */
async function firstOf<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, Math.min(milliseconds, 2 ** 31 - 1));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
