/**
 * All that a client keeps of one player in one game: the record, the chains, and the journal of
 * what was sent. Each change is durable here first, and only then known and sent.
 */

import { encode } from "./canonical.js";
import { Chains, type Entropy, type NoLink } from "./chains.js";
import { KeepingError, type Kept, type Keeping, type Line } from "./keeping.js";
import { logOrigin, openCheckpoint, type NoteKey } from "./note.js";
import { GameRecord } from "./record.js";
import { evidenceText, type Refused } from "./refusing.js";
import { readSent, type Sent, type SentOf } from "./sent.js";
import type { Signed } from "./signed_lines.js";
import type { LinkDue } from "./verifier.js";

export class GameKept {
  readonly chains: Chains;
  readonly record: GameRecord;
  readonly sent: Sent[];
  /** What the dealer had signed before: its log goes on from there. */
  readonly signed: Signed | undefined;
  readonly #kept: Kept;
  readonly #key: NoteKey;
  readonly #player: string;
  /** One change after another, so that no two decide on the same link. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(kept: Kept, key: NoteKey, game: string, player: string) {
    this.#kept = kept;
    this.#key = key;
    this.#player = player;
    const origin = key.name;
    const of = { game, key: key.text, origin, player };
    this.record = new GameRecord(of, kept.lines("record"));
    this.chains = new Chains(origin, game, player, kept.lines("chain"));
    this.sent = kept.lines("sent").map(readKept);
    this.signed = readSigned(this.record.lastCheckpoint, key, game);
    // A record that was written by itself has links that the journal may lack.
    const known = new Set(this.sent.map((one) => (one.kind === "link" ? one.hand : 0)));
    for (const [hand, link] of this.record.links) {
      if (!known.has(hand)) this.sent.push({ kind: "link", hand, link });
    }
  }

  /**
   * Takes hold of what is kept; KeepingError where another page has it, it does not fit, or the
   * client left this game.
   */
  static async open(keeping: Keeping, key: NoteKey, game: string, player: string): Promise<GameKept> {
    const kept = await keeping.open(game, player);
    try {
      const opened = new GameKept(kept, key, game, player);
      const { record, chains } = opened;
      if (record.leftBecause !== undefined) {
        throw new KeepingError(`the client left this game: ${record.leftBecause}`);
      }
      const headers: Line[] = [];
      if (record.isNew) headers.push(["record", record.header]);
      if (chains.isNew) headers.push(["chain", chains.header]);
      if (headers.length > 0) await kept.append(...headers);
      return opened;
    } catch (error) {
      kept.close();
      throw error;
    }
  }

  /** The record as a file, to be kept and given to an audit. */
  get recordText(): string {
    return this.#kept.lines("record").map((line) => `${line}\n`).join("");
  }

  /** Keeps what is about to be sent. */
  note(sent: Sent): Promise<void> {
    return this.#change(() => this.#append(this.#linesOf(sent), sent));
  }

  /** Keeps the link for a hand, in chain, record and journal at once; the same on a retry. */
  noteLink(due: LinkDue): Promise<SentOf<"link"> | NoLink> {
    return this.#change(async () => {
      const found = this.chains.find(due.hand, due.anchor);
      if (typeof found === "string") return found;
      const sent = { kind: "link", hand: due.hand, link: found.value } as const;
      const recorded = this.record.link(due.hand, found.value, due.checkpoint);
      const lines: Line[] = [];
      if (found.line !== undefined) lines.push(["chain", found.line]);
      if (recorded !== undefined) lines.push(["record", recorded]);
      const isKnown = this.sent.some((one) => one.kind === "link" && one.hand === due.hand);
      if (!isKnown) lines.push(["sent", journaled(sent)]);
      await this.#append(lines, isKnown ? undefined : sent);
      return sent;
    });
  }

  /** Begins a chain long enough for so many hands, and gives its anchor. */
  newAnchor(entropy: Entropy, hands: number): Promise<string> {
    return this.#change(async () => {
      const { line, anchor } = this.chains.draw(entropy, hands);
      await this.#append([["chain", line]]);
      return anchor;
    });
  }

  /** Keeps a checkpoint, and the hands whose link a void calls missing though it was sent. */
  keep(checkpoint: string | undefined, missed: readonly number[]): Promise<void> {
    return this.#change(() => {
      const lines = missed.map((hand) => this.record.missed(hand));
      if (checkpoint !== undefined) lines.push(this.record.checkpoint(checkpoint));
      return this.#append(lines.flatMap((line): Line[] => (line ? [["record", line]] : [])));
    });
  }

  /** Keeps why the client left, and what it saw. */
  async refuse(refused: Refused): Promise<void> {
    const recorded = this.record.refused(refused);
    const lines = evidenceText(refused, this.#key.text, this.#player).trimEnd().split("\n");
    await Promise.all([
      this.#change(() => this.#append(recorded === undefined ? [] : [["record", recorded]])),
      // As long as the dealer likes: where there is no place for it, there is for the line before.
      this.#change(() => this.#append(lines.map((line): Line => ["evidence", line]))),
    ]);
  }

  /** Lets another page hold it, when what is being written is durable. */
  async close(): Promise<void> {
    await this.#writing;
    this.#kept.close();
  }

  #linesOf(sent: Sent): Line[] {
    const lines: Line[] = [["sent", journaled(sent)]];
    if ((sent.kind === "seat" || sent.kind === "anchor") && sent.anchor !== "") {
      const recorded = this.record.anchor(sent.anchor);
      if (recorded !== undefined) lines.unshift(["record", recorded]);
    }
    return lines;
  }

  async #append(lines: readonly Line[], sent?: Sent): Promise<void> {
    if (lines.length > 0) await this.#kept.append(...lines);
    for (const [drawer, line] of lines) {
      if (drawer === "chain") this.chains.take(line);
      if (drawer === "record") this.record.take(line);
    }
    if (sent !== undefined) this.sent.push(sent);
  }

  #change<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(change);
    this.#writing = done.catch(() => undefined);
    return done;
  }
}

function journaled(sent: Sent): string {
  return encode(sent);
}

function readSigned(note: string | undefined, key: NoteKey, game: string): Signed | undefined {
  if (note === undefined) return undefined;
  try {
    return { ...openCheckpoint(note, key, logOrigin(key.name, game)), note };
  } catch {
    throw new KeepingError("the record that is kept is damaged");
  }
}

function readKept(line: string): Sent {
  try {
    return readSent(JSON.parse(line));
  } catch {
    throw new KeepingError("the journal that is kept is damaged");
  }
}
