/*
 * The promises of an audit, each first in plain words, then with all that was found.
 */

import {countWords, grouped, make, unseen} from "./dom.js";
import {drawFindings} from "./findings.js";
import {lineIcon, verdictSign} from "./icons.js";
import {PROMISE_WORDS, VERDICTS, sayVerdict} from "./words.js";

/** Draw the promises of a report, in its order; broken ones stand open. */
export function drawPromises(report) {
  const several = report.games.length > 1;
  return make(
    "section",
    {"class": "promises", "aria-labelledby": "promises-title"},
    make("h2", {id: "promises-title"}, "What was checked"),
    make("p", {class: "lead"}, "Open a line to see what it means, and what was found."),
    make("ul", {class: "promise-list"}, report.promises.map((one) => drawPromise(one, several))),
  );
}

function drawPromise({promise, verdict, asked, findings}, several) {
  const {title, means, more} = PROMISE_WORDS.get(promise);
  const {style, word} = VERDICTS.get(verdict);
  const deciding = findings.filter((finding) => finding.verdict === verdict);
  const rest = findings.filter((finding) => finding.verdict !== verdict);
  return make(
    "li",
    {class: `promise promise-${style}`},
    make(
      "details",
      {open: verdict === "broken"},
      make(
        "summary",
        {},
        verdictSign(style),
        make(
          "span",
          {class: "promise-head"},
          make("span", {class: "promise-title"}, title),
          unseen(": "),
          make("span", {class: "promise-says"}, sayVerdict(promise, verdict)),
        ),
        make("span", {class: `chip chip-${style}`}, unseen(" "), word),
        lineIcon("more"),
      ),
      make(
        "div",
        {class: "promise-body"},
        make("p", {class: "means"}, means),
        make(
          "p",
          {class: "found-head"},
          make("span", {class: "code"}, promise),
          sayCount(deciding, verdict),
          !asked && " · not asked for",
        ),
        drawFindings(deciding, {several}),
        rest.length > 0 && [
          make("p", {class: "found-head"}, "Besides"),
          drawFindings(rest, {several}),
        ],
        verdict === "not established" && more && make("p", {class: "more"}, more),
      ),
    ),
  );
}

function sayCount(findings, verdict) {
  if (findings.length === 0) return "nothing was there to be judged";
  if (verdict === "broken") return `broken in ${countWords(findings.length, "place")}`;
  return findings.length === 1 ? verdict : `${verdict}, ${grouped(findings.length)} findings`;
}
