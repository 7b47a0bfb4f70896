/*
 * What an audit found, each finding with its place, what should stand, what stands, and its
 * evidence. Long lists are told a part at a time.
 */

import {countWords, fill, grouped, make} from "./dom.js";
import {verdictSign} from "./icons.js";
import {routeOfHand} from "./routing.js";
import {VERDICTS} from "./words.js";

const FIRST_ITEMS = 10;
const MORE_ITEMS = 100;

/** Put the items of `list`, `draw` drawing each, into a list that grows when it is asked to. */
export function growingList(list, attributes, drawItem, first = FIRST_ITEMS) {
  const items = make("ul", attributes);
  const button = make("button", {type: "button", class: "button button-small"});
  let there = 0;
  const grow = (many) => {
    const start = there;
    there = Math.min(list.length, there + many);
    items.append(...list.slice(start, there).map(drawItem));
    button.hidden = there === list.length;
    fill(button, `Show ${grouped(Math.min(MORE_ITEMS, list.length - there))} more of `,
      countWords(list.length, "line"));
    return items.children[start];
  };
  grow(first);
  button.addEventListener("click", () => {
    const next = grow(MORE_ITEMS);
    next.tabIndex = -1;
    next.focus();
  });
  return [items, list.length > first && button];
}

/**
 * Draw findings, as many as there are; `several` says whether their game is to be named, and
 * `linked` whether their hand is a link.
 */
export function drawFindings(findings, {several, linked = true}) {
  return growingList(findings, {class: "findings"}, (finding) =>
    drawFinding(finding, several, linked));
}

function drawFinding(finding, several, linked) {
  const {style, word} = VERDICTS.get(finding.verdict);
  return make(
    "li",
    {class: `finding finding-${style}`},
    make(
      "p",
      {class: "finding-text"},
      verdictSign(style),
      make("span", {class: "unseen"}, `${word}: `),
      make("span", {}, finding.text),
    ),
    drawPlace(finding, several, linked),
    drawPair(finding),
    finding.evidence?.length > 0 &&
      growingList(finding.evidence, {class: "evidence"}, (text) => make("li", {}, text)),
  );
}

function drawPlace(finding, several, linked) {
  const place = [];
  if (several && finding.game) place.push(`game ${finding.game.slice(0, 8)}`);
  if (isThere(finding.hand)) {
    const words = `hand ${grouped(finding.hand)}`;
    const href = routeOfHand(finding.hand, several ? finding.game : null);
    place.push(linked && finding.hand > 0 ? make("a", {href}, words) : words);
  }
  if (isThere(finding.entry)) place.push(`entry ${grouped(finding.entry)}`);
  if (isThere(finding.line)) place.push(`line ${grouped(finding.line)} of the file`);
  if (place.length === 0) return null;
  const parts = place.flatMap((part, at) => (at === 0 ? [part] : [" · ", part]));
  return make("p", {class: "place"}, parts);
}

function drawPair(finding) {
  const rows = [["Expected", finding.expected], ["Found", finding.found]];
  const there = rows.filter(([, value]) => isThere(value));
  if (there.length === 0) return null;
  return make(
    "dl",
    {class: "pair"},
    there.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))),
  );
}

function isThere(value) {
  return value !== null && value !== undefined;
}
