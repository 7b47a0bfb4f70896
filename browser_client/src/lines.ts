/**
 * Reads a transcript's lines: each is exactly of the shapes of PROTOCOL.md section 6, or a breach
 * LINE that says where it is not. What comes out can be used as it is typed.
 */

import { CanonicalError, decode } from "./canonical.js";
import {
  AMOUNT,
  BYTES16,
  BYTES32,
  COUNT,
  PLAIN,
  PLAYER,
  SEAT,
  boolean,
  fail,
  integer,
  list,
  object,
  optional,
  rising,
  ruled,
  text,
  words,
  yes,
} from "./shapes.js";

const bySeat = (one: { readonly seat: number }): number => one.seat;
const byPlayer = (one: { readonly player: string }): string => one.player;
const itself = <T>(one: T): T => one;

/** Refuses an object in which one of two fields stands without the other. */
function together(one: string, other: string): (value: object, where: string) => void {
  return (value, where) => {
    if (one in value !== other in value) fail(where, `${one} and ${other} stand together or not at all`);
  };
}

const position = integer(0, 51);
const board = integer(1, 2);
const card = text(/^[2-9TJQKA][cdhs]$/, "a card");
const choices = rising(words("chop", "runs", "show", "straddle"), itself);
const links = rising(object({ seat: SEAT, link: BYTES32 }), bySeat);
const seats = rising(SEAT, itself, 2);
const atSeat = { seat: SEAT, player: PLAYER };
const left = object({ ...atSeat, stack: optional(AMOUNT) });
const ante = object({ kind: words("each", "big_blind"), amount: COUNT });

const rules = object({
  variant: words("holdem", "omaha", "omaha_hi_lo"),
  structure: words("no_limit", "pot_limit", "fixed_limit"),
  seats: integer(2, 10),
  small_blind: COUNT,
  big_blind: COUNT,
  chip_unit: COUNT,
  buy_in_min: COUNT,
  buy_in_max: COUNT,
  button: words("moving", "dead"),
  newcomers: words("next_hand", "post", "wait", "by_position"),
  absent: words("sit_out", "dealt_in"),
  show: words("winners", "all"),
  all_in: words("face_up"),
  turn_ms: AMOUNT,
  link_ms: AMOUNT,
  pause_ms: AMOUNT,
  links: words("optional", "required"),
  log_proof: words("none", "follow", "before_cards"),
  reveal: object({ policy: words("all_cards"), within_ms: AMOUNT }),
  max_hands: COUNT,
  max_ms: COUNT,
  beacon: optional(object({ chain: BYTES32 })),
  hole_cards: optional(integer(4, 6)),
  limits: optional(
    object({ small_bet: COUNT, big_bet: COUNT, cap: AMOUNT, uncapped_heads_up: boolean }),
  ),
  pot_small_blind: optional(words("exact", "rounded_up")),
  ante: optional(ante),
  straddle: optional(
    object({
      kind: words("under_the_gun", "button", "mississippi"),
      min_raise: words("double", "big_blind"),
    }),
  ),
  missed_blinds: optional(words("live", "dead", "wait")),
  runs: optional(integer(2, 2)),
  chop: optional(words("blinds")),
  choices: optional(words("before_links", "at_once")),
  rake: optional(
    object({
      per_ten_thousand: integer(0, 10_000),
      caps: rising(object({ players: integer(2, 10), cap: AMOUNT }), (one) => one.players, 1),
      no_flop_no_drop: boolean,
    }),
  ),
  return_ms: optional(AMOUNT),
  time_bank: optional(object({ start_ms: AMOUNT, per_hand_ms: AMOUNT, max_ms: AMOUNT })),
  disconnect_ms: optional(AMOUNT),
  watch_delay_ms: optional(integer(1_000, 3_600_000)),
  tournament: optional(object({ tournament: BYTES16, table: COUNT })),
});

const previous = object({
  game: BYTES16,
  size: COUNT,
  root: BYTES32,
  button: integer(0, 10),
  button_stays: boolean,
  seats: rising(
    object({ ...atSeat, stack: AMOUNT, sitting_out: boolean, anchored: boolean, house: optional(yes) }),
    bySeat,
  ),
});

const seatState = object({
  ...atSeat,
  stack: AMOUNT,
  state: words("in", "absent", "sitting_out", "no_chips", "no_anchor", "waiting"),
  anchor: optional(BYTES32),
  choices: optional(
    ruled(choices, (value, where) => {
      if (value.length === 0) fail(where, "it is left out where there is none");
    }),
  ),
  owes: optional(
    ruled(object({ live: AMOUNT, dead: AMOUNT }), (value, where) => {
      if (value.live === 0 && value.dead === 0) fail(where, "it is left out where nothing is owed");
    }),
  ),
  waits: optional(yes),
  bank_ms: optional(AMOUNT),
  house: optional(yes),
});

const level = object({
  level: integer(1, 100),
  small_blind: COUNT,
  big_blind: COUNT,
  chip_unit: COUNT,
  ante: optional(ante),
});

const dealtPosition = ruled(
  object({
    position,
    to: words("seat", "board", "burn"),
    seat: optional(SEAT),
    board: optional(board),
  }),
  (value, where) => {
    if ("seat" in value !== (value.to === "seat") || "board" in value !== (value.to === "board")) {
      fail(where, "seat and board stand there exactly when `to` says so");
    }
  },
);

const KINDS = {
  game_opened: object({
    suite: words("cutcard/v1"),
    origin: PLAIN,
    game: BYTES16,
    rules,
    previous: optional(previous),
  }),
  seat_taken: object({ ...atSeat, stack: AMOUNT, anchor: optional(BYTES32), house: optional(yes) }),
  seat_left: left,
  player_removed: left,
  chips_added: object({ ...atSeat, amount: COUNT }),
  sat_out: object({ ...atSeat, by: words("player", "clock") }),
  came_back: object(atSeat),
  anchored: ruled(
    object({
      ...atSeat,
      anchor: BYTES32,
      missing_hand: optional(COUNT),
      missing_link: optional(BYTES32),
    }),
    together("missing_hand", "missing_link"),
  ),
  preferred: object({ ...atSeat, choices }),
  paused: object({}),
  resumed: object({}),
  hand_opened: ruled(
    object({
      hand: COUNT,
      commitment: BYTES32,
      button: SEAT,
      big_blind_seat: SEAT,
      seats: rising(seatState, bySeat, 2),
      misses: rising(object({ player: PLAYER, hands: rising(COUNT, itself, 1) }), byPlayer),
      voids: AMOUNT,
      small_blind_seat: optional(SEAT),
      dead_small_blind_seat: optional(SEAT),
      straddle_seat: optional(SEAT),
      last_small_blind_seat: optional(SEAT),
      last_big_blind_seat: optional(SEAT),
      departed: optional(rising(object({ player: PLAYER, stack: AMOUNT, at: AMOUNT }), byPlayer)),
      level: optional(level),
    }),
    together("last_small_blind_seat", "last_big_blind_seat"),
  ),
  hand_void: ruled(
    object({
      hand: COUNT,
      reason: words("link_missing", "no_beacon", "operator", "health", "dealer_fault"),
      secret: BYTES32,
      links,
      missing: rising(object(atSeat), bySeat),
    }),
    (value, where) => {
      if (value.missing.length > 0 !== (value.reason === "link_missing")) {
        fail(where, "players are missing exactly when the reason is link_missing");
      }
    },
  ),
  deck_committed: object({
    hand: COUNT,
    links,
    mix: BYTES32,
    deck_root: BYTES32,
    beacon: optional(
      object({ round: COUNT, randomness: BYTES32, signature: text(/^(?:[0-9a-f]{2})+$/, "hex") }),
    ),
  }),
  posted: object({
    seat: SEAT,
    what: words("ante", "small_blind", "big_blind", "straddle", "live", "dead"),
    amount: COUNT,
  }),
  dealt: object({ hand: COUNT, positions: list(dealtPosition, 1) }),
  acted: object({
    seat: SEAT,
    act: words("fold", "check", "call", "bet", "raise"),
    to: AMOUNT,
    by: words("player", "clock", "pre_action", "absent"),
    turn: COUNT,
  }),
  opened: ruled(
    object({
      hand: COUNT,
      by: words("rule", "policy", "player"),
      cards: rising(object({ position, card, salt: BYTES16 }), (one) => one.position, 1),
      seat: optional(SEAT),
      board: optional(board),
    }),
    (value, where) => {
      if ("seat" in value === "board" in value) fail(where, "exactly one of seat and board stands");
    },
  ),
  mucked: object({ hand: COUNT, seat: SEAT, by: words("policy", "player") }),
  runs_agreed: object({ hand: COUNT, runs: integer(2, 2), seats }),
  blinds_chopped: object({ hand: COUNT, seats }),
  returned: object({ seat: SEAT, amount: COUNT }),
  awarded: object({
    pot: AMOUNT,
    amount: COUNT,
    rake: AMOUNT,
    board,
    half: optional(words("high", "low")),
    winners: list(
      ruled(
        object({
          seat: SEAT,
          amount: AMOUNT,
          name: optional(PLAIN),
          best_five: optional(list(card, 5)),
        }),
        together("name", "best_five"),
      ),
      1,
    ),
  }),
  hand_ended: object({ hand: COUNT, stacks: rising(object({ seat: SEAT, stack: AMOUNT }), bySeat, 2) }),
  colored_up: object({ unit: COUNT, stacks: rising(object({ seat: SEAT, stack: COUNT }), bySeat, 1) }),
  game_closed: object({
    reason: words("operator", "max_hands", "max_time", "restored", "tournament"),
    stacks: rising(object({ ...atSeat, stack: AMOUNT }), bySeat),
    next: optional(BYTES16),
  }),
  secret_revealed: object({ hand: COUNT, secret: BYTES32 }),
} as const;

export type Kind = keyof typeof KINDS;
export type BodyOf<K extends Kind> = ReturnType<(typeof KINDS)[K]>;
export type RuleSet = BodyOf<"game_opened">["rules"];
export type SeatState = BodyOf<"hand_opened">["seats"][number];
export type HandLevel = NonNullable<BodyOf<"hand_opened">["level"]>;

/** One line read: its index in the log, its time in milliseconds, its kind and its fields. */
export interface EntryOf<K extends Kind> {
  readonly index: number;
  readonly at: number;
  readonly kind: K;
  readonly body: BodyOf<K>;
}
export type Entry = { [K in Kind]: EntryOf<K> }[Kind];

function isKind(name: string): name is Kind {
  return Object.hasOwn(KINDS, name);
}

/** Reads the line at `index`; ProtocolBreach LINE unless it is of the format. */
export function readLine(index: number, line: Uint8Array): Entry {
  const where = `line ${index}`;
  let value: Record<string, unknown>;
  try {
    value = decode(line);
  } catch (error) {
    if (error instanceof CanonicalError) fail(where, error.message);
    throw error;
  }
  const [kind, ...more] = Object.keys(value).filter((name) => name !== "at");
  if (!Object.hasOwn(value, "at") || kind === undefined || more.length > 0) {
    return fail(where, 'it has not exactly the keys "at" and a kind');
  }
  if (!isKind(kind)) return fail(where, `no entry is of the kind ${JSON.stringify(kind.slice(0, 40))}`);
  const at = AMOUNT(value["at"], `${where}: at`);
  const body = KINDS[kind](value[kind], `${where}: ${kind}`);
  return { index, at, kind, body } as Entry;
}
