/*
 * The story of a hand: the same steps as the table, in words, street by street.
 */

import {make} from "../dom.js";
import {partNodes} from "./faces.js";

/**
 * Draw the story of some steps: {node, show}. `show(step)` marks a step, from 1, and keeps it in
 * sight within the list; `onGo(step)` is called for a step that is chosen.
 */
export function drawStory(steps, onGo) {
  const items = [];
  const streets = [];
  steps.forEach((step, at) => {
    const {street} = step.table;
    if (streets.at(-1)?.street !== street) streets.push({street, items: []});
    const button = make(
      "button",
      {type: "button", class: "story-step", on: {click: () => onGo(at + 1)}},
      make("span", {class: "story-words"}, partNodes(step.parts)),
    );
    items.push(button);
    streets.at(-1).items.push(make("li", {}, button));
  });
  const list = make(
    "div",
    {class: "story-list"},
    streets.map(({street, items: own}) => [
      make("h3", {class: "story-street"}, street),
      make("ol", {}, own),
    ]),
  );
  const node = make(
    "section",
    {class: "story", "aria-label": "The hand in words"},
    make("h2", {class: "story-title"}, "The hand in words"),
    list,
  );
  let current = null;
  const show = (step) => {
    current?.removeAttribute("aria-current");
    current = items[step - 1];
    current.setAttribute("aria-current", "step");
    const room = list.clientHeight;
    if (list.scrollHeight > room) {
      const top = current.offsetTop - list.offsetTop;
      const isSeen = top >= list.scrollTop && top + current.offsetHeight <= list.scrollTop + room;
      if (!isSeen) list.scrollTop = top - room / 3;
    }
  };
  return {node, show};
}
