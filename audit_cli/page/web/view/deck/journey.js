/*
 * The deck's journey: who gave randomness, and then shuffle, cut, shuffle, thirds, shuffle, swap by
 * swap with the drawn bytes, for all cards or following one.
 *
 * It is worked out by the worker when it is first opened (PROTOCOL.md 2 and 3).
 */

import {fill, make, named} from "../dom.js";
import {hashOf, provenStep, provenValues} from "../proof/hashes.js";
import {drawControls, listenKeys} from "../table/controls.js";
import {cardFace, inlineCard, partNodes} from "../table/faces.js";
import {cardWords} from "../table/wording.js";
import {bytesOfDraws, movesOfDeck, nameOfCard, touchesOf, trailOf} from "./acts.js";
import {drawRandomness} from "./randomness.js";
import {drawTrails} from "./trails.js";

const ACT_BUTTONS = ["Fresh", "Shuffle", "Cut", "Shuffle", "Thirds", "Shuffle"];
const ACT_SPOKEN = [
  "Fresh deck",
  "After the first shuffle",
  "After the cut",
  "After the second shuffle",
  "After the cut in thirds",
  "After the third shuffle",
];

/**
 * Draw the journey of a hand's deck, closed: {node, follow}. `follow(position)` opens it and
 * follows the card that ends there.
 */
export function drawJourney(told, ask) {
  const body = make("div", {class: "journey-body"});
  const isVoid = told.entries.some(({kind}) => kind === "hand_void");
  const title = isVoid ? "The deck that would have been" : "The deck's journey";
  const node = make(
    "details",
    {class: "journey"},
    make("summary", {}, make("h2", {}, title)),
    body,
  );
  let drawn = null;
  const load = () => {
    drawn ??= fillJourney(body, ask);
    return drawn;
  };
  node.addEventListener("toggle", () => {
    if (node.open) void load();
  });
  const follow = async (position) => {
    node.open = true;
    const shuffles = await load();
    shuffles?.follow(position);
  };
  return {node, follow};
}

async function fillJourney(body, ask) {
  fill(body, make("p", {role: "status"}, "Working it out…"));
  try {
    const told = await ask("deck", {});
    const shuffles = drawShuffles(told);
    fill(body, drawRandomness(told), shuffles.node, drawDealt(told));
    return shuffles;
  } catch (error) {
    fill(body, make("p", {class: "proof-verdict proof-broken"}, `No journey: ${error.message}`));
    return null;
  }
}

function drawShuffles(told) {
  const moves = movesOfDeck(told);
  const ends = [0, 1, 2, 3, 4, 5].map((act) => moves.findLastIndex((move) => move.act === act));
  const trails = Array.from({length: 52}, (_, card) => trailOf(card, told.steps));
  const state = {step: 1, card: null};
  const lines = drawTrails(trails);
  const cells = Array.from({length: 52}, (_, position) => {
    return deckCell(position, (card) => choose(card));
  });
  const grid = make("ol", {"class": "deck-grid", "aria-label": "The deck, from the top"},
    cells.map(({node}) => node));
  const title = make("p", {class: "move-title"});
  const words = make("p", {"class": "move-words", "aria-live": "polite", "aria-atomic": "true"});
  const drawn = make("p", {class: "move-drawn"});
  const way = make("div", {class: "followed-way"});
  const controls = drawControls(moves.length, "the shuffles", (wanted) => go(wanted));
  const acts = ACT_BUTTONS.map((name, act) =>
    make(
      "button",
      {
        "type": "button",
        "class": "act-button",
        "aria-label": ACT_SPOKEN[act],
        "on": {click: () => go(ends[act] + 1)},
      },
      name,
    ));
  const picker = cardPicker(told, (card) => choose(card));
  const show = () => {
    const move = moves[state.step - 1];
    cells.forEach((cell) => cell.show(move, state.card));
    fill(title, move.title);
    fill(words, partNodes(move.words));
    fill(drawn, move.drawn === "" ? "Nothing is drawn yet" : `Drawn: ${move.drawn}`);
    acts.forEach((button, act) => button.setAttribute("aria-current", String(act === move.act)));
    lines.show(state.card, move.act);
    controls.show(state.step);
  };
  const go = (wanted) => {
    state.step = Math.min(moves.length, Math.max(1, wanted));
    show();
  };
  const choose = (card) => {
    state.card = card;
    picker.select.value = card === null ? "" : String(card);
    fill(way, card !== null && drawWay(card, told, moves, trails[card], go));
    show();
  };
  const node = make(
    "section",
    {class: "journey-part"},
    make("h3", {}, "Shuffle, cut, shuffle, thirds, shuffle"),
    make(
      "div",
      {class: "shuffles"},
      make(
        "div",
        {class: "shuffles-side"},
        make("div", {"class": "acts", "role": "group", "aria-label": "The acts"}, acts),
        lines.node,
        picker.node,
      ),
      make(
        "div",
        {class: "shuffles-side"},
        grid,
        make("div", {class: "move"}, title, words, drawn),
        controls.node,
        make("p", {class: "move-bytes"}, bytesOfDraws(told.draws)),
      ),
    ),
    way,
  );
  listenKeys(node, () => ({step: state.step, count: moves.length}), go);
  show();
  const follow = (position) => {
    choose(told.steps.at(-1).after[position]);
    node.scrollIntoView({block: "start"});
    picker.select.focus({preventScroll: true});
  };
  return {node, follow};
}

/** One position of the deck; a click on it follows its card, as the list of cards does. */
function deckCell(position, onFollow) {
  let number = 0;
  const face = make("span", {class: "deck-card"});
  const node = make(
    "li",
    {class: "deck-cell", on: {click: () => onFollow(number)}},
    face,
  );
  let drawn = "";
  const show = ({deck, moved, packets}, followed) => {
    number = deck[position];
    const flags = [
      "deck-cell",
      number === followed ? "is-followed" : "",
      moved.includes(position) ? "is-moved" : "",
      packets === null ? "" : `packet-${packets[position]}`,
    ];
    const asked = `${number} ${flags.join(" ")}`;
    if (asked === drawn) return;
    drawn = asked;
    const card = nameOfCard(number);
    node.setAttribute("class", flags.filter(Boolean).join(" "));
    face.setAttribute("class", `deck-card ink-${card[1]}`);
    fill(face, make("span", {"class": "deck-face", "aria-hidden": "true"}, cardFace(card)),
      make("span", {class: "unseen"}, cardWords(card)));
  };
  return {node, show};
}

function cardPicker({cards, places}, onChoose) {
  const options = Array.from({length: 52}, (_, card) => {
    const name = nameOfCard(card);
    const end = endWords(places, cards.indexOf(name));
    return make("option", {value: card}, `${cardWords(name)}${end}`);
  });
  const select = make(
    "select",
    {
      class: "field field-small",
      on: {change: () => onChoose(select.value === "" ? null : Number(select.value))},
    },
    make("option", {value: ""}, "All cards"),
    options,
  );
  return {node: make("p", {class: "follow"}, make("label", {}, "Follow ", select)), select};
}

function endWords(places, position) {
  const place = places[position];
  return place === null ? "" : ` (${wentWords(place)})`;
}

function wentWords({to, player, board}) {
  if (to === "seat") return `to ${player ?? "a seat"}`;
  if (to === "burn") return "burned";
  return board === 1 ? "to the board" : `to board ${board}`;
}

function dealtWords(place) {
  if (place === null) return "unused";
  if (place.to === "seat") return named(place.player ?? "a seat");
  return wentWords(place).replace(/^to (the )?/, "");
}

function drawWay(card, {places}, moves, trail, go) {
  const name = nameOfCard(card);
  const place = places[trail.at(-1)];
  const went = place === null ? "not dealt" : wentWords(place);
  const end = went.startsWith("to ") ? `dealt ${went}` : went;
  const touches = touchesOf(card, moves);
  return [
    make(
      "p",
      {},
      "The way of ",
      inlineCard(name),
      ` by position: ${trail.join(" → ")}. It ends at position ${trail.at(-1)} and is ${end}.`,
    ),
    make(
      "ol",
      {class: "touches"},
      touches.map(({at, from, to}) =>
        make(
          "li",
          {},
          make(
            "button",
            {type: "button", class: "touch", on: {click: () => go(at + 1)}},
            `${moves[at].title}: from ${from} to ${to}`,
          ),
        )),
    ),
  ];
}

function drawDealt({cards, places, root, loggedRoot, fits}) {
  return make(
    "section",
    {class: "journey-part"},
    make("h3", {}, "The deck, as it was dealt"),
    make(
      "ol",
      {class: "proof-steps"},
      provenStep(
        fits,
        fits === null ? "The root of this deck" : fits
          ? "Its root is the one that the log committed to"
          : "Its root is not the one that the log committed to",
        provenValues(
          ["Root", hashOf(root)],
          loggedRoot !== root && loggedRoot !== null && ["In the log", hashOf(loggedRoot)],
        ),
      ),
    ),
    make(
      "ol",
      {class: "dealt-deck", start: 0},
      cards.map((card, position) => {
        const place = places[position];
        return make(
          "li",
          {class: place === null ? "is-left" : `went-${place.to}`},
          make("span", {class: "dealt-position"}, String(position)),
          inlineCard(card),
          make("span", {class: "dealt-to"}, dealtWords(place)),
        );
      }),
    ),
  );
}
