/*
 * What the player has given so far, as a value, and the forms that change it.
 */

import {fill, grouped, make, named, unseen} from "./dom.js";
import {KINDS, pastedFile} from "./dropping.js";
import {lineIcon} from "./icons.js";

/**
 * Nothing given yet: {games, records, notes, proofs, key}; files of tournaments are among the
 * games, and `key` is "" where there is none.
 */
export const NOTHING_GIVEN = Object.freeze({
  games: [],
  records: [],
  notes: [],
  proofs: [],
  key: "",
});

const PLACES = new Map([
  ["game", "games"],
  ["tournament", "games"],
  ["record", "records"],
  ["note", "notes"],
  ["proof", "proofs"],
]);

/** Whether two things are one file: of one name and one text, or as large and as old. */
function isSame(one, other) {
  return ["name", "size", "text", "changed"].every((field) => one[field] === other[field]);
}

/** Add what sortFile gave; a file that is there already is taken anew. */
export function addGiven(given, things) {
  return things.reduce((before, thing) => {
    if (thing.kind === "key") return {...before, key: thing.text};
    const place = PLACES.get(thing.kind);
    const others = before[place].filter((one) => !isSame(one, thing));
    return {...before, [place]: [...others, thing]};
  }, given);
}

/** Leave out one thing. */
export function removeGiven(given, thing) {
  const place = PLACES.get(thing.kind);
  return {...given, [place]: given[place].filter((one) => one !== thing)};
}

/** What the auditor is asked, from what is given: {inputs, request}. */
export function requestOf(given) {
  return {
    inputs: given.games.map(({name, blob}) => ({name, blob})),
    request: {
      key: given.key === "" ? null : given.key,
      records: given.records.map(({name, bytes}) => ({name, bytes})),
      notes: given.notes.map(({name, text}) => ({name, text})),
      proofs: given.proofs.map(({name, text}) => ({name, text})),
      required: [],
    },
  };
}

/** Draw the list of what is given, each with a button that calls `remove(thing)`. */
export function drawGiven(given, remove) {
  const things = [...given.games, ...given.records, ...given.notes, ...given.proofs];
  return make("ul", {class: "given"}, things.map((thing) => make(
    "li",
    {},
    make(
      "span",
      {class: "given-words"},
      make("span", {class: "given-kind"}, KINDS.get(thing.kind)),
      named(thing.name, {class: "given-name"}),
      make("span", {class: "given-size"}, saySize(thing.size)),
    ),
    make(
      "button",
      {type: "button", class: "button-icon", on: {click: () => remove(thing)}},
      lineIcon("remove"),
      unseen(`Remove ${thing.name}`),
    ),
  )));
}

function saySize(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${grouped(Math.round(bytes / 1000))} kB`;
  return `${grouped(Math.round(bytes / 100_000) / 10)} MB`;
}

let fileButtons = 0;

/** A button that chooses files, for any kind of them; `take` gets a list of {name, blob}. */
export function fileButton(words, take, attributes = {}) {
  fileButtons += 1;
  const input = make("input", {
    type: "file",
    multiple: true,
    class: "unseen file-input",
    id: `files-${fileButtons}`,
    on: {
      change: () => {
        const files = [...input.files].map((file) => ({name: file.name, blob: file}));
        input.value = "";
        if (files.length > 0) take(files);
      },
    },
  });
  const label = make("label", {class: "button", for: input.id, ...attributes}, words);
  return make("span", {class: "file-button"}, input, label);
}

/**
 * The field for the dealer's key, as long as there is no game to judge by it: `keep(text)` is
 * called when it has changed. `wrong` is what is wrong with the one that was given, or "".
 */
export function drawKeyField(key, wrong, keep) {
  const {field, parts} = keyParts(key, wrong);
  // A file that is dropped leaves the focus in the field, so that no change of it is told before.
  field.addEventListener("input", () => keep(field.value.trim()));
  return make("div", {class: "key-form"}, parts, field);
}

/** As drawKeyField, with a button: `trust(text)` is called with what was entered, "" for no key. */
export function drawKeyForm(key, wrong, trust) {
  const {field, parts} = keyParts(key, wrong);
  const submit = (event) => {
    event.preventDefault();
    trust(field.value.trim());
  };
  return make(
    "form",
    {class: "key-form", on: {submit}},
    parts,
    make(
      "div",
      {class: "field-row"},
      field,
      make("button", {type: "submit", class: "button"}, "Use this key"),
    ),
  );
}

function keyParts(key, wrong) {
  const field = make("input", {
    "type": "text",
    "id": "key",
    "name": "key",
    "class": "field signs",
    "autocomplete": "off",
    "autocapitalize": "off",
    "spellcheck": "false",
    "placeholder": "dealer.example.com+efb160ec+AQOhB7…",
    "aria-describedby": wrong === "" ? "key-hint" : "key-hint key-wrong",
    "aria-invalid": wrong === "" ? null : "true",
  });
  field.value = key;
  const parts = [
    make("label", {for: "key"}, "The dealer’s key"),
    make(
      "p",
      {id: "key-hint", class: "hint"},
      "From the dealer’s own site or your client, not from whoever gave you the file.",
    ),
    wrong !== "" && make("p", {id: "key-wrong", class: "wrong"}, wrong),
  ];
  return {field, parts};
}

/** A field to paste a text into; `take` gets it as a list of one {name, blob}. */
export function drawPasting(take) {
  const field = make("textarea", {
    id: "pasted",
    class: "field signs",
    rows: 5,
    spellcheck: "false",
    autocomplete: "off",
  });
  const message = make("p", {class: "hint", role: "status"});
  return make(
    "details",
    {class: "fold"},
    make("summary", {}, "Paste a text instead"),
    make(
      "form",
      {
        class: "fold-body",
        on: {
          submit: (event) => {
            event.preventDefault();
            const text = field.value;
            fill(message, text.trim() === "" ? "There is nothing in the field yet." : "");
            if (text.trim() === "") return;
            field.value = "";
            take([pastedFile(text)]);
          },
        },
      },
      make("label", {for: "pasted"}, "A game, a record, a checkpoint, a proof or a key"),
      field,
      make("button", {type: "submit", class: "button button-small"}, "Add this text"),
      message,
    ),
  );
}
