/** What a watch stream sends, free of the wire, so that what judges it is plain functions. */

import type { ShownCard } from "./cards.js";

/** One of the player's own cards, with what proves it. */
export interface CardOpening extends ShownCard {
  readonly hand: number;
}

/** The path of a position that a line of the same message opens. */
export interface CardProof {
  readonly hand: number;
  readonly position: number;
  readonly proof: readonly Uint8Array[];
}

/** A range of totals for the street, both ends allowed. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A bet or raise by name: the total for the street, and what it costs more. */
export interface Preset {
  readonly name: string;
  readonly to: number;
  readonly cost: number;
}

/**
 * A turn: whose it is, what may be done, and when the clock acts (milliseconds since 1970).
 * `call` is what a call costs, 0 when there is nothing to call.
 */
export interface Decision {
  readonly hand: number;
  readonly turn: number;
  readonly seat: number;
  readonly mayCheck: boolean;
  readonly call: number;
  readonly callTo: number;
  readonly bet: Range | undefined;
  readonly raise: Range | undefined;
  readonly noRaiseBecause: string;
  readonly deadline: number;
  readonly bankMs: number;
  readonly presets: readonly Preset[];
}

/** Lines from index `first` on, with what belongs to them, or openings for one player alone. */
export interface Message {
  readonly first: number;
  readonly lines: readonly Uint8Array[];
  readonly proofs: readonly CardProof[];
  readonly checkpoint: string;
  readonly decision: Decision | undefined;
  readonly openings: readonly CardOpening[];
}
