/*
 * One card's proof, in a dialog: from the card and its salt up to the root of the deck, from there
 * to the line of the log that fixed it, and up to what the dealer signed. All hashes were worked
 * out by the worker just now; nothing is taken from the file but what the file has to say.
 */

import {fill, grouped, make, named} from "../dom.js";
import {lineIcon, verdictSign} from "../icons.js";
import {cardFace} from "../table/faces.js";
import {cardWords} from "../table/wording.js";
import {hashOf, provenStep, provenValues} from "./hashes.js";
import {drawTree} from "./tree.js";

/**
 * Open the proof of the card at `position`. `ask` asks answerOfHand of the hand; `follow(position)`
 * shows the card's way through the shuffles, null where that is not known.
 */
export async function openProof(position, ask, follow) {
  const label = {class: "proof-title", id: "proof-title", tabindex: "-1"};
  const title = make("h2", label, "A card's proof");
  const body = make("div", {class: "proof-body"}, make("p", {role: "status"}, "Working it out…"));
  const close = make(
    "button",
    {"type": "button", "class": "button-icon proof-close", "aria-label": "Close the proof"},
    lineIcon("remove"),
  );
  const dialog = make(
    "dialog",
    {"class": "proof", "aria-labelledby": "proof-title"},
    make("div", {class: "proof-head"}, title, close),
    body,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  title.focus();
  try {
    const told = await ask("card", {position});
    fill(title, told.card === null ? "A card face down" : sentence(cardWords(told.card)));
    fill(body, drawProof(told), followButton(dialog, told, follow));
  } catch (error) {
    fill(body, make("p", {class: "proof-verdict proof-broken"}, `No proof: ${error.message}`));
  }
}

function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}`;
}

function followButton(dialog, {position}, follow) {
  if (follow === null) return null;
  const act = () => {
    dialog.close();
    void follow(position);
  };
  return make(
    "p",
    {class: "proof-follow"},
    make(
      "button",
      {type: "button", class: "button button-plain", on: {click: act}},
      "Follow this card through the shuffles",
    ),
  );
}

function drawProof(told) {
  const {style, words} = judgeProof(told);
  return [
    make("div", {class: "proof-card"}, drawnCard(told.card), make("p", {}, placeOf(told))),
    make(
      "p",
      {class: `proof-verdict proof-${style}`},
      verdictSign(style),
      make("span", {}, words),
    ),
    make(
      "ol",
      {class: "proof-steps"},
      leafStep(told),
      pathStep(told),
      rootStep(told),
      sealSteps(told),
    ),
  ];
}

function drawnCard(card) {
  const face = card === null ? "card-back" : `card-face ink-${card[1]}`;
  return make(
    "span",
    {"class": `card card-large ${face}`, "aria-hidden": "true"},
    card === null ? null : cardFace(card),
  );
}

function placeOf(told) {
  const {position, to, player, board, line} = told;
  const toBoard = board === 1 ? "to the board" : `to board ${board}`;
  const whom = to === "seat" ? ["to ", named(player ?? "an unknown seat")] : toBoard;
  return [
    `Position ${position} of the deck, dealt `,
    whom,
    ` in line ${grouped(line)} of the file. `,
    knownBy(told),
  ];
}

function knownBy({card, by, openedAt}) {
  if (card === null) return "This file does not tell which card it is.";
  const logged = openedAt === null ? "" : `It was opened in line ${grouped(openedAt.line)}`;
  if (by === "derived") {
    return logged === ""
      ? "The secret that the dealer revealed tells which card it is."
      : `${logged}, and the secret that the dealer revealed tells the same.`;
  }
  if (by === "own") return "A player's own opening in this file tells which card it is.";
  return `${logged}.`;
}

/** What the proof comes to, in one sentence, and the style of a verdict. */
function judgeProof({card, proved, logged, seal, path, deckState}) {
  if (logged === null) return {style: "unsure", words: "No deck was committed to in this hand."};
  if (proved === false) {
    return {style: "broken", words: "This card is not in the deck that the dealer committed to."};
  }
  if (deckState === "refused") {
    return {
      style: "broken",
      words: "The revealed secret makes another deck than was committed to, which proves no card.",
    };
  }
  if (seal !== null && !seal.proved) {
    return {style: "broken", words: "The dealer's signature is over other lines than these."};
  }
  if (seal === null) {
    return {style: "unsure", words: "The deck's line is under no signed checkpoint in this file."};
  }
  if (!seal.isBeforeCards) {
    return {style: "unsure", words: "The deck was signed only after the first card was dealt."};
  }
  if (card === null) {
    return {
      style: "none",
      words: "Whatever this card is, it was fixed and signed before any card was dealt.",
    };
  }
  if (path === null) {
    return {
      style: "unsure",
      words: "The log opened this card; what proves it comes with the reveal of the hand.",
    };
  }
  if (!seal.isTrusted) {
    return {
      style: "unsure",
      words:
        "This card was fixed and signed before any card of the hand was dealt, by the key in this " +
        "file. Give the dealer's key to know that it is the dealer's.",
    };
  }
  return {
    style: "holds",
    words: "This card was fixed, and signed by the dealer, before any card of the hand was dealt.",
  };
}

function leafStep({position, card, leaf}) {
  if (leaf === null) return null;
  return provenStep(
    null,
    "The card's leaf",
    make(
      "p",
      {},
      "The card, its place, its salt and the hand's mix, hashed. Without the salt nobody can try ",
      "which of 52 cards it is.",
    ),
    provenValues(
      ["Card", `${card}, number ${leaf.number}`],
      ["Position", String(position)],
      ["Salt", hashOf(leaf.salt)],
      ["Mix", hashOf(leaf.mix)],
      ["Leaf", hashOf(leaf.hash)],
    ),
  );
}

function pathStep({position, leaf, path}) {
  if (leaf === null) return null;
  if (path === null) {
    return provenStep(
      null,
      "Up the deck's tree",
      make("p", {}, "The hashes beside the leaf are not in this file: they come with the reveal."),
    );
  }
  return provenStep(
    null,
    "Up the deck's tree",
    make(
      "p",
      {},
      "The 52 leaves are hashed in pairs, and pairs of pairs, up to one root. At each step the ",
      "neighbour's hash joins from its side.",
    ),
    drawTree(position),
    climbing(path),
  );
}

function rootStep({proved, logged, path}) {
  if (logged === null) return null;
  const agrees =
    proved === null
      ? "The log committed to the deck by this root:"
      : proved
        ? "It is the root that the log committed to:"
        : "The log committed to another root:";
  const reached = path === null || proved ? null : ["Reached", hashOf(path.at(-1).node)];
  return provenStep(
    proved,
    "The root in the log",
    make("p", {}, agrees),
    provenValues(
      reached,
      ["deck_root", hashOf(logged.root)],
      ["Where", `line ${grouped(logged.line)} of the file, entry ${grouped(logged.entry)}`],
    ),
  );
}

function sealSteps({seal, logged}) {
  if (logged === null || seal === null) return null;
  const isSealed = seal.proved && seal.isBeforeCards;
  const before = seal.isBeforeCards
    ? "It covers no card of this hand: the deck was fixed first."
    : "It covers cards of this hand, too.";
  return [
    provenStep(
      seal.proved,
      "The line, up the log's tree",
      make("p", {}, `The line is hashed, and so are all ${grouped(seal.size)} lines together.`),
      provenValues(["Line's leaf", hashOf(seal.leaf)]),
      make(
        "details",
        {class: "proof-more"},
        make("summary", {}, `${grouped(seal.steps.length)} steps to the signed root`),
        climbing(seal.steps),
      ),
    ),
    provenStep(
      isSealed && !seal.isTrusted ? null : isSealed,
      seal.isTrusted ? "The dealer's signature" : "A signature",
      make("p", {}, `A checkpoint of ${grouped(seal.size)} lines has this root. ${before}`),
      provenValues(
        ["Root", hashOf(seal.root)],
        ["Key", `${seal.key}${seal.isTrusted ? "" : ", from this file"}`],
        ["Where", `line ${grouped(seal.line)} of the file`],
      ),
    ),
  ];
}

function climbing(steps) {
  return make(
    "ol",
    {class: "climb"},
    steps.map(({side, sibling, node}) =>
      make(
        "li",
        {class: "climb-step"},
        provenValues(
          [`Neighbour, ${side}`, hashOf(sibling)],
          ["Together", hashOf(node)],
        ),
      )),
  );
}
