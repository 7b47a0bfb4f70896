/*
 * The hands of a game, a line each, for the list that the page shows.
 *
 * Nothing is judged here: this is what the entries say. An entry that could not be read as its
 * kind tells nothing. `signed` says whether all entries of a hand are under a checkpoint.
 */

import {isDealtState} from "../poker/waiting.js";

/**
 * Return {source, game, origin, key, entries, signed, checkpoints, rules, players, hands} of a
 * Game. `players` are the names that ever sat, in the order in which they came. Each of `hands` is
 * {hand, entry, state, signed, players, pot, rake, boards, winners, reason, missing}: `state` is
 * "ended", "void" or "open"; `pot` all that was awarded, rake too; `winners` are {seat, player,
 * amount, name}, the largest first, `name` that of the best hand that it won with, or null;
 * `reason` and `missing` (names) are those of a void.
 */
export function overviewGame(game) {
  const players = new Set();
  const hands = [];
  let hand = null;
  game.entries.forEach((entry, index) => {
    const {kind, body} = entry;
    if (kind === "seat_taken") players.add(body.player);
    if (kind === "game_opened" && body.previous !== undefined) {
      for (const seat of body.previous.seats) players.add(seat.player);
    }
    if (kind === "hand_opened") {
      hand = beginRow(body, index);
      hands.push(hand);
    }
    if (hand === null) return;
    foldRow(hand, kind, body);
    if (hand.state === "open" || kind === "hand_ended" || kind === "hand_void") {
      hand.signed = index < game.covered;
    }
    if (kind === "hand_ended" || kind === "hand_void") hand = null;
  });
  return {
    source: game.source,
    game: game.game,
    origin: game.origin,
    key: game.key,
    entries: game.entries.length,
    signed: game.covered,
    checkpoints: game.checkpoints.filter(({holds}) => holds).length,
    rules: game.rules,
    players: [...players],
    hands: hands.map(endRow),
  };
}

function beginRow(body, index) {
  return {
    hand: body.hand,
    entry: index,
    state: "open",
    signed: false,
    names: new Map(body.seats.map(({seat, player}) => [seat, player])),
    players: body.seats.filter(({state}) => isDealtState(state)).length,
    pot: 0,
    rake: 0,
    boards: 1,
    won: new Map(),
    reason: null,
    missing: [],
  };
}

function foldRow(hand, kind, body) {
  if (kind === "awarded") {
    hand.pot += body.amount;
    hand.rake += body.rake;
    hand.boards = Math.max(hand.boards, body.board);
    for (const {seat, amount, name} of body.winners) {
      const won = hand.won.get(seat) ?? {amount: 0, name: null};
      hand.won.set(seat, {amount: won.amount + amount, name: won.name ?? name ?? null});
    }
  } else if (kind === "hand_ended") {
    hand.state = "ended";
  } else if (kind === "hand_void") {
    hand.state = "void";
    hand.reason = body.reason;
    hand.missing = body.missing.map(({player}) => player);
  }
}

function endRow({names, won, ...hand}) {
  const winners = [...won].map(([seat, {amount, name}]) => {
    return {seat, player: names.get(seat) ?? `seat ${seat}`, amount, name};
  });
  winners.sort((a, b) => b.amount - a.amount || a.seat - b.seat);
  return {...hand, winners};
}
