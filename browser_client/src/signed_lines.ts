/**
 * Keeps the lines received of one log, and holds them to the dealer's word (PROTOCOL.md 11):
 *
 * - the lines come in order (LINE), and none that was received comes with other bytes (ROOT);
 * - every checkpoint is signed by the dealer's key and of this log (SIGNATURE), and of exactly the
 *   lines received, by their own Merkle tree (ROOT); each line is under one in time (UNCOVERED; see
 *   `due`);
 * - the log goes on from what the client kept of it before its page was reloaded (ROOT);
 * - times do not fall, and run at most 5 s ahead of the client's own clock (TIME).
 */

import { hexOf, isSame } from "./bytes.js";
import { Due, PATIENCE_MS } from "./due.js";
import type { Entry } from "./lines.js";
import type { Message } from "./message.js";
import { leafHash, Tree } from "./merkle.js";
import { logOrigin, NoteError, openCheckpoint, type Checkpoint, type NoteKey } from "./note.js";
import { ProtocolBreach, type Refused } from "./refusing.js";

const AHEAD_MS = 5_000;

/**
 * Which log is watched, under which key, and since when: `joined` is the client's own monotonic
 * time, in milliseconds, just before it asked for the log's size, and `backlog` that size. `signed`
 * is the last checkpoint that the client kept before, if it was in the game already.
 */
export interface Joined {
  readonly game: string;
  readonly key: NoteKey;
  readonly joined: number;
  readonly backlog: number;
  readonly signed?: Signed | undefined;
}

/** What the dealer had signed before the client came again, and the note of that. */
export interface Signed extends Checkpoint {
  readonly note: string;
}

export class SignedLines {
  readonly #watched: Joined;
  readonly #origin: string;
  readonly #tree = new Tree();
  readonly #lines: Uint8Array[] = [];
  readonly #notes = new Map<number, string>();
  #covered = 0;
  /** Lines under no checkpoint yet: since when each waits. */
  #uncovered: { readonly index: number; readonly due: Due }[] = [];
  /** How many streams have ended that told anything, and whether this one has. */
  #streams = 0;
  #hasSpoken = false;
  #at = 0;
  #base: number | undefined;
  #liveFrom: number;
  #signed: Signed | undefined;

  constructor(watched: Joined) {
    this.#watched = watched;
    this.#origin = logOrigin(watched.key.name, watched.game);
    this.#liveFrom = watched.backlog;
    this.#signed = watched.signed;
  }

  /** How many lines were received. */
  get size(): number {
    return this.#lines.length;
  }

  /** How many lines are under a checkpoint: where to go on watching after a break. */
  get covered(): number {
    return this.#covered;
  }

  /**
   * Whether all lines came that there were on joining, or after the last break, and what was signed
   * before is of these lines.
   */
  get caughtUp(): boolean {
    return this.size >= this.#liveFrom && this.isHeld;
  }

  /** Whether what was signed before is of the lines received. */
  get isHeld(): boolean {
    return this.#signed === undefined;
  }

  /** The monotonic time at which a line is overdue to be covered; undefined for never. */
  get deadline(): number | undefined {
    return this.#uncovered[0]?.due.deadline;
  }

  /** How many streams have ended that told anything. */
  get streams(): number {
    return this.#streams;
  }

  root(size: number): string {
    return hexOf(this.#tree.root(size));
  }

  /** The checkpoint of a size, if it is kept. */
  checkpointOf(size: number): string | undefined {
    return this.#notes.get(size);
  }

  /** Whether a line was there on joining, or when the stream last began anew. */
  isOld(index: number): boolean {
    return index < this.#liveFrom;
  }

  /**
   * Learns that the stream begins anew, where the log has `size` lines: what is due, is due again.
   * Throws UNCOVERED where streams enough have ended before a line was under a checkpoint.
   */
  interrupted(now: number, size: number): void {
    this.#liveFrom = Math.max(this.#liveFrom, size);
    if (this.#hasSpoken) this.#streams += 1;
    this.#hasSpoken = false;
    this.#uncovered = this.#uncovered.map(({ index, due }) => ({ index, due: due.again(now) }));
    const [first] = this.#uncovered;
    if (first?.due.isWithheld(now, this.#streams) === true) {
      const { index, due } = first;
      const seconds = Math.round((now - due.begun) / 1000);
      const told = `${this.#streams - due.streams} streams in ${seconds} s`;
      throw new ProtocolBreach("UNCOVERED", `line ${index} is under no checkpoint by ${told}`);
    }
  }

  /** Throws ROOT where a log of so many lines is shorter than what was signed of it before. */
  requireSigned(size: number): void {
    if (this.#signed !== undefined && size < this.#signed.size) {
      const detail = `the log has ${size} lines, and ${this.#signed.size} were signed before`;
      throw new ProtocolBreach("ROOT", detail);
    }
  }

  /** Gives the lines of a message that are new, each to be added before the next is asked for. */
  *receive(message: Message): Generator<Uint8Array, void> {
    this.#hasSpoken = true;
    if (message.lines.length > 0 && message.first > this.size) {
      const detail = `the stream goes on at line ${message.first}, and line ${this.size} is next`;
      throw new ProtocolBreach("LINE", detail);
    }
    for (const [offset, line] of message.lines.entries()) {
      const index = message.first + offset;
      const known = this.#lines[index];
      if (known === undefined) yield line;
      else if (!isSame(known, line)) {
        throw new ProtocolBreach("ROOT", `line ${index} was sent again with other bytes`);
      }
    }
  }

  /** Throws TIME where the next line's time falls, or runs ahead of `now`. */
  checkTime(entry: Entry, now: number): void {
    if (entry.at < this.#at) {
      const detail = `line ${entry.index} is of ${entry.at}, and the line before of ${this.#at}`;
      throw new ProtocolBreach("TIME", detail);
    }
    this.#at = entry.at;
    if (entry.index < this.#watched.backlog) return;
    this.#base ??= entry.at;
    const ahead = entry.at - this.#base - (now - this.#watched.joined);
    if (ahead > AHEAD_MS) {
      const detail = `line ${entry.index} runs ${Math.round(ahead)} ms ahead of the time since joining`;
      throw new ProtocolBreach("TIME", detail);
    }
  }

  /** Keeps the next line; from `now` on it waits for a checkpoint. */
  add(line: Uint8Array, now: number): void {
    this.#uncovered.push({ index: this.size, due: Due.fromNow(now, this.#streams) });
    this.#lines.push(line);
    this.#tree.append(leafHash(line));
  }

  /** Takes a checkpoint and gives its size; ProtocolBreach SIGNATURE or ROOT. */
  cover(note: string): number {
    const { size, root } = this.#read(note);
    if (size > this.size) {
      const detail = `a checkpoint covers ${size} lines, and ${this.size} were received`;
      throw new ProtocolBreach("ROOT", detail);
    }
    if (!isSame(root, this.#tree.root(size))) {
      throw new ProtocolBreach("ROOT", `the checkpoint of size ${size} is of other lines`);
    }
    this.#notes.set(size, note);
    this.#covered = Math.max(this.#covered, size);
    this.#uncovered = this.#uncovered.filter(({ index }) => index >= size);
    this.#holdToSigned(size);
    return size;
  }

  /** Throws ROOT where what was signed before is of other lines: by then both are signed. */
  #holdToSigned(size: number): void {
    const signed = this.#signed;
    if (signed === undefined || size < signed.size) return;
    if (!isSame(signed.root, this.#tree.root(signed.size))) {
      const detail = `the checkpoint of size ${signed.size} that was kept before is of other lines`;
      throw new ProtocolBreach("ROOT", detail);
    }
    this.#signed = undefined;
  }

  /** Lets go of all checkpoints but that of the most lines. */
  keepLastNote(): void {
    const last = this.#notes.get(this.#covered);
    this.#notes.clear();
    if (last !== undefined) this.#notes.set(this.#covered, last);
  }

  /** Throws UNCOVERED where a line is under no checkpoint in time. */
  requireCovered(now: number): void {
    const [first] = this.#uncovered;
    if (first !== undefined && now > first.due.deadline) {
      const detail = `line ${first.index} is under no checkpoint ${PATIENCE_MS / 1000} s after it came`;
      throw new ProtocolBreach("UNCOVERED", detail);
    }
  }

  /** Makes the refusal of the log for a breach, with all that was seen of it as evidence. */
  refuse(breach: ProtocolBreach, message: Message | undefined): Refused {
    const checkpoints = new Map([...this.#notes].sort(([one], [other]) => one - other));
    // Every line that is kept was read, and so is ASCII.
    const lines = this.#lines.map((line) => new TextDecoder().decode(line));
    const evidence = { lines, checkpoints, kept: this.#signed?.note, received: message };
    const { reason, message: detail } = breach;
    return { type: "refused", game: this.#watched.game, reason, detail, evidence };
  }

  #read(note: string): { readonly size: number; readonly root: Uint8Array } {
    try {
      return openCheckpoint(note, this.#watched.key, this.#origin);
    } catch (error) {
      if (error instanceof NoteError) throw new ProtocolBreach("SIGNATURE", error.message);
      throw error;
    }
  }
}
