/**
 * Follows a game's entries through the grammar of PROTOCOL.md section 7.
 *
 * What does not fit is a breach LINE, a hand whose number is missing or comes twice HAND_NUMBER,
 * and a second deck for a hand SECOND_DECK. A void must be one that section 7 allows. Poker itself
 * is the audit's to judge.
 */

import type { Entry, EntryOf, Kind, SeatState } from "./lines.js";
import { ProtocolBreach } from "./refusing.js";

export type Phase = "start" | "between" | "opened" | "posting" | "playing" | "closed";

export const ASIDES: ReadonlySet<Kind> = new Set<Kind>([
  "seat_taken",
  "seat_left",
  "player_removed",
  "sat_out",
  "came_back",
  "preferred",
  "paused",
  "resumed",
  "anchored",
]);
const PLAYED: readonly Kind[] = [
  "runs_agreed",
  "blinds_chopped",
  "dealt",
  "acted",
  "opened",
  "mucked",
  "returned",
  "awarded",
];
const ALLOWED: Readonly<Record<Phase, ReadonlySet<Kind>>> = {
  start: new Set<Kind>(["game_opened"]),
  between: new Set<Kind>([...ASIDES, "chips_added", "colored_up", "hand_opened", "game_closed"]),
  opened: new Set<Kind>([...ASIDES, "hand_void", "deck_committed"]),
  posting: new Set<Kind>([...ASIDES, ...PLAYED, "posted", "hand_ended", "hand_void"]),
  playing: new Set<Kind>([...ASIDES, ...PLAYED, "hand_ended", "hand_void"]),
  closed: new Set<Kind>(["secret_revealed"]),
};

/** Whether an opening deals a seat in. */
export function isDealtIn(seat: SeatState): boolean {
  return seat.state === "in" || seat.state === "absent";
}

/** The phase of one game, the number of its last hand, and what is still to be revealed. */
export class Grammar {
  phase: Phase = "start";
  hand = 0;
  #dealtIn: ReadonlySet<string> = new Set();
  #frozen: ReadonlyMap<number, string> = new Map();
  #openedAt = 0;
  #linkMs = 0;
  #isTournament = false;
  readonly #toReveal: number[] = [];

  /** Whether the game is closed and every hand that was not void is revealed. */
  get finished(): boolean {
    return this.phase === "closed" && this.#toReveal.length === 0;
  }

  /** Goes on by one entry; ProtocolBreach where it does not fit. */
  accept(entry: Entry): void {
    const { kind } = entry;
    if (kind === "deck_committed" && (this.phase === "posting" || this.phase === "playing")) {
      const detail = `line ${entry.index} commits a second deck for hand ${this.hand}`;
      throw new ProtocolBreach("SECOND_DECK", detail);
    }
    if (!ALLOWED[this.phase].has(kind)) {
      refuse(entry, `${kind} has no place in the phase ${this.phase}`);
    }
    if (kind !== "hand_opened" && kind !== "secret_revealed" && "hand" in entry.body) {
      const { hand } = entry.body;
      if (hand !== this.hand) refuse(entry, `it names hand ${hand}, and the open one is ${this.hand}`);
    }
    this.#advance(entry);
  }

  #advance(entry: Entry): void {
    switch (entry.kind) {
      case "game_opened":
        this.#linkMs = entry.body.rules.link_ms;
        this.#isTournament = entry.body.rules.tournament !== undefined;
        this.phase = "between";
        break;
      case "colored_up":
        this.#requireTournament(entry, true);
        break;
      case "hand_opened":
        this.#open(entry);
        break;
      case "anchored":
        if (this.phase !== "between" && this.#dealtIn.has(entry.body.player)) {
          refuse(entry, "a player dealt in does not anchor in the middle of a hand");
        }
        break;
      case "hand_void":
        this.#requireAllowedVoid(entry);
        this.phase = "between";
        break;
      case "deck_committed":
        this.phase = "posting";
        break;
      case "hand_ended":
        this.#toReveal.push(this.hand);
        this.phase = "between";
        break;
      case "game_closed":
        this.phase = "closed";
        break;
      case "secret_revealed":
        this.#reveal(entry);
        break;
      default:
        if (PLAYED.includes(entry.kind)) this.phase = "playing";
    }
  }

  #open(entry: EntryOf<"hand_opened">): void {
    const { hand, seats, level } = entry.body;
    if (hand !== this.hand + 1) {
      const detail = `line ${entry.index} opens hand ${hand} where hand ${this.hand + 1} is next`;
      throw new ProtocolBreach("HAND_NUMBER", detail);
    }
    this.#requireTournament(entry, level !== undefined);
    const dealtIn = seats.filter(isDealtIn);
    if (dealtIn.length < 2) refuse(entry, "a hand opens with two seats or more dealt in");
    this.hand = hand;
    this.phase = "opened";
    this.#openedAt = entry.at;
    this.#dealtIn = new Set(dealtIn.map((seat) => seat.player));
    this.#frozen = new Map(
      dealtIn
        .filter((seat) => seat.state === "in" && seat.anchor !== undefined)
        .map((seat) => [seat.seat, seat.player]),
    );
  }

  #requireTournament(entry: Entry, isThere: boolean): void {
    if (isThere !== this.#isTournament) {
      refuse(entry, "a level and colored_up are a tournament's table's, and no other's");
    }
  }

  #requireAllowedVoid(entry: EntryOf<"hand_void">): void {
    const { reason, links, missing } = entry.body;
    if (this.phase !== "opened") {
      if (reason !== "dealer_fault" || links.length > 0) {
        refuse(entry, "a hand whose deck is committed is void by dealer_fault alone");
      }
      return;
    }
    const came = new Set(links.map((link) => link.seat));
    if ([...came].some((seat) => !this.#frozen.has(seat))) {
      refuse(entry, "a link came from a seat without a frozen anchor");
    }
    if (reason !== "link_missing") return;
    const owed = [...this.#frozen].filter(([seat]) => !came.has(seat));
    const named = new Map(missing.map((one) => [one.seat, one.player]));
    if (named.size !== owed.length || owed.some(([seat, player]) => named.get(seat) !== player)) {
      refuse(entry, "`missing` is not every frozen anchor whose link did not come");
    }
    if (entry.at < this.#openedAt + this.#linkMs) {
      refuse(entry, `links had ${this.#linkMs} ms, and less has passed`);
    }
  }

  #reveal(entry: EntryOf<"secret_revealed">): void {
    const next = this.#toReveal.shift();
    if (next !== entry.body.hand) {
      const due = next === undefined ? "none is left" : `hand ${next} is next`;
      refuse(entry, `it reveals hand ${entry.body.hand} where ${due}`);
    }
  }
}

function refuse(entry: Entry, why: string): never {
  throw new ProtocolBreach("LINE", `line ${entry.index} (${entry.kind}): ${why}`);
}
