/*
 * The auditor behind the page: reads, checks and tells games in a worker, so that the page stays
 * fluid.
 *
 * Questions and answers are those of view/asking.js. There is to ask:
 *
 *     audit {inputs: [{name, blob}], request}   → {report, games: [overview], tournaments:
 *                                                 [overview]}; keeps them
 *     hand {game, hand}                         → what tellHand says; `game` counts from 0
 *     of_hand {game, hand, what, details}       → what answerOfHand says: one card, the deck, …
 *     compare {texts: [{name, text}], key}      → what compareNotes says, beside the games kept
 *     log_proof {text, key}                     → what checkLogProof says, beside the games kept
 *
 * Progress is told at most every 50 ms.
 */

import {audit} from "./core/audit.js";
import {compareNotes} from "./core/comparing.js";
import {checkLogProof} from "./core/logproof.js";
import {overviewGame} from "./core/overview.js";
import {answerOfHand, tellHand} from "./core/telling.js";
import {overviewTournament} from "./core/tournaments.js";

const PROGRESS_MS = 50;

let heldGames = [];
let heldTournaments = [];

/** @type {Map<string, (...given: any[]) => any>} */
const ANSWERS = new Map([
  ["audit", auditInputs],
  ["hand", ({game, hand}) => tellHand(heldGames[game], hand)],
  ["of_hand", ({game, hand, what, details}) => {
    return answerOfHand(heldGames[game], hand, what, details);
  }],
  ["compare", (asked) => compareNotes(asked, [...heldGames, ...heldTournaments])],
  ["log_proof", (asked) => checkLogProof(asked, heldGames)],
]);

async function auditInputs({inputs, request}, tell) {
  heldGames = [];
  heldTournaments = [];
  const {report, games, tournaments} = await audit(inputs, request, tell);
  heldGames = games;
  heldTournaments = tournaments;
  return {
    report,
    games: games.map(overviewGame),
    tournaments: tournaments.map((log) => overviewTournament(log, games)),
  };
}

/** Return a teller of progress that lets through one call in 50 ms, and each change of `what`. */
function progressTeller(id) {
  let last = -Infinity;
  let telling = "";
  return (done, total, what) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS && what === telling) return;
    last = now;
    telling = what;
    postMessage({id, progress: {done, total, what}});
  };
}

async function answerQuestion({id, what, details}) {
  try {
    if (globalThis.crypto?.subtle === undefined) {
      throw new Error("this browser gives no cryptography to a page that is opened in this way");
    }
    const answer = ANSWERS.get(what);
    if (answer === undefined) throw new Error(`nobody knows how to answer ${what}`);
    postMessage({id, answer: await answer(details, progressTeller(id))});
  } catch (error) {
    const {name, message, hint = ""} = error;
    postMessage({id, refused: {name, message, hint}});
  }
}

self.addEventListener("message", ({data}) => {
  void answerQuestion(data);
});
