/*
 * Moving through the steps of a hand: buttons, a slider, arrow keys, swipes.
 */

import {draw, fill, make} from "../dom.js";

const SWIPE_FROM = 40;
const ARROWS = new Map([
  ["first", "M7 5v14M18 5l-8 7 8 7"],
  ["previous", "M15 5l-8 7 8 7"],
  ["next", "M9 5l8 7-8 7"],
  ["last", "M17 5v14M6 5l8 7-8 7"],
]);
const KEYS = new Map([
  ["ArrowLeft", (step) => step - 1],
  ["ArrowRight", (step) => step + 1],
  ["Home", () => 1],
  ["End", (_, count) => count],
]);
const OWN_ARROWS = "input, select, textarea, dialog";

/**
 * Draw the controls of `count` steps: {node, show}. `onGo(step)` is called with the step that is
 * wanted, from 1; `name` says of what the steps are.
 */
export function drawControls(count, name, onGo) {
  let current = 1;
  const slider = make("input", {
    type: "range",
    class: "playback-slider",
    min: 1,
    max: count,
    step: 1,
    value: 1,
    "aria-label": `Step of ${name}`,
    on: {input: () => onGo(Number(slider.value))},
  });
  const button = (kind, words, target) =>
    make(
      "button",
      {
        type: "button",
        class: `playback-button playback-${kind}`,
        title: words,
        "aria-label": words,
        on: {click: () => onGo(target())},
      },
      draw(
        "svg",
        {"class": "playback-arrow", "viewBox": "0 0 24 24", "aria-hidden": "true"},
        draw("path", {d: ARROWS.get(kind)}),
      ),
    );
  const back = [
    button("first", "First step", () => 1),
    button("previous", "Step back", () => Math.max(1, current - 1)),
  ];
  const on = [
    button("next", "Step on", () => Math.min(count, current + 1)),
    button("last", "Last step", () => count),
  ];
  const place = make("span", {class: "playback-place", "aria-hidden": "true"});
  const node = make(
    "div",
    {class: "playback", role: "group", "aria-label": `Steps of ${name}`},
    back,
    make("span", {class: "playback-middle"}, slider, place),
    on,
  );
  const show = (step) => {
    current = step;
    slider.value = String(step);
    slider.setAttribute("aria-valuetext", `${step} of ${count}`);
    fill(place, `${step} / ${count}`);
    for (const one of back) one.setAttribute("aria-disabled", String(step === 1));
    for (const one of on) one.setAttribute("aria-disabled", String(step === count));
  };
  return {node, show};
}

/**
 * Let arrow keys, Home and End step while the focus is in `root`, but not in something that has
 * its own use for them, or that has stepped itself. `where()` gives {step, count}.
 */
export function listenKeys(root, where, onGo) {
  root.addEventListener("keydown", (event) => {
    if (event.target.closest(OWN_ARROWS) === null) goByKey(event, where(), onGo);
  });
}

/**
 * Let arrow keys step also while the focus is nowhere in particular, or on what only a script
 * gives it to, such as a title. Returns what ends it.
 */
export function listenLooseKeys(where, onGo) {
  const listen = (event) => {
    if (!event.target.matches("body, [tabindex='-1']") || !event.key.startsWith("Arrow")) return;
    if (document.querySelector("dialog[open]") === null) goByKey(event, where(), onGo);
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

function goByKey(event, {step, count}, onGo) {
  const move = KEYS.get(event.key);
  if (move === undefined || event.defaultPrevented) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  onGo(Math.min(count, Math.max(1, move(step, count))));
}

/** Let a swipe over `node` step: to the left for the next step. */
export function listenSwipes(node, where, onGo) {
  let begun = null;
  node.addEventListener(
    "touchstart",
    ({touches}) => {
      begun = touches.length === 1 ? {x: touches[0].clientX, y: touches[0].clientY} : null;
    },
    {passive: true},
  );
  node.addEventListener(
    "touchend",
    ({changedTouches}) => {
      if (begun === null) return;
      const across = changedTouches[0].clientX - begun.x;
      const down = changedTouches[0].clientY - begun.y;
      begun = null;
      if (Math.abs(across) < SWIPE_FROM || Math.abs(across) < 2 * Math.abs(down)) return;
      const {step, count} = where();
      const wanted = across < 0 ? step + 1 : step - 1;
      if (wanted >= 1 && wanted <= count) onGo(wanted);
    },
    {passive: true},
  );
}
