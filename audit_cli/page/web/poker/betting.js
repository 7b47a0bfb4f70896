/**
 * What each seat may do on a street: whose turn it is, what is owed and how far a bet or raise may
 * go (sections 9.2 to 9.4).
 *
 * A betting state has `stacks`, `bets` (of this street) and `totals` (of the hand) by seat number,
 * `order` (the seats dealt in, from the left of the button), `folded` and `dead` (chips in the
 * middle that nobody put in). Amounts named `to` are totals for the street. The bet to match is the
 * full big blind or straddle before the flop, whatever was posted.
 */

import {addExactly} from "./exactly.js";

const BIG_BETS_FROM_STREET = 2;

/**
 * @param {number[]} order seats dealt in, from the first to the left of the button
 * @param {Map<number, number>} stacks by seat
 * @param {object} rules a rule set
 */
export function startBetting(order, stacks, rules) {
  const betting = {
    order,
    rules,
    stacks: [],
    totals: [],
    bets: [],
    dead: 0,
    folded: new Set(),
  };
  for (const seat of order) {
    betting.stacks[seat] = stacks.get(seat);
    betting.totals[seat] = 0;
  }
  startStreet(betting, 0);
  return betting;
}

/** Begin a street: no bet stands, and the first seat left of the button comes first. */
export function startStreet(betting, street) {
  const {order, rules} = betting;
  for (const seat of order) {
    betting.bets[seat] = 0;
  }
  betting.toMatch = 0;
  betting.lastFullRaise = rules.big_blind;
  betting.aggressor = 0;
  // Who has acted on this street at all, and who has since the last bet or raise.
  betting.acted = new Set();
  betting.settled = new Set();
  betting.lastToAct = order[order.length - 1];
  // A straddle whose first turn comes when all others have acted.
  betting.late = 0;
  // What a pot limit counts of blinds and straddle above what was posted of them.
  betting.assumed = 0;
  // Fixed limit: the last total that counted as a bet, how many have, whether the cap is off.
  betting.counted = 0;
  betting.bettings = 0;
  betting.uncapped = false;
  if (isFixed(betting)) {
    betting.size = street < BIG_BETS_FROM_STREET ? rules.limits.small_bet : rules.limits.big_bet;
    liftCap(betting);
  }
}

function isFixed(betting) {
  return betting.rules.structure === "fixed_limit";
}

/** With two live seats before the cap is reached it does not hold on this street. */
function liftCap(betting) {
  const {limits} = betting.rules;
  if (limits.uncapped_heads_up && betting.bettings < limits.cap && countLive(betting) === 2) {
    betting.uncapped = true;
  }
}

/**
 * Begin the turns of the first street, when all posts are in.
 *
 * @param {{big: number, straddle: number}} at seats, straddle 0 where there is none
 * @param {number} posted what was posted of the blinds and the straddle
 */
export function openBetting(betting, at, posted) {
  const {rules, order} = betting;
  const blind = rules.big_blind;
  betting.toMatch = blind;
  betting.lastToAct = at.big;
  if (at.straddle) {
    betting.toMatch = 2 * blind;
    if (rules.straddle.min_raise === "double") {
      betting.lastFullRaise = betting.toMatch;
    }
    if (rules.straddle.kind === "under_the_gun") {
      betting.lastToAct = at.straddle;
    } else {
      betting.lastToAct = order[order.length - 1];
      betting.late = at.straddle;
    }
  }
  if (rules.structure === "pot_limit") {
    const small = rules.pot_small_blind === "rounded_up" ? blind : rules.small_blind;
    const full = small + blind + (at.straddle ? betting.toMatch : 0);
    betting.assumed = Math.max(full - posted, 0);
  }
  if (isFixed(betting)) {
    betting.counted = betting.toMatch;
    betting.bettings = 1;
  }
}

/** Take chips that are a bet of this street. */
export function putIn(betting, seat, amount) {
  payAnte(betting, seat, amount);
  betting.bets[seat] += amount;
}

/** Take chips that are the seat's own in the pot, and no bet. */
export function payAnte(betting, seat, amount) {
  betting.stacks[seat] -= amount;
  betting.totals[seat] += amount;
}

/** Take dead money. */
export function payDead(betting, seat, amount) {
  betting.stacks[seat] -= amount;
  betting.dead = addExactly(betting.dead, amount);
}

/** The seats that have not folded, from the first to the left of the button. */
export function liveSeats(betting) {
  return betting.order.filter((seat) => !betting.folded.has(seat));
}

/** How many seats have not folded. */
export function countLive(betting) {
  return betting.order.length - betting.folded.size;
}

/** How many live seats have chips. */
export function countWithChips(betting) {
  return liveSeats(betting).filter((seat) => betting.stacks[seat] > 0).length;
}

/** The most that any other live seat has bet or could still bet on this street. */
function reachOfOthers(betting, seat) {
  let reach = 0;
  for (const rival of betting.order) {
    if (rival !== seat && !betting.folded.has(rival)) {
      reach = Math.max(reach, betting.bets[rival] + betting.stacks[rival]);
    }
  }
  return reach;
}

/** What a seat owes; that may be more than it has. */
export function owedBy(betting, seat) {
  const short = betting.toMatch - betting.bets[seat];
  if (short <= 0) {
    return 0;
  }
  const reach = reachOfOthers(betting, seat);
  return Math.max(Math.min(betting.toMatch, reach) - betting.bets[seat], 0);
}

function owesDecision(betting, seat) {
  const {stacks, folded, settled, order} = betting;
  if (folded.has(seat) || !stacks[seat]) {
    return false;
  }
  if (owedBy(betting, seat) > 0) {
    return true;
  }
  return (
    !settled.has(seat) &&
    order.some((rival) => rival !== seat && !folded.has(rival) && stacks[rival] > 0)
  );
}

/** The first seat behind the last that acted, clockwise, that is as wanted, or 0. */
function findInRound({order, lastToAct}, isWanted) {
  const from = order.indexOf(lastToAct) + 1;
  for (let step = 0; step < order.length; step += 1) {
    const seat = order[(from + step) % order.length];
    if (isWanted(seat)) {
      return seat;
    }
  }
  return 0;
}

/** @returns {number} the seat whose turn it is, or 0 when the round is over */
export function nextToAct(betting) {
  if (countLive(betting) < 2) {
    return 0;
  }
  const {acted, late} = betting;
  const isWaiting = (seat) => owesDecision(betting, seat);
  if (late && !acted.has(late) && isWaiting(late)) {
    // The straddle comes behind the first turns of all others, and before any second one.
    const isFirstTurn = (seat) => seat !== late && !acted.has(seat) && isWaiting(seat);
    return findInRound(betting, isFirstTurn) || late;
  }
  return findInRound(betting, isWaiting);
}

/**
 * What the seat to act may do: `call` is what a call puts in (0: it may check), `word` is bet or
 * raise, possible to any total of `from` to `most`; `why` tells why none is open to it, else "".
 *
 * @returns {{seat: number, bet: number, call: number, word: string, from: number, most: number,
 *   why: string}}
 */
export function decideTurn(betting, seat) {
  const {toMatch, rules} = betting;
  const bet = betting.bets[seat];
  const allIn = bet + betting.stacks[seat];
  const decision = {
    seat,
    bet,
    call: Math.min(owedBy(betting, seat), betting.stacks[seat]),
    word: toMatch ? "raise" : "bet",
    from: 0,
    most: 0,
    why: whyNoRaise(betting, seat, allIn),
  };
  if (decision.why) {
    return decision;
  }
  if (isFixed(betting)) {
    decision.most = Math.min(betting.counted + betting.size, allIn);
    decision.from = decision.most;
    return decision;
  }
  decision.from = Math.min(toMatch + betting.lastFullRaise, allIn);
  decision.most = allIn;
  if (rules.structure === "pot_limit") {
    decision.most = Math.min(Math.max(potLimit(betting, bet), decision.from), allIn);
  }
  return decision;
}

function whyNoRaise(betting, seat, allIn) {
  const {toMatch, acted, rules} = betting;
  const faced = toMatch - betting.bets[seat];
  if (reachOfOthers(betting, seat) <= toMatch) {
    return "nobody else could put in more";
  }
  if (allIn <= toMatch) {
    return "its stack is not above the bet to match";
  }
  if (!isFixed(betting)) {
    return acted.has(seat) && faced < betting.lastFullRaise
      ? "it has acted, and no full raise came since"
      : "";
  }
  const {cap} = rules.limits;
  if (cap && betting.bettings >= cap && !betting.uncapped) {
    return `the betting is capped at ${cap} bets`;
  }
  return acted.has(seat) && 2 * faced < betting.size
    ? "it has acted, and faces less than half a bet"
    : "";
}

/** The total that bets the pot as it would be if the seat had called. */
function potLimit(betting, bet) {
  const {order, totals, dead, assumed, toMatch} = betting;
  // No stack is as large as what a Number would round.
  const lying = order.reduce((sum, seat) => sum + totals[seat], Number(dead) + assumed);
  return toMatch + lying + (toMatch - bet);
}

/** What the seat to act may do, in words. */
export function tellDecision({seat, bet, call, word, from, most, why}) {
  const matching = call ? `call to ${bet + call}` : "check";
  let raising = `${word} to ${from} up to ${most}`;
  if (why) {
    raising = `no ${word} (${why})`;
  } else if (from === most) {
    raising = `${word} to ${from}`;
  }
  return `seat ${seat}: fold, ${matching}, ${raising}`;
}

/** Whether the seat to act may act so, with this total for the street. */
export function isOpenTo(betting, seat, act, to) {
  const bet = betting.bets[seat];
  if (act === "fold") {
    return to === bet;
  }
  if (act === "check" || act === "call") {
    const call = Math.min(owedBy(betting, seat), betting.stacks[seat]);
    return to === bet + call && (act === "call") === call > 0;
  }
  const {word, from, most, why} = decideTurn(betting, seat);
  return act === word && !why && from <= to && to <= most;
}

/** Take a fold. */
export function takeFold(betting, seat) {
  betting.folded.add(seat);
  betting.lastToAct = seat;
  if (isFixed(betting)) {
    liftCap(betting);
  }
}

/** Take a check or a call to this total. */
export function takeMatch(betting, seat, to) {
  putIn(betting, seat, to - betting.bets[seat]);
  betting.acted.add(seat);
  betting.settled.add(seat);
  betting.lastToAct = seat;
}

/** Take a bet or raise to this total; the last full raise never moves on a short all-in. */
export function takeRaise(betting, seat, to) {
  betting.lastFullRaise = Math.max(betting.lastFullRaise, to - betting.toMatch);
  if (isFixed(betting) && 2 * (to - betting.counted) >= betting.size) {
    // Half a bet counts as one.
    betting.counted = to;
    betting.bettings += 1;
  }
  betting.toMatch = to;
  betting.aggressor = seat;
  betting.settled.clear();
  takeMatch(betting, seat, to);
}

/** Give chips back that were a bet. */
export function returnChips(betting, seat, amount) {
  betting.stacks[seat] += amount;
  betting.totals[seat] -= amount;
}
