/**
 * Which hand wins: the best five of five to seven cards, their order and name (section 9.7).
 *
 * A strength is one number that compares as hands do: the category in bits 20 to 23 and below it
 * up to five ranks of four bits each, the one that decides first on top. Suits break no tie.
 */

import {rankOf, suitOf} from "./cards.js";

const HIGH_CARD = 0;
const PAIR = 1;
const TWO_PAIR = 2;
const THREE_OF_A_KIND = 3;
const STRAIGHT = 4;
const FLUSH = 5;
const FULL_HOUSE = 6;
const FOUR_OF_A_KIND = 7;
const STRAIGHT_FLUSH = 8;

const ACE_RANK = 12;
const FIVE_RANK = 3;
const NO_RANK = -1;

// How many cards of each deciding rank a hand holds, by category; straights go their own way.
const GROUP_SIZES = Object.freeze({
  [HIGH_CARD]: [1, 1, 1, 1, 1],
  [PAIR]: [2, 1, 1, 1],
  [TWO_PAIR]: [2, 2, 1],
  [THREE_OF_A_KIND]: [3, 1, 1],
  [FLUSH]: [1, 1, 1, 1, 1],
  [FULL_HOUSE]: [3, 2],
  [FOUR_OF_A_KIND]: [4, 1],
});

const RANK_NAMES = Object.freeze([
  "two", "three", "four", "five", "six", "seven", "eight",
  "nine", "ten", "jack", "queen", "king", "ace",
]);
const RANK_PLURALS = Object.freeze(
  RANK_NAMES.map((name) => (name === "six" ? "sixes" : `${name}s`)),
);

/** The five ranks of each straight as bits, by its top rank; the wheel's top is the five. */
const STRAIGHTS = Object.freeze(
  Array.from({length: 13}, (_, top) => {
    if (top < FIVE_RANK) {
      return 0;
    }
    return straightRanks(top).reduce((bits, rank) => bits | (1 << rank), 0);
  }),
);

function straightRanks(top) {
  return [top, top - 1, top - 2, top - 3, top === FIVE_RANK ? ACE_RANK : top - 4];
}

function straightTop(bits) {
  for (let top = ACE_RANK; top >= FIVE_RANK; top -= 1) {
    if ((bits & STRAIGHTS[top]) === STRAIGHTS[top]) {
      return top;
    }
  }
  return NO_RANK;
}

function countBits(bits) {
  let count = 0;
  for (let rest = bits; rest; rest &= rest - 1) {
    count += 1;
  }
  return count;
}

/** The category with its deciding ranks: those given, then the highest of `kickers` (bits). */
function packStrength(category, ranks, kickers, wanted) {
  let strength = category;
  for (const rank of ranks) {
    strength = (strength << 4) | rank;
  }
  let taken = 0;
  for (let rank = ACE_RANK; rank >= 0 && taken < wanted; rank -= 1) {
    if (kickers & (1 << rank)) {
      strength = (strength << 4) | rank;
      taken += 1;
    }
  }
  return strength << (4 * (5 - ranks.length - taken));
}

const TALLY = new Uint8Array(13);

/**
 * @param {number[]} cards five to seven different cards
 * @returns {number} the strength of the best five; the greater one wins
 */
export function measureHigh(cards) {
  const suited = [0, 0, 0, 0];
  let all = 0;
  TALLY.fill(0);
  for (const card of cards) {
    const rank = rankOf(card);
    TALLY[rank] += 1;
    suited[suitOf(card)] |= 1 << rank;
    all |= 1 << rank;
  }
  const flush = suited.find((bits) => countBits(bits) >= 5) ?? 0;
  const flushTop = flush ? straightTop(flush) : NO_RANK;
  if (flushTop !== NO_RANK) {
    return packStrength(STRAIGHT_FLUSH, [flushTop], 0, 0);
  }
  let four = NO_RANK;
  let three = NO_RANK;
  const pairs = [];
  for (let rank = ACE_RANK; rank >= 0; rank -= 1) {
    const count = TALLY[rank];
    if (count >= 4 && four === NO_RANK) {
      four = rank;
    } else if (count >= 3 && three === NO_RANK) {
      three = rank;
    } else if (count >= 2) {
      pairs.push(rank);
    }
  }
  if (four !== NO_RANK) {
    return packStrength(FOUR_OF_A_KIND, [four], all & ~(1 << four), 1);
  }
  if (three !== NO_RANK && pairs.length) {
    return packStrength(FULL_HOUSE, [three, pairs[0]], 0, 0);
  }
  if (flush) {
    return packStrength(FLUSH, [], flush, 5);
  }
  const top = straightTop(all);
  if (top !== NO_RANK) {
    return packStrength(STRAIGHT, [top], 0, 0);
  }
  if (three !== NO_RANK) {
    return packStrength(THREE_OF_A_KIND, [three], all & ~(1 << three), 2);
  }
  if (pairs.length > 1) {
    const [high, low] = pairs;
    return packStrength(TWO_PAIR, [high, low], all & ~(1 << high) & ~(1 << low), 1);
  }
  if (pairs.length) {
    return packStrength(PAIR, pairs, all & ~(1 << pairs[0]), 3);
  }
  return packStrength(HIGH_CARD, [], all, 5);
}

function categoryOf(strength) {
  return strength >> 20;
}

/** The rank that decides at `place`, from 0. */
function decidingRank(strength, place) {
  return (strength >> (16 - 4 * place)) & 15;
}

/**
 * @param {number} strength of `measureHigh`
 * @returns {string} the name that people give such a hand: "Full house, queens full of fours"
 */
export function nameHigh(strength) {
  const first = decidingRank(strength, 0);
  const second = decidingRank(strength, 1);
  const name = RANK_NAMES[first];
  switch (categoryOf(strength)) {
    case STRAIGHT_FLUSH:
      return first === ACE_RANK ? "Royal flush" : `Straight flush, ${name} high`;
    case FOUR_OF_A_KIND:
      return `Four ${RANK_PLURALS[first]}`;
    case FULL_HOUSE:
      return `Full house, ${RANK_PLURALS[first]} full of ${RANK_PLURALS[second]}`;
    case FLUSH:
      return `Flush, ${name} high`;
    case STRAIGHT:
      return `Straight, ${name} high`;
    case THREE_OF_A_KIND:
      return `Three ${RANK_PLURALS[first]}`;
    case TWO_PAIR:
      return `Two pair, ${RANK_PLURALS[first]} and ${RANK_PLURALS[second]}`;
    case PAIR:
      return `Pair of ${RANK_PLURALS[first]}`;
    default:
      return `${name[0].toUpperCase()}${name.slice(1)} high`;
  }
}

/** The ranks of a hand's five cards, in the order in which they are told. */
function wantedRanks(strength) {
  const category = categoryOf(strength);
  if (category === STRAIGHT || category === STRAIGHT_FLUSH) {
    return straightRanks(decidingRank(strength, 0));
  }
  return GROUP_SIZES[category].flatMap((size, place) =>
    new Array(size).fill(decidingRank(strength, place)),
  );
}

/**
 * @param {number[]} cards five to seven cards
 * @param {number} strength what `measureHigh` makes of them
 * @returns {number[]} the five that make it, those that make the hand first, in the order c d h s
 */
export function arrangeHigh(cards, strength) {
  const category = categoryOf(strength);
  let left = cards.slice().sort((one, other) => one - other);
  if (category === FLUSH || category === STRAIGHT_FLUSH) {
    const suit = [0, 1, 2, 3].find((one) => left.filter((card) => suitOf(card) === one).length > 4);
    left = left.filter((card) => suitOf(card) === suit);
  }
  return wantedRanks(strength).map((rank) => {
    const at = left.findIndex((card) => rankOf(card) === rank);
    return left.splice(at, 1)[0];
  });
}
