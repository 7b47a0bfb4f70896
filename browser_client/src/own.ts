/**
 * What stands in the log under the player's own name, held against what its client sent
 * (PROTOCOL.md section 11).
 *
 * Its anchor must stand, unchanged, in every opening (ANCHOR); nothing may stand as its own that it
 * did not send and no rule made, nor a hand open with it sitting out where it does not (NOT_MINE);
 * and a game that goes on from another must have given it time to anchor (NO_TIME_TO_ANCHOR).
 */

import { ASIDES, isDealtIn } from "./grammar.js";
import type { Entry, EntryOf, SeatState } from "./lines.js";
import { ProtocolBreach } from "./refusing.js";
import type { Choice, PreAct, Sent, SentKind } from "./sent.js";

const AHEAD: Readonly<Record<PreAct, readonly string[]>> = {
  none: [],
  check_fold: ["check", "fold"],
  check: ["check"],
  call: ["call"],
  call_any: ["check", "call"],
  fold: ["fold"],
};

/**
 * A void called the player's link missing; `sent` when the client had sent it. `anchor` is the one
 * that the opening froze: the missing link is the value before it.
 */
export interface Missed {
  readonly hand: number;
  readonly anchor: string;
  readonly sent: boolean;
}

/** One player in one game: its seat, its anchor, its misses, and what it sent. */
export class Own {
  readonly player: string;
  seat: number | undefined;
  anchor: string | undefined;
  /** Whether a link that is not logged has left the client: its anchor is of no more use. */
  anchorSpent = false;
  /** The open hand, where the player is dealt in. */
  hand: number | undefined;
  leaving = false;
  /** Whether anything that the client sent was found in the log. */
  isFound = false;
  sittingOut = false;
  missed: readonly Missed[] = [];
  choices: readonly Choice[] = [];
  #counting: readonly Choice[] = [];
  #choicesAtOnce = true;
  readonly #sent: Sent[] = [];
  readonly #links = new Map<number, string>();
  #absent = false;
  #anchorFrom: number | undefined;
  #clockActed = false;
  #movedAt = 0;
  #bankMs = 0;
  #turnMs = 0;
  #linkMs = 0;

  constructor(player: string) {
    this.player = player;
  }

  /** The player's seat in the open hand; undefined when it is not dealt in. */
  get handSeat(): number | undefined {
    return this.hand === undefined ? undefined : this.seat;
  }

  /** Remembers what is about to be sent. */
  note(sent: Sent): void {
    if (sent.kind === "link") this.#links.set(sent.hand, sent.link);
    else this.#sent.push(sent);
  }

  /** Judges one entry that follows the grammar; ProtocolBreach for what is not the player's. */
  accept(entry: Entry): void {
    switch (entry.kind) {
      case "game_opened":
        this.#takeOver(entry);
        break;
      case "hand_opened":
        this.#checkOpening(entry);
        break;
      case "deck_committed":
        this.#checkLinks(entry);
        break;
      case "hand_void":
        this.#checkLinks(entry);
        this.#checkMissing(entry);
        this.#endHand();
        break;
      case "hand_ended":
        this.#endHand();
        break;
      case "runs_agreed":
      case "blinds_chopped":
        this.#checkAgreement(entry);
        break;
      default:
        if ("player" in entry.body) {
          if (entry.body.player === this.player) this.#checkNamed(entry);
        } else if ("seat" in entry.body && entry.body.seat === this.handSeat) {
          this.#checkPlay(entry);
        }
    }
    if (!ASIDES.has(entry.kind)) this.#movedAt = entry.at;
  }

  #takeOver(entry: EntryOf<"game_opened">): void {
    const { rules, previous } = entry.body;
    this.#turnMs = rules.turn_ms;
    this.#linkMs = rules.link_ms;
    this.#choicesAtOnce = rules.choices !== "before_links";
    const mine = previous?.seats.find((seat) => seat.player === this.player);
    if (mine === undefined) return;
    this.seat = mine.seat;
    this.sittingOut = mine.sitting_out;
    this.#anchorFrom = mine.anchored ? entry.at : undefined;
  }

  #checkOpening(entry: EntryOf<"hand_opened">): void {
    const { body } = entry;
    const mine = body.seats.find((seat) => seat.player === this.player);
    if (mine?.seat !== this.seat || mine?.anchor !== this.anchor) {
      const detail =
        `line ${entry.index}: hand ${body.hand} opens with ${told(mine?.anchor)} for ` +
        `${this.player} in seat ${mine?.seat ?? "none"}, whose last logged one is ` +
        `${told(this.anchor)} in seat ${this.seat ?? "none"}`;
      throw new ProtocolBreach("ANCHOR", detail);
    }
    this.#checkTimeToAnchor(entry);
    const isAway = mine?.state === "sitting_out" || mine?.state === "absent";
    if (mine !== undefined && isAway !== this.sittingOut) {
      refuse(entry, `its seat is ${mine.state}, which is not what it last chose`);
    }
    this.hand = mine !== undefined && isDealtIn(mine) ? body.hand : undefined;
    this.#absent = mine?.state === "absent";
    this.#bankMs = mine?.bank_ms ?? 0;
    this.#checkChoices(entry, mine);
  }

  #checkTimeToAnchor(entry: EntryOf<"hand_opened">): void {
    const begun = this.#anchorFrom;
    this.#anchorFrom = undefined;
    if (begun === undefined || this.seat === undefined || this.anchor !== undefined) return;
    if (entry.at < begun + this.#linkMs) {
      const detail =
        `line ${entry.index}: hand ${entry.body.hand} opened ${entry.at - begun} ms after the ` +
        `game, before the ${this.#linkMs} ms for a new anchor had passed`;
      throw new ProtocolBreach("NO_TIME_TO_ANCHOR", detail);
    }
  }

  #checkChoices(entry: EntryOf<"hand_opened">, mine: SeatState | undefined): void {
    if ((mine?.choices ?? []).join() !== this.choices.join()) {
      refuse(entry, "it repeats other choices than the client sent");
    }
    const straddles = this.handSeat !== undefined && entry.body.straddle_seat === this.seat;
    if (straddles && !this.choices.includes("straddle")) {
      refuse(entry, "it straddles, and did not choose to");
    }
    this.#counting = this.choices;
  }

  /** Whether a choice of the player's counts in the open hand (9.8). */
  #counts(choice: Choice): boolean {
    return (this.#choicesAtOnce ? this.choices : this.#counting).includes(choice);
  }

  #checkAgreement(entry: EntryOf<"runs_agreed"> | EntryOf<"blinds_chopped">): void {
    if (this.handSeat === undefined || !entry.body.seats.includes(this.handSeat)) return;
    if (!this.#counts(entry.kind === "runs_agreed" ? "runs" : "chop")) {
      refuse(entry, "it agrees, and did not choose to");
    }
  }

  #checkLinks(entry: EntryOf<"deck_committed"> | EntryOf<"hand_void">): void {
    const { hand, links } = entry.body;
    const given = this.#links.get(hand);
    const seat = this.handSeat;
    const logged = seat === undefined ? undefined : links.find((one) => one.seat === seat);
    if (logged !== undefined) {
      if (logged.link !== given) refuse(entry, "the link logged for it is none that it sent");
      this.anchor = given;
    } else if (given !== undefined && entry.kind === "hand_void" && this.anchor !== given) {
      // A link that left the client is spent, logged or not (section 2).
      this.anchorSpent = this.anchor !== undefined;
    }
  }

  #checkMissing(entry: EntryOf<"hand_void">): void {
    const { hand, missing } = entry.body;
    if (!missing.some((one) => one.player === this.player)) return;
    const sent = this.#links.has(hand);
    this.missed = [...this.missed, { hand, anchor: this.anchor ?? "", sent }];
    this.anchor = undefined;
    this.anchorSpent = false;
  }

  #endHand(): void {
    this.hand = undefined;
    if (this.leaving) this.#leave();
  }

  #leave(): void {
    this.seat = undefined;
    this.anchor = undefined;
    this.anchorSpent = false;
    this.leaving = false;
    this.choices = [];
    this.sittingOut = false;
    this.#anchorFrom = undefined;
  }

  #checkNamed(entry: Entry): void {
    switch (entry.kind) {
      case "seat_taken": {
        const { seat, stack, anchor } = entry.body;
        this.#spend(
          entry,
          "seat",
          (sent) =>
            (sent.seat === 0 || sent.seat === seat) &&
            sent.stack === stack &&
            sent.anchor === (anchor ?? ""),
        );
        this.seat = seat;
        this.anchor = anchor;
        this.choices = [];
        this.sittingOut = false;
        break;
      }
      case "anchored": {
        const { anchor, missing_hand = 0, missing_link = "" } = entry.body;
        this.#spend(
          entry,
          "anchor",
          (sent) =>
            sent.anchor === anchor &&
            sent.missing_hand === missing_hand &&
            sent.missing_link === missing_link,
        );
        this.anchor = anchor;
        this.anchorSpent = false;
        break;
      }
      case "chips_added": {
        const { amount } = entry.body;
        this.#spend(entry, "chips", (sent) => sent.amount === amount);
        break;
      }
      case "sat_out":
        if (entry.body.by === "player") this.#spend(entry, "sit_out", () => true);
        else if (!this.#clockActed) {
          refuse(entry, "it sits out by the clock, which did not act for it");
        }
        this.sittingOut = true;
        break;
      case "came_back":
        this.#spend(entry, "come_back", () => true);
        this.sittingOut = false;
        break;
      case "preferred": {
        const { choices } = entry.body;
        this.#spend(entry, "prefer", (sent) => sent.choices.join() === choices.join());
        this.choices = choices;
        break;
      }
      case "seat_left":
      case "player_removed":
        if (entry.kind === "seat_left") this.#spend(entry, "leave", () => true);
        if (entry.body.stack === undefined) this.leaving = true;
        else this.#leave();
        break;
      default:
        break;
    }
    this.#clockActed = false;
  }

  #checkPlay(entry: Entry): void {
    if (entry.kind === "acted") this.#checkAct(entry);
    else if (entry.kind === "mucked" && entry.body.by === "player") {
      refuse(entry, "the client mucks no hand");
    } else if (entry.kind === "opened" && entry.body.by === "player" && !this.#counts("show")) {
      const { hand } = entry.body;
      this.#spend(entry, "show", (sent) => sent.hand === hand);
    }
  }

  #checkAct(entry: EntryOf<"acted">): void {
    const { act, to, by, turn } = entry.body;
    const { hand } = this;
    this.#clockActed = false;
    if (by === "player") {
      const isSized = act === "bet" || act === "raise";
      this.#spend(
        entry,
        "act",
        (sent) =>
          sent.hand === hand &&
          sent.turn === turn &&
          sent.act === act &&
          (!isSized || sent.to === to),
      );
      const over = entry.at - this.#movedAt - this.#turnMs;
      this.#bankMs -= Math.min(this.#bankMs, Math.max(0, over));
    } else if (by === "pre_action") {
      this.#spend(
        entry,
        "pre_select",
        (sent) => sent.hand === hand && AHEAD[sent.act].includes(act),
      );
    } else if (act !== "fold" && act !== "check") {
      refuse(entry, "no rule but its own makes it do more than check or fold");
    } else if (by === "absent") {
      if (!this.leaving && !this.#absent) {
        refuse(entry, "it acts as absent, and has neither left nor been removed");
      }
    } else {
      if (entry.at < this.#movedAt + this.#turnMs + this.#bankMs) {
        refuse(entry, "the clock acted for it before its time was over");
      }
      this.#clockActed = true;
      this.#bankMs = 0;
    }
  }

  /** Takes one send that fits off the list of what was sent, or refuses. */
  #spend<K extends SentKind>(entry: Entry, kind: K, fits: (sent: Extract<Sent, { kind: K }>) => boolean): void {
    const index = this.#sent.findIndex((sent) => sent.kind === kind && fits(sent as Extract<Sent, { kind: K }>));
    if (index < 0) refuse(entry, "it is none that the client sent");
    this.#sent.splice(index, 1);
    this.isFound = true;
  }
}

function told(anchor: string | undefined): string {
  return anchor === undefined ? "no anchor" : `the anchor ${anchor}`;
}

function refuse(entry: Entry, why: string): never {
  throw new ProtocolBreach("NOT_MINE", `line ${entry.index} (${entry.kind}): ${why}`);
}
