/*
 * What the forms for checkpoints and proofs share: a text that is pasted or chosen as a file, and
 * the auditor's answer about it.
 */

import {fill, make, named} from "./dom.js";
import {sortFile} from "./dropping.js";
import {growingList} from "./findings.js";
import {fileButton} from "./given.js";
import {verdictSign} from "./icons.js";
import {forkText, saveText} from "./saving.js";

const MOST_CHOSEN = 64 * 1024 * 1024;

/**
 * Draw a field for a text under `label`, `rows` lines high, with a button that takes a file in its
 * place. Returns {part, read, put, isEmpty}: `read()` gives a list of {name, text} of what is
 * there, `name` being that of a pasted text; `put` takes such a list.
 */
export function drawTextField(id, label, rows, name) {
  let chosen = [];
  const field = make("textarea", {
    "id": id,
    "class": "field signs",
    "rows": rows,
    "spellcheck": "false",
    "autocomplete": "off",
    "autocapitalize": "off",
    "on": {input: () => put([])},
  });
  const line = make("p", {class: "hint chosen", role: "status"});
  const put = (texts) => {
    chosen = texts;
    if (texts.length > 0) field.value = "";
    fill(line, texts.length > 0 && ["From the file ", named(texts[0].name)]);
  };
  const take = async ([file]) => {
    try {
      put(await textsOf(file));
    } catch (error) {
      fill(line, `This file can not be taken: ${error.message}`);
    }
  };
  const button = fileButton("Choose a file", take, {class: "button button-plain button-small"});
  const part = make(
    "div",
    {class: "text-field"},
    make("div", {class: "text-head"}, make("label", {for: id}, label), button),
    field,
    line,
  );
  const isEmpty = () => chosen.length === 0 && field.value.trim() === "";
  const read = () => {
    if (chosen.length > 0 || isEmpty()) return chosen;
    return [{name, text: wholeText(field.value)}];
  };
  return {part, read, put, isEmpty};
}

/** The texts of a file: two notes of the evidence of a fork, else the file's own. */
async function textsOf(file) {
  if (file.blob.size > MOST_CHOSEN) throw new Error("it is too large");
  /** @type {any[]} */
  const things = await sortFile(file);
  if (things.every(({text}) => text !== undefined)) {
    return things.map(({name, text}) => ({name, text}));
  }
  return [{name: file.name, text: await file.blob.text()}];
}

/** A text that was pasted often has empty lines around it, and lacks its last line feed. */
function wholeText(text) {
  return text.replaceAll("\r\n", "\n").replace(/^\n+/, "").replace(/\n*$/, "\n");
}

/**
 * Draw an answer: {style, title, said: [{style, text}], forks}, and what else belongs to it.
 */
export function drawAnswer({style, title, said, forks}, ...more) {
  return make(
    "div",
    {class: `verdict verdict-${style} answer`},
    make(
      "div",
      {class: "verdict-head"},
      verdictSign(style),
      make(
        "div",
        {},
        make("h3", {}, title),
        said.length > 0 && growingList(said, {class: "said"}, (one) => make(
          "li",
          {},
          verdictSign(one.style),
          make("span", {}, one.text),
        )),
        forks.map((fork, at) => make(
          "button",
          {
            type: "button",
            class: "button button-small",
            on: {click: () => saveText(`cutcard-fork-${at + 1}.json`, forkText(fork))},
          },
          forks.length === 1 ? "Save the evidence" : `Save the evidence of fork ${at + 1}`,
        )),
        more,
      ),
    ),
  );
}

/** The answer where the auditor refused a question. */
export function refusedAnswer(error) {
  const said = error.hint ? [{style: "none", text: error.hint}] : [];
  return {style: "unsure", title: `This could not be checked: ${error.message}`, said, forks: []};
}
