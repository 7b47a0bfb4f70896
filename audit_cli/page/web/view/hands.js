/*
 * The list of hands: who won what, which were void, and where something is wrong. A page of it is
 * drawn at a time, so that long games stay quick.
 */

import {countWords, fill, grouped, listed, make, named, unseen} from "./dom.js";
import {verdictSign} from "./icons.js";
import {routeOfHand} from "./routing.js";
import {VOIDS} from "./words.js";

const PAGE_HANDS = 50;

const CHOICES = [
  ["all", "All hands", () => true],
  ["broken", "With something broken", (row) => row.broken > 0],
  ["void", "Voids", (row) => row.state === "void"],
  ["big", "Biggest pots", (row) => row.state === "ended"],
];

/** For each game of a report, by its name, how many broken findings each hand has. */
function brokenHands(report) {
  const games = new Map(report.games.map(({game}) => [game, new Map()]));
  for (const {findings} of report.promises) {
    for (const {verdict, game, hand} of findings) {
      if (verdict !== "broken" || game === undefined || hand === undefined) continue;
      const hands = games.get(game);
      hands?.set(hand, (hands.get(hand) ?? 0) + 1);
    }
  }
  return games;
}

/** Draw the hands of all games; `audited` is {report, games}. */
export function drawHands({report, games}) {
  const broken = brokenHands(report);
  return games.map((game, at) => {
    const rows = game.hands.map((hand) => {
      return {...hand, broken: broken.get(game.game)?.get(hand.hand) ?? 0};
    });
    return drawGameHands(game, rows, games.length > 1, at);
  });
}

function drawGameHands(game, rows, several, at) {
  const table = game.rules?.tournament?.table;
  const which = table === undefined ? `game ${game.game.slice(0, 8)}` : `table ${grouped(table)}`;
  const title = several ? `Hands of ${which}` : "The hands";
  if (rows.length === 0) return null;
  const list = make("ol", {class: "hand-list"});
  const pager = make("div", {class: "pager"});
  const view = {choice: "all", page: 0};
  const show = () => {
    const shown = chosenRows(rows, view.choice);
    const pages = Math.max(1, Math.ceil(shown.length / PAGE_HANDS));
    const start = view.page * PAGE_HANDS;
    fill(list, shown.slice(start, start + PAGE_HANDS).map((row) => {
      return drawRow(row, game.address);
    }));
    fill(pager, ...drawPager(view.page, pages, shown.length, (page) => {
      view.page = page;
      show();
      list.closest(".hands").querySelector("h2").focus();
    }));
  };
  show();
  return make(
    "section",
    {"class": "hands", "aria-labelledby": `hands-title-${at}`},
    make(
      "div",
      {class: "hands-head"},
      make("h2", {id: `hands-title-${at}`, tabindex: "-1"}, title),
      make(
        "div",
        {class: "hands-tools"},
        rows.length > PAGE_HANDS && drawGoTo(rows, at, game.address),
        drawChoice(rows, at, (choice) => {
          view.choice = choice;
          view.page = 0;
          show();
        }),
      ),
    ),
    several && drawSource(game),
    make(
      "div",
      {class: "hand-table"},
      make(
        "p",
        {"class": "hand-row hand-labels", "aria-hidden": "true"},
        make("span", {}, "Hand"),
        make("span", {}, "Result"),
        make("span", {}),
        make("span", {class: "hand-pot"}, "Pot"),
      ),
      list,
    ),
    pager,
  );
}

/** Say of which file a game is; what the check found names a game, not a file. */
export function drawSource({source, isTwice}) {
  return make(
    "p",
    {class: "hint"},
    "From the file ",
    named(source),
    isTwice && ". Another file tells of this game, too: what is broken can be in either of them.",
  );
}

function chosenRows(rows, choice) {
  const [, , keeps] = CHOICES.find(([name]) => name === choice);
  const shown = rows.filter(keeps);
  return choice === "big" ? shown.sort((a, b) => b.pot - a.pot || a.hand - b.hand) : shown;
}

function drawChoice(rows, at, choose) {
  const there = CHOICES.filter(([, , keeps]) => rows.some(keeps));
  if (there.length < 2) return null;
  const id = `hands-choice-${at}`;
  const field = make(
    "select",
    {id, class: "field field-small", on: {change: () => choose(field.value)}},
    there.map(([name, words]) => make("option", {value: name}, words)),
  );
  return make("span", {class: "choice"}, make("label", {for: id}, "Show"), field);
}

function drawGoTo(rows, at, game) {
  const id = `hands-go-${at}`;
  const field = make("input", {
    "id": id,
    "type": "text",
    "inputmode": "numeric",
    "autocomplete": "off",
    "class": "field field-small field-number",
    "aria-describedby": `${id}-wrong`,
  });
  const wrong = make("span", {id: `${id}-wrong`, class: "wrong", role: "alert"});
  const submit = (event) => {
    event.preventDefault();
    const wanted = Number(field.value.replaceAll(",", "").trim());
    const there = field.value.trim() !== "" && rows.some(({hand}) => hand === wanted);
    fill(wrong, there ? "" : "There is no such hand.");
    if (there) location.hash = routeOfHand(wanted, game);
  };
  return make(
    "form",
    {class: "choice", on: {submit}},
    make("label", {for: id}, "Go to hand"),
    field,
    make("button", {type: "submit", class: "button button-plain button-small"}, "Go"),
    wrong,
  );
}

function drawPager(page, pages, many, go) {
  if (pages === 1) return [];
  const button = (words, target) => make(
    "button",
    {
      type: "button",
      class: "button button-plain button-small",
      disabled: target < 0 || target >= pages,
      on: {click: () => go(target)},
    },
    words,
  );
  const first = page * PAGE_HANDS + 1;
  const last = Math.min(many, first + PAGE_HANDS - 1);
  return [
    button("Earlier", page - 1),
    make("span", {role: "status"},
      `${grouped(first)} to ${grouped(last)} of ${countWords(many, "hand")}`),
    button("Later", page + 1),
  ];
}

function drawRow(row, game) {
  const mark = row.broken > 0 && make(
    "span",
    {class: "chip chip-broken"},
    unseen(", "),
    `${grouped(row.broken)} broken`,
  );
  const unsigned = !row.signed && make(
    "span",
    {class: "chip chip-unsure"},
    unseen(", "),
    "not signed",
  );
  return make("li", {}, make(
    "a",
    {class: `hand-row hand-${row.state}`, href: routeOfHand(row.hand, game)},
    make("span", {class: "hand-number"}, unseen("Hand "), grouped(row.hand)),
    unseen(": "),
    make("span", {class: "hand-story"}, sayResult(row)),
    make("span", {class: "hand-marks"}, mark, unsigned),
    make(
      "span",
      {class: "hand-pot"},
      row.state === "ended" && [unseen(", pot "), grouped(row.pot)],
    ),
  ));
}

/** Say how a hand came out, as nodes and texts. */
export function sayResult(row) {
  if (row.state === "void") return sayVoid(row);
  if (row.state === "open") return ["Not over yet"];
  const [first, ...others] = row.winners;
  if (first === undefined) return ["Nobody won anything"];
  if (others.length === 0) {
    const held = first.name ? ` with ${heldName(first.name)}` : "";
    return [make("b", {}, named(first.player)), ` wins ${grouped(first.amount)}${held}`];
  }
  return row.winners.flatMap(({player, amount}, at) => {
    const before = at === 0 ? "" : at === others.length ? " and " : ", ";
    return [before, make("b", {}, named(player)), ` wins ${grouped(amount)}`];
  });
}

function heldName(name) {
  const text = name[0].toLowerCase() + name.slice(1);
  return /^(pair|straight|flush|full|royal)/.test(text) ? `a ${text}` : text;
}

function sayVoid({reason, missing}) {
  const why = VOIDS.get(reason) ?? reason;
  const who = missing.length > 0 ? ` (${listed(missing)})` : "";
  return [verdictSign("none"), `Void: ${why}${who}`];
}
