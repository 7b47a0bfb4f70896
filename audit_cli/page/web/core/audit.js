/**
 * Reads game files, judges what a key has signed of them, and gathers the report (PROTOCOL.md 12).
 */

import {checkBound} from "../checks/bound.js";
import {checkChain} from "../checks/chain.js";
import {checkComplete} from "../checks/complete.js";
import {checkConsistent} from "../checks/consistent.js";
import {checkDealt} from "../checks/dealt.js";
import {checkMine} from "../checks/mine.js";
import {checkMixed} from "../checks/mixed.js";
import {checkOrdered} from "../checks/ordered.js";
import {checkOthers} from "../checks/others.js";
import {checkPlayed} from "../checks/played.js";
import {checkReplayed} from "../checks/replayed.js";
import {checkSigned} from "../checks/signed.js";
import {checkTwice} from "../checks/twice.js";
import {coverGame} from "./coverage.js";
import {readGameFile} from "./gamefile.js";
import {UsageError, readTrustedKey} from "./given.js";
import {partsOf} from "./parts.js";
import {PROMISES, gatherReport, writeReport} from "./report.js";
import {tellTournaments} from "./tournaments.js";
import {createVoice} from "./voice.js";

/** Judge the entries of games that have a checkpoint that holds, each with what it weighs. */
const CHECKS_OF_ENTRIES = [
  [checkBound, 4], [checkReplayed, 58], [checkOrdered, 1], [checkDealt, 1], [checkComplete, 1],
  [checkPlayed, 10], [checkMixed, 4],
];
/** Judge all games, those without a checkpoint too. */
const CHECKS_OF_GAMES = [[checkChain, 1], [checkMine, 1], [checkOthers, 1]];
/** Judge what is signed of all logs, those of tournaments too. */
const CHECKS_OF_LOGS = [[checkTwice, 1], [checkSigned, 1], [checkConsistent, 1]];
/** How long a long game is read, its signatures are verified, and its entries are checked. */
const WEIGHTS = [12, 12, 76];
/** What a game without a single good checkpoint leaves open (SIGNED speaks for itself). */
const PROMISES_OF_ENTRIES = PROMISES.filter((one) => one !== "SIGNED" && one !== "CONSISTENT");

/**
 * Audit inputs, [{name, blob}], in order, by a request: {key: vkey text or null, records: [{name,
 * bytes}], notes: [{name, text}], proofs: [{name, text}], required: [promise]}, where each may be
 * left out.
 *
 * Gives {report, games, tournaments}: the report has the shape of `verify --json`, with `forks`,
 * and of tournaments' logs the signatures alone are judged; games and tournaments are those of
 * `coverGame`. `onProgress(done, total, what)` is told how far it is. UsageError for a key that is
 * none, or a promise that is none.
 */
export async function audit(inputs, request, onProgress = () => {}) {
  const trusted = await readTrustedKey(request.key);
  const given = {records: [], notes: [], proofs: [], required: [], ...request, trusted};
  const {required} = given;
  for (const name of required) {
    if (!PROMISES.includes(name)) {
      const hint = `the promises are ${PROMISES.join(", ")}`;
      throw new UsageError(`${name}: no such promise`, hint);
    }
  }
  const {tell, gathered} = gatherReport();
  const [reading, signing, checking] = WEIGHTS;
  const [onRead, onChecked] = partsOf([reading + signing, checking], onProgress);
  const logs = await readLogs(inputs, trusted, gathered, onRead);
  const games = logs.filter(({isTournament}) => !isTournament);
  const tournaments = logs.filter(({isTournament}) => isTournament);
  await runChecks(games, logs, given, tell, onChecked);
  tellTournaments(tournaments, games, tell);
  if (games.every(({covered}) => covered === 0)) {
    // Nothing was judged, so that nothing holds.
    gathered.findings = gathered.findings.filter(({promise, verdict}) => {
      return verdict !== "holds" || !PROMISES_OF_ENTRIES.includes(promise);
    });
  }
  const report = writeReport(logs, gathered, askedFor(games, given), required);
  return {report, games, tournaments};
}

async function readLogs(inputs, trusted, gathered, onProgress) {
  const files = partsOf(inputs.map(({blob}) => blob.size + 1), onProgress);
  const covered = [];
  for (const [at, {name, blob}] of inputs.entries()) {
    const [onRead, onCovered] = partsOf(WEIGHTS.slice(0, 2), files[at]);
    const read = await readGameFile(blob, name, (bytes) => onRead(bytes, blob.size, "reading"));
    gathered.damage.push(...read.damage);
    const parts = partsOf(read.logs.map(({notes}) => notes.length + 1), onCovered);
    for (const [one, log] of read.logs.entries()) {
      const onVerified = (done, all) => parts[one](done, all, "checking signatures");
      covered.push(await coverGame(log, trusted, onVerified));
    }
  }
  return covered;
}

async function runChecks(games, logs, request, tell, onProgress) {
  const judged = games.filter(({checkpoints}) => checkpoints.some(({holds}) => holds));
  for (const game of games.filter((one) => !judged.includes(one))) {
    for (const promise of PROMISES_OF_ENTRIES) {
      const voice = createVoice(promise, tell);
      voice.begin(game.game);
      voice.unproved(`no checkpoint of ${game.judge.shown} covers a line`);
    }
  }
  const checks = [
    ...(judged.length > 0 ? CHECKS_OF_ENTRIES : []).map((one) => [...one, judged]),
    ...CHECKS_OF_GAMES.map((one) => [...one, games]),
    ...CHECKS_OF_LOGS.map((one) => [...one, logs]),
  ];
  const parts = partsOf(checks.map(([, weight]) => weight), onProgress);
  for (const [at, [check, , told]] of checks.entries()) {
    parts[at](0, 1, "checking the games");
    await check(told, request, tell, parts[at]);
  }
  onProgress(1, 1, "checking the games");
}

function askedFor(games, {records, notes, proofs, trusted}) {
  const asked = [];
  if (trusted !== null) {
    asked.push("SIGNED");
  }
  if (records.length > 0) {
    asked.push("PLAYER-MIXED");
  }
  if (notes.length + proofs.length > 0) {
    asked.push("CONSISTENT");
  }
  const beacon = ({entries, covered}) => covered > 0 && entries[0].body.rules?.beacon !== undefined;
  if (games.some(beacon)) {
    asked.push("BEACON-MIXED");
  }
  return asked;
}
