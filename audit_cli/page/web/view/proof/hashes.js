/*
 * How a proof's steps and hashes are written.
 */

import {make, unseen} from "../dom.js";
import {verdictSign} from "../icons.js";

const GROUP = 8;

/** Bytes in hex, in groups that may be broken apart at the end of a line, and are copied as one. */
export function hashOf(hex) {
  const groups = [];
  for (let at = 0; at < hex.length; at += GROUP) {
    groups.push(make("span", {}, hex.slice(at, at + GROUP)), make("wbr"));
  }
  return make("code", {class: "hash"}, groups);
}

/** A step of a proof; `holds` marks it: true, false, or null where it only tells. */
export function provenStep(holds, title, ...content) {
  const style = holds === null ? "none" : holds ? "holds" : "broken";
  return make(
    "li",
    {class: `proof-step proof-step-${style}`},
    make(
      "h3",
      {class: "proof-step-title"},
      holds !== null && verdictSign(style),
      holds !== null && unseen(holds ? "Holds: " : "Broken: "),
      make("span", {}, title),
    ),
    content,
  );
}

/** Names and values of a step, a pair a row; what is false is left out. */
export function provenValues(...pairs) {
  return make(
    "dl",
    {class: "proof-values"},
    pairs.filter(Boolean).map(([name, value]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}
