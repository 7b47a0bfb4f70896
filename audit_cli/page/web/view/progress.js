/*
 * How far a check has got: a bar for the eyes, and a few words for screen readers.
 */

import {fill, make} from "./dom.js";

const TELL_MS = 4_000;

/**
 * Draw a progress panel. Returns {panel, show}: `show({done, total, what})` moves the bar; `tell`
 * is called with words every few seconds; `stop` when the reader wants no more.
 */
export function drawProgress(title, tell, stop) {
  const bar = make("progress", {"max": 1, "aria-labelledby": "progress-title"});
  const words = make("p", {class: "progress-words"}, "Reading the file…");
  let told = performance.now();
  const panel = make(
    "section",
    {"class": "panel progress", "aria-labelledby": "progress-title"},
    make("h1", {id: "progress-title", tabindex: "-1"}, title),
    bar,
    words,
    make("button", {type: "button", class: "button button-plain", on: {click: stop}}, "Stop"),
  );
  const show = ({done, total, what}) => {
    const share = total > 0 ? Math.min(1, done / total) : 0;
    bar.value = share;
    const percent = Math.floor(share * 100);
    fill(words, `${capitalised(what)}… ${percent} %`);
    if (performance.now() - told >= TELL_MS) {
      told = performance.now();
      tell(`${capitalised(what)}: ${percent} percent`);
    }
  };
  return {panel, show};
}

function capitalised(words) {
  const text = String(words ?? "");
  return text === "" ? "Checking" : text[0].toUpperCase() + text.slice(1);
}
