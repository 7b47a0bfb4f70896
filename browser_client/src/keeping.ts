/**
 * What a client keeps of one player in one game, so that a page that is reloaded goes on with the
 * same chain and record. What was appended is durable when the promise resolves: the client awaits
 * that before it sends a link or an anchor.
 */

/**
 * The drawers of a game: `chain` holds the secrets that links come from, `record` is the player's
 * witness and may be shown, `sent` is what the client had sent, `evidence` is there after a refusal.
 */
export type Drawer = "chain" | "record" | "sent" | "evidence";

/** A line of canonical JSON for a drawer, without a newline. */
export type Line = readonly [drawer: Drawer, line: string];

/** What is kept of one player in one game, held by one page at a time. */
export interface Kept {
  /** The lines of a drawer, in the order in which they were appended. */
  lines(drawer: Drawer): readonly string[];
  /** Appends lines, all or none; resolves when they are durable. */
  append(...lines: readonly Line[]): Promise<void>;
  /** Lets another page hold it. */
  close(): void;
}

/** Where a client keeps what it must not lose. */
export interface Keeping {
  /** Takes hold of what is kept of a player in a game; KeepingError where another page has it. */
  open(game: string, player: string): Promise<Kept>;
}

/** What is kept can not be used; the text says why. */
export class KeepingError extends Error {
  override readonly name = "KeepingError";
}

/**
 * Keeps in memory alone: for tests, and for players who give no links. A page that is reloaded has
 * lost its chain, can not give the link of an open hand, and so makes it void.
 */
export class MemoryKeeping implements Keeping {
  readonly #all = new Map<string, Map<Drawer, string[]>>();
  readonly #held = new Set<string>();

  open(game: string, player: string): Promise<Kept> {
    const name = `${game}.${player}`;
    if (this.#held.has(name)) return Promise.reject(heldElsewhere(game, player));
    this.#held.add(name);
    const drawers = this.#all.get(name) ?? new Map<Drawer, string[]>();
    this.#all.set(name, drawers);
    let isHeld = true;
    return Promise.resolve({
      lines: (drawer) => drawers.get(drawer) ?? [],
      append: (...lines) => {
        for (const [drawer, line] of lines) {
          drawers.set(drawer, [...(drawers.get(drawer) ?? []), line]);
        }
        return Promise.resolve();
      },
      close: () => {
        if (isHeld) this.#held.delete(name);
        isHeld = false;
      },
    });
  }
}

/** The error of a game that a page holds: another one, or this one by a seat that is not closed. */
export function heldElsewhere(game: string, player: string): KeepingError {
  const where = "in another page of this browser, or in this one by a seat that is not closed";
  return new KeepingError(`${player} plays in the game ${game} already, ${where}`);
}
