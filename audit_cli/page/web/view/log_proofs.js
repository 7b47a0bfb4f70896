/*
 * A `.tlog-proof` file: is its line in the dealer's log, and is it of the game that is open?
 */

import {fill, grouped, make} from "./dom.js";
import {hashOf} from "./proof/hashes.js";
import {drawAnswer, drawTextField, refusedAnswer} from "./texts.js";
import {VERDICTS} from "./words.js";

const TITLES = new Map([
  ["holds", "The line is in the dealer’s log"],
  ["broken", "This proof does not hold"],
  ["not established", "This proof does not prove anything yet"],
]);

/**
 * Draw the form. `check(text)` asks the auditor, and is a promise of what checkLogProof says.
 * Returns {part, take}: `take({name, text})` puts a proof into the field.
 */
export function drawProofForm(check) {
  const proof = drawTextField("proof", "The proof", 8, "the proof");
  const result = make("div", {class: "result", role: "status"});
  const submit = async (event) => {
    event.preventDefault();
    const [file] = proof.read();
    if (file === undefined) {
      fill(result, make("p", {class: "wrong"}, "There is nothing in the field yet."));
      return;
    }
    fill(result, make("p", {class: "hint"}, "Checking…"));
    try {
      const told = await check(file.text);
      fill(result, drawAnswer(sayProof(told), drawWay(told)));
    } catch (error) {
      fill(result, drawAnswer(refusedAnswer(error)));
    }
  };
  const part = make(
    "section",
    {"class": "panel tool", "aria-labelledby": "proofs-title"},
    make("h2", {id: "proofs-title"}, "A proof from the dealer’s log"),
    make(
      "p",
      {class: "hint"},
      "The dealer’s log tells all the world which games and hands it opened. A .tlog-proof file " +
      "shows that one line is in that log. If its game is open on this page, the line is held " +
      "against it.",
    ),
    make(
      "form",
      {class: "tool-form", on: {submit}},
      proof.part,
      make("button", {type: "submit", class: "button"}, "Check the proof"),
    ),
    result,
  );
  return {part, take: (text) => proof.put([text])};
}

function sayProof({verdict, text, details}) {
  const {style} = VERDICTS.get(verdict);
  const lines = details.includes(text) ? details : [text, ...details];
  return {
    style,
    title: TITLES.get(verdict),
    said: lines.map((line) => {
      return {style: verdict === "holds" || line === text ? style : "none", text: line};
    }),
    forks: [],
  };
}

/** Draw how the line's hash becomes the log's root, step by step. */
function drawWay({line, index, size, root, path}) {
  if (line === null) return null;
  const facts = [
    ["The line", make("code", {}, line)],
    ["Its place", `${grouped(index)}, counted from 0, of ${grouped(size)}`],
    ["The root", hashOf(root)],
  ];
  return make(
    "details",
    {class: "fold"},
    make("summary", {}, "Show the way from the line to the root"),
    make(
      "div",
      {class: "fold-body"},
      make("dl", {class: "facts"}, facts.map(([label, value]) => {
        return make("div", {}, make("dt", {}, label), make("dd", {}, value));
      })),
      make("ol", {class: "way"}, path.map(({side, sibling, node}) => make(
        "li",
        {},
        make("p", {}, `With this hash on its ${side}: `, hashOf(sibling)),
        make("p", {}, "it becomes ", hashOf(node)),
      ))),
    ),
  );
}
