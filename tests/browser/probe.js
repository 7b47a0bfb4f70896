// What the tests ask of single modules, in a real browser and under the page's own policy.
import {audit} from "./core/audit.js";
import {fromBase64, fromHex, toHex, utf8Bytes} from "./core/bytes.js";
import {readFileLine} from "./core/canonical.js";
import {parseCheckpoint, parseDealerCheckpoint} from "./core/checkpoint.js";
import {compareNotes} from "./core/comparing.js";
import {deriveDeck, provePosition} from "./core/derive.js";
import {loadPublicKey, verifySignature} from "./core/ed25519.js";
import {checkLogProof, parseLogProof} from "./core/logproof.js";
import {followPath, inclusionPath, leafHash, rootsAt, treeOf} from "./core/merkle.js";
import {commitHand} from "./core/mixing.js";
import {judgeNote, parseNote, parseVerifierKey} from "./core/note.js";
import {parseNoted} from "./core/noted.js";
import {parseEntryLine} from "./core/transcript_line.js";
import {cardText} from "./poker/cards.js";

// Audits files that lie in the field for files: for each case its own file, by name.
async function auditCases(cases) {
  const files = new Map([...document.getElementById("files").files].map((one) => [one.name, one]));
  const reports = [];
  for (const one of cases) {
    const request = {
      key: one.key,
      records: one.records.map((text) => ({
        name: "record",
        bytes: Uint8Array.from(text, (character) => character.charCodeAt(0)),
      })),
      notes: one.notes.map((text, index) => ({name: `note ${index + 1}`, text})),
      proofs: one.proofs ?? [],
      required: one.required,
    };
    const {report} = await audit([{name: "game", blob: files.get(one.file)}], request, () => {});
    reports.push(report);
  }
  return reports;
}

// A case of deal.json to the values that it expects, and the proof of every position.
async function deal(one) {
  const commitment = await commitHand(one, one.hand, one.hand_secret);
  const derived = await deriveDeck({...one, secret: one.hand_secret, commitment: toHex(commitment)});
  const [first, cut, second, thirds] = derived.steps;
  const named = (cards) => cards.map(cardText).join(" ");
  const proofs = await Promise.all(derived.cards.map((_, at) => provePosition(derived, at)));
  const dropped = derived.draws.reduce((sum, draw) => sum + draw.dropped.length, 0);
  return {
    values: {
      hand_commitment: toHex(commitment),
      mix: toHex(derived.mix),
      deck_seed: toHex(derived.seed),
      after_first_shuffle: named(first.after),
      cut: cut.c,
      after_second_shuffle: named(second.after),
      thirds: [thirds.a, thirds.b, thirds.c],
      restack: thirds.restack,
      deck: named(derived.cards),
      bytes_used: derived.draws.length + dropped,
      bytes_rejected: dropped,
      salts: derived.salts.map(toHex),
      leaves: derived.leaves.map(toHex),
      deck_root: toHex(derived.root),
    },
    proofs: proofs.map((path) => path.map(toHex)),
    wrong: await Promise.all(
      derived.leaves.map(async (leaf, at) => {
        return (await followPath(at, 52, leaf, proofs[at], derived.root)).wrong;
      }),
    ),
  };
}

// The verdict of C2SP signed-note on a note, given keys: as notes.json names it.
async function openNote(text, bytes, vkeys) {
  const {note} = parseNote(bytes === null ? text : fromHex(bytes));
  if (note === undefined) {
    return "malformed";
  }
  const said = [];
  for (const vkey of vkeys) {
    said.push(await judgeNote(note, (await parseVerifierKey(vkey)).key));
  }
  if (said.includes("bad")) {
    return "invalid_signature";
  }
  return said.includes("good") ? "ok" : "no_verifiable_signature";
}

async function readKey(vkey) {
  const {key, wrong} = await parseVerifierKey(vkey);
  return key === undefined ? {wrong: wrong.reason} : {shown: key.shown};
}

async function judgeSignature({pk, msg, sig}) {
  const {key} = await loadPublicKey(fromHex(pk));
  return key !== undefined && verifySignature(key, fromHex(msg), fromHex(sig));
}

// Roots of a tree of lines at each size from 1 on, and its leaf hashes.
async function rootsOfLines(lines) {
  const leaves = await Promise.all(lines.map((line) => leafHash(utf8Bytes(line))));
  const tree = await treeOf(leaves);
  const roots = await rootsAt(tree, leaves.map((_, at) => at + 1));
  return {leaves: leaves.map(toHex), roots: leaves.map((_, at) => toHex(roots.get(at + 1)))};
}

async function pathsOfLeaves(leaves, asked) {
  const tree = await treeOf(leaves.map(fromHex));
  return Promise.all(
    asked.map(async ([index, size]) => (await inclusionPath(tree, index, size)).map(toHex)),
  );
}

// What is wrong with an inclusion proof as the public cases write it, null where nothing is.
async function judgeInclusion(one) {
  const read = (text) => fromBase64(text ?? "");
  const path = (one.proof ?? []).map(read);
  const leaf = read(one.leafHash);
  return (await followPath(one.leafIdx, one.treeSize, leaf, path, read(one.root))).wrong;
}

// The report on the files in the field for files, taken together.
async function auditFiles(key) {
  const inputs = [...document.getElementById("files").files].map((blob) => {
    return {name: blob.name, blob};
  });
  return (await audit(inputs, {key})).report;
}

const READERS = new Map([
  ["entry", parseEntryLine],
  ["file line", readFileLine],
  ["checkpoint", parseDealerCheckpoint],
  ["noted", parseNoted],
  ["proof", (bytes) => parseLogProof(new TextDecoder().decode(bytes))],
]);

// What each of some inputs (hex) is refused for by a reader, null where it is read.
async function refusals(what, inputs) {
  return inputs.map((hex) => {
    const {wrong} = READERS.get(what)(fromHex(hex));
    return wrong === undefined ? null : [wrong.reason, wrong.hint];
  });
}

// The games in the field for files, judged by a key.
async function loadGames(key) {
  const inputs = [...document.getElementById("files").files].map((blob) => {
    return {name: blob.name, blob};
  });
  return (await audit(inputs, {key})).games;
}

async function compare(texts, key, loaded) {
  const {verdict, text, details, fork} = await compareNotes(
    {texts, key}, loaded ? await loadGames(key) : [],
  );
  return {verdict, text, details, fork};
}

async function checkProof(text, key, loaded) {
  return checkLogProof({text, key}, loaded ? await loadGames(key) : []);
}

globalThis.probe = {
  auditCases,
  auditFiles,
  checkProof,
  compare,
  deal,
  judgeInclusion,
  judgeSignature,
  openNote,
  parseCheckpoint: async (body) => (await parseCheckpoint(body)).checkpoint !== undefined,
  pathsOfLeaves,
  readKey,
  refusals,
  rootsOfLines,
};
