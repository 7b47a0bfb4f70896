/**
 * A player's record of one game: its own witness (PROTOCOL.md section 10). It holds no secret and
 * may be shown to anyone; `cutcard-audit verify --mine` judges the dealer by it.
 *
 * Nothing here writes: each change comes as the line that is to be durable first, and `take` then
 * makes it stand.
 */

import { encode } from "./canonical.js";
import { KeepingError } from "./keeping.js";
import type { Refused } from "./refusing.js";
import { BYTES32, COUNT, object, text, type Check } from "./shapes.js";

const FORMAT = "cutcard-record/1";
const MAX_DETAIL = 1_000;

const any = text(/^[^]*$/, "a text");
const LINES: Readonly<Record<string, Check<unknown>>> = {
  anchor: object({ anchor: BYTES32 }),
  link: object({ checkpoint: any, hand: COUNT, link: BYTES32 }),
  checkpoint: any,
  missed: object({ hand: COUNT }),
  refused: object({ detail: any, reason: any }),
};

/** Of which game a record is. */
export interface RecordOf {
  readonly game: string;
  readonly key: string;
  readonly origin: string;
  readonly player: string;
}

export class GameRecord {
  readonly #lines = new Set<string>();
  readonly #links = new Map<number, string>();
  readonly header: string;
  readonly isNew: boolean;
  #leftBecause: string | undefined;
  #lastCheckpoint: string | undefined;

  /** Reads what was kept; KeepingError for what is of another key, game or player. */
  constructor(of: RecordOf, lines: readonly string[]) {
    const { game, key, origin, player } = of;
    this.header = encode({ format: FORMAT, game, key, origin, player }, "any");
    this.isNew = lines.length === 0;
    lines.forEach((line, index) => {
      if (index > 0) this.take(line);
      else if (line !== this.header) {
        const message = "the record that is kept is of another dealer key, game or player";
        throw new KeepingError(message);
      }
    });
  }

  /** Why the client left the game, if it did: it never comes back to it. */
  get leftBecause(): string | undefined {
    return this.#leftBecause;
  }

  /** The checkpoint that was kept last: of the most lines, since each is of a longer log. */
  get lastCheckpoint(): string | undefined {
    return this.#lastCheckpoint;
  }

  /** The links that were sent, in hex, by hand. */
  get links(): ReadonlyMap<number, string> {
    return this.#links;
  }

  /** The line of an anchor that is about to be sent; undefined where it stands. */
  anchor(anchor: string): string | undefined {
    return this.#fresh({ anchor: { anchor } });
  }

  /** The line of a link that is about to be sent, with the checkpoint that ends with its opening. */
  link(hand: number, link: string, checkpoint: string): string | undefined {
    const known = this.#links.get(hand);
    if (known === undefined) return this.#fresh({ link: { checkpoint, hand, link } });
    if (known === link) return undefined;
    throw new KeepingError(`another link was sent for hand ${hand}; a hand has one`);
  }

  /** The line of another checkpoint that is kept. */
  checkpoint(checkpoint: string): string | undefined {
    return this.#fresh({ checkpoint });
  }

  /** The line of a void that called missing the link that was sent. */
  missed(hand: number): string | undefined {
    return this.#fresh({ missed: { hand } });
  }

  /** The line that says why the client left the game. */
  refused(refused: Refused): string | undefined {
    const detail = refused.detail.slice(0, MAX_DETAIL).replace(/\p{Cs}/gu, "?");
    return this.#fresh({ refused: { detail, reason: refused.reason } });
  }

  /** Makes a line that is durable stand. */
  take(line: string): void {
    const value = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const [name = "", ...more] = Object.keys(value);
    const check = Object.hasOwn(LINES, name) ? LINES[name] : undefined;
    if (check === undefined || more.length > 0) {
      throw new KeepingError(`the record that is kept is not of the form ${FORMAT}`);
    }
    const body = check(value[name], name);
    this.#lines.add(line);
    if (name === "link") {
      const { checkpoint, hand, link } = body as Readonly<{ checkpoint: string; hand: number; link: string }>;
      this.#links.set(hand, link);
      this.#lastCheckpoint = checkpoint;
    } else if (name === "checkpoint") {
      this.#lastCheckpoint = body as string;
    } else if (name === "refused") {
      this.#leftBecause = (body as { readonly reason: string }).reason;
    }
  }

  #fresh(value: object): string | undefined {
    const line = encode(value, "any");
    return this.#lines.has(line) ? undefined : line;
  }
}
