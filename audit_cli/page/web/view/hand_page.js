/*
 * One hand: where it is among the others, what the audit found in it, and its table.
 *
 * The table is drawn by `mountHand(container, handData, ask, {step, onStep})`, which returns
 * {showStep(step), close()}: `handData` is what tellHand says in the worker; `ask(what, details)`
 * asks answerOfHand there about this very hand; `step` is the step to begin with, null for the
 * table's own choice; `onStep(step)` is called whenever the reader moves to another one.
 */

import {grouped, make} from "./dom.js";
import {drawFindings} from "./findings.js";
import {drawSource, sayResult} from "./hands.js";
import {lineIcon} from "./icons.js";
import {drawNotice} from "./report.js";
import {routeOfHand} from "./routing.js";

/**
 * Find a hand among the games: {at, game, row}, `at` the game's place from 0; null where it is not
 * there. `name` is the game's address, or how its name begins; null for the first game that has the
 * hand.
 */
export function findHand(games, name, hand) {
  for (const [at, game] of games.entries()) {
    if (name !== null && game.address !== name && !game.game.startsWith(name)) continue;
    const row = game.hands.find((one) => one.hand === hand);
    if (row !== undefined) return {at, game, row};
  }
  return null;
}

/** Draw the page of a hand. Returns {page, table}: `table` is the empty place for its table. */
export function drawHandPage({report, games}, {game, row}) {
  const table = make("div", {class: "table-place"});
  const findings = report.promises.flatMap(({promise, findings: found}) => found
    .filter((one) => one.hand === row.hand && one.game === game.game && one.verdict !== "holds")
    .map((one) => ({...one, text: `${promise}: ${one.text}`})));
  const about = new RegExp(`^hand ${row.hand}\\b`);
  const notices = report.notices.filter((one) => one.game === game.game && about.test(one.text));
  const page = make(
    "article",
    {"class": "hand-page", "aria-labelledby": "hand-title"},
    drawSteps(game, row),
    make(
      "header",
      {class: "hand-head"},
      make("h1", {id: "hand-title", tabindex: "-1"}, `Hand ${grouped(row.hand)}`),
      make("p", {class: "lead"}, sayResult(row)),
      games.length > 1 && drawSource(game),
    ),
    !row.signed && make(
      "p",
      {class: "callout callout-unsure"},
      "Not all of this hand is signed: what is not signed proves nothing.",
    ),
    findings.length > 0 && make(
      "section",
      {"class": "hand-findings", "aria-labelledby": "hand-findings-title"},
      make("h2", {id: "hand-findings-title"}, "What the check found in this hand"),
      drawFindings(findings, {several: false, linked: false}),
    ),
    table,
    notices.length > 0 && make(
      "section",
      {"class": "besides", "aria-labelledby": "hand-notices-title"},
      make("h2", {id: "hand-notices-title"}, "Good to know"),
      make("ul", {class: "notices"}, notices.map((notice) => drawNotice(notice, false))),
    ),
  );
  return {page, table};
}

function drawSteps(game, row) {
  const at = game.hands.indexOf(row);
  const link = (target, words, before) => target === undefined
    ? make("span", {"class": "step-link step-none", "aria-hidden": "true"})
    : make(
      "a",
      {class: "step-link", href: routeOfHand(target.hand, game.address)},
      before && lineIcon("before"),
      make("span", {}, words, " ", make("span", {class: "step-number"}, grouped(target.hand))),
      !before && lineIcon("after"),
    );
  return make(
    "nav",
    {"class": "steps", "aria-label": "Hands"},
    make("a", {class: "step-link", href: "#"}, "All hands"),
    link(game.hands[at - 1], "Hand", true),
    link(game.hands[at + 1], "Hand", false),
  );
}
