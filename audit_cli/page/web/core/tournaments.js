/**
 * What the page says of a tournament's log: whose it is, how far it is signed, and which of its
 * tables are here. That the tournament as a whole is right is for `cutcard-audit verify` to prove
 * (PROTOCOL.md 14.11).
 */

import {counted} from "./voice.js";

/**
 * Tell of a tournament's log, a Game of `coverGame`, beside the games of tables.
 *
 * @returns {{source, tournament, origin, key, name, entries, signed, checkpoints, closed, tables}}
 *   `name` and `closed` (why) as its signed entries say, or null; `tables` {table, game, isHere}
 *   by rising number
 */
export function overviewTournament(log, games) {
  const here = new Set(games.map(({game}) => game));
  const signed = log.entries.slice(0, log.covered);
  const bodyOf = (kind) => signed.find((entry) => entry.kind === kind)?.body;
  const tables = signed
    .filter(({kind}) => kind === "table_opened")
    .map(({body: {table, game}}) => ({table, game, isHere: here.has(game)}))
    .sort((one, other) => one.table - other.table);
  return {
    source: log.source,
    tournament: log.game,
    origin: log.origin,
    key: log.key,
    name: bodyOf("tournament_opened")?.structure.name ?? null,
    entries: log.entries.length,
    signed: log.covered,
    checkpoints: log.checkpoints.filter(({holds}) => holds).length,
    closed: bodyOf("tournament_closed")?.reason ?? null,
    tables,
  };
}

/**
 * Says of each tournament's log what it is and what is left to the program, and of tables without
 * their tournament's log what is not known of them.
 */
export function tellTournaments(logs, games, tell) {
  tellTables(logs, games, tell);
  for (const log of logs) {
    const {tables} = overviewTournament(log, games);
    const missing = tables.filter(({isHere}) => !isHere).map(({table}) => table);
    const details = missing.length === 0 ? [] : [`not here: table ${missing.join(", ")}`];
    const checked = `${counted(tables.length - missing.length, "table")} of it checked one by one`;
    const text = `this is the log of a tournament, ${checked}`;
    const rest = "that the tournament as a whole is right is proved by cutcard-audit verify";
    tell.notice({text: `${text}; ${rest}`, game: log.game, details});
  }
}

function tellTables(logs, games, tell) {
  const opened = games.map(({entries, covered}) => {
    return entries.slice(0, covered).find(({kind}) => kind === "game_opened")?.body;
  });
  const here = new Set(logs.map(({game}) => game));
  const tables = new Map(
    opened
      .filter((body) => body?.rules.tournament !== undefined)
      .map(({game, rules}) => [game, rules.tournament]),
  );
  for (const [game, {tournament, table}] of tables) {
    if (!here.has(tournament)) {
      const which = `table ${table} of tournament ${tournament}, whose log is not in the input`;
      const taken = "its levels, seats and first button are taken as they are logged";
      tell.notice({text: `${which}: ${taken}`, game, details: []});
    }
  }
}
