/*
 * The drawn table: seats with names, stacks, bets and cards around the board and the pots.
 *
 * Everything is drawn once; a step changes what is there, so that a card that has the focus keeps
 * it. Each card is a button that opens its proof.
 */

import {draw, fill, grouped, make, named, unseen} from "../dom.js";
import {VOIDS} from "../words.js";
import {cardButton, chipMark} from "./faces.js";
import {placeNarrow, placeWide} from "./places.js";
import {potTotal} from "./staging.js";
import {cardWords} from "./wording.js";

const WIDE_FROM = 600;
const BOARD_CARDS = 5;
const LONG_AMOUNT = 13;
const ACT_WORDS = {
  fold: () => "Folds",
  check: () => "Checks",
  call: () => "Calls",
  bet: () => "Bets",
  raise: () => "Raises",
  ante: (amount) => `Ante ${amount}`,
  small_blind: () => "Small blind",
  big_blind: () => "Big blind",
  straddle: () => "Straddle",
  live: (amount) => `Owed ${amount}`,
  dead: (amount) => `Dead blind ${amount}`,
  show: () => "Shows",
  muck: () => "Mucks",
  returned: (amount) => `Takes back ${amount}`,
  win: (amount) => `Wins ${amount}`,
  missed: () => "Link missing",
};
/** The states of seats that are dealt in. */
const DEALT_IN = ["in", "absent"];
const OUT_WORDS = {
  absent: "Away",
  sitting_out: "Sits out",
  no_chips: "No chips",
  no_anchor: "No anchor",
  waiting: "Waits to be dealt in",
};

/**
 * Draw the table of a hand: {node, show, close}. `show(table, showAll)` draws a step's table, with
 * every card that is known where `showAll`; `onCard(position)` is called for a card that is to be
 * opened.
 */
export function drawTable(told, onCard) {
  const cards = new Map(told.positions.map((card) => [card.position, card]));
  const numbers = [...new Set(told.opened.seats.map(({seat}) => seat))].sort((a, b) => a - b);
  const players = new Map(told.opened.seats.map(({seat, player}) => [seat, player]));
  const buttons = new Map();
  for (const {position, to} of told.positions) {
    if (to !== "burn") buttons.set(position, cardButton(() => onCard(position)));
  }
  const seats = numbers.map((number) => drawSeat(number, players.get(number), told, buttons));
  const middle = drawMiddle(told.positions.length > 0);
  const grid = make("div", {class: "table-grid"}, seats.map(({node}) => node), middle.node);
  const label = {"class": "table", "role": "group", "aria-label": "The table"};
  const node = make("div", label, felt(), grid);
  const stopWatching = watchWidth(node, grid, seats, middle.node);
  const show = (table, showAll) => {
    const best = bestCards(table);
    for (const seat of seats) seat.show(table, {cards, showAll, best});
    middle.show(table, {cards, buttons, best});
  };
  return {node, show, close: stopWatching};
}

function felt() {
  return draw(
    "svg",
    {"class": "felt", "aria-hidden": "true"},
    draw("rect", {class: "felt-rail", width: "100%", height: "100%", rx: 88}),
    draw("rect", {class: "felt-cloth", width: "100%", height: "100%", rx: 88}),
  );
}

/** Keep the seats where the table's width has room for them; returns what ends that. */
function watchWidth(node, grid, seats, middle) {
  let isWide = null;
  const place = (width) => {
    const wide = width >= WIDE_FROM;
    if (wide === isWide) return;
    isWide = wide;
    node.dataset.shape = wide ? "wide" : "narrow";
    const {places, boardRow} = wide
      ? {places: placeWide(seats.length), boardRow: 2}
      : placeNarrow(seats.length);
    seats.forEach(({node: seat}, at) => {
      const {row, column, span, side} = places[at];
      seat.style.gridRow = String(row);
      seat.style.gridColumn = `${column} / span ${span}`;
      seat.dataset.side = side;
    });
    middle.style.gridRow = String(boardRow);
    middle.style.gridColumn = wide ? "6 / span 14" : "1 / span 2";
  };
  place(WIDE_FROM);
  const observer = new ResizeObserver((changes) => place(changes.at(-1).contentRect.width));
  observer.observe(node);
  return () => observer.disconnect();
}

function bestCards(table) {
  if (table.award === null) return null;
  const winners = table.award.winners.filter(({best_five: five}) => five !== undefined);
  if (winners.length === 0) return null;
  return {
    board: table.award.board,
    seats: new Map(winners.map(({seat, best_five: five}) => [seat, new Set(five)])),
    all: new Set(winners.flatMap(({best_five: five}) => five)),
  };
}

function amountNode(amount, className) {
  const text = grouped(amount);
  const long = text.length > LONG_AMOUNT ? " is-long" : "";
  return make("span", {class: `${className}${long}`}, text);
}

function drawSeat(number, player, told, buttons) {
  const own = told.positions.filter(({to, seat}) => to === "seat" && seat === number);
  const name = named(player, {class: "seat-name", title: player});
  const marks = make("span", {class: "seat-marks"});
  const stack = make("span", {class: "seat-stack"});
  const note = make("p", {class: "seat-note"});
  const bet = make("p", {class: "seat-bet"});
  const hand = make(
    "div",
    {class: `seat-cards of-${Math.min(6, own.length)}`},
    own.map(({position}) => buttons.get(position).node),
  );
  const plate = make("div", {class: "seat-plate"}, name, stack, marks);
  const node = make(
    "div",
    {class: "seat", role: "group", "aria-label": `Seat ${number}, ${player}`},
    bet,
    hand,
    plate,
    note,
  );
  const show = (table, {cards, showAll, best}) => {
    const seat = table.seats.get(number);
    const isActor = table.actor === number;
    const isDimmed = seat.isFolded || seat.isMucked;
    const isWinner = table.award?.winners.some((winner) => winner.seat === number) ?? false;
    const flags = [
      DEALT_IN.includes(seat.state) ? "" : "is-out",
      isActor ? "is-actor" : "",
      isDimmed ? "is-dimmed" : "",
      isWinner ? "is-winner" : "",
    ];
    node.setAttribute("class", ["seat", ...flags.filter(Boolean)].join(" "));
    fill(stack, amountNode(seat.stack, "amount"));
    fill(marks, seatMarks(table, seat));
    fill(note, seatNote(table, seat));
    fill(bet, seat.bet > 0 && [chipMark(), unseen("Bet "), amountNode(seat.bet, "amount")]);
    for (const {position} of own) {
      const button = buttons.get(position);
      const known = cards.get(position).card;
      const isSeen = table.shown.has(position) || showAll;
      const card = isSeen ? known : null;
      const winning = best?.seats.get(number)?.has(known) ?? false;
      button.node.hidden = !table.dealt.has(position);
      button.show({
        card,
        label: cardLabel(card, `${player}'s card`, position),
        marks: [isDimmed && "folded", winning && "winning"].filter(Boolean),
      });
    }
  };
  return {node, show};
}

function cardLabel(card, where, position) {
  const what = card === null ? "Face down" : cardWords(card);
  return `${what}: ${where}, position ${position}. Show its proof`;
}

function seatMarks(table, {seat}) {
  const marks = [];
  if (table.button === seat) marks.push(["D", "Dealer button", "button"]);
  if (table.smallBlind === seat) marks.push(["SB", "Small blind", "blind"]);
  if (table.bigBlind === seat) marks.push(["BB", "Big blind", "blind"]);
  if (table.straddle === seat) marks.push(["STR", "Straddle", "blind"]);
  return marks.map(([text, words, kind]) =>
    make(
      "span",
      {class: `seat-mark mark-${kind}`, title: words},
      make("span", {"aria-hidden": "true"}, text),
      unseen(words),
    ),
  );
}

function seatNote(table, seat) {
  const {last} = seat;
  const isOut = !DEALT_IN.includes(seat.state);
  if (isOut || last === null) {
    const isAway = seat.state !== "in";
    const idle = isAway ? (OUT_WORDS[seat.state] ?? seat.state) : seat.isGone && "Has left";
    return idle && make("span", {class: "act act-idle"}, idle);
  }
  const text = ACT_WORDS[last.act]?.(grouped(last.amount)) ?? last.act;
  const isAllIn = seat.stack === 0 && !seat.isFolded && table.isVoid === null && !table.ended;
  const made = last.act === "win" ? seat.made.join(" · ") : "";
  return [
    make("span", {class: `act act-${last.act}`}, text),
    isAllIn && make("span", {class: "act act-all-in"}, "All-in"),
    made !== "" && make("span", {class: "act-made"}, made),
  ];
}

function drawMiddle(hasDeck) {
  const street = make("p", {class: "middle-street"});
  const pot = make("p", {class: "middle-pot"});
  const side = make("ul", {class: "middle-pots", "aria-label": "Pots"});
  const boards = make("div", {class: "middle-boards"});
  const node = make(
    "div",
    {class: "middle", role: "group", "aria-label": "Board and pots"},
    pot,
    boards,
    side,
    street,
  );
  const rows = [];
  const show = (table, shown) => {
    fill(street, table.street);
    if (table.isVoid !== null) {
      fill(pot, make("strong", {class: "middle-void"}, "This hand is void"));
      fill(side);
      side.hidden = true;
      fill(street, voidWords(table.isVoid));
    } else {
      fill(pot, potWords(table));
      fillPots(side, table);
    }
    boards.hidden = !hasDeck;
    showBoards(boards, rows, table, shown);
  };
  return {node, show};
}

function voidWords({reason, missing}) {
  const reasonText = VOIDS.get(reason) ?? reason;
  return [
    `${reasonText[0].toUpperCase()}${reasonText.slice(1)}.`,
    missing.length > 0 && make(
      "span",
      {class: "void-missing"},
      "Missing: ",
      missing.map(({player}, at) => [at > 0 && ", ", named(player)]),
    ),
  ];
}

function potWords(table) {
  const total = potTotal(table);
  if (total === 0) return null;
  return [chipMark(), make("span", {class: "pot-label"}, "Pot "), amountNode(total, "amount")];
}

function fillPots(side, table) {
  const pots = table.pots.length < 2 ? [] : table.pots;
  side.hidden = pots.length === 0;
  fill(
    side,
    pots.map(({amount}, at) =>
      make(
        "li",
        {class: amount === 0 ? "is-paid" : null},
        at === 0 ? "Main " : `Side ${at} `,
        amount === 0 ? "paid" : amountNode(amount, "amount"),
      ),
    ),
  );
}

/** Draw the boards: of a second one only its own cards, under their places on the first. */
function showBoards(boards, rows, table, {cards, buttons, best}) {
  const many = Math.max(1, table.boards.length);
  boards.dataset.boards = String(many);
  while (rows.length > many) rows.pop().node.remove();
  while (rows.length < many) {
    const number = rows.length + 1;
    const slots = Array.from({length: BOARD_CARDS}, () => make("span", {class: "board-slot"}));
    const label = {"class": "board", "role": "group", "aria-label": `Board ${number}`};
    const node = make("div", label, slots);
    rows.push({node, slots});
    boards.append(node);
  }
  rows.forEach(({slots}, at) => {
    const board = table.boards[at] ?? {positions: [], shared: 0};
    slots.forEach((slot, place) => {
      const position = board.positions[place - board.shared];
      const button = position === undefined ? undefined : buttons.get(position);
      slot.classList.toggle("is-shared", place < board.shared);
      if (button === undefined) {
        slot.replaceChildren();
        return;
      }
      const card = table.shown.has(position) ? cards.get(position).card : null;
      const isBest = best !== null && best.all.has(card);
      const onBoard = many === 1 ? "on the board" : `on board ${at + 1}`;
      button.node.hidden = false;
      button.show({
        card,
        label: cardLabel(card, onBoard, position),
        marks: [isBest && "winning", best !== null && !isBest && "passed"].filter(Boolean),
      });
      if (slot.firstChild !== button.node) slot.replaceChildren(button.node);
    });
  });
}
