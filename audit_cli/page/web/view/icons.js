/*
 * The page's few drawings. All are beside words that say the same, and hidden from screen readers.
 */

import {draw} from "./dom.js";

const SIGNS = new Map([
  ["holds", "M6.5 12.5l3.7 3.7 7.3-8"],
  ["broken", "M8 8l8 8M16 8l-8 8"],
  ["unsure", "M9.3 9.4a2.8 2.8 0 1 1 4.2 2.4c-1 .6-1.5 1.1-1.5 2.2M12 17v.2"],
  ["none", "M8 12h8"],
]);

const LINES = new Map([
  ["before", "M14.5 6l-6 6 6 6"],
  ["after", "M9.5 6l6 6-6 6"],
  ["more", "M6 9.5l6 6 6-6"],
  ["remove", "M7 7l10 10M17 7L7 17"],
  ["save", "M12 4v11m-4.5-4L12 15.5 16.5 11M5 20h14"],
  ["print", "M7 9V4h10v5M7 17H5a1 1 0 0 1-1-1v-6h16v6a1 1 0 0 1-1 1h-2M7 14h10v6H7z"],
]);

/** The sign of a verdict's style ("holds", "broken", "unsure", "none"): a mark in a disc. */
export function verdictSign(style) {
  return draw(
    "svg",
    {"class": `sign sign-${style}`, "viewBox": "0 0 24 24", "aria-hidden": "true"},
    draw("circle", {class: "sign-disc", cx: 12, cy: 12, r: 11}),
    draw("path", {class: "sign-mark", d: SIGNS.get(style)}),
  );
}

/** A plain drawing of lines, by name. */
export function lineIcon(name) {
  return draw(
    "svg",
    {"class": "icon", "viewBox": "0 0 24 24", "aria-hidden": "true"},
    draw("path", {d: LINES.get(name)}),
  );
}

/** A deck that is cut, for the place where files are dropped. */
export function deckDrawing() {
  const card = (x, y, turn, style) =>
    draw("rect", {
      "class": style,
      "x": x,
      "y": y,
      "width": 40,
      "height": 56,
      "rx": 5,
      "transform": `rotate(${turn} ${x + 20} ${y + 28})`,
    });
  return draw(
    "svg",
    {"class": "deck-drawing", "viewBox": "0 0 132 84", "aria-hidden": "true"},
    card(20, 16, -14, "deck-back"),
    card(72, 16, 14, "deck-back deck-cut"),
    card(46, 12, 0, "deck-face"),
    draw("path", {
      "class": "deck-pip",
      "d":
        "M66 26c3.6 5.4 10.5 8.4 10.5 14a5.6 5.6 0 0 1-9.2 4.2c.2 3 1.2 5 3.2 6.8h-9" +
        "c2-1.8 3-3.8 3.2-6.8A5.6 5.6 0 0 1 55.5 40C55.5 34.4 62.4 31.4 66 26z",
    }),
  );
}
