/*
 * The first thing that a player sees: what the page does, and where to put the file of a game.
 */

import {make} from "./dom.js";
import {drawGiven, drawKeyField, drawKeyForm, drawPasting, fileButton} from "./given.js";
import {deckDrawing} from "./icons.js";

/**
 * Draw the start. `acts` are the reader's: take(files), keepKey(key), remove(thing); `wrong` is a
 * key that was refused, {key, why}, and `problem` what else went wrong before; each "" for nothing.
 */
export function drawStart(given, wrong, problem, acts) {
  const lists = [given.games, given.records, given.notes, given.proofs];
  const anything = lists.some((things) => things.length > 0);
  return make(
    "div",
    {class: "start"},
    make(
      "div",
      {class: "intro"},
      make("h1", {id: "start-title", tabindex: "-1"}, "Was this game dealt fairly?"),
      make(
        "p",
        {class: "lead"},
        "Open the file of a game. Every deck is shuffled again here, every card, bet and chip is " +
        "checked, and each hand is played back at the table.",
      ),
    ),
    make(
      "section",
      {"class": "drop", "aria-labelledby": "drop-title"},
      deckDrawing(),
      make("h2", {id: "drop-title"}, "Open the game’s file"),
      make(
        "p",
        {class: "hint"},
        "Drop it anywhere on this page, or choose it. Your client’s record, other players’ " +
        "checkpoints and .tlog-proof files can come along.",
      ),
      fileButton("Choose files", acts.take),
      problem !== "" && make("p", {class: "wrong", role: "alert"}, problem),
    ),
    make(
      "div",
      {class: "beside"},
      anything && make(
        "section",
        {"aria-labelledby": "given-title", "class": "given-place"},
        make("h2", {id: "given-title"}, "What you have given"),
        drawGiven(given, acts.remove),
        given.games.length === 0 &&
          make("p", {class: "hint"}, "The file of the game itself is still missing."),
      ),
      drawKeyField(wrong.key || given.key, wrong.why, acts.keepKey),
      drawPasting(acts.take),
    ),
  );
}

/** Draw what a report was made with, by a key (`trusted`) or none, and where more can be added. */
export function drawBasis(given, trusted, acts) {
  return make(
    "section",
    {"class": "panel basis", "aria-labelledby": "basis-title"},
    make("h2", {id: "basis-title"}, "Checked with"),
    drawGiven(given, acts.remove),
    make(
      "div",
      {class: "basis-more"},
      fileButton("Add files", acts.take, {class: "button button-plain"}),
      make(
        "button",
        {type: "button", class: "button button-plain", on: {click: acts.restart}},
        "Start again",
      ),
    ),
    make(
      "p",
      {class: "hint"},
      "Your client’s record shows that your own link was in each deck. A checkpoint of another " +
      "player shows that both of you saw one game.",
    ),
    trusted && drawKeyForm(given.key, "", acts.trust),
    drawPasting(acts.take),
  );
}
