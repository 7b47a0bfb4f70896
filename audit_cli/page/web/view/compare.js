/*
 * The page on which checkpoints and proofs are checked beside a game, or without one.
 */

import {drawNoteForm} from "./comparing_notes.js";
import {make} from "./dom.js";
import {drawProofForm} from "./log_proofs.js";

/**
 * Draw the page. `ask(what, details)` asks the auditor. Returns {page, take, trust}: `take(things)`
 * puts notes and proofs that sortFile gave into their fields, and gives back what is neither;
 * `trust(key)` is called when the page is shown, with the key that the game is judged by.
 */
export function drawCompare(ask) {
  const field = make("input", {
    "type": "text",
    "id": "compare-key",
    "class": "field signs",
    "autocomplete": "off",
    "autocapitalize": "off",
    "spellcheck": "false",
    "placeholder": "dealer.example.com+efb160ec+AQOhB7…",
    "aria-describedby": "compare-key-hint",
  });
  const key = () => (field.value.trim() === "" ? null : field.value.trim());
  const notes = drawNoteForm((texts) => ask("compare", {texts, key: key()}));
  const proofs = drawProofForm((text) => ask("log_proof", {text, key: key()}));
  const page = make(
    "article",
    {"class": "compare", "aria-labelledby": "compare-title"},
    make(
      "div",
      {class: "intro"},
      make("h1", {id: "compare-title", tabindex: "-1"}, "Did everybody see one game?"),
      make(
        "p",
        {class: "lead"},
        "A dealer could show two players two games. Whoever compares finds out, and has it in " +
        "writing: the dealer signed both.",
      ),
    ),
    make(
      "div",
      {class: "key-form"},
      make("label", {for: "compare-key"}, "The dealer’s key"),
      make(
        "p",
        {id: "compare-key-hint", class: "hint"},
        "Only with it can the dealer’s signatures be checked. Without one, the key of the game " +
        "that is open on this page is taken.",
      ),
      field,
    ),
    notes.part,
    proofs.part,
  );
  const take = (things) => things.filter(({kind, name, text}) => {
    if (kind === "note") notes.take({name, text});
    else if (kind === "proof") proofs.take({name, text});
    else if (kind === "key") field.value = text;
    else return true;
    return false;
  });
  const trust = (text) => {
    if (field.value === "") field.value = text;
  };
  return {page, take, trust};
}
