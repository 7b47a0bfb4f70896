/**
 * The table as one player sees it, folded from the log's entries and its own openings. A `Viewer`
 * takes what the verifier has proved and gives a `TableView` when asked; it keeps the books (stacks,
 * bets, pots) and judges nothing.
 */

import type { Entry, EntryOf, HandLevel, RuleSet, SeatState } from "./lines.js";
import type { CardOpening, Decision } from "./message.js";
import { ProtocolBreach } from "./refusing.js";

const STREETS = new Map([
  [0, "preflop"],
  [3, "flop"],
  [4, "turn"],
  [5, "river"],
] as const);

export type Street = "preflop" | "flop" | "turn" | "river";

/**
 * A seat: its chips behind, its bet on this street, and the cards that the viewer may see. `state`
 * is a word of PROTOCOL.md 6.3, or "folded", "all_in", or "waiting" for the next hand.
 */
export interface SeatView {
  readonly seat: number;
  readonly player: string;
  readonly stack: number;
  readonly bet: number;
  readonly paid: number;
  readonly state: SeatState["state"] | "folded" | "all_in";
  readonly cards: readonly string[];
  readonly leaving: boolean;
  readonly choices: readonly string[];
  readonly owesLive: number;
  readonly owesDead: number;
  readonly house: boolean;
}

/** Chips in the middle and the seats that can win them, the main pot first. */
export interface Pot {
  readonly amount: number;
  readonly seats: readonly number[];
}

/** One moment at a table; `street` is undefined between hands, `seat` 0 for a watcher. */
export interface TableView {
  readonly game: string;
  readonly hand: number;
  readonly button: number;
  readonly street: Street | undefined;
  readonly board: readonly string[];
  readonly secondBoard: readonly string[];
  readonly seats: readonly SeatView[];
  readonly pots: readonly Pot[];
  /** All chips in the middle, bets of this street among them. */
  readonly pot: number;
  readonly seat: number;
  /** The player's own hole cards of the open hand. */
  readonly cards: readonly string[];
  readonly decision: Decision | undefined;
  /** The game's rules, at a tournament's table with the blinds, ante and unit of the last hand. */
  readonly rules: RuleSet | undefined;
  readonly paused: boolean;
}

/** Whether a seat is dealt in and has not folded. */
export function isLive(seat: SeatView): boolean {
  return seat.state === "in" || seat.state === "absent" || seat.state === "all_in";
}

/** Folds one game for one player (undefined: for a watcher). */
export class Viewer {
  readonly #game: string;
  readonly #player: string | undefined;
  #rules: RuleSet | undefined;
  #seats = new Map<number, SeatView>();
  readonly #away = new Set<number>();
  #hand = 0;
  #button = 0;
  #inHand = false;
  #board: readonly string[] = [];
  #secondBoard: readonly string[] = [];
  #boardDealt = 0;
  #dead = 0;
  readonly #cards = new Map<number, string>();
  #before = new Map<number, number>();
  #paused = false;
  #pots: readonly Pot[] | undefined;
  #decision: Decision | undefined;
  #told: TableView | undefined;

  constructor(game: string, player?: string) {
    this.#game = game;
    this.#player = player;
  }

  get decision(): Decision | undefined {
    return this.#decision;
  }

  /** Takes the turn that stands now. */
  decide(decision: Decision | undefined): void {
    this.#decision = decision;
    this.#told = undefined;
  }

  /** Takes an opening of the player's own. */
  openOwn(opening: CardOpening): void {
    if (opening.hand !== this.#hand || !this.#inHand) return;
    this.#told = undefined;
    this.#cards.set(opening.position, opening.card);
    if (this.#seat !== 0) this.#set(this.#seat, { cards: this.#ownCards() });
  }

  /** Gives the table as it stands; the same until something changes. */
  table(): TableView {
    return (this.#told ??= this.#tell());
  }

  get #seat(): number {
    for (const seat of this.#seats.values()) if (seat.player === this.#player) return seat.seat;
    return 0;
  }

  #ownCards(): string[] {
    return [...this.#cards].sort(([one], [other]) => one - other).map(([, card]) => card);
  }

  #tell(): TableView {
    const seats = [...this.#seats.values()].sort((one, other) => one.seat - other.seat);
    const pots = this.#pots ?? layers(seats, this.#dead);
    return {
      game: this.#game,
      hand: this.#hand,
      button: this.#button,
      street: this.#inHand ? STREETS.get(this.#boardDealt as 0 | 3 | 4 | 5) : undefined,
      board: this.#board,
      secondBoard: this.#secondBoard,
      seats,
      pots,
      pot: pots.reduce((sum, pot) => sum + pot.amount, 0),
      seat: this.#seat,
      cards: this.#ownCards(),
      decision: this.#decision,
      rules: this.#rules,
      paused: this.#paused,
    };
  }

  /** Takes one entry; ProtocolBreach LINE when it names a seat that nobody has. */
  apply(entry: Entry): void {
    this.#told = undefined;
    switch (entry.kind) {
      case "game_opened":
        this.#openGame(entry);
        break;
      case "seat_taken": {
        const { seat, player, stack, house = false } = entry.body;
        this.#seats.set(seat, newSeat(seat, player, stack, { house }));
        this.#away.delete(seat);
        break;
      }
      case "seat_left":
      case "player_removed":
        if (entry.body.stack === undefined) this.#change(entry, entry.body.seat, { leaving: true });
        else this.#seats.delete(entry.body.seat);
        break;
      case "chips_added": {
        const { seat, amount } = entry.body;
        this.#change(entry, seat, { stack: this.#at(entry, seat).stack + amount });
        break;
      }
      case "sat_out": {
        const { seat } = entry.body;
        this.#away.add(seat);
        if (!this.#inHand || this.#at(entry, seat).state === "waiting") {
          this.#change(entry, seat, { state: "sitting_out" });
        }
        break;
      }
      case "came_back": {
        const { seat } = entry.body;
        this.#away.delete(seat);
        if (this.#at(entry, seat).state === "sitting_out") {
          this.#change(entry, seat, { state: "waiting" });
        }
        break;
      }
      case "preferred":
        this.#change(entry, entry.body.seat, { choices: entry.body.choices });
        break;
      case "paused":
      case "resumed":
        this.#paused = entry.kind === "paused";
        break;
      case "hand_opened":
        this.#openHand(entry);
        break;
      case "hand_void":
        for (const [seat, stack] of this.#before) {
          if (this.#seats.has(seat)) this.#set(seat, { stack });
        }
        this.#end();
        break;
      case "posted":
        this.#post(entry);
        break;
      case "runs_agreed":
        this.#secondBoard = this.#board;
        break;
      case "dealt": {
        const cards = entry.body.positions.filter((one) => one.board === 1).length;
        this.#boardDealt += cards;
        if (cards > 0) for (const seat of this.#seats.keys()) this.#set(seat, { bet: 0 });
        break;
      }
      case "acted": {
        const { seat, act, to } = entry.body;
        if (act === "fold") this.#change(entry, seat, { state: "folded" });
        else this.#pay(entry, seat, to - this.#at(entry, seat).bet);
        this.#decision = undefined;
        break;
      }
      case "opened":
        this.#open(entry);
        break;
      case "returned": {
        const { seat, amount } = entry.body;
        const { stack, paid, bet } = this.#at(entry, seat);
        const left = { stack: stack + amount, paid: paid - amount, bet: Math.max(0, bet - amount) };
        this.#change(entry, seat, left);
        break;
      }
      case "awarded":
        this.#award(entry);
        break;
      case "hand_ended":
        for (const { seat, stack } of entry.body.stacks) this.#change(entry, seat, { stack });
        this.#end();
        break;
      case "colored_up":
        for (const { seat, stack } of entry.body.stacks) this.#change(entry, seat, { stack });
        break;
      case "game_closed":
        this.#decision = undefined;
        break;
      default:
        break;
    }
  }

  #at(entry: Entry, seat: number): SeatView {
    const found = this.#seats.get(seat);
    if (found === undefined) {
      const detail = `line ${entry.index} (${entry.kind}): nobody has the seat ${seat}`;
      throw new ProtocolBreach("LINE", detail);
    }
    return found;
  }

  #change(entry: Entry, seat: number, changed: Partial<SeatView>): void {
    this.#seats.set(seat, { ...this.#at(entry, seat), ...changed });
  }

  #set(seat: number, changed: Partial<SeatView>): void {
    const found = this.#seats.get(seat);
    if (found !== undefined) this.#seats.set(seat, { ...found, ...changed });
  }

  #openGame(entry: EntryOf<"game_opened">): void {
    this.#rules = entry.body.rules;
    for (const one of entry.body.previous?.seats ?? []) {
      const state = one.sitting_out ? "sitting_out" : "waiting";
      const { seat, player, stack, house = false } = one;
      this.#seats.set(seat, newSeat(seat, player, stack, { state, house }));
      if (one.sitting_out) this.#away.add(seat);
    }
  }

  #openHand(entry: EntryOf<"hand_opened">): void {
    const { body } = entry;
    this.#hand = body.hand;
    this.#button = body.button;
    this.#inHand = true;
    this.#pots = undefined;
    this.#board = [];
    this.#secondBoard = [];
    this.#boardDealt = 0;
    this.#dead = 0;
    this.#cards.clear();
    this.#decision = undefined;
    this.#seats = new Map(body.seats.map((one) => [one.seat, seatOf(one)]));
    this.#before = new Map(body.seats.map((one) => [one.seat, one.stack]));
    this.#away.clear();
    for (const { seat, state } of body.seats) {
      if (state === "sitting_out" || state === "absent") this.#away.add(seat);
    }
    if (body.level !== undefined && this.#rules !== undefined) {
      this.#rules = rulesAt(this.#rules, body.level);
    }
  }

  #post(entry: EntryOf<"posted">): void {
    const { seat, what, amount } = entry.body;
    if (what === "live") this.#change(entry, seat, { owesLive: 0 });
    if (what === "dead") this.#change(entry, seat, { owesDead: 0 });
    const isAnte = what === "ante";
    if (what === "dead" || (isAnte && this.#rules?.ante?.kind === "big_blind")) {
      this.#dead += amount;
      this.#pay(entry, seat, amount, 0, 0);
    } else {
      this.#pay(entry, seat, amount, isAnte ? 0 : amount);
    }
  }

  #open(entry: EntryOf<"opened">): void {
    const cards = entry.body.cards.map((one) => one.card);
    const { seat, board } = entry.body;
    if (seat !== undefined) this.#change(entry, seat, { cards });
    else if (board === 2) this.#secondBoard = [...this.#secondBoard, ...cards];
    else this.#board = [...this.#board, ...cards];
  }

  #award(entry: EntryOf<"awarded">): void {
    const pots = this.#pots ?? layers([...this.#seats.values()], this.#dead);
    const { pot: number, amount, winners } = entry.body;
    const left = pots.slice(0, number);
    const paid = pots[number];
    if (paid !== undefined && paid.amount > amount) {
      left.push({ amount: paid.amount - amount, seats: paid.seats });
    }
    this.#pots = left;
    for (const one of winners) {
      this.#change(entry, one.seat, { stack: this.#at(entry, one.seat).stack + one.amount });
    }
  }

  /** Takes chips from a stack; all of them are bet and paid where nothing else is said. */
  #pay(entry: Entry, number: number, amount: number, bet = amount, paid = amount): void {
    const seat = this.#at(entry, number);
    const stack = seat.stack - amount;
    const stays = seat.state === "absent" ? "absent" : "in";
    const state = stack > 0 ? stays : "all_in";
    this.#change(entry, number, { stack, bet: seat.bet + bet, paid: seat.paid + paid, state });
  }

  #end(): void {
    this.#inHand = false;
    this.#pots = undefined;
    this.#dead = 0;
    this.#decision = undefined;
    for (const [number, seat] of this.#seats) {
      if (seat.leaving) this.#seats.delete(number);
      else {
        const state = this.#away.has(number) ? "sitting_out" : "waiting";
        this.#seats.set(number, { ...seat, bet: 0, paid: 0, state });
      }
    }
  }
}

function newSeat(
  seat: number,
  player: string,
  stack: number,
  also: Partial<SeatView> = {},
): SeatView {
  return {
    seat,
    player,
    stack,
    bet: 0,
    paid: 0,
    state: "waiting",
    cards: [],
    leaving: false,
    choices: [],
    owesLive: 0,
    owesDead: 0,
    house: false,
    ...also,
  };
}

function seatOf(told: SeatState): SeatView {
  return newSeat(told.seat, told.player, told.stack, {
    state: told.state,
    choices: told.choices ?? [],
    owesLive: told.owes?.live ?? 0,
    owesDead: told.owes?.dead ?? 0,
    house: told.house ?? false,
  });
}

/** The rules by which a hand of that level is played (PROTOCOL.md 8). */
function rulesAt(rules: RuleSet, level: HandLevel): RuleSet {
  const { ante: _, ...without } = rules;
  const { level: __, ...played } = level;
  const big = level.big_blind;
  const limits = rules.limits && { ...rules.limits, small_bet: big, big_bet: 2 * big };
  return { ...without, ...played, ...(limits && { limits }) };
}

/** Lays what the seats have paid in pots, main pot first, which gets dead money (9.6). */
function layers(seats: readonly SeatView[], dead = 0): Pot[] {
  const paid = seats.filter((seat) => seat.paid > 0);
  const totals = [...new Set(paid.filter(isLive).map((seat) => seat.paid))].sort((a, b) => a - b);
  const most = Math.max(0, ...paid.map((seat) => seat.paid));
  const pots: { amount: number; seats: readonly number[] }[] = [];
  let below = 0;
  for (const [index, level] of totals.entries()) {
    const top = index === totals.length - 1 ? most : level;
    const amount = paid.reduce(
      (sum, seat) => sum + Math.min(seat.paid, top) - Math.min(seat.paid, below),
      0,
    );
    const who = paid.filter((seat) => isLive(seat) && seat.paid >= level).map((seat) => seat.seat);
    const last = pots.at(-1);
    if (last?.seats.join() === who.join()) last.amount += amount;
    else pots.push({ amount, seats: who });
    below = level;
  }
  const [main] = pots;
  if (main !== undefined) main.amount += dead;
  return pots;
}
