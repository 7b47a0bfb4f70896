/*
 * The deck's way as single moves: a fresh deck, then each swap, the cut, the thirds. Worked out
 * from what the worker's performCeremony told; plain values, nothing drawn.
 */

import {grouped} from "../dom.js";

const ACT_NAMES = ["First shuffle", "Cut", "Second shuffle", "Cut in thirds", "Third shuffle"];
const DEAL_SUITS = "cdhs";
const DEAL_RANKS = "23456789TJQKA";

/** A card's two characters by its number. */
export function nameOfCard(number) {
  return DEAL_RANKS[number >> 2] + DEAL_SUITS[number & 3];
}

/**
 * The moves of a deck: a list that begins with the fresh deck, each {deck, act, title, words,
 * drawn, moved, packets}: `deck` 52 numbers after the move, `act` 0 for the fresh deck and 1 to 5,
 * `words` parts as those of a step at the table, `drawn` a text for the bytes, `moved` the
 * positions that changed in a swap, `packets` for a cut the letters of the packets by position,
 * else null.
 */
export function movesOfDeck({steps, draws}) {
  const fresh = Array.from({length: 52}, (_, card) => card);
  const moves = [
    {
      deck: fresh,
      act: 0,
      title: "Fresh deck",
      words: ["A fresh deck, from the 2 of clubs to the ace of spades."],
      drawn: "",
      moved: [],
      packets: null,
    },
  ];
  steps.forEach((step, at) => {
    const act = at + 1;
    const title = ACT_NAMES[at];
    if (step.act === "shuffle") {
      enterShuffle(moves, step, draws, {act, title});
    } else if (step.act === "cut") {
      moves.push(cutMove(step, draws, {act, title}));
    } else {
      moves.push(thirdsMove(step, draws, {act, title}));
    }
  });
  return moves;
}

function enterShuffle(moves, step, draws, {act, title}) {
  let deck = step.before;
  step.swaps.forEach(({i, j, draw}, at) => {
    const words =
      i === j
        ? ["Position ", String(i), " stays as it is: ", {card: nameOfCard(deck[i])}, "."]
        : [
            `Positions ${i} and ${j} change places: `,
            {card: nameOfCard(deck[i])},
            " and ",
            {card: nameOfCard(deck[j])},
            ".",
          ];
    deck = [...deck];
    [deck[i], deck[j]] = [deck[j], deck[i]];
    moves.push({
      deck,
      act,
      title: `${title}, swap ${at + 1} of ${step.swaps.length}`,
      words,
      drawn: drawnWords(draws[draw]),
      moved: [i, j],
      packets: null,
    });
  });
}

function cutMove(step, draws, {act, title}) {
  const rest = 52 - step.c;
  return {
    deck: step.after,
    act,
    title,
    words: [`The first ${step.c} cards go under the other ${rest}.`],
    drawn: `${drawnWords(draws[step.draw])}; 20 and ${draws[step.draw].value} make ${step.c}`,
    moved: [],
    packets: ["B".repeat(rest), "A".repeat(step.c)].join(""),
  };
}

function thirdsMove(step, draws, {act, title}) {
  const {a, b, c, restack} = step;
  const sizes = {A: a, B: b, C: c};
  return {
    deck: step.after,
    act,
    title,
    words: [
      `Three packets, A of ${a}, B of ${b} and C of ${c} cards, go together again as `,
      `${[...restack].join(", ")}.`,
    ],
    drawn: step.draws.map((draw) => drawnWords(draws[draw])).join("; "),
    moved: [],
    packets: [...restack].map((letter) => letter.repeat(sizes[letter])).join(""),
  };
}

/** How a number was drawn: "byte 211: 211 mod 40 = 11", behind the bytes that were dropped. */
function drawnWords({n, limit, dropped, byte, value}) {
  const one = dropped.length === 1;
  const passed =
    dropped.length === 0
      ? ""
      : `${one ? "byte" : "bytes"} ${dropped.join(", ")} dropped (${limit} or more), then `;
  return `${passed}byte ${byte}: ${byte} mod ${n} = ${value}`;
}

/** How many bytes of the stream were used in all, and how many of them dropped. */
export function bytesOfDraws(draws) {
  const dropped = draws.reduce((sum, draw) => sum + draw.dropped.length, 0);
  const used = grouped(draws.length + dropped);
  return `${used} bytes of the stream were used, ${grouped(dropped)} of them dropped.`;
}

/** A card's position after each act: six numbers, the fresh deck's first. */
export function trailOf(number, steps) {
  return [number, ...steps.map(({after}) => after.indexOf(number))];
}

/** The moves, by their place in the list, that touch a card, with where it goes. */
export function touchesOf(number, moves) {
  const touches = [];
  for (let at = 1; at < moves.length; at += 1) {
    const from = moves[at - 1].deck.indexOf(number);
    const to = moves[at].deck.indexOf(number);
    if (from !== to) touches.push({at, from, to});
  }
  return touches;
}
