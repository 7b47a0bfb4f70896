/*
 * One hand on the page: the table step by step, its story, a card's proof, the deck's journey.
 */

import {fill, make} from "../dom.js";
import {drawJourney} from "../deck/journey.js";
import {openProof} from "../proof/opening.js";
import {drawControls, listenKeys, listenLooseKeys, listenSwipes} from "./controls.js";
import {drawTable} from "./drawing.js";
import {partNodes} from "./faces.js";
import {stageHand} from "./staging.js";
import {drawStory} from "./story.js";
import {stakesWords} from "./wording.js";

const DECK_WORDS = new Map([
  ["revealed", "The dealer has revealed this hand: all cards are proved, folded ones too."],
  ["unrevealed", "Not revealed yet: what nobody showed stays face down, and nobody can tell it."],
  ["refused", "The revealed secret does not fit: only cards that the log opened are shown."],
  ["unknown", "Not all that the deck is made of is in this file: there is no deck to show."],
  ["none", "There is no deck in this hand."],
  ["would be", "No card was dealt. All that the deck is made of is known by now, and told below."],
]);

/**
 * Show a hand in `container`, in place of what is there.
 *
 * `told` is what tellHand says in the worker; `ask(what, details)` asks answerOfHand there of this
 * hand. `step`, from 1, is the one to begin with (null: where the cards are dealt, of a void hand
 * the end); one that is not there is the nearest. `onStep(step)` is called when the reader moves.
 * Returns {showStep(step), close()}.
 */
export function mountHand(
  container, told, ask,
  {step = null, onStep = /** @type {(step: number) => void} */ (() => {})} = {},
) {
  const steps = stageHand(told);
  const state = {step: 1, showAll: false};
  let journey = null;
  const toFollow = async (position) => {
    journey?.node.setAttribute("open", "");
    await journey?.follow(position);
  };
  const onCard = (position) => openProof(position, ask, journey === null ? null : toFollow);
  const table = drawTable(told, onCard);
  const controls = drawControls(steps.length, "the hand", (wanted) => go(wanted));
  const story = drawStory(steps, (wanted) => go(wanted));
  const caption = make("p", {class: "step-words", "aria-live": "polite", "aria-atomic": "true"});
  const place = make("p", {class: "step-place"});
  const show = () => {
    const {parts, entries, at, table: stands} = steps[state.step - 1];
    table.show(stands, state.showAll);
    story.show(state.step);
    controls.show(state.step);
    fill(caption, make("span", {}, partNodes(parts)));
    fill(place, placeWords(entries, at - told.openedAt));
  };
  const go = (wanted) => {
    const next = Math.min(steps.length, Math.max(1, wanted));
    if (next === state.step) return;
    state.step = next;
    show();
    onStep(next);
  };
  const showAll = showAllSwitch(told, (chosen) => {
    state.showAll = chosen;
    show();
  });
  if (told.hasJourney) journey = drawJourney(told, ask);
  const bar = make("div", {class: "stage-bar"}, caption, controls.node);
  const stage = make("div", {class: "stage"}, table.node, bar, place);
  const root = make(
    "div",
    {class: "hand"},
    problemsOf(told, steps).map((text) => make("p", {class: "hand-problem"}, text)),
    make(
      "div",
      {class: "hand-deck"},
      make(
        "p",
        {},
        make("span", {class: "hand-stakes"}, stakesWords(told.rules, told.opened.level)),
        " ",
        make("span", {class: "hand-told"}, deckWords(told)),
      ),
      showAll,
    ),
    make("div", {class: "hand-parts"}, stage, story.node),
    journey?.node,
  );
  const where = () => ({step: state.step, count: steps.length});
  listenKeys(root, where, go);
  const stopKeys = listenLooseKeys(where, go);
  listenSwipes(table.node, where, go);
  container.replaceChildren(root);
  state.step = Math.min(steps.length, Math.max(1, step ?? firstStep(steps)));
  show();
  return {
    showStep: (wanted) => {
      state.step = Math.min(steps.length, Math.max(1, wanted ?? firstStep(steps)));
      show();
    },
    close: () => {
      stopKeys();
      table.close();
      root.remove();
    },
  };
}

function deckWords({deckState, positions}) {
  const isDerived = deckState === "revealed" && positions.length === 0;
  return DECK_WORDS.get(isDerived ? "would be" : deckState);
}

function problemsOf({problems, entries}, steps) {
  const isCut = steps.at(-1).entries.at(-1) !== entries.at(-1);
  return isCut ? [...problems, `Only the first ${steps.length} steps are drawn.`] : problems;
}

function firstStep(steps) {
  const dealt = steps.findIndex(({table}) => table.dealt.size > 0);
  return dealt < 0 ? steps.length : dealt + 1;
}

function placeWords(entries, since) {
  const lines = entries.map(({line}) => line);
  const which = lines.length === 1 ? `Line ${lines[0]}` : `Lines ${lines[0]} and ${lines[1]}`;
  const after = since <= 0 ? "" : `, ${(since / 1000).toFixed(1)} s after the hand opened`;
  return `${which} of the file${after}`;
}

function showAllSwitch(told, onChange) {
  const held = told.positions.filter(({to}) => to === "seat");
  if (held.every(({card}) => card === null)) return null;
  const words = held.some(({card}) => card === null) ? "Show all known cards" : "Show all hands";
  const box = make("input", {type: "checkbox", on: {change: () => onChange(box.checked)}});
  return make("label", {class: "show-all"}, box, make("span", {}, words));
}
