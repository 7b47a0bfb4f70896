/** What a client tells its user: typed events, in the order in which they happened. */

import type { BodyOf, Entry, EntryOf, Kind } from "./lines.js";
import type { Decision } from "./message.js";
import type { Refused } from "./refusing.js";
import type { TableView } from "./view.js";

/** Who sits, or how, changed, or the operator paused or resumed; `kind` is the entry's. */
export type ChangeKind =
  | "seat_taken"
  | "seat_left"
  | "player_removed"
  | "chips_added"
  | "sat_out"
  | "came_back"
  | "preferred"
  | "anchored"
  | "paused"
  | "resumed";

export interface PotWinner {
  readonly seat: number;
  readonly amount: number;
  /** The hand's name and cards; undefined when the pot was not contested. */
  readonly name: string | undefined;
  readonly bestFive: readonly string[] | undefined;
}

/**
 * How a hand's deck came to be: checked, and committed under a checkpoint before any card.
 * `mine` says that this player's link is in it, and so that nobody could foresee it without the
 * player; `links` of `players` dealt in gave theirs.
 */
export interface DeckMixed {
  readonly type: "deck_mixed";
  readonly hand: number;
  readonly mine: boolean;
  readonly links: number;
  readonly players: number;
  readonly beacon: boolean;
}

export type Event =
  /** All that there was on joining has been told: what comes from now on is new. */
  | { readonly type: "caught_up"; readonly game: string; readonly table: TableView }
  | { readonly type: "hand_opened"; readonly hand: number; readonly table: TableView }
  | DeckMixed
  /** The player's own hole cards, proved under the deck's root. */
  | { readonly type: "my_cards"; readonly hand: number; readonly cards: readonly string[] }
  | {
      readonly type: "board";
      readonly hand: number;
      readonly cards: readonly string[];
      /** All that is on this board now; `number` is 2 for the second one. */
      readonly board: readonly string[];
      readonly number: number;
    }
  /** It is the player's turn, and this is what it may do. */
  | { readonly type: "my_turn"; readonly decision: Decision; readonly table: TableView }
  | ({ readonly type: "posted"; readonly table: TableView } & BodyOf<"posted">)
  | ({ readonly type: "acted"; readonly hand: number; readonly table: TableView } & BodyOf<"acted">)
  | {
      readonly type: "shown";
      readonly seat: number;
      readonly cards: readonly string[];
      readonly by: "rule" | "policy" | "player";
    }
  | { readonly type: "mucked"; readonly seat: number; readonly by: "policy" | "player" }
  | { readonly type: "runs_agreed"; readonly runs: number; readonly seats: readonly number[] }
  | { readonly type: "blinds_chopped"; readonly seats: readonly number[] }
  | { readonly type: "bet_returned"; readonly seat: number; readonly amount: number }
  | {
      readonly type: "pot_awarded";
      readonly pot: number;
      readonly amount: number;
      readonly rake: number;
      readonly board: number;
      readonly half: "high" | "low" | undefined;
      readonly winners: readonly PotWinner[];
    }
  | {
      readonly type: "hand_over";
      readonly hand: number;
      readonly stacks: ReadonlyMap<number, number>;
      readonly table: TableView;
    }
  /** A hand was thrown away; `blamed` when it calls missing a link that the player had sent. */
  | {
      readonly type: "hand_voided";
      readonly hand: number;
      readonly reason: BodyOf<"hand_void">["reason"];
      readonly missing: readonly string[];
      readonly blamed: boolean;
    }
  | {
      readonly type: "table_changed";
      readonly kind: ChangeKind;
      readonly seat: number;
      readonly player: string;
      readonly table: TableView;
    }
  /** The player's link for a hand was given: the deck can not be made without it. */
  | { readonly type: "link_given"; readonly hand: number }
  | { readonly type: "link_not_given"; readonly hand: number; readonly why: string }
  /** The dealer took no new anchor: the player plays on without adding randomness. */
  | { readonly type: "anchor_not_logged"; readonly why: string }
  | { readonly type: "choices_not_set"; readonly why: string }
  /** The stream broke; the client connects anew by itself. */
  | { readonly type: "disconnected"; readonly why: string }
  | {
      readonly type: "game_closed";
      readonly game: string;
      readonly reason: BodyOf<"game_closed">["reason"];
      /** The game that goes on from this one, where there is one. */
      readonly next: string | undefined;
      readonly stacks: ReadonlyMap<string, number>;
    }
  /** A hand's secret was shown after the close: any audit can derive its deck now. */
  | { readonly type: "secret_revealed"; readonly hand: number }
  | Refused;

const CHANGES: ReadonlySet<Kind> = new Set<ChangeKind>([
  "seat_taken",
  "seat_left",
  "player_removed",
  "chips_added",
  "sat_out",
  "came_back",
  "preferred",
  "anchored",
  "paused",
  "resumed",
]);

function isChange(entry: Entry): entry is Extract<Entry, { kind: ChangeKind }> {
  return CHANGES.has(entry.kind);
}

/** Tells an entry as an event, with the table after it; undefined for what a user need not hear. */
export function tell(entry: Entry, table: TableView, blamed: boolean): Event | undefined {
  if (isChange(entry)) {
    const { seat = 0, player = "" } = entry.body as { seat?: number; player?: string };
    return { type: "table_changed", kind: entry.kind, seat, player, table };
  }
  switch (entry.kind) {
    case "hand_opened":
      return { type: "hand_opened", hand: entry.body.hand, table };
    case "posted":
      return { type: "posted", ...entry.body, table };
    case "acted":
      return { type: "acted", hand: table.hand, ...entry.body, table };
    case "opened":
      return tellOpened(entry, table);
    case "mucked":
      return { type: "mucked", seat: entry.body.seat, by: entry.body.by };
    case "runs_agreed":
      return { type: "runs_agreed", runs: entry.body.runs, seats: entry.body.seats };
    case "blinds_chopped":
      return { type: "blinds_chopped", seats: entry.body.seats };
    case "returned":
      return { type: "bet_returned", seat: entry.body.seat, amount: entry.body.amount };
    case "awarded":
      return tellAwarded(entry);
    case "hand_void": {
      const { hand, reason, missing } = entry.body;
      return { type: "hand_voided", hand, reason, missing: missing.map((one) => one.player), blamed };
    }
    case "hand_ended": {
      const stacks = new Map(entry.body.stacks.map((one) => [one.seat, one.stack]));
      return { type: "hand_over", hand: entry.body.hand, stacks, table };
    }
    case "game_closed": {
      const { reason, next } = entry.body;
      const stacks = new Map(entry.body.stacks.map((one) => [one.player, one.stack]));
      return { type: "game_closed", game: table.game, reason, next, stacks };
    }
    case "secret_revealed":
      return { type: "secret_revealed", hand: entry.body.hand };
    default:
      return undefined;
  }
}

function tellOpened(entry: EntryOf<"opened">, table: TableView): Event {
  const { hand, seat, board, by } = entry.body;
  const cards = entry.body.cards.map((one) => one.card);
  if (seat !== undefined) return { type: "shown", seat, cards, by };
  const number = board ?? 1;
  const all = number === 2 ? table.secondBoard : table.board;
  return { type: "board", hand, cards, board: all, number };
}

function tellAwarded(entry: EntryOf<"awarded">): Event {
  const { pot, amount, rake, board, half } = entry.body;
  const winners = entry.body.winners.map((one) => ({
    seat: one.seat,
    amount: one.amount,
    name: one.name,
    bestFive: one.best_five,
  }));
  return { type: "pot_awarded", pot, amount, rake, board, half, winners };
}
