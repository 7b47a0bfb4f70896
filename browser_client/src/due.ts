/**
 * By when something must have come: a line's checkpoint, the player's cards (PROTOCOL.md 11).
 *
 * Pure. It is due five seconds after what it belongs to came, by the client's own clock. Where a
 * stream breaks it may be lost with that stream, and is due five seconds after the next one begins;
 * but not for ever: what three streams ended without, which told other things, is withheld when
 * fifteen seconds have passed.
 */

export const PATIENCE_MS = 5_000;
const MOST_STREAMS = 3;

export class Due {
  private constructor(
    readonly begun: number,
    /** When the stream began on which it waits, where that is later. */
    readonly since: number,
    /** How many streams had ended when it began to wait. */
    readonly streams: number,
  ) {}

  static fromNow(now: number, streams: number): Due {
    return new Due(now, now, streams);
  }

  /** When it is overdue, if the stream goes on. */
  get deadline(): number {
    return this.since + PATIENCE_MS;
  }

  /** Waits anew, on a stream that begins. */
  again(now: number): Due {
    return new Due(this.begun, now, this.streams);
  }

  /** Whether streams enough have ended without it, of `streams` in all by now. */
  isWithheld(now: number, streams: number): boolean {
    const isLong = now > this.begun + MOST_STREAMS * PATIENCE_MS;
    return isLong && streams - this.streams >= MOST_STREAMS;
  }
}
