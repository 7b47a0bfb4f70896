/*
 * Words for what happens at a table. A step's words are parts: texts, {card} for a card by its two
 * characters, and {player} for a name.
 */

import {countWords, grouped, listed} from "../dom.js";
import {sayGame, VOIDS} from "../words.js";

/** @type {Map<string, string>} */
const RANK_WORDS = new Map([
  ...Array.from("23456789", (rank) => /** @type {[string, string]} */ ([rank, rank])),
  ["T", "10"],
  ["J", "jack"],
  ["Q", "queen"],
  ["K", "king"],
  ["A", "ace"],
]);
const SUIT_WORDS = new Map([
  ["c", "clubs"],
  ["d", "diamonds"],
  ["h", "hearts"],
  ["s", "spades"],
]);
const POSTS = new Map([
  ["ante", "an ante"],
  ["small_blind", "the small blind"],
  ["big_blind", "the big blind"],
  ["straddle", "a straddle"],
  ["live", "a live blind that was owed"],
  ["dead", "a dead blind that was owed"],
]);
const DONE_BY = new Map([
  ["clock", ", by the clock: time was up"],
  ["pre_action", ", as chosen ahead"],
  ["absent", ", being away"],
]);
const CHOICES = new Map([
  ["chop", "chop the blinds"],
  ["runs", "run it twice"],
  ["show", "show"],
  ["straddle", "straddle"],
]);
const STREET_NAMES = new Map([
  [3, "the flop"],
  [4, "the turn"],
  [5, "the river"],
]);

const TELLERS = new Map(/** @type {[string, any][]} */ ([
  ["hand_opened", tellOpening],
  ["deck_committed", tellDeckFixed],
  ["hand_void", tellVoid],
  ["posted", tellPost],
  ["dealt", tellDealt],
  ["acted", tellAct],
  ["opened", tellOpened],
  ["mucked", tellMuck],
  ["runs_agreed", tellRuns],
  ["blinds_chopped", tellChop],
  ["returned", tellReturned],
  ["awarded", tellAward],
  ["hand_ended", tellEnd],
  ["seat_taken", tellTaken],
  ["seat_left", tellLeft],
  ["player_removed", tellRemoved],
  ["sat_out", tellSatOut],
  ["came_back", tellCameBack],
  ["preferred", tellPreferred],
  ["anchored", tellAnchored],
  ["paused", () => ["The game is paused: no further hand opens."]],
  ["resumed", () => ["The game goes on."]],
]));

/** A card in words: "7 of clubs", "ace of spades"; for what is no card, its own text. */
export function cardWords(card) {
  const rank = RANK_WORDS.get(card[0]);
  const suit = SUIT_WORDS.get(card[1]);
  return rank === undefined || suit === undefined ? card : `${rank} of ${suit}`;
}

/** The game and the stakes of a hand in one line: "No limit Hold’em, 50/100, ante 10". */
export function stakesWords(rules, level) {
  if (rules === null) return "The rules of this game could not be read.";
  const {ante} = rules;
  const by = ante?.kind === "big_blind" ? " by the big blind" : "";
  const antes = ante === undefined ? "" : `, ante ${grouped(ante.amount)}${by}`;
  const which = level === undefined ? "" : `Level ${grouped(level.level)} · `;
  return `${which}${sayGame(rules, grouped)}${antes}`;
}

/**
 * The words for one step: `entries` one entry, or a `dealt` and the `opened` of its board; `before`
 * and `table` what stood on the table before and after.
 */
export function tellStep(entries, before, table, rules) {
  const [{kind, body}] = entries;
  const tell = TELLERS.get(kind);
  if (tell === undefined) return [kind === "" ? "A line that could not be read." : `${kind}.`];
  return tell(body, {before, table, rules, opened: entries[1]?.body ?? null});
}

function who(table, number) {
  return {player: table.seats.get(number)?.player ?? `seat ${number}`};
}

function allIn(table, number) {
  return table.seats.get(number)?.stack === 0 ? " and is all-in" : "";
}

function cardList(cards) {
  return cards.flatMap(({card}, at) => (at === 0 ? [{card}] : [" ", {card}]));
}

function playersOf(table, seats) {
  return listed(seats.map((number) => who(table, number).player));
}

function countDealtIn(seats) {
  return seats.filter(({state}) => state === "in" || state === "absent").length;
}

function tellOpening(body, {table}) {
  const dealtIn = countDealtIn(body.seats);
  const button = table.seats.get(body.button)?.player ?? `empty seat ${body.button}`;
  const dead = body.small_blind_seat === undefined ? " The small blind is dead." : "";
  return [
    `Hand ${grouped(body.hand)} opens for ${countWords(dealtIn, "player")}. `,
    "The dealer commits to its secret. The button is with ",
    {player: button},
    `.${dead}`,
  ];
}

function tellDeckFixed(body, {table}) {
  const dealtIn = countDealtIn([...table.seats.values()]);
  const links = body.links.length;
  const given =
    links === 0
      ? "No player added randomness"
      : `${links} of ${countWords(dealtIn, "player")} added randomness`;
  const beacon = body.beacon === undefined ? "" : ", and so did the beacon";
  return [`${given}${beacon}. The deck is shuffled and fixed, before any card is dealt.`];
}

function tellVoid(body, {before}) {
  const isMoved = [...before.seats.values()].some(({stack, begun}) => stack !== begun);
  const chips = isMoved ? "All chips go back." : "No chip moves.";
  const missing = body.missing.map(({player, seat}) => `${player} (seat ${seat})`);
  const blame = missing.length === 0 ? "" : ` Missing: the link of ${listed(missing)}.`;
  return [`The hand is void: ${VOIDS.get(body.reason) ?? body.reason}.${blame} ${chips}`];
}

function tellPost(body, {table}) {
  const what = POSTS.get(body.what) ?? body.what;
  const amount = grouped(body.amount);
  return [who(table, body.seat), ` posts ${what}, ${amount}${allIn(table, body.seat)}.`];
}

function tellDealt(body, {table, opened}) {
  const toSeats = body.positions.filter(({to}) => to === "seat");
  const toBoard = body.positions.filter(({to}) => to === "board");
  if (toBoard.length === 0) {
    const seats = new Set(toSeats.map(({seat}) => seat)).size;
    if (seats === 0) return ["A card is burned."];
    const each = toSeats.length / seats;
    const cards = countWords(Number.isInteger(each) ? each : toSeats.length, "card");
    return [`${countWords(seats, "player")} get ${cards}${Number.isInteger(each) ? " each" : ""}.`];
  }
  const number = toBoard[0].board;
  const board = table.boards[number - 1] ?? table.boards.at(-1);
  const street = STREET_NAMES.get(board.shared + board.positions.length) ?? "the board";
  const isTwice = table.boards.length > 1 || table.runsFrom !== null;
  const which = isTwice ? ` of board ${number}` : "";
  const name = `${street[0].toUpperCase()}${street.slice(1)}${which}`;
  if (opened === null) return [`${name}: ${countWords(toBoard.length, "card")}, face down.`];
  return [`${name}: `, ...cardList(opened.cards), "."];
}

function tellAct(body, {before, table}) {
  const by = DONE_BY.get(body.by) ?? "";
  const seat = before.seats.get(body.seat);
  const added = grouped(body.to - (seat?.bet ?? 0));
  const words = {
    fold: " folds",
    check: " checks",
    call: ` calls ${added}`,
    bet: ` bets ${grouped(body.to)}`,
    raise: ` raises to ${grouped(body.to)}`,
  };
  const isIn = body.act === "fold" || body.act === "check" ? "" : allIn(table, body.seat);
  return [who(table, body.seat), `${words[body.act] ?? ` ${body.act}`}${isIn}${by}.`];
}

function tellOpened(body, {table}) {
  if (body.seat === undefined) return [`Board ${body.board}: `, ...cardList(body.cards), "."];
  const why = {
    rule: ": a player is all-in, so hands are opened",
    policy: "",
    player: ", by choice",
  };
  return [who(table, body.seat), " shows ", ...cardList(body.cards), `${why[body.by] ?? ""}.`];
}

function tellMuck(body, {table}) {
  return [who(table, body.seat), " mucks."];
}

function tellRuns(body, {table}) {
  return [`${playersOf(table, body.seats)} run it twice: the rest is dealt to two boards.`];
}

function tellChop(body, {table}) {
  return [`${playersOf(table, body.seats)} chop the blinds: each takes its own back.`];
}

function tellReturned(body, {before, table}) {
  if (before.isChopped) return [who(table, body.seat), ` takes ${grouped(body.amount)} back.`];
  return [`${grouped(body.amount)} goes back to `, who(table, body.seat), ", not called."];
}

function tellAward(body, {before, table}) {
  const several = body.pot > 0 || before.pots.length > 1;
  const pot = !several ? "the pot" : body.pot === 0 ? "the main pot" : `side pot ${body.pot}`;
  const half = body.half === undefined ? "" : `, ${body.half} half`;
  const board = table.boards.length > 1 ? `, board ${body.board}` : "";
  const rake = body.rake === 0 ? "" : ` The rake is ${grouped(body.rake)}.`;
  const winners = body.winners.flatMap(({seat, amount, name}, at) => [
    at === 0 ? "" : "; ",
    who(table, seat),
    ` wins ${grouped(amount)}`,
    at > 0 ? "" : ` (${pot}${half}${board})`,
    name === undefined ? "" : ` with ${madeWords(name)}`,
  ]);
  return [...winners, `.${rake}`];
}

/** A made hand within a sentence: "a pair of aces", "three sixes". */
function madeWords(name) {
  const words = `${name[0].toLowerCase()}${name.slice(1)}`;
  return /^(pair|straight|flush|full|royal|low)/.test(words) ? `a ${words}` : words;
}

function tellEnd(body, {table}) {
  const changes = body.stacks.flatMap(({seat, stack}) => {
    const change = stack - (table.seats.get(seat)?.begun ?? stack);
    if (change === 0) return [];
    const sign = change > 0 ? "+" : "−";
    return [`${who(table, seat).player} ${sign}${grouped(Math.abs(change))}`];
  });
  const moved = changes.length === 0 ? "No chips changed hands" : changes.join(", ");
  return [`The hand ends. ${moved}.`];
}

function tellTaken(body) {
  return [{player: body.player}, ` sits down in seat ${body.seat} with ${grouped(body.stack)}.`];
}

function tellLeft(body) {
  return [{player: body.player}, ` leaves seat ${body.seat}.`];
}

function tellRemoved(body) {
  return [{player: body.player}, ` is removed from seat ${body.seat} by the operator.`];
}

function tellSatOut(body) {
  const by = body.by === "clock" ? ", by the clock" : "";
  return [{player: body.player}, ` sits out from the next hand${by}.`];
}

function tellCameBack(body) {
  return [{player: body.player}, " comes back."];
}

function tellPreferred(body) {
  if (body.choices.length === 0) return [{player: body.player}, " takes back all choices."];
  const chosen = body.choices.map((choice) => CHOICES.get(choice) ?? choice);
  return [{player: body.player}, ` chooses from now on to ${listed(chosen)}.`];
}

function tellAnchored(body) {
  return [{player: body.player}, " gives a new anchor for its randomness."];
}
