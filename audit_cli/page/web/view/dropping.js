/*
 * Takes what a player drops, chooses or pastes, and sorts it by what it is: files of games and
 * tournaments, records of clients, checkpoints, proofs of the dealer's log, the evidence of a fork,
 * and keys.
 *
 * A file's name decides nothing. What can not be told is taken for a game, so that the auditor says
 * what is wrong with it.
 */

const HEAD_BYTES = 4096;
const MOST_TEXT = 1024 * 1024;
const MOST_FORK = 16 * 1024 * 1024;
const MOST_RECORD = 256 * 1024 * 1024;
const VKEY = /^\s*[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+\s*$/;
const GAME = /^\{"format":"cutcard-(?:game|tournament)\//;
const TOURNAMENT = /^\{"format":"cutcard-tournament\//;
// A record that is damaged in its first line is a record still, if its name is left.
const RECORD = /^[^\n]{0,64}"cutcard-record\//;
const FORK = /^\s*\{\s*"format"\s*:\s*"cutcard-fork\//;
const PROOF = /^c2sp\.org\/tlog-proof@/;
const NOTE = /^[^{\n][^\n]*\n(?:[^\n]+\n)*\n(?:\u2014 [^\n]+\n)*(?:\u2014 [^\n]*)?$/;

let pastedFiles = 0;

/** What each kind of thing is called. */
export const KINDS = new Map([
  ["game", "Game"],
  ["tournament", "Tournament"],
  ["record", "Client’s record"],
  ["note", "Checkpoint"],
  ["proof", "Log proof"],
  ["key", "Key"],
]);

/**
 * Sort one file, {name, blob}. Returns a list of {kind, name, size, …}: a game or tournament with
 * its `blob`, a record with its `bytes` (all with `changed`, when the file was), a note, proof or key
 * with its `text`; the evidence of a fork gives its two notes. Fails with an Error in plain words
 * where a file can not be read, or is larger than anything of its kind.
 */
export async function sortFile({name, blob}) {
  const size = blob.size;
  const head = await textOf(name, blob.slice(0, HEAD_BYTES));
  if (RECORD.test(head)) {
    bound(name, size, MOST_RECORD, "any record");
    const bytes = new Uint8Array(await readOrExplain(name, blob.arrayBuffer()));
    return [{kind: "record", name, size, changed: blob.lastModified, bytes}];
  }
  if (FORK.test(head)) return sortFork(name, blob);
  if (PROOF.test(head)) {
    bound(name, size, MOST_TEXT, "any proof");
    return [{kind: "proof", name, size, text: await textOf(name, blob)}];
  }
  if (size <= HEAD_BYTES && VKEY.test(head)) {
    return [{kind: "key", name, size, text: head.trim()}];
  }
  if (size <= MOST_TEXT && !head.startsWith("{")) {
    const text = await textOf(name, blob);
    if (NOTE.test(text)) return [{kind: "note", name, size, text}];
  }
  const kind = TOURNAMENT.test(head) ? "tournament" : "game";
  return [{kind, name, size, changed: blob.lastModified, blob}];
}

/** A text that was pasted, as a file with a name of its own. */
export function pastedFile(text) {
  pastedFiles += 1;
  return {name: `pasted text ${pastedFiles}`, blob: new Blob([text])};
}

/** Whether a text is of a kind that the page knows, by how it begins. */
function isKnown(text) {
  return [GAME, RECORD, FORK, PROOF, NOTE, VKEY].some((known) => known.test(text));
}

async function sortFork(name, blob) {
  bound(name, blob.size, MOST_FORK, "any evidence of a fork");
  let notes;
  try {
    ({notes} = JSON.parse(await textOf(name, blob)));
  } catch {
    throw new Error(`${name} is cut off: it is no whole evidence of a fork`);
  }
  if (!Array.isArray(notes) || !notes.every((text) => typeof text === "string")) {
    throw new Error(`${name} is evidence of a fork without its two notes`);
  }
  return notes.slice(0, 2).map((text, at) => {
    return {kind: "note", name: `${name}, note ${at + 1}`, size: text.length, text};
  });
}

function bound(name, size, most, what) {
  if (size > most) throw new Error(`${name} is larger than ${what}`);
}

function textOf(name, blob) {
  return readOrExplain(name, blob.text());
}

async function readOrExplain(name, reading) {
  try {
    return await reading;
  } catch {
    throw new Error(`${name} can not be read: is it a folder, or was it moved?`);
  }
}

/**
 * Let files be dropped anywhere on the page, and known texts be dropped and pasted where nobody is
 * typing. `take(items)` gets a list of {name, blob}; while something is held over the page its root
 * has the class "dropping".
 */
export function listenForDrops(take) {
  const root = document.documentElement;
  let depth = 0;
  const show = (change) => {
    depth = Math.max(0, depth + change);
    root.classList.toggle("dropping", depth > 0);
  };
  document.addEventListener("dragenter", () => show(1));
  document.addEventListener("dragleave", () => show(-1));
  document.addEventListener("dragover", (event) => {
    if (isTaken(event, event.dataTransfer)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    show(-depth);
    if (!isTaken(event, event.dataTransfer)) return;
    event.preventDefault();
    takeTransfer(event.dataTransfer, take);
  });
  document.addEventListener("paste", (event) => {
    if (isTaken(event, event.clipboardData)) takeTransfer(event.clipboardData, take);
  });
}

/** Whether a transfer is the page's: files are, and texts that do not go into a field. */
function isTaken({target}, transfer) {
  const typing = target instanceof Element && target.closest("input, textarea") !== null;
  return transfer !== null && (transfer.types.includes("Files") || !typing);
}

function takeTransfer(transfer, take) {
  const files = [...transfer.files].map((file) => ({name: file.name, blob: file}));
  const text = transfer.getData("text/plain");
  if (files.length > 0) take(files);
  else if (isKnown(text)) take([pastedFile(text)]);
}
