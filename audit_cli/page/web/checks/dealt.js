/**
 * DEALT: positions went out 0, 1, 2, … by the rule, and none is opened but where it was dealt.
 *
 * One card at a time from the left of the button, as many rounds as there are hole cards; then a
 * burn and three to the flop, a burn and one to the turn, a burn and one to the river. A second
 * board goes on behind the first with burns of its own (PROTOCOL.md 4).
 */

import {counted, createVoice} from "../core/voice.js";
import {clockwise} from "../poker/positions.js";
import {courseOf} from "./course.js";

const HOLDEM_ROUNDS = 2;
const STREET_CARDS = Object.freeze([3, 1, 1]);

/** Judges the dealing of all games; see `core/audit.js` for the arguments. */
export async function checkDealt(games, request, tell) {
  const voice = createVoice("DEALT", tell);
  const counts = {positions: 0, openings: 0};
  for (const game of games) {
    voice.begin(game.game);
    const holes = followDealing(voice, game, counts);
    const unsigned = judgeOwnPositions(voice, game, holes);
    if (unsigned > 0) {
      voice.unproved(`${counted(unsigned, "own opening")} of hands whose dealing is not signed`);
    }
    voice.end();
  }
  const openings = `${counted(counts.openings, "opening")} where they were dealt`;
  voice.holds(`${counted(counts.positions, "position")} in order, ${openings}`);
}

/** Follows a game's hands; returns how many hole cards each dealt, by the hand's number. */
function followDealing(voice, game, counts) {
  const course = courseOf(game);
  const holes = new Map();
  let deal = newDeal(0, []);
  for (const entry of game.entries.slice(0, game.covered)) {
    const {kind, index} = entry;
    if (kind === "hand_opened") {
      deal = newDeal(entry.body.hand, planDeal(course.handAt[index + 1]));
    } else if (kind === "runs_agreed") {
      // What is left of the first board, once more; however often that is agreed on.
      deal.plan.push(...deal.plan.filter(({board}) => board === 1).map(onSecondBoard));
    } else if (kind === "dealt" && !course.tornAt[index]) {
      counts.positions += entry.body.positions.length;
      if (deal.targets.size === 0) {
        holes.set(deal.number, entry.body.positions.length);
      }
      takeDealt(voice, deal, entry);
    } else if (kind === "opened" && !course.tornAt[index]) {
      counts.openings += entry.body.cards.length;
      judgeOpened(voice, deal, entry);
    }
  }
  return holes;
}

/** A hand being dealt: what is still to go out, at which position, and what went where. */
function newDeal(number, plan) {
  return {number, plan, next: 0, targets: new Map()};
}

/** What each `dealt` of a hand has to hold, in words: a seat, a board, a burn. */
function planDeal(hand) {
  const rounds = hand.rules?.hole_cards ?? HOLDEM_ROUNDS;
  const round = clockwise(hand.players.keys(), hand.button).map(seatTarget);
  const holes = {board: null, targets: Array.from({length: rounds}, () => round).flat()};
  return [holes, ...STREET_CARDS.map((cards) => streetOf(cards, 1))];
}

function streetOf(cards, board) {
  const targets = Array.from({length: cards}, () => boardTarget(board));
  return {board, targets: ["burn", ...targets]};
}

function onSecondBoard({targets}) {
  return streetOf(targets.length - 1, 2);
}

function seatTarget(seat) {
  return `seat ${seat}`;
}

function boardTarget(board) {
  return board === 1 ? "board" : `board ${board}`;
}

function targetOf({to, seat, board}) {
  return to === "seat" ? seatTarget(seat) : to === "board" ? boardTarget(board) : "burn";
}

function takeDealt(voice, deal, entry) {
  const due = deal.plan.shift()?.targets ?? [];
  const wanted = due.map((target, at) => `${deal.next + at} ${target}`);
  const {positions} = entry.body;
  const found = positions.map((item) => `${item.position} ${targetOf(item)}`);
  if (found.join() !== wanted.join()) {
    const expected = wanted.join(", ") || "no more positions";
    const text = "positions did not go out by the rule";
    voice.broken(text, entry, deal.number, expected, found.join(", "));
  }
  for (const item of positions) {
    if (!deal.targets.has(item.position)) {
      deal.targets.set(item.position, targetOf(item));
    }
    deal.next = item === positions[0] ? item.position + 1 : Math.max(deal.next, item.position + 1);
  }
}

function judgeOpened(voice, deal, entry) {
  const {hand, seat, board, cards} = entry.body;
  const opened = seat === undefined ? boardTarget(board) : seatTarget(seat);
  let last = -1;
  for (const {position} of cards) {
    const dealt = deal.targets.get(position);
    if (dealt !== opened) {
      const text = `position ${position} is opened where it was not dealt`;
      voice.broken(text, entry, hand, dealt ?? "not dealt", opened);
    }
    if (position <= last) {
      voice.broken("the cards of an opening do not stand by rising position", entry, hand);
    }
    last = position;
  }
}

/** Judges that a player's own openings are of hole cards; tells how many are of unsigned hands. */
function judgeOwnPositions(voice, game, holes) {
  const isWhole = game.covered === game.entries.length;
  const isDamaged = courseOf(game).firstDamage !== Infinity;
  let unsigned = 0;
  for (const {kind, line, body} of game.extras) {
    const dealt = holes.get(body.hand);
    if (kind !== "opening" || isDamaged) {
      continue;
    }
    if (dealt === undefined && !isWhole) {
      unsigned += 1;
    } else if (body.position >= (dealt ?? 0)) {
      const text = `position ${body.position} is opened to a player, and went to none`;
      voice.brokenAt(text, line, body.hand);
    }
  }
  return unsigned;
}
