/*
 * What the page does, what it can not prove, and how to be sure of the page itself.
 */

import {make} from "./dom.js";
import {PROMISE_WORDS} from "./words.js";

const LIMITS = [
  "The dealer knows the deck while it deals. What is proved is that it could not choose or " +
  "change a card unseen, not that it tells nobody a card.",
  "A friend who is told of cards plays with that knowledge, and no file shows it.",
  "Whoever holds a seat can throw a hand away by a link that does not come. It is never silent, " +
  "but who is to blame for a missing link is not proved.",
  "Nothing that a player sends is signed: neither a made-up time-out nor a denied act can be " +
  "proved.",
  "Whether others were told the same is only as sure as the checkpoints that you compare.",
  "Of a tournament this page checks each table, and the signatures of its log. Its draws, moves, " +
  "levels and prizes are for the program: cutcard-audit verify.",
];

/** Draw the page that tells what is proved, and what is not. */
export function drawAbout() {
  return make(
    "article",
    {"class": "prose", "aria-labelledby": "about-title"},
    make("h1", {id: "about-title", tabindex: "-1"}, "What this page proves"),
    make(
      "p",
      {class: "lead"},
      "A Cutcard dealer fixes a secret before each hand, the players’ own programs add " +
      "randomness to it, and the deck follows from both. When the game is over the secrets are " +
      "published, and anybody can work out everything again. That is what this page does.",
    ),
    make("h2", {}, "The eleven promises"),
    make("dl", {class: "terms"}, [...PROMISE_WORDS].map(([name, {title, means}]) => make(
      "div",
      {},
      make("dt", {}, title, " ", make("span", {class: "code"}, name)),
      make("dd", {}, means),
    ))),
    make("h2", {}, "What is not proved"),
    make("ul", {class: "bullets"}, LIMITS.map((text) => make("li", {}, text))),
    make("h2", {}, "Whom you have to trust"),
    make(
      "p",
      {},
      "This page, your browser, and the place where you got the dealer’s key. The page asks no " +
      "server for anything and can not: its own security policy forbids every connection. Save " +
      "it, read it, keep it. The program cutcard-audit is written apart from it, and says the " +
      "same.",
    ),
  );
}
