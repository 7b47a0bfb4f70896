/*
 * The report: the verdict, which verdict.js says in one sentence, the games, what is to be known,
 * and what could not be read. The promises themselves are drawn by promises.js, the hands by
 * hands.js.
 */

import {countWords, grouped, make, named} from "./dom.js";
import {growingList} from "./findings.js";
import {lineIcon, verdictSign} from "./icons.js";
import {forkText, saveText} from "./saving.js";
import {VERDICTS, sayGame} from "./words.js";

const SHOWN_PLAYERS = 12;

/**
 * Draw the verdict, `said` being what the report comes to (verdict.js), with `beside` (the form for
 * a key, where there is none) in its panel; `jumps` bring the reader to what is broken, and to the
 * hands: lists of an id, words and a function.
 */
export function drawVerdict(report, {style, title, text}, beside, jumps) {
  return make(
    "section",
    {"class": `verdict verdict-${style}`, "aria-labelledby": "verdict-title"},
    make(
      "div",
      {class: "verdict-head"},
      verdictSign(style),
      make(
        "div",
        {},
        make("h1", {id: "verdict-title", tabindex: "-1"}, title),
        make("p", {class: "verdict-text"}, text),
        drawTally(report),
        jumps.length > 0 && make("p", {class: "jumps"}, jumps.map(([id, words, jump]) => make(
          "button",
          {type: "button", id, class: "button", on: {click: jump}},
          words,
        ))),
      ),
    ),
    beside,
  );
}

function drawTally(report) {
  const tally = [...VERDICTS].map(([verdict, {style, one, more}]) => {
    const many = report.promises.filter((promise) => promise.verdict === verdict).length;
    return many > 0 && make("li", {class: `chip chip-${style}`}, countWords(many, one, more));
  });
  return make("ul", {"class": "tally", "aria-label": "Promises by verdict"}, tally);
}

/** Draw what is known of each game; null where there is none. */
export function drawGames(games) {
  if (games.length === 0) return null;
  return make(
    "section",
    {"class": "games", "aria-labelledby": "games-title"},
    make("h2", {id: "games-title"}, games.length === 1 ? "The game" : "The games"),
    make("ul", {class: "game-list"}, games.map((game) => drawGame(game, games.length > 1))),
  );
}

function drawGame(game, several) {
  const ended = game.hands.filter(({state}) => state === "ended").length;
  const voids = game.hands.filter(({state}) => state === "void").length;
  const unsigned = game.entries - game.signed;
  const title = game.rules === null
    ? "A game without readable rules"
    : sayGame(game.rules, grouped);
  const names = game.players.slice(0, SHOWN_PLAYERS).flatMap((name, at) => {
    return at === 0 ? [named(name)] : [", ", named(name)];
  });
  if (game.players.length > SHOWN_PLAYERS) {
    names.push(` and ${grouped(game.players.length - SHOWN_PLAYERS)} more`);
  }
  const rows = [
    ...(several ? [["File", named(game.source)]] : []),
    ["Dealer", [named(game.origin)]],
    ["Players", names.length > 0 ? names : ["nobody"]],
    ["Hands", [
      countWords(ended, "hand"),
      voids > 0 && `, ${countWords(voids, "void")}`,
    ]],
    ["Log", [
      `${countWords(game.entries, "entry", "entries")}, `,
      unsigned === 0 ? "all signed" : `${grouped(unsigned)} not signed`,
      ` · ${countWords(game.checkpoints, "checkpoint")}`,
    ]],
    ["Game", [make("code", {}, game.game)]],
    ["Key in the file", [make("code", {}, game.key)]],
  ];
  return make(
    "li",
    {class: "panel game"},
    make("h3", {}, title),
    make("dl", {class: "facts"}, rows.map(([label, value]) => {
      return make("div", {}, make("dt", {}, label), make("dd", {}, value));
    })),
  );
}

/** Draw what could not be read; null where there is no such thing. */
export function drawDamage({damage}) {
  if (damage.length === 0) return null;
  return make(
    "section",
    {"class": "besides", "aria-labelledby": "damage-title"},
    make("h2", {id: "damage-title"}, "What can not be read"),
    growingList(damage, {class: "findings"}, ({source, line, reason, hint}) => make(
      "li",
      {class: "finding finding-broken"},
      make("p", {class: "finding-text"}, verdictSign("broken"), make("span", {}, reason)),
      make("p", {class: "place"}, named(source), line > 0 && `, line ${grouped(line)}`),
      hint && make("p", {}, hint),
    )),
  );
}

/** Draw what is to be known besides: warnings, voids and other notices. */
export function drawBesides(report) {
  const several = report.games.length > 1;
  return [
    report.warnings.length > 0 && make(
      "section",
      {"class": "besides", "aria-labelledby": "warnings-title"},
      make("h2", {id: "warnings-title"}, "What was left aside"),
      growingList(report.warnings, {class: "notices"}, (text) => make("li", {}, text)),
    ),
    report.notices.length > 0 && make(
      "section",
      {"class": "besides", "aria-labelledby": "notices-title"},
      make("h2", {id: "notices-title"}, "Good to know"),
      growingList(report.notices, {class: "notices"}, (notice) => drawNotice(notice, several)),
    ),
  ];
}

/** Draw a notice with its details; `several` says whether its game is to be named. */
export function drawNotice({text, game, details}, several) {
  return make(
    "li",
    {class: "notice"},
    make("p", {}, several && game && `Game ${game.slice(0, 8)}: `, text),
    details?.length > 0 &&
      growingList(details, {class: "evidence"}, (detail) => make("li", {}, detail)),
  );
}

/** Draw the buttons that save and print the report, and save the evidence of forks. */
export function drawActions(report, forks) {
  const save = () => saveText("cutcard-report.json", `${JSON.stringify(report)}\n`);
  return make(
    "ul",
    {"class": "actions", "aria-label": "Keep this report"},
    forks.map((fork, at) => action("save", `Save the evidence of fork ${at + 1}`, () => {
      saveText(`cutcard-fork-${at + 1}.json`, forkText(fork));
    })),
    action("save", "Save the report", save),
    action("print", "Print", () => print()),
  );
}

function action(icon, words, act) {
  return make("li", {}, make(
    "button",
    {type: "button", class: "button button-plain", on: {click: act}},
    lineIcon(icon),
    words,
  ));
}
