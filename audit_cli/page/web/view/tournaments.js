/*
 * What is known of each tournament whose log was given: it is named, and its tables are counted.
 */

import {countWords, grouped, make, named} from "./dom.js";

const SHOWN_TABLES = 20;

const JUDGED_ELSEWHERE =
  "Draws, seats, levels, places and prizes: cutcard-audit verify proves them";
const CLOSED_WORDS = new Map([
  ["finished", "Played to its end"],
  ["cancelled", "Cancelled"],
  ["restored", "Ended by a restore"],
]);

/** Draw what is known of each tournament; null where there is none. */
export function drawTournaments(tournaments) {
  if (tournaments.length === 0) return null;
  return make(
    "section",
    {"class": "games", "aria-labelledby": "tournaments-title"},
    make(
      "h2",
      {id: "tournaments-title"},
      tournaments.length === 1 ? "The tournament" : "The tournaments",
    ),
    make("ul", {class: "game-list"}, tournaments.map(drawTournament)),
  );
}

function drawTournament(log) {
  const unsigned = log.entries - log.signed;
  const rows = [
    ["File", named(log.source)],
    ["Dealer", [named(log.origin)]],
    ["Tables", sayTables(log.tables)],
    ["Log", [
      `${countWords(log.entries, "entry", "entries")}, `,
      unsigned === 0 ? "all signed" : `${grouped(unsigned)} not signed`,
      ` · ${countWords(log.checkpoints, "checkpoint")}`,
    ]],
    ["State", CLOSED_WORDS.get(log.closed) ?? "Not over here"],
    ["Tournament", [make("code", {}, log.tournament)]],
    ["Key in the file", [make("code", {}, log.key)]],
    ["Not judged here", JUDGED_ELSEWHERE],
  ];
  return make(
    "li",
    {class: "panel game"},
    make("h3", {}, log.name === null ? "A tournament without a readable name" : named(log.name)),
    make("dl", {class: "facts"}, rows.map(([label, value]) => {
      return make("div", {}, make("dt", {}, label), make("dd", {}, value));
    })),
  );
}

function sayTables(tables) {
  if (tables.length === 0) return "none was opened";
  const missing = tables.filter(({isHere}) => !isHere).map(({table}) => grouped(table));
  const many = countWords(tables.length, "table");
  if (missing.length === 0) return `${many}, all here`;
  const more = missing.length - SHOWN_TABLES;
  const rest = more > 0 ? ` and ${grouped(more)} more` : "";
  return `${many}; not here: ${missing.slice(0, SHOWN_TABLES).join(", ")}${rest}`;
}
