/**
 * The shape of every kind of entry, and of the lines behind a transcript: PROTOCOL.md 5 and 6.
 */

import {
  booleanShape, choiceShape, eitherShape, fieldsShape, hexShape, integerShape, listShape,
  originShape, playerShape, taggedShape, textShape, trueShape,
} from "./shapes.js";
import {CARD_TEXTS} from "../poker/cards.js";

const handShape = integerShape(1);
export const bytes16Shape = hexShape(16);
export const bytes32Shape = hexShape(32);
const seatShape = integerShape(1, 10);
const positionShape = integerShape(0, 51);
const chipsShape = integerShape();
const msShape = integerShape();
const boardShape = integerShape(1, 2);
const cardShape = choiceShape(...CARD_TEXTS);
const seatPlayer = {seat: seatShape, player: playerShape};
const seatStack = {seat: seatShape, stack: chipsShape};
const linksShape = listShape(fieldsShape({seat: seatShape, link: bytes32Shape}), 0, 10);
const seatsShape = listShape(seatShape, 0, 10);
const emptyShape = fieldsShape({});
const anteShape = fieldsShape({
  kind: choiceShape("each", "big_blind"), amount: integerShape(1),
});
/** What a tournament's table is played by; the first two are for such tables alone. */
const TOURNAMENT_WORDS = Object.freeze([
  ["absent", "dealt_in"], ["newcomers", "by_position"], ["button", "dead"], ["links", "optional"],
]);
const NOT_OF_TOURNAMENTS = Object.freeze([
  "straddle", "missed_blinds", "runs", "chop", "choices", "rake", "return_ms", "watch_delay_ms",
]);

/** Blinds and unit that do not fit each other, or null. */
function judgeBlinds({small_blind: small, big_blind: big, chip_unit: unit}) {
  return small > big || small % unit !== 0 || big % unit !== 0
    ? " needs small_blind up to big_blind, both multiples of chip_unit"
    : null;
}

/** What is wrong with a rule set whose fields are each right alone (PROTOCOL.md 6.1), or null. */
function judgeRules(rules) {
  const wrong = judgeBlinds(rules);
  if (wrong !== null) {
    return wrong;
  }
  if (rules.buy_in_min > rules.buy_in_max) {
    return " needs buy_in_min up to buy_in_max";
  }
  const chosen = ["straddle", "runs", "chop"].some((name) => Object.hasOwn(rules, name));
  /** @type {[string, boolean, string][]} */
  const asked = [
    ["hole_cards", rules.variant !== "holdem", "for Omaha"],
    ["limits", rules.structure === "fixed_limit", "for fixed limit"],
    ["pot_small_blind", rules.structure === "pot_limit", "for pot limit"],
    ["choices", chosen, "where straddle, runs or chop is"],
  ];
  for (const [name, needed, where] of asked) {
    if (Object.hasOwn(rules, name) !== needed) {
      return ` needs ${name} exactly ${where}`;
    }
  }
  const players = (rules.rake?.caps ?? [{players: 2}]).map((cap) => cap.players);
  if (players[0] !== 2 || players.some((count, at) => at > 0 && count <= players[at - 1])) {
    return ".rake.caps needs rising players, the first for 2";
  }
  const held = rules.hole_cards ?? 2;
  // The deck serves the hole cards, one whole board and its burns.
  const most = Math.floor((CARD_TEXTS.length - 8) / held);
  if (rules.seats > most) {
    return ` has more seats than the deck can serve with ${held} hole cards: ${most} at most`;
  }
  return judgeTournamentTable(rules);
}

/** What a tournament's table has, and what is for such tables alone. */
function judgeTournamentTable(rules) {
  if (!Object.hasOwn(rules, "tournament")) {
    const found = TOURNAMENT_WORDS.slice(0, 2).find(([name, word]) => rules[name] === word);
    return found === undefined ? null
      : ` has ${found[0]} ${found[1]}, which is for a tournament's table alone`;
  }
  const other = TOURNAMENT_WORDS.find(([name, word]) => rules[name] !== word);
  if (other !== undefined) {
    return ` needs ${other[0]} ${other[1]} at a tournament's table`;
  }
  const extra = NOT_OF_TOURNAMENTS.find((name) => Object.hasOwn(rules, name));
  return extra === undefined ? null : ` has ${extra}, which a tournament's table has not`;
}

const rulesShape = fieldsShape(
  {
    variant: choiceShape("holdem", "omaha", "omaha_hi_lo"),
    structure: choiceShape("no_limit", "pot_limit", "fixed_limit"),
    seats: integerShape(2, 10),
    small_blind: integerShape(1),
    big_blind: integerShape(1),
    chip_unit: integerShape(1),
    buy_in_min: chipsShape,
    buy_in_max: chipsShape,
    button: choiceShape("moving", "dead"),
    newcomers: choiceShape("next_hand", "post", "wait", "by_position"),
    absent: choiceShape("sit_out", "dealt_in"),
    show: choiceShape("winners", "all"),
    all_in: choiceShape("face_up"),
    turn_ms: msShape,
    link_ms: msShape,
    pause_ms: msShape,
    links: choiceShape("optional", "required"),
    log_proof: choiceShape("none", "follow", "before_cards"),
    reveal: fieldsShape({policy: choiceShape("all_cards"), within_ms: msShape}),
    max_hands: integerShape(1),
    max_ms: msShape,
  },
  {
    beacon: fieldsShape({chain: bytes32Shape}),
    hole_cards: integerShape(4, 6),
    limits: fieldsShape({
      small_bet: integerShape(1),
      big_bet: integerShape(1),
      cap: integerShape(),
      uncapped_heads_up: booleanShape,
    }),
    pot_small_blind: choiceShape("exact", "rounded_up"),
    ante: anteShape,
    straddle: fieldsShape({
      kind: choiceShape("under_the_gun", "button", "mississippi"),
      min_raise: choiceShape("double", "big_blind"),
    }),
    missed_blinds: choiceShape("live", "dead", "wait"),
    runs: integerShape(2, 2),
    chop: choiceShape("blinds"),
    choices: choiceShape("before_links", "at_once"),
    rake: fieldsShape({
      per_ten_thousand: integerShape(0, 10000),
      caps: listShape(fieldsShape({players: integerShape(2, 10), cap: chipsShape}), 1, 10),
      no_flop_no_drop: booleanShape,
    }),
    return_ms: msShape,
    time_bank: fieldsShape({start_ms: msShape, per_hand_ms: msShape, max_ms: msShape}),
    disconnect_ms: msShape,
    watch_delay_ms: integerShape(1000, 3600000),
    tournament: fieldsShape({tournament: bytes16Shape, table: integerShape(1)}),
  },
  {also: judgeRules},
);

const previousShape = fieldsShape({
  game: bytes16Shape,
  size: integerShape(1),
  root: bytes32Shape,
  button: integerShape(0, 10),
  button_stays: booleanShape,
  seats: listShape(
    fieldsShape(
      {...seatPlayer, ...seatStack, sitting_out: booleanShape, anchored: booleanShape},
      {house: trueShape},
    ),
    0,
    10,
  ),
});

const choiceWordShape = choiceShape("chop", "runs", "show", "straddle");
const openingSeatShape = fieldsShape(
  {
    ...seatPlayer,
    ...seatStack,
    state: choiceShape("in", "absent", "sitting_out", "no_chips", "no_anchor", "waiting"),
  },
  {
    anchor: bytes32Shape,
    choices: listShape(choiceWordShape, 1, 4),
    owes: fieldsShape({live: chipsShape, dead: chipsShape}),
    waits: trueShape,
    bank_ms: msShape,
    house: trueShape,
  },
);
const levelShape = fieldsShape(
  {
    level: integerShape(1),
    small_blind: integerShape(1),
    big_blind: integerShape(1),
    chip_unit: integerShape(1),
  },
  {ante: anteShape},
  {also: judgeBlinds},
);
const dealtShape = taggedShape("to", {
  seat: fieldsShape({position: positionShape, to: choiceShape("seat"), seat: seatShape}),
  board: fieldsShape({position: positionShape, to: choiceShape("board"), board: boardShape}),
  burn: fieldsShape({position: positionShape, to: choiceShape("burn")}),
});
const openedCardShape = fieldsShape({
  position: positionShape, card: cardShape, salt: bytes16Shape,
});
const winnerShape = fieldsShape(
  {seat: seatShape, amount: chipsShape},
  {name: textShape, best_five: listShape(cardShape, 5, 5)},
);

/** The shape of the fields of every kind of entry; other kinds are not of this format. */
export const ENTRY_SHAPES = new Map(Object.entries({
  game_opened: fieldsShape(
    {suite: choiceShape("cutcard/v1"), origin: originShape, game: bytes16Shape, rules: rulesShape},
    {previous: previousShape},
  ),
  seat_taken: fieldsShape(
    {...seatPlayer, stack: chipsShape}, {anchor: bytes32Shape, house: trueShape},
  ),
  seat_left: fieldsShape(seatPlayer, {stack: chipsShape}),
  player_removed: fieldsShape(seatPlayer, {stack: chipsShape}),
  chips_added: fieldsShape({...seatPlayer, amount: chipsShape}),
  sat_out: fieldsShape({...seatPlayer, by: choiceShape("player", "clock")}),
  came_back: fieldsShape(seatPlayer),
  anchored: fieldsShape(
    {...seatPlayer, anchor: bytes32Shape},
    {missing_hand: handShape, missing_link: bytes32Shape},
    {together: [[], ["missing_hand", "missing_link"]]},
  ),
  preferred: fieldsShape({...seatPlayer, choices: listShape(choiceWordShape, 0, 4)}),
  paused: emptyShape,
  resumed: emptyShape,
  hand_opened: fieldsShape(
    {
      hand: handShape,
      commitment: bytes32Shape,
      button: seatShape,
      big_blind_seat: seatShape,
      seats: listShape(openingSeatShape, 2, 10),
      misses: listShape(fieldsShape({player: playerShape, hands: listShape(handShape, 1)})),
      voids: integerShape(),
    },
    {
      small_blind_seat: seatShape,
      dead_small_blind_seat: seatShape,
      straddle_seat: seatShape,
      last_small_blind_seat: seatShape,
      last_big_blind_seat: seatShape,
      departed: listShape(fieldsShape({player: playerShape, stack: chipsShape, at: msShape})),
      level: levelShape,
    },
  ),
  hand_void: fieldsShape(
    {
      hand: handShape,
      // A reason outside the five is a broken promise of a readable file (COMPLETE).
      reason: textShape,
      links: linksShape,
      missing: listShape(fieldsShape(seatPlayer), 0, 10),
    },
    // A void that keeps its secret, by leaving it out or empty, is one as well.
    {secret: eitherShape(bytes32Shape, choiceShape(""))},
  ),
  deck_committed: fieldsShape(
    {hand: handShape, links: linksShape, mix: bytes32Shape, deck_root: bytes32Shape},
    {
      beacon: fieldsShape({
        round: integerShape(1), randomness: bytes32Shape, signature: hexShape(48),
      }),
    },
  ),
  posted: fieldsShape({
    seat: seatShape,
    what: choiceShape("ante", "small_blind", "big_blind", "straddle", "live", "dead"),
    amount: chipsShape,
  }),
  dealt: fieldsShape({hand: handShape, positions: listShape(dealtShape, 1)}),
  acted: fieldsShape({
    seat: seatShape,
    act: choiceShape("fold", "check", "call", "bet", "raise"),
    to: chipsShape,
    by: choiceShape("player", "clock", "pre_action", "absent"),
    turn: integerShape(1),
  }),
  opened: fieldsShape(
    {
      hand: handShape,
      by: choiceShape("rule", "policy", "player"),
      cards: listShape(openedCardShape, 1, 52),
    },
    {seat: seatShape, board: boardShape},
    {together: [["seat"], ["board"]]},
  ),
  mucked: fieldsShape({hand: handShape, seat: seatShape, by: choiceShape("policy", "player")}),
  runs_agreed: fieldsShape({hand: handShape, runs: integerShape(2, 2), seats: seatsShape}),
  blinds_chopped: fieldsShape({hand: handShape, seats: seatsShape}),
  returned: fieldsShape({seat: seatShape, amount: chipsShape}),
  awarded: fieldsShape(
    {
      pot: integerShape(),
      amount: chipsShape,
      rake: chipsShape,
      board: boardShape,
      winners: listShape(winnerShape, 1, 10),
    },
    {half: choiceShape("high", "low")},
  ),
  hand_ended: fieldsShape({
    hand: handShape, stacks: listShape(fieldsShape(seatStack), 2, 10),
  }),
  colored_up: fieldsShape({
    unit: integerShape(1), stacks: listShape(fieldsShape(seatStack), 1, 10),
  }),
  game_closed: fieldsShape(
    {
      reason: choiceShape("operator", "max_hands", "max_time", "restored", "tournament"),
      stacks: listShape(fieldsShape({...seatPlayer, ...seatStack}), 0, 10),
    },
    {next: bytes16Shape},
  ),
  secret_revealed: fieldsShape({hand: handShape, secret: bytes32Shape}),
}));

/** A player's own opening, behind the transcript (PROTOCOL.md 5). */
export const OPENING_SHAPE = fieldsShape({
  hand: handShape,
  position: positionShape,
  card: cardShape,
  salt: bytes16Shape,
  proof: listShape(bytes32Shape, 0, 63),
});

/** Lines of the dealer's log with their proofs, behind the transcript (PROTOCOL.md 5). */
export const DEALER_LOG_SHAPE = fieldsShape({
  checkpoint: textShape,
  lines: listShape(
    fieldsShape({index: integerShape(), line: textShape, proof: listShape(bytes32Shape, 0, 63)}),
    1,
  ),
});
