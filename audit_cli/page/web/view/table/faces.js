/*
 * Cards as they are drawn: suits by their shapes, each in a colour of its own, and always with
 * words for who does not see them.
 */

import {draw, make, named, unseen} from "../dom.js";
import {cardWords} from "./wording.js";

const SUIT_SHAPES = new Map([
  [
    "c",
    "M12 2a4.7 4.7 0 0 0-4 7.1 4.7 4.7 0 1 0 2.9 7c-.2 2.3-1.1 4.3-2.9 5.9h8c-1.8-1.6" +
      "-2.7-3.6-2.9-5.9a4.7 4.7 0 1 0 2.9-7A4.7 4.7 0 0 0 12 2z",
  ],
  ["d", "M12 1.5 20 12l-8 10.5L4 12z"],
  [
    "h",
    "M12 21.5C5.5 15.6 2 12 2 8c0-3 2.2-5.2 5-5.2 2.1 0 3.9 1.2 5 3.3 1.1-2.1 " +
      "2.9-3.3 5-3.3 2.8 0 5 2.2 5 5.2 0 4-3.5 7.6-10 13.5z",
  ],
  [
    "s",
    "M12 2C6.5 7 2.5 10.2 2.5 14a4.4 4.4 0 0 0 8.3 2.1C10.6 18.4 9.7 20.4 8 " +
      "22h8c-1.7-1.6-2.6-3.6-2.8-5.9A4.4 4.4 0 0 0 21.5 14C21.5 10.2 17.5 7 12 2z",
  ],
]);

/** The mark of a suit, `c`, `d`, `h` or `s`. */
function suitMark(suit) {
  return draw(
    "svg",
    {"class": `suit suit-${suit}`, "viewBox": "0 0 24 24", "aria-hidden": "true"},
    draw("path", {d: SUIT_SHAPES.get(suit) ?? ""}),
  );
}

/** A rank as players write it: `T` is 10. */
function rankText(card) {
  return card[0] === "T" ? "10" : card[0];
}

/** The face of a card, without words: those stand on what holds it. */
export function cardFace(card) {
  return [make("span", {class: "card-rank"}, rankText(card)), suitMark(card[1])];
}

/** A card within a sentence. */
export function inlineCard(card) {
  return make(
    "span",
    {class: `told-card ink-${card[1]}`},
    make("span", {"aria-hidden": "true"}, rankText(card), suitMark(card[1])),
    unseen(cardWords(card)),
  );
}

/** The parts of a step's words as nodes. */
export function partNodes(parts) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    return part.card === undefined
      ? named(part.player, {class: "told-player"})
      : inlineCard(part.card);
  });
}

/**
 * A card that can be opened to its proof: {node, show}. `show({card, label, marks})` draws a face,
 * or a back where `card` is null; `marks` is a list of "folded", "winning", "passed".
 */
export function cardButton(onOpen) {
  const node = make("button", {type: "button", class: "card", on: {click: onOpen}});
  let shown = "";
  const show = ({card, label, marks}) => {
    const asked = `${card}|${label}|${marks.join(" ")}`;
    if (asked === shown) return;
    shown = asked;
    const kind = card === null ? "card-back" : `card-face ink-${card[1]}`;
    node.setAttribute("class", ["card", kind, ...marks.map((mark) => `is-${mark}`)].join(" "));
    node.setAttribute("aria-label", label);
    node.replaceChildren(...(card === null ? [] : cardFace(card)));
  };
  return {node, show};
}

/** A stack of chips, drawn. */
export function chipMark() {
  return draw(
    "svg",
    {"class": "chip-mark", "viewBox": "0 0 24 24", "aria-hidden": "true"},
    draw("circle", {"class": "chip-rim", "cx": 12, "cy": 12, "r": 10.5}),
    draw("circle", {"class": "chip-edge", "cx": 12, "cy": 12, "r": 9}),
    draw("circle", {"class": "chip-heart", "cx": 12, "cy": 12, "r": 5.5}),
  );
}
