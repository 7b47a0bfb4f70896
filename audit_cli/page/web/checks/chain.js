/**
 * Games that go on from each other: what each says of the other agrees (PROTOCOL.md 6.2).
 *
 * Judged where both games are in the input, in any order: `previous` against the end of the game
 * that it names, and `next` against the game that it names. A break in the chain is one of COMPLETE
 * (a game between two is missing or another), other seats, stacks or buttons are one of PLAYED.
 */

import {toHex} from "../core/bytes.js";
import {rootAt} from "../core/merkle.js";
import {createVoice} from "../core/voice.js";
import {courseOf} from "./course.js";

/** Compares the games of a chain with each other; see `core/audit.js` for the arguments. */
export async function checkChain(games, request, tell) {
  const complete = createVoice("COMPLETE", tell);
  const played = createVoice("PLAYED", tell);
  const openings = new Map();
  const ends = new Map();
  const known = new Set();
  for (const game of games) {
    complete.begin(game.game);
    if (known.has(game.game)) {
      complete.notice("this game stands in the input more than once");
    }
    known.add(game.game);
    const opening = findCovered(game, "game_opened");
    const close = findCovered(game, "game_closed");
    if (opening !== undefined && !openings.has(game.game)) {
      openings.set(game.game, opening);
    }
    if (close !== undefined && !courseOf(game).tornAt[close.index]) {
      ends.set(game.game, await endOf(game, close));
    }
  }
  for (const [game, opening] of openings) {
    complete.begin(game);
    played.begin(game);
    judgePrevious({complete, played}, game, opening, openings, ends);
  }
  for (const [game, end] of ends) {
    complete.begin(game);
    judgeNext(complete, game, end, openings);
  }
}

function findCovered(game, kind) {
  return game.entries.slice(0, game.covered).find((entry) => entry.kind === kind);
}

/** How a game closed: its log up to the close, its last button and its seats. */
async function endOf(game, close) {
  const {seats, button, isVoid} = courseOf(game).states.get(close.index);
  const rising = [...seats].sort(([one], [other]) => one - other);
  const next = close.body.next ?? null;
  const size = close.index + 1;
  return {
    close,
    next,
    size,
    // Worked out only where another game may repeat it.
    root: next === null ? null : toHex(await rootAt(game.tree, size)),
    button: tellButton(button, isVoid),
    seats: tellCarried(
      rising.map(([seat, {player, stack, sittingOut, anchor, isHouse: house}]) => ({
        seat, player, stack, sitting_out: sittingOut, anchored: anchor !== null, house,
      })),
    ),
  };
}

/** Compares a game with the one that it goes on from. */
function judgePrevious({complete, played}, game, opening, openings, ends) {
  const {previous} = opening.body;
  if (previous === undefined) {
    return;
  }
  const before = previous.game;
  const end = ends.get(before);
  if (end === undefined) {
    if (!openings.has(before)) {
      complete.notice(`this game goes on from game ${before}, which is not in the input`);
    }
    return;
  }
  if (end.next !== game) {
    const text = `game ${before} does not name this game as its next`;
    complete.broken(text, opening, null, game, end.next ?? "none");
  }
  if (end.root !== null) {
    const [wanted, found] = [end, previous].map(({size, root}) => `size ${size}, root ${root}`);
    const text = `the log of game ${before} ends otherwise than this game says`;
    sayWhereOther(complete, text, opening, wanted, found);
  }
  const button = tellButton(previous.button, previous.button_stays);
  const text = `the button comes otherwise from game ${before}`;
  sayWhereOther(played, text, opening, end.button, button);
  const seats = tellCarried(previous.seats);
  sayWhereOther(played, `the seats come otherwise from game ${before}`, opening, end.seats, seats);
}

function sayWhereOther(voice, text, entry, wanted, found) {
  if (wanted !== found) {
    voice.broken(text, entry, null, wanted, found);
  }
}

/** Compares the end of a game with the one that it names as its next. */
function judgeNext(complete, game, {close, next}, openings) {
  const follower = openings.get(next);
  if (next !== null && follower === undefined) {
    complete.notice(`this game goes on in game ${next}, which is not in the input`);
  } else if (next !== null) {
    const named = follower.body.previous?.game;
    if (named !== game) {
      const text = "the next game does not go on from this one";
      complete.broken(text, close, null, `previous game ${game}`, named ?? "no previous game");
    }
  }
}

function tellButton(seat, isVoid) {
  return `button ${seat}, last hand ${isVoid ? "void" : "not void"}`;
}

function tellCarried(seats) {
  return seats
    .map(({seat, player, stack, sitting_out: sittingOut, anchored, house}) => {
      const states = `${sittingOut ? ", sitting out" : ""}${anchored ? ", anchored" : ""}`;
      return `seat ${seat} ${player} ${stack}${states}${house ? ", of the house" : ""}`;
    })
    .join("; ");
}
