/** What a client takes from outside: clocks, chance, waits and patience. Times in milliseconds. */

import { hexOf } from "./bytes.js";
import type { Entropy } from "./chains.js";
import { QUICKNET, type Network } from "./beacon.js";

/** How long calls may take: one try, all tries, and the waits between them. */
export interface Patience {
  readonly attempt: number;
  readonly total: number;
  readonly firstWait: number;
  readonly longestWait: number;
  /** A stream that was quiet so long is asked whether it is alive. */
  readonly quiet: number;
}

export interface Surroundings {
  /** A clock that never goes back, and counts the machine's sleep. */
  readonly monotonic: () => number;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  readonly entropy: Entropy;
  /** From 0 to 1. */
  readonly chance: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly patience: Patience;
  /** The beacons whose rounds can be judged. */
  readonly networks: readonly Network[];
}

export const PATIENCE: Patience = {
  attempt: 10_000,
  total: 60_000,
  firstWait: 100,
  longestWait: 3_000,
  quiet: 30_000,
};

/**
 * A clock from the page's two. `performance.now()` stands still in some browsers while the machine
 * sleeps, and the wall clock goes on: what it gained is counted. A wall clock that is set forward
 * makes the client more patient with a dealer's times, and never blames it.
 */
export function clock(
  steady: () => number = () => performance.now(),
  wall: () => number = () => Date.now(),
): () => number {
  const begun = wall() - steady();
  let most = -Infinity;
  return () => {
    const now = steady();
    most = Math.max(most, now, wall() - begun);
    return most;
  };
}

/** What there is in a browser; give what is to be different. */
export function surroundings(different: Partial<Surroundings> = {}): Surroundings {
  return {
    monotonic: clock(),
    wall: () => Date.now(),
    entropy: (count) => crypto.getRandomValues(new Uint8Array(count)),
    chance: () => Math.random(),
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        setTimeout(resolve, milliseconds);
      }),
    patience: PATIENCE,
    networks: [QUICKNET],
    ...different,
  };
}

/** Draws an id for one change. */
export function requestId(around: Surroundings): string {
  return hexOf(around.entropy(16));
}

/** Draws the waits between tries: evenly from nothing to a bound that doubles. */
export function* waits(around: Surroundings): Generator<number, never> {
  const { firstWait, longestWait } = around.patience;
  for (let bound = firstWait; ; bound = Math.min(bound * 2, longestWait)) {
    yield around.chance() * bound;
  }
}
