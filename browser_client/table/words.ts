/** What the page says, in words. */

import type { ChangeKind, Event, SeatView } from "../src/index.js";

const SUITS: Readonly<Record<string, string>> = { c: "♣", d: "♦", h: "♥", s: "♠" };
const SUIT_NAMES: Readonly<Record<string, string>> = {
  c: "clubs",
  d: "diamonds",
  h: "hearts",
  s: "spades",
};
const RANK_NAMES: Readonly<Record<string, string>> = {
  T: "ten",
  J: "jack",
  Q: "queen",
  K: "king",
  A: "ace",
};

/** "T♥" for "Th". */
export function drawn(card: string): string {
  const rank = card.startsWith("T") ? "10" : (card[0] ?? "");
  return `${rank}${SUITS[card[1] ?? ""] ?? ""}`;
}

/** "ten of hearts" for "Th". */
export function spoken(card: string): string {
  const rank = card[0] ?? "";
  return `${RANK_NAMES[rank] ?? rank} of ${SUIT_NAMES[card[1] ?? ""] ?? ""}`;
}

export function isRed(card: string): boolean {
  return card.endsWith("d") || card.endsWith("h");
}

const STATES: Readonly<Record<SeatView["state"], string>> = {
  in: "",
  absent: "absent",
  sitting_out: "sits out",
  no_chips: "no chips",
  no_anchor: "plays when it adds randomness",
  waiting: "waits for the next hand",
  folded: "folded",
  all_in: "all in",
};

export function stateOf(seat: SeatView): string {
  return STATES[seat.state];
}

/** Tells an event in a sentence; undefined for what the page shows in another way. */
export function sentence(event: Event, nameOf: (seat: number) => string): string | undefined {
  switch (event.type) {
    case "hand_opened":
      return `Hand ${event.hand} begins.`;
    case "posted":
      return `${nameOf(event.seat)} posts ${event.amount} (${event.what.replaceAll("_", " ")}).`;
    case "acted":
      return acted(event, nameOf(event.seat));
    case "board":
      return `Board: ${event.board.map(drawn).join(" ")}.`;
    case "shown":
      return `${nameOf(event.seat)} shows ${event.cards.map(drawn).join(" ")}.`;
    case "mucked":
      return `${nameOf(event.seat)} mucks.`;
    case "bet_returned":
      return `${event.amount} goes back to ${nameOf(event.seat)}.`;
    case "pot_awarded":
      return event.winners
        .map((one) => `${nameOf(one.seat)} wins ${one.amount}${one.name ? `: ${one.name}` : ""}.`)
        .join(" ");
    case "hand_voided":
      return voided(event);
    case "table_changed":
      return CHANGES[event.kind](event.player);
    case "link_not_given":
      return `Your randomness was not given for hand ${event.hand}: ${event.why}.`;
    case "anchor_not_logged":
      return `You play on without adding randomness: ${event.why}.`;
    case "disconnected":
      return "The connection broke; connecting again.";
    case "game_closed":
      return "The game has closed.";
    case "secret_revealed":
      return `The secret of hand ${event.hand} is out: anybody can check its whole deck now.`;
    default:
      return undefined;
  }
}

const CHANGES: Readonly<Record<ChangeKind, (player: string) => string>> = {
  seat_taken: (player) => `${player} takes a seat.`,
  seat_left: (player) => `${player} leaves.`,
  player_removed: (player) => `${player} is removed.`,
  chips_added: (player) => `${player} adds chips.`,
  sat_out: (player) => `${player} sits out.`,
  came_back: (player) => `${player} comes back.`,
  preferred: (player) => `${player} makes a choice.`,
  anchored: (player) => `${player} begins a new chain.`,
  paused: () => "The game is paused.",
  resumed: () => "The game goes on.",
};

function acted(event: Extract<Event, { type: "acted" }>, name: string): string {
  const why = event.by === "clock" ? " (time is over)" : "";
  const { act, to } = event;
  if (act === "bet" || act === "raise") return `${name} ${act}s to ${to}${why}.`;
  return `${name} ${act}s${why}.`;
}

function voided(event: Extract<Event, { type: "hand_voided" }>): string {
  const whose = event.missing.length > 0 ? ` (${event.missing.join(", ")})` : "";
  const blamed = event.blamed ? " It calls missing a link that was sent; that is kept." : "";
  return `Hand ${event.hand} is void: ${event.reason.replaceAll("_", " ")}${whose}. All chips go back.${blamed}`;
}
