/*
 * What two players hold of one dealer against each other: were both of them told the same?
 */

import {fill, make} from "./dom.js";
import {drawAnswer, drawTextField, refusedAnswer} from "./texts.js";

const STYLES = new Map([
  ["fork", "broken"],
  ["same", "holds"],
  ["open", "unsure"],
  ["ignored", "none"],
]);

/**
 * Draw the form. `compare(texts)` asks the auditor, and is a promise of what compareNotes says.
 * Returns {part, take}: `take({name, text})` puts a checkpoint into the first free field.
 */
export function drawNoteForm(compare) {
  const mine = drawTextField("note-mine", "Your checkpoint", 6, "your text");
  const theirs = drawTextField("note-theirs", "The other player’s checkpoint", 6, "the other text");
  const result = make("div", {class: "result", role: "status"});
  const submit = async (event) => {
    event.preventDefault();
    const texts = [...mine.read(), ...theirs.read()];
    if (texts.length === 0) {
      fill(result, make("p", {class: "wrong"}, "There is nothing in the fields yet."));
      return;
    }
    fill(result, make("p", {class: "hint"}, "Comparing…"));
    try {
      fill(result, drawAnswer(sayCompared(await compare(texts))));
    } catch (error) {
      fill(result, drawAnswer(refusedAnswer(error)));
    }
  };
  const part = make(
    "section",
    {"class": "panel tool", "aria-labelledby": "notes-title"},
    make("h2", {id: "notes-title"}, "Two checkpoints"),
    make(
      "p",
      {class: "hint"},
      "A checkpoint is the short note in which the dealer signs how far a game has got; your " +
      "client keeps them in its record. Put one into each field, or a whole record, a game file " +
      "or a .tlog-proof. A game that is open on this page is compared, too.",
    ),
    make(
      "form",
      {class: "tool-form", on: {submit}},
      make("div", {class: "pair-of-fields"}, mine.part, theirs.part),
      make("button", {type: "submit", class: "button"}, "Compare"),
    ),
    result,
  );
  return {part, take: (text) => (mine.isEmpty() ? mine : theirs).put([text])};
}

/** Say what compareNotes gave as an answer that drawAnswer draws. */
function sayCompared({sources, said, forks}) {
  const verdicts = new Set(said.map(({verdict}) => verdict));
  const wrong = sources.filter((source) => source.wrong !== null).map(({name, wrong: why}) => {
    return {style: "unsure", text: `${name} can not be read: ${why}`};
  });
  const lines = [...said.map(({verdict, text}) => ({style: STYLES.get(verdict), text})), ...wrong];
  return {...titleOf(verdicts, wrong.length > 0), said: lines, forks};
}

function titleOf(verdicts, isWrong) {
  if (verdicts.has("fork")) return {style: "broken", title: "The dealer signed two histories"};
  if (verdicts.has("same") && !verdicts.has("open") && !isWrong) {
    return {style: "holds", title: "These are of one history"};
  }
  if (verdicts.has("same")) {
    return {style: "unsure", title: "What could be compared is the same, but not all could be"};
  }
  return {style: "unsure", title: "This can not be compared yet"};
}
