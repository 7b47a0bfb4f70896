/*
 * All 52 cards' ways through the five acts as lines, from the top of the deck at the top to its
 * bottom; the followed card's line stands out. The words beside it say the same.
 */

import {draw} from "../dom.js";

const ACTS = 6;
const WIDTH = 600;
const HEIGHT = 260;
const MARGIN = 14;
const LAST_POSITION = 51;

/** Draw the lines of `trails` (six positions a card): {node, show}; `show(card, act)`. */
export function drawTrails(trails) {
  const lines = trails.map((trail) => draw("path", {class: "trail", d: pathOf(trail)}));
  const followed = draw("path", {class: "trail-followed", d: ""});
  const dots = draw("g", {class: "trail-dots"});
  const marker = draw("path", {class: "trail-act", d: ""});
  const node = draw(
    "svg",
    {"class": "trails", "viewBox": `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true"},
    marker,
    lines,
    followed,
    dots,
  );
  const show = (card, act) => {
    marker.setAttribute("d", `M${across(act)} 0V${HEIGHT}`);
    node.classList.toggle("has-followed", card !== null);
    followed.setAttribute("d", card === null ? "" : pathOf(trails[card]));
    dots.replaceChildren(
      ...(card === null ? [] : trails[card]).map((position, at) =>
        draw("circle", {
          class: at === act ? "trail-dot is-here" : "trail-dot",
          cx: across(at),
          cy: down(position),
          r: at === act ? 7 : 4.5,
        }),
      ),
    );
  };
  return {node, show};
}

function across(act) {
  return ((act + 0.5) * WIDTH) / ACTS;
}

function down(position) {
  return MARGIN + (position * (HEIGHT - 2 * MARGIN)) / LAST_POSITION;
}

function pathOf(trail) {
  return trail
    .map((position, at) => {
      const x = across(at);
      const y = down(position);
      if (at === 0) return `M${x} ${y}`;
      const half = (across(1) - across(0)) / 2;
      return `C${x - half} ${down(trail[at - 1])} ${x - half} ${y} ${x} ${y}`;
    })
    .join("");
}
