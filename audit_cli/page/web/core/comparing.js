/**
 * Compares what several people hold of one dealer: are their checkpoints of the same logs?
 *
 * Two checkpoints of one log, size and key say the same root, or one key has signed two histories:
 * a fork, whose evidence is both. Checkpoints of different sizes can be compared where the lines
 * are loaded. Held are notes as text, `tlog-proof` files, players' records and game files
 * (PROTOCOL.md 5 and 10): all checkpoints in them count whose signature holds.
 */

import {toHex, utf8Bytes} from "./bytes.js";
import {readFileLine} from "./canonical.js";
import {parseDealerCheckpoint} from "./checkpoint.js";
import {keepFork} from "./forks.js";
import {knownKeys} from "./given.js";
import {rootsAt} from "./merkle.js";
import {judgeNote} from "./note.js";
import {counted, thousands} from "./voice.js";
import {printable, problem} from "./words.js";

const MAX_NOTES_HELD = 20_000;
const NOTES_AT_ONCE = 256;
const SAID_FIRST = ["fork", "same", "open", "ignored"];
const VERDICT_OF_SAID = new Map([["fork", "broken"], ["same", "holds"]]);

/**
 * Compare texts, each a text or {name, text}, by a key (vkey text or null) and the loaded games.
 *
 * Gives {verdict, text, details, fork, sources, said, forks}. `verdict` is "broken" for a fork,
 * "holds" where checkpoints of several say the same, else "not established"; `text` says so, with
 * `details`, and `fork` is the first of `forks`: evidence to be kept, or null. A source is {name,
 * wrong: text or null, held, good}: how many checkpoints it holds, and how many of these count.
 * What is said is {verdict: "fork" | "same" | "open" | "ignored", text, log: origin line, size},
 * the worst first. UsageError for a key that is none.
 */
export async function compareNotes({texts, key}, games = []) {
  const judges = await knownKeys(key, games);
  const sources = [];
  const kept = [];
  const said = [];
  for (const [at, given] of texts.entries()) {
    const {name, text} = typeof given === "string" ? {name: nameOfText(at), text: given} : given;
    const source = {name: printable(name, 200), wrong: null, held: 0, good: 0};
    const {notes, wrong} = findNotes(text);
    source.wrong = wrong?.reason ?? null;
    source.held = notes.length;
    const good = await keepGood(notes, judges, source, said);
    source.good = good.length;
    kept.push(...good);
    sources.push(source);
  }
  const forks = [];
  const logs = groupedBy(kept, ({judge, checkpoint}) => {
    return JSON.stringify([judge.text, checkpoint.origin]);
  });
  for (const held of logs.values()) {
    said.push(...(await compareLog(held, games, forks)));
  }
  said.sort((one, other) => SAID_FIRST.indexOf(one.verdict) - SAID_FIRST.indexOf(other.verdict));
  const wrongs = sources.filter(({wrong}) => wrong !== null);
  const told = [
    ...said.filter(({verdict}) => verdict === "fork" || verdict === "same"),
    ...wrongs.map(({name, wrong}) => ({verdict: "ignored", text: `${name} is left out: ${wrong}`})),
    ...tellSeveralLogs(logs, said),
    ...said.filter(({verdict}) => verdict === "open" || verdict === "ignored"),
  ];
  const [first, ...rest] = told.map(({text}) => text);
  return {
    verdict: VERDICT_OF_SAID.get(told[0]?.verdict) ?? "not established",
    text: first ?? "there is no checkpoint to compare", details: rest, fork: forks[0] ?? null,
    sources, said, forks,
  };
}

function nameOfText(at) {
  return ["the first text", "the second text"][at] ?? `text ${at + 1}`;
}

/** Where each text is of another log, there is nothing to compare. */
function tellSeveralLogs(logs, said) {
  if (logs.size < 2 || said.some(({verdict}) => verdict === "fork" || verdict === "same")) {
    return [];
  }
  const names = [...logs.values()].map(([{checkpoint}]) => checkpoint.origin);
  const distinct = [...new Set(names)];
  const text = distinct.length === 1
    ? `the checkpoints of ${distinct[0]} are signed by different keys`
    : `the checkpoints are of different logs: ${distinct.slice(0, 3).join(", ")}`;
  return [{verdict: "open", text}];
}

/** The checkpoints in a text: {notes: [{text, note, checkpoint, line: or null}], wrong}. */
function findNotes(text) {
  if (text.startsWith("{")) {
    return findNotesInLines(text);
  }
  const isProof = text.startsWith("c2sp.org/tlog-proof");
  const whole = isProof ? text.slice(text.indexOf("\n\n") + 2) : text;
  const found = readNote(whole.endsWith("\n") ? whole : `${whole}\n`, null);
  return found.wrong === undefined ? {notes: [found]} : {notes: [], wrong: found.wrong};
}

/** The checkpoints in the lines of a record or a game file; entries are passed over. */
function findNotesInLines(text) {
  const notes = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (notes.length === MAX_NOTES_HELD) {
      const reason = `more than ${thousands(MAX_NOTES_HELD)} checkpoints; the rest is left out`;
      return {notes, wrong: problem(reason)};
    }
    if (/^\{"(checkpoint|link|dealer_log)":/.test(line)) {
      const {value, wrong} = readFileLine(utf8Bytes(line));
      const held = value?.checkpoint ?? value?.link?.checkpoint ?? value?.dealer_log?.checkpoint;
      const found = typeof held === "string" ? readNote(held, at + 1) : {wrong: wrong ?? noNote()};
      if (found.wrong !== undefined) {
        const reason = `line ${thousands(at + 1)}: ${found.wrong.reason}`;
        return {notes, wrong: problem(reason, found.wrong.hint)};
      }
      notes.push(found);
    }
  }
  return notes.length > 0 ? {notes} : {notes, wrong: noNote()};
}

function noNote() {
  return problem("there is no checkpoint in it");
}

function readNote(text, line) {
  const {note, checkpoint, wrong} = parseDealerCheckpoint(text);
  return wrong === undefined ? {text, note, checkpoint, line} : {wrong};
}

/** Those notes that a known key has signed, each with it; of the others is said what is wrong. */
async function keepGood(notes, judges, source, said) {
  const good = [];
  const ignored = [];
  for (let from = 0; from < notes.length; from += NOTES_AT_ONCE) {
    const batch = notes.slice(from, from + NOTES_AT_ONCE);
    const judged = await Promise.all(batch.map((held) => findSigner(held, judges)));
    for (const [at, {judge, wrong}] of judged.entries()) {
      if (wrong === undefined) {
        good.push({...batch[at], judge, source: source.name});
      } else {
        ignored.push({wrong, checkpoint: batch[at].checkpoint});
      }
    }
  }
  const alike = groupedBy(ignored, ({wrong, checkpoint}) => {
    return JSON.stringify([checkpoint.origin, wrong]);
  });
  for (const [{wrong, checkpoint}, ...more] of alike.values()) {
    const held = counted(more.length + 1, "checkpoint");
    const text = `${held} of ${source.name} left out: ${wrong}`;
    said.push({verdict: "ignored", text, log: checkpoint.origin, size: checkpoint.size});
  }
  return good;
}

async function findSigner({note, checkpoint}, judges) {
  if (judges.length === 0) {
    return {wrong: "no key is known to check signatures by; give the dealer's, or drop a game"};
  }
  const dealer = checkpoint.origin.split("/games/", 1)[0];
  for (const judge of judges.filter(({name}) => name === dealer)) {
    const verdict = await judgeNote(note, judge);
    if (verdict === "good") {
      return {judge};
    }
    if (verdict === "bad") {
      return {wrong: `a signature of ${judge.shown} fails`};
    }
  }
  return {wrong: `no signature of ${judges.map(({shown}) => shown).join(" or ")}`};
}

function groupedBy(list, keyOf) {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) {
      groups.set(key, []);
    }
    groups.get(key).push(one);
  }
  return groups;
}

/** What is to be said of the checkpoints of one log under one key; forks are added. */
async function compareLog(held, games, forks) {
  const [{judge, checkpoint: {origin: log}}] = held;
  const bySize = groupedBy(held, ({checkpoint}) => String(checkpoint.size));
  const said = [];
  for (const same of bySize.values()) {
    const other = same.find(({checkpoint}) => checkpoint.root !== same[0].checkpoint.root);
    if (other !== undefined) {
      const notes = [same[0].text, other.text];
      keepFork(forks, {log, key: judge.text, notes, leaves: []});
      const {size} = other.checkpoint;
      const text = `${judge.shown} signed two histories at size ${thousands(size)}: `
        + `root ${same[0].checkpoint.root} (${same[0].source}), `
        + `root ${other.checkpoint.root} (${other.source})`;
      said.push({verdict: "fork", text, log, size});
    }
  }
  const loaded = games.filter(({logOrigin, judge: by}) => {
    return logOrigin === log && by.text === judge.text;
  });
  for (const game of loaded) {
    said.push(...(await compareWithLines(bySize, game, forks)));
  }
  const settled = said.some(({verdict}) => verdict !== "open");
  return settled ? said : [...said, tellWithoutLines(held, bySize, log)];
}

async function compareWithLines(bySize, game, forks) {
  const {judge, logOrigin: log, tree, covered, checkpoints, leaves} = game;
  const said = [];
  let agreeing = 0;
  let largest = 0;
  const roots = await rootsAt(tree, [...bySize.values()].map(([{checkpoint}]) => checkpoint.size));
  for (const same of bySize.values()) {
    const {size} = same[0].checkpoint;
    if (size > covered) {
      const ends = `the signed entries of ${game.source} end at ${thousands(covered)}`;
      const text = `a checkpoint of ${same[0].source} is of size ${thousands(size)}; ${ends}`;
      said.push({verdict: "open", text, log, size});
      continue;
    }
    const root = toHex(roots.get(size));
    const other = same.find(({checkpoint}) => checkpoint.root !== root);
    if (other === undefined) {
      agreeing += same.length;
      largest = Math.max(largest, size);
      continue;
    }
    const own = checkpoints.find((one) => one.holds && one.size >= size);
    keepFork(forks, {
      log, key: judge.text, notes: [own.text, other.text],
      leaves: size === own.size ? [] : leaves.slice(0, own.size),
    });
    const text = `${judge.shown} signed another history at size ${thousands(size)}: `
      + `root ${root}, as of the entries of ${game.source}, `
      + `root ${other.checkpoint.root} (${other.source})`;
    said.push({verdict: "fork", text, log, size});
  }
  if (agreeing > 0) {
    const what = `${counted(agreeing, "checkpoint")}, up to size ${thousands(largest)},`;
    const text = `${what} say what the entries of ${game.source} say`;
    said.push({verdict: "same", text, log, size: largest});
  }
  return said;
}

/** What checkpoints say of each other where no lines are loaded, and no two of a size differ. */
function tellWithoutLines(held, bySize, log) {
  const shared = [...bySize.values()].filter((same) => {
    return same.some(({source}) => source !== same[0].source);
  });
  if (shared.length > 0) {
    const size = shared.map(([{checkpoint}]) => checkpoint.size).reduce(largerOf);
    const names = [...new Set(shared.flat().map(({source}) => source))].join(" and ");
    const text = `${names} were told the same history, up to size ${thousands(size)}`;
    return {verdict: "same", text, log, size};
  }
  const size = held.map(({checkpoint}) => checkpoint.size).reduce(largerOf);
  const names = [...new Set(held.map(({source}) => source))];
  const text = names.length === 1
    ? `there are checkpoints of this log from ${names[0]} alone: nothing to compare them with`
    : `the checkpoints of ${names.join(" and ")} are of different sizes: only the lines between `
      + "them tell whether they are of one history; drop a game file that has them";
  return {verdict: "open", text, log, size};
}

function largerOf(one, other) {
  return other > one ? other : one;
}
