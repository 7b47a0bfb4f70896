/**
 * The report of an audit in the shape of `cutcard-audit verify --json`, and its exit status.
 *
 * A line for each promise, the worst of its findings; the exit status is 3, 1, 4 or 0, the first
 * that applies (PROTOCOL.md 12). A promise on which no check reported is not established: silence
 * never counts as proof.
 */

import {keepFork} from "./forks.js";

/** The lines of an audit, in the order in which they are told. */
export const PROMISES = Object.freeze([
  "BOUND", "REPLAYED", "ORDERED", "DEALT", "COMPLETE", "PLAYED", "SIGNED", "CONSISTENT",
  "PLAYER-MIXED", "BEACON-MIXED", "WITNESSED",
]);

const ALWAYS_ASKED = PROMISES.slice(0, 6);
const WORST_FIRST = ["broken", "not established", "holds", "not applicable"];
const PLACE_FIELDS = ["game", "hand", "entry", "line", "expected", "found"];
const SUMMARIES = new Map([
  [0, "all that was asked for holds"],
  [1, "a promise is broken"],
  [3, "not readable as this format; what could be checked is above"],
  [4, "something asked for is not established"],
]);

/** Where checks put what they have to say: {tell, gathered}, `tell` being the functions. */
export function gatherReport() {
  const gathered = {findings: [], notices: [], warnings: [], forks: [], damage: []};
  const tell = Object.freeze({
    /** One finding on one promise. */
    finding: (finding) => gathered.findings.push(finding),
    /** Something to know that is no verdict: {text, game, details}. */
    notice: (notice) => gathered.notices.push(notice),
    /** Something about what the auditor gave. */
    warning: (text) => gathered.warnings.push(text),
    /** The evidence that one key signed two histories; see `keepFork`. */
    fork: (evidence) => keepFork(gathered.forks, evidence),
    /** A line beside the game files that is not of its format: {source, line, reason, hint}. */
    unreadable: (damaged) => gathered.damage.push(damaged),
  });
  return {tell, gathered};
}

/**
 * The report of what was gathered on games and tournaments; `asked` are promises asked for besides.
 * That a tournament as a whole is right is never established here.
 */
export function writeReport(logs, gathered, asked, required) {
  const verdicts = new Map(PROMISES.map((promise) => [promise, verdictOn(gathered, promise)]));
  const wanted = new Set([...ALWAYS_ASKED, ...asked, ...required]);
  const settled = exitStatus(gathered, verdicts, wanted, required);
  const status = settled === 0 && logs.some(({isTournament}) => isTournament) ? 4 : settled;
  return {
    exit_status: status,
    summary: SUMMARIES.get(status),
    games: logs.map(({source, game, origin, isTournament, entries, covered, checkpoints}) => ({
      source, game, origin, entries: entries.length, signed: covered,
      checkpoints: checkpoints.filter(({holds}) => holds).length,
      ...(isTournament && {tournament: true}),
    })),
    promises: PROMISES.map((promise) => ({
      promise,
      verdict: verdicts.get(promise),
      asked: wanted.has(promise),
      required: required.includes(promise),
      findings: gathered.findings.filter((one) => one.promise === promise).map(findingValue),
    })),
    damage: gathered.damage,
    warnings: gathered.warnings,
    notices: gathered.notices.map(noticeValue),
    forks: gathered.forks,
  };
}

function verdictOn({findings}, promise) {
  const found = findings.filter((one) => one.promise === promise).map(({verdict}) => verdict);
  return WORST_FIRST.find((verdict) => found.includes(verdict)) ?? "not established";
}

function exitStatus({damage}, verdicts, wanted, required) {
  const isOpen = (promise) => verdicts.get(promise) === "not established";
  if (damage.length > 0) {
    return 3;
  }
  if ([...verdicts.values()].includes("broken")) {
    return 1;
  }
  const pointless = required.some((promise) => verdicts.get(promise) === "not applicable");
  return [...wanted].some(isOpen) || pointless ? 4 : 0;
}

function findingValue(finding) {
  const value = {verdict: finding.verdict, text: finding.text};
  for (const name of PLACE_FIELDS) {
    if (finding[name] !== null && finding[name] !== undefined) {
      value[name] = finding[name];
    }
  }
  if (finding.evidence?.length > 0) {
    value.evidence = finding.evidence;
  }
  return value;
}

function noticeValue({text, game, details}) {
  const value = {text};
  if (game !== null && game !== undefined) {
    value.game = game;
  }
  if (details?.length > 0) {
    value.details = details;
  }
  return value;
}
