/**
 * The deck that a void hand would have had, and how each seat would have fared in it.
 *
 * It is derivable where the link of every frozen anchor is known: all came before the void, or
 * those missing were handed in later (PROTOCOL.md 2). Nothing is judged here; it is told, so that
 * anyone can see whether hands were thrown away for their cards.
 */

import {fromHex} from "../core/bytes.js";
import {NoDeckError, deriveFromMix} from "../core/derive.js";
import {sha256} from "../core/hashing.js";
import {nameLow} from "../poker/lows.js";
import {cardText} from "../poker/cards.js";
import {clockwise} from "../poker/positions.js";
import {nameHigh} from "../poker/ranking.js";
import {highOf, lowOf, readVariant} from "../poker/variants.js";
import {mixInputOf} from "./replayed.js";

const HOLDEM = Object.freeze({variant: "holdem"});
const BOARD_AND_BURNS = 8;

/**
 * Whether all is known that makes the deck of a void.
 *
 * @param {{hand: object, links: Map<number, string>, beacon: object | null, secret: string}} known
 *   the hand, as `courseOf` gives it, all links that were given for it, its round, its secret
 */
export function isWouldBeKnown({hand, links, beacon}) {
  const isOfFrozen = [...links.keys()].every((seat) => hand.frozen.has(seat));
  const lacksRound = Boolean(hand.rules?.beacon) && beacon === null;
  return isOfFrozen && links.size === hand.frozen.size && !lacksRound;
}

/**
 * Returns the board and each seat's hand at the river in words, best first; null where there is no
 * deck for that. For arguments of which `isWouldBeKnown` holds.
 */
export async function describeWouldBe(game, {hand, links, beacon, secret}) {
  const input = mixInputOf(game, hand, links, beacon);
  const deck = input === null ? null : await deriveOrNothing(secret, await sha256(input));
  return deck === null ? null : describeDeck(deck, hand, readVariant(hand.rules ?? HOLDEM));
}

async function deriveOrNothing(secret, mix) {
  try {
    return (await deriveFromMix(fromHex(secret), mix)).cards;
  } catch (error) {
    if (error instanceof NoDeckError) {
      return null;
    }
    throw error;
  }
}

function describeDeck(deck, hand, variant) {
  const order = clockwise(hand.players.keys(), hand.button);
  // Behind the hole cards: burn, three to the flop, burn, turn, burn, river.
  const first = variant.holeCards * order.length;
  if (first + BOARD_AND_BURNS > deck.length) {
    return null;
  }
  const board = [...deck.slice(first + 1, first + 4), deck[first + 5], deck[first + 7]];
  const fates = order.map((seat, place) => {
    const holes = deck.slice(0, first).filter((_, at) => at % order.length === place);
    return {seat, holes, high: highOf(variant, holes, board), low: lowOf(variant, holes, board)};
  });
  const highs = fates.map(({high}) => high);
  const lows = fates.map(({low}) => low).filter((low) => low > 0);
  const best = [...fates].sort((one, other) => other.high - one.high || other.seat - one.seat);
  return [
    `the deck that would have been: board ${tellCards(board)}`,
    ...best.map(({seat, holes, high, low}) => {
      const half = lows.length > 0 ? " high" : "";
      const words = [`${nameHigh(high)}, ${tellFate(high, highs)}${half}`];
      if (low > 0) {
        words.push(`${nameLow(low)}, ${tellFate(low, lows)} low`);
      }
      const who = `seat ${seat} ${hand.players.get(seat).player}`;
      return `${who}: ${tellCards(holes)}, ${words.join("; ")}`;
    }),
  ];
}

/** How a hand would have fared among all of them, itself included. */
function tellFate(strength, all) {
  if (strength < Math.max(...all)) {
    return "would have lost";
  }
  const tied = all.filter((other) => other === strength).length > 1;
  return tied ? "would have tied" : "would have won";
}

function tellCards(cards) {
  return cards.map(cardText).join(" ");
}
